"""Switches the result between JSON and a table: the same list, the cursor on the same item, the choice kept for each tool.

The table of a fetched list shows the whole list; the JSON shows the window around the table's cursor.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from registry.calling.items import Listing
from registry.calling.result import Result
from registry.calling.several_accounts import COLUMN, SeveralAccounts
from registry.json_text.reading import NotJson
from registry.results.cells import quoted
from registry.results.declared import ListedObject
from registry.results.picking import string
from tui.explorer.fetch_windows import ResultWindow
from tui.json_view.document import Document, Step
from tui.json_view.view import JsonView
from tui.state.preferences import Appearance, ColumnPath, Preferences
from tui.table.arranging import Found, find
from tui.table.pane import TablePane
from tui.table.view import TableView


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A list, ready to be shown, and how many items it had then; from a result, or from a query's output."""

    result: Result | None
    listing: Listing
    found: Found
    count: int

    def fits(self, result: Result) -> bool:
        """Whether it is the list of another result as well: all windows of a fetched list have the same list."""
        if isinstance(result, ResultWindow):
            items = result.fetched_list.items
            return self.listing.items is items and self.count == len(items)
        return self.result is result


class TableSwitch:
    """Shows a result's list in one of the two views; the other one is hidden, and gets the cursor's position when it is shown.

    Attributes:
        table: shows rows; None until the first are shown.
    """

    def __init__(
        self,
        json: JsonView,
        mounted: Callable[[], Awaitable[TablePane]],
        preferences: Preferences,
        turned: Callable[[ResultWindow], None],
        listed: Callable[[str], ListedObject],
    ) -> None:
        """Make it.

        Args:
            json: shows the JSON.
            mounted: mounts the hidden table beside it; called once.
            preferences: how lists should look.
            turned: called when the JSON shows another window of a fetched list.
            listed: returns what is declared about a tool's lists.
        """
        self._json = json
        self._mounted = mounted
        self._mounting: asyncio.Future[TablePane] | None = None
        self.table: TablePane | None = None
        self._preferences = preferences
        self._turned = turned
        self._listed = listed
        self._ready: _Prepared | None = None
        self._prepared: _Prepared | None = None
        self._wanted: Result | None = None
        self._output: _Prepared | None = None
        self._before: bool | None = None

    @property
    def shows_output(self) -> bool:
        """Whether the rows are a query's output, and not the result's."""
        return self._output is not None

    @property
    def shown(self) -> TableView | None:
        """The table, while it is visible."""
        return self.table.view if self.table is not None and self.table.display else None

    @property
    def shows_table(self) -> bool:
        """Whether the table is visible."""
        return self.shown is not None

    def show_all_rows(self) -> bool:
        """Clear the filter of the visible table; returns whether there was one."""
        return self.table is not None and self.table.display and self.table.show_all()

    async def mount_table(self) -> TablePane:
        """The table; it is made when it is first needed."""
        if self._mounting is None:
            self._mounting = asyncio.ensure_future(self._mounted())
        # Whoever waits may be cancelled in the middle; the table is then made all the same, once.
        self.table = await asyncio.shield(self._mounting)
        return self.table

    def focus(self) -> None:
        """Focus the visible view."""
        (self.shown or self._json).focus()

    def to_json(self) -> None:
        """Show the JSON, with the cursor on the value at the table's cursor."""
        if self.shows_table:
            self.bring_json_along()
            self.hide_table()

    def leave_table(self) -> None:
        """Show the JSON as it is, and forget the output of queries."""
        self._output = self._before = None
        self.hide_table()

    def hide_table(self) -> None:
        """Show the JSON as it is."""
        self._wanted = None
        if self.shows_table:
            self._turn(to_table=False)
            self._json.cursor_moved()

    async def to_table(self, result: Result) -> bool:
        """Show a result as a table, with the cursor on the item at the JSON's cursor; returns whether it has a list."""
        if self._output is not None:
            self._turn_to_output(self._output)
            return True
        self._wanted = result
        there = await self.prepare(result)
        if self._wanted is not result:
            return True  # something else was shown in the meantime
        return there and self.turn_to_table(result)

    async def prepare(self, result: Result) -> bool:
        """Find a result's list and its columns in a thread, without showing them; returns whether there is a list."""
        if self._ready is None or not self._ready.fits(result):
            try:
                self._ready = await asyncio.to_thread(_prepare, result, self._listed(result.tool))
            except NotJson:
                self._ready = None
        if self._ready is not None:
            await self.mount_table()
        return self._ready is not None

    def turn_to_table(self, result: Result) -> bool:
        """Show a prepared result as a table at once; returns False if another one, or none, is prepared."""
        ready, prepared, table = self._ready, self._prepared, self.table
        if ready is None or table is None or not ready.fits(result):
            return False
        if prepared is None or prepared.listing.items is not ready.listing.items or prepared.count != ready.count:
            table.forget_filter()
            table.view.show(ready.listing.items, ready.found, self._preferences.of(result.tool))
        self._prepared, self._output, self._before = replace(ready, result=result), None, None
        self._turn(to_table=True)
        self._bring_table_along(table.view, ready.listing)
        return True

    def begin_output(self) -> None:
        """Remember which view is visible before a query's output replaces it."""
        if self._before is None:
            if self.shows_table:
                self.bring_json_along()
            self._before = self.shows_table

    async def show_output(self, rows: Sequence[bytes], found: Found) -> None:
        """Show a table of a query's rows."""
        await self.mount_table()
        self._output = _Prepared(None, Listing((), rows), found, len(rows))
        self._turn_to_output(self._output)

    def _turn_to_output(self, output: _Prepared) -> None:
        assert self.table is not None, "it was mounted when there was an output first"
        self._wanted, self._prepared = None, output
        self.table.forget_filter()
        self.table.view.show(output.listing.items, output.found, Appearance(as_table=True))
        self._turn(to_table=True)

    def end_output(self) -> None:
        """Show the result again in place of a query's output, as a table if it was one."""
        was_table, self._before = self._before, None
        if was_table is None:
            return
        if self._output is not None:
            self._output = self._prepared = None
        ready = self._ready
        if not (was_table and ready is not None and ready.result is not None and self.turn_to_table(ready.result)):
            self.leave_table()

    def bring_json_along(self) -> None:
        """Move the JSON's cursor to the value at the table's, for actions that use the JSON."""
        document = self._json.document
        if self.table is None or self._prepared is None or document is None:
            return
        view = self.table.view
        if view.place is None or view.column is None:
            return
        result, place = self._prepared.result, view.place
        if isinstance(result, ResultWindow):
            if not result.start <= place < result.end:
                result, document = self._turn_window(result, place)
            place -= result.start
        path: list[Step] = [place, *(_quoted(name) for name in view.column.path)]
        path[:0] = [_quoted(name) for name in self._prepared.listing.path]
        row = document.row_at(path)
        if row is not None:
            self._json.go_to(row)

    def _turn_window(self, window: ResultWindow, place: int) -> tuple[ResultWindow, Document]:
        """Show the JSON of another window of a list; it is small, so no thread is needed."""
        assert self._prepared is not None
        turned = window.fetch.window_at(place)
        document = Document.of(turned.body)
        self._json.show(document)
        self._prepared = replace(self._prepared, result=turned)
        self._turned(turned)
        return turned, document

    def remember(self, tool: str) -> None:
        """Remember how a tool's lists look now; the choice of table or JSON applies to other tools as well."""
        self._preferences.as_table = self.shows_table
        if self._output is not None:
            return
        prepared = self._prepared.result if self._prepared is not None else None
        if self.table is not None and prepared is not None and prepared.tool == tool:
            self._preferences.look(tool, self.table.view.appearance(as_table=self.shows_table))
        else:
            self._preferences.look(tool, replace(self._preferences.of(tool), as_table=self.shows_table))

    def _bring_table_along(self, view: TableView, listing: Listing) -> None:
        document, row = self._json.document, self._json.row
        if document is None or row is None:
            return
        path = document.path(row)
        holders = [_quoted(name) for name in listing.path]
        if path[: len(holders)] != holders:
            return
        path = path[len(holders) :]
        result, here = self._prepared.result if self._prepared else None, view.place
        window = result if isinstance(result, ResultWindow) else None
        if path and isinstance(path[0], int):
            view.go_to((window.start if window else 0) + path[0], _names(path[1:]))
        elif window is not None and (here is None or not window.start <= here < window.end):
            view.go_to(window.start, ())

    def _turn(self, *, to_table: bool) -> None:
        assert self.table is not None, "without one there is nothing to turn to"
        had_keyboard = self._json.has_focus or self.table.has_focus_within
        self.table.display, self._json.display = to_table, not to_table
        if had_keyboard:
            self.focus()


def _prepare(result: Result, listed: ListedObject) -> _Prepared | None:
    listing = Listing((), result.fetched_list.items) if isinstance(result, ResultWindow) else result.listing
    if listing is None:
        return None
    lead = COLUMN if isinstance(result, SeveralAccounts) else ""
    return _Prepared(result, listing, find(listing.items, listed, lead), len(listing.items))


def _quoted(name: str) -> str:
    return quoted(name)


def _names(steps: list[Step]) -> ColumnPath:
    """The names at the beginning of a path; an index in a list inside an item has no column."""
    names: list[str] = []
    for step in steps:
        if isinstance(step, int) or (name := string(step.encode("utf-8", errors="replace"))) is None:
            break
        names.append(name)
    return tuple(names)
