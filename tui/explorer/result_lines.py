"""The input lines below the result: find and query."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace

from textual import on, work
from textual.containers import Vertical

from registry.calling.result import Result
from tui.explorer.fetch_windows import ResultWindow
from tui.explorer.table_switch import TableSwitch
from tui.json_view.find_line import FindLine
from tui.json_view.query_line import QueryLine
from tui.json_view.search import BadPattern, SearchFailed, TextSearch, hits
from tui.json_view.view import JsonView
from tui.table.arranging import find


class QueryOutput:
    """Shows the output of queries on a pane's result, in its JSON and its table."""

    def __init__(self, pane: ResultLines, view: JsonView) -> None:
        self._pane = pane
        self._view = view
        self._result = pane.result

    def items(self) -> Sequence[bytes]:
        """All fetched items of the list on screen; a result that is not a list is the only item. Blocks."""
        result = self._result
        if result is None:
            return []
        if isinstance(result, ResultWindow):
            return result.fetched_list.items
        listing = result.listing
        return listing.items if listing is not None else [result.body.strip()]

    def begin(self) -> None:
        """Remember what is shown."""
        self._pane.views.begin_output()

    async def show_rows(self, rows: Sequence[bytes]) -> None:
        """Show a table of rows, unless another document was opened meanwhile."""
        document = self._view.document
        found = await asyncio.to_thread(find, rows)
        asked_for = tuple(column for column in found.columns.all if len(column.path) == 1)
        found = replace(found, columns=replace(found.columns, first=asked_for))
        if self._view.document is document:
            await self._pane.views.show_output(rows, found)

    def show_document(self) -> None:
        """Show the JSON."""
        self._pane.views.hide_table()

    def show_result(self) -> None:
        """Show the result again."""
        self._pane.views.end_output()


class ResultLines(Vertical):
    """A pane with the two lines. `views` switches its result between JSON and a table."""

    views: TableSwitch

    @property
    def result(self) -> Result | None:
        """The result on screen."""
        raise NotImplementedError

    def focus_result(self) -> None:
        """Focus the JSON, or the table."""
        self.views.focus()

    @work(group="find", exclusive=True, exit_on_error=False)
    async def on_find_line_search_requested(self, event: FindLine.SearchRequested) -> None:
        """Find what was typed."""
        event.stop()
        await self.find(event.query)

    async def find(self, query: TextSearch) -> None:
        """Search the result, folded or not, and go to the first match after the cursor."""
        self.views.to_json()
        view, line = self.query_one(JsonView), self.query_one(FindLine)
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
        view.mark(found.tolist())
        view.focus()
        self.go_to_hit(1)

    def go_to_hit(self, step: int) -> None:
        """Go to the next or previous match and show its number."""
        view = self.query_one(JsonView)
        number = view.go_to_hit(step)
        words = f"{number:,} of {len(view.hits):,}" if number else "no matches"
        self.query_one(FindLine).tell(words, wrong=number is None)

    @on(FindLine.Closed)
    def _stop_finding(self, event: FindLine.Closed) -> None:
        event.stop()
        self.workers.cancel_group(self, "find")
        view = self.query_one(JsonView)
        view.mark([])
        view.focus()

    def ask(self) -> None:
        """Open the query line for the result."""
        self.query_one(FindLine).close()
        view = self.query_one(JsonView)
        view.mark([])
        self.query_one(QueryLine).open(view, QueryOutput(self, view))

    @on(QueryLine.Closed)
    def _stop_asking(self, event: QueryLine.Closed) -> None:
        event.stop()
        self.focus_result()

    def step_back(self) -> bool:
        """Show the whole result again after a filter, a query or *matches only*; returns whether it was not shown."""
        if self.views.show_all_rows():
            return True
        view = self.query_one(JsonView)
        if view.shows_output:
            self.close_lines()
            view.show_whole()
            self.views.end_output()
            return True
        if view.document is not None and view.document.is_partial:
            view.action_only_matches()
            return True
        return False

    def close_lines(self) -> None:
        """Hide the lines and forget what was typed."""
        self.query_one(FindLine).close()
        self.query_one(QueryLine).close()
