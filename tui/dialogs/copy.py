"""Chooses what to copy from the row at the cursor."""

from __future__ import annotations

from collections.abc import Mapping

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from registry.text.safe_text import shortened, visible_line
from tui.dialogs.dialog import Dialog
from tui.widgets.scrolling import Rows

_SHOWN = 46


class CopyDialog(Dialog[str]):
    """Returns the name of the chosen text.

    Args:
        texts: by name, the title and the text itself.
    """

    def __init__(self, texts: Mapping[str, tuple[str, str]]) -> None:
        super().__init__()
        self._texts = texts

    def compose(self) -> ComposeResult:
        """The titles, each with the beginning of its text."""
        with VerticalScroll(id="box", can_focus=False):
            yield Static(Content.styled("Copy\n", "bold"))
            yield Rows(*(self._option(name) for name in self._texts), compact=True)
            yield self.keys_line(("↑ ↓", "Move"), ("Enter", "Copy"), ("Esc", "Close"))

    def on_mount(self) -> None:
        """Focus the list."""
        self.query_one(OptionList).focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the chosen one."""
        event.stop()
        self.dismiss(event.option.id)

    def _option(self, name: str) -> Option:
        title, text = self._texts[name]
        beginning = shortened(visible_line(text[: 4 * _SHOWN]), _SHOWN)
        return Option(Content.assemble(Content(f"{title:<30}"), Content.styled(beginning, "$foreground-muted")), id=name)
