"""Routes to objects: which tools retrieve an object type by its id, which list it, which take its ids.

All of this is derived from the catalogue entry of each tool. A new tool needs no further declaration.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from registry.catalog.loader import Catalog
from registry.catalog.model import Parameter, Tool
from registry.references.knowledge import Knowledge, knowledge

IN_QUERIES = str.maketrans("", "", "\"'\\")
"""Takes out of a text, with `str.translate`, what would end it in the middle of a search query."""

_CURSORS = ("cursor_before", "cursor_after")


class Route(Struct, frozen=True):
    """A tool that returns an object of a type, alone or in a list.

    Attributes:
        tool: the tool.
        by: the parameter that takes the object's own id, or the words that find it; None if it takes neither.
        owners: the required parameters that take the ids of the object's owners.
    """

    tool: Tool
    by: Parameter | None
    owners: tuple[Parameter, ...]


class Routes:
    """The routes to all objects of a catalogue, by toolkit: a type name may mean something else in another toolkit."""

    def __init__(self, catalog: Catalog) -> None:
        self._toolkits = {
            name: ToolkitRoutes([tool for tool in catalog.tools.values() if tool.toolkit == name]) for name in catalog.toolkits
        }

    @property
    def toolkits(self) -> Collection[ToolkitRoutes]:
        """The routes of each toolkit, in the catalogue's order."""
        return self._toolkits.values()

    def of(self, tool: Tool) -> ToolkitRoutes:
        """The routes to the objects of a tool's toolkit."""
        return self._toolkits[tool.toolkit]


class ToolkitRoutes:
    """The routes to the objects of one toolkit, by type; the best route first.

    Attributes:
        retrieving: routes by the object's own id.
        single: routes to the one object that an account or an owner has.
        finding: routes by a search for words.
        listing: routes to a list that contains it.
        taking: every tool that takes an id of the type, with the parameter.
        tools: every tool, in the catalogue's order.
    """

    def __init__(self, tools: Sequence[Tool]) -> None:
        self.retrieving: dict[str, list[Route]] = {}
        self.single: dict[str, list[Route]] = {}
        self.finding: dict[str, list[Route]] = {}
        self.listing: dict[str, list[Route]] = {}
        self.taking: dict[str, list[tuple[Tool, Parameter]]] = {}
        self.tools = tools
        known = knowledge(tools[0].toolkit) if tools else Knowledge()
        self._owned = known.owned
        for tool in tools:
            self._note_taking(tool)
            if tool.effect == "read":
                for type_ in tool.returns.objects:
                    self._note(tool, type_)
        for ways in (*self.retrieving.values(), *self.single.values(), *self.listing.values()):
            ways.sort(key=lambda way: (_is_older(way.tool, known.older), len(way.owners), len(way.tool.returns.objects)))

    def _note(self, tool: Tool, type_: str) -> None:
        required = [parameter for parameter in tool.parameters if parameter.required]
        by = next((parameter for parameter in required if type_ in parameter.refers_to), None)
        query = next((parameter for parameter in required if parameter.role == "query"), None)
        owners = tuple(parameter for parameter in required if parameter is not by and parameter.refers_to)
        others = [one for one in required if one is not by and not one.refers_to]
        kind = tool.returns.kind
        if kind == "list" and not others:
            self.listing.setdefault(type_, []).append(Route(tool, None, owners))
        elif kind in ("object", "composite") and by is not None:
            self.retrieving.setdefault(type_, []).append(Route(tool, by, owners))
        elif kind == "object" and not others:
            self.single.setdefault(type_, []).append(Route(tool, None, owners))
        elif kind == "composite" and others == [query]:
            self.finding.setdefault(type_, []).append(Route(tool, query, owners))

    def _note_taking(self, tool: Tool) -> None:
        parameters = [one for one in tool.parameters if one.role not in _CURSORS]
        for type_ in dict.fromkeys(type_ for parameter in parameters for type_ in parameter.refers_to):
            takers = [parameter for parameter in parameters if type_ in parameter.refers_to]
            self.taking.setdefault(type_, []).append((tool, max(takers, key=lambda parameter: parameter.required)))

    def owned_by(self, type_: str, id_: str) -> list[tuple[Tool, dict[str, object]]]:
        """The tools whose queries find what belongs to an object, with their arguments; empty without an id."""
        clean, owned = id_.translate(IN_QUERIES), self._owned.get(type_, {})
        return [
            (tool, {name: value.replace("{}", clean) for name, value in owned[tool.own_name].items()})
            for tool in self.tools
            if clean and tool.own_name in owned
        ]


def largest_page(tool: Tool) -> dict[str, object]:
    """The argument for the largest page that a tool allows."""
    limit = tool.with_role("limit")
    return {limit.name: limit.maximum} if limit is not None and limit.maximum is not None else {}


def is_older(tool: Tool) -> bool:
    """Whether there is a newer tool for the same purpose."""
    return _is_older(tool, knowledge(tool.toolkit).older)


def _is_older(tool: Tool, older: Collection[str]) -> bool:
    return tool.deprecated or tool.own_name in older
