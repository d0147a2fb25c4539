"""Who is on call on which level at which moment, and which levels nobody covers.

Entries come from two reads: who is on call now, and who begins later. Together they cover the future up to each level's last
entry. For times that they do not cover, the result is None, never a guess.
"""

from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

from registry.oncall.model import Duty, EscalationPolicy, Ref, Rule


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
        found = (duty for duty in self._by_level.get((policy, level), ()) if duty.covers(moment))
        return tuple(sorted(found, key=lambda duty: (duty.permanent, duty.end is None, duty.end or 0.0, duty.user.name)))

    def people(self, policy: str, level: int, moment: float, now: float, rule: Rule | None = None) -> tuple[Ref, ...] | None:
        """The people whom a level pages at a moment, each once; None if not known.

        People whom its rule names directly are always on call: if the entries lack one, they are incomplete.
        """
        found = self.at(policy, level, moment)
        if not self._knows(policy, level, moment, now) or not self._whole or not _has_named(found, rule):
            return None
        ended = [duty for duty in self.at(policy, level, now) if duty.end is not None and duty.end <= moment]
        if any(self.after(duty, now) is None for duty in ended):
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
        made = (self._on_call_policy(ref, by_id.get(id_), now) for id_, ref in refs.items())
        return sorted(made, key=lambda on_call: on_call.policy.name.casefold())

    def _on_call_policy(self, ref: Ref, policy: EscalationPolicy | None, now: float) -> OnCallPolicy:
        rules = policy.rules if policy else ()
        levels = {level for of, level in self._by_level if of == ref.id and self.at(of, level, now)}
        levels |= set(range(1, len(rules) + 1))
        found = []
        for level in sorted(levels):
            duties = self.at(ref.id, level, now)
            then = {duty.user.id: self.after(duty, now) for duty in duties if duty.end is not None}
            starts = [one.start for one in self._by_level.get((ref.id, level), ()) if one.start is not None and one.start > now]
            returns = min(starts, default=None) if not duties else None
            rule = rules[level - 1] if level <= len(rules) else None
            found.append(OnCallLevel(level, duties, then, returns, rule, self._whole and _has_named(duties, rule)))
        return OnCallPolicy(ref, tuple(found), policy.teams if policy else (), policy)

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
