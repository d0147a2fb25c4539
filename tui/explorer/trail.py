"""The user's visits in order, one of them the present one; back and forward as in a browser.

A visit is a tool with the arguments of its form and their result. A visit that was opened from another visit's result has
that one as its parent, for breadcrumbs.

A visit to a list has the pages that were shown, and so the arguments of the next and previous page. `registry.calling.paging`
knows what a page is and which arguments lead to the next one; here a page comes back at once, and there is a previous page
where the service has no backward paging.
"""

from collections.abc import Container, Mapping
from typing import Literal, NamedTuple
from weakref import ref

from msgspec import Struct, field

from registry.calling.arguments import times_in
from registry.calling.result import Result, ResultPage
from registry.calling.several_accounts import SeveralAccounts
from registry.catalog.model import Role, Tool
from registry.text.shown import counted, visible_line
from tui.json_view.document import Document

Direction = Literal["next", "previous"]
DIRECTIONS: tuple[Direction, ...] = ("previous", "next")
_STEPS: dict[Direction, int] = {"next": 1, "previous": -1}
POSITION_ROLES: tuple[Role, ...] = ("cursor_before", "cursor_after", "offset", "page")
"""The roles of the parameters that give a page's position in its list."""

FROM_BOARD, FROM_PAGE, FROM_HOME = "app.oncall", "app.page", "screen.start"
"""The actions that go back to the dashboard, to the page of an object, and to home."""

_MOST = 200
_PRESENTATION: tuple[Role, ...] = (*POSITION_ROLES, "limit", "expand")


class SeenPage(NamedTuple):
    """A page that was seen.

    Attributes:
        place: the values of the tool's paging parameters for it; None for those that are not set.
        start: how many items are before it; None if unknown.
        items: how many items are on it; None if it failed, and is to be loaded again.
        result: the result, as long as it is kept.
    """

    place: Mapping[str, object] = {}
    start: int | None = None
    items: int | None = None
    result: ref[Result] | None = None


class PageHistory:
    """The pages of one list in order. The first one shown has position 0; those before it have negative positions."""

    def __init__(self) -> None:
        self._pages: dict[int, SeenPage] = {}
        self._at = 0

    @property
    def here(self) -> SeenPage:
        """The present page; without any, one of which nothing is known."""
        return self._pages.get(self._at, SeenPage())

    def begin(self, tool: Tool, raw: Mapping[str, object], result: Result) -> None:
        """A page was opened by its arguments, not by *Next page*. If it is the present page, the pages before it are kept."""
        place, start, before = _place(tool, raw), self.here.start, dict[int, SeenPage]()
        if self._at in self._pages and self.here.place == place and result.page is not None:
            before = {at: page for at, page in self._pages.items() if at < self._at}
        else:
            offset = tool.with_role("offset")
            self._at, start = 0, 0 if all(value is None for value in place.values()) else None
            if offset is not None and str(place.get(offset.name) or "").isdecimal():
                start = int(str(place[offset.name]))
        self._pages = before
        if result.page is not None:
            self._pages[self._at] = SeenPage(place, start, result.page.items, ref(result))

    def place_around(self, result: Result | None, way: Direction) -> Mapping[str, object] | None:
        """The values of the paging parameters for the page after or before a result; None if there is none."""
        if result is None or self._at not in self._pages:
            return None
        if (known := self._pages.get(self._position(way))) is not None:
            return known.place
        change = getattr(result.page, way, None)
        return {**self.here.place, **change} if change is not None else None

    def seen(self, way: Direction) -> Result | None:
        """The page after or before the present one, if it was seen and is still kept."""
        page = self._pages.get(self._position(way))
        return page.result() if page is not None and page.items is not None and page.result is not None else None

    def turned(self, way: Direction, tool: Tool, raw: Mapping[str, object], result: Result) -> None:
        """Record the result of going to the next or previous page; a failed one is at its position as well."""
        self._at = self._position(way)
        beside = self._pages.get(self._at - _STEPS[way], SeenPage())
        start, items = self.here.start, result.page.items if result.page is not None else None
        moved = beside.items if way == "next" else items
        if start is None and beside.start is not None and moved is not None:
            start = max(beside.start + _STEPS[way] * moved, 0)
        self._pages[self._at] = SeenPage(_place(tool, raw), start, items, ref(result))

    def repeats(self, way: Direction) -> bool:
        """Whether going this way loads the present page again, because it failed."""
        return self._position(way) == self._at

    def _position(self, way: Direction) -> int:
        """The position of the next or previous page; the present one if that failed and no page beside it is known."""
        beside, failed = self._at + _STEPS[way], self._at in self._pages and self.here.items is None
        return self._at if failed and beside not in self._pages else beside

    def resized(self) -> None:
        """Forget all pages but the present one: with another page size only its start is still right."""
        self._pages = {at: page for at, page in self._pages.items() if at == self._at}


