"""Whether the rule of a deletion holds, as far as this can be known before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from registry.changes.reads import Object, Reads


@dataclass(frozen=True, slots=True)
class Check:
    """One condition of a deletion: whether it holds (None: unknown), and the same in words."""

    holds: bool | None
    words: str


CheckStep = Callable[[Object, Reads], Awaitable[list[Check]]]
