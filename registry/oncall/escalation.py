"""Who is on call on which level at which moment, and how far an incident has been escalated: its next step, and to whom.

Entries come from two reads: who is on call now, and who begins later. Together they cover the future up to each level's last
entry. For times that they do not cover, the result is None, never a guess.

The level is computed from the assignees and from who is on call on which level of the policy. If the same people are on several
levels, it is the level from the log. An ambiguous level is returned as several levels, or as none.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from registry.oncall.fetch import KINDS
from registry.oncall.model import ACKNOWLEDGED, BY_POLICY, DIRECTLY, Duty, EscalationPolicy, Event, Incident, Ref, Rule, Service


class OnCallLevel(Struct, frozen=True):
    """One level of a policy now; level 1 is paged first.

    Attributes:
        duties: who covers it, permanent ones last. Nobody, if it is empty and `known`.
        then: who follows each scheduled person, by user id; an empty tuple means nobody, None means not known.
        returns: if nobody covers it now: when somebody does again; None if not known.
        rule: the policy's rule; None if the policy could not be read.
    """

    number: int
    duties: tuple[Duty, ...]
    then: dict[str, tuple[Ref, ...] | None]
    returns: float | None
    rule: Rule | None
    known: bool = True


class OnCallPolicy(Struct, frozen=True):
    """A policy's levels. `details`: the policy with its rules, which show uncovered levels; None if it was not read."""

    policy: Ref
    levels: tuple[OnCallLevel, ...]
    teams: tuple[Ref, ...]
    details: EscalationPolicy | None

    @property
    def uncovered(self) -> tuple[int, ...]:
        """Levels that would page nobody now."""
        return tuple(level.number for level in self.levels if not level.duties and level.known) if self.details else ()


