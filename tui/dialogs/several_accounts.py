"""Choosing the accounts on which a list is read at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from registry.display.safe_text import shortened, visible_line
from tui.dialogs.dialog import Dialog
from tui.widgets.mode_labels import mode_word
from tui.widgets.scrolling import Rows

if TYPE_CHECKING:
    from registry.catalog.model import Tool
    from registry.connections.profiles import Connection

_NAME = 42


class SeveralAccountsDialog(Dialog[frozenset[str]]):
    """Answers the names of two or more accounts.

    Args:
        tool: what is to be run.
        accounts: those that serve its toolkit.
        marked: the names of those that are marked at first.
    """

    BINDINGS = [
        Binding("enter", "take", "Run", priority=True),
        Binding("space", "mark", "Mark"),
        Binding("a", "all", "All"),
    ]

    def __init__(self, tool: Tool, accounts: Sequence[Connection], marked: Collection[str]) -> None:
        super().__init__()
        self._tool = tool
        self._accounts = accounts
        self._marked = {one.name for one in accounts if one.name in marked}

    def compose(self) -> ComposeResult:
        """The accounts, with marks."""
        with VerticalScroll(id="box", can_focus=False):
            heading = Content.styled(f" {shortened(visible_line(self._tool.name), 50)}", "$foreground-muted")
            yield Static(Content.assemble(Content.styled("Run on several accounts", "bold"), heading, "\n"))
            yield Rows(*(Option(self._words(one)) for one in self._accounts), compact=True)
            yield Static(id="note")
            yield self.keys_line(("Space", "Mark"), ("a", "All"), ("Enter", "Run"), ("Esc", "Cancel"))

    def on_mount(self) -> None:
        """The keyboard is on the list."""
        self.query_one(OptionList).focus()
        self._show()

    def action_mark(self) -> None:
        """Mark the account at the cursor, or take its mark away."""
        place = self.query_one(OptionList).highlighted
        if place is not None:
            self._marked ^= {self._accounts[place].name}
            self._show()

    def action_all(self) -> None:
        """Mark all accounts, or none where all are marked."""
        names = {one.name for one in self._accounts}
        self._marked = set() if self._marked == names else names
        self._show()

    def action_take(self) -> None:
        """Run on these."""
        if len(self._marked) > 1:
            self.dismiss(frozenset(self._marked))

    def _words(self, account: Connection) -> Content:
        mark = "[×]" if account.name in self._marked else "[ ]"
        name = shortened(visible_line(account.name), _NAME)
        mode = account.endpoints[self._tool.toolkit].mode
        about = Content.styled("made-up data", "$foreground-muted") if mode == "sandbox" else mode_word(mode)
        return Content.assemble(f"{mark} {name:<{_NAME}}  ", about)

    def _show(self) -> None:
        for place, account in enumerate(self._accounts):
            self.query_one(OptionList).replace_option_prompt_at_index(place, self._words(account))
        count = len(self._marked)
        words = f"{count} marked. Their items come into one table, the account in front." if count > 1 else "Mark at least two."
        self.query_one("#note", Static).update(Content.styled(f"\n{words}", "$foreground-muted"))
