"""Who is paged in the next hour if nobody acts: every pending escalation, ack timeout and change of urgency.

Open incidents are followed through the delays of their policy and through handoffs; a policy starts over as often as it says.
If a level, its people or the number of repeats is not known, the incident's forecast ends there and says so. It omits pages
that are still due for the current assignment: they go to somebody who was paged before.

Who covers the next 14 days: gaps, single points and other weaknesses of every policy, in words.

It is computed from the shifts that the service lists. After a level's last listed shift, coverage is unknown: the list omits
shifts that end after the requested window, so there may be one. Levels are compared at each moment: if one person covers two
levels on different days, that is not a weakness.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from itertools import pairwise
from typing import Literal

from msgspec import Struct

from registry.oncall.board import Board, IncidentRow, duties_of, log_of
from registry.oncall.escalation import Duties, by_incident, step, times_repeated
from registry.oncall.model import BY_POLICY, DAY, HOUR, Duty, EscalationPolicy, Event, Ref, span, when
from registry.oncall.words import many, names
from registry.text.shown import visible_line

HORIZON = HOUR
_MOST_STEPS = 200

Why = Literal["escalation", "repeat", "ack timeout", "snooze ends", "high urgency", "nobody", "unknown"]
_REOPENED: dict[str, Why] = {"raise": "high urgency", "snoozed": "snooze ends"}


class PendingPage(Struct, frozen=True):
    """One incident that reaches somebody at a moment.

    Attributes:
        why: the reason; ``nobody``: the policy has no level left then; ``unknown``: it is not known whom it reaches.
        level: the level, which nobody is on now if it is `uncovered`; None if not known, or if the assignment stays.
        people: who is paged, or if `one_of` who takes turns; empty for ``nobody``, only those known for ``unknown``.
        one_of: only one of them is paged, in turn; None if it is not known whether one or all are.
    """

    at: float
    row: IncidentRow
    why: Why
    level: int | None
    people: tuple[Ref, ...] = ()
    one_of: bool | None = False
    uncovered: bool = False


class Paged(Struct, frozen=True):
    """A person with their pages and the number of open incidents they have now; or several, unless surely all are paged."""

    people: tuple[Ref, ...]
    pages: tuple[PendingPage, ...]
    holds: int


class Forecast(Struct, frozen=True):
    """The pages between `start` and `end`, in order, and those of each person, the first page first.

    Attributes:
        nobody: those with no level left.
        unknown: those where it is not known whom they reach, or whether the policy starts over.
        unsure: the number of open incidents without a forecast, because their next step is not known.
    """

    start: float
    end: float
    pages: tuple[PendingPage, ...]
    paged: tuple[Paged, ...]
    nobody: tuple[PendingPage, ...]
    unknown: tuple[PendingPage, ...]
    unsure: int


def forecast(board: Board, horizon: float = HORIZON) -> Forecast:
    """The forecast for the incidents of a board. `horizon`: seconds ahead."""
    facts, end = board.facts, board.now + horizon
    duties, logs = duties_of(facts), by_incident(facts.events)
    policies = {policy.id: policy for policy in facts.policies}
    pages: list[PendingPage] = []
    for row in board.rows:
        one = row.incident
        pages += _of(row, policies.get(one.policy.id), duties, log_of(facts, one, logs), board.now, end)
    pages.sort(key=lambda page: (page.at, page.row.incident.id))
    nobody, unknown = (tuple(page for page in pages if page.why == why) for why in ("nobody", "unknown"))
    return Forecast(board.now, end, tuple(pages), _by_person(board, pages), nobody, unknown, board.next_unknown)


def _by_person(board: Board, pages: Sequence[PendingPage]) -> tuple[Paged, ...]:
    holds = Counter(ref.id for row in board.rows for ref, _ in row.incident.assigned)
    found: dict[tuple[str, ...], tuple[tuple[Ref, ...], list[PendingPage]]] = {}
    for page in pages:
        for who in [page.people] if page.one_of is not False else [(ref,) for ref in page.people]:
            if who:
                found.setdefault(tuple(ref.id for ref in who), (who, []))[1].append(page)
    rows = [Paged(who, tuple(own), holds[ids[0]] if len(ids) == 1 else 0) for ids, (who, own) in found.items()]
    return tuple(sorted(rows, key=lambda one: (one.pages[0].at, one.people[0].name)))


def _of(
    row: IncidentRow, policy: EscalationPolicy | None, duties: Duties, log: Sequence[Event] | None, now: float, end: float
) -> list[PendingPage]:
    """The pages of one incident."""
    one, found, repeats = row.incident, row.next, times_repeated(log)
    end = min(end, one.pending.get("resolve", end))
    level = row.levels[0] if len(row.levels) == 1 else None
    pages: list[PendingPage] = []
    if found.at is not None and found.at < end and not found.pages:
        # An ack timeout or a raised urgency pages the assignees again, and restarts the delay.
        again = max(found.at, now)
        why = _REOPENED.get(found.kind, "ack timeout") if one.assigned_known else "unknown"
        pages.append(PendingPage(again, row, why, None, tuple({ref.id: ref for ref, _ in one.assigned}.values())))
        rises = one.pending.get("urgency_change", end) <= again
        if one.via != BY_POLICY or not (one.high or rises) or policy is None or level is None:
            return pages
        found = step(again + policy.rules[level - 1].delay, level, repeats, policy, duties, now)
    while found.at is not None and found.at < end and len(pages) < _MOST_STEPS:
        moment, level = max(found.at, now), found.levels[0] if len(found.levels) == 1 else None
        if found.kind == "nobody":
            return [*pages, PendingPage(moment, row, "nobody", None)]
        if found.kind == "maybe" or not found.people or level is None or policy is None:
            return [*pages, PendingPage(moment, row, "unknown", level, uncovered=found.uncovered)]
        why = "repeat" if found.kind == "again" else "escalation"
        pages.append(PendingPage(moment, row, why, level, found.people, found.one_of))
        repeats = (repeats or 0) + 1 if found.kind == "again" else repeats
        delay = policy.rules[level - 1].delay
        if delay <= 0:
            return pages
        found = step(moment + delay, level, repeats, policy, duties, now)
    return pages


FORTNIGHT = 14 * DAY
_MOST_GAPS = 3  # more than that are summed up in one line
_SHORTEST = 60.0  # seconds; a shorter gap is only a difference between two clocks


class Stretch(Struct, frozen=True):
    """A part of a level's next 14 days, and who covers it; `people` is empty for nobody, None if not known."""

    start: float
    end: float
    people: tuple[str, ...] | None


