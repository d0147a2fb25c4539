"""Whether Callboard works line by line, for a screen reader, instead of on a full screen. Read before any screen is made."""

from __future__ import annotations

from collections.abc import Mapping

from registry.files.folders import config_file
from registry.files.plain_file import open_plain
from registry.files.toml_text import parsed

_MOST_BYTES = 100_000


def wants_lines(environment: Mapping[str, str]) -> bool:
    """Whether ``CALLBOARD_SCREEN_READER`` or ``screen_reader`` in ``config.toml`` says so, or the terminal has no screen."""
    if environment.get("CALLBOARD_SCREEN_READER") or environment.get("TERM") == "dumb":
        return True
    try:
        with open_plain(config_file(environment)) as opened:
            content = opened.read(_MOST_BYTES + 1)
    except OSError:
        return False
    if b"screen_reader" not in content or len(content) > _MOST_BYTES:
        return False
    try:
        look = parsed(content.decode()).get("look")
    except ValueError:
        return False  # the explorer shows what is wrong with the file
    return isinstance(look, dict) and look.get("screen_reader") is True
