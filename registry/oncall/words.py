"""The board in words, as pieces of text, each with a tone (a colour). Without colours the words say the same.

Names from outside are made safe here.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from functools import lru_cache
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from registry.oncall.board import STATES, Board, IncidentRow, Mine
from registry.oncall.escalation import Next, OnCallLevel, OnCallPolicy
from registry.oncall.evidence import stale
from registry.oncall.facts import Facts, PanelName, Read
from registry.oncall.model import (
    ACKNOWLEDGED,
    DUE,
    RESOLVED,
    TRIGGERED,
    Duty,
    Incident,
    Person,
    Ref,
    age,
    clock,
    countdown,
    span,
    when,
)
from registry.text.shown import shortened, visible_line

# The meaning of a piece; `filled` has a background colour.
Tone = Literal["plain", "strong", "quiet", "good", "warn", "bad", "mine", "filled", "live"]


class Piece(NamedTuple):
    """A few words and their tone."""

    words: str
    tone: Tone = "plain"


Line = list[Piece]

_LONGEST_NAME = 40

ONE_OF: Mapping[bool | None, str] = {True: "one of ", False: "", None: "all or one of "}
"""Before the names of several people on a level: whether one of them is paged, in turn, or all, or which is not known."""

STATE_WORDS = {TRIGGERED: "TRIG", ACKNOWLEDGED: "ACK", RESOLVED: "DONE"}


def plain(line: Iterable[Piece]) -> str:
    """A line without its tones."""
    return "".join(piece.words for piece in line)


@lru_cache(maxsize=1_024)  # Python caches eight zones, and reads the files of others again
def zone_of(name: str) -> tzinfo | None:
    """A time zone by its IANA name; None if there is none with that name."""
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def many(count: int, what: str) -> str:
    """A number with its noun: ``1 incident``, ``3 incidents``."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def names(people: Iterable[Ref], me: str = "") -> str:
    """People's names, each once; ``you`` for me."""
    return ", ".join({ref.id: "you" if ref.id == me else name_of(ref.name) for ref in people}.values())


def short_name(text: str, width: int) -> str:
    """A person's name, shortened to `width` cells if possible: ``Noor Haddad``, ``Noor H.``, and never ``Noor Ha…``."""
    whole = name_of(text)
    name, bracket, mark = whole.partition(" (")  # what tells people with the same name apart stays
    first, _, last = name.rpartition(" ")
    if len(whole) <= width or not first:
        return whole
    return (f"{first} {last[:1]}." if len(first) + 3 + len(bracket + mark) <= width else first) + bracket + mark


def short_names(people: Sequence[Ref], me: str, width: int) -> str:
    """People in a column: the first one's name, and how many more there are."""
    once = list({ref.id: ref for ref in people}.values())
    more = f" +{len(once) - 1}" if len(once) > 1 else ""
    return "".join("you" if ref.id == me else short_name(ref.name, width - len(more)) for ref in once[:1]) + more


def name_of(text: str) -> str:
    """A name from outside, safe to show, and shortened if very long."""
    return shortened(visible_line(text), _LONGEST_NAME)


# Whether the data can be trusted


def freshness(read: Read, now: float, interval: float) -> Line:
    """How old a part is, and why it is stale: ``live 6s``, ``STALE 3m: 429: too many requests, retry in 17 s``."""
    trouble = read.trouble
    why = visible_line(trouble.cause) if trouble is not None else ""
    if trouble is not None and trouble.again is not None and trouble.again > now:
        why += f", retry in {countdown(trouble.again, now)}"
    if read.at is None:
        return [Piece(f"FAILED: {why}", "bad")] if why else [Piece("not loaded yet", "warn")]
    old = age(now - read.at)
    if stale(read, now, interval):
        return [Piece(f"STALE {old}" + (f": {why}" if why else ""), "bad")]
    return [Piece(f"{old} old: {why}", "warn")] if why else [Piece(f"live {old}", "quiet")]


def amount(count: int, read: Read) -> str:
    """A count; ``50+`` if the list was not read to its end."""
    return f"{count}" if read.complete or read.at is None else f"{count}+"


def nothing(board: Board, panel: PanelName, hidden: int, what: str) -> Piece:
    """Why a panel is empty: no items, all filtered out, failed, or not loaded yet."""
    read = board.facts.panel(panel)
    if read.at is None:
        if read.trouble is not None:
            return Piece(f"Could not load: {visible_line(read.trouble.cause)}", "bad")
        return Piece("Not loaded yet.", "warn")
    if hidden:
        return Piece(f"No {what} match the filters; {hidden} hidden.", "warn")
    if not read.complete:
        unreadable = f"; {read.unreadable} unreadable" if read.unreadable else ""
        return Piece(f"No {what} found so far; the list is partial{unreadable}.", "warn")
    return Piece(f"No {what}.", "plain" if panel == "incidents" else "quiet")


# Services


