"""The base class of values in a toolkit's files: fast to define, and pydantic can still validate it."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

_STRICT = {"strict": True, "extra": "forbid"}
"""No conversions, no unknown keys."""


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """A value in a file. Defining a dataclass takes fifty times as long, and every call on the command line defines these."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Declared], handler: GetCoreSchemaHandler) -> CoreSchema:
        """The pydantic schema for it: that of a dataclass with the same fields."""
        from pydantic_core import core_schema

        def made(checked: Any) -> Declared:
            return cls(**{name: getattr(checked, name) for name in cls.__struct_fields__})

        return core_schema.no_info_after_validator_function(made, handler.generate_schema(_as_dataclass(cls)))


@cache
def _as_dataclass(cls: type[Declared]) -> type:
    hints = get_type_hints(cls)
    members: list[tuple[str, Any, Any]] = []
    for one in msgspec.structs.fields(cls):
        if one.default_factory is not msgspec.NODEFAULT:
            value = dataclasses.field(default_factory=one.default_factory)
        else:
            value = dataclasses.field() if one.required else dataclasses.field(default=one.default)
        members.append((one.name, hints[one.name], value))
    named = {"__doc__": cls.__doc__, "__module__": cls.__module__, "__pydantic_config__": _STRICT}
    return dataclasses.make_dataclass(cls.__name__, members, namespace=named, kw_only=True)
