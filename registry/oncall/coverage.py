"""Who covers the next 14 days: gaps, single points and other weaknesses of every policy, in words.

It is computed from the shifts that the service lists. After a level's last listed shift, coverage is unknown: the list omits
shifts that end after the requested window, so there may be one. Levels are compared at each moment: if one person covers two
levels on different days, that is not a weakness.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import tzinfo
from itertools import pairwise
from typing import Literal

from registry.oncall.board import Board
from registry.oncall.clocks import DAY, HOUR, span, when
from registry.oncall.model import Duty, EscalationPolicy
from registry.oncall.words import names
from registry.text.safe_text import visible_line

FORTNIGHT = 14 * DAY
_MOST_GAPS = 3  # more than that are summed up in one line
_SHORTEST = 60.0  # seconds; a shorter gap is only a difference between two clocks


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a level's next 14 days, and who covers it; `people` is empty for nobody, None if not known."""

    start: float
    end: float
    people: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class LevelCover:
    """A level's next 14 days, as consecutive parts."""

    level: int
    stretches: tuple[Stretch, ...]

    @property
    def gaps(self) -> tuple[Stretch, ...]:
        """The parts that nobody covers."""
        return tuple(one for one in self.stretches if one.people == ())

    @property
    def unknown_parts(self) -> tuple[Stretch, ...]:
        """The parts with unknown coverage."""
        return tuple(one for one in self.stretches if one.people is None)


@dataclass(frozen=True, slots=True)
class Weakness:
    """A weakness to fix, in words that are safe to show. `grave`: a responder may not be paged at all."""

    kind: Literal["gap", "unknown", "single", "twice", "no service", "maintenance", "unreachable"]
    words: str
    grave: bool = False


@dataclass(frozen=True, slots=True)
class PolicyCover:
    """A policy's next 14 days. `read`: whether its future shifts are known."""

    policy: EscalationPolicy
    levels: tuple[LevelCover, ...]
    weaknesses: tuple[Weakness, ...]
    read: bool


def coverage(board: Board, zone: tzinfo) -> list[PolicyCover]:
    """The next 14 days of every policy in scope."""
    facts, now = board.facts, board.now
    found = []
    for policy in sorted(facts.policies, key=lambda one: one.name.casefold()):
        if not board.scope.of_teams(policy.teams):
            continue
        duties = [duty for duty in (*facts.duties, *facts.later) if duty.policy.id == policy.id]
        # A list that was not read to its end would show false gaps.
        read = policy.id in facts.later_whole and facts.read("on call").complete and bool(facts.duties)
        levels = tuple(
            _level(number, [duty for duty in duties if duty.level == number], bool(rule.targets), now)
            for number, rule in enumerate(policy.rules, start=1)
        )
        weaknesses = list(_weaknesses(policy, levels, board, zone)) if read else []
        found.append(PolicyCover(policy, levels, tuple(weaknesses), read))
    return found


def own_weakness(board: Board) -> Weakness | None:
    """The weakness that I would be paged too late: on call, but no rule notifies me at once for high urgency; or None."""
    mine = board.mine
    if mine.me is None or mine.me.called_at_once is not False or not (mine.duties or mine.next):
        return None
    words = "No notification rule pages you immediately (phone or push) for high urgency."
    return Weakness("unreachable", words, grave=True)


def _level(number: int, duties: list[Duty], named: bool, now: float) -> LevelCover:
    end = now + FORTNIGHT
    if not named:
        return LevelCover(number, (Stretch(now, end, ()),))
    borders = {now, end}
    for duty in duties:
        borders |= {at for at in (duty.start, duty.end) if at is not None and now < at < end}
    known_until = _known_until(duties, now)
    if now < known_until < end:
        borders.add(known_until)
    stretches: list[Stretch] = []
    for start, stop in zip(sorted(borders), sorted(borders)[1:], strict=False):
        people = tuple(sorted({duty.user.name for duty in duties if duty.covers(start)}))
        here = Stretch(start, stop, people if people or start < known_until else None)
        if stretches and stretches[-1].people == here.people:
            stretches[-1] = Stretch(stretches[-1].start, stop, here.people)
        elif here.people == () and stop - start < _SHORTEST:
            continue
        else:
            stretches.append(here)
    return LevelCover(number, tuple(stretches))