def page_words(page: ResultPage, start: int | None, size: int | None) -> str:
    """Where a page is in its list, in words that never hide that there is more; `size` is that of a full page."""
    items = counted(page.items, "item")
    if not page.items:
        return "no matching items" if not start else f"no items after item {start:,}"
    more, last = page.next is not None, (start or 0) + page.items
    if start is None:
        return items + (", more available" if more else "") + (f" of {page.total:,}" if page.total is not None else "")
    if start == 0 and not more and page.total in (None, last):
        return items
    of = f"{page.total:,}" if page.total is not None else f"more than {last:,}" if more else f"{last:,}"
    words = f"items {start + 1:,}–{last:,} of {of}" if page.items > 1 else f"item {last:,} of {of}"
    return f"page {start // size + 1:,} · {words}" if size and start % size == 0 else words


def page_line(tool: Tool, book: PageHistory, asked: Mapping[str, object], result: Result, keys: Mapping[Direction, str]) -> str:
    """Where a result is among the pages of its list, and the keys to others; empty if it is not a page."""
    around = [way for way in DIRECTIONS if book.place_around(result, way) is not None]
    if result.page is None and around:
        return " · ".join(f"{keys[way]} {'load this page again' if book.repeats(way) else f'{way} page'}" for way in around)
    if result.page is None:
        return visible_line(result.words) if isinstance(result, SeveralAccounts) else ""
    if not around and result.page.next is None and book.here.start == 0 and result.page.items:
        return ""  # the whole list: its head says so
    limit = tool.with_role("limit")
    size = result.arguments.get(limit.name, asked.get(limit.name, limit.default)) if limit else None
    words = page_words(result.page, book.here.start, int(str(size)) if size is not None else None)
    return " · ".join([words, *(f"{keys[way]} {way} page" for way in around)])


def carried_over(tool: Tool, raw: Mapping[str, object], result: Result | None) -> Mapping[str, object]:
    """Arguments that another page takes over from the one on screen, to be of the same list: times, and items per page."""
    known, limit = result.arguments if result is not None else {}, tool.with_role("limit")
    times = times_in(tool, known)
    if limit is None or raw.get(limit.name) is not None or limit.name not in known:
        return times
    return {**times, limit.name: str(known[limit.name])}


def no_page(result: Result | None, way: Direction) -> str:
    """Why there is no next or previous page."""
    if result is None or result.page is None:
        return "The list was not loaded. Run it again." if result is not None and not result.ok else "This result has no pages."
    return "This is the last page." if way == "next" else "This is the first page."


def _place(tool: Tool, raw: Mapping[str, object]) -> dict[str, object]:
    return {parameter.name: raw.get(parameter.name) for parameter in tool.parameters if parameter.role in POSITION_ROLES}


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
        origin: the action that *back* goes to, if it was opened from the dashboard, the page of an object, or home.
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
