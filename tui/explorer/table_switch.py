"""Switches the result between JSON and a table: the same list, the cursor on the same item, the choice kept for each tool.

The table of a fetched list shows the whole list; the JSON shows the window around the table's cursor. A query's output takes
the result's place in both, until it is left.
"""

import asyncio
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from registry.calling.listing import Listing, listing_of
from registry.calling.result import Result
from registry.calling.several_accounts import COLUMN, SeveralAccounts
from registry.json_text import NotJson
from registry.results.cells import quoted
from registry.results.spool import string
from tui.explorer.running_call import ResultWindow
from tui.json_view.document import Document, Step
from tui.json_view.view import JsonView
from tui.session import Session
from tui.state.json_store import Appearance
from tui.table.pane import TablePane
from tui.table.rows import Found, find
from tui.table.view import TableView


class _Prepared(Struct, frozen=True):
    """A list, ready to be shown, and how many items it had then; from a result, or from a query's output."""

    result: Result | None
    listing: Listing
    found: Found
    count: int

    def fits(self, result: Result) -> bool:
        """Whether it is the list of another result as well: all windows of a fetched list have the same list."""
        if isinstance(result, ResultWindow):
            items = result.list_fetch.items
            return self.listing.items is items and self.count == len(items)
        return self.result is result


