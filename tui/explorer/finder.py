"""The search of the ask line, the tree and the palette: ready calls, objects and tools, ranked by `registry.finding`.

Until the catalogue is loaded, a moment after the first frame, tools are found by their names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from registry.catalog.listing import ToolSummary

if TYPE_CHECKING:
    from registry.catalog.matching import Match, Matcher
    from registry.finding.find import Finder as Asker
    from registry.finding.find import Item

_MANY = 1_000
"""Tools from which on the index of names is not made while somebody waits for a letter."""


class Found(NamedTuple):
    """Something that was found.

    Attributes:
        tool: the tool, or the one that a call runs.
        letters: the places of the matching letters in its name.
        reason: why it was found, or what should be known of it. Holds what was typed.
        raw: the values to open it with; None to open it as it was left.
        needs: required parameters that `raw` lacks.
        score: how well it fits; higher is better, at most about 100.
        title: what a ready call or an object is called; empty for a tool.
        kind: ``tool``, ``call`` or ``object``.
        id: of an object, its id.
        type: of an object that was seen before, its type; empty where only the id tells.
    """

    tool: ToolSummary
    letters: tuple[int, ...] = ()
    reason: str = ""
    raw: Mapping[str, object] | None = None
    needs: tuple[str, ...] = ()
    score: float = 0.0
    title: str = ""
    kind: str = "tool"
    id: str = ""
    type: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The call that it is."""
        return self.tool.name, repr(self.raw)

    @property
    def is_ready(self) -> bool:
        """Whether Enter runs it."""
        return self.raw is not None and not self.needs and self.tool.effect == "read" and self.kind != "object"


class Finder:
    """Searches all tools. The index of names is made at the first search; words and ids are added by `learn`."""

    def __init__(self, tools: Sequence[ToolSummary]) -> None:
        self._tools = tools
        self._by_name = {tool.name: tool for tool in tools}
        self._matcher: Matcher | None = None
        self._asker: Asker | None = None
        self._preparing = Lock()

    @property
    def waits(self) -> bool:
        """Whether the first search has to wait so long for the index that the screen would stand still."""
        return self._matcher is None and len(self._tools) > _MANY

    def prepare(self) -> Matcher:
        """Build the index of names, once; in a thread, where there is time. A search meanwhile waits for that."""
        with self._preparing:
            if self._matcher is None:
                from registry.catalog.matching import Matcher

                self._matcher = Matcher(self._tools)
            return self._matcher

    def learn(self, asker: Asker) -> None:
        """Use the catalogue from now on: words, ids and pasted text find calls."""
        self._asker = asker

    def names_in(self, query: str) -> list[str]:
        """The words that name something; none until words are known."""
        return self._asker.names_in(query) if self._asker is not None and query.strip() else []

    def name_in(self, query: str) -> str:
        """The name that stands beside the words that ask; empty until words are known."""
        return self._asker.name_in(query) if self._asker is not None else ""

    def find(self, query: str) -> list[Found]:
        """What fits, best first."""
        if self._asker is None:
            from registry.catalog.deletion_words import may_ask_for_deletion

            deletes = may_ask_for_deletion(query)
            fits = [match for match in self.prepare().find(query) if deletes or match.tool.effect != "delete"]
            return [Found(match.tool, match.letters, match.reason, score=match.score) for match in fits]
        found = self._asker.find(query)
        tools = {one.tool for one in found if one.kind == "tool"}  # only of these it is asked which letters match
        by_name = {match.tool.name: match for match in self.prepare().find(query, tools)} if tools else {}
        best = max((one.score for one in found), default=1.0) or 1.0
        return [
            _of(one, self._by_name[one.tool], by_name.get(one.tool), 100 * (1 - place / len(found)) * min(best, 1.0))
            for place, one in enumerate(found)
            if one.tool in self._by_name
        ]


def _of(item: Item, tool: ToolSummary, match: Match | None, score: float) -> Found:
    if item.kind == "tool":
        reason = item.why or (match.reason if match is not None else "")
        letters = match.letters if match is not None else ()
        return Found(tool, letters, reason, item.arguments or None, item.missing, score)
    id_ = next(map(str, item.arguments.values()), "") if item.kind == "object" else ""
    return Found(tool, (), item.why, item.arguments, item.missing, score, item.title, item.kind, id_)
