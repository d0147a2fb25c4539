"""What the sandbox will do with each open incident if nobody acts: a recomputation that shares no code with the dashboard.

The sandbox knows each incident's level, loop and clocks, and tells none of them. A copy of its course, without the steps that
its script has people take, is let run on; what it then logs is the truth that predictions are compared with.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, NamedTuple

import pytest

from registry.sandbox.incidents.course import Course

HOUR = 3_600


class Deed(NamedTuple):
    """Something that happens by itself: when, what, and whom the incident is assigned to from then on."""

    at: int
    kind: str
    people: tuple[str, ...]


class Truth(NamedTuple):
    """An open incident as the sandbox knows it, and what happens to it within the next hour if nobody acts."""

    status: str
    urgency: str
    assigned: frozenset[str]
    policy: str
    level: int
    deeds: tuple[Deed, ...]

    @property
    def escalation(self) -> Deed | None:
        """The next escalation, or that the policy is exhausted; only what the clock that runs now leads to."""
        return next((deed for deed in self.deeds if deed.kind in ("escalate", "exhaust_escalation_path")), None)

    @property
    def people(self) -> frozenset[str]:
        """Everybody who is paged."""
        return frozenset(who for deed in self.deeds for who in deed.people)


class Oracle:
    """Knows the courses of a sandbox's incidents by id."""

    def __init__(self) -> None:
        self.courses: dict[str, Course] = {}

    def truth(self, now: int, horizon: int = HOUR) -> dict[str, Truth]:
        """Every open incident at a moment, by id."""
        found = {}
        for id_, course in self.courses.items():
            body, log = course.until(now)
            if body["status"] == "resolved":
                continue
            ahead = self._alone(course).until(now + horizon)[1][len(log) :]
            deeds = tuple(_deeds(ahead, body))
            people = frozenset(person for _, person in body["assigned"])
            found[id_] = Truth(body["status"], body["urgency"], people, body["policy"], course._level + 1, deeds)
        return found

    @staticmethod
    def _alone(course: Course) -> Course:
        """A copy without people."""
        other = copy(course)
        for name in ("_clocks", "_calls", "_log", "_now"):
            setattr(other, name, copy(getattr(course, name)))
        other._steps = []
        return other


def _deeds(log: Sequence[tuple[int, Mapping[str, Any]]], body: Mapping[str, Any]) -> Iterator[Deed]:
    assigned, triggered = tuple(person for _, person in body["assigned"]), body["status"] == "triggered"
    for at, entry in log:
        if entry["type"] == "escalate":
            assigned = tuple(entry["assignees"])
            yield Deed(at, "escalate", assigned)
        elif entry["type"] == "unacknowledge" or (entry["type"] == "urgency_change" and triggered):
            triggered = True
            yield Deed(at, entry["type"], assigned)
        elif entry["type"] in ("exhaust_escalation_path", "resolve", "repeat_escalation_path"):
            yield Deed(at, entry["type"], ())


@contextmanager
def oracle() -> Iterator[Oracle]:
    """An oracle of the sandbox that is made inside."""
    made, original = Oracle(), Course.__init__

    def noting(self: Course, *arguments: Any) -> None:
        original(self, *arguments)
        made.courses[self.id] = self

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Course, "__init__", noting)
        yield made
