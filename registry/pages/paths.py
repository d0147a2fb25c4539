"""Values inside an object by a dotted path: ``items.data[0].price``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def at_path(value: Any, path: str) -> Any:
    """The value at a dotted path; None if there is none."""
    for name, index in _steps(path):
        if index is not None:
            value = value[index] if isinstance(value, list) and index < len(value) else None
        else:
            value = value.get(name) if isinstance(value, Mapping) else None
    return value


@cache
def _steps(path: str) -> tuple[tuple[str, int | None], ...]:
    return tuple((name, int(index) if index else None) for name, index in _STEP.findall(path))
