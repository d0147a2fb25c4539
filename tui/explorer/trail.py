"""The user's visits in order, one of them the present one; back and forward as in a browser.

A visit is a tool with the arguments of its form and their result. A visit that was opened from another visit's result has
that one as its parent, for breadcrumbs.
"""

from collections.abc import Container, Mapping
from weakref import ref

from msgspec import Struct, field
from msgspec.structs import replace

from registry.calling.result import Result
from registry.catalog.model import Role, Tool
from tui.explorer.page_history import POSITION_ROLES, Direction, PageHistory
from tui.json_view.document import Document

FROM_BOARD, FROM_PAGE = "app.oncall", "app.page"
"""The actions that go back to the dashboard, and to the page of an object."""

_MOST = 200
_PRESENTATION: tuple[Role, ...] = (*POSITION_ROLES, "limit", "expand")


class ViewPosition(Struct, frozen=True):
    """Where the cursor is in a result: its row, the first line on screen, and the document if it is small enough to keep."""

    row: int
    top: int
    document: Document | None = None


class Visit(Struct, eq=False):
    """One tool, as it was used.

    Attributes:
        tool: its name.
        raw: the values of its form, as they were left.
        parent: the visit from whose result it was opened; None if it was opened in another way.
        origin: the action that *back* goes to, of the dashboard or of the page of an object, if it was opened from there.
        subject: the id of its object; empty if it is about many objects.
        asked: the values that it was last run with.
        pages: the pages seen, if the result is a page of a list.
        spot: where the cursor was when it was left.
        filter: the table's filter with which its result is first shown.
    """

    tool: str
    raw: Mapping[str, object]
    parent: "Visit | None" = None
    subject: str = ""
    asked: Mapping[str, object] = field(default_factory=dict)
    pages: PageHistory = field(default_factory=PageHistory)
    spot: ViewPosition | None = None
    origin: str = ""
    filter: str = ""
    _result: ref[Result] | None = None

    @property
    def result(self) -> Result | None:
        """The last result shown; None if there was none, or it was removed to save memory."""
        return self._result() if self._result is not None else None

    @property
    def name(self) -> str:
        """Its name in the breadcrumbs."""
        return self.subject or self.tool

    @property
    def was_run(self) -> bool:
        return self._result is not None

    def asks(self, tool: Tool, raw: Mapping[str, object]) -> bool:
        """Whether values ask for the same as those that it was last run with, apart from the page."""
        return question_of(tool, self.asked) == question_of(tool, raw)

    def at(self, place: Mapping[str, object]) -> dict[str, object]:
        """The values for another page of the result's list: its own, at this place (None: not set)."""
        return {name: value for name, value in {**self.asked, **place}.items() if value is not None}

    def take(self, tool: Tool, raw: Mapping[str, object], result: Result, turns: Direction | None) -> None:
        """Record a result; `turns` is the direction of the page, None if it is not the next or previous page."""
        self._result, self.spot, self.asked = ref(result), None, raw
        if turns is None:
            self.pages.begin(tool, raw, result)
        else:
            self.pages.turned(turns, tool, raw, result)

    def again(self, raw: Mapping[str, object]) -> "Visit":
        """Another visit to the same tool, with everything as it was left."""
        return replace(self, raw=raw, parent=None, origin="")


class Trail:
    """All visits. The forward visits are dropped when the user goes elsewhere."""

    def __init__(self) -> None:
        self._visits: list[Visit] = []
        self._at = -1

    @property
    def here(self) -> Visit | None:
        return self._visits[self._at] if self._visits else None

    def go(self, visit: Visit) -> None:
        self._visits[self._at + 1 :] = [visit]
        del self._visits[:-_MOST]
        self._at = len(self._visits) - 1

    def follow(self, visit: Visit) -> None:
        """Add a visit with the present one as its parent; one from the dashboard or an object's page has no parent."""
        visit.parent = None if visit.origin else self.here
        self.go(visit)

    def around(self, step: int) -> Visit | None:
        """The visit before (-1) or after (1) the present one."""
        place = self._at + step
        return self._visits[place] if 0 <= place < len(self._visits) else None

    def move(self, step: int) -> None:
        """Go back or forward, to a visit that is there."""
        self._at += step

    def abandon(self) -> bool:
        """Forget the present visit and go to the one before it; returns False if there is none, and forgets nothing then."""
        if self._at < 1:
            return False
        del self._visits[self._at]
        self._at -= 1
        return True

    def forget(self, tools: Container[str]) -> None:
        """Forget the visits to removed tools; if the present one is among them, the one before it becomes the present one."""
        before = sum(visit.tool not in tools for visit in self._visits[: self._at + 1])
        self._visits = [visit for visit in self._visits if visit.tool not in tools]
        self._at = min(max(before - 1, 0), len(self._visits) - 1)
        for visit in self._visits:
            if visit.parent is not None and visit.parent.tool in tools:
                visit.parent = None

    @property
    def crumbs(self) -> list[Visit]:
        """The visits that led to the present one by links, outermost first, and the present one."""
        way: list[Visit] = []
        visit = self.here
        while visit is not None and len(way) < _MOST:
            way.append(visit)
            visit = visit.parent
        return way[::-1]


def subject_of(tool: Tool, raw: Mapping[str, object]) -> str:
    """The id of the object that a call is about; empty if it is not about a single object."""
    return str(raw.get(tool.subject.name) or "") if tool.subject is not None else ""


def question_of(tool: Tool, raw: Mapping[str, object]) -> dict[str, object]:
    """The arguments that decide what is asked for, without page size, page position and expansions."""
    return {one.name: raw[one.name] for one in tool.parameters if one.role not in _PRESENTATION and one.name in raw}
