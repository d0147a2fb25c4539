"""The board in words: what every door shows, a piece at a time, each piece with the tone in which it should be shown.

A tone is never the only sign of anything: without colours the words say the same. Names from outside are made safe here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, tzinfo
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from registry.display.safe_text import shortened, visible_line
from registry.oncall.board import STATES, Board, IncidentRow, Mine
from registry.oncall.clocks import DUE, age, clock, countdown, span, when
from registry.oncall.duties import Ladder, Rung
from registry.oncall.escalation import Next
from registry.oncall.facts import Facts, PanelName, Read
from registry.oncall.model import ACKNOWLEDGED, RESOLVED, TRIGGERED, Duty, Ref

Tone = Literal["plain", "strong", "quiet", "good", "warn", "bad", "mine"]


class Piece(NamedTuple):
    """A few words and their tone."""

    words: str
    tone: Tone = "plain"


Line = list[Piece]

_LONGEST_NAME = 40

STATE_WORDS = {TRIGGERED: "TRIG", ACKNOWLEDGED: "ACK", RESOLVED: "DONE"}
STALE_AFTER = 1.6
"""Intervals after which a part that was not read again is called stale, whatever the reason."""


def plain(line: Iterable[Piece]) -> str:
    """A line without its tones."""
    return "".join(piece.words for piece in line)


def zone_of(name: str) -> tzinfo | None:
    """A time zone by its IANA name; None when there is none of that name."""
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def names(people: Iterable[Ref], me: str = "") -> str:
    """People by their names, each once; me by ``you``."""
    once = {ref.id: "you" if ref.id == me else name_of(ref.name) for ref in people}
    return ", ".join(once.values())


def name_of(text: str) -> str:
    """A name from outside, safe to show, and no longer than names are."""
    return shortened(visible_line(text), _LONGEST_NAME)


# How far it can be trusted


def stale(read: Read, now: float, interval: float) -> bool:
    """Whether a part is older than it should be: reading it again has failed, or takes too long."""
    failed = read.trouble is not None and not read.trouble.passing
    return read.at is None or failed or now - read.at > STALE_AFTER * interval


def freshness(read: Read, now: float, interval: float) -> Line:
    """How old a part is, and why it is no younger: ``live 6s``, ``STALE 3m: 429: too many requests, retry in 17 s``."""
    trouble = read.trouble
    why = ""
    if trouble is not None:
        why = visible_line(trouble.cause)
        if trouble.again is not None and trouble.again > now:
            why += f", retry in {countdown(trouble.again, now)}"
    if read.at is None:
        return [Piece(f"FAILED: {why}", "bad")] if why else [Piece("not loaded yet", "warn")]
    old = age(now - read.at)
    if stale(read, now, interval):
        return [Piece(f"STALE {old}" + (f": {why}" if why else ""), "bad")]
    return [Piece(f"{old} old: {why}", "warn")] if why else [Piece(f"live {old}", "quiet")]


def amount(count: int, read: Read) -> str:
    """How many there are; ``50+`` where the list was not walked to its end."""
    return f"{count}" if read.complete or read.at is None else f"{count}+"


def nothing(board: Board, panel: PanelName, hidden: int, what: str) -> Piece:
    """Why a panel is empty: nothing there, filtered away, failed, or not loaded yet."""
    read = board.facts.panel(panel)
    if read.at is None:
        if read.trouble is not None:
            return Piece(f"Not known: {visible_line(read.trouble.cause)}", "bad")
        return Piece("Not loaded yet.", "warn")
    if hidden:
        return Piece(f"No {what} in this scope; {hidden} outside of it.", "warn")
    if not read.complete:
        return Piece(f"No {what} so far; not everything was read.", "warn")
    return Piece(f"No {what}.", "good" if panel == "incidents" else "quiet")


# The verdict


def verdict(board: Board, now: float, interval: float) -> Line:
    """The first line: what burns, whether it is mine, how wide it is."""
    read, counts = board.facts.panel("incidents"), board.verdict
    if read.at is None:
        if read.trouble is not None:
            return [Piece("NOT KNOWN", "bad"), Piece(f"  incidents were not read: {visible_line(read.trouble.cause)}", "bad")]
        return [Piece("READING…", "warn"), Piece("  nothing is known yet", "warn")]
    line: Line = []
    if stale(read, now, interval):
        line += [Piece(f"STALE {age(now - read.at)}", "bad"), Piece("  ")]
    plus = "" if read.complete else "+"
    if counts.triggered:
        urgency = "none high" if not counts.high else "all high" if counts.high == counts.triggered else f"{counts.high} high"
        line.append(Piece(f"{counts.triggered}{plus} TRIGGERED ({urgency})", "bad" if counts.high else "warn"))
    if counts.acknowledged:
        line += [Piece("  " if counts.triggered else ""), Piece(f"{counts.acknowledged}{plus} ACK", "warn")]
    if not counts.open:
        clear = "NOTHING IN SCOPE" if counts.outside else "ALL CLEAR" if read.complete else "NOTHING FOUND SO FAR"
        line.append(Piece(clear, "good" if clear == "ALL CLEAR" else "warn"))
    if counts.outside:
        loud = f", {counts.outside_high} high and unanswered" if counts.outside_high else ""
        line += [Piece("  "), Piece(f"{counts.outside} outside the scope{loud}", "warn" if counts.outside_high else "quiet")]
    line += _own(board, now)
    if counts.neglected:
        line += [Piece("  "), Piece(f"{counts.neglected} forgotten", "warn")]
    return line


def _own(board: Board, now: float) -> Line:
    counts = board.verdict
    if board.mine.me is None:
        return [Piece("  "), Piece("yours: not known", "quiet")] if counts.open else []
    if counts.unacknowledged_since is not None:
        many = f"{counts.mine_triggered} yours" if counts.mine_triggered > 1 else "1 yours"
        return [Piece("  "), Piece(f"{many}, unanswered {age(now - counts.unacknowledged_since)}", "mine")]
    if counts.mine:
        return [Piece("  "), Piece(f"{counts.mine} yours, acknowledged", "plain")]
    return [Piece("  "), Piece("none yours", "quiet")] if counts.open else []


def service_states(states: Mapping[str, int]) -> Line:
    """Services counted by state, the worst first: ``1 critical 1 warning 31 ok``."""
    tones: dict[str, Tone] = {"critical": "bad", "warning": "warn", "active": "quiet"}
    order = [*STATES, *(state for state in states if state not in STATES)]
    line: Line = []
    for state in order:
        if states.get(state):
            word = "ok" if state == "active" else visible_line(state)
            line.append(Piece(f"{' ' if line else ''}{states[state]} {word}", tones.get(state, "plain")))
    return line


# My duty


def my_duty(mine: Mine, facts: Facts, now: float, zone: tzinfo, *, short: bool = False) -> Line:
    """The second line: whether I am on call, until when, and who comes then; without my name where there is little room."""
    if mine.me is None:
        trouble = facts.read("me").trouble
        if trouble is None:
            return [Piece("YOU: ", "strong"), Piece("not loaded yet", "warn")]
        return [Piece("YOU: ", "strong"), Piece(f"not known who you are ({visible_line(trouble.cause)})", "warn")]
    you = Piece("YOU: " if short else f"YOU ({name_of(mine.me.name)}): ", "strong")
    if facts.read("on call").at is None:
        return [you, Piece("not known whether you are on call", "warn")]
    if not mine.duties:
        return [you, Piece("not on call", "plain"), *_coming(mine, facts, now, zone)]
    first, *others = mine.duties
    line = [you, Piece(f"on call L{first.level} {name_of(first.policy.name)}", "mine"), Piece(" ")]
    line += [Piece(_until(first, now, zone))]
    if first.end is not None:
        after = "then ?" if mine.then is None else f"then {names(mine.then, mine.me.id)}" if mine.then else "then NOBODY"
        line += [Piece(", "), Piece(after, "bad" if mine.then == () else "plain")]
    if others:
        line.append(Piece(f"; also {', '.join(f'L{duty.level} {name_of(duty.policy.name)}' for duty in others)}", "quiet"))
    return line


def _coming(mine: Mine, facts: Facts, now: float, zone: tzinfo) -> Line:
    if mine.next is not None and mine.next.start is not None:
        where = f"L{mine.next.level} {name_of(mine.next.policy.name)}"
        return [Piece(f"; next {where} {when(mine.next.start, zone, now)} (in {span(mine.next.start - now)})", "plain")]
    if len(facts.later_of) < len(facts.policies) or not facts.policies:
        return [Piece("; what comes next is not loaded yet", "quiet")]
    return [Piece("; nothing ahead in the next three weeks", "quiet")]


def _until(duty: Duty, now: float, zone: tzinfo) -> str:
    if duty.permanent:
        return "always (no handoff)"
    if duty.end is None:
        return "without a planned end"
    if duty.end <= now:
        return f"until {clock(duty.end, zone)} ({DUE})"
    return f"until {when(duty.end, zone, now)} ({span(duty.end - now)})"


# Incidents


def level(row: IncidentRow) -> str:
    """The level reached: ``L2``, ``L1/2`` where it is ambiguous, ``?`` where it is not known, ``–`` for a direct assignment."""
    if row.next.kind == "direct" or (row.incident.via and row.incident.via != "escalation_policy"):
        return "–"
    return "L" + "/".join(map(str, row.levels)) if row.levels else "?"


def state(row: IncidentRow) -> str:
    """The state in four letters."""
    if row.snoozed:
        return "SNZD"
    return STATE_WORDS.get(row.incident.status, visible_line(row.incident.status.upper()[:4]) or "?")


def following(row: IncidentRow, now: float, zone: tzinfo, me: str) -> Piece:
    """What happens next, and whom that wakes: ``→ L2 Dana Wu in 0:48``."""
    one = row.next
    left = "" if one.at is None else countdown(one.at, now)
    within = left if left == DUE else f"in {left}"
    tone = next_tone(row, now)
    match one.kind:
        case "level" | "again":
            return Piece(f"{_target(one, me)} {within}", tone)
        case "nobody":
            return Piece(f"→ nobody further {within}", tone)
        case "exhausted":
            return Piece("nobody left to escalate to", tone)
        case "direct":
            return Piece("direct: will not escalate", tone)
        case "low":
            return Piece("low: does not escalate", tone)
        case "raise":
            return Piece(f"becomes high {when(one.at or now, zone, now)} ({within})", tone)
        case "runs out":
            return Piece(f"ack ends {within}", tone)
        case "snoozed":
            return Piece(f"snoozed until {when(one.at or now, zone, now)} ({left})", tone)
        case "stays":
            return Piece("ack does not run out", tone)
        case "over":
            return Piece("resolved", tone)
        case _:
            return Piece("next step not known", tone)


def next_clock(row: IncidentRow, now: float) -> str:
    """How long until something happens to it, in five letters; ``due`` at zero, empty when no clock runs."""
    if row.next.at is None:
        return ""
    left = countdown(row.next.at, now)
    return "due" if left == DUE else left.replace(" ", "")[:5]


def next_words(row: IncidentRow, me: str) -> str:
    """What happens then, whom it wakes; the beginning says the most, so that it may be cut: ``→ L2 Dana Wu``."""
    return {
        "level": _target(row.next, me),
        "again": _target(row.next, me),
        "nobody": "→ nobody further",
        "exhausted": "exhausted: nobody left",
        "direct": "no escal.: direct",
        "low": "low waits",
        "raise": "→ high",
        "runs out": "ack ends",
        "snoozed": "snoozed",
        "stays": "ack stays",
        "over": "",
    }.get(row.next.kind, "?")


def next_tone(row: IncidentRow, now: float) -> Tone:
    """How much the next step matters: a call within a minute the most."""
    one = row.next
    if one.kind in ("level", "again", "nobody"):
        return "bad" if one.at is not None and one.at - now <= 60 else "warn"
    tones: dict[str, Tone] = {"exhausted": "bad", "direct": "warn", "runs out": "plain", "over": "good", "unknown": "warn"}
    return tones.get(one.kind, "quiet")


def _target(one: Next, me: str) -> str:
    number = "L" + "/".join(map(str, one.levels)) if one.levels else "L?"
    arrow = "↻" if one.kind == "again" else "→"
    who = names(one.people, me) if one.people else "?"
    return f"{arrow} {number} {'one of ' if one.one_of else ''}{who}"


def called(row: IncidentRow, zone: tzinfo, me: str) -> Line:
    """Whether a page reached anybody: ``told (CET): Sam Ode push 03:09, phone 03:11; no answer yet``."""
    if not row.calls:
        return [Piece("told: no page in the log", "quiet")]
    by_person: dict[str, list[str]] = {}
    for event in row.calls[-6:]:
        who = names(event.people[:1], me)
        failed = " FAILED" if event.answer and event.answer not in ("success", "delivered", "sent") else ""
        how = visible_line(event.told.replace("_", " ")) or "page"
        by_person.setdefault(who, []).append(f"{how} {clock(event.at, zone).partition(' ')[0]}{failed}")
    told = "; ".join(f"{who} {', '.join(ways)}" for who, ways in by_person.items())
    waiting = "; no answer yet" if row.incident.status == TRIGGERED else ""
    zone_name = clock(row.calls[-1].at, zone).partition(" ")[2]
    return [Piece(f"told ({zone_name}): {told}{waiting}", "plain")]


# The ladder


def rung(one: Rung, now: float, zone: tzinfo, me: str, zones: Mapping[str, str] | None = None) -> Line:
    """A level: ``L1 Sam Ode 03:14 CET until 09:00 CET``; people's own times where `zones` are given."""
    if not one.duties:
        back = f" until {when(one.returns, zone, now)}" if one.returns is not None else ""
        return [Piece(f"L{one.level} ", "strong"), Piece(f"NOBODY{back}", "bad")]
    line: Line = [Piece(f"L{one.level} ", "strong")]
    people: dict[str, list[Duty]] = {}
    for duty in one.duties:
        people.setdefault(duty.user.id, []).append(duty)
    turns = one.rule is not None and one.rule.one_of and len(people) > 1
    if turns:
        line.append(Piece("one of ", "quiet"))
    always = all(duty.permanent for duty in one.duties)
    for place, (id_, duties) in enumerate(people.items()):
        duty = next((found for found in duties if found.permanent), duties[0])
        line += [Piece(", " if place else ""), Piece(names([duty.user], me), "mine" if id_ == me else "plain")]
        own = zone_of(zones.get(id_, "")) if zones is not None and id_ != me else None
        if own is not None and clock(now, own) != clock(now, zone):
            line.append(Piece(f" ({clock(now, own)})", "quiet"))
        if not always:
            line.append(Piece(" " + ladder_until(duty, one, now, zone, me), "quiet"))
    return [*line, Piece(" always", "quiet")] if always else line


def ladder_until(duty: Duty, one: Rung, now: float, zone: tzinfo, me: str) -> str:
    """Until when somebody is on call, and who comes then: ``until 09:00 CET (5h46m), then Mei Tan``."""
    if duty.permanent:
        return "always"
    if duty.end is None:
        return "no planned end"
    if duty.end <= now:
        return f"until {clock(duty.end, zone)} ({DUE})"
    then = one.then.get(duty.user.id)
    after = "" if then is None else f", then {names(then, me)}" if then else ", then NOBODY"
    return f"until {when(duty.end, zone, now)} ({span(duty.end - now)}){after}"


def ladder_title(ladder: Ladder) -> Line:
    """A policy's name, and what is wrong with it."""
    line: Line = [Piece(name_of(ladder.policy.name), "strong")]
    if ladder.told is None:
        line.append(Piece("  levels not loaded", "warn"))
    elif not ladder.told.services:
        line.append(Piece("  no service uses it", "quiet"))
    return line


def default_zone(board_zone: str) -> tzinfo:
    """The zone of a profile; UTC where it has none."""
    return zone_of(board_zone) or UTC
