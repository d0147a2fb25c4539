"""Where the user has been: visits in order, one of them the present one, back and forward as in a browser.

A visit is a tool with the arguments of its form and their result. A visit that was followed from another has it as its parent,
so that breadcrumbs can be shown.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from weakref import ref

from tui.explorer.page_history import POSITION_ROLES, Direction, PageHistory

if TYPE_CHECKING:
    from registry.calling.result import Result
    from registry.catalog.model import Role, Tool
    from tui.json_view.document import Document

_MOST = 200
_PRESENTATION: tuple[Role, ...] = (*POSITION_ROLES, "limit", "expand")


@dataclass(frozen=True, slots=True)
class ViewPosition:
    """Where in an answer the cursor stands: its row, the first line on screen, and the document where it is small enough."""

    row: int
    top: int
    document: Document | None = None


@dataclass(slots=True, eq=False)
class Visit:
    """One tool, as it was used.

    Attributes:
        tool: its name.
        raw: the values of its form, as they were left.
        parent: the visit from whose answer it was followed; None when it was opened otherwise.
        from_board: it was opened from the on-call dashboard, and going back leads there.
        from_page: it was opened from the page of an object, and going back leads there.
        subject: the id of what it is about; empty where it is about many.
        asked: the values that it was last run with.
        pages: the pages seen, where the answer is a page.
        spot: where the cursor stood when it was left.
    """

    tool: str
    raw: Mapping[str, object]
    parent: Visit | None = None
    subject: str = ""
    asked: Mapping[str, object] = field(default_factory=dict)
    pages: PageHistory = field(default_factory=PageHistory)
    spot: ViewPosition | None = None
    from_board: bool = False
    from_page: bool = False
    _result: ref[Result] | None = None

    @property
    def result(self) -> Result | None:
        """What was shown there last; None when there was nothing, or it was removed to save memory."""
        return self._result() if self._result is not None else None

    @property
    def name(self) -> str:
        """Its name in the breadcrumbs."""
        return self.subject or self.tool

    @property
    def was_run(self) -> bool:
        """Whether there ever was a result."""
        return self._result is not None

    def take(self, tool: Tool, raw: Mapping[str, object], result: Result, turns: Direction | None) -> None:
        """A result came; `turns` is the way in which it turned a page, None when it was asked for anew."""
        self._result, self.spot, self.asked = ref(result), None, raw
        if turns is None:
            self.pages.begin(tool, raw, result)
        elif result.ok:
            self.pages.turned(turns, tool, raw, result)

    def again(self, raw: Mapping[str, object]) -> Visit:
        """Another visit to the same tool, with everything as it was left."""
        return replace(self, raw=raw, parent=None, from_board=False, from_page=False)


class Trail:
    """All visits. The forward visits are dropped when the user goes elsewhere."""

    def __init__(self) -> None:
        self._visits: list[Visit] = []
        self._at = -1

    @property
    def here(self) -> Visit | None:
        """The present visit."""
        return self._visits[self._at] if self._visits else None

    def go(self, visit: Visit) -> None:
        """Add a visit after the present one."""
        self._visits[self._at + 1 :] = [visit]
        del self._visits[:-_MOST]
        self._at = len(self._visits) - 1

    def follow(self, visit: Visit) -> None:
        """Take another way, as one that was followed from here; what comes from the dashboard was not."""
        visit.parent = None if visit.from_board or visit.from_page else self.here
        self.go(visit)

    @property
    def from_board(self) -> bool:
        """Whether the dashboard lies before the present visit."""
        return self.here is not None and self.here.from_board

    def around(self, step: int) -> Visit | None:
        """The visit before (-1) or behind (1) the present one."""
        place = self._at + step
        return self._visits[place] if 0 <= place < len(self._visits) else None

    def move(self, step: int) -> Visit | None:
        """Go back or forward; gives the visit that is present then, None when there is none in that direction."""
        visit = self.around(step)
        if visit is not None:
            self._at += step
        return visit

    def abandon(self) -> Visit | None:
        """Forget the present visit; gives the one before it, None (and nothing is forgotten) where there is none."""
        if self._at < 1:
            return None
        del self._visits[self._at]
        self._at -= 1
        return self._visits[self._at]

    def forget(self, tools: Container[str]) -> None:
        """Forget the visits to tools that are no more; where the present one is among them, the one before it is present."""
        before = self._visits[: self._at + 1]
        self._visits = [visit for visit in self._visits if visit.tool not in tools]
        self._at = sum(visit.tool not in tools for visit in before) - 1
        if self._at < 0 and self._visits:
            self._at = 0
        for visit in self._visits:
            if visit.parent is not None and visit.parent.tool in tools:
                visit.parent = None

    @property
    def crumbs(self) -> list[Visit]:
        """The way to the present visit: what it was followed from, outermost first, and itself."""
        way: list[Visit] = []
        visit = self.here
        while visit is not None and len(way) < _MOST:
            way.append(visit)
            visit = visit.parent
        return way[::-1]


def subject_of(tool: Tool, raw: Mapping[str, object]) -> str:
    """The id that a call asks for; empty where it asks for many."""
    return str(raw.get(tool.subject.name) or "") if tool.subject is not None else ""


def question_of(tool: Tool, raw: Mapping[str, object]) -> dict[str, object]:
    """The part of the arguments that decides what is asked for, and not how much of it and from where."""
    return {one.name: raw[one.name] for one in tool.parameters if one.role not in _PRESENTATION and one.name in raw}
