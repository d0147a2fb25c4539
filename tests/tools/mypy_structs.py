"""What mypy does not see: ``dataclasses.replace`` and its like fail on msgspec's Structs, and msgspec's on dataclasses."""

from collections.abc import Callable

from mypy.plugin import FunctionContext, Plugin
from mypy.types import Instance, Type, UnionType, get_proper_type

_STRUCT = "msgspec.Struct"
_CHECKED = {
    f"{module}.{name}": module == "msgspec.structs"
    for module in ("dataclasses", "msgspec.structs")
    for name in ("asdict", "astuple", "fields", "replace")
}
"""Functions by name, and whether they take Structs."""


class Structs(Plugin):
    """Refuses values of the other kind."""

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """Look at calls of the functions alone."""
        return _check if fullname in _CHECKED else None


def _check(context: FunctionContext) -> Type:
    name = getattr(context.context, "callee", None)
    takes_structs = _CHECKED.get(getattr(name, "fullname", ""), False)
    value = context.arg_types[0][0] if context.arg_types and context.arg_types[0] else None
    if value is not None and _has_struct(value) != takes_structs and _instances(value):
        other = "dataclasses" if takes_structs else "msgspec.structs"
        context.api.fail(f"{value} takes the function of {other}", context.context)
    return context.default_return_type


def _instances(value: Type) -> list[Instance]:
    proper = get_proper_type(value)
    if isinstance(proper, UnionType):
        return [found for item in proper.items for found in _instances(item)]
    return [proper] if isinstance(proper, Instance) else []


def _has_struct(value: Type) -> bool:
    return any(base.fullname == _STRUCT for one in _instances(value) for base in one.type.mro)


def plugin(version: str) -> type[Plugin]:
    """Where mypy begins."""
    return Structs
