"""Who is paged in the next hour if nobody acts: every pending escalation, ack timeout and change of urgency.

Open incidents are followed through the delays of their policy and through handoffs; a policy starts over as often as it says.
If a level, its people or the number of repeats is not known, the incident's forecast ends there and says so. It omits pages
that are still due for the current assignment: they go to somebody who was paged before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from registry.oncall.board import Board, IncidentRow, duties_of, log_of
from registry.oncall.clocks import HOUR
from registry.oncall.duties import Duties
from registry.oncall.escalation import by_incident, step, times_repeated
from registry.oncall.model import BY_POLICY, EscalationPolicy, Event, Ref

HORIZON = HOUR
_MOST_STEPS = 200

Why = Literal["escalation", "repeat", "ack timeout", "snooze ends", "high urgency", "nobody", "unknown"]


@dataclass(frozen=True, slots=True)
class PendingPage:
    """One incident that reaches somebody at a moment.

    Attributes:
        at: when.
        row: the incident.
        why: the reason; ``nobody``: the policy has no level left then; ``unknown``: it is not known whom it reaches.
        level: the level; None if it is not known or the assignment does not change.
        people: who is paged, each once; empty for ``nobody``, only those known for ``unknown``.
        one_of: only one of them is paged, in turn.
        uncovered: nobody is on that level now.
    """

    at: float
    row: IncidentRow
    why: Why
    level: int | None
    people: tuple[Ref, ...] = ()
    one_of: bool = False
    uncovered: bool = False


@dataclass(frozen=True, slots=True)
class Paged:
    """A person, or several of whom one is paged in turn, with their pages and the number of open incidents they have now."""

    people: tuple[Ref, ...]
    pages: tuple[PendingPage, ...]
    holds: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """The pages between `start` and `end`, in order.

    Attributes:
        pages: all pages, also those that reach nobody, or where it is not known whom.
        paged: by person, the first page first.
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
    return Forecast(
        board.now,
        end,
        tuple(pages),
        _by_person(board, pages),
        tuple(page for page in pages if page.why == "nobody"),
        tuple(page for page in pages if page.why == "unknown"),
        board.next_unknown,
    )


def _by_person(board: Board, pages: Sequence[PendingPage]) -> tuple[Paged, ...]:
    holds = Counter(ref.id for row in board.rows for ref, _ in row.incident.assigned)
    found: dict[tuple[str, ...], list[PendingPage]] = defaultdict(list)
    people: dict[tuple[str, ...], tuple[Ref, ...]] = {}
    for page in pages:
        for who in [page.people] if page.one_of else [(ref,) for ref in page.people]:
            key = tuple(ref.id for ref in who)
            if key:
                people.setdefault(key, who)
                found[key].append(page)
    rows = (Paged(people[key], tuple(own), holds[key[0]] if len(key) == 1 else 0) for key, own in found.items())
    return tuple(sorted(rows, key=lambda one: (one.pages[0].at, one.people[0].name)))


def _of(
    row: IncidentRow, policy: EscalationPolicy | None, duties: Duties, log: Sequence[Event] | None, now: float, end: float
) -> list[PendingPage]:
    """The pages of one incident."""
    one, pending = row.incident, row.incident.pending
    end = min(end, pending.get("resolve", end))
    pages: list[PendingPage] = []
    assigned = tuple({ref.id: ref for ref, _ in one.assigned}.values())
    if one.burning and "escalate" in pending:
        at = pending["escalate"]
    else:
        # An ack timeout or a raised urgency pages the assignees again, and restarts the delay.
        reopens = "urgency_change" if one.burning else "unacknowledge"
        if reopens not in pending or (reopens == "urgency_change" and one.high):
            return []
        again = max(pending[reopens], now)
        if again >= end:
            return []
        rises = pending.get("urgency_change", end) <= again
        why: Why = "high urgency" if one.burning else "snooze ends" if row.snoozed else "ack timeout"
        pages.append(PendingPage(again, row, why if one.assigned_known else "unknown", None, assigned))
        if one.via != BY_POLICY or not (one.high or rises):
            return pages
        if policy is None or len(row.levels) != 1:
            return pages
        at = again + policy.rules[row.levels[0] - 1].delay
    level = row.levels[0] if len(row.levels) == 1 else None
    if level is None or policy is None:
        return [*pages, PendingPage(max(at, now), row, "unknown", None)] if at < end else pages
    repeats = times_repeated(log)
    for _ in range(_MOST_STEPS):
        if at >= end:
            return pages
        found = step(at, level, repeats, policy, duties, now)
        moment = max(at, now)
        if found.kind == "nobody":
            return [*pages, PendingPage(moment, row, "nobody", None)]
        if found.kind == "maybe" or not found.people:
            reached = found.levels[0] if found.levels else None
            return [*pages, PendingPage(moment, row, "unknown", reached, uncovered=found.uncovered)]
        level = found.levels[0]
        if found.kind == "again":
            repeats = (repeats or 0) + 1
        why = "repeat" if found.kind == "again" else "escalation"
        pages.append(PendingPage(moment, row, why, level, found.people, found.one_of))
        delay = policy.rules[level - 1].delay
        if delay <= 0:
            return pages
        at = moment + delay
    return pages
