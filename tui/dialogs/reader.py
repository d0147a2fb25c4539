"""One value, whole and unescaped, over as many lines as it takes."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from tui.dialogs.dialog import Dialog
from tui.widgets.scrolling import Scroll

_MOST = 200_000


class Reader(Dialog[None]):
    """Shows a text, which the caller has made safe to show."""

    DEFAULT_CSS = """
    Reader {
        #box { width: 96%; height: auto; max-height: 92%; }
        #text { height: auto; }
    }
    """

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        """The title, the length, and the text."""
        length = len(self._text)
        more = f"\n… and {length - _MOST:,} characters more; copying it takes all of them." if length > _MOST else ""
        with Scroll(id="box"):
            yield Static(Content.styled(f"{self._title} · {length:,} characters\n", "bold"))
            yield Static(Content(self._text[:_MOST] + more), id="text")
            yield self.keys_line(("↑ ↓", "Scroll"), ("Esc", "Close"))

    def on_mount(self) -> None:
        """Focus the text, which scrolls."""
        self.query_one("#box").focus()
