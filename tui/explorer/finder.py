"""The search of the ask line, the tree and the palette: ready calls, objects and tools, ranked by `registry.finding`.

Until the catalogue is loaded, a moment after the first frame, tools are found by their names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import NamedTuple

from registry.catalog.listing import ToolSummary
from registry.catalog.matching import Match, Matcher
from registry.catalog.synonyms import may_ask_for_deletion
from registry.finding.find import Finder as Asker
from registry.finding.find import Item

_MANY = 1_000
"""From so many tools on, the index of names is not made while the user types."""


class Found(NamedTuple):
    """A search result.

    Attributes:
        tool: the tool, or the one that a call runs.
        letters: the positions of the matching letters in its name.
        reason: why it was found, or what the user should know about it. Contains text that was typed.
        raw: the values to open it with; None to open it as it was left.
        needs: required parameters that `raw` lacks.
        score: how well it fits; higher is better, at most about 100.
        title: the name of a ready call or an object; empty for a tool.
        kind: ``tool``, ``call`` or ``object``.
        id: the id of an object.
        type: the type of an object seen before; otherwise empty.
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
        """Identifies the call: its tool and values."""
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
        """Whether the first search would wait for the index so long that the screen would freeze."""
        return self._matcher is None and len(self._tools) > _MANY

    def prepare(self) -> Matcher:
        """Build the index of names, once; call it in a thread if there is time. A search meanwhile waits for it."""
        with self._preparing:
            if self._matcher is None:
                self._matcher = Matcher(self._tools)
            return self._matcher

    def learn(self, asker: Asker) -> None:
        """Use the catalogue from now on: words, ids and pasted text find calls."""
        self._asker = asker

    def names_in(self, query: str) -> list[str]:
        """The words of a query that name something; empty until the catalogue is loaded."""
        return self._asker.names_in(query) if self._asker is not None and query.strip() else []

    def name_in(self, query: str) -> str:
        """The name in a query, next to the words that ask; empty until the catalogue is loaded."""
        return self._asker.name_in(query) if self._asker is not None else ""

    def find(self, query: str) -> list[Found]:
        """What fits, best first."""
        if self._asker is None:
            deletes = may_ask_for_deletion(query)
            fits = [match for match in self.prepare().find(query) if deletes or match.tool.effect != "delete"]
            return [Found(match.tool, match.letters, match.reason, score=match.score) for match in fits]
        found = self._asker.find(query)
        tools = {one.tool for one in found if one.kind == "tool"}  # matching letters are needed only for these
        matches = self.prepare().find(query) if tools else []
        by_name = {match.tool.name: match for match in matches if match.tool.name in tools}
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
    return Found(tool, (), item.why, item.arguments, item.missing, score, item.title, item.kind, item.id)
