"""The history: every call, newest first. Typing searches; keys open, run, edit, compare or delete the one at the cursor."""

import asyncio
import time
from collections.abc import Callable
from typing import Literal

from textual import work
from textual.binding import Binding
from textual.content import Content

from registry.catalog.model import Tool
from registry.engine import History
from registry.journal.entries import Entry, parse_search
from registry.journal.store import JournalError
from registry.text.shown import local_moment, shortened, visible_line
from tui.dialogs.dialog import Keys, RowsDialog
from tui.dialogs.questions import YesNo
from tui.keyboard.key_order import MARK, none_left_in
from tui.session import Session
from tui.widgets.texts import Line, in_words

HistoryAction = Literal["open", "again", "edit", "compare"]

_OUTCOMES = {
    "ok": ("✓ ok", "$text-success"),
    "failed": ("✗ failed", "$text-error"),
    "cancelled": ("◌ cancelled", "$text-warning"),
}
_SEARCH = "search"
_PAGING = ("cursor_before", "cursor_after", "limit", "offset", "page", "expand")
_TIME, _OUTCOME, _WHERE = 13, 13, 9


class HistoryDialog(RowsDialog["tuple[Entry, HistoryAction] | None"]):
    """Returns a call, and what to do with it."""

    BINDINGS = [
        Binding("r", "choose('again')", show=False),
        Binding("e", "choose('edit')", show=False),
        Binding("c", "choose('compare')", show=False),
        Binding("delete", "forget", show=False),
        Binding("D", "forget_all", show=False),
        Binding("slash", "type", show=False),
    ]
    AUTO_FOCUS = "Line"

    widest = 132
    hint = "Search: text · tool:refund · on:sandbox · failed · since:yesterday"
    fixed = True
    line_keys = (("Enter", "Open"), ("↓", "List, to run again, edit, compare or delete"), ("Esc", "Close"))
    heading = "History"
    keys: Keys = (
        ("Enter", "Open"),
        ("r", "Run again"),
        ("e", "Edit"),
        ("c", "Compare"),
        ("Del", "Delete"),
        ("D", "Delete all"),
        ("/", "Search"),
    )

    def __init__(self, history: History, session: Session, search: str = "") -> None:
        super().__init__()
        self._history, self._session, self._asked = history, session, search
        self._entries: list[Entry] = []

    def on_mount(self) -> None:
        self.query_one(Line).value = self._asked
        self._search(self._asked)

    def action_enter_list(self) -> None:
        """Go from the line into the list, once what was typed is found."""
        self._once_found(self.rows.focus)

    def action_choose(self, way: HistoryAction) -> None:
        if (entry := self.at_cursor(self._entries)) is not None:
            self.dismiss((entry, way))

    def action_forget(self) -> None:
        if (entry := self.at_cursor(self._entries)) is not None:
            self._delete(lambda: self._history.forget(entry.id))

    @work(group="forget all", exclusive=True)
    async def action_forget_all(self) -> None:
        lost = [Content("All calls, their results and the suggested ids go.")]
        if await self.app.push_screen_wait(YesNo("Delete the whole history?", lost, "Delete", danger=True)):
            self._delete(self._history.forget_all)

    def _typed(self, text: str) -> None:
        self._search(text)

    def _take(self) -> None:
        self._once_found(lambda: self.action_choose("open"))

    @work(group=MARK, exclusive=True)
    async def _once_found(self, act: Callable[[], object]) -> None:
        """Act on what is found for the whole text: meanwhile the list has what fitted an earlier one, or nothing."""
        await none_left_in(_SEARCH, self.workers)
        if self.is_attached and self._entries:
            act()

    @work(group=_SEARCH, exclusive=True)
    async def _search(self, line: str, place: int = 0) -> None:
        wanted = parse_search(line, time.time())
        try:
            self._entries = await asyncio.to_thread(self._history.search, wanted)
        except JournalError as error:
            self._entries = []
            self._show()
            self.say(str(error), "$text-error")
            return
        self._show(place)
        if wanted.problem:
            self.say(wanted.problem, "$text-warning")

    @work(group="forget", exclusive=True)
    async def _delete(self, forget: Callable[[], object]) -> None:
        try:
            await asyncio.to_thread(forget)
        except JournalError as error:
            self.say(str(error), "$text-error")
        else:
            self._search(self.query_one(Line).value, self.rows.highlighted or 0)

    def _show(self, place: int = 0) -> None:
        """Show the calls that were found, with the cursor at an index."""
        left = self.room - _TIME - _OUTCOME - _WHERE
        session, tools = self._session, self._session.catalog.tools
        about = [session.signed(entry.connection, _subject(entry, tools.get(entry.tool))) for entry in self._entries]
        subject = min(max((len(one) + 1 for one in about), default=0), left * 45 // 100)
        rows = []
        for entry, one in zip(self._entries, about, strict=True):
            word, colour = _OUTCOMES[entry.outcome]
            parts = [
                Content.styled(local_moment(entry.at).ljust(_TIME), "$foreground-muted"),
                Content.styled(word.ljust(_OUTCOME), colour),
                Content(shortened(visible_line(session.title_of(entry.tool)), left - subject - 1).ljust(left - subject)),
                Content.styled(shortened(one, subject - 1).ljust(subject), "$text-accent"),
                Content.styled(shortened(visible_line(entry.connection), _WHERE), "$foreground-muted"),
            ]
            rows.append(Content.assemble(*parts))
        self.fill(rows, place)
        if not self._entries:
            self.query_one(Line).focus()
        self._tell()

    def _refill(self) -> None:
        self._show(self.rows.highlighted or 0)

    def _tell(self) -> None:
        """Show the arguments and the outcome of the call at the cursor, or why there are no calls."""
        entry = self.at_cursor(self._entries)
        if entry is not None:
            given = " · ".join((entry.tool, *(f"{name} {in_words(value)}" for name, value in entry.arguments.items())))
            status = f"{entry.status} · " if entry.status is not None else ""
            outcome = f"{status}{entry.failure or f'{entry.size:,} bytes'} · {entry.elapsed:.2f} s · {entry.mode}"
            self.say(f"{shortened(visible_line(given), self.room)}\n{shortened(visible_line(outcome), self.room)}")
        elif self._history.notice:
            self.say(self._history.notice, "$text-warning")
        elif self.query_one(Line).value:
            self.say("No matching calls. Remove a word to widen the search.")
        else:
            self.say("No calls yet. Every tool you run is listed here.")


def _subject(entry: Entry, tool: Tool | None) -> str:
    """What a call was about: an id, or else its first argument that is not about paging."""
    paging = {one.name for one in tool.parameters if one.role in _PAGING} if tool is not None else set()
    asked = (in_words(value) for name, value in entry.arguments.items() if name not in paging)
    return visible_line(entry.subject or next(asked, ""))
