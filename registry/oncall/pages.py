"""Pages per person and night: how often somebody was notified, and how often at night in their zone.

A page is one notification of one person in the log; push and phone at the same time count as two. Night is from 22:00 to 07:00
in the person's own zone; a night is named by the date on which it begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from registry.oncall import reading
from registry.oncall.clocks import DAY
from registry.oncall.facts import Trouble
from registry.oncall.fetch import Call, Clock, Fetcher, FetchFailed, iso
from registry.oncall.model import Event, Ref
from registry.oncall.words import zone_of

PAGES_DAYS = 7
NIGHT_FROM, NIGHT_UNTIL = 22, 7
_LOG_PAGES = 100


@dataclass(frozen=True, slots=True)
class PersonPages:
    """One person's pages.

    Attributes:
        person: who.
        zone: the zone of the nights: the profile's.
        zone_known: whether the profile has a zone; otherwise it is UTC.
        total: all pages.
        incidents: the number of incidents that they were for.
        nights: pages by the date on which the night began; nights without a page are omitted.
        worst: the most pages within one hour of any night.
    """

    person: Ref
    zone: tzinfo
    zone_known: bool
    total: int
    incidents: int
    nights: Mapping[date, int]
    worst: int

    @property
    def at_night(self) -> int:
        """Pages in all nights."""
        return sum(self.nights.values())


@dataclass(frozen=True, slots=True)
class Pages:
    """Everybody's pages.

    Attributes:
        since: the time since which the log has all pages.
        asked_since: the time since which they were requested.
        people: those with the most nightly pages first.
        trouble: why they were not read; None if they were.
    """

    since: float | None
    asked_since: float
    people: tuple[PersonPages, ...] = ()
    trouble: Trouble | None = None

    @property
    def whole(self) -> bool:
        """Whether the log goes back as far as requested."""
        return self.trouble is None and self.since is not None and self.since <= self.asked_since


async def read_pages(call: Call, clock: Clock, zones: Mapping[str, str], days: int = PAGES_DAYS) -> Pages:
    """Everybody's pages of a number of days. A failure is in the result, not raised.

    Args:
        call: runs a tool.
        clock: the current time.
        zones: users' time zones by id.
        days: how many days back.
    """
    start = clock() - days * DAY
    asking = Fetcher(call, clock, lambda _: None)
    arguments = {"since": iso(start), "is_overview": False}
    try:
        listed = await asking.every("ListLogEntries", arguments, "log_entries", reading.event, most=_LOG_PAGES)
    except FetchFailed as failed:
        return Pages(None, start, trouble=failed.trouble)
    since = start if listed.complete else min((event.at for event in listed.items), default=clock())
    return Pages(since, start, pages_of(listed.items, zones))


def pages_of(events: Iterable[Event], zones: Mapping[str, str]) -> tuple[PersonPages, ...]:
    """Pages by person; duplicate entries count once."""
    by_person: dict[str, dict[str, Event]] = {}
    names: dict[str, Ref] = {}
    for event in events:
        for person in event.people[:1] if event.kind == "notify" else ():
            by_person.setdefault(person.id, {})[event.id] = event
            names[person.id] = person
    made = [_person(names[id_], list(own.values()), zones.get(id_, "")) for id_, own in by_person.items()]
    return tuple(sorted(made, key=lambda one: (-one.at_night, -one.total, one.person.name, one.person.id)))


def _person(person: Ref, events: list[Event], zone_name: str) -> PersonPages:
    zone = zone_of(zone_name)
    nights: dict[date, list[float]] = {}
    for event in events:
        if (night := night_of(event.at, zone or UTC)) is not None:
            nights.setdefault(night, []).append(event.at)
    worst = max((_most_in_an_hour(sorted(at)) for at in nights.values()), default=0)
    counts = {night: len(at) for night, at in sorted(nights.items())}
    incidents = len({event.incident.id for event in events})
    return PersonPages(person, zone or UTC, zone is not None, len(events), incidents, counts, worst)


def night_of(at: float, zone: tzinfo) -> date | None:
    """The date on which the night around a moment began; None by day."""
    local = datetime.fromtimestamp(at, zone)
    if local.hour >= NIGHT_FROM:
        return local.date()
    return local.date() - timedelta(days=1) if local.hour < NIGHT_UNTIL else None


def _most_in_an_hour(moments: list[float]) -> int:
    most = first = 0
    for last, at in enumerate(moments):
        while at - moments[first] >= 3600:
            first += 1
        most = max(most, last - first + 1)
    return most
