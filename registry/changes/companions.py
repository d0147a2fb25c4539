"""The objects that are deleted together with an object, counted by the tools that list them.

A count says if there are more than were counted; a companion that no tool can count says so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from registry.changes.reads import Items, Object, Reads


@dataclass(frozen=True, slots=True)
class Companion:
    """Objects that are deleted too, or affected: a line such as ``3 active subscriptions, $120.00 a month``.

    `count` is None if it is unknown; `problem` says why.
    """

    words: str
    count: int | None = None
    problem: str = ""


CompanionStep = Callable[[Object, Reads], Awaitable[list[Companion]]]


def counted(found: Items, one: str, many: str) -> Companion:
    """A line with the number of found items, or why they could not be counted."""
    if found.problem:
        return Companion(many, problem=f"Could not count {many}: {found.problem}")
    return Companion(in_words(len(found.items), found.more, one, many), len(found.items))


def in_words(count: int, more: bool, one: str, many: str) -> str:
    """A number with its noun: ``1 feature``, ``no features``, ``more than 100 features``."""
    return f"more than {count} {many}" if more else f"1 {one}" if count == 1 else f"{count or 'no'} {many}"
