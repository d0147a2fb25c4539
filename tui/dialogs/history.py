"""The history: every call, newest first. Typing searches; keys open, run, edit, compare or delete the one at the cursor."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from registry.catalog.model import Tool
from registry.engine import History
from registry.journal.errors import JournalError
from registry.journal.schema import Entry
from registry.journal.search_query import parse_search
from registry.text.local_time import local_moment
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.rows_below import RowsBelow, RowsDialog, lines_left
from tui.keyboard.started_work import MARK, none_left_in
from tui.state.deleted_ids import DeletedIds
from tui.widgets.text_line import Line

HistoryAction = Literal["open", "again", "edit", "compare"]

_OUTCOMES = {
    "ok": ("✓ ok", "$text-success"),
    "failed": ("✗ failed", "$text-error"),
    "cancelled": ("◌ cancelled", "$text-warning"),
}
_SEARCH = "search"
_PAGING = ("cursor_before", "cursor_after", "limit", "offset", "page", "expand")
_TIME, _OUTCOME, _WHERE = 13, 13, 9
_HINT = "Search: text · tool:refund · on:sandbox · failed · since:yesterday"


class Entries(RowsBelow):
    """The calls, and the keys that work on them."""

    BINDINGS = [
        Binding("r", "wanted('again')", show=False),
        Binding("e", "wanted('edit')", show=False),
        Binding("c", "wanted('compare')", show=False),
        Binding("delete", "wanted('forget')", show=False),
        Binding("D", "wanted('forget all')", show=False),
        Binding("slash", "wanted('type')", show=False),
    ]


class HistoryDialog(RowsDialog["tuple[Entry, HistoryAction] | None"]):
    """Returns a call, and what to do with it."""

    DEFAULT_CSS = """
    HistoryDialog {
        #box { width: 132; }
        Line { margin: 0 0 1 0; padding: 0 1; background: $panel; }
        Entries { height: 1fr; }
    }
    """

    widest = 132
    line_keys = (("Enter", "Open"), ("↓", "List, to run again, edit, compare or delete"), ("Esc", "Close"))
    list_keys = (
        ("Enter", "Open"),
        ("r", "Run again"),
        ("e", "Edit"),
        ("c", "Compare"),
        ("Del", "Delete"),
        ("D", "Delete all"),
        ("/", "Search"),
    )

    def __init__(self, history: History, gone: DeletedIds, tools: Mapping[str, Tool]) -> None:
        super().__init__()
        self._history = history
        self._tools = tools
        self._gone = gone
        self._entries: list[Entry] = []
        self._sure = False

    def compose(self) -> ComposeResult:
        """The search line, the calls, details of the one at the cursor, and the keys."""
        with Vertical(id="box"):
            yield Static(Content.styled("History", "bold"), id="title")
            yield Line(placeholder=_HINT, compact=True)
            yield Entries(compact=True)
            yield Static(id="about")
            yield self.keys_line(*self.line_keys)

    def on_mount(self) -> None:
        """Focus the line, and show the newest calls."""
        self.query_one(Line).focus()
        self._search("")

    def on_resize(self) -> None:
        """Set the height of the list; it is fixed, so that typing does not move the box."""
        self._list.styles.height = lines_left(self.app.size.height)
        self._show()

    def action_enter_list(self) -> None:
        """Go from the line into the list, once what was typed is found."""
        self._once_found(self._list.focus)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._search(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._once_found(lambda: self._leave_for("open"))

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._leave_for("open")

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._sure = False
        self._tell_about()

    @on(RowsBelow.ActionRequested)
    def _action_requested(self, event: RowsBelow.ActionRequested) -> None:
        event.stop()
        match event.what:
            case "again" | "edit" | "compare":
                self._leave_for(event.what)
            case "type":
                self.query_one(Line).focus()
            case "forget":
                self._forget()
            case "forget all" if self._sure:
                self._forget_all()
            case "forget all":
                self._sure = True
                self._say("Delete all history: calls, results and suggested ids? Press D again to delete.", "$text-error")

    def _leave_for(self, way: HistoryAction) -> None:
        if (entry := self._here) is not None:
            self.dismiss((entry, way))

    @work(group=MARK, exclusive=True, exit_on_error=False)
    async def _once_found(self, act: Callable[[], object]) -> None:
        """Act on what is found for the whole text: meanwhile the list has what fitted an earlier one, or nothing."""
        await none_left_in(_SEARCH, self.workers)
        if self.is_attached and self._entries:
            act()

    @work(group=_SEARCH, exclusive=True, exit_on_error=False)
    async def _search(self, line: str, place: int = 0) -> None:
        wanted = parse_search(line, time.time())
        try:
            self._entries = await asyncio.to_thread(self._history.search, wanted)
        except JournalError as error:
            self._entries = []
            self._show()
            self._say(str(error), "$text-error")
            return
        self._show(place)
        if wanted.problem:
            self._say(wanted.problem, "$text-warning")

    @work(group="forget", exclusive=True, exit_on_error=False)
    async def _forget(self) -> None:
        if (entry := self._here) is not None:
            await self._without(lambda: self._history.forget(entry.id))

    @work(group="forget", exclusive=True, exit_on_error=False)
    async def _forget_all(self) -> None:
        self._sure = False
        await self._without(self._history.forget_all)

    async def _without(self, forget: object) -> None:
        """Delete from the history, and show the rest."""
        assert callable(forget)
        try:
            await asyncio.to_thread(forget)
        except JournalError as error:
            self._say(str(error), "$text-error")
            return
        self._search(self.query_one(Line).value, self._list.highlighted or 0)

    def _show(self, place: int = 0) -> None:
        """Show the calls that were found, with the cursor at an index."""
        left = self._room - _TIME - _OUTCOME - _WHERE
        about = [self._gone.signed(entry.connection, _subject(entry, self._tools.get(entry.tool))) for entry in self._entries]
        subject = min(max((len(one) + 1 for one in about), default=0), left * 45 // 100)
        self._list.clear_options()
        rows = zip(self._entries, about, strict=True)
        self._list.add_options([Option(_row(entry, one, left - subject, subject)) for entry, one in rows])
        self._list.highlighted = min(place, len(self._entries) - 1) if self._entries else None
        if not self._entries:
            self.query_one(Line).focus()
        self._tell_about()

    def _tell_about(self) -> None:
        """Show the arguments and the outcome of the call at the cursor, or why there are no calls."""
        entry = self._here
        if entry is None:
            searched = bool(self.query_one(Line).value)
            self._say(
                "No matching calls. Remove a word to widen the search."
                if searched
                else "No calls yet. Every tool you run is listed here.",
                "",
            )
            if self._history.notice:
                self._say(self._history.notice, "$text-warning")
            return
        given = " · ".join(f"{name} {_words(value)}" for name, value in entry.arguments.items()) or "no arguments"
        status = f"{entry.status} · " if entry.status is not None else ""
        outcome = f"{status}{entry.failure or f'{entry.size:,} bytes'} · {entry.elapsed:.2f} s · {entry.mode}"
        self._say(f"{shortened(visible_line(given), self._room)}\n{shortened(visible_line(outcome), self._room)}", "")

    @property
    def _here(self) -> Entry | None:
        """The call at the cursor."""
        return self._at_cursor(self._entries)


def _row(entry: Entry, about: str, tool: int, subject: int) -> Content:
    """A call in a line: time, outcome, tool, subject, account; `tool` and `subject` are widths."""
    word, colour = _OUTCOMES[entry.outcome]
    return Content.assemble(
        Content.styled(local_moment(entry.at).ljust(_TIME), "$foreground-muted"),
        Content.styled(word.ljust(_OUTCOME), colour),
        Content(shortened(entry.tool, tool - 1).ljust(tool)),
        Content.styled(shortened(about, subject - 1).ljust(subject), "$text-accent"),
        Content.styled(shortened(visible_line(entry.connection), _WHERE), "$foreground-muted"),
    )


def _subject(entry: Entry, tool: Tool | None) -> str:
    """What a call was about: an id, or else its first argument that is not about paging."""
    paging = {one.name for one in tool.parameters if one.role in _PAGING} if tool is not None else set()
    asked = (_words(value) for name, value in entry.arguments.items() if name not in paging)
    return visible_line(entry.subject or next(asked, ""))


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