class Duties:
    """Computes who is on call.

    Args:
        now: current entries, and those that ended since they were read.
        later: entries that begin later. The service omits those that end after the requested window, so nothing is known after
            a level's last entry.
        whole: whether all current entries could be read.
        later_whole: whether all later entries could be read.
    """

    def __init__(self, now: Iterable[Duty], later: Iterable[Duty], *, whole: bool = True, later_whole: bool = True) -> None:
        self._whole, self._later_whole = whole, later_whole
        keyed = {
            (one.policy.id, one.level, one.schedule and one.schedule.id, one.user.id, one.start): one for one in (*later, *now)
        }
        self.all = list(keyed.values())
        self._by_level: dict[tuple[str, int], list[Duty]] = defaultdict(list)
        for duty in self.all:
            self._by_level[duty.policy.id, duty.level].append(duty)

    def at(self, policy: str, level: int, moment: float) -> tuple[Duty, ...]:
        """The entries that cover a level at a moment; scheduled ones first."""
        return tuple(
            sorted(
                (duty for duty in self._by_level.get((policy, level), ()) if duty.covers(moment)),
                key=lambda duty: (duty.permanent, duty.end is None, duty.end or 0.0, duty.user.name),
            )
        )

    def people(self, policy: str, level: int, moment: float, now: float, rule: Rule | None = None) -> tuple[Ref, ...] | None:
        """The people whom a level pages at a moment, each once; None if not known.

        People whom its rule names directly are always on call: if the entries lack one, they are incomplete.
        """
        found = self.at(policy, level, moment)
        if not self._knows(policy, level, moment, now) or not self._whole or not _has_named(found, rule):
            return None
        present = self.at(policy, level, now)
        if any(self.after(duty, now) is None for duty in present if duty.end is not None and duty.end <= moment):
            # A shift ends before that moment, and it is not known who follows.
            return None
        if moment > now and any(duty.schedule is not None and duty.start is not None and duty.end is None for duty in found):
            # The shift has begun and has no end: it is not known how long it lasts.
            return None
        return tuple({duty.user.id: duty.user for duty in found}.values())

    def levels(self, id_: str, policy: EscalationPolicy | None) -> list[int]:
        """The levels of a policy: those of its rules if it was read, and those with entries."""
        from_rules = range(1, len(policy.rules) + 1) if policy is not None else ()
        return sorted({*from_rules, *(level for of, level in self._by_level if of == id_)})

    def back_then(self, policy: str, level: int, moment: float, rule: Rule | None) -> tuple[set[str], bool]:
        """The ids of those who covered a level at a moment in the past, and whether these are all.

        Past entries are known only if they still last, or ended while this program was running. A schedule without an entry
        at that moment may have had one.
        """
        of_level = self._by_level.get((policy, level), ())
        found = [duty for duty in of_level if duty.covers(moment)]
        wanted = {duty.schedule.id for duty in of_level if duty.schedule is not None}
        if rule is not None:
            wanted |= {target.id for target in rule.targets if target.kind.startswith("schedule")}
        known = {duty.schedule.id for duty in found if duty.schedule is not None}
        return {duty.user.id for duty in found}, wanted <= known

    def policies(self, policies: Iterable[EscalationPolicy], now: float) -> list[OnCallPolicy]:
        """Every policy's levels, sorted by name; also policies known only from entries, whose gaps are not known."""
        by_id = {policy.id: policy for policy in policies}
        refs = {duty.policy.id: duty.policy for duty in self.all}
        refs |= {id_: Ref(id_, policy.name, policy.url, "escalation_policy") for id_, policy in by_id.items()}
        made = []
        for ref in sorted(refs.values(), key=lambda ref: ref.name.casefold()):
            policy, found = by_id.get(ref.id), []
            rules = policy.rules if policy else ()
            levels = {level for of, level in self._by_level if of == ref.id and self.at(of, level, now)}
            for level in sorted({*levels, *range(1, len(rules) + 1)}):
                duties, of_level = self.at(ref.id, level, now), self._by_level.get((ref.id, level), ())
                then = {duty.user.id: self.after(duty, now) for duty in duties if duty.end is not None}
                starts = [one.start for one in of_level if one.start is not None and one.start > now]
                returns = min(starts, default=None) if not duties else None
                rule = rules[level - 1] if level <= len(rules) else None
                found.append(OnCallLevel(level, duties, then, returns, rule, self._whole and _has_named(duties, rule)))
            made.append(OnCallPolicy(ref, tuple(found), policy.teams if policy else (), policy))
        return made

    def after(self, duty: Duty, now: float) -> tuple[Ref, ...] | None:
        """Who follows when an entry ends: the next on the same schedule, or nobody; None if not known."""
        if duty.end is None:
            return ()
        found = [
            one
            for one in self.at(duty.policy.id, duty.level, duty.end)
            if duty.schedule is None or (one.schedule is not None and one.schedule.id == duty.schedule.id)
        ]
        if not found and not self._knows(duty.policy.id, duty.level, duty.end, now):
            return None
        return tuple(one.user for one in found)

    def _knows(self, policy: str, level: int, moment: float, now: float) -> bool:
        """Whether the entries cover a moment: it is not in the future, somebody covers it, or a later entry proves a gap."""
        if moment <= now:
            return self._whole
        if self.at(policy, level, moment):
            return True
        return self._later_whole and any(
            duty.start is not None and duty.start > moment for duty in self._by_level.get((policy, level), ())
        )


def _has_named(duties: Iterable[Duty], rule: Rule | None) -> bool:
    """Whether the entries contain everybody whom a rule names directly."""
    there = {duty.user.id for duty in duties}
    return rule is None or all(target.id in there for target in rule.targets if target.kind.startswith("user"))


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
    if counted is not None and not found and policy is not None and counted <= len(policy.rules):
        # Counting gives the right level if every level up to it is covered, so that none was skipped.
        found = [counted] if all(duties.at(policy.id, number, now) for number in range(1, counted + 1)) else []
    return (counted,) if counted is not None and counted in found else tuple(found)


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
    return (first("again", 1) if policy.loops > (repeats or 0) else None) or Next("nobody", at)


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
