"""The actions for an id or an email address that was pasted into the search for tools.

Without a context, only its prefix or shape tells its type. Makes no call.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from registry.catalog.model import Tool
from registry.references.knowledge import EMAIL, Types, knowledge
from registry.references.naming import JsonLocation, NamedObject
from registry.references.routes import Routes, ToolkitRoutes
from registry.references.targets import Reach, Target, missing_from, offers_of

_LONGEST = 255
_AROUND = " \t\"'`“”‘’<>()[],;"
_EFFECTS = {"read": 0, "write": 1, "delete": 2}


class Pasted(NamedTuple):
    """An id or an address in a line of text, the other words, and the actions, first those that show the object itself."""

    id: str
    words: str
    targets: list[Target]


def pasted(text: str, ways: Routes) -> Pasted | None:
    """The actions for the first id or address in a text; None if no tool takes one."""
    parts = text.split()
    for place, part in enumerate(parts):
        id_ = part.strip(_AROUND)
        if (len(id_) > 3 or id_.startswith("#")) and len(id_) <= _LONGEST and (targets := _targets(id_, ways)):
            return Pasted(id_, " ".join(parts[:place] + parts[place + 1 :]), targets)
    return None


def _targets(id_: str, ways: Routes) -> list[Target]:
    if "@" in id_:
        found = [] if EMAIL.fullmatch(id_) is None else [one for kit in ways.toolkits for one in _by_email(id_, kit)]
    else:
        found = [one for kit in ways.toolkits for one in _by_id(id_, kit, ways)]
    # The one that shows the object comes first, from any toolkit; the rest keep the toolkits' order.
    found.sort(key=lambda one: (one[1].reach == "offer", _EFFECTS[one[0].effect]))
    return [target for _, target in found]


def _by_email(address: str, kit: ToolkitRoutes) -> Iterator[tuple[Tool, Target]]:
    for tool in kit.tools:
        if (arguments := knowledge(tool.toolkit).by_email.get(tool.own_name)) is not None:
            reach: Reach = "found" if tool.effect == "read" else "offer"
            yield tool, _target(tool, {name: value.replace("{}", address) for name, value in arguments.items()}, reach)


def _by_id(id_: str, kit: ToolkitRoutes, ways: Routes) -> Iterator[tuple[Tool, Target]]:
    some = next(iter(kit.tools), None)
    if some is None:
        return
    known = knowledge(some.toolkit)
    types = known.types_by_id(id_) or known.types_by_shape(id_) or known.types_by_number(id_)
    yield from _of_types(types, id_.removeprefix("#"), kit, ways)


def of_type(type_: str, id_: str, ways: Routes, toolkit: str = "") -> list[Target]:
    """The actions for the id of an object whose type is known; without a toolkit, in all that have the type."""
    kits = [kit for kit in ways.toolkits if kit.tools and toolkit in ("", kit.tools[0].toolkit)]
    return [target for kit in kits for _, target in _of_types((type_,), id_, kit, ways)]


def _of_types(types: Types, id_: str, kit: ToolkitRoutes, ways: Routes) -> Iterator[tuple[Tool, Target]]:
    tools = {tool.name: tool for tool in kit.tools}
    shown = set()
    for type_ in types:
        for way in kit.retrieving.get(type_, ())[:1]:
            if way.by is not None and way.tool.name not in shown:
                shown.add(way.tool.name)
                yield way.tool, _target(way.tool, {way.by.name: id_}, "object")
    for target in offers_of(
        [NamedObject(type_, id_, False) for type_ in types], JsonLocation("id", id_), kit.tools[0], {}, ways
    ):
        if target.tool not in shown:
            yield tools[target.tool], target


def _target(tool: Tool, arguments: Mapping[str, object], reach: Reach) -> Target:
    return Target(tool.name, arguments, missing_from(arguments, tool), reach, tool.summary)
