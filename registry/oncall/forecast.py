"""Who is paged in the next hour if nobody acts: every pending escalation, ack timeout and change of urgency.

Open incidents are followed through the delays of their policy and through handoffs; a policy starts over as often as it says.
If a level, its people or the number of repeats is not known, the incident's forecast ends there and says so. It omits pages
that are still due for the current assignment: they go to somebody who was paged before.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from registry.oncall.board import Board, IncidentRow, duties_of, log_of
from registry.oncall.escalation import Duties, by_incident, step, times_repeated
from registry.oncall.model import BY_POLICY, HOUR, EscalationPolicy, Event, Ref

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
