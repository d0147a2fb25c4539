"""Marks numbers in values that a library takes, and finds them in values that it read: see `registry.text.exact_numbers`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from registry.calling.exact_json import Exact, is_null
from registry.text.exact_numbers import MARK, fits_float


def marked(value: Any) -> Any:
    """JSON values to hand to a library: numbers that a float cannot hold are marked strings."""
    if isinstance(value, Mapping):
        return {name: marked(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [marked(one) for one in value]
    return MARK + value if isinstance(value, Exact) and not is_null(value) and not fits_float(value) else value


def unmarked(value: Any) -> Any:
    """Values that a library read from marked JSON: marked numbers have their digits again."""
    if isinstance(value, Mapping):
        return {name: unmarked(one) for name, one in value.items()}
    if isinstance(value, list):
        return [unmarked(one) for one in value]
    return Exact(value.removeprefix(MARK)) if isinstance(value, str) and value.startswith(MARK) else value
