"""Choosing the teams whose incidents, policies and services are shown."""

from __future__ import annotations

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from registry.display.safe_text import visible_line
from registry.oncall.model import Ref
from tui.dialogs.dialog import Dialog
from tui.widgets.scrolling import Rows


class TeamsDialog(Dialog[frozenset[str]]):
    """Answers the ids of the teams that were chosen; none stands for all.

    Args:
        teams: all teams.
        chosen: ids of those in scope at present.
        mine: ids of my own teams.
    """

    BINDINGS = [
        Binding("enter", "take", "Show", priority=True),
        Binding("space", "mark", "Mark"),
        Binding("a", "only('')", "All"),
        Binding("o", "only('own')", "Mine"),
    ]

    def __init__(self, teams: Iterable[Ref], chosen: frozenset[str], mine: frozenset[str]) -> None:
        super().__init__()
        self._teams = sorted(teams, key=lambda team: team.name.casefold())
        self._chosen = set(chosen)
        self._mine = mine

    def compose(self) -> ComposeResult:
        """The teams, with marks."""
        with VerticalScroll(id="box", can_focus=False):
            yield Static(Content.styled("Filter by team\n", "bold"))
            yield Rows(*(Option(self._words(team)) for team in self._teams), compact=True)
            yield Static(Content.styled("\nNone marked: all incidents, including those without a team.", "$foreground-muted"))
            yield self.keys_line(("Space", "Mark"), ("o", "Only yours"), ("a", "All"), ("Enter", "Show"), ("Esc", "Cancel"))

    def on_mount(self) -> None:
        """The keyboard is on the list."""
        self.query_one(OptionList).focus()

    def _words(self, team: Ref) -> Content:
        mark = "[×]" if team.id in self._chosen else "[ ]"
        return Content(f"{mark} {visible_line(team.name)}{' (yours)' if team.id in self._mine else ''}")

    def _show(self) -> None:
        for place, team in enumerate(self._teams):
            self.query_one(OptionList).replace_option_prompt_at_index(place, self._words(team))

    def action_mark(self) -> None:
        """Mark the team at the cursor, or take its mark away."""
        place = self.query_one(OptionList).highlighted
        if place is not None:
            self._chosen ^= {self._teams[place].id}
            self._show()

    def action_take(self) -> None:
        """Show these."""
        self.dismiss(frozenset(self._chosen))

    def action_only(self, which: str) -> None:
        """Mark my own teams and no other, or none."""
        self._chosen = set(self._mine) if which else set()
        self._show()
