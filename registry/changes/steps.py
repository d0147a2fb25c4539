"""What the steps of a check return: conditions of a change, what goes along with it, and the values that it will change.

A toolkit names its own steps in ``deleting.json``; see `registry.changes.declared`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from registry.catalog.model import Tool
from registry.changes.reads import Items, Object, Reads


@dataclass(frozen=True, slots=True)
class Check:
    """One condition of a change: whether it holds (None: unknown), and the same in words."""

    holds: bool | None
    words: str


@dataclass(frozen=True, slots=True)
class Companion:
    """Objects that are deleted too, or affected: a line such as ``3 active subscriptions, $120.00 a month``.

    `count` is None if it is unknown; `problem` says why.
    """

    words: str
    count: int | None = None
    problem: str = ""


class Difference(NamedTuple):
    """Something that will change: its name, its value now and afterwards, each in one line; empty for no value."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class WriteCheckResult:
    """The effect of a change: the object now, as properties and as received, both empty for a new one, and what a check found.

    The other fields are those of `registry.changes.check_result.CheckResult`.
    """

    members: Mapping[str, Any] = field(default_factory=dict)
    body: bytes = b""
    gone: bool = False
    checks: tuple[Check, ...] = ()
    companions: tuple[Companion, ...] = ()
    differences: tuple[Difference, ...] = ()
    problems: tuple[str, ...] = ()


CheckStep = Callable[[Object, Reads], Awaitable[list[Check]]]
CompanionStep = Callable[[Object, Reads], Awaitable[list[Companion]]]
WriteStep = Callable[[Reads, Tool, Mapping[str, object]], Awaitable[WriteCheckResult]]
Same = Callable[[str, object, object], bool]
"""Whether a given field has the object's present value: name, given, present."""


def counted(found: Items, one: str, many: str) -> Companion:
    """A line with the number of found items, or why they could not be counted."""
    if found.problem:
        return Companion(many, problem=f"Could not count {many}: {found.problem}")
    return Companion(in_words(len(found.items), found.more, one, many), len(found.items))


def in_words(count: int, more: bool, one: str, many: str) -> str:
    """A number with its noun: ``1 feature``, ``no features``, ``more than 100 features``."""
    return f"more than {count} {many}" if more else f"1 {one}" if count == 1 else f"{count or 'no'} {many}"


def sent_fields(tool: Tool, arguments: Mapping[str, object]) -> dict[str, object]:
    """The properties of the object that a call sets, by the service's names."""
    fields = (one for one in tool.parameters if one.place == "body" and one.wire_name and one.name in arguments)
    return {str(one.wire_name): arguments[one.name] for one in fields}


def same(_: str, given: object, present: object) -> bool:
    """Whether two values are the same; empty and missing are equal."""
    given, present = (list(one) if isinstance(one, tuple) else one for one in (given, present))
    return (given or None) == (present or None)
