"""Chooses the teams whose incidents, policies and services are shown."""

from __future__ import annotations

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from registry.oncall.model import Ref
from registry.text.safe_text import visible_line
from tui.dialogs.marking import MarkingDialog


class TeamsDialog(MarkingDialog):
    """Returns the ids of the chosen teams; an empty set means all teams.

    Args:
        teams: all teams.
        chosen: ids of the teams in scope now.
        mine: ids of my own teams.
    """

    BINDINGS = [
        Binding("enter", "take", "Show", priority=True),
        Binding("a", "only('')", "All"),
        Binding("o", "only('own')", "Mine"),
    ]

    def __init__(self, teams: Iterable[Ref], chosen: frozenset[str], mine: frozenset[str]) -> None:
        self._teams = sorted(teams, key=lambda team: team.name.casefold())
        super().__init__([team.id for team in self._teams], chosen)
        self._mine = mine

    def compose(self) -> ComposeResult:
        """The teams, with marks."""
        with VerticalScroll(id="box", can_focus=False):
            yield Static(Content.styled("Filter by team\n", "bold"))
            yield self._rows()
            yield Static(Content.styled("\nNone marked: all incidents, including those without a team.", "$foreground-muted"))
            yield self.keys_line(("Space", "Mark"), ("o", "Only yours"), ("a", "All"), ("Enter", "Show"), ("Esc", "Cancel"))

    def _words(self, place: int) -> Content:
        team = self._teams[place]
        return Content(f"{visible_line(team.name)}{' (yours)' if team.id in self._mine else ''}")

    def action_only(self, which: str) -> None:
        """Mark only my own teams, or none."""
        self._mark(set(self._mine) if which else set())
