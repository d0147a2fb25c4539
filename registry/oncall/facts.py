"""All data that was read, with the state of each part: when it was last read, how far back, whether it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeVar

from registry.oncall.model import CallSource, Duty, EscalationPolicy, Event, Incident, Person, Ref, Service

T = TypeVar("T")

PanelName = Literal["incidents", "on call", "log", "services"]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a read failed: the cause in a few words, since when, and when it is tried again, where that is known.

    `passing`: the read is still under way and will be repeated. `unreached`: the service was not reached, or it refuses the
    credential.
    """

    cause: str
    since: float
    again: float | None = None
    passing: bool = False
    unreached: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """The state of a part of the facts.

    Attributes:
        at: when it was last read successfully; None when it never was.
        complete: whether that was everything in its window.
        items: how many items it gave.
        unreadable: how many more items it gave that could not be read; then it is not complete.
        since: how far back it looked; None where it has no window.
        trouble: why the last attempt failed; None when it did not.
        calls: the calls that it was made with.
    """

    at: float | None = None
    complete: bool = True
    items: int = 0
    since: float | None = None
    trouble: Trouble | None = None
    calls: tuple[CallSource, ...] = ()
    unreadable: int = 0

    def failed(self, trouble: Trouble) -> Read:
        """The same after an attempt that failed; a trouble goes on since its first appearance."""
        since = self.trouble.since if self.trouble is not None else trouble.since
        return replace(self, trouble=replace(trouble, since=since))


def together(reads: Iterable[Read]) -> Read:
    """Several reads as one: as old as the oldest, as incomplete as the least complete, with the first trouble."""
    all_ = list(reads)
    known = [read.at for read in all_ if read.at is not None]
    windows = [read.since for read in all_ if read.since is not None]
    return Read(
        at=min(known) if len(known) == len(all_) and all_ else None,
        complete=all(read.complete for read in all_),
        items=sum(read.items for read in all_),
        since=min(windows, default=None),
        trouble=next((read.trouble for read in all_ if read.trouble is not None), None),
        calls=tuple(call for read in all_ for call in read.calls),
        unreadable=sum(read.unreadable for read in all_),
    )


_NEVER = Read(complete=False)


@dataclass(frozen=True)
class Facts:
    """All data. A part that was never read is empty, and its `Read` says so.

    Attributes:
        incidents: open ones, each once, newest knowledge first.
        unconfirmed: ids of those that are in no list any more, and could not be looked up.
        done: ids of those that were looked up and are resolved.
        unlisted: ids of those that the log says are open, that no list has, and that could not be looked up.
        omitted: ids of open ones that were looked up and that a list should have had, so that it may lack others, too.
        duties: who is on call now.
        past: duties of the last day that have ended.
        later: duties that begin within the next three weeks.
        later_of: when `later` was last read, by policy id.
        later_whole: ids of the policies of which all of that could be read.
        policies, services, people, teams: of the whole account.
        me: whom the token belongs to; None when that is not known.
        events: the log, newest first.
        log_whole: whether every entry that was listed could be read.
        log_since: from when on `events` is complete with pages to people.
        history_since: from when on `events` is complete without them.
        reads: how each part stands.
    """

    incidents: tuple[Incident, ...] = ()
    unconfirmed: frozenset[str] = frozenset()
    done: frozenset[str] = frozenset()
    unlisted: frozenset[str] = frozenset()
    omitted: frozenset[str] = frozenset()
    duties: tuple[Duty, ...] = ()
    past: tuple[Duty, ...] = ()
    later: tuple[Duty, ...] = ()
    later_of: Mapping[str, float] = field(default_factory=dict)
    later_whole: frozenset[str] = frozenset()
    policies: tuple[EscalationPolicy, ...] = ()
    services: tuple[Service, ...] = ()
    people: tuple[Person, ...] = ()
    teams: tuple[Ref, ...] = ()
    me: Person | None = None
    events: tuple[Event, ...] = ()
    log_whole: bool = True
    log_since: float | None = None
    history_since: float | None = None
    reads: Mapping[str, Read] = field(default_factory=dict)

    @cached_property
    def misfits(self) -> tuple[list[str], list[str]]:
        """Names of services that are critical without a triggered incident, and that warn without an open one."""
        burning = {one.service.id for one in self.incidents if one.burning}
        held = {one.service.id for one in self.incidents}
        critical = [one.name for one in self.services if one.state == "critical" and one.id not in burning]
        return critical, [one.name for one in self.services if one.state == "warning" and one.id not in held]

    def read(self, part: str) -> Read:
        """The state of a part; a part that was never tried has never been read."""
        return self.reads.get(part, _NEVER)

    def panel(self, name: PanelName) -> Read:
        """The state of the parts that a panel shows."""
        read = together(self.read(part) for part in PANELS[name])
        if read.at is not None:
            read = _with_slow(read, [self.read(part) for part in SLOW.get(name, ())])
        return read


INCIDENT_PARTS = ("triggered", "acknowledged", "older")
"""The lists that open incidents come from."""

PANELS: dict[PanelName, tuple[str, ...]] = {
    "incidents": ("triggered", "acknowledged"),
    "on call": ("on call",),
    "log": ("log",),
    "services": ("services",),
}
"""The parts that every refresh reads, by the panel that shows them; they decide how old it is."""

SLOW: dict[PanelName, tuple[str, ...]] = {"incidents": ("older",), "on call": ("policies",)}
"""The parts that change and are read seldom; their errors are shown in the panel, their age is not."""


def _with_slow(read: Read, slow: list[Read]) -> Read:
    whole = together([read, *slow])
    return replace(whole, at=read.at, complete=whole.complete and all(one.at is not None for one in slow))


def once(items: Iterable[T], key: Callable[[T], str]) -> tuple[T, ...]:
    """Each item once, the first of those with the same key."""
    found: dict[str, T] = {}
    for item in items:
        found.setdefault(key(item), item)
    return tuple(found.values())
