"""The dashboard's data: open incidents, mine, whom they page next. A pure function of the facts and the time.

In a storm, open incidents are in groups: by service or by similar titles, each with its counts and next escalation.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from msgspec import Struct

from registry.oncall.escalation import Duties, Next, OnCallPolicy, by_incident, levels_reached, next_of
from registry.oncall.facts import INCIDENT_PARTS, Facts
from registry.oncall.model import ACKNOWLEDGED, BY_POLICY, HOUR, MINUTE, TRIGGERED, Duty, Event, Incident, Person, Ref, Service
from registry.oncall.scope import Scope

Lane = Literal["mine", "next", "nobody", "unacknowledged", "low", "rest"]
# Mine; an escalation or an ack timeout is pending; nobody left to page; unacknowledged; low or neglected; the rest.
LANES: tuple[Lane, ...] = ("mine", "next", "nobody", "unacknowledged", "low", "rest")

NEGLECTED_TRIGGERED, NEGLECTED_ACKNOWLEDGED = HOUR, 8 * HOUR

_STATUS_ORDER = {TRIGGERED: 0, ACKNOWLEDGED: 2}
NEW, DONE, GONE = "NEW", "DONE", "GONE"
STATES = ("critical", "warning", "maintenance", "disabled", "active")


class IncidentRow(Struct, frozen=True):
    """An open incident, and what happens to it next if nobody acts.

    Attributes:
        levels: the level reached; several if ambiguous, empty if not known.
        neglected: unacknowledged for more than an hour, or acknowledged for more than eight.
        calls: pages to people since it was last assigned.
    """

    incident: Incident
    levels: tuple[int, ...]
    next: Next
    mine: bool
    neglected: bool
    calls: tuple[Event, ...]

    @property
    def level(self) -> str:
        """The level reached: ``L2``, ``L1/2`` if ambiguous, ``?`` if not known, ``–`` for a direct assignment."""
        if self.next.kind == "direct" or self.incident.via not in ("", BY_POLICY):
            return "–"
        return "L" + "/".join(map(str, self.levels)) if self.levels else "?"

    @property
    def lane(self) -> Lane:
        """The first lane in the order of `LANES` that it belongs to."""
        one, following = self.incident, self.next
        if self.mine:
            return "mine"
        if following.at is not None and following.kind in ("level", "again", "runs out") and not following.uncovered:
            return "next"
        if following.kind in ("nobody", "exhausted"):
            return "nobody"
        if one.burning and (one.high or following.kind == "unknown"):
            return "unacknowledged"
        return "low" if self.neglected or not one.high else "rest"

    @property
    def rank(self) -> tuple[object, ...]:
        """Its sort key: the lane, in `mine` the unacknowledged first, the next clock; then the more severe first."""
        one = self.incident
        status = _STATUS_ORDER.get(one.status, 1) + (self.next.kind == "snoozed")
        soon = self.next.at if self.next.at is not None else float("inf")
        waits = self.mine and not one.burning
        return LANES.index(self.lane), waits, soon, not one.high, status, one.priority or "~", -one.created, one.id


class Verdict(Struct, frozen=True):
    """Counts of incidents in scope; only `outside`, `outside_high` and `outside_mine` count the others.

    `outside_high` and `outside_mine` count those of them that nobody has acknowledged.
    `mine`: open incidents assigned to me; `mine_triggered`: those of them that nobody has acknowledged,
    `mine_high` of high urgency;
    `unacknowledged_since`: since when the oldest of these waits. `more`: the counts may be too low; `mine_more`: the counts of
    mine may be too low, also because the assignees of an incident are not known. `unreadable`: incidents that were listed but
    could not be read, and are in no other count.
    """

    triggered: int
    high: int
    acknowledged: int
    mine: int
    unacknowledged_since: float | None
    mine_triggered: int
    mine_high: int
    neglected: int
    snoozed: int
    outside: int
    outside_high: int
    outside_mine: int
    states: Mapping[str, int]
    more: bool = False
    mine_more: bool = False
    unreadable: int = 0

    @property
    def mine_first(self) -> bool:
        """Whether one of mine needs me most: a low-urgency one comes after those of others that page somebody."""
        return self.mine_high > 0 or (self.mine_triggered > 0 and not self.high)

    @property
    def open(self) -> int:
        """Open incidents in scope."""
        return self.triggered + self.acknowledged


class Mine(Struct, frozen=True):
    """My profile, if it is known, and my on-call shifts.

    Attributes:
        duties: where I am on call now; the lowest level first, then the nearest end.
        then: who follows me on the first of them; empty for nobody, None if not known.
        next: my next duty that begins later; None if there is no known one.
    """

    me: Person | None
    duties: tuple[Duty, ...]
    then: tuple[Ref, ...] | None
    next: Duty | None


@dataclass(frozen=True)
class Board:
    """Everything that the dashboard shows at one moment, `now`: what is in scope.

    Incidents are ordered by `IncidentRow.rank`, policies by name, services by state and name, events with the newest first.
    `zones` are users' time zones by id.
    """

    now: float
    facts: Facts
    scope: Scope
    verdict: Verdict
    mine: Mine
    rows: tuple[IncidentRow, ...]
    policies: tuple[OnCallPolicy, ...]
    services: tuple[Service, ...]
    events: tuple[Event, ...]
    zones: Mapping[str, str]

    @cached_property
    def by_id(self) -> Mapping[str, IncidentRow]:
        """The rows, by the ids of their incidents."""
        return {row.incident.id: row for row in self.rows}

    @property
    def me(self) -> str:
        """My user id; empty if it is not known."""
        return self.mine.me.id if self.mine.me is not None else ""

    @cached_property
    def paging(self) -> list[IncidentRow]:
        """The incidents whose next escalation pages somebody, the soonest first."""
        return sorted(
            (row for row in self.rows if row.next.pages and row.next.kind != "nobody" and not row.next.uncovered),
            key=lambda row: (row.next.at or 0.0, row.rank),
        )

    @property
    def soonest(self) -> IncidentRow | None:
        """The first of these, mine or not; None if none is known to."""
        return next(iter(self.paging), None)

    @cached_property
    def next_unknown(self) -> int:
        """The number of open incidents whose next step is not known: one of them may escalate before `soonest`."""
        return sum(row.next.kind == "unknown" for row in self.rows)


def board(facts: Facts, now: float, scope: Scope | None = None) -> Board:
    """The board of the facts at a moment."""
    scope = scope or Scope()
    me = facts.me.id if facts.me else ""
    duties = duties_of(facts)
    logs = by_incident(facts.events)
    policies = {policy.id: policy for policy in facts.policies}
    services = {service.id: service for service in facts.services}
    rows, outside = [], []
    for incident in facts.incidents:
        if not incident.open:
            continue
        if not scope.holds(incident, me, now):
            outside.append(incident)
            continue
        log = log_of(facts, incident, logs)
        policy = policies.get(incident.policy.id)
        levels = levels_reached(incident, policy, duties, log or (), now)
        following = next_of(incident, levels, policy, services.get(incident.service.id), duties, log, now)
        # Pages belong to the present level from the last assignment on.
        since = max((at for _, at in incident.assigned), default=incident.created)
        calls = tuple(event for event in logs.get(incident.id, ()) if event.kind == "notify" and event.at >= since)
        taken = incident.status == ACKNOWLEDGED
        held = max((at for _, at in incident.acknowledged), default=incident.since) if taken else incident.since
        neglected = now - held > (NEGLECTED_ACKNOWLEDGED if taken else NEGLECTED_TRIGGERED) and following.kind != "snoozed"
        rows.append(IncidentRow(incident, levels, following, incident.is_assigned_to(me), neglected, calls))
    rows.sort(key=lambda row: row.rank)
    shown = [service for service in facts.services if scope.of_teams(service.teams)]
    shown.sort(key=lambda service: (STATES.index(service.state) if service.state in STATES else 0, service.name.casefold()))
    burning = [row for row in rows if row.incident.burning]
    waiting = [row.incident.since for row in burning if row.mine]
    lists = [facts.read(part) for part in INCIDENT_PARTS]
    more = any(read.at is None or not read.complete for read in lists) or bool(facts.unlisted | facts.omitted)
    return Board(
        now=now,
        facts=facts,
        scope=scope,
        verdict=Verdict(
            triggered=len(burning),
            high=sum(row.incident.high for row in burning),
            acknowledged=len(rows) - len(burning),
            mine=sum(row.mine for row in rows),
            unacknowledged_since=min(waiting, default=None),
            mine_triggered=len(waiting),
            mine_high=sum(row.mine and row.incident.high for row in burning),
            neglected=sum(row.neglected for row in rows),
            snoozed=sum(row.next.kind == "snoozed" for row in rows),
            outside=len(outside),
            outside_high=sum(one.high and one.burning for one in outside),
            outside_mine=sum(one.burning and one.is_assigned_to(me) for one in outside),
            states=Counter(service.state for service in shown),
            more=more,
            mine_more=more or any(not row.incident.assigned_known and not row.mine for row in rows),
            unreadable=sum(read.unreadable for read in lists),
        ),
        mine=_mine(facts, duties, now),
        rows=tuple(rows),
        policies=tuple(one for one in duties.policies(facts.policies, now) if scope.of_teams(one.teams)),
        services=tuple(shown),
        events=tuple(event for event in facts.events if scope.of_teams(event.teams)),
        zones={person.id: person.zone for person in facts.people if person.zone},
    )


def duties_of(facts: Facts) -> Duties:
    """Who is on call, from the entries that were read."""
    read = facts.read("on call")
    # An empty list does not prove that nobody is on call: the list may have been lost.
    whole = read.at is not None and read.complete and bool(facts.duties)
    return Duties((*facts.duties, *facts.past), facts.later, whole=whole, later_whole=facts.read("later").complete)


def log_of(facts: Facts, incident: Incident, logs: Mapping[str, list[Event]]) -> list[Event] | None:
    """An incident's log entries, oldest first; None unless the log reaches back to its beginning."""
    since = min((one for one in (facts.history_since, facts.log_since) if one is not None), default=None)
    known = facts.log_whole and facts.read("log").at is not None and since is not None and since <= incident.created
    return logs.get(incident.id, []) if known else None


