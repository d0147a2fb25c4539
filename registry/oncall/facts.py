"""All data that was read: for each part how old it is, how far back it goes, whether it is complete; people told apart."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from email.utils import parsedate_to_datetime
from math import inf
from typing import Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from registry.oncall.model import DAY, MINUTE, CallSource, Duty, EscalationPolicy, Event, Incident, Person, Ref, Service, age

PanelName = Literal["incidents", "on call", "log", "services"]


class Trouble(Struct, frozen=True):
    """Why a read failed: the cause in a few words, since when, and when it is retried, if known.

    `unreached`: the service was not reached, or it refused the credential. `partway`: some pages of the list came before.
    """

    cause: str
    since: float
    again: float | None = None
    unreached: bool = False
    partway: bool = False


class Read(Struct, frozen=True):
    """The state of a part of the facts.

    Attributes:
        at: when the service made what was last read: earlier than it was read if a cache sent a copy. None for never.
        complete: whether that was everything in its time window, which begins at `since`.
        unreadable: how many items beside `items` could not be read; with any, it is not complete.
        announced: how many items the service said there are; 0 if it did not say.
        trouble: why the last attempt failed; None if it did not.
        skew: by how many seconds the service's clock was ahead of this one when it was read; None if it did not say.
    """

    at: float | None = None
    complete: bool = True
    items: int = 0
    since: float | None = None
    trouble: Trouble | None = None
    calls: tuple[CallSource, ...] = ()
    unreadable: int = 0
    announced: int = 0
    skew: float | None = None

    def failed(self, trouble: Trouble) -> "Read":
        """The state after a failed attempt; the trouble keeps the time when it first appeared."""
        since = self.trouble.since if self.trouble is not None else trouble.since
        return replace(self, trouble=replace(trouble, since=since, partway=False))


def together(reads: Iterable[Read]) -> Read:
    """Several reads as one: as old as the oldest, complete only if all are, with the first trouble."""
    all_ = list(reads)
    known = [read.at for read in all_ if read.at is not None]
    return Read(
        at=min(known) if len(known) == len(all_) and all_ else None,
        complete=all(read.complete for read in all_),
        items=sum(read.items for read in all_),
        since=min((read.since for read in all_ if read.since is not None), default=None),
        trouble=min((read.trouble for read in all_ if read.trouble is not None), key=lambda one: one.partway, default=None),
        calls=tuple(call for read in all_ for call in read.calls),
        unreadable=sum(read.unreadable for read in all_),
    )


_NEVER = Read(complete=False)


class Facts(Struct, frozen=True):
    """All data. A part that was never read is empty, and its `Read` says so.

    Attributes:
        incidents: open incidents, each once.
        unconfirmed: ids of incidents that are in no list any more and could not be looked up.
        done: ids of incidents that were looked up and are resolved.
        unlisted: ids of incidents that are open by the log, are in no list, and could not be looked up.
        omitted: ids of open incidents that were looked up and should have been in a list, which may lack others, too.
        moved: ids of acknowledged incidents to which something newer happened by the log, and that could not be looked up.
        duties, past, later: who is on call now; duties that ended within the last day, or begin within the next three weeks.
        me: the token's user; None if not known.
        events: the log, newest first.
        log_whole: whether every entry that was listed could be read.
        clock_doubt: why it is not known what time it is; safe to show, empty if it is known.
        log_since, history_since: the time since which `events` is complete, and complete but for pages to people.
    """

    incidents: tuple[Incident, ...] = ()
    unconfirmed: frozenset[str] = frozenset()
    done: frozenset[str] = frozenset()
    unlisted: frozenset[str] = frozenset()
    omitted: frozenset[str] = frozenset()
    moved: frozenset[str] = frozenset()
    duties: tuple[Duty, ...] = ()
    past: tuple[Duty, ...] = ()
    later: tuple[Duty, ...] = ()
    policies: tuple[EscalationPolicy, ...] = ()
    services: tuple[Service, ...] = ()
    people: tuple[Person, ...] = ()
    teams: tuple[Ref, ...] = ()
    me: Person | None = None
    events: tuple[Event, ...] = ()
    log_whole: bool = True
    log_since: float | None = None
    history_since: float | None = None
    clock_doubt: str = ""
    reads: Mapping[str, Read] = field(default_factory=dict)

    def read(self, part: str) -> Read:
        """The state of a part; never read if it is not known."""
        return self.reads.get(part, _NEVER)

    def panel(self, name: PanelName) -> Read:
        """The state of the parts that a panel shows."""
        read, slow = together(self.read(part) for part in PANELS[name]), [self.read(part) for part in SLOW.get(name, ())]
        if read.at is None:
            return read
        whole = together([read, *slow])
        return replace(whole, at=read.at, complete=whole.complete and all(one.at is not None for one in slow))


INCIDENT_PARTS = ("triggered", "acknowledged", "older")  # the lists that open incidents come from

# The parts that every refresh reads, by the panel that shows them; they decide the panel's age.
PANELS: dict[PanelName, tuple[str, ...]] = {
    "incidents": ("triggered", "acknowledged"),
    "on call": ("on call",),
    "log": ("log",),
    "services": ("services",),
}

# The parts that change rarely and are read rarely; the panel shows their errors, not their age.
SLOW: dict[PanelName, tuple[str, ...]] = {"incidents": ("older",), "on call": ("policies",)}


def own_link(url: str, facts: Facts) -> str:
    """The address if it is a page of the account; empty if it is not, or if the account's host is not known.

    The host comes from my profile's page, or from policies and services if the token has no profile. It never comes from links
    in incidents, because anybody may have written them.
    """
    pages = [*(one.url for one in facts.policies), *(one.url for one in facts.services)]
    if facts.me is not None and facts.me.url:
        pages = [facts.me.url]
    hosts = {urlsplit(page).hostname for page in pages if page}
    parts = urlsplit(url)
    return url if parts.scheme == "https" and len(hosts) == 1 and parts.hostname in hosts else ""


_TELLING: tuple[Callable[[Person], str], ...] = (
    lambda one: one.email.partition("@")[0],
    lambda one: ", ".join(team.name for team in one.teams),
    lambda one: one.id,
)


def told_apart(facts: Facts) -> Facts:
    """The facts with something behind each name that several users have: ``Ann Lee (alee)``, ``Ann Lee (Payments)``."""
    same: dict[str, list[Person]] = defaultdict(list)
    for one in facts.people:
        same[" ".join(one.name.split()).casefold()].append(one)
    names: dict[str, str] = {}
    for group in same.values():
        if len(group) > 1:
            tells = next(tells for tells in _TELLING if len({tells(one) for one in group} - {""}) == len(group))
            names |= {one.id: f"{one.name} ({tells(one)})" for one in group}
    return _named(facts, names) if names else facts


def _named(value: Any, names: Mapping[str, str]) -> Any:
    """A value in which references to users have these names."""
    if isinstance(value, Ref):
        return replace(value, name=names[value.id]) if value.kind == "user" and value.id in names else value
    if isinstance(value, tuple):
        return tuple(_named(one, names) for one in value)
    if isinstance(value, Struct):
        return replace(value, **{name: _named(getattr(value, name), names) for name in value.__struct_fields__})
    return value


# Which clock is right: this computer's, the service's or neither. The times of incidents and of the log decide.
# What has happened cannot lie in the future, and what is due soon is not long overdue. If these times do not decide, it is a
# doubt: countdowns may be wrong, and what seems new may be old.

TOLERATED = 5.0  # seconds that change nothing that is shown
SMALL = 2 * MINUTE  # a difference that cannot hide anything: the service's clock counts, because all times come from it
_SLACK = 15.0  # seconds by which the clocks of a service differ among themselves
_LATE = 2 * MINUTE  # how late a service may do what is due
COPY = MINUTE  # a response whose date is so much older than that of others is a copy
# The end of the year 2199. No service's clock shows a later time, and around year 9999 no time can be calculated.
_LAST_DATE = 7_258_118_400


def skew(date: str, age: int, sent: float, received: float) -> float | None:
    """The least number of seconds by which a service's clock is ahead; negative when behind, None without a valid date.

    Args:
        date: a response's ``Date``, which has whole seconds; of a copy from a cache, when the service made it.
        age: how old a copy is, in seconds.
        sent: when the call began, by this clock.
        received: when the response was complete.
    """
    try:
        made = parsedate_to_datetime(date).timestamp() + age
    except (ValueError, TypeError, OverflowError):
        return None
    if not 0 <= made <= _LAST_DATE:
        return None
    return made - received if made > received else min(made + 1 - sent, 0.0)


def age_of_copy(own: float | None, service: float | None) -> float:
    """How old a response is by its date, whose skew is `own`, if other responses have a newer date, whose skew is `service`."""
    behind = 0.0 if own is None or service is None else service - own
    return behind if behind > COPY else 0.0


def judged(ahead: float | None, facts: Facts, now: float) -> tuple[float, str]:
    """By how many seconds to put this clock forward, and why it is not known what time it is, in words.

    `ahead`: by how much the service's clock is ahead of this one, None if it does not say; `now`: by this clock.
    """
    incidents, reads = facts.incidents, [facts.read(part) for part in PANELS["incidents"]]
    past = [event.at for event in facts.events] + [one.since for one in incidents]
    past += [at for one in incidents for _, at in (*one.assigned, *one.acknowledged)]
    # What an older reading says is due is overdue by now.
    is_new = all(read.trouble is None for read in reads)
    due = [at for one in incidents for at in one.pending.values()] if is_new else []
    # By how many seconds this clock is behind, by the times of incidents and of the log.
    least, most = max(past, default=-inf) - now, min(due, default=inf) - min(read.at or now for read in reads)

    def fits(forward: float) -> bool:
        return least - _SLACK <= forward <= most + _LATE

    other = 0.0 if ahead is None or abs(ahead) <= TOLERATED else ahead
    if not other:
        return 0.0, f"what has happened lies {age(least)} in the future by this computer's clock" if least > SMALL else ""
    if fits(0.0) and not fits(other):
        return 0.0, ""
    if abs(other) <= (SMALL if fits(0.0) else DAY) and fits(other):
        return other, ""
    return 0.0, f"this computer's clock and the service's differ by {age(abs(other))}"
