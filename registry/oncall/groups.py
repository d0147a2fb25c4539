"""Open incidents in groups for a storm: by service, similar titles or policy, each with its counts and next escalation."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from registry.oncall.board import Board, IncidentRow
from registry.oncall.clocks import MINUTE

By = Literal["service", "title", "policy"]
GROUPINGS: tuple[By, ...] = ("service", "title", "policy")

STORM_OPEN, STORM_NEW, STORM_WITHIN = 40, 10, 10 * MINUTE
"""A storm: more open incidents than the first number, or more new ones than the second within that many seconds."""

_INSIDE = re.compile(r"[\[({<][^\])}>]*[\])}>]")
_VARIABLE = re.compile(r"\S*\d\S*")
_SPACE = re.compile(r"\W+")


@dataclass(frozen=True)
class Group:
    """Incidents that have something in common. Counts are computed once: a group may have thousands of incidents.

    Attributes:
        key: stable from one refresh to the next: the service's or policy's id, or the shape of the titles.
        name: the service's or policy's name, or the title of the oldest incident; unsafe to show.
        rows: its incidents, the next escalation first.
        titles: similar titles, each with its number of incidents, the most frequent first; unsafe to show.
    """

    key: str
    name: str
    rows: tuple[IncidentRow, ...]
    titles: tuple[tuple[str, int], ...]

    @cached_property
    def unacknowledged(self) -> int:
        """How many nobody has acknowledged."""
        return sum(row.incident.burning for row in self.rows)

    @cached_property
    def mine(self) -> int:
        """How many are assigned to me."""
        return sum(row.mine for row in self.rows)

    @cached_property
    def oldest(self) -> float:
        """When the oldest one began, in Unix seconds."""
        return min(row.incident.created for row in self.rows)

    @cached_property
    def soonest(self) -> IncidentRow | None:
        """The incident with the next escalation; None if no escalation is pending."""
        return min((row for row in self.rows if row.next.pages), key=lambda row: row.next.at or 0.0, default=None)

    @cached_property
    def next_step(self) -> IncidentRow | None:
        """The incident with the next escalation; with none pending, with the next step of another kind, such as a timeout."""
        at_a_time = (row for row in self.rows if row.next.at is not None)
        return self.soonest or min(at_a_time, key=lambda row: row.next.at or 0.0, default=None)

    @property
    def rank(self) -> tuple[object, ...]:
        """The sort key: the next escalation first; then the most unacknowledged incidents."""
        soonest = self.soonest
        return (soonest.next.at if soonest else float("inf")), -self.unacknowledged, -len(self.rows), self.name, self.key


def groups(rows: Iterable[IncidentRow], by: By) -> list[Group]:
    """Incidents in groups, the next escalation first."""
    found: dict[str, list[IncidentRow]] = defaultdict(list)
    for row in rows:
        found[_key(row, by)].append(row)
    return sorted((_group(key, members, by) for key, members in found.items()), key=lambda group: group.rank)


def is_storm(board: Board) -> bool:
    """Whether there are too many incidents to read one by one: many open ones, or many new ones within minutes."""
    if len(board.rows) > STORM_OPEN:
        return True
    new = sum(row.incident.burning and board.now - row.incident.created < STORM_WITHIN for row in board.rows)
    return new > STORM_NEW


def alike(title: str) -> str:
    """The key of similar titles: in lower case, without numbers and brackets."""
    bare = _SPACE.sub(" ", _VARIABLE.sub(" ", _INSIDE.sub(" ", title))).strip().casefold()
    return bare or title.strip().casefold()


def _key(row: IncidentRow, by: By) -> str:
    one = row.incident
    if by == "title":
        return alike(one.title)
    ref = one.service if by == "service" else one.policy
    return ref.id or ref.name


def _group(key: str, members: Sequence[IncidentRow], by: By) -> Group:
    first = min(members, key=lambda row: (row.incident.created, row.incident.id)).incident
    name = {"service": first.service.name, "policy": first.policy.name, "title": first.title}[by]
    shapes: dict[str, list[str]] = defaultdict(list)
    for row in members:
        shapes[alike(row.incident.title)].append(row.incident.title)
    titles = sorted(((min(same), len(same)) for same in shapes.values()), key=lambda one: (-one[1], one[0]))
    return Group(key, name, tuple(sorted(members, key=lambda row: row.rank[2:])), tuple(titles))