class LevelCover(Struct, frozen=True):
    """A level's next 14 days, as consecutive parts."""

    level: int
    stretches: tuple[Stretch, ...]


class Weakness(Struct, frozen=True):
    """A weakness to fix, in words that are safe to show.

    `grave`: a responder may not be paged at all. `at`: when nobody is on call first, in Unix seconds.
    """

    words: str
    grave: bool = False
    at: float = float("inf")


class PolicyCover(Struct, frozen=True):
    """A policy's next 14 days."""

    policy: EscalationPolicy
    levels: tuple[LevelCover, ...]
    weaknesses: tuple[Weakness, ...]


def coverage(board: Board, zone: tzinfo) -> list[PolicyCover] | None:
    """The next 14 days of every policy in scope, the first one without anybody first, then by name.

    None unless every shift was read: half a list would show false gaps.
    """
    facts, now = board.facts, board.now
    if not (facts.read("later").complete and facts.read("on call").complete and facts.duties):
        return None
    found = []
    for policy in facts.policies:
        if board.scope.of_teams(policy.teams):
            duties = [duty for duty in (*facts.duties, *facts.later) if duty.policy.id == policy.id]
            levels = tuple(
                _level(number, [duty for duty in duties if duty.level == number], bool(rule.targets), now)
                for number, rule in enumerate(policy.rules, start=1)
            )
            found.append(PolicyCover(policy, levels, tuple(_weaknesses(policy, levels, board, zone))))
    return sorted(found, key=_urgency)


def _urgency(one: PolicyCover) -> tuple[float, bool, str]:
    grave = [weakness.at for weakness in one.weaknesses if weakness.grave]
    return min(grave, default=float("inf")), not grave, one.policy.name.casefold()


def own_weakness(board: Board) -> Weakness | None:
    """The weakness that I would be paged too late: on call, but no rule notifies me at once for high urgency; or None."""
    mine = board.mine
    if mine.me is None or mine.me.called_at_once is not False or not (mine.duties or mine.next):
        return None
    return Weakness("No notification rule pages you immediately (phone or push) for high urgency.", grave=True)


