"""Chooses the teams whose incidents, policies and services are shown."""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import Binding
from textual.content import Content

from registry.oncall.model import Ref
from registry.text.safe_text import visible_line
from tui.dialogs.choose import MarkingDialog
from tui.dialogs.dialog import Keys


class TeamsDialog(MarkingDialog):
    """Returns the ids of the chosen teams; an empty set means all teams.

    Args:
        teams: all teams.
        chosen: ids of the teams in scope now.
        mine: ids of my own teams.
    """

    BINDINGS = [Binding("a", "only('')", "All"), Binding("o", "only('own')", "Mine")]

    keys: Keys = (("Space", "Mark"), ("o", "Only yours"), ("a", "All"), ("Enter", "Show"), ("Esc", "Cancel"))

    def __init__(self, teams: Iterable[Ref], chosen: frozenset[str], mine: frozenset[str]) -> None:
        self._teams = sorted(teams, key=lambda team: team.name.casefold())
        self._mine = mine
        super().__init__("Filter by team", [team.id for team in self._teams], chosen)

    def action_only(self, which: str) -> None:
        """Mark only my own teams, or none."""
        self.mark(set(self._mine) if which else set())

    def _words(self, place: int) -> Content:
        team = self._teams[place]
        return Content(f"{visible_line(team.name)}{' (yours)' if team.id in self._mine else ''}")

    def _note(self) -> str:
        return "None marked: all incidents, including those without a team."
