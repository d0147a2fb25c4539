"""Whether the rule of a deletion holds, as far as can be seen beforehand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from registry.deleting.reads import Object, Reads


@dataclass(frozen=True, slots=True)
class Check:
    """One condition of a deletion: whether it holds (None: could not be learned), and that in words."""

    holds: bool | None
    words: str


CheckStep = Callable[[Object, Reads], Awaitable[list[Check]]]
