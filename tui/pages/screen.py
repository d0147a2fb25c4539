"""The screen with the page of an object. Pages opened from each other form a stack, each kept as it was left.

A page is loaded by the engine's reads (`registry.pages.loading`) and shown while it loads. Nothing is changed from here. One
whose object still changes is read again from time to time and replaced as a whole, so nothing moves while it loads.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from msgspec.structs import replace
from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Input

from registry.changes.declared import cannot_delete
from registry.pages.page import ObjectLink, ObjectPage, as_markdown
from registry.pages.subjects import NoPage, PageRequest, related_tools, subject_of_link, subjects_of
from registry.references.targets import Target, as_raw
from registry.text.shown import counted, visible_line
from tui.dialogs.choose import CopyDialog, TargetDialog
from tui.dialogs.questions import CODE_TITLES
from tui.keyboard.commands import BESIDE, bindings
from tui.keyboard.key_bar import KeyBar, WithKeyBar
from tui.pages.head import OpenPage, PageHead, PageList, TimelineList, call_of, compare_page, deletions, timeline_title
from tui.pages.lines import HEAD, PageLine, differences, page_lines
from tui.session import Session
from tui.state.json_store import RecentPage
from tui.terminal.external_programs import copy_out
from tui.widgets.texts import Line, Words

_BESIDE, _TALL = 110, 34
"""From so many columns on the timeline is beside the sections; from so many lines on a section shows more rows."""
_ON_OBJECTS = {f"screen.{one}" for one in ("open", "timeline", "related", "delete", "look_again", "compare", "copy_as")}
_EVERY = 20.0
"""Seconds between two readings of a page whose object still changes."""


class PageScreen(WithKeyBar, Screen[None]):
    """The page of an object."""

    BINDINGS = [*bindings("page"), *bindings(also=BESIDE["page"])]
    AUTO_FOCUS = "#page-lines"
    help_scope = "page"
    best_actions: Mapping[str, str] = {
        "screen.open": "Open",
        "screen.back": "Back",
        "screen.timeline": "Timeline",
        "screen.related": "Related",
        "screen.delete": "Delete",
        "app.ask": "Ask",
    }

    DEFAULT_CSS = """
    PageScreen {
        layout: vertical;
        background: $background;
        #page-lines { width: 1fr; height: 100%; }
        #page { height: 1fr; }
        #page-side { display: none; }
        #page-side-title { height: 1; padding: 0 1; text-style: bold; }
        &.-timeline #page-side { display: block; }
        &.-timeline #page-lines { display: none; }
        &.-beside #page-lines { display: block; }
        &.-beside #page-side { display: block; width: 42%; max-width: 76; border-left: solid $border-blurred; }
        #page-filter { display: none; padding: 0 1; background: $surface; }
        #page-filter.-open { display: block; }
    }
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.board: Any = None
        """The dashboard, once it was opened: it has the zone and the next steps of incidents."""
        self._trail: list[OpenPage] = []
        self._words: list[str] = []
        self._signs: Mapping[str, str] = {}
        self._tried = 0.0

    def compose(self) -> ComposeResult:
        yield PageHead()
        with Horizontal(id="page"):
            yield PageList(id="page-lines")
            with Vertical(id="page-side"):
                yield Words(id="page-side-title")
                yield TimelineList(id="page-timeline")
                yield Line(placeholder="Filter the timeline: charge, failed, invoice…", id="page-filter", compact=True)
        yield KeyBar()

    @property
    def here(self) -> OpenPage | None:
        return self._trail[-1] if self._trail else None

    @property
    def idle_actions(self) -> set[str]:
        """Actions that would do nothing now; the key bar leaves them out."""
        opened = self.here
        if opened is None or opened.page is None or opened.page.object is None:
            return _ON_OBJECTS
        return set() if deletions(opened.page, self.session) else {"screen.delete"}

    @property
    def toolkit_here(self) -> str:
        return self.page.toolkit if self.page is not None else ""

    @property
    def page(self) -> ObjectPage | None:
        return self.here.page if self.here is not None else None

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width >= _BESIDE, "-beside")
        self.query_one(PageHead).set_class(event.size.height < _TALL, "-short")
        self.call_after_refresh(self.show)

    def on_screen_resume(self) -> None:
        """After the screen in front closed, load a page that was not loaded."""
        if self.here is not None and self.here.page is None:
            self._load(self.here)

    # Opening

    def open(self, wanted: PageRequest | ObjectLink, *, new_trail: bool = False) -> str:
        """Open a page in front of the one on screen, or with `new_trail` in place of all; returns a problem in words, or ""."""
        here = self.here
        try:
            if isinstance(wanted, PageRequest):
                subjects = subjects_of(wanted.id, self.session.routes, type_=wanted.type, owner=wanted.owner)
                found = OpenPage(subjects, account=wanted.connection)
            else:
                account = here.account if here is not None and not new_trail else ""
                found = OpenPage(subject_of_link(wanted, self.session.routes), account=account)
        except NoPage as error:
            return str(error)
        self._signs = {}
        if new_trail:
            self._trail.clear()
        else:
            self._leave()
        self._trail.append(found)
        if self.is_mounted:
            self._turn_to_timeline(False)
            self.show(arrived=True)
            self._load(found)
        return ""

    def on_mount(self) -> None:
        """Load the page that was opened before the screen was mounted."""
        self.set_interval(1.0, self.tick)
        if self.here is not None:
            self.show(arrived=True)
            self._load(self.here)

    @work(group="page", exclusive=True, exit_on_error=False)
    async def _load(self, opened: OpenPage) -> None:
        def show(page: ObjectPage) -> None:
            opened.page = page
            if self.here is opened:
                self.show()

        self._signs = {}
        try:
            await self._read(opened, show)
        except asyncio.CancelledError:
            if opened.page is not None and not opened.page.loaded:
                opened.page = None  # another page was opened meanwhile; this one is loaded again when the user comes back
            raise
        if (page := opened.page) is not None and page.object is not None:
            account = opened.connection(self.session, page.toolkit).name
            visited = RecentPage(page.toolkit, page.subject.type, page.subject.id, page.title, account, page.now)
            self.session.shortcuts.visit(visited)
            await asyncio.to_thread(self.session.shortcuts.save)

    # Reading

    def _read(self, opened: OpenPage, show: Callable[[ObjectPage], None] = lambda _: None) -> Awaitable[ObjectPage]:
        zone = self.board.zone_about(opened.subjects[0].type) if self.board else None
        return opened.reading(self.session, zone, show).load(opened.subjects)

    def tick(self) -> None:
        """Each second: read the page again if it is due, and update the clocks."""
        opened, now = self.here, self.session.clock()
        if not self.is_current or opened is None or opened.page is None or not opened.page.loaded:
            return
        if opened.page.develops and now - max(opened.page.now, self._tried) >= _EVERY:
            self._tried = now
            self._read_again(opened, tells=False)
        self._show_clocks()

    @work(group="page again", exclusive=True, exit_on_error=False)
    async def _read_again(self, opened: OpenPage, *, tells: bool) -> None:
        """Replace a page by a new reading of it; with `tells`, say and mark what has changed, or why it cannot be read."""
        before = opened.page
        page = await self._read(opened)
        if before is None or opened.page is not before or self.here is not opened:
            return
        if page.object is None:
            if tells and page.failure is not None:
                self.say(visible_line(f"✗ {page.failure.title}: {page.failure.cause}"), "$text-error")
            return
        opened.page = page
        if tells:
            width, every = self._sections.room or self.size.width, {one.id for one in page.sections} | {"empty"}
            self._signs, count = differences(*(page_lines(one, width, 5, every) for one in (before, page)))
            words = counted(count, "line differs", "lines differ") if count else "✓ Nothing has changed."
            self.say(words, "$text-warning" if count else "$text-success")
        self.show()

    # Showing

    def show(self, *, arrived: bool = False) -> None:
        """Show the present page; `arrived` moves the cursor to where it was left."""
        opened = self.here
        if opened is None or not self.is_mounted:
            return
        page = opened.page
        self._show_clocks()
        self.query_one(PageHead).show(opened)
        lines, shown = self._sections, list[PageLine]()
        if page is not None and page.object is not None:
            most, width = 5 if self.size.height >= _TALL else 3, lines.room or self.size.width
            # Roomy, if all of it is loaded and fits.
            shown = page_lines(page, width, most, opened.unfolded, roomy=page.loaded)
            if page.loaded and len(shown) > lines.scrollable_content_region.height:
                shown = page_lines(page, width, most, opened.unfolded)
        marks = {key: ((f"{sign} ", "warn"),) for key, sign in self._signs.items()}
        marked = [replace(one, right=marks[one.key]) if one.key in marks else one for one in shown]
        lines.show(marked, opened.key if arrived else None)
        titles = {one.name: one.title for one in self.session.toolkits}
        self._timeline.show_page(page, self._words, titles, opened.unfolded, opened.timeline if arrived else None)
        self.query_one("#page-side-title", Words).update(timeline_title(page, self._words, titles))
        self.refresh_bindings()

    def _show_clocks(self) -> None:
        """Show the age of the page, and the next step of its object from the dashboard."""
        opened = self.here
        assert opened is not None
        subject = opened.page.subject if opened.page is not None else opened.subjects[0]
        next_step = self.board.text_about(subject.type, subject.id) if self.board else ""
        titles = [one.title for one in self._trail]
        self.query_one(PageHead).show_clocks(opened, titles, self.session, next_step, brief=self.size.width < _BESIDE)

    def _leave(self) -> None:
        """Store the cursors of the page that is being left."""
        if (opened := self.here) is None or not self.is_mounted:
            return
        lines, timeline = self._sections.here, self._timeline.here
        opened.key = lines.key if lines is not None else ""
        opened.timeline = timeline.key if timeline is not None else ""
        opened.on_timeline = isinstance(self.focused, TimelineList)

    # Actions

    @property
    def _sections(self) -> PageList:
        return self.query_one("#page-lines", PageList)

    @property
    def _timeline(self) -> TimelineList:
        return self.query_one("#page-timeline", TimelineList)

    @property
    def _list(self) -> PageList:
        return self.focused if isinstance(self.focused, PageList) else self._sections

    def action_open(self) -> None:
        opened, line = self.here, self._list.here
        if opened is None or line is None:
            return
        if line.link is not None:
            if line.link.id == (opened.page.subject.id if opened.page is not None else ""):
                self.say("This page is already open.")
            elif problem := self.open(line.link):
                self.say(visible_line(problem))
        elif line.unfolds:
            name = line.key if line.key == "empty" or line.key.startswith("times:") else line.section
            opened.unfolded ^= {name}
            self.show()
        elif line.section != HEAD:
            self.action_show_call()
        else:
            self.say("No link here: this line has no other id.")

    def action_back(self) -> None:
        """Leave the filter or the timeline that covers the page; else go to the previous page, with the cursor where it was.

        From the first page, to where it was opened.
        """
        line = self.query_one("#page-filter", Line)
        if line.has_focus or self._words:
            line.value = ""
            line.remove_class("-open")
            self._timeline.focus()
            return
        if self.has_class("-timeline") and not self.has_class("-beside"):
            self.action_timeline()
            return
        if len(self._trail) < 2:
            self.action_leave()
            return
        self._signs = {}
        self._trail.pop()
        self._turn_to_timeline(self._trail[-1].on_timeline)
        self.show(arrived=True)
        if self.here is not None and self.here.page is None:
            self._load(self.here)

    def action_leave(self) -> None:
        self._leave()
        self.dismiss()

    def action_show_call(self) -> None:
        page, line = self.page, self._list.here
        if page is not None:
            tool, arguments = call_of(page, line.section if line is not None else HEAD)
            self._leave()
            cast(Any, self.app).open_call(tool, as_raw(arguments))

    @work(group="page actions", exclusive=True, exit_on_error=False)
    async def action_related(self) -> None:
        page, line = self.page, self._list.here
        if page is not None and page.object is not None:
            own = ObjectLink(page.toolkit, page.subject.type, page.subject.id)
            link = line.link if line is not None and line.link is not None else own
            found, name = related_tools(link, self.session.routes), page.title if link is own else link.id
            await self._open_one(found, f"What can be done with {name}", "No other tool accepts this object.")

    @work(group="page actions", exclusive=True, exit_on_error=False)
    async def action_delete(self) -> None:
        page = self.page
        if page is not None and page.is_deleted:
            self.say("This object is already deleted.")
        elif page is not None and page.object is not None:
            why = cannot_delete(page.toolkit, page.subject.type)
            await self._open_one(deletions(page, self.session), f"Delete {page.title}", why, asks=True)

    async def _open_one(self, found: Sequence[Target], title: str, nothing: str, *, asks: bool = False) -> None:
        """Open a tool in the explorer, in front of the page."""
        if not found:
            self.say(nothing)
            return
        only = found[0] if asks and len(found) == 1 else None  # the only one that deletes
        if (target := only or await self.app.push_screen_wait(TargetDialog(title, found, self.session))) is not None:
            self._leave()
            cast(Any, self.app).open_call(target.tool, target.raw, asks=asks)

    @work(group="page actions", exclusive=True, exit_on_error=False)
    async def action_compare(self) -> None:
        if self.here is not None and (why := await compare_page(self.app, self.session, self.here)):
            self.say(why)

    def action_timeline(self) -> None:
        self._turn_to_timeline(not isinstance(self.focused, TimelineList))
        self.call_after_refresh(self.show)

    def _turn_to_timeline(self, on_it: bool) -> None:
        """Focus the timeline or the sections; with room for only one of them, show that one."""
        if not self.has_class("-beside"):
            self.set_class(on_it, "-timeline")
        elif not on_it:
            self.remove_class("-timeline")
        (self._timeline if on_it else self._sections).focus()

    def action_filter(self) -> None:
        if not self.has_class("-beside") and not self.has_class("-timeline"):
            self.action_timeline()
        line = self.query_one("#page-filter", Line)
        line.add_class("-open")
        line.focus()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._words = event.value.split()
        self.show()

    @on(Input.Submitted)
    def _typed_all(self) -> None:
        self._timeline.focus()
        self.query_one("#page-filter", Line).set_class(bool(self._words), "-open")

    def action_look_again(self) -> None:
        opened, before = self.here, self.page
        if opened is not None and before is not None and before.loaded and before.object is not None:
            self.say("Looking again…", "$text-accent")
            self._read_again(opened, tells=True)
        elif opened is not None:
            self._load(opened)

    @work(group="page actions", exclusive=True, exit_on_error=False)
    async def action_copy_as(self) -> None:
        opened, page = self.here, self.page
        if opened is None or page is None or page.object is None:
            return
        tool = self.session.catalog.tools[page.subject.tool]
        arguments = self.session.check(tool, as_raw(page.subject.arguments))
        forms = self.session.snippets(tool, arguments, opened.connection(self.session, tool.toolkit).name)
        texts = {"markdown": ("the page as Markdown", as_markdown(page))}
        texts |= {form.kind: (f"the call as {CODE_TITLES[form.kind]}", form.text) for form in forms}
        if (chosen := await self.app.push_screen_wait(CopyDialog(texts))) is not None:
            title, text = texts[chosen]
            copy_out(self, text, title)

    def action_copy_id(self) -> None:
        line, page = self._list.here, self.page
        if page is not None:
            id_ = line.link.id if line is not None and line.link is not None else page.subject.id
            copy_out(self, id_, f"the id {visible_line(id_)}")