def service_states(states: Mapping[str, int]) -> Line:
    """Services counted by state, the worst first: ``1 critical 1 warning 31 ok``."""
    tones: dict[str, Tone] = {"critical": "bad", "warning": "warn", "active": "quiet"}
    line: Line = []
    for state in dict.fromkeys((*STATES, *states)):
        if states.get(state):
            word = "ok" if state == "active" else visible_line(state)
            line.append(Piece(f"{' ' if line else ''}{states[state]} {word}", tones.get(state, "plain")))
    return line


# My duty


def my_duty(mine: Mine, facts: Facts, now: float, zone: tzinfo, *, brief: int = 0) -> Line:
    """The second line: whether I am on call, until when, and who follows.

    `brief`, where there is little room: 1 leaves out my name, 2 also how long it still is, 3 says that instead of the end.
    """
    if mine.me is None:
        trouble = facts.read("me").trouble
        why = "not loaded yet" if trouble is None else f"your user is unknown ({visible_line(trouble.cause)})"
        return [Piece("YOU: ", "strong"), Piece(why, "warn")]
    you = Piece("YOU: " if brief else f"YOU ({name_of(mine.me.name)}): ", "strong")
    if facts.read("on call").at is None:
        return [you, Piece("on-call status not loaded", "warn")]
    if not mine.duties and (not facts.read("on call").complete or not facts.duties):
        return [you, Piece("on-call status unknown; the list is not complete", "warn")]
    if not mine.duties:
        coming = Piece(
            "; no shift in the next 3 weeks" if facts.read("later").complete else "; next shift not loaded yet", "quiet"
        )
        if (following := mine.next) is not None and following.start is not None:
            at, where = when(following.start, zone, now), f"L{following.level} {name_of(following.policy.name)}"
            coming = Piece(f"; next {where} {at} (in {span(following.start - now)})")
        return [you, Piece("not on call"), coming]
    first, *others = mine.duties
    duty = Piece(f"on call L{first.level} {name_of(first.policy.name)}", "mine")
    line = [you, duty, Piece(" "), Piece(_until(first, now, zone, brief))]
    if first.end is not None:
        after = "?" if mine.then is None else names(mine.then, mine.me.id) or "NOBODY"
        line += [Piece(", "), Piece(f"then {after}", "bad" if mine.then == () else "plain")]
    if others:
        line.append(Piece(f"; also {', '.join(f'L{duty.level} {name_of(duty.policy.name)}' for duty in others)}", "quiet"))
    return line


def _until(duty: Duty, now: float, zone: tzinfo, brief: int = 0) -> str:
    if duty.end is None:
        return "always" if duty.permanent else "no end time"
    if duty.end <= now:
        return f"until {clock(duty.end, zone)} ({DUE})"
    left = span(duty.end - now)
    if brief > 2:
        return f"for {left}"
    return f"until {when(duty.end, zone, now)}" + (f" ({left})" if brief < 2 else "")


# Incidents


def state(row: IncidentRow) -> str:
    """The state in four characters."""
    if row.next.kind == "snoozed":
        return "SNZD"
    return STATE_WORDS.get(row.incident.status, visible_line(row.incident.status.upper()[:4]) or "?")


# What comes next, for each kind that pages no level: in a sentence, in a column, and in a narrow one if that differs.
_STEPS: dict[str, tuple[str, str, str]] = {
    "maybe": ("→ may repeat from L1 {within}; the log starts later", "→ may repeat", ""),
    "nobody": ("→ nobody left {within}", "→ nobody left", ""),
    "exhausted": ("nobody left to page", "nobody left to page", "nobody left"),
    "direct": ("assigned directly: does not escalate", "direct: no escalation", "no escalation"),
    "low": ("low urgency: does not escalate", "low: no escalation", "no escalation"),
    "raise": ("high urgency from {at} ({within})", "→ high", ""),
    "runs out": ("ack times out {within}", "ack times out", ""),
    "snoozed": ("snoozed until {at} ({left})", "snoozed", ""),
    "stays": ("no ack timeout", "no ack timeout", ""),
    "unknown": ("next escalation unknown", "next unknown", ""),
}


def following(row: IncidentRow, now: float, zone: tzinfo, me: str, *, by_clock: bool = False) -> Piece:
    """The next step, and whom it pages: ``→ L2 Dana Wu in 0:48``; ``at 03:14 CET`` for those who read it later."""
    one, tone = row.next, next_tone(row, now)
    left, at = "" if one.at is None else countdown(one.at, now), when(one.at or now, zone, now)
    within = f"at {at}" if by_clock and one.at is not None else left if left == DUE else f"in {left}"
    if one.kind in ("level", "again"):
        return Piece(f"{_target(one, me)} {within}", tone)
    said = _STEPS[one.kind][0].partition(" (")[0] if by_clock else _STEPS[one.kind][0]
    return Piece(said.format(within=within, left=left, at=at), tone)


def next_clock(row: IncidentRow, now: float) -> str:
    """How long until the next step, in six characters; ``due`` at zero, empty if nothing is scheduled."""
    if row.next.at is None:
        return ""
    left = countdown(row.next.at, now)
    return "due" if left == DUE else left.replace(" ", "")[:6]


