"""Choosing the teams whose incidents, policies and services are shown."""

from __future__ import annotations

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import SelectionList, Static
from textual.widgets.selection_list import Selection

from registry.oncall.model import Ref
from registry.text import visible_line
from tui.dialogs.dialog import Dialog


class TeamsDialog(Dialog[frozenset[str]]):
    """Answers the ids of the teams that were chosen; none stands for all.

    Args:
        teams: all teams.
        chosen: ids of those in scope at present.
        mine: ids of my own teams.
    """

    BINDINGS = [
        Binding("enter", "take", "Show", priority=True),
        Binding("a", "everything", "All"),
        Binding("o", "own", "Mine"),
    ]

    def __init__(self, teams: Iterable[Ref], chosen: frozenset[str], mine: frozenset[str]) -> None:
        super().__init__()
        self._teams = sorted(teams, key=lambda team: team.name.casefold())
        self._chosen = chosen
        self._mine = mine

    def compose(self) -> ComposeResult:
        """The teams, with marks."""
        with VerticalScroll(id="box", can_focus=False):
            yield Static(Content.styled("Show which teams?\n", "bold"))
            yield SelectionList[str](
                *(
                    Selection(
                        Content(visible_line(team.name) + (" (yours)" if team.id in self._mine else "")),
                        team.id,
                        team.id in self._chosen,
                    )
                    for team in self._teams
                ),
                compact=True,
            )
            yield Static(Content.styled("\nNo mark: every team, and what belongs to none.", "$foreground-muted"))
            yield self.keys_line(("Space", "mark"), ("o", "only yours"), ("a", "all"), ("⏎", "show"), ("Esc", "leave"))

    def on_mount(self) -> None:
        """The keyboard is on the list."""
        self.query_one(SelectionList).focus()

    def action_take(self) -> None:
        """Show these."""
        self.dismiss(frozenset(str(id_) for id_ in self.query_one(SelectionList).selected))

    def action_everything(self) -> None:
        """Take every mark away."""
        self.query_one(SelectionList).deselect_all()

    def action_own(self) -> None:
        """Mark my own teams and no other."""
        found = self.query_one(SelectionList)
        found.deselect_all()
        for team in self._teams:
            if team.id in self._mine:
                found.select(team.id)
