"""The further ids that a tool needs: those of an object's owners, found around the object or in the call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from registry.catalog.model import Parameter, Tool
from registry.references.json_location import Branch, JsonLocation, text_of
from registry.references.knowledge import Types, knowledge
from registry.references.naming import NamedObject, holders

Arguments = Mapping[str, object]


def owner_id(parameter: Parameter, of: NamedObject, place: JsonLocation, tool: Tool, arguments: Arguments) -> str | None:
    """The id for a parameter, to reach an object; None if neither the response nor the call has it.

    The nearest to the object is used: its own field, the object around it, that object's field, and so on outwards; then
    the arguments of the call that returned the response.
    """
    types = {id(holder.branch): holder.type for holder in holders(place, tool)}
    for branch in place.chain:
        type_ = types.get(id(branch))
        is_itself = of.own and type_ == of.type and text_of(branch.members) == of.id
        if type_ in parameter.refers_to and not is_itself and (found := text_of(branch.members)) is not None:
            return found
        for wanted in parameter.refers_to:
            if (found := _in_field(branch, type_, wanted, tool)) is not None:
                return found
    return _in_call(parameter.refers_to, tool, arguments)


def filled(
    parameters: Iterable[Parameter], of: NamedObject, place: JsonLocation, tool: Tool, arguments: Arguments
) -> dict[str, str]:
    """The known ids, by parameter."""
    found = {parameter.name: owner_id(parameter, of, place, tool, arguments) for parameter in parameters}
    return {name: id_ for name, id_ in found.items() if id_ is not None}


def _in_field(branch: Branch, type_: str | None, wanted: str, tool: Tool) -> str | None:
    """The id in the field with the wanted type's name, if the field refers to that type."""
    known = knowledge(tool.toolkit)
    name = known.kind(wanted).field or wanted.rpartition(".")[2]
    text = text_of(branch.members.get(name))
    if text is None:
        return None
    kind = known.kind(type_ or "")
    refers = kind.refers.get(name) or kind.holds.get(name) or known.types_by_id(text)
    return text if wanted in refers else None


def _in_call(wanted: Types, tool: Tool, arguments: Arguments) -> str | None:
    for parameter in tool.parameters:
        value = arguments.get(parameter.name)
        if isinstance(value, str) and value and parameter.role == "id" and set(parameter.refers_to) & set(wanted):
            return value
    return None
