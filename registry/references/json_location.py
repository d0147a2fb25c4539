"""A location in a JSON document: a value, its name, and the objects and arrays around it.

A location is all that following a reference needs, so documents of any size can be followed: only the direct properties of the
enclosing objects are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

import msgspec

Value = Union[str, int, float, bool, None, Mapping[str, "Value"]]  # noqa: UP007
Members = Mapping[str, Value]

ELEMENT = "[]"


class Branch(msgspec.Struct, frozen=True):
    """An object or a list.

    Attributes:
        step: the name of the member that holds it, `ELEMENT` in a list, empty for the whole answer.
        members: an object's direct properties: scalars as they are, objects with their scalar properties only. Lists have none.
    """

    step: str
    members: Members


class JsonLocation(msgspec.Struct, frozen=True):
    """A value in a JSON document.

    Attributes:
        step: as a branch's.
        value: a scalar; of an object its direct members, of a list none.
        around: what encloses it, from the innermost branch to the whole answer.
    """

    step: str
    value: Value
    around: tuple[Branch, ...] = ()

    @property
    def chain(self) -> tuple[Branch, ...]:
        """The branches from here outwards, this one included where it is one."""
        return (Branch(self.step, self.value), *self.around) if isinstance(self.value, Mapping) else self.around


def dotted(steps: list[str]) -> str:
    """Steps from the outside inwards as one path: ``phases[].items[].price``."""
    path = ""
    for step in steps:
        path += step if step == ELEMENT or not path else f".{step}"
    return path


def text_of(value: Value) -> str | None:
    """A text that is not empty, or the id of an object that stands in its place; None for anything else."""
    if isinstance(value, Mapping):
        value = value.get("id")
    return value if isinstance(value, str) and value else None
