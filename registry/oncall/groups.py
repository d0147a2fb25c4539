"""Open incidents in groups for a storm: by service, by alike titles, or by policy, each with its counts and its next clock."""

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
"""It is a storm with more open incidents than this, or with more new ones within so many seconds."""

_INSIDE = re.compile(r"[\[({<][^\])}>]*[\])}>]")
_VARIABLE = re.compile(r"\S*\d\S*")
_SPACE = re.compile(r"\W+")


@dataclass(frozen=True)
class Group:
    """Incidents that have something in common. What is counted is counted once: a group may have thousands.

    Attributes:
        key: stable from one refresh to the next: the service's or policy's id, or the shape of the titles.
        name: the service's or policy's name, or the title of the oldest incident; unsafe to show.
        rows: its incidents, the soonest clock first.
        titles: how many incidents have each of the alike titles, the most frequent first; titles are unsafe to show.
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
        """When the first of them began."""
        return min(row.incident.created for row in self.rows)

    @cached_property
    def soonest(self) -> IncidentRow | None:
        """The incident whose escalation comes next; None when no such clock runs."""
        return min((row for row in self.rows if row.next.pages), key=lambda row: row.next.at or 0.0, default=None)

    @property
    def rank(self) -> tuple[object, ...]:
        """The soonest clock first; then what most are waiting in."""
        soonest = self.soonest
        return (soonest.next.at if soonest else float("inf")), -self.unacknowledged, -len(self.rows), self.name, self.key


def groups(rows: Iterable[IncidentRow], by: By) -> list[Group]:
    """Incidents in groups, the soonest clock first."""
    found: dict[str, list[IncidentRow]] = defaultdict(list)
    for row in rows:
        found[_key(row, by)].append(row)
    return sorted((_group(key, members, by) for key, members in found.items()), key=lambda group: group.rank)


def is_storm(board: Board) -> bool:
    """Whether there is more than one can read row by row: many open incidents, or many new ones within minutes."""
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
