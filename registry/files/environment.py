"""Corrects environment variables that would mislead the whole program, and says so."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, MutableMapping

_FOLDERS = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
_DAY = 86_400


def put_right(environment: MutableMapping[str, str] = os.environ) -> Iterator[str]:
    """Ignore folders that are not absolute and impossible time zones; yields a sentence for each.

    A relative folder would give each working directory its own history and audit log. The XDG Base Directory Specification
    says to ignore it.
    """
    for name in _FOLDERS:
        if (value := environment.get(name)) and not os.path.isabs(value):
            del environment[name]
            yield f"{name} is ignored: {value!r} is not an absolute path."
    if max(abs(time.timezone), abs(time.altzone)) >= _DAY:
        yield f"TZ is ignored: {environment.get('TZ', '')!r} is a day or more from UTC. Times are in UTC."
        environment["TZ"] = "UTC"
        time.tzset()
