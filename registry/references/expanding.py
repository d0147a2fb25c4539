"""Fields in which the service returns whole objects instead of ids, if a call expands them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import dropwhile

from registry.catalog.model import Tool
from registry.references.knowledge import Knowledge, knowledge
from registry.references.naming import ELEMENT, Holder, JsonLocation, holders, text_of

_PAGE = "data"
_MOST_STEPS = 4


def expansions(tool: Tool, chosen: Sequence[str] = ()) -> list[str]:
    """The fields that a tool's call can expand, in the service's form.

    In lists every path starts with ``data.``. After them come the fields of the objects that replace the `chosen` ones, as deep
    as the service allows; those of a list's items after its own ``data``.
    """
    first = _first(tool)
    further = [path for field in chosen for one in (field, f"{field}.{_PAGE}") for path in _within(tool, one)]
    return list(dict.fromkeys(first + further)) if tool.with_role("expand") is not None else []


def expand_at(place: JsonLocation, tool: Tool, arguments: Mapping[str, object]) -> dict[str, object] | None:
    """The arguments of a call that also expand the field at a place; None if it cannot be expanded, or already is."""
    paths = paths_at(place, tool)
    if not paths:
        return None
    holder, path = paths[-1]
    outside = [branch.step for branch in dropwhile(lambda branch: branch is not holder.branch, place.chain)][:-1]
    if outside not in ([], [ELEMENT, _PAGE]):
        return None
    return expanded(tool, arguments, f"{_PAGE}.{path}" if outside else path)


def expanded(tool: Tool, arguments: Mapping[str, object], path: str) -> dict[str, object] | None:
    """The arguments of a call with one more field expanded; None if it already is, or is too deep."""
    parameter = tool.with_role("expand")
    if parameter is None or path.count(".") >= _MOST_STEPS:
        return None
    given = arguments.get(parameter.name)
    before = [part.strip() for part in given.split(",")] if isinstance(given, str) else given
    fields = [str(one) for one in before if one] if isinstance(before, list | tuple) else []
    return None if path in fields else {**arguments, parameter.name: [*fields, path]}


def paths_at(place: JsonLocation, tool: Tool) -> list[tuple[Holder, str]]:
    """The objects around a reference in which it can be expanded, each with the path, from the innermost outwards.

    Empty if it cannot be expanded; otherwise outwards as long as each field on the way holds or expands to an object.
    """
    if isinstance(place.value, Mapping) or text_of(place.value) is None:
        return []
    known = knowledge(tool.toolkit)
    found: list[tuple[Holder, str]] = []
    for holder in holders(place, tool, known):
        kind = known.kind(holder.type)
        if holder.path not in kind.expands and not (found and holder.path in kind.holds):
            break
        inside = f".{found[-1][1]}" if found else ""
        found.append((holder, holder.path.replace(ELEMENT, "") + inside))
    return found


def _first(tool: Tool) -> list[str]:
    """The fields of the response's own objects: those that the catalogue suggests, and those omitted by default."""
    parameter = tool.with_role("expand")
    known, before = knowledge(tool.toolkit), f"{_PAGE}." if _is_page(tool) else ""
    hidden = [f"{before}{name}" for type_ in tool.returns.objects for name in known.kind(type_).hides]
    return list(dict.fromkeys([*(parameter.suggestions or ()), *hidden])) if parameter is not None else []


def _within(tool: Tool, field: str) -> list[str]:
    """The full paths of the fields inside an expanded field."""
    known, names = knowledge(tool.toolkit), field.split(".")
    types, rest = set(tool.returns.objects), names[1:] if _is_page(tool) and names[0] == _PAGE else names
    while types and rest:
        types, rest = _types_at_start(types, rest, known)
    inside = {path.replace(ELEMENT, "") for kind in map(known.kind, types) for path in (*kind.expands, *kind.hides)}
    return sorted(path for one in inside if (path := f"{field}.{one}").count(".") < _MOST_STEPS)


def _types_at_start(types: set[str], names: list[str], known: Knowledge) -> tuple[set[str], list[str]]:
    """The types at the longest known start of a path, and the remaining names."""
    for length in range(len(names), 0, -1):
        start = ".".join(names[:length])
        found: set[str] = set()
        for type_ in types:
            kind = known.kind(type_)
            fields = {path: refers for path, refers in kind.refers.items() if path in kind.expands} | dict(kind.holds)
            found |= {one for path, refers in fields.items() if path.replace(ELEMENT, "") == start for one in refers}
        if found:
            return found, names[length:]
    return set(), []


def _is_page(tool: Tool) -> bool:
    return tool.returns.kind in ("list", "search_result")
