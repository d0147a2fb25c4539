"""A result in its two views, as JSON and as a table, with the lines to search and to query it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

from textual import on, work
from textual.containers import Vertical

from registry.calling.result import Result
from tui.explorer.fetch_windows import ResultWindow
from tui.explorer.table_switch import TableSwitch
from tui.json_view.find_line import FindLine
from tui.json_view.query_line import QueryLine
from tui.json_view.search import BadPattern, SearchFailed, TextSearch, hits
from tui.json_view.view import JsonView
from tui.session import Session
from tui.table.pane import TablePane
from tui.table.view import TableView


class ResultLines(Vertical):
    """A pane with the views and the lines; subclasses arrange them. `views` switches the result between JSON and table."""

    def __init__(self, session: Session, id: str | None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._json, self._table = JsonView(id="json"), TablePane(id="table")
        self._table.display = False
        self.views = TableSwitch(session, self._json, self._table, self.show_page)

    def show_page(self, words: str) -> None:
        """Show where the result is among the pages of its list."""
        raise NotImplementedError

    @property
    def result(self) -> Result | None:
        return self.views.result

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

    @property
    def marked(self) -> Sequence[int]:
        """The indexes of the marked rows."""
        return self.table.marked

    def focus_result(self) -> None:
        self.views.focus()

    @work(group="find", exclusive=True, exit_on_error=False)
    async def on_find_line_search_requested(self, event: FindLine.SearchRequested) -> None:
        event.stop()
        await self.find(event.query)

    async def find(self, query: TextSearch) -> None:
        """Search the result, folded or not, and go to the first match after the cursor."""
        self.views.to_json()
        view, line = self._json, self.query_one(FindLine)
        if view.document is None:
            line.tell("nothing to search", wrong=True)
            return
        line.tell("searching…")
        over = threading.Event()
        document = view.document
        try:
            found = await asyncio.to_thread(hits, document.rows, query, over.is_set)
        except BadPattern as error:
            line.tell(f"invalid regular expression: {error}", wrong=True)
            return
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
        """Go to the next or previous match and show its number."""
        view = self._json
        number = view.go_to_hit(step)
        words = f"{number:,} of {len(view.hits):,}" if number else "no matches"
        self.query_one(FindLine).tell(words, wrong=number is None)

    @on(FindLine.Closed)
    def _stop_finding(self, event: FindLine.Closed) -> None:
        event.stop()
        self.workers.cancel_group(self, "find")
        view = self._json
        view.mark([])
        view.focus()

    def ask(self) -> None:
        self.query_one(FindLine).close()
        view = self._json
        view.mark([])
        self.query_one(QueryLine).open(view, self.views)

    @on(QueryLine.Closed)
    def _stop_asking(self, event: QueryLine.Closed) -> None:
        event.stop()
        self.focus_result()

    def step_back(self) -> bool:
        """Show the whole result again after a filter, a query or *matches only*; returns whether it was not shown."""
        if self.views.shows_table and self._table.show_all():
            return True
        view = self._json
        if view.shows_output:
            self.close_lines()
            view.show_whole()
            self.views.show_result()
            return True
        if view.document is not None and view.document.is_partial:
            view.action_only_matches()
            return True
        return False

    def close_lines(self) -> None:
        """Hide the lines and forget what was typed."""
        self.query_one(FindLine).close()
        self.query_one(QueryLine).close()