def _level(number: int, duties: list[Duty], named: bool, now: float) -> LevelCover:
    end = now + FORTNIGHT
    if not named:
        return LevelCover(number, (Stretch(now, end, ()),))
    # Until the last known shift ends, a time without a shift is a gap; after it coverage is unknown.
    known_until = max((float("inf") if duty.end is None else duty.end for duty in duties), default=now)
    ends = {at for duty in duties for at in (duty.start, duty.end, known_until) if at is not None and now < at < end}

    def people_at(moment: float) -> tuple[str, ...] | None:
        people = tuple(sorted({duty.user.name for duty in duties if duty.covers(moment)}))
        return people if people or moment < known_until else None

    parts = [Stretch(start, stop, people_at(start)) for start, stop in pairwise(sorted({now, end} | ends))]
    return LevelCover(number, tuple(_joined(one for one in parts if one.people != () or one.end - one.start >= _SHORTEST)))


def _joined(parts: Iterable[Stretch]) -> list[Stretch]:
    """Stretches in which neighbours with the same people are one."""
    found: list[Stretch] = []
    for one in parts:
        if found and found[-1].end == one.start and found[-1].people == one.people:
            one = Stretch(found.pop().start, one.end, one.people)
        found.append(one)
    return found


def _weaknesses(policy: EscalationPolicy, levels: tuple[LevelCover, ...], board: Board, zone: tzinfo) -> Iterator[Weakness]:
    now = board.now
    if not levels:
        yield Weakness("The policy has no levels: nobody is paged", grave=True, at=now)
    for level in levels:
        gaps, name = [one for one in level.stretches if one.people == ()], f"L{level.level}"
        if len(gaps) > _MOST_GAPS:
            total, first = span(sum(gap.end - gap.start for gap in gaps)), _from(gaps[0], now, zone)
            yield Weakness(f"{name} NOBODY: {len(gaps)} gaps, {total} in total, first {first}", grave=True, at=gaps[0].start)
        for gap in gaps if len(gaps) <= _MOST_GAPS else ():
            whole = gap.start <= now and gap.end >= now + FORTNIGHT
            words = "for all 14 days" if whole else f"{_from(gap, now, zone)} ({span(gap.end - gap.start)})"
            yield Weakness(f"{name} NOBODY {words}", grave=True, at=gap.start)
        for gap in (one for one in level.stretches if one.people is None):
            nobody = "nobody on call now; " if gap.start <= now else ""
            yield Weakness(f"{name} {nobody}no coverage known {_from(gap, now, zone)}", grave=bool(nobody), at=gap.start)
    alone = _alone(levels)
    for who, numbers, spells in alone[:_MOST_GAPS]:
        always, everywhere = spells[0].end - spells[0].start >= FORTNIGHT, len(numbers) == len(levels)
        which = "all levels, " * everywhere + " and ".join(", ".join(f"L{level}" for level in numbers).rsplit(", ", 1))
        when_ = "for all 14 days" if always else _from(spells[0], now, zone)
        when_ += f" and {many(len(spells) - 1, 'more time')}" if len(spells) > 1 else ""
        yield Weakness(
            f"{visible_line(who)} covers {which} {when_}: escalating reaches nobody new", grave=everywhere and always
        )
    if more := len(alone[_MOST_GAPS:]):
        yield Weakness(f"{more} more {'people cover' if more > 1 else 'person covers'} several levels at a time")
    if not policy.services:
        yield Weakness("No service uses this policy")
    resting = {service.id for service in board.facts.services if service.state == "maintenance"}
    for ref in (one for one in policy.services if one.id in resting):
        yield Weakness(f"{names([ref])} is in maintenance: no incidents are created")


def _from(one: Stretch, now: float, zone: tzinfo) -> str:
    begin = "now" if one.start <= now else when(one.start, zone, now)
    return f"from {begin}" + ("" if one.end >= now + FORTNIGHT else f" until {when(one.end, zone, now)}")


def _alone(levels: tuple[LevelCover, ...]) -> list[tuple[str, tuple[int, ...], list[Stretch]]]:
    """Who covers several levels alone for at least an hour, which levels, and when; the earliest first."""
    found: dict[tuple[str, tuple[int, ...]], list[Stretch]] = defaultdict(list)
    for start, end in pairwise(sorted({at for level in levels for one in level.stretches for at in (one.start, one.end)})):
        on: dict[str, list[int]] = defaultdict(list)
        for level in levels:
            for one in level.stretches:
                if one.start <= start < one.end and one.people is not None and len(one.people) == 1:
                    on[one.people[0]].append(level.level)
        for who, numbers in on.items():
            if len(numbers) > 1:
                found[who, tuple(numbers)].append(Stretch(start, end, (who,)))
    long = ((who, on, [one for one in _joined(parts) if one.end - one.start >= HOUR]) for (who, on), parts in found.items())
    return sorted((one for one in long if one[2]), key=lambda one: (one[2][0].start, one[0]))
