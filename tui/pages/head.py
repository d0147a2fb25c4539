"""The head of a page, what can be done with its object, and its two lists: sections and timeline."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import tzinfo
from functools import partial
from typing import Any, cast

from msgspec import Struct, field
from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content

from registry.accounts.connection import Connection
from registry.catalog.shared_folders import shared_folders
from registry.json_text import dumps
from registry.pages.definition import SharedPages
from registry.pages.loading import PageLoad
from registry.pages.page import SIGNS, ObjectLink, ObjectPage, Subject
from registry.pages.subjects import related_tools, subjects
from registry.references.targets import Target
from registry.text.shown import visible_line
from tui.compare.screen import Candidate, CompareScreen, CompareWith, NoSide, Side
from tui.keyboard.commands import bindings
from tui.pages.lines import PageLine, account_chip, fitted, matching, state_line, timeline_lines
from tui.session import Session
from tui.widgets.line_list import STYLES, TONES, LineList, component_css
from tui.widgets.texts import MODES, Words, facts_lines, way_line


class OpenPage(Struct):
    """A page as it was left.

    Attributes:
        subjects: the objects that it may be about.
        page: what was loaded; None until something was loaded.
        unfolded: the unfolded sections.
        key: the line at the cursor.
        timeline: the line at the timeline's cursor.
        on_timeline: whether the timeline has the focus.
        account: the account that was requested by name; empty for those in use.
    """

    subjects: list[Subject]
    page: ObjectPage | None = None
    unfolded: set[str] = field(default_factory=set)
    key: str = ""
    timeline: str = ""
    on_timeline: bool = False
    account: str = ""

    @property
    def title(self) -> str:
        """The title of the page; until it is known, the id."""
        return (self.page.title if self.page is not None else "") or visible_line(self.subjects[0].id)

    def connection(self, session: Session, toolkit: str) -> Connection:
        """The account from which it reads a toolkit."""
        named = session.connections.get(self.account)
        return named if named is not None and toolkit in named.endpoints else session.connection(toolkit)

    def reading(self, session: Session, zone: tzinfo | None, show: Callable[[ObjectPage], None]) -> PageLoad:
        """The reader of the page, from its accounts; `show` gets the page while it loads, with times in the zone."""
        connection = partial(self.connection, session)
        names, read = (lambda toolkit: connection(toolkit).name), session.engine.reading(connection, "page")
        shared = SharedPages(partial(shared_folders, session.environment))
        return PageLoad(read, session.catalog, session.routes, session.clock, show, names, shared, zone)


async def compare_page(app: App[object], session: Session, opened: OpenPage) -> str:
    """Let the user choose another account or object and show both side by side; returns why that is not possible, or ""."""
    page = opened.page
    if page is None or page.object is None or page.head is None:
        return "No object to compare."
    here, candidates = page.head.connection, []
    for name, connection in session.connections.items():
        if name != here and page.toolkit in connection.endpoints:
            about = MODES[connection.endpoint(page.toolkit).mode]
            elsewhere = partial(_elsewhere, session, OpenPage(opened.subjects, account=name))
            candidates.append(Candidate(f"The same object in {name}", about, elsewhere))
    type_, own = page.subject.type, page.subject.id
    for id_, label in await asyncio.to_thread(session.seen_ids, page.toolkit, [type_], ""):
        if id_ != own and (same := [*subjects(ObjectLink(page.toolkit, type_, id_), session.routes.toolkits[page.toolkit])]):
            name, _, about = visible_line(label).partition(" · ")
            other = partial(_elsewhere, session, OpenPage(same, account=here))
            candidates.append(Candidate(name or id_, " · ".join(filter(None, (about, id_ if name else ""))), other))
    if not candidates:
        return "Nothing to compare with: no other object of this kind was seen yet."
    chosen = await app.push_screen_wait(CompareWith(page.title, candidates))
    if chosen is not None:
        await app.push_screen_wait(CompareScreen(_side(page, here), chosen))
    return ""


async def _elsewhere(session: Session, opened: OpenPage) -> Side:
    page = await opened.reading(session, None, lambda _: None).load_object(opened.subjects)
    if page.failure is not None:
        raise NoSide(f"{opened.account}: {page.failure.title}. {page.failure.cause}")
    return _side(page, opened.account)


def _side(page: ObjectPage, account: str) -> Side:
    return Side(page.subject.tool, dumps(page.object).encode(), account, page.now)


def call_of(page: ObjectPage, section: str) -> tuple[str, Mapping[str, object]]:
    """The call of a section, its tool and arguments; that of the object itself for sections that it holds."""
    for one in page.sections:
        if one.id == section and one.tool and one.arguments is not None:
            return one.tool, one.arguments
    return page.subject.tool, page.subject.arguments


def deletions(page: ObjectPage, session: Session) -> list[Target]:
    """The tools that delete the object of a page and need only its id; none for an object that is deleted already."""
    if page.object is None or page.is_deleted:
        return []
    link = ObjectLink(page.toolkit, page.subject.type, page.subject.id)
    tools = session.catalog.tools
    return [
        one
        for one in related_tools(link, session.routes)
        if tools[one.tool].effect == "delete" and page.subject.type in tools[one.tool].returns.objects and not one.missing
    ]


class PageHead(Vertical):
    """The lines above a page; short ones on a low screen."""

    DEFAULT_CSS = """
    PageHead {
        height: auto;
        #page-way { height: 1; padding: 0 1; background: $surface; color: $foreground-muted; }
        #page-way Static { width: auto; text-wrap: nowrap; text-overflow: ellipsis; }
        #page-way #page-crumbs { width: 1fr; }
        #page-headline { height: auto; max-height: 3; padding: 1 1 0 1; text-style: bold; }
        #page-facts {
            height: auto; max-height: 3; padding: 0 1 0 3;
            color: $foreground-muted; border-bottom: solid $border-blurred;
        }
        &.-short #page-headline { padding: 0 1; }
        &.-short #page-facts { height: 2; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-failed #page-facts { height: auto; max-height: 12; text-wrap: wrap; }
    }
    """

    def compose(self) -> ComposeResult:
        with Horizontal(id="page-way"):
            yield Words(id="page-crumbs")
            yield Words(id="page-state")
        yield Words(id="page-headline")
        yield Words(id="page-facts")

    def show(self, opened: OpenPage) -> None:
        page, facts = opened.page, ""
        self.set_class(page is not None and page.failure is not None, "-failed")
        if page is None:
            headline, facts = Content("Loading …"), visible_line(opened.subjects[0].id)
        elif page.failure is not None:
            headline = Content.styled(f"✗ {visible_line(page.failure.title)}", "$text-error")
            facts = "\n".join(map(visible_line, (page.failure.cause, page.failure.next_step)))
        else:
            headline = Content.styled(f"{SIGNS[page.tone]} {page.headline}".lstrip(), TONES[page.tone])
        self.query_one("#page-headline", Words).update(headline)
        if facts:
            self.query_one("#page-facts", Words).update(Content(facts))

    def show_clocks(self, opened: OpenPage, titles: Sequence[str], session: Session, next_step: str, *, brief: bool) -> None:
        """Show the titles of the pages that led here, the page's age, and its object's next step from the dashboard."""
        page, toolkit = opened.page, session.catalog.tools[opened.subjects[0].tool].toolkit
        state = state_line(page, session.clock(), brief=brief)
        chip = account_chip(opened.connection(session, toolkit), toolkit, short=brief)
        left = self.size.width - state.cell_length - chip.cell_length - 4
        self.query_one("#page-crumbs", Words).update(Content(way_line(titles, left)))
        self.query_one("#page-state", Words).update(Content.assemble(state, chip))
        if page is not None and page.failure is None:
            facts = [*([f"next: {next_step}"] if next_step else []), *page.facts]
            lines = facts_lines(facts, max(self.size.width - 5, 20), 1 if self.has_class("-short") else 2)
            self.query_one("#page-facts", Words).update(Content("\n".join(lines)))


_STYLES = {**STYLES, "accent": "color: $text-accent"}


class PageList(LineList):
    """Lines of a page with a cursor, which skips lines that only explain others."""

    BINDINGS = bindings("page")
    COMPONENT_CLASSES = {f"page--{style}" for style in _STYLES}
    DEFAULT_CSS = component_css("PageList", "page", _STYLES, "scrollbar-gutter: stable")

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines: Sequence[PageLine] = ()

    @property
    def line_count(self) -> int:
        return len(self._lines)

    @property
    def room(self) -> int:
        """Cells for a line, without the sign of the cursor; 0 while the list is not shown."""
        return max(self.scrollable_content_region.width - 1, 0)

    @property
    def here(self) -> PageLine | None:
        return self._lines[self.cursor] if self.cursor < len(self._lines) else None

    def show(self, lines: Sequence[PageLine], key: str | None = None) -> None:
        """Show other lines; the cursor stays on its line, at the same height on screen, or goes to the line with a key."""
        before, above = self.here, self.cursor - self.scroll_offset.y
        wanted = key if key is not None else before.key if before is not None else ""
        moved = before is not None and self.cursor > self._first
        self._lines = lines
        place = next((n for n, line in enumerate(lines) if line.key == wanted), None)
        if place is None or (key is None and not moved):
            place = min(self.cursor, max(len(lines) - 1, 0)) if moved and before is not None else self._first
        self.lines_changed(cursor=place)
        if moved and key is None:
            self.scroll_to(y=max(place - above, 0), animate=False, force=True)

    @property
    def _first(self) -> int:
        return next((n for n, line in enumerate(self._lines) if line.rests), 0)

    def draw(self, line: int, width: int) -> list[Segment]:
        parts = [Segment(text, self.style(f"page--{style}")) for text, style in fitted(self._lines[line], width - 1)]
        # A sign, because the cursor must not be shown by colour alone.
        here = line == self.cursor and self.has_focus and self._lines[line].rests
        return [Segment("›" if here else " ", self.style("page--text")), *parts]

    def rests(self, line: int) -> bool:
        return self._lines[line].rests

    def action_move(self, step: int) -> None:
        before = self.cursor
        super().action_move(step)
        if step < 0 and self.cursor == before:
            self.scroll_to(y=0, animate=False, force=True)

    def action_next_section(self, step: int) -> None:
        at = self.cursor + step
        while 0 <= at < len(self._lines) and not self._lines[at].key.endswith(":heading"):
            at += step
        if 0 <= at < len(self._lines):
            self.cursor = at

    def clicked(self, line: int, times: int) -> None:
        if times == 2:
            self.call_later(self.run_action, "screen.open")


class TimelineList(PageList):
    """The timeline. Its lines are wrapped for the room that it has."""

    _wrapped_for = 0

    def on_resize(self) -> None:
        """Have the screen show lines of the new width; those of a timeline just opened were made before it had any."""
        if self.room != self._wrapped_for:
            self.call_later(cast(Any, self.screen).show)

    def show_page(
        self,
        page: ObjectPage | None,
        words: Sequence[str],
        titles: Mapping[str, str],
        unfolded: Collection[str],
        key: str | None,
    ) -> None:
        """Show a page's entries that contain all of these words; `titles` are those of toolkits."""
        self._wrapped_for = self.room
        self.show(timeline_lines(page, self._wrapped_for, words, titles, unfolded) if page is not None else (), key)


def timeline_title(page: ObjectPage | None, words: Sequence[str], titles: Mapping[str, str]) -> Content:
    """The heading of a timeline: how many entries it has, how many contain these words, and whether some are missing."""
    every = len(page.timeline) if page is not None else 0
    state = f" · {page.progress}" if page is not None and page.progress != "complete" else ""
    count = f"{len(matching(page, words, titles))} of {every}" if page is not None and words else f"{every}"
    return Content.assemble(("Timeline ", "bold"), Content(count), (state, "$foreground-muted"))
