"""Open incidents in groups for a storm: by service or by similar titles, each with its counts and next escalation."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from registry.oncall.board import Board, IncidentRow
from registry.oncall.model import MINUTE

By = Literal["service", "title"]

# A storm: more open incidents than the first number, or more new ones than the second within that many seconds.
STORM_OPEN, STORM_NEW, STORM_WITHIN = 40, 10, 10 * MINUTE

_INSIDE = re.compile(r"[\[({<][^\])}>]*[\])}>]")
_VARIABLE = re.compile(r"\S*\d\S*")
_SPACE = re.compile(r"\W+")


class Group(Struct, frozen=True):
    """Incidents that have something in common, the next escalation first. Name and titles are unsafe to show.

    Attributes:
        key: stable from one refresh to the next: the service's id, or the shape of the titles.
        name: the service's name, or the title of the oldest incident.
        titles: similar titles, each with its number of incidents, the most frequent first.
        oldest: when the oldest one began, in Unix seconds.
        soonest: the incident with the next escalation; None if no escalation is pending.
    """

    key: str
    name: str
    rows: tuple[IncidentRow, ...]
    titles: tuple[tuple[str, int], ...]
    unacknowledged: int
    mine: int
    oldest: float
    soonest: IncidentRow | None

    @property
    def next_step(self) -> IncidentRow | None:
        """The incident with the next escalation; with none pending, with the next step of another kind, such as a timeout."""
        return self.soonest or _first(row for row in self.rows if row.next.at is not None)

    @property
    def rank(self) -> tuple[object, ...]:
        """The sort key: the next escalation first; then the most unacknowledged incidents."""
        soonest = self.soonest.next.at if self.soonest is not None else float("inf")
        return soonest, -self.unacknowledged, -len(self.rows), self.name, self.key


def groups(rows: Iterable[IncidentRow], by: By) -> list[Group]:
    """Incidents in groups, the next escalation first."""
    found: dict[str, list[IncidentRow]] = defaultdict(list)
    for row in rows:
        found[alike(row.incident.title) if by == "title" else row.incident.service.id or row.incident.service.name].append(row)
    return sorted((_group(key, members, by) for key, members in found.items()), key=lambda group: group.rank)


def is_storm(board: Board) -> bool:
    """Whether there are too many incidents to read one by one: many open ones, or many new ones within minutes."""
    new = sum(row.incident.burning and board.now - row.incident.created < STORM_WITHIN for row in board.rows)
    return len(board.rows) > STORM_OPEN or new > STORM_NEW


def alike(title: str) -> str:
    """The key of similar titles: in lower case, without numbers and brackets."""
    return _SPACE.sub(" ", _VARIABLE.sub(" ", _INSIDE.sub(" ", title))).strip().casefold() or title.strip().casefold()


def _group(key: str, members: Sequence[IncidentRow], by: By) -> Group:
    first = min(members, key=lambda row: (row.incident.created, row.incident.id)).incident
    shapes: dict[str, list[str]] = defaultdict(list)
    for row in members:
        shapes[alike(row.incident.title)].append(row.incident.title)
    return Group(
        key,
        first.service.name if by == "service" else first.title,
        tuple(sorted(members, key=lambda row: row.rank[2:])),
        tuple(sorted(((min(same), len(same)) for same in shapes.values()), key=lambda one: (-one[1], one[0]))),
        sum(row.incident.burning for row in members),
        sum(row.mine for row in members),
        first.created,
        _first(row for row in members if row.next.pages),
    )


def _first(rows: Iterable[IncidentRow]) -> IncidentRow | None:
    return min(rows, key=lambda row: row.next.at or 0.0, default=None)
