"""The filters of the dashboard: teams, mine, urgency, a service, a text. Filtered incidents are still counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from registry.oncall.incident_filter import wanted
from registry.oncall.model import Incident, Ref


@dataclass(frozen=True, slots=True)
class Scope:
    """A choice of incidents. Without teams, those of all teams.

    Attributes:
        teams: ids of teams; they also filter policies, services and events.
        mine: only incidents assigned to me.
        urgency: ``high``, ``low``, or empty for both.
        service: a service's id; empty for all.
        text: words and conditions as typed, case-insensitive: see `incident_filter`.
    """

    teams: frozenset[str] = frozenset()
    mine: bool = False
    urgency: str = ""
    service: str = ""
    text: str = ""

    @property
    def everything(self) -> bool:
        """Whether it has no filter."""
        return self == Scope()

    def of_teams(self, teams: Iterable[Ref]) -> bool:
        """Whether something of these teams is in scope."""
        return not self.teams or any(team.id in self.teams for team in teams)

    def holds(self, incident: Incident, me: str, now: float) -> bool:
        """Whether an incident is in scope.

        Args:
            incident: the incident.
            me: my user id; empty if not known.
            now: the time from which relative times in the text count, in Unix seconds.
        """
        if not self.of_teams(incident.teams):
            return False
        if self.mine and not incident.is_assigned_to(me):
            return False
        if self.urgency and incident.urgency != self.urgency:
            return False
        if self.service and incident.service.id != self.service:
            return False
        return not self.text or wanted(self.text, incident, now)
