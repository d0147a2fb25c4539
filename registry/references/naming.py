"""A location in a JSON document, and the object that it names.

A location is a value, its name, and the objects and arrays around it, of which only the direct properties are read: so it works
in documents of any size. It names the object that its field refers to, the one that it is in, or one whose ids look like it.
Services return whole objects in place of some ids, if a call expands these fields.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile
from typing import NamedTuple, Union

import msgspec

from registry.catalog.model import Tool
from registry.references.knowledge import Knowledge, knowledge

Value = Union[str, int, float, bool, None, Mapping[str, "Value"]]  # noqa: UP007
Members = Mapping[str, Value]

ELEMENT = "[]"


class Branch(msgspec.Struct, frozen=True):
    """An object or a list.

    Attributes:
        step: the name of the property that holds it, `ELEMENT` in a list, empty for the whole response.
        members: an object's direct properties, where lists and what is deeper may be left out. Empty for lists.
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


def text_of(value: object) -> str | None:
    """A non-empty text or a whole number, or such an id of an object in its place; None for anything else."""
    if isinstance(value, Mapping):
        value = value.get("id")
    return str(value) if type(value) is int or (isinstance(value, str) and value) else None


# A reference's summary is the name that people read; it names the object like its id.
_NAMES = ("id", "summary")


class NamedObject(NamedTuple):
    """An object that a place names, or that is around it.

    Attributes:
        type: its type.
        id: its id; None for an object without one, of which an account or an owner has just one.
        own: its branch, if the place is on or in the object itself; None for a reference to it.
        path: for an object around the place, the path from it to the next inner one or to the place.
    """

    type: str
    id: str | None
    own: Branch | None = None
    path: str = ""


def named(place: JsonLocation, tool: Tool, known: Knowledge) -> list[NamedObject]:
    """The objects that a location names; several if its id may have several types. `known` is that of the tool's toolkit.

    The known references of the enclosing object decide first, then the type beside the id, then the prefix of the id.
    """
    value = place.value
    if not isinstance(value, str | Mapping) or value == "":
        return []
    holder = next(holders(place, tool, known), None)
    if isinstance(value, Mapping):
        if holder is not None and not holder.path:
            return [holder]
        # A part of an object with only an id and little else means the object with that id.
        id_ = text_of(value)
        return named(JsonLocation("id", id_, place.chain), tool, known) if id_ is not None else []
    if holder is not None and holder.own is not None and holder.id is not None:
        type_ = holder.own.members.get(known.type_in or "")
        is_reference = bool(known.reference_suffix) and isinstance(type_, str) and type_.endswith(known.reference_suffix)
        if holder.path in (_NAMES if is_reference else _NAMES[:1]):  # the property names the object that it is in
            return [holder]
    types = known.kind(holder.type).refers.get(holder.path) if holder is not None else None
    if types is None:
        types = known.types_by_id(value)
    elif len(types) > 1:
        types = tuple(type_ for type_ in known.types_by_id(value) if type_ in types) or types
    return [NamedObject(type_, value) for type_ in types]


def objects_at(place: JsonLocation, tool: Tool, known: Knowledge) -> list[NamedObject]:
    """The objects with an id that a location names, or else the nearest one that it is in."""
    found = [one for one in named(place, tool, known) if one.id is not None]
    return found or [one for one in holders(place, tool, known) if one.id is not None][:1]


def holders(place: JsonLocation, tool: Tool, known: Knowledge) -> Iterator[NamedObject]:
    """The objects of known type around a place and at it, from the innermost outwards."""
    steps = [] if isinstance(place.value, Mapping) else [place.step]
    chain = place.chain
    for level, branch in enumerate(chain):
        type_ = _type_of(chain[level:], tool, known)
        if type_ is not None:
            path = ""  # from the outside inwards: `phases[].items[].price`
            for step in reversed(steps):
                path += step if step == ELEMENT or not path else f".{step}"
            yield NamedObject(type_, text_of(branch.members), branch, path)
            steps = []
        steps.append(branch.step)


def _type_of(chain: Sequence[Branch], tool: Tool, known: Knowledge) -> str | None:
    """The type of the first branch: the one that it names; None for wrappers, for parts, and for objects without one.

    Where objects do not name their types it is the type that the tool returns. The object is the response itself, the one
    object that the response only wraps, or an item of its list: there, or, fetched as a whole, in a list of nothing else.
    """
    members = chain[0].members
    if known.type_in:
        type_ = members.get(known.type_in)
        if not isinstance(type_, str) or type_ in ("list", "search_result") or (known.typed_parts and "id" not in members):
            return None
        type_ = type_.removesuffix(known.reference_suffix)
        return next((one for end, one in known.type_suffixes.items() if type_.endswith(end)), type_) or None
    if "id" not in members:
        return None
    steps = [one.step for one in chain[:-1]]
    is_wrapped = len(steps) == 1 and steps != [ELEMENT] and tool.returns.kind == "object" and "id" not in chain[1].members
    lists = ([ELEMENT, *filter(None, reversed((tool.returns.items or "").split(".")))], [ELEMENT] if tool.is_list else [])
    is_it = not steps or is_wrapped or steps in lists
    return tool.returns.objects[0] if is_it else None


_PAGE = "data"
_MOST_STEPS = 4


def expansions(tool: Tool, chosen: Sequence[str] = ()) -> list[str]:
    """The fields that a tool's call can expand, in the service's form.

    Those that the catalogue suggests, and those that are omitted unless they are expanded: in lists every path starts with
    ``data.``. After them come the fields of the objects that replace the `chosen` ones, as deep
    as the service allows; those of a list's items after its own ``data``.
    """
    parameter, known = tool.with_role("expand"), knowledge(tool.toolkit)
    if parameter is None:
        return []
    before = f"{_PAGE}." if tool.is_list else ""
    hidden = [f"{before}{name}" for type_ in tool.returns.objects for name in known.kind(type_).hides]
    further = [path for field in chosen for one in (field, f"{field}.{_PAGE}") for path in _within(tool, one, known)]
    return list(dict.fromkeys([*(parameter.suggestions or ()), *hidden, *further]))


def expand_at(place: JsonLocation, tool: Tool, arguments: Mapping[str, object]) -> dict[str, object] | None:
    """The arguments of a call that also expand the field at a place; None if it cannot be expanded, or already is."""
    paths = paths_at(place, tool)
    if not paths:
        return None
    holder, path = paths[-1]
    outside = [branch.step for branch in dropwhile(lambda branch: branch is not holder.own, place.chain)][:-1]
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


def paths_at(place: JsonLocation, tool: Tool) -> list[tuple[NamedObject, str]]:
    """The objects around a reference in which it can be expanded, each with the path, from the innermost outwards.

    Empty if it cannot be expanded; otherwise outwards as long as each field on the way holds or expands to an object.
    """
    if isinstance(place.value, Mapping) or text_of(place.value) is None:
        return []
    known = knowledge(tool.toolkit)
    found: list[tuple[NamedObject, str]] = []
    for holder in holders(place, tool, known):
        kind = known.kind(holder.type)
        if holder.path not in kind.expands and not (found and holder.path in kind.holds):
            break
        inside = f".{found[-1][1]}" if found else ""
        found.append((holder, holder.path.replace(ELEMENT, "") + inside))
    return found


def _within(tool: Tool, field: str, known: Knowledge) -> list[str]:
    """The full paths of the fields inside an expanded field."""
    names = field.split(".")
    types, rest = set(tool.returns.objects), names[1:] if tool.is_list and names[0] == _PAGE else names
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