def holders(one: Incident, me: str = "") -> str:
    """Whom an incident is assigned to; ``nobody`` and ``unknown`` differ."""
    return names((ref for ref, _ in one.assigned), me) or ("nobody" if one.assigned_known else "unknown")


def some_of(people: Sequence[Ref], one_of: bool | None) -> str:
    """How many of several people are paged: ``1 of 3``, ``all or 1 of 3``; empty if all are."""
    return ONE_OF[one_of].replace("one", "1") + str(len(people)) if one_of is not False and len(people) > 1 else ""


def next_words(row: IncidentRow, me: str, width: int = 1_000) -> str:
    """The next step and whom it pages, in `width` cells if shorter names can reach that: ``→ L2 Dana Wu``."""
    whole = _target(row.next, me)
    if len(whole) > width and row.next.people:
        again = row.next.kind == "again"
        head = f"{'again' if again and width < 20 else '→ again' if again else '→'} L{'/'.join(map(str, row.next.levels))} "
        whole = head + (some_of(row.next.people, row.next.one_of) or short_names(row.next.people, me, width - len(head)))
    if row.next.kind in ("level", "again"):
        return whole
    _, said, brief = _STEPS[row.next.kind]
    return brief if brief and len(said) > width else said


def next_tone(row: IncidentRow, now: float) -> Tone:
    """How urgent the next step is: a page within a minute the most."""
    one = row.next
    if one.pages:
        return "bad" if one.at is not None and one.at - now <= 60 else "warn"
    tones: dict[str, Tone] = {"exhausted": "bad", "direct": "warn", "runs out": "plain", "unknown": "warn"}
    return tones.get(one.kind, "quiet")


def _target(one: Next, me: str) -> str:
    """Whom an escalation reaches, in the words of the list of policies."""
    if not one.levels:
        return "→ level unknown"
    number = "L" + "/".join(map(str, one.levels))
    if one.uncovered:
        return f"→ {number} NOBODY"
    again = "again " if one.kind == "again" else ""
    return f"→ {again}{number} {ONE_OF[one.one_of]}{names(one.people, me) or '?'}"


def called(row: IncidentRow, zone: tzinfo, me: str) -> Line:
    """The notifications of an incident: ``notified (CET): Sam Ode push 03:09, phone 03:11; not acknowledged yet``."""
    if not row.calls:
        return [Piece("notified: no page in the log", "quiet")]
    by_person: dict[str, list[str]] = {}
    for event in row.calls[-6:]:
        how = visible_line(event.medium.replace("_", " ")) or "page"
        at, _, zone_name = clock(event.at, zone).partition(" ")
        by_person.setdefault(names(event.people[:1], me), []).append(f"{how} {at}{' FAILED' if event.failed else ''}")
    notified = "; ".join(f"{who} {', '.join(ways)}" for who, ways in by_person.items())
    waiting = "; not acknowledged yet" if row.incident.status == TRIGGERED else ""
    return [Piece(f"notified ({zone_name}): {notified}{waiting}", "plain")]


# Policies and their levels


def level_line(one: OnCallLevel, now: float, zone: tzinfo, me: str, zones: Mapping[str, str] | None = None) -> Line:
    """A level: ``L1 Sam Ode 03:14 CET until 09:00 CET``; people's own times where `zones` are given."""
    line: Line = [Piece(f"L{one.number} ", "strong")]
    if not one.duties and not one.known:
        return [*line, Piece("unknown; the list is not complete", "warn")]
    if not one.duties:
        back = f" until {when(one.returns, zone, now)}" if one.returns is not None else ""
        return [*line, Piece(f"NOBODY{back}", "bad")]
    # A person once, with the last of their duties to end.
    people = {duty.user.id: duty for duty in one.duties}
    if one.rule is not None and len(people) > 1 and (some := ONE_OF[one.rule.one_of]):
        line.append(Piece(some, "quiet"))
    always = all(duty.permanent for duty in one.duties)
    for place, (id_, duty) in enumerate(people.items()):
        line += [Piece(", " if place else ""), Piece(names([duty.user], me), "mine" if id_ == me else "plain")]
        own = zone_of(zones.get(id_, "")) if zones is not None and id_ != me else None
        if own is not None and clock(now, own) != clock(now, zone):
            line.append(Piece(f" ({clock(now, own)})", "quiet"))
        if not always:
            then = one.then.get(id_) if duty.end is not None and duty.end > now else None
            after = "" if then is None else f", then {names(then, me) or 'NOBODY'}"
            line.append(Piece(f" {_until(duty, now, zone)}{after}", "quiet"))
    return [*line, Piece(" always", "quiet")] if always else line


def policy_title(on_call: OnCallPolicy) -> Line:
    """A policy's name and its problems."""
    line: Line = [Piece(name_of(on_call.policy.name), "strong")]
    if on_call.details is None:
        line.append(Piece("  levels not loaded", "warn"))
    elif not on_call.details.services:
        line.append(Piece("  no service uses it", "quiet"))
    return line


def default_zone(me: Person | None) -> tzinfo:
    """The zone of my profile; UTC if it has none."""
    return zone_of(me.zone if me is not None else "") or UTC
