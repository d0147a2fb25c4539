"""Chooses the accounts from which a list is read at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from registry.accounts.connection import Connection
from registry.catalog.model import Tool
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.marking import MarkingDialog
from tui.widgets.mode_labels import mode_word

_NAME = 42


class SeveralAccountsDialog(MarkingDialog):
    """Returns the names of two or more accounts.

    Args:
        tool: the tool to run.
        accounts: the accounts for its toolkit.
        marked: the names of those that are marked at first.
    """

    BINDINGS = [
        Binding("enter", "take", "Run", priority=True),
        Binding("a", "all", "All"),
    ]

    def __init__(self, tool: Tool, accounts: Sequence[Connection], marked: Collection[str]) -> None:
        super().__init__([one.name for one in accounts], (one.name for one in accounts if one.name in marked))
        self._tool = tool
        self._accounts = accounts

    def compose(self) -> ComposeResult:
        """The accounts, with marks."""
        with VerticalScroll(id="box", can_focus=False):
            heading = Content.styled(f" {shortened(visible_line(self._tool.name), 50)}", "$foreground-muted")
            yield Static(Content.assemble(Content.styled("Run on several accounts", "bold"), heading, "\n"))
            yield self._rows()
            yield Static(id="note")
            yield self.keys_line(("Space", "Mark"), ("a", "All"), ("Enter", "Run"), ("Esc", "Cancel"))

    def on_mount(self) -> None:
        """Show which accounts are marked."""
        self._tell()

    def action_all(self) -> None:
        """Mark all accounts, or none if all are marked."""
        self._mark(set() if len(self._marked) == len(self._keys) else set(self._keys))

    def action_take(self) -> None:
        """Return the marked accounts, if there are at least two."""
        if len(self._marked) > 1:
            super().action_take()

    def _words(self, place: int) -> Content:
        account = self._accounts[place]
        name = shortened(visible_line(account.name), _NAME)
        mode = account.endpoints[self._tool.toolkit].mode
        about = Content.styled("made-up data", "$foreground-muted") if mode == "sandbox" else mode_word(mode)
        return Content.assemble(f"{name:<{_NAME}}  ", about)

    def _mark(self, marked: set[str]) -> None:
        super()._mark(marked)
        self._tell()

    def _tell(self) -> None:
        count = len(self._marked)
        words = f"{count} marked. Their items come into one table, the account in front." if count > 1 else "Mark at least two."
        self.query_one("#note", Static).update(Content.styled(f"\n{words}", "$foreground-muted"))
