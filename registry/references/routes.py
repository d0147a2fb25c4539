"""Routes to objects: which tools retrieve an object type by its id, which list it, which take its ids.

All of this is derived from the catalogue entry of each tool. A new tool needs no further declaration. Types that the service
can only search are in the knowledge of the toolkit (``found_by``), with the query that finds all of them. Makes no calls.
"""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from registry.catalog.loader import Catalog
from registry.catalog.model import Parameter, Tool
from registry.references.knowledge import Knowledge, knowledge
from registry.text.filter_line import in_quotes

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
        of_kit: dict[str, list[Tool]] = {name: [] for name in catalog.toolkits}
        for tool in catalog.tools.values():
            of_kit[tool.toolkit].append(tool)
        self.toolkits = {name: ToolkitRoutes(tools, knowledge(name)) for name, tools in of_kit.items()}

    def of(self, tool: Tool) -> "ToolkitRoutes":
        """The routes to the objects of a tool's toolkit."""
        return self.toolkits[tool.toolkit]


class ToolkitRoutes:
    """The routes to the objects of one toolkit, by type; the best route first.

    Attributes:
        retrieving: routes by the object's own id.
        single: routes to the one object that an account or an owner has.
        finding: routes by a search for words.
        listing: routes to a list that contains it.
        taking: every tool that takes an id of the type, with the parameter.
        tools: every tool, in the catalogue's order.
        known: what is known of its objects.
    """

    def __init__(self, tools: Sequence[Tool], known: Knowledge) -> None:
        self.retrieving: dict[str, list[Route]] = {}
        self.single: dict[str, list[Route]] = {}
        self.finding: dict[str, list[Route]] = {}
        self.listing: dict[str, list[Route]] = {}
        self.taking: dict[str, list[tuple[Tool, Parameter]]] = {}
        self.tools, self.known = tools, known
        for tool in tools:
            parameters = [one for one in tool.parameters if one.role not in _CURSORS]
            for type_ in dict.fromkeys(type_ for parameter in parameters for type_ in parameter.refers_to):
                takers = [parameter for parameter in parameters if type_ in parameter.refers_to]
                self.taking.setdefault(type_, []).append((tool, max(takers, key=lambda parameter: parameter.required)))
            if tool.effect == "read":
                for type_ in tool.returns.objects:
                    self._note(tool, type_)
        for ways in (*self.retrieving.values(), *self.single.values(), *self.listing.values()):
            ways.sort(key=lambda way: (is_older(way.tool), len(way.owners), len(way.tool.returns.objects)))

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

    def owned_by(self, type_: str, id_: str) -> list[tuple[Tool, dict[str, str]]]:
        """The tools whose queries find what belongs to an object, with their arguments; empty without an id."""
        owned = self.known.owned.get(type_, {})
        return [
            (tool, {name: value.replace("{}", in_quotes(id_)) for name, value in owned[tool.own_name].items()})
            for tool in self.tools
            if id_ and tool.own_name in owned
        ]


def longest_part(text: str) -> str:
    """The longest part of a text without spaces and signs, for a search that knows these in another spelling."""
    return max(re.findall(r"[^\W_]+", text), key=len, default="")


def largest_page(tool: Tool) -> dict[str, object]:
    """The argument for the largest page that a tool allows."""
    limit = tool.with_role("limit")
    return {limit.name: limit.maximum} if limit is not None and limit.maximum is not None else {}


def is_older(tool: Tool) -> bool:
    """Whether there is a newer tool for the same purpose."""
    return tool.deprecated or tool.own_name in knowledge(tool.toolkit).older


SHORTEST_WORDS = 3
"""The fewest characters with which a service searches for a part of a word."""


class IdSource(Struct, frozen=True):
    """A tool whose response holds objects of some types.

    Attributes:
        tool: the tool.
        types: the wanted types; its response may hold others as well.
        known: its known arguments.
        missing: the parameters for the list's owner whose values are not known.
        words: the query for words, with ``{}`` for them; empty without one.
    """

    tool: Tool
    types: tuple[str, ...]
    known: Mapping[str, object]
    missing: tuple[Parameter, ...] = ()
    words: str = ""

    @property
    def is_mixed(self) -> bool:
        """Whether its response holds other types as well."""
        return not set(self.tool.returns.objects) <= set(self.types)

    def asking(self, text: str) -> dict[str, object] | None:
        """The arguments that find objects with a text, or for no text the whole list; None if it cannot search for the text."""
        if not text:
            return dict(self.known)
        query = self.tool.with_role("query")
        if query is None or len(text) < SHORTEST_WORDS or not (self.words or not query.required):
            return None
        return {**self.known, query.name: self.words.replace("{}", in_quotes(text)) if self.words else text}

    def holds(self, item: object) -> bool:
        """Whether an item of its response has a wanted type."""
        says = knowledge(self.tool.toolkit).type_in
        return not self.is_mixed or says is None or (isinstance(item, Mapping) and item.get(says) in self.types)


def sources_of(tool: Tool, parameter: Parameter, raw: Mapping[str, object], ways: Routes) -> list[IdSource]:
    """The sources of ids for a parameter, the best first: complete ones, lists before searches, newer tools.

    `raw` has the values of the tool's other parameters, some of which may be owners' ids.
    """
    types, kit = parameter.refers_to, ways.of(tool)
    found: dict[str, IdSource] = {}
    for type_ in types:
        for way in kit.listing.get(type_, ()):
            known, missing = _owners(way.owners, tool, parameter, raw)
            source = IdSource(way.tool, types, {**largest_page(way.tool), **known}, missing)
            # A mixed list without known owners is not useful as a first place to look.
            if not (source.is_mixed and missing):
                found.setdefault(way.tool.name, source)
        searched = kit.known.found_by.get(type_)
        other = next((one for one in kit.tools if searched and one.own_name == searched["tool"]), None)
        query = other.with_role("query") if other is not None else None
        if searched and other is not None and query is not None:
            known = {**largest_page(other), query.name: searched["all"]}
            found.setdefault(other.name, IdSource(other, types, known, (), searched.get("words", "")))
    ranks = {
        name: (len(one.missing), one.tool.returns.kind != "list", is_older(one.tool), len(one.tool.returns.objects))
        for name, one in found.items()
    }
    return [found[name] for name in sorted(found, key=ranks.__getitem__)]


def _owners(
    owners: Sequence[Parameter], tool: Tool, parameter: Parameter, raw: Mapping[str, object]
) -> tuple[dict[str, object], tuple[Parameter, ...]]:
    """The owners' ids from other fields, and the parameters of those that are not there."""
    given = [(other.refers_to, raw.get(other.name)) for other in tool.parameters if other is not parameter]
    texts = [(set(types), value) for types, value in given if isinstance(value, str) and value]
    firsts = {one.name: next((value for types, value in texts if types & set(one.refers_to)), None) for one in owners}
    known: dict[str, object] = {name: value for name, value in firsts.items() if value is not None}
    return known, tuple(owner for owner in owners if owner.name not in known)
