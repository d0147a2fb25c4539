"""The level that an incident has reached, and its next step: when, and whom it pages. The service returns neither of them.

The level is computed from the assignees and from who is on call on which level of the policy. If the same people are on several
levels, it is the level from the log. An ambiguous level is returned as several levels, or as none.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from registry.oncall.duties import Duties
from registry.oncall.log import KINDS
from registry.oncall.model import ACKNOWLEDGED, BY_POLICY, DIRECTLY, EscalationPolicy, Event, Incident, Ref, Service

Kind = Literal[
    "level", "again", "maybe", "nobody", "exhausted", "direct", "low", "raise", "runs out", "snoozed", "stays", "unknown"
]  # fmt: skip
_SLACK = 2.0  # seconds by which the service's clocks may differ


class Next(Struct, frozen=True):
    """What happens to an incident if nobody acts.

    Attributes:
        kind: ``level`` (escalates to the next level), ``again`` (the policy starts over), ``maybe`` (it may start over, or
            nobody is left: how often it started over is not known), ``nobody`` (there is no next level), ``exhausted`` (it has
            been through all levels), ``direct`` (assigned by hand, never escalates), ``low`` (low urgency does not escalate),
            ``raise`` (becomes urgent), ``runs out`` (the ack times out), ``snoozed`` (until then), ``stays`` (the ack does not
            time out), ``unknown``.
        at: when; None if nothing is scheduled.
        levels: the level that is paged then; several if ambiguous.
        people: whom that pages; empty if not known.
        one_of: only one of them is paged, in turn; None if it is not known whether one or all are.
        uncovered: nobody is on that level now, and it is not known whether somebody begins there in time.
    """

    kind: Kind
    at: float | None = None
    levels: tuple[int, ...] = ()
    people: tuple[Ref, ...] = ()
    one_of: bool | None = False
    uncovered: bool = False

    @property
    def pages(self) -> bool:
        """Whether an escalation is pending: to a level, or to nobody left."""
        return self.at is not None and self.kind in ("level", "again", "maybe", "nobody")


def levels_reached(
    incident: Incident, policy: EscalationPolicy | None, duties: Duties, log: Sequence[Event], now: float
) -> tuple[int, ...]:
    """The level that an open incident has reached: one, several if ambiguous, empty if not known.

    Its `policy` is None if it was not read; its `log` has the oldest entry first, and is empty unless it reaches back to the
    incident's beginning.
    """
    if incident.via != BY_POLICY or not incident.assigned:
        return ()
    found = _by_people(incident, policy, duties)
    counted = _by_log(log)
    if counted is not None and (counted in found or (not found and _nobody_passed_over(policy, duties, now, counted))):
        return (counted,)
    return tuple(found)


def _by_people(incident: Incident, policy: EscalationPolicy | None, duties: Duties) -> list[int]:
    """The levels that it may have been assigned to, by who was on call at that time, not now."""
    people, at = {ref.id for ref, _ in incident.assigned}, max(at for _, at in incident.assigned)
    whole, some = [], []
    for level in duties.levels(incident.policy.id, policy):
        rule = policy.rules[level - 1] if policy is not None and level <= len(policy.rules) else None
        there, sure = duties.back_then(incident.policy.id, level, at, rule)
        takes_turns = rule is not None and rule.one_of and len(people) == 1
        if sure:
            # A level pages all its people at once, or only one of them if they take turns.
            if people == there or (takes_turns and people <= there):
                whole.append(level)
            elif people <= there:
                some.append(level)
        elif takes_turns or (there <= people and (rule is None or len(people) <= len(rule.targets))):
            whole.append(level)
    return whole or some


def _nobody_passed_over(policy: EscalationPolicy | None, duties: Duties, now: float, level: int) -> bool:
    """Whether counting gives the right level: every level up to it is covered, so that none was skipped."""
    if policy is None or level > len(policy.rules):
        return False
    return all(duties.at(policy.id, number, now) for number in range(1, level + 1))


def next_of(
    incident: Incident,
    levels: tuple[int, ...],
    policy: EscalationPolicy | None,
    service: Service | None,
    duties: Duties,
    log: Sequence[Event] | None,
    now: float,
) -> Next:
    """What happens to an incident next. Arguments as for `levels_reached`; `log` is None unless it is complete."""
    pending = incident.pending
    if incident.status == ACKNOWLEDGED:
        return _of_acknowledged(incident, service, log or ())
    if (at := pending.get("escalate")) is not None:
        if len(levels) == 1 and policy is not None:
            return step(at, levels[0], times_repeated(log), policy, duties, now)
        beyond = policy is not None and any(level >= len(policy.rules) for level in levels)
        return Next("level", at, () if beyond else tuple(level + 1 for level in levels))
    if "urgency_change" in pending and incident.urgency == "low":
        return Next("raise", pending["urgency_change"])
    if not incident.pending_known:
        return Next("unknown")
    if incident.via == DIRECTLY:
        return Next("direct")
    if incident.urgency == "low":
        return Next("low")
    # High urgency, by the policy, triggered, and nothing scheduled: nobody is left to page.
    return Next("exhausted") if incident.via == BY_POLICY else Next("unknown")


def _of_acknowledged(incident: Incident, service: Service | None, log: Sequence[Event]) -> Next:
    at = incident.pending.get("unacknowledge")
    if at is None:
        return Next("stays" if incident.pending_known else "unknown")
    since = max((moment for _, moment in incident.acknowledged), default=incident.changed)
    entries = [event for event in log if event.kind in ("snooze", "acknowledge")]
    if entries:
        return Next("snoozed" if entries[-1].kind == "snooze" else "runs out", at)
    if service is not None and (service.holds is None or at - since > service.holds + _SLACK):
        return Next("snoozed", at)
    return Next("runs out", at)


def step(at: float, level: int, repeats: int | None, policy: EscalationPolicy, duties: Duties, now: float) -> Next:
    """The escalation from a level at a moment: to the next level that somebody covers, or may cover, at that moment.

    `repeats`: how often the policy has started over; None if not known.
    """
    moment = max(at, now)

    def first(kind: Kind, start: int) -> Next | None:
        for number, rule in enumerate(policy.rules[start - 1 :], start):
            people = duties.people(policy.id, number, moment, now, rule)
            if people != ():
                uncovered = people is None and duties.people(policy.id, number, now, now, rule) == ()
                return Next(kind, at, (number,), people or (), rule.one_of if len(people or ()) > 1 else False, uncovered)
        return None

    if (found := first("level", level + 1)) is not None:
        return found
    if policy.loops and repeats is None:
        return Next("maybe", at)
    again = first("again", 1) if policy.loops > (repeats or 0) else None
    return again or Next("nobody", at)


def times_repeated(log: Sequence[Event] | None) -> int | None:
    """How often a policy started over since the incident was assigned to it; None if the log is incomplete or unclear."""
    if log is None or any(event.kind not in KINDS for event in log):
        return None
    repeats = 0
    for event in log:
        repeats = 0 if event.kind == "delegate" else repeats + (event.kind == "repeat_escalation_path")
    return repeats


def _by_log(log: Sequence[Event]) -> int | None:
    """The level, by counting escalations since the incident was last assigned; None without a log."""
    if not log:
        return None
    level = 1
    for event in log:
        if event.kind in ("assign", "delegate", "repeat_escalation_path"):
            # A policy that starts over logs an escalation to level 1.
            level = 0 if event.kind == "repeat_escalation_path" else 1
        elif event.kind == "escalate":
            level += 1
    return max(level, 1)


def by_incident(events: Sequence[Event]) -> Mapping[str, list[Event]]:
    """The log of each incident, oldest first."""
    found: dict[str, list[Event]] = {}
    for event in sorted(events, key=lambda event: (event.at, event.id)):
        found.setdefault(event.incident.id, []).append(event)
    return found
