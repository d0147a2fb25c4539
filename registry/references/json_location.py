"""A location in a JSON document: a value, its name, and the objects and arrays around it.

Following a reference needs only a location, so it works in documents of any size: only the direct properties of the enclosing
objects are read.
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
        step: the name of the property that holds it, `ELEMENT` in a list, empty for the whole response.
        members: an object's direct properties: scalars, and objects with only their scalar properties. Empty for lists.
    """

    step: str
    members: Members


class JsonLocation(msgspec.Struct, frozen=True):
    """A value in a JSON document.

    Attributes:
        step: like a branch's.
        value: a scalar, an object's direct properties, or None for a list.
        around: the enclosing branches, from the innermost to the whole response.
    """

    step: str
    value: Value
    around: tuple[Branch, ...] = ()

    @property
    def chain(self) -> tuple[Branch, ...]:
        """The branches from here outwards, beginning with this value if it is an object."""
        return (Branch(self.step, self.value), *self.around) if isinstance(self.value, Mapping) else self.around


def dotted(steps: list[str]) -> str:
    """Steps from the outside inwards as one path: ``phases[].items[].price``."""
    path = ""
    for step in steps:
        path += step if step == ELEMENT or not path else f".{step}"
    return path


def text_of(value: Value) -> str | None:
    """A non-empty text, or the id of an object in place of the text; None for anything else."""
    if isinstance(value, Mapping):
        value = value.get("id")
    return value if isinstance(value, str) and value else None
