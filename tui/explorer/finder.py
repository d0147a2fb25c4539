"""What the filter and the palette find: tools by words, and what can be done with an id that was pasted among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from registry.catalog.listing import ToolSummary

if TYPE_CHECKING:
    from registry.catalog.matching import Match, Matcher
    from registry.references.routes import Routes


class Found(NamedTuple):
    """A tool that was found.

    Attributes:
        tool: the tool.
        letters: the places of the matching letters in its name.
        reason: why it was found, where its name does not say it. Holds what was typed.
        raw: the values to open it with; None to open it as it was left.
        needs: required parameters that `raw` lacks.
        score: how well it fits; higher is better, at most about 100.
    """

    tool: ToolSummary
    letters: tuple[int, ...] = ()
    reason: str = ""
    raw: Mapping[str, object] | None = None
    needs: tuple[str, ...] = ()
    score: float = 0.0


class Finder:
    """Finds among all tools. What words need is made at the first search; what ids need comes with `learn`."""

    def __init__(self, tools: Sequence[ToolSummary]) -> None:
        self._tools = tools
        self._matcher: Matcher | None = None
        self._ways: Routes | None = None

    def prepare(self) -> Matcher:
        """Take the names apart, once. The first frame does without."""
        if self._matcher is None:
            from registry.catalog.matching import Matcher

            self._matcher = Matcher(self._tools)
        return self._matcher

    def learn(self, ways: Routes) -> None:
        """From now on, ids are known."""
        self._ways = ways

    def find(self, query: str) -> list[Found]:
        """What fits, best first."""
        return self._with_id(query) or [_by_words(match) for match in self.prepare().find(query)]

    def _with_id(self, query: str) -> list[Found]:
        if self._ways is None:
            return []
        from registry.references.pasted import pasted

        known = pasted(query, self._ways)
        if known is None:
            return []
        by_words = {match.tool.name: match for match in self.prepare().find(known.words)}
        tools = {tool.name: tool for tool in self._tools}
        found = [
            Found(tools[target.tool], _letters(by_words.get(target.tool)), known.id, target.raw, target.missing)
            for target in known.targets
            if target.tool in tools
        ]
        order = list(by_words)
        narrowed = sorted((one for one in found if one.tool.name in by_words), key=lambda one: order.index(one.tool.name))
        chosen = narrowed or found
        return [one._replace(score=100.0 - place * 90 / len(chosen)) for place, one in enumerate(chosen)]


def _by_words(match: Match) -> Found:
    return Found(match.tool, match.letters, match.reason, score=match.score)


def _letters(match: Match | None) -> tuple[int, ...]:
    return match.letters if match is not None else ()
