"""Whether the incidents that were read can be believed: an all-clear is a claim, and needs evidence.

It is made only if

- everything that the service announced has come: every list of incidents was read to its end, lately, and each item could be
  read;
- nothing newer contradicts the lists: no log entry of an incident that they lack or call acknowledged, no service with an
  incident that the log lacks or with the state critical, no incident that disappeared from them and could not be looked up;
- the clocks make sense: otherwise what seems to be new may be old.

What is not known is shown as not known. Who is paged is not part of this.
"""

from math import inf
from typing import Literal

from msgspec import Struct

from registry.oncall.board import STATES, Board
from registry.oncall.facts import INCIDENT_PARTS, Facts, Read
from registry.oncall.model import OLDER_EVERY, age
from registry.text.shown import shortened, visible_line

# Number of refresh intervals after which a part that was not read again is stale, whatever the reason.
STALE_AFTER = 1.6

TRIGGERED, UNREACHED, UNSURE, QUIET = 10, 3, 1, 0
"""At least one triggered incident; the service was not reached or refused the credential; incidents were not read completely,
or are contradicted; incidents are complete, not contradicted, and none is triggered."""

WORST_FIRST = (TRIGGERED, UNREACHED, UNSURE, QUIET)

Kind = Literal["loading", "unknown", "open", "partial", "doubtful", "unchecked", "clear", "filtered"]
_MOST_NAMES = 3
_SLACK = 30.0  # seconds between the creation of an incident and its log entry, or between two parts of one refresh


class Evidence(Struct, frozen=True):
    """How far the list of incidents can be trusted.

    Attributes:
        kind: ``open`` (there are some in scope, however they became known). Without any: ``loading`` (nothing was read yet),
            ``unknown`` (reading failed), ``partial`` (not all was read), ``doubtful`` (something contradicts the lists),
            ``filtered`` (some are outside the scope), ``unchecked`` (services or log could not be compared), ``clear``.
        contradictions, causes: what contradicts the lists, and why they are not complete or not up to date; safe to show.
        missing: what could not be compared: ``services``, ``log``.
        outdated: whether a list is from an earlier time, and not only incomplete.
        unreached: whether a list failed because the service was not reached or refused the credential.
    """

    kind: Kind
    contradictions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    outdated: bool = False
    unreached: bool = False

    @property
    def complete(self) -> bool:
        """Whether every list of incidents was read to its end."""
        return self.kind not in ("loading", "unknown") and not self.causes

    @property
    def trusted(self) -> bool:
        """Whether the list of incidents is known to be complete and right."""
        return self.complete and not self.contradictions


def evidence(board: Board, now: float, interval: float) -> Evidence:
    """The evidence for a board's incidents at a moment. `interval`: seconds between two refreshes."""
    facts = board.facts
    reads = {part: facts.read(part) for part in INCIDENT_PARTS}
    causes = tuple(dict.fromkeys(cause for part, read in reads.items() for cause in _causes(part, read, now, interval)))
    outdated = any(_outdated(part, read, now, interval) for part, read in reads.items())
    unreached = any(read.trouble is not None and read.trouble.unreached for read in reads.values())
    contradictions = tuple(_contradictions(facts, services=not stale(facts.read("services"), now, interval)))
    named = bool(facts.services or not facts.events) and all(one.state in STATES for one in facts.services)
    whole = {"services": facts.read("services").complete and named, "log": facts.log_whole}
    missing = tuple(name for name in whole if stale(facts.read(name), now, interval) or not whole[name])
    kind: Kind
    if board.verdict.open:
        # Even if no list could be read: the log may have named some, and each was looked up by its id.
        kind = "open"
    elif all(read.at is None for read in reads.values()):
        kind = "unknown" if any(read.trouble is not None for read in reads.values()) else "loading"
    elif causes or board.verdict.unreadable:
        kind = "partial"
    elif contradictions:
        kind = "doubtful"
    elif board.verdict.outside:
        kind = "filtered"
    else:
        kind = "unchecked" if missing else "clear"
    return Evidence(kind, contradictions, missing, causes, outdated, unreached)


def stale(read: Read, now: float, interval: float) -> bool:
    """Whether a part is too old: it was never read, reading it again failed or takes too long, or an old copy came.

    `now` is a Unix time and `interval` the time between two refreshes, both in seconds.
    """
    failed = read.trouble is not None and not read.trouble.partway
    return read.at is None or failed or now - read.at > STALE_AFTER * interval


def code_of(made: Board, interval: float) -> int:
    """The exit code of `callboard oncall` for a board. `interval`: seconds between two refreshes."""
    found = evidence(made, made.now, interval)
    if made.verdict.triggered:
        return TRIGGERED
    if found.unreached:
        return UNREACHED
    return QUIET if found.trusted and not made.verdict.unreadable else UNSURE


def _outdated(part: str, read: Read, now: float, interval: float) -> bool:
    """Whether a list is from an earlier time. The list of older incidents has its own schedule."""
    return stale(read, now, interval + OLDER_EVERY if part == "older" else interval)


def _causes(part: str, read: Read, now: float, interval: float) -> list[str]:
    """Why a list of incidents is not complete or not up to date."""
    what = "older incidents" if part == "older" else part
    if read.trouble is not None:
        return [f"{what}: {visible_line(read.trouble.cause)}"]
    if read.at is None:
        return [f"{what}: not loaded yet"]
    if _outdated(part, read, now, interval):
        return [f"{what}: {age(now - read.at)} old"]
    if read.unreadable:
        return [f"{what}: {read.unreadable} unreadable"]
    if not read.complete and read.announced > read.items:
        return [f"{what}: {read.announced} announced, {read.items} came"]
    return [] if read.complete else [f"{what}: more may exist"]


def _contradictions(facts: Facts, *, services: bool) -> list[str]:
    burning = {one.service.id for one in facts.incidents if one.burning}
    held = {one.service.id for one in facts.incidents}
    odd = facts.services if services else ()
    critical = [one.name for one in odd if one.state == "critical" and one.id not in burning]
    warning = [one.name for one in odd if one.state == "warning" and one.id not in held]
    at = {one.service.id: one.at for one in reversed(facts.events)}
    since, until = facts.log_since or inf, (facts.read("log").at or 0.0) - _SLACK
    unlogged = [one.name for one in odd if one.last and since <= one.last <= until and at.get(one.id, 0.0) < one.last - _SLACK]
    told = (
        (unlogged, "1 service had an incident", "{} services had incidents", f" that the log lacks ({_names(unlogged)})"),
        (critical, "1 service is critical", "{} services are critical", f" without a triggered incident ({_names(critical)})"),
        (warning, "1 service warns", "{} services warn", f" without an open incident ({_names(warning)})"),
        (
            facts.unlisted,
            "the log names 1 incident",
            "the log names {} incidents",
            " that no list contains and that did not end",
        ),
        (facts.moved, "the log says that 1 acknowledged incident", "the log says that {} acknowledged incidents", " changed"),
        (facts.omitted, "1 open incident is", "{} open incidents are", " missing from the lists"),
        (facts.unconfirmed, "1 incident", "{} incidents", " disappeared and could not be checked"),
    )
    found = [(one if len(which) == 1 else several.format(len(which))) + words for which, one, several, words in told if which]
    return [*found, *([facts.clock_doubt] if facts.clock_doubt else [])]


def _names(names: list[str]) -> str:
    shown = [shortened(visible_line(name), 30) for name in sorted(names, key=str.casefold)[:_MOST_NAMES]]
    return ", ".join(shown) + (f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else "")
