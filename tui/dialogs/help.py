"""What works where the keyboard is, and every key."""

from __future__ import annotations

from typing import cast

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from tui.commands import COMMANDS, SCOPES, Command, Scope
from tui.dialogs.dialog import Dialog
from tui.moving import Scroll
from tui.settings import Configured, Settings, spelled

_ABOUT: dict[Scope, str] = {
    "tools": (
        "The tools. Type into the filter: beginnings of words in any order (cust cards), or run together (delinv). "
        "Enter opens a tool's form. · reads, ✎ changes, ✗ deletes, † is deprecated."
    ),
    "form": (
        "The form of one tool. Required fields come first; paging and expand are folded. The request below is exactly "
        "what will be sent, with secrets masked. Enter in a field, or F5, runs it. Drafts stay with each tool."
    ),
    "result": (
        "The answer. Above it: status, time, size and the service's id of the request; below it, the path of the cursor. "
        "Fold and unfold with ← and →; / finds; v reads a value whole; y copies it, Y its key, path and more; n and p turn "
        "pages. A list shows as a table with t. What stands behind ‹ was added here: what a time or an amount means."
    ),
    "table": (
        "The answer's list as a table. ← and → go from cell to cell; s sorts by the column of the cursor, once more turns the "
        "order, a third time takes it back. / filters: words in any column, column:text, column=text, amount>42.50 in whole "
        "units, created<2025-08-12, ! before what must not be, quotes around blanks. Space marks rows. What you choose is "
        "kept for each tool; t goes back to the JSON. Times are in UTC."
    ),
    "oncall": (
        "What burns, and whom it wakes next. It only reads: acknowledge in the app. TRIG is unanswered, ACK acknowledged, SNZD "
        "snoozed; ◆ is yours, ! forgotten; L2 is the level reached, L1/2 ambiguous, ? not known. Rows keep their places until "
        "s sorts them; a word on the left says what changed. Each heading tells how old its data is: live, or STALE and why. "
        "Tab goes from panel to panel."
    ),
    "compare": (
        "Two answers by path, the older one on the left. + was added, - removed, ~ changed, ↕ moved, ≈ is the same written "
        "otherwise. Elements belong together by their ids. n and p go through the differences; o shows what is equal as well; "
        "the lines below show more of both values."
    ),
}


class HelpScreen(Dialog[None]):
    """All commands by place, the present place first."""

    DEFAULT_CSS = """
    HelpScreen {
        #box { width: 100; height: 92%; }
        .place { margin: 1 0 0 0; }
        .line { height: auto; padding: 0 0 0 2; }
        .keys { width: 11; }
        .title { width: 22; }
        .told { width: 1fr; }
    }
    """

    def __init__(self, here: Scope) -> None:
        super().__init__()
        self._here = here

    def compose(self) -> ComposeResult:
        """The place, then the keys."""
        settings = cast(Configured, self.app).settings
        order: list[Scope] = [self._here, *(scope for scope in SCOPES if scope != self._here)]
        with Scroll(id="box"):
            yield Static(Content.styled("Help", "bold $text-accent"))
            yield self.keys_line(("↑ ↓", "scroll"), ("Esc", "close"))
            yield Static(Content(f"\n{_ABOUT.get(self._here, '')}"))
            for scope in order:
                commands = [command for command in COMMANDS if command.scope == scope]
                yield Static(Content.styled(SCOPES[scope], "bold"), classes="place")
                yield from (_line(command, settings) for command in commands)

    def on_mount(self) -> None:
        """The keyboard scrolls."""
        self.query_one("#box").focus()


def _line(command: Command, settings: Settings) -> Horizontal:
    keys = " ".join(spelled(key) for key in settings.keys_of(command))
    return Horizontal(
        Static(Content.styled(keys, "$text-accent"), classes="keys"),
        Static(Content(command.title), classes="title"),
        Static(Content.styled(command.help, "$foreground-muted"), classes="told"),
        classes="line",
    )
