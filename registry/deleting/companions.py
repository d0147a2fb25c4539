"""What goes with an object when it is deleted, counted by the tools that list it.

A count never hides that there is more. What no tool can count is said so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from registry.deleting.reads import Items, Object, Reads


@dataclass(frozen=True, slots=True)
class Companion:
    """Something that goes along, or is concerned: a line such as ``3 active subscriptions, $120.00 a month``.

    `count` is None where it could not be learned; `problem` says why.
    """

    words: str
    count: int | None = None
    problem: str = ""


CompanionStep = Callable[[Object, Reads], Awaitable[list[Companion]]]


def counted(found: Items, one: str, many: str) -> Companion:
    """A line with the number of items that were found, or why they could not be counted."""
    if found.problem:
        return Companion(many, problem=f"Could not count {many}: {found.problem}")
    return Companion(in_words(len(found.items), found.more, one, many), len(found.items))


def in_words(count: int, more: bool, one: str, many: str) -> str:
    """A number with its noun: ``1 feature``, ``no features``, ``more than 100 features``."""
    return f"more than {count} {many}" if more else f"1 {one}" if count == 1 else f"{count or 'no'} {many}"
