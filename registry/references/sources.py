"""The tools whose lists have the ids that a parameter takes, and the arguments that each needs.

Which tool lists a type is read from the catalogue. Types that the service searches and does not list are in the knowledge of
the toolkit (``found_by``), with the question that finds all of them. Nothing is called here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from registry.catalog.model import Parameter, Tool
from registry.references.knowledge import knowledge
from registry.references.routes import Routes, is_older

SHORTEST_WORDS = 3
"""How many letters a service needs to look for a part of a word."""

_IN_QUERIES = str.maketrans("", "", "\"'\\")


@dataclass(frozen=True, slots=True)
class IdSource:
    """A tool whose answer holds objects of some types.

    Attributes:
        tool: the tool.
        types: what is wanted of its answer; it may hold other types as well.
        known: its arguments, as far as they are known.
        missing: the parameters that say whose list it is, and of which nothing is known.
        words: the question for words, ``{}`` standing for them; empty where it has none.
    """

    tool: Tool
    types: tuple[str, ...]
    known: Mapping[str, object]
    missing: tuple[Parameter, ...] = ()
    words: str = ""

    @property
    def is_mixed(self) -> bool:
        """Whether its answer holds other types besides."""
        return not set(self.tool.returns.objects) <= set(self.types)

    def asking(self, text: str) -> dict[str, object] | None:
        """The arguments that find what holds a text; those of the whole list without one; None where it cannot be asked so."""
        if not text:
            return dict(self.known)
        query = self.tool.with_role("query")
        if query is None or len(text) < SHORTEST_WORDS or not (self.words or not query.required):
            return None
        return {**self.known, query.name: self.words.replace("{}", text.translate(_IN_QUERIES)) if self.words else text}

    def holds(self, item: object) -> bool:
        """Whether an item of its answer is of a type that is wanted."""
        says = knowledge(self.tool.toolkit).type_in
        return not self.is_mixed or says is None or (isinstance(item, Mapping) and item.get(says) in self.types)


def sources_of(tool: Tool, parameter: Parameter, raw: Mapping[str, object], ways: Routes) -> list[IdSource]:
    """The sources of ids for a parameter, the best first: complete ones, lists before searches, newer tools.

    Args:
        tool: the tool that the parameter belongs to.
        parameter: what takes the id.
        raw: the values of its other parameters, from which owners are known.
        ways: how the catalogue's tools reach objects.
    """
    types = parameter.refers_to
    found: dict[str, IdSource] = {}
    for type_ in types:
        for way in ways.of(tool).listing.get(type_, ()):
            known, missing = _owners(way.owners, tool, parameter, raw)
            source = IdSource(way.tool, types, {**_most(way.tool), **known}, missing)
            # What holds all sorts of things says nothing of where to look first.
            if not (source.is_mixed and missing):
                found.setdefault(way.tool.name, source)
        searched = knowledge(tool.toolkit).found_by.get(type_)
        other = next((one for one in ways.of(tool).tools if searched and one.own_name == searched["tool"]), None)
        query = other.with_role("query") if other is not None else None
        if searched and other is not None and query is not None:
            known = {**_most(other), query.name: searched["all"]}
            found.setdefault(other.name, IdSource(other, types, known, (), searched.get("words", "")))
    return sorted(found.values(), key=_rank)


def _rank(source: IdSource) -> tuple[int, bool, bool, int]:
    is_search = source.tool.returns.kind != "list"
    return len(source.missing), is_search, is_older(source.tool), len(source.tool.returns.objects)


def _owners(
    owners: Sequence[Parameter], tool: Tool, parameter: Parameter, raw: Mapping[str, object]
) -> tuple[dict[str, object], tuple[Parameter, ...]]:
    """The owners' ids that stand in other fields, and the parameters of those that do not."""
    known: dict[str, object] = {}
    for owner in owners:
        for other in tool.parameters:
            value = raw.get(other.name)
            if other is not parameter and set(other.refers_to) & set(owner.refers_to) and isinstance(value, str) and value:
                known.setdefault(owner.name, value)
    return known, tuple(owner for owner in owners if owner.name not in known)


def _most(tool: Tool) -> dict[str, object]:
    """As many items on a page as the tool gives."""
    limit = tool.with_role("limit")
    return {limit.name: limit.maximum} if limit is not None and limit.maximum is not None else {}
