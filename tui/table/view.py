"""The lines of a table: a fixed heading, and a row for each item, drawn when it is visible.

An item is identified by its index in the list (`place`), whatever the order: the cursor, the marks and messages stay with an
item when rows are sorted or filtered.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import work
from textual.message import Message

from registry.pages.page import RowHead
from registry.results.columns import Column
from registry.results.grouping import Picture, pictures
from registry.results.spool import Cancelled
from registry.results.table import BadFilter, Order
from registry.text.shown import shortened, visible_line
from tui.dialogs.questions import Reader
from tui.keyboard.commands import COMMANDS, bindings, on_tables
from tui.state.json_store import Appearance, ColumnPath
from tui.table.rows import (
    AGES_HOLD,
    GAP,
    ColumnPosition,
    ColumnsDialog,
    Found,
    RowText,
    arrange,
    in_sight,
    is_gone,
    is_masked,
    left_for,
    order_words,
    row_of,
    whole,
)
from tui.terminal.external_programs import copy_out
from tui.widgets.line_list import STATES, LineList, component_css
from tui.widgets.texts import in_cells

_GUTTER = 2
_QUIET, _TEXT = "color: $text-muted", "color: $text"
_STYLES = {
    **dict.fromkeys(("head", "quiet", "waits", "over"), _QUIET),
    **dict.fromkeys(("text", "plain", "word"), _TEXT),
    "sorted": f"{_TEXT}; text-style: bold",
    "cell": "background: $block-cursor-blurred-background",
    "mark": "color: $text-accent; text-style: bold",
    **{state: f"color: {colour}" for state, colour in STATES.items()},
}
_FOCUSED = """
TableView:focus > .table--cell { background: $block-cursor-background; text-style: bold; }
TableView:focus > .lines--cursor { background: $block-cursor-blurred-background; }
"""


class TableView(LineList):
    """Shows one list at a time, with the cursor on a cell.

    Attributes:
        items: the list.
        columns: the shown columns, in order.
        wanted: the filter.
        gone: ids of objects that were deleted since.
        name_of: returns the name of an id's object, empty if it is not known.
    """

    BINDINGS = bindings("table", also={command.id for command in COMMANDS if on_tables(command)})
    COMPONENT_CLASSES = {f"table--{name}" for name in _STYLES}
    DEFAULT_CSS = component_css("TableView", "table", _STYLES) + _FOCUSED

    heading = 1
    double_click = "screen.follow"

    @dataclass
    class Moved(Message):
        """The cursor moved to another cell, or the texts about the rows have changed.

        `cut` is the cell's whole text if the screen shows only its beginning.
        """

        cut: str

    class Marked(Message):
        """Rows were marked or unmarked."""

    @dataclass
    class Arranged(Message):
        """Rows were filtered and sorted, or `problem` says in words why not."""

        problem: str = ""

    class FilterRequested(Message):
        """The user wants to type a filter."""

    class BarsRequested(Message):
        """The user wants the rows as bars."""

    class AppearanceChanged(Message):
        """The user chose columns or an order; `appearance` of the view says which."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.items: Sequence[bytes] = []
        self._found: Found | None = None
        self.columns: list[Column] = []
        self._chosen = False
        self._column = 0
        self._left = 1
        self._order: Order | None = None
        self._by: Column | None = None
        self._descending = False
        self._remembered = self._from_first = False
        self.wanted = ""
        self._marked: set[int] = set()
        self.gone: Collection[str] = ()
        self.name_of: Callable[[str], str] | None = None
        self._drawn = RowText([], None, [])
        self._work: object = None

    def on_mount(self) -> None:
        """Update ages while they are shown."""
        self.set_interval(AGES_HOLD, self.refresh)

    # What is shown

    @property
    def line_count(self) -> int:
        return len(self._order) if self._order is not None else len(self.items)

    @property
    def rows(self) -> Sequence[int]:
        """The indexes of the items in the order of the rows, without those that are filtered out."""
        return self._order if self._order is not None else range(len(self.items))

    @property
    def every_column(self) -> Sequence[Column]:
        return self._found.columns.all if self._found is not None else ()

    @property
    def pictures(self) -> list[Picture]:
        return pictures(self.columns, self.every_column, self._found.sample) if self._found is not None else []

    @property
    def left_out(self) -> int:
        """How many columns cannot be shown, because there are too many."""
        return self._found.columns.left_out if self._found is not None else 0

    @property
    def place(self) -> int | None:
        """The index in the list of the item at the cursor."""
        if not self.line_count:
            return None
        return int(self._order[self.cursor]) if self._order is not None else self.cursor

    @property
    def column(self) -> Column | None:
        return self.columns[self._column] if self._column < len(self.columns) else None

    @property
    def marked(self) -> Sequence[int]:
        """The indexes of the marked items, in the order of the list."""
        return sorted(self._marked)

    @property
    def order_text(self) -> str:
        """The order of the rows in words; empty for the original order."""
        if self._by is None:
            return ""
        words = order_words(self._by, descending=self._descending, currencies=self._drawn.currencies(self._by))
        return words + (", as last time" if self._remembered else "")

    @property
    def sorted_by(self) -> tuple[Column, bool] | None:
        """The column by which rows are sorted, and whether the greatest come first."""
        return (self._by, self._descending) if self._by is not None else None

    def appearance(self, *, as_table: bool) -> Appearance:
        columns = tuple(column.path for column in self.columns) if self._chosen else ()
        return Appearance(as_table, columns, self._by.path if self._by is not None else None, self._descending)

    def show(self, items: Sequence[bytes], found: Found | None, appearance: Appearance) -> None:
        """Show another list.

        Args:
            items: the list.
            found: what `find` returned for it; None for an empty table.
            appearance: the columns and the order; columns that the list does not have are left out.
        """
        self.lines_replaced()
        self._work = None
        self.items, self._found, self.columns = items, found, []
        known = {column.path: column for column in self.every_column}
        chosen = [known[path] for path in appearance.columns if path in known]
        self._chosen = bool(chosen)
        if chosen and found is not None and found.lead is not None and found.lead not in chosen:
            chosen.insert(0, found.lead)
        self._marked.clear()
        self._order, self.wanted = None, ""
        self._by = known.get(appearance.sorted_by) if appearance.sorted_by is not None else None
        self._descending = appearance.descending
        self._remembered = self._from_first = self._by is not None
        self._column, self._left = 0, 1
        self._set_columns(chosen or (list(found.columns.first) if found is not None else []))
        self.lines_changed(cursor=0)
        if self._by is not None:
            self._arrange()
        self.cursor_moved()

    def go_to(self, place: int, path: ColumnPath = ()) -> None:
        """Move the cursor to an item, and to the column of a path or of a property around it."""
        row = row_of(self._order, place) if self._order is not None else place
        if row is not None:
            self.cursor, self._from_first = row, False
        paths = [(own, own == one.path, at) for at, one in enumerate(self.columns) for own in one.paths]
        holding = [(len(own), is_first, -at) for own, is_first, at in paths if own == path[: len(own)]]
        if holding and path:
            self._go_to_column(-max(holding)[2])

    def filter(self, wanted: str) -> None:
        self.wanted = wanted
        self._arrange()

    def set_columns(self, columns: Sequence[Column] | None) -> None:
        """Show these columns in this order; None shows those that the data suggests."""
        if self._found is not None:
            self._chosen = columns is not None
            self._set_columns(list(columns if columns is not None else self._found.columns.first))
            if self.wanted.strip():
                self._arrange()  # words are searched in the shown columns
            self.post_message(self.AppearanceChanged())

    def names_changed(self) -> None:
        """Draw the rows again with the names that `name_of` knows now."""
        self._set_columns(self.columns)

    # Drawing

    def draw_heading(self, line: int, width: int) -> list[Segment]:
        """The titles; an arrow at the sorted column; ``‹`` and ``›`` if there are more columns."""
        parts = [Segment("‹ " if self._left > 1 else "  ", self.style("table--sorted"))]
        places = self._places(width)
        for place in places:
            column = self.columns[place.column]
            here = column == self._by
            sign = "" if not here else "↓" if self._descending else "↑"
            title = in_cells(column.heading, min(cell_len(column.heading), place.width - len(sign))) + sign
            style = self.style("table--sorted" if here else "table--head")
            if place.column == self._column and self.has_focus:
                style += Style(color=self.style("table--text").color, bold=True)
            gap = place.start + _GUTTER - sum(part.cell_length for part in parts)
            text = in_cells(title, place.width, to_the_right=column.to_the_right)
            parts += [Segment(" " * gap), Segment(text, style)]
        if len(places) < len(self.columns) - (self._left - 1):
            used = sum(part.cell_length for part in parts)
            parts.append(Segment(" " * max(width - used - 1, 0) + "›", self.style("table--sorted")))
        return parts

    def draw(self, line: int, width: int) -> list[Segment]:
        place = int(self._order[line]) if self._order is not None else line
        gone = is_gone(self.items[place], self.gone)
        cells = self._drawn.gone_row(place) if gone else self._drawn.row(place)
        mark = "•" if place in self._marked else " "
        here = "›" if line == self.cursor and self.has_focus else " "
        parts = [
            Segment(here, self.style("table--text")),
            Segment("×" if gone else mark, self.style("table--mark")),
        ]
        used = _GUTTER
        for seen in self._places(width):
            shown, column = cells[seen.column], self.columns[seen.column]
            style = self.style(shown.style)
            if line == self.cursor and seen.column == self._column:
                cell = self.get_component_rich_style("table--cell")
                style += Style(bgcolor=cell.bgcolor, bold=cell.bold)
            parts.append(Segment(" " * (seen.start + _GUTTER - used)))
            parts.append(Segment(in_cells(shown.text, seen.width, to_the_right=column.to_the_right), style))
            used = seen.start + _GUTTER + seen.width
        return parts

    def _places(self, width: int) -> list[ColumnPosition]:
        room = max(width - _GUTTER, 0)
        return in_sight(self._drawn.widths(self._by), room, self._left, self._drawn.uncut)

    def _set_columns(self, columns: list[Column]) -> None:
        here = self.column
        self.columns = columns
        self._drawn = RowText(self.items, self._found, columns, self.name_of)
        self._go_to_column(columns.index(here) if here in columns else self._column)

    # Moving

    def cursor_moved(self) -> None:
        """Post the whole text of a cut cell."""
        cut, place = "", self.place
        if place is not None and self.columns:
            text = self._drawn.row(place)[self._column].text
            width = next((one.width for one in self._places(self._width) if one.column == self._column), 0)
            cut = text if cell_len(text[: 8 * width + 8]) > width else ""
        self.post_message(self.Moved(cut))

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    def _go_to_column(self, column: int) -> None:
        self._column = max(0, min(column, len(self.columns) - 1)) if self.columns else 0
        room = max(self._width - _GUTTER, 0)
        if room:
            self._left = left_for(self._drawn.widths(self._by), room, self._left, self._column, self._drawn.uncut)
        self.refresh()
        self.cursor_moved()

    def on_resize(self) -> None:
        self._left = 1
        self._go_to_column(self._column)

    def action_fold(self) -> None:
        self._go_to_column(self._column - 1)

    def action_unfold(self) -> None:
        self._go_to_column(self._column + 1)

    def clicked_at(self, x: int) -> None:
        self._go_to_column(self._column_at(x))

    def heading_clicked(self, x: int) -> None:
        self._go_to_column(self._column_at(x))
        self.action_sort()

    def _column_at(self, x: int) -> int:
        before = [one.column for one in self._places(self._width) if one.start + _GUTTER - GAP < x + 1]
        return before[-1] if before else 0

    # Columns

    @work(group="columns", exclusive=True, exit_on_error=False)
    async def action_columns(self) -> None:
        found = self._found
        if found is None:
            return
        chosen = await self.app.push_screen_wait(ColumnsDialog(found.columns, self.columns))
        if chosen is not None and found is self._found:
            self.set_columns(None if chosen == list(found.columns.first) else chosen)

    # Order and choice of rows

    def action_sort(self) -> None:
        """Sort by the column at the cursor: ascending, then descending, then in the original order."""
        column = self.column
        if column is None:
            return
        self._remembered = False
        if column != self._by:
            self._by, self._descending = column, False
        elif not self._descending:
            self._descending = True
        else:
            self._by, self._descending = None, False
        self._from_first, self.cursor = True, 0
        self._arrange()
        self.post_message(self.AppearanceChanged())

    def action_filter(self) -> None:
        self.post_message(self.FilterRequested())

    def action_bars(self) -> None:
        self.post_message(self.BarsRequested())

    @work(group="arrange", exclusive=True, exit_on_error=False)
    async def _arrange(self) -> None:
        """Filter and sort in a thread; a later filter or order cancels it."""
        mine = self._work = object()
        items = self.items

        def check(_: int) -> None:
            if self._work is not mine:
                raise Cancelled

        wanted = (list(self.columns), self.every_column, self.wanted, self._by, self._descending)
        try:
            order = await asyncio.to_thread(arrange, items, *wanted, check)
        except Cancelled:
            return
        except BadFilter as error:
            self.post_message(self.Arranged(str(error)))
            return
        if self._work is not mine:
            return
        # A new list is read from its first row; otherwise the cursor stays on its item.
        here = None if self._from_first and not self.cursor else self.place
        self._from_first, self._order = False, order
        row = here if order is None else row_of(order, here) if here is not None else 0
        self.lines_changed(cursor=row if row is not None else 0)
        self.cursor_moved()
        self.post_message(self.Arranged())

    # Marking, reading, copying, opening

    def action_toggle_fold(self) -> None:
        place = self.place
        if place is not None:
            self._marked ^= {place}
            self.refresh_line(self.cursor + self.heading)
            self.cursor += 1
            self.post_message(self.Marked())

    def action_unmark(self) -> None:
        self._marked.clear()
        self.refresh()
        self.post_message(self.Marked())

    @work(group="read", exclusive=True, exit_on_error=False)
    async def action_read(self) -> None:
        if (value := self._value()) is not None and (place := self.place) is not None:
            column, raw = value
            text = self._drawn.exact(place)[self._column].text if is_masked(column, raw) else whole(raw)
            await self.app.push_screen_wait(Reader(column.title, text))

    def action_copy(self) -> None:
        """Copy the cell's exact value; a string without its quotes."""
        if (value := self._value()) is not None:
            column, raw = value
            text = whole(raw, exact=True)
            by_title = is_masked(column, raw) or raw[:1] in b"{["
            copy_out(self, text, column.title if by_title else f"“{shortened(visible_line(text), 40)}”")

    @property
    def row_as_csv(self) -> str:
        """The shown values of the row at the cursor as a line of CSV, with secrets redacted; empty without a row."""
        return self._drawn.as_csv(self.place) if self.place is not None else ""

    def _value(self) -> tuple[Column, bytes] | None:
        """The column at the cursor, and the JSON text of the value there; None if there is none."""
        if self.column is None or self.place is None:
            return None
        raw = self._drawn.raw(self.place, self.column)
        return None if raw is None else (self.column, raw)

    @property
    def head(self) -> RowHead:
        return self._drawn.head(self.place) if self.place is not None else RowHead()

    @property
    def exact(self) -> str:
        """The exact value at the cursor if the cell shows it in another way: a moment, or the id of a name."""
        if self.column is None or self.place is None:
            return ""
        text, kind = self._drawn.exact(self.place)[self._column]
        if kind == "time":
            return f"{text} UTC"
        return text if kind == "text" and self._drawn.name_of_id(text) and self.column.path != ("id",) else ""