def _known_until(duties: Iterable[Duty], now: float) -> float:
    """The end of the last known shift; before it, a time without a shift is a gap, and after it coverage is unknown."""
    ends = [float("inf") if duty.end is None else duty.end for duty in duties]
    return max(ends, default=now)


def _weaknesses(policy: EscalationPolicy, levels: tuple[LevelCover, ...], board: Board, zone: tzinfo) -> Iterable[Weakness]:
    now = board.now
    if not levels:
        yield Weakness("gap", "The policy has no levels: nobody is paged", grave=True)
    for level in levels:
        if len(level.gaps) > _MOST_GAPS:
            total = span(sum(gap.end - gap.start for gap in level.gaps))
            words = f"L{level.level} NOBODY: {len(level.gaps)} gaps, {total} in total, first {_from(level.gaps[0], now, zone)}"
            yield Weakness("gap", words, grave=True)
        for gap in level.gaps if len(level.gaps) <= _MOST_GAPS else ():
            whole = gap.start <= now and gap.end >= now + FORTNIGHT
            words = "for all 14 days" if whole else f"{_from(gap, now, zone)} ({span(gap.end - gap.start)})"
            yield Weakness("gap", f"L{level.level} NOBODY {words}", grave=True)
        for gap in level.unknown_parts:
            nobody_now = gap.start <= now
            words = (
                f"L{level.level} "
                + ("nobody on call now; " if nobody_now else "")
                + f"no coverage known {_from(gap, now, zone)}"
            )
            yield Weakness("unknown", words, grave=nobody_now)
    alone = _alone(levels)
    for who, numbers, spells in alone[:_MOST_GAPS]:
        which = " and ".join(", ".join(f"L{level}" for level in numbers).rsplit(", ", 1))
        always = spells[0].end - spells[0].start >= FORTNIGHT
        when_ = "for all 14 days" if always else _from(spells[0], now, zone)
        when_ += f" and {len(spells) - 1} more time{'s' if len(spells) > 2 else ''}" if len(spells) > 1 else ""
        everywhere = len(numbers) == len(levels)
        words = (
            f"{visible_line(who)} covers {'all levels, ' if everywhere else ''}{which} {when_}: escalating reaches nobody new"
        )
        yield Weakness("single" if everywhere else "twice", words, grave=everywhere and always)
    if len(alone) > _MOST_GAPS:
        more = len(alone) - _MOST_GAPS
        yield Weakness("twice", f"{more} more {'people cover' if more > 1 else 'person covers'} several levels at a time")
    if not policy.services:
        yield Weakness("no service", "No service uses this policy")
    states = {service.id: service for service in board.facts.services}
    for ref in policy.services:
        service = states.get(ref.id)
        if service is not None and service.state == "maintenance":
            yield Weakness("maintenance", f"{names([ref])} is in maintenance: no incidents are created")


def _from(one: Stretch, now: float, zone: tzinfo) -> str:
    begin = "now" if one.start <= now else when(one.start, zone, now)
    if one.end >= now + FORTNIGHT:
        return f"from {begin}"
    return f"from {begin} until {when(one.end, zone, now)}"


def _alone(levels: tuple[LevelCover, ...]) -> list[tuple[str, tuple[int, ...], list[Stretch]]]:
    """Who covers several levels alone for at least an hour, which levels, and when; the earliest first."""
    borders = sorted({border for level in levels for one in level.stretches for border in (one.start, one.end)})
    found: dict[tuple[str, tuple[int, ...]], list[Stretch]] = {}
    for start, end in pairwise(borders):
        on: dict[str, list[int]] = {}
        for level in levels:
            here = next((one for one in level.stretches if one.start <= start < one.end), None)
            if here is not None and here.people is not None and len(here.people) == 1:
                on.setdefault(here.people[0], []).append(level.level)
        for who, numbers in on.items():
            if len(numbers) > 1:
                spells = found.setdefault((who, tuple(numbers)), [])
                if spells and spells[-1].end == start:
                    spells[-1] = Stretch(spells[-1].start, end, (who,))
                else:
                    spells.append(Stretch(start, end, (who,)))
    long = ((who, numbers, [one for one in spells if one.end - one.start >= HOUR]) for (who, numbers), spells in found.items())
    return sorted((one for one in long if one[2]), key=lambda one: (one[2][0].start, one[0]))
