"""Schedules: who is on call at any moment, and from when to when; and whom the levels of escalation policies reach.

A schedule is a stack of layers with overrides on top. A layer hands over from person to person every so many days at the same
local time, whatever the clocks do in between, and may be open only at certain hours of the week. Where several layers are
open the later one counts; an override has priority over all of them. A moment that no layer covers is a gap.

There is one rule for who is on call (`Rotation.on_call`). Shifts are found by asking it at every moment at which its result
can change, so that shifts and single results cannot disagree.
"""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from msgspec.json import Decoder, encode

from registry.sandbox.incidents.query import zone
from registry.sandbox.incidents.scenarios import ROUND_ROBIN
from registry.sandbox.store import Body
from registry.sandbox.world import DAY

_NEARBY, _FARTHER = 21 * DAY, 200 * DAY
_FOREVER = 400 * DAY


class Shift(NamedTuple):
    """A person's time on call, in Unix seconds; `end` is None if it is open-ended."""

    person: str
    start: int
    end: int | None


class Opening(msgspec.Struct, frozen=True, array_like=True):
    """Weekly hours of a layer, local time: from this time of these weekdays (Monday is 0) for so many hours."""

    weekdays: tuple[int, ...]
    opens: time
    hours: int

    def starts(self, first: date, last: date) -> Iterator[datetime]:
        """Every opening between two days, both included."""
        days = map(date.fromordinal, range(first.toordinal(), last.toordinal() + 1))
        return (datetime.combine(day, self.opens) for day in days if day.weekday() in self.weekdays)

    def covers(self, wall: datetime) -> bool:
        """Whether a local time lies within these hours."""
        length = timedelta(hours=self.hours)
        return any(start <= wall < start + length for start in self.starts((wall - length).date(), wall.date()))


class Layer(msgspec.Struct, frozen=True):
    """One rotation: from a local time on, everybody in turn for so many days; `end` and `openings` limit it."""

    id: str
    name: str
    start: datetime
    end: datetime | None
    days: int
    people: tuple[str, ...]
    openings: tuple[Opening, ...]

    def on_call(self, wall: datetime) -> str | None:
        """Whose turn it is at a local time."""
        if not self.people or wall < self.start or (self.end is not None and wall >= self.end):
            return None
        if self.openings and not any(opening.covers(wall) for opening in self.openings):
            return None
        return self.people[(wall - self.start) // timedelta(days=self.days) % len(self.people)]

    def changes(self, first: datetime, last: datetime) -> Iterator[datetime]:
        """Local times at which the result can change, those between two of them and a few around."""
        yield self.start
        if self.end is not None:
            yield self.end
        if len(self.people) > 1:
            turn = timedelta(days=self.days)
            handoff = self.start + max((first - self.start) // turn, 0) * turn
            while handoff <= last:
                yield handoff
                handoff += turn
        for opening in self.openings:
            length = timedelta(hours=opening.hours)
            for start in opening.starts(max(first - length, self.start).date(), last.date()):
                yield start
                yield start + length


class Rotation(msgspec.Struct, frozen=True):
    """A schedule's layers (the later ones count first) and overrides (person and Unix seconds), as its row has them."""

    time_zone: str
    layers: tuple[Layer, ...]
    overrides: tuple[Shift, ...]

    @classmethod
    def read(cls, body: Body) -> "Rotation":
        """The rotation of a schedule's row."""
        return _READER.decode(encode(body))

    @property
    def zone(self) -> ZoneInfo:
        """The zone of its local times."""
        return zone(self.time_zone)

    def on_call(self, moment: int) -> str | None:
        """Who is on call at a moment; None when nobody is."""
        for override in self.overrides:
            if override.start <= moment < _end(override):
                return override.person
        wall = datetime.fromtimestamp(moment, self.zone).replace(tzinfo=None)
        turns = (layer.on_call(wall) for layer in reversed(self.layers))
        return next((person for person in turns if person is not None), None)

    def shifts(self, first: int, last: int) -> list[Shift]:
        """Everybody's time on call that touches the time between two moments, whole even where it reaches beyond."""
        beginning = min((self.instant(layer.start) for layer in self.layers), default=first)
        near, far = min(first, max(first - _NEARBY, beginning)), last + _NEARBY
        while True:
            pieces = self.between(near, far)
            touching = [piece for piece in pieces if piece.start < max(last, first + 1) and _end(piece) > first]
            cut_at_start = bool(touching) and touching[0].start == near and near > beginning
            cut_at_end = bool(touching) and touching[-1].end == far
            if cut_at_end and far > last + _FOREVER:
                touching[-1] = touching[-1]._replace(end=None)
                cut_at_end = False
            if not cut_at_start and not cut_at_end:
                return touching
            near = max(near - _FARTHER, beginning) if cut_at_start else near
            far = far + _FARTHER if cut_at_end else far

    def between(self, first: int, last: int) -> list[Shift]:
        """Everybody's time on call between two moments, cut off at both."""
        low = datetime.fromtimestamp(first, self.zone).replace(tzinfo=None) - timedelta(days=1)
        high = datetime.fromtimestamp(last, self.zone).replace(tzinfo=None) + timedelta(days=1)
        changes = {self.instant(wall) for layer in self.layers for wall in layer.changes(low, high)}
        changes |= {moment for override in self.overrides for moment in override[1:] if moment is not None}
        pieces: list[Shift] = []
        for start, end in pairwise([first, *sorted(moment for moment in changes if first < moment < last), last]):
            person = self.on_call(start)
            if person is None or start == end:
                continue
            before = pieces[-1] if pieces else None
            if before is not None and before.person == person and before.end == start:
                pieces[-1] = before._replace(end=end)
            else:
                pieces.append(Shift(person, start, end))
        return pieces

    def instant(self, wall: datetime) -> int:
        """The moment of a local time."""
        return int(wall.replace(tzinfo=self.zone).timestamp())


_READER = Decoder(Rotation)  # made once, at import: msgspec must not read a type's annotations in two threads at once


def _end(shift: Shift) -> float:
    return inf if shift.end is None else shift.end


class PolicyReach:
    """Finds out whom a level of a policy reaches. Levels count from 0.

    Args:
        policies: stored policies by id.
        rotations: schedules by id.
    """

    def __init__(self, policies: Mapping[str, Body], rotations: Mapping[str, Rotation]) -> None:
        self.policies, self._rotations = policies, rotations

    def levels(self, policy: str) -> list[dict[str, Any]]:
        """The rules of a policy."""
        return list(self.policies[policy]["rules"])

    def reached(self, policy: str, level: int, moment: int, turn: int) -> list[str]:
        """Users whom a level pages at a moment; empty if nobody is on call there.

        `turn` says, where the level hands its incidents out one by one, whose turn it is.
        """
        rule = self.levels(policy)[level]
        found = (id_ if kind == "user" else self._rotations[id_].on_call(moment) for kind, id_ in rule["targets"])
        people = list(dict.fromkeys(person for person in found if person is not None))
        return [people[turn % len(people)]] if rule["strategy"] == ROUND_ROBIN and people else people

    def first_covered(self, policy: str, level: int, moment: int, turn: int) -> tuple[int, list[str]] | None:
        """The first level from `level` on that reaches anybody, and whom; levels with nobody are passed over at once."""
        for number in range(level, len(self.levels(policy))):
            people = self.reached(policy, number, moment, turn)
            if people:
                return number, people
        return None
