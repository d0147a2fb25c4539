"""A table with its rows, its filter line, and a text about the rows."""

from dataclasses import dataclass

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from registry.pages.page import RowHead
from tui.json_view.find_line import EntryLine
from tui.state.settings import key_of
from tui.table.bars import BarsView
from tui.table.view import TableView
from tui.widgets.line_list import TONES, LineList
from tui.widgets.texts import Line, Words, cut, facts_lines

_TYPED = 0.15  # seconds without a key, after which the filter is applied


class FilterLine(EntryLine):
    """The filter line. The filter applies while it is typed."""

    DEFAULT_CSS = """
    FilterLine {
        &.-wrong { height: auto; layout: vertical; }
        &.-wrong Line { width: 100%; }
        &.-wrong #message { width: 100%; max-width: 100%; max-height: 3; text-wrap: wrap; }
    }
    """

    placeholder = "Filter: text · column:text · column>9 · !not"

    BINDINGS = [Binding("escape", "close", "All rows", key_display="Esc")]

    @dataclass
    class Typed(Message):
        """The user typed a filter; `done` says that the focus goes back to the rows."""

        text: str
        done: bool = False

    def __init__(self) -> None:
        super().__init__()
        self._timer: Timer | None = None

    def clear(self) -> None:
        """Hide the line and forget what was typed."""
        self._stop()
        self.close()
        with self.prevent(Input.Changed):
            self.query_one(Line).value = ""

    def action_close(self) -> None:
        self.clear()
        self.post_message(self.Typed("", done=True))

    def put(self, text: str) -> None:
        """Show a filter that was not typed, to be seen and changed."""
        with self.prevent(Input.Changed):
            self.query_one(Line).value = text
        self.add_class("-open")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Apply the filter after a pause in typing."""
        event.stop()
        self._stop()
        self._timer = self.set_timer(_TYPED, lambda: self.post_message(self.Typed(event.value)))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._stop()
        if event.value.strip():
            self.post_message(self.Typed(event.value, done=True))
        else:
            self.action_close()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None


class TablePane(Vertical):
    """A list as a table. Posts `Described` with texts about the rows and a cut cell; the parent shows them."""

    DEFAULT_CSS = """
    TablePane {
        height: 1fr;
        #row { height: 4; padding: 0 2; border-top: solid $hairline; color: $text-muted; }
    }
    """

    @dataclass
    class Described(Message):
        """The texts changed: `words` about the rows, `cut` the whole cell at the cursor if it is cut."""

        words: str
        cut: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.view, self.bars = TableView(), BarsView()
        self.bars.display = False
        self.whole_has = ""
        """If it is a part of a longer list, how many items that has: `` of 241``, ``more follow``."""
        self._cut = ""

    def compose(self) -> ComposeResult:
        yield self.view
        yield self.bars
        yield FilterLine()
        yield Words(id="row")

    @property
    def words(self) -> str:
        """The cursor's row, the number of rows, and their order; or what the bars show."""
        if self.bars.display:
            return self.bars.words
        view = self.view
        filtered = bool(view.wanted.strip())
        of = f" (of {len(view.items):,})" if view.line_count < len(view.items) else ""
        none = f"no matching rows of {len(view.items):,}. Press Esc to show all" if filtered else "The list is empty."
        parts = [f"row {view.cursor + 1:,} of {view.line_count:,}{of}" if view.line_count else none]
        if view.marked:
            parts.append(f"{len(view.marked):,} marked")
        if view.order_text:
            parts.append(f"sorted by {view.order_text}")
        if view.left_out:
            there = len(view.every_column)
            parts.append(f"only the first {there:,} of {there + view.left_out:,} columns")
        if view.column is not None and (view.exact or view.sorted_by is None or view.sorted_by[0] != view.column):
            sorts = "" if view.sorted_by is not None else f" ({key_of(self.app, 'sort')} sorts by it)"
            parts.append(f"column {view.column.title}{f' {exact}' if (exact := view.exact) else ''}{sorts}")
        return " · ".join(parts)

    def forget_filter(self) -> None:
        """Clear the filter, before another list is shown."""
        self.query_one(FilterLine).clear()
        self._turn(to_bars=False)

    @property
    def front(self) -> LineList:
        """The rows, or the bars in their place."""
        return self.bars if self.bars.display else self.view

    def _turn(self, *, to_bars: bool) -> None:
        had_focus = self.front.has_focus
        self.bars.display, self.view.display = to_bars, not to_bars
        self.query_one("#row").display = not to_bars
        if had_focus:
            self.front.focus()
        self._tell()

    @on(TableView.BarsRequested)
    def _show_bars(self) -> None:
        view, found = self.view, self.view.pictures
        if found and view.line_count:
            self.bars.name_of = view.name_of
            self.bars.show(view.items, view.rows, found, self.whole_has)
            self._turn(to_bars=True)
        else:
            self.post_message(self.Described("Nothing to draw: no column has times, or values that repeat.", ""))

    @on(BarsView.Chosen)
    def _chosen(self, event: BarsView.Chosen) -> None:
        self._turn(to_bars=False)
        if event.filter:
            self.narrow(f"{self.view.wanted} {event.filter}".strip())

    def narrow(self, wanted: str) -> None:
        """Show only the rows of a filter that was not typed; it stands in its line, to be changed."""
        self.query_one(FilterLine).put(wanted)
        self.view.filter(wanted)

    def show_all(self) -> bool:
        if filtered := bool(self.view.wanted.strip()):
            self.query_one(FilterLine).action_close()
        return filtered

    @on(TableView.Moved)
    def _moved(self, event: TableView.Moved) -> None:
        event.stop()
        self._cut = event.cut
        self._tell()

    @on(BarsView.Drawn)
    @on(TableView.Marked)
    def _front_changed(self) -> None:
        self._tell()
        self.screen.refresh_bindings()  # other keys come first while rows are marked

    @on(TableView.Arranged)
    def _arranged(self, event: TableView.Arranged) -> None:
        view, line = self.view, self.query_one(FilterLine)
        count = f"{view.line_count:,} of {len(view.items):,}" if view.wanted.strip() else ""
        line.tell(event.problem or count, wrong=bool(event.problem))
        self._tell()

    @on(TableView.FilterRequested)
    def _filter_requested(self) -> None:
        self.query_one(FilterLine).open()

    @on(FilterLine.Typed)
    def _typed(self, event: FilterLine.Typed) -> None:
        if event.text.strip() != self.view.wanted.strip():
            self.view.filter(event.text)
        if event.done:
            self.view.focus()

    def _tell(self) -> None:
        # Its height never changes, so nothing else needs a new layout.
        head = self.view.head if not self.bars.display else RowHead()
        room = max(self.size.width - 4, 20)
        said = cut(head.sentence, room)
        id_ = head.id if cell_len(said + head.id) + 2 <= room else ""
        sentence = Content.assemble((said, f"bold {TONES[head.tone]}"), "  ", (id_, "$text-muted"))
        lines = facts_lines(head.facts, room, 1 if self.screen.has_class("-low") else 2)
        facts = Content.styled("\n".join(lines), "$text-muted")
        self.query_one("#row", Words).update(Content("\n").join([sentence, facts]), layout=False)
        self.post_message(self.Described(self.words, "" if self.bars.display else self._cut))
