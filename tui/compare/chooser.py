"""The dialog for choosing what to compare a result with."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from registry.text.safe_text import shortened, visible_line
from tui.compare.sides import Candidate
from tui.dialogs.dialog import Dialog
from tui.widgets.scrolling import Rows

_TITLE, _SUBTITLE = 34, 35


class CompareWith(Dialog[Candidate]):
    """Returns the chosen candidate.

    Args:
        what: what will be compared, in a few words.
        candidates: at least one.
    """

    def __init__(self, what: str, candidates: Sequence[Candidate]) -> None:
        super().__init__()
        self._what = what
        self._candidates = candidates

    def compose(self) -> ComposeResult:
        """The candidates, each with its distinguishing details."""
        with VerticalScroll(id="box", can_focus=False):
            heading = Content.styled(f" {shortened(visible_line(self._what), 50)}", "$foreground-muted")
            yield Static(Content.assemble(Content.styled("Compare", "bold"), heading, Content.styled(" with\n", "bold")))
            yield Rows(*(_option(one) for one in self._candidates), compact=True)
            yield self.keys_line(("↑ ↓", "Move"), ("Enter", "Compare"), ("Esc", "Close"))

    def on_mount(self) -> None:
        """Focus the list."""
        self.query_one(OptionList).focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the chosen one."""
        event.stop()
        self.dismiss(self._candidates[event.option_index])


def _option(candidate: Candidate) -> Option:
    title = shortened(visible_line(candidate.title), _TITLE)
    subtitle = shortened(visible_line(candidate.subtitle), _SUBTITLE)
    return Option(Content.assemble(Content(f"{title:<{_TITLE}} "), Content.styled(subtitle, "$foreground-muted")))