def _mine(facts: Facts, duties: Duties, now: float) -> Mine:
    if facts.me is None:
        return Mine(None, (), None, None)
    me = facts.me.id
    own = sorted(
        (duty for duty in duties.all if duty.user.id == me),
        key=lambda duty: (duty.level, duty.end is None, duty.end or 0.0, duty.policy.name),
    )
    present = tuple(duty for duty in own if duty.covers(now))
    coming = (duty for duty in own if duty.start is not None and duty.start > now)
    following = min(coming, key=lambda duty: (duty.start or 0.0, duty.level), default=None)
    return Mine(facts.me, present, duties.after(present[0], now) if present else None, following)


def marks(before: Board | None, after: Board) -> Mapping[str, str]:
    """What changed between two boards: by incident id, the mark that its row shows until the next refresh.

    The first board has no marks: an incident that is new on screen is not a new incident.

    ``NEW``: new; ``ACK``: acknowledged; ``BACK``: triggered again; ``L3``: reached that level; ``HIGH`` and ``LOW``: changed
    urgency; ``YOU``: now assigned to you; ``P1``: got that priority; ``DONE``: looked up and resolved; ``GONE``: left the
    scope, or not found any more.
    """
    if before is None or before.facts.panel("incidents").at is None:
        return {}
    earlier = {row.incident.id: row for row in before.rows}
    found = {row.incident.id: _mark(earlier.get(row.incident.id), row) for row in after.rows}
    found |= {id_: DONE if id_ in after.facts.done else GONE for id_ in earlier if id_ not in found}
    return {id_: mark for id_, mark in found.items() if mark}


def _mark(before: IncidentRow | None, after: IncidentRow) -> str:
    if before is None:
        return NEW
    old, new = before.incident, after.incident
    if old.status != new.status:
        return {ACKNOWLEDGED: "ACK", TRIGGERED: "BACK"}.get(new.status, new.status.upper()[:4])
    if before.levels != after.levels and len(after.levels) == 1 and before.levels:
        return f"L{after.levels[0]}"
    if after.mine and not before.mine:
        return "YOU"
    if old.urgency != new.urgency:
        return new.urgency.upper()[:4]
    return new.priority[:4] if old.priority != new.priority and new.priority else ""


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
