"""The right pane: the progress of a call and its result, as JSON or a table, with lines to search and to query it."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.worker import Worker, WorkerError

from registry.calling.receiving import mask
from registry.calling.result import Result
from registry.json_text import NotJson, as_text
from registry.results.headline import Headline
from registry.text.shown import visible_line
from tui.explorer.query_line import QueryLine
from tui.explorer.running_call import ResultWindow, RunningCall
from tui.explorer.status_view import card, chips, running_line
from tui.explorer.table_switch import TableSwitch
from tui.explorer.top_bar import PaneHead
from tui.explorer.trail import ViewPosition
from tui.json_view.document import Document, Links
from tui.json_view.find_line import FindLine, SearchFailed, hits
from tui.json_view.view import JsonView
from tui.session import Session
from tui.state.settings import key_of
from tui.table.pane import TablePane
from tui.table.view import TableView
from tui.widgets.texts import Words, way_line

_LARGE, _LOOKED_AT, _SHOWN = 1_000_000, 65_536, 2_000
_OUTSIDE, _AROUND_ROWS = 5, 8  # top line, tabs, hairlines and key bar; head, status, heading, detail, place and page


class ResultPane(Vertical):
    """The last result of the tool whose form is open, or its running call. `views` switches it between JSON and table."""

    DEFAULT_CSS = """
    ResultPane {
        #crumbs { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; display: none; }
        #status { height: auto; max-height: 4; padding: 0 1; }
        #card { height: auto; max-height: 60%; margin: 1 1; padding: 0 1; border-left: outer $warning; display: none; }
        #card.-failure { border-left: outer $error; }
        #whole {
            height: auto;
            max-height: 6;
            padding: 0 1;
            border-top: solid $hairline;
            color: $text-success;
            display: none;
        }
        #sign { height: 1; padding: 0 1; color: $text-accent; text-wrap: nowrap; text-overflow: ellipsis; display: none; }
        #path { height: 1; padding: 0 1; color: $foreground-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        #page { height: auto; max-height: 2; padding: 0 1; }
    }
    """

    def __init__(self, session: Session, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._session = session
        self._json, self._table = JsonView(id="json"), TablePane(id="table")
        self._table.display = False
        self.views = TableSwitch(session, self._json, self._table, self.show_page)
        self._is_beginning = False
        self.laid_out = True
        """Whether the JSON and the table show the body of `result`, and not what was on screen before it."""
        self._layout: Worker[None] | None = None
        self._headline: Callable[[], Headline] | None = None
        self._running_call: RunningCall | None = None
        self._page, self._sums_up = "", False
        self.leads = False
        """Whether the row at the cursor can be followed."""
        self._come_back: tuple[int, str | None] | None = None

    @property
    def result(self) -> Result | None:
        """The result on screen; None if only its beginning is there."""
        return self.views.result if not self._is_beginning else None

    @property
    def missing(self) -> str:
        """Why there is no result to work with."""
        none = f"No result yet. Press {key_of(self.app, 'run')} to run the tool."
        return "The result is still arriving." if self._is_beginning else none

    @property
    def window(self) -> ResultWindow | None:
        """The result on screen, if it is a window of a fetched list."""
        return self.result if isinstance(self.result, ResultWindow) else None

    @property
    def view(self) -> JsonView:
        """The JSON; while a table is visible, the cursor is moved to the value at the table's cursor first."""
        if self.views.shows_table:
            self.views.bring_json_along()
        return self._json

    @property
    def table(self) -> TableView:
        """The table; it shows the present result only while `views.shows_table`."""
        return self._table.view

    def compose(self) -> ComposeResult:
        yield PaneHead()
        yield Words(id="crumbs")
        yield Words(id="status")
        yield Words(id="card")
        yield Words(id="sign")
        yield self._json
        yield self._table
        yield Words(id="whole")
        yield FindLine(id="find")
        yield QueryLine(self._json, self.views)
        yield Words(id="path")
        yield Words(id="page")

    def on_mount(self) -> None:
        self._timer = self.set_interval(0.1, self._tick, pause=True)
        self.table.name_of = self._session.names.of
        self.show_nothing()
        self.on_resize()

    def on_resize(self) -> None:
        """Note for how many rows the terminal has room. The form's height does not count: what it previews is requested."""
        self._session.rows = max(self.screen.size.height - _OUTSIDE - _AROUND_ROWS, 1)

    async def toggle_table(self) -> str:
        """Show the list as a table, or as JSON again, and remember that for its tool; returns why if it cannot."""
        if self._layout is not None and not self.laid_out:
            with suppress(WorkerError):  # replaced by a later result, or failed, which was reported
                await self._layout.wait()
        if self.result is None:
            return "No result to show."
        if self.views.shows_table:
            self.views.to_json()
        elif not await self.views.to_table(self.result):
            return "This result has no list to show as a table."
        else:
            self.query_one(FindLine).close()
        self._show_sign()
        self.remember_appearance()
        return ""

    @on(TableView.AppearanceChanged)
    @work(group="looks")
    async def remember_appearance(self) -> None:
        if self.result is not None:
            self.views.remember(self.result.tool)
            await asyncio.to_thread(self._session.preferences.save)
            if words := self._session.preferences.notices():
                self.notify(words, title="Table layouts", severity="warning")

    def show_nothing(self, tool: str = "", *, forgotten: bool = False) -> None:
        """Say that the open tool has no result yet, or that it had one that was removed to save memory."""
        self._stop_clock()
        self.close_lines()
        self.views.result, self.laid_out, self._is_beginning = None, True, False
        run, tools = key_of(self.app, "run"), key_of(self.app, "tools")
        words = f"No result yet. {'' if tool else f'Pick a tool ({tools}). '}Press {run} to run the tool."
        if forgotten:
            words = f"This result was removed to save memory. Press {run} to run the tool again."
        self.query_one(PaneHead).title = self._session.title_of(tool) if tool else "Result"
        self._say(Content.styled(words, "$foreground-muted"))
        self._card(None)
        self.show_page("")
        self.views.leave_table()
        self._json.show(None)

    def show_running(self, running: RunningCall) -> None:
        """Show a clock while a call is running; the previous result stays visible."""
        self._running_call = running
        self.query_one(PaneHead).title = self._session.title_of(running.tool.name)
        self.set_class(True, "-running", update=False)  # no style depends on it
        self._timer.resume()
        self._tick()

    def show(
        self,
        result: Result,
        page_line: str,
        spot: ViewPosition | None = None,
        links: Links | None = None,
        headline: Callable[[], Headline] | None = None,
        wanted: str = "",
        is_beginning: bool = False,
    ) -> None:
        """Show the result of a call. Returns at once: a worker lays out the body, and a later result takes its place.

        Args:
            result: the response or the failure.
            page_line: where it is among the pages of its list; empty if it is not a page.
            spot: where the cursor was when this result was on screen before.
            links: what its rows lead to.
            headline: finds the sentence above it; called in a thread.
            wanted: the filter of its table, when it is first on screen.
            is_beginning: whether the rest is still arriving. Then it can only be read.
        """
        self.close_lines()
        if self._is_beginning and self.laid_out and (here := self.view.whole) is not None:
            spot = ViewPosition(here.row, here.top)
        self.views.result, self.laid_out, self._headline = result, False, headline
        self._json.gone = self.table.gone = self._session.deleted_ids[result.connection]  # may grow later
        self._is_beginning = is_beginning
        if not is_beginning:
            self._stop_clock()
            self._tell(chips(result))
        self.show_page(page_line)
        if self._layout is not None:
            self._layout.cancel()
        # Keys wait until a small result is shown, as for everything quick; they do not wait for a large one.
        group = "layout" if len(result.body) <= _LARGE else "large layout"
        self._layout = self.run_worker(self._lay_out(result, spot, links, wanted if spot is None else ""), group=group)

    async def _lay_out(self, result: Result, spot: ViewPosition | None, links: Links | None, wanted: str) -> None:
        view = self._json
        document, unreadable = spot.document if spot is not None else None, ""
        if result.body and document is None:
            try:
                document = await asyncio.to_thread(Document, result.body)
            except NotJson:
                unreadable = as_text(mask(result.body[:_LOOKED_AT])[0][:_SHOWN]).strip()
        tabular = bool(wanted) or self._session.preferences.of(result.tool).as_table
        as_table = result.ok and tabular and await self.views.prepare(result)
        said = await self._headlined(result) if as_table else None  # finds the names of ids, which a table shows
        if self.views.result is not result:
            return  # another result was shown in the meantime
        # No await until everything is shown: JSON, table, links and cursor must belong to the same result at every moment.
        self._card(card(result, unreadable))
        view.links = links
        self.close_lines()  # they were opened for the previous document
        view.show(document)
        if spot is not None:
            view.go_to(spot.row)
            view.scroll_to(y=spot.top, animate=False, force=True)
        elif document is not None and self._come_back is not None:
            row, key = self._come_back
            if row < len(document.rows) and document.rows.row(row, 0).key == key:
                view.go_to(row)
        self._come_back = None
        if not (as_table and self.views.turn_to_table(result)):
            self.views.leave_table()
            said = said or await self._headlined(result)  # the rows are shown first and do not wait for the headline
            if self.views.result is not result:
                return
        elif wanted:
            self._table.narrow(wanted)
        self.laid_out = True
        self._tell_headline(result, said)

    async def _headlined(self, result: Result) -> Headline | None:
        """The sentence above a result, found in a thread; None if there is none."""
        return await asyncio.to_thread(self._headline) if self._headline is not None and self.result is result else None

    def _tell_headline(self, result: Result, said: Headline | None) -> None:
        if said is not None:
            self.query_one(PaneHead).title = f"{'' if result.ok else '✗ '}{said.words}"
            self._tell(chips(result, said.share, said.complete))
            total = result.page.total if result.page is not None else None
            more = f" of {total:,}" if total is not None else "more follow"
            self._table.whole_has = more if said.complete is False else ""
            if said.totals:
                self.show_page(said.totals, sums_up=True)  # a complete list has no other pages to show

    async def recount(self) -> None:
        """Update the headline of the list on screen after a deletion."""
        result = self.result
        if result is not None and self.laid_out and (said := await self._headlined(result)) and self.result is result:
            self._tell_headline(result, said)
            if said.complete:
                self.show_page(said.totals, sums_up=True)

    def come_back_to(self, row: int) -> None:
        """Move the cursor to this row in the next result, if that row has the same property."""
        document = self._json.document
        self._come_back = (row, document.rows.row(row, 0).key) if document is not None else None

    @property
    def spot(self) -> ViewPosition | None:
        """Where the cursor is, to come back to; None without a result."""
        here = self.view.whole
        if here is None or not self.laid_out or self.result is None:
            return None
        return ViewPosition(here.row, here.top, here.document if len(self.result.body) <= _LARGE else None)

    @on(JsonView.Signed)
    def _show_sign(self) -> None:
        """Say what a query leaves out, but not above a table with all rows."""
        everything = self.views.shows_table and not self.views.shows_output
        words, sign = "" if everything else self._json.sign, self.query_one("#sign", Words)
        sign.display = bool(words)
        sign.update(Content(words))
        self._show_page_line()

    def show_cancelled(self, running: RunningCall) -> None:
        """Say that a call was stopped; the previous result stays."""
        self._stop_clock()
        words = f"Cancelled after {running.elapsed:.1f} s."
        if running.tool.effect != "read":
            words += " The service may still have carried it out."
        if self._is_beginning:
            words += " What had arrived is shown below."
            self.show_page("")
        elif self.result:
            words += " The previous result is shown below."
        self._say(Content.styled(words, "$text-warning"))

    @on(JsonView.Moved)
    def _moved_in_json(self, event: JsonView.Moved) -> None:
        if not self.views.shows_table:
            self._show_whole(event.cut, event.path + (f"  ‹ {event.reading}" if event.reading else ""))
        if event.leads != self.leads:
            self.leads = event.leads
            self.screen.refresh_bindings()

    def on_table_pane_described(self, event: TablePane.Described) -> None:
        if self.views.shows_table:
            self._show_sign()  # a query's rows come after its words
            self._show_whole(event.cut, event.words)

    def _show_whole(self, cut: str, place: str) -> None:
        """Show the whole of a cut value, and the path of the cursor."""
        whole = self.query_one("#whole", Words)
        if cut or whole.display:
            whole.display = bool(cut)
            whole.update(Content(cut))
        # Always one line, so that moving the cursor does not lay out the whole screen.
        self.query_one("#path", Words).update(Content(place), layout=False)

    def _tick(self) -> None:
        if self._running_call is not None:
            self._tell((running_line(self._running_call, key_of(self.app, "cancel")),))

    def _tell(self, asides: tuple[Content, ...]) -> None:
        """Say something beside the title."""
        self.query_one(PaneHead).asides = asides
        self.query_one("#status", Words).display = False

    def _say(self, words: Content) -> None:
        """Say something below the title, where there is no result to tell about."""
        self.query_one(PaneHead).asides = ()
        status = self.query_one("#status", Words)
        status.display = True
        status.update(words)

    def _stop_clock(self) -> None:
        self.set_class(False, "-running", update=False)
        self._running_call = None
        self._timer.pause()

    def _card(self, content: Content | None) -> None:
        (box := self.query_one("#card", Words)).display = content is not None
        box.set_class(self.result is not None and self.result.failure is not None, "-failure")
        box.update(content if content is not None else "")

    def show_page(self, words: str, *, sums_up: bool = False) -> None:
        """Show where the result is among the pages of its list, or what all of it sums up to; empty words hide it."""
        self._page, self._sums_up = words, sums_up
        self.query_one("#page", Words).update(Content.styled(words, "$foreground-muted"))
        self._show_page_line()

    def _show_page_line(self) -> None:
        """Show this line for the result only: a query's output and the rows of a filter have other totals, and no pages."""
        is_other = self._json.shows_output or (self._sums_up and self.views.shows_table and bool(self.table.wanted.strip()))
        self.query_one("#page", Words).display = bool(self._page) and not is_other

    def show_crumbs(self, crumbs: Sequence[str]) -> None:
        """Show the visits that led to the result, outermost first; if there are too many, the last ones."""
        line = self.query_one("#crumbs", Words)
        line.display = len(crumbs) > 1
        room = (self.size.width or 60) - 4
        before, separator, here = way_line([visible_line(crumb) for crumb in crumbs], room).rpartition(" › ")
        line.update(Content.assemble(Content.styled(before + separator, "$foreground-muted"), Content(here)))

    # Searching and querying it

    @work(group="find", exclusive=True)
    async def on_find_line_search_requested(self, event: FindLine.SearchRequested) -> None:
        """Search the result, folded or not, and go to the first match after the cursor."""
        self.views.to_json()
        view, line = self._json, self.query_one(FindLine)
        if view.document is None:
            line.tell("nothing to search", wrong=True)
            return
        line.tell("searching…")
        over, document = threading.Event(), view.document
        try:
            found = await asyncio.to_thread(hits, document.rows, event.query, over.is_set)
        except SearchFailed as error:
            line.tell(str(error), wrong=True)
            return
        finally:
            over.set()  # a cancelled search stops in its thread, too
        if view.document is not document:
            line.tell("")  # another result, or the rest of this one, was loaded in the meantime: the row numbers do not fit
            return
        view.mark(found)
        view.focus()
        self.go_to_hit(1)

    def go_to_hit(self, step: int) -> None:
        view = self._json
        number = view.go_to_hit(step)
        keys = f" · {key_of(self.app, 'next_hit')} next · {key_of(self.app, 'last_hit')} previous"
        words = f"{number:,} of {len(view.hits):,}{keys if len(view.hits) > 1 else ''}" if number else "no matches"
        self.query_one(FindLine).tell(words, wrong=number is None)

    @on(FindLine.Closed)
    def _stop_finding(self) -> None:
        self.workers.cancel_group(self, "find")
        view = self._json
        view.mark([])
        view.focus()

    def ask(self) -> None:
        self.query_one(FindLine).close()
        self._json.mark([])
        self.query_one(QueryLine).open()

    def step_back(self) -> bool:
        """Show the whole result again after a filter or a query; returns whether it was not shown."""
        if self.views.shows_table and self._table.show_all():
            return True
        view = self._json
        if view.shows_output:
            self.close_lines()
            view.show_whole()
            self.views.show_result()
            return True
        return False

    def close_lines(self) -> None:
        self.query_one(FindLine).close()
        self.query_one(QueryLine).close()
