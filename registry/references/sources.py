"""The tools whose lists have the ids that a parameter takes, and the arguments that each needs.

Which tool lists a type is read from the catalogue. Types that the service can only search are in the knowledge of
the toolkit (``found_by``), with the query that finds all of them. Makes no calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from registry.catalog.model import Parameter, Tool
from registry.references.knowledge import knowledge
from registry.references.routes import IN_QUERIES, Routes, is_older, largest_page

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
        return {**self.known, query.name: self.words.replace("{}", text.translate(IN_QUERIES)) if self.words else text}

    def holds(self, item: object) -> bool:
        """Whether an item of its response has a wanted type."""
        says = knowledge(self.tool.toolkit).type_in
        return not self.is_mixed or says is None or (isinstance(item, Mapping) and item.get(says) in self.types)


def sources_of(tool: Tool, parameter: Parameter, raw: Mapping[str, object], ways: Routes) -> list[IdSource]:
    """The sources of ids for a parameter, the best first: complete ones, lists before searches, newer tools.

    `raw` has the values of the tool's other parameters, some of which may be owners' ids.
    """
    types = parameter.refers_to
    found: dict[str, IdSource] = {}
    for type_ in types:
        for way in ways.of(tool).listing.get(type_, ()):
            known, missing = _owners(way.owners, tool, parameter, raw)
            source = IdSource(way.tool, types, {**largest_page(way.tool), **known}, missing)
            # A mixed list without known owners is not useful as a first place to look.
            if not (source.is_mixed and missing):
                found.setdefault(way.tool.name, source)
        searched = knowledge(tool.toolkit).found_by.get(type_)
        other = next((one for one in ways.of(tool).tools if searched and one.own_name == searched["tool"]), None)
        query = other.with_role("query") if other is not None else None
        if searched and other is not None and query is not None:
            known = {**largest_page(other), query.name: searched["all"]}
            found.setdefault(other.name, IdSource(other, types, known, (), searched.get("words", "")))
    return sorted(found.values(), key=_rank)


def _rank(source: IdSource) -> tuple[int, bool, bool, int]:
    is_search = source.tool.returns.kind != "list"
    return len(source.missing), is_search, is_older(source.tool), len(source.tool.returns.objects)


def _owners(
    owners: Sequence[Parameter], tool: Tool, parameter: Parameter, raw: Mapping[str, object]
) -> tuple[dict[str, object], tuple[Parameter, ...]]:
    """The owners' ids from other fields, and the parameters of those that are not there."""
    given = [(other.refers_to, raw.get(other.name)) for other in tool.parameters if other is not parameter]
    texts = [(set(types), value) for types, value in given if isinstance(value, str) and value]
    firsts = {one.name: next((value for types, value in texts if types & set(one.refers_to)), None) for one in owners}
    known: dict[str, object] = {name: value for name, value in firsts.items() if value is not None}
    return known, tuple(owner for owner in owners if owner.name not in known)