class TableSwitch:
    """Shows a result's list in one of the two views; the other one is hidden, and gets the cursor's position when it is shown.

    Args:
        session: how lists should look, and what toolkits declare about them.
        json: shows the JSON.
        table: shows rows; hidden at first.
        turned: told which items the JSON shows, when it shows another window of a fetched list.

    Attributes:
        result: the result on screen.
    """

    def __init__(self, session: Session, json: JsonView, table: TablePane, turned: Callable[[str], None]) -> None:
        self._session, self._preferences = session, session.preferences
        self._json, self._table, self._turned = json, table, turned
        self.result: Result | None = None
        self._ready: _Prepared | None = None  # found, but perhaps not shown yet
        self._prepared: _Prepared | None = None  # in the table
        self._output: _Prepared | None = None
        self._before: bool | None = None  # whether the table was visible before a query

    @property
    def shows_output(self) -> bool:
        """Whether the rows are a query's output, and not the result's."""
        return self._output is not None

    @property
    def shown(self) -> TableView | None:
        return self._table.view if self.shows_table else None

    @property
    def shows_table(self) -> bool:
        return bool(self._table.display)

    @property
    def shows_rows(self) -> bool:
        """Whether the table shows rows, and not bars in their place."""
        return self.shows_table and self._table.view.display

    def focus(self) -> None:
        (self._table.front if self.shows_table else self._json).focus()

    # The result

    def to_json(self) -> None:
        """Show the JSON, with the cursor on the value at the table's cursor."""
        self.bring_json_along()
        self.show_document()

    def leave_table(self) -> None:
        """Show the JSON as it is, and forget the output of queries."""
        self._output = self._before = None
        self.show_document()

    async def to_table(self, result: Result) -> bool:
        """Show a result as a table, with the cursor on the item at the JSON's cursor; returns whether it has a list."""
        if self._output is not None:
            self._show_output(self._output)
            return True
        there = await self.prepare(result)
        # Something else may have been shown in the meantime.
        return self.result is not result or (there and self.turn_to_table(result))

    async def prepare(self, result: Result) -> bool:
        """Find a result's list and its columns in a thread, without showing them; returns whether there is a list."""
        if self._ready is None or not self._ready.fits(result):
            self._ready = await asyncio.to_thread(self._prepare, result)
        return self._ready is not None

    def _prepare(self, result: Result) -> _Prepared | None:
        try:
            listing = Listing((), result.list_fetch.items) if isinstance(result, ResultWindow) else listing_of(result)
            if listing is None:
                return None
            lead, tool, session = COLUMN if isinstance(result, SeveralAccounts) else "", result.tool, self._session
            found = find(listing.items, session.listed(tool), lead, session.row_head(tool))
        except NotJson:
            return None
        return _Prepared(result, listing, found, len(listing.items))

    def turn_to_table(self, result: Result) -> bool:
        """Show a prepared result as a table at once; returns False if another one, or none, is prepared."""
        ready, prepared, view = self._ready, self._prepared, self._table.view
        if ready is None or not ready.fits(result):
            return False
        if prepared is None or prepared.listing.items is not ready.listing.items or prepared.count != ready.count:
            self._table.forget_filter()
            view.show(ready.listing.items, ready.found, self._preferences.of(result.tool))
        self._prepared, self._output, self._before = replace(ready, result=result), None, None
        self._turn(to_table=True)
        self._bring_table_along(view, ready.listing)
        return True

    def remember(self, tool: str) -> None:
        """Remember how a tool's lists look now; the choice of table or JSON applies to other tools as well."""
        self._preferences.as_table = self.shows_table
        prepared = self._prepared.result if self._prepared is not None else None
        if self._output is not None:
            return
        if prepared is not None and prepared.tool == tool:
            self._preferences.look(tool, self._table.view.appearance(as_table=self.shows_table))
        else:
            self._preferences.look(tool, replace(self._preferences.of(tool), as_table=self.shows_table))

    # The output of queries, for the query line

    def items(self) -> Sequence[bytes]:
        """All fetched items of the list on screen; a result that is not a list is the only item. Blocks."""
        result = self.result
        if result is None:
            return []
        if isinstance(result, ResultWindow):
            return result.list_fetch.items
        listing = listing_of(result)
        return listing.items if listing is not None else [result.body.strip()]

    def begin(self) -> None:
        """Remember which view is visible before a query's output replaces it."""
        if self._before is None:
            self.bring_json_along()
            self._before = self.shows_table

    async def show_rows(self, rows: Sequence[bytes]) -> None:
        """Show a table of a query's rows, unless another document was opened meanwhile."""
        document = self._json.document
        found = await asyncio.to_thread(find, rows)
        asked_for = tuple(column for column in found.columns.all if len(column.path) == 1)
        found = replace(found, columns=replace(found.columns, first=asked_for))
        if self._json.document is document:
            self._output = _Prepared(None, Listing((), rows), found, len(rows))
            self._show_output(self._output)

    def show_document(self) -> None:
        if self.shows_table:
            self._turn(to_table=False)
            self._json.cursor_moved()

    def show_result(self) -> None:
        """Show the result again in place of a query's output, as a table if it was one."""
        was_table, self._before = self._before, None
        if was_table is None:
            return
        if self._output is not None:
            self._output = self._prepared = None
        if not (was_table and self.result is not None and self.turn_to_table(self.result)):
            self.leave_table()

    def _show_output(self, output: _Prepared) -> None:
        self._prepared = output
        self._table.forget_filter()
        self._table.view.show(output.listing.items, output.found, Appearance(as_table=True))
        self._turn(to_table=True)

    # The cursors

    def bring_json_along(self) -> None:
        """While the table is visible, move the JSON's cursor to the value at the table's, for actions that use the JSON."""
        document, view = self._json.document, self._table.view
        hidden = not self.shows_table or self._prepared is None
        if hidden or self._prepared is None or document is None or view.place is None or view.column is None:
            return
        result, place = self._prepared.result, view.place
        if isinstance(result, ResultWindow):
            if not result.start <= place < result.end:  # the JSON of one window is small, so no thread is needed
                result = result.fetch.window_at(place)
                document = Document(result.body)
                self._json.show(document)
                self._prepared = replace(self._prepared, result=result)
                self.result = result
                self._turned(result.words)
            place -= result.start
        item: list[Step] = [*map(quoted, self._prepared.listing.path), place]
        values = (document.row_at([*item, *map(quoted, path)]) for path in (*view.column.paths, ()))
        if (row := next((one for one in values if one is not None), None)) is not None:
            self._json.go_to(row)

    def _bring_table_along(self, view: TableView, listing: Listing) -> None:
        document, row = self._json.document, self._json.row
        if document is None or row is None:
            return
        path, holders = document.path(row), [*map(quoted, listing.path)]
        if path[: len(holders)] != holders:
            return
        path = path[len(holders) :]
        here, window = view.place, self.result if isinstance(self.result, ResultWindow) else None
        if path and isinstance(path[0], int):
            names: list[str] = []  # an index in a list inside an item has no column
            for step in path[1:]:
                if isinstance(step, int) or (name := string(step.encode("utf-8", errors="replace"))) is None:
                    break
                names.append(name)
            view.go_to((window.start if window else 0) + path[0], tuple(names))
        elif window is not None and (here is None or not window.start <= here < window.end):
            view.go_to(window.start, ())

    def _turn(self, *, to_table: bool) -> None:
        had_keyboard = self._json.has_focus or self._table.has_focus_within
        self._table.display, self._json.display = to_table, not to_table
        if had_keyboard:
            self.focus()
