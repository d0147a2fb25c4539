"""The first line of the explorer: the program's name, the ask line, and the accounts in use."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from tui.explorer.tool_pane import AskLine
from tui.explorer.top_bar import TopBar

_HINT = "Ask, or paste an id, an email, a link …"


class TopLine(Horizontal):
    """Name, ask line, accounts. A narrow terminal leaves out the name."""

    def compose(self) -> ComposeResult:
        """The name, a sign, the ask line and the accounts."""
        yield Static("callboard", id="brand")
        yield Static("»", id="asks")
        yield AskLine(placeholder=_HINT, id="filter", compact=True, select_on_focus=False)
        yield TopBar()
