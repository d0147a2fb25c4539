"""The effect of a change on an object, before it is sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from registry.catalog.model import Tool
from registry.changes.checks import Check
from registry.changes.companions import Companion
from registry.changes.reads import Reads


class Difference(NamedTuple):
    """Something that will change: its name, its value now and afterwards, each in one line; empty for no value."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class WriteCheckResult:
    """The effect of a change.

    Attributes:
        members: the object now; empty for a new one.
        body: the same as received.
        gone: whether there is no such object.
        checks: whether the change can be made.
        companions: what else is affected.
        differences: what will change.
        problems: what is unknown.
    """

    members: Mapping[str, Any] = field(default_factory=dict)
    body: bytes = b""
    gone: bool = False
    checks: tuple[Check, ...] = ()
    companions: tuple[Companion, ...] = ()
    differences: tuple[Difference, ...] = ()
    problems: tuple[str, ...] = ()


WriteStep = Callable[[Reads, Tool, Mapping[str, object]], Awaitable[WriteCheckResult]]
Same = Callable[[str, object, object], bool]
"""Whether a given field has the object's present value: name, given, present."""


def sent_fields(tool: Tool, arguments: Mapping[str, object]) -> dict[str, object]:
    """The properties of the object that a call sets, by the service's names."""
    fields = (one for one in tool.parameters if one.place == "body" and one.wire_name and one.name in arguments)
    return {str(one.wire_name): arguments[one.name] for one in fields}


def same(_: str, given: object, present: object) -> bool:
    """Whether two values are the same; empty and missing are equal."""
    given, present = (list(one) if isinstance(one, tuple) else one for one in (given, present))
    return (given or None) == (present or None)
