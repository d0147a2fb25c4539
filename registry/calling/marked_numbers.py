"""Carries JSON numbers with all their digits through libraries that make floats of decimals, where ``1.10`` becomes ``1.1``.

Before such a library, a number that a float cannot hold becomes a marked string. After it, `unmarked` or `restored` makes it
the number again, in values or in JSON text. The mark is random in each process, so no client and no service can write one.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any

from registry.calling.exact_json import Exact, fits_float, is_null

_MARK = f"{secrets.token_hex(16)}:"
_MARKED = re.compile(rb'"' + _MARK.encode() + rb'([-+.0-9eE]+)"')


def marked(value: Any) -> Any:
    """JSON values to hand to a library: numbers that a float cannot hold are marked strings."""
    if isinstance(value, Mapping):
        return {name: marked(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [marked(one) for one in value]
    return _MARK + value if isinstance(value, Exact) and not is_null(value) and not fits_float(value) else value


def unmarked(value: Any) -> Any:
    """Values that a library read from marked JSON: marked numbers have their digits again."""
    if isinstance(value, Mapping):
        return {name: unmarked(one) for name, one in value.items()}
    if isinstance(value, list):
        return [unmarked(one) for one in value]
    return Exact(value.removeprefix(_MARK)) if isinstance(value, str) and value.startswith(_MARK) else value


def restored(text: bytes) -> bytes:
    """JSON text that a library wrote: marked strings are numbers again."""
    return _MARKED.sub(rb"\1", text)
