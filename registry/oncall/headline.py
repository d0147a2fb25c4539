"""The first lines of the dashboard: open incidents, who handles them, who is paged next, and whether the data is complete."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Literal

from registry.oncall.board import Board, IncidentRow
from registry.oncall.clocks import DUE, age, clock, countdown
from registry.oncall.evidence import Evidence, evidence
from registry.oncall.facts import INCIDENT_PARTS
from registry.oncall.groups import is_storm
from registry.oncall.words import Line, Piece, Tone, freshness, names, next_tone, plain, zone_of
from registry.text.safe_text import shortened, visible_line

Level = Literal["mine", "burning", "doubt", "calm", "clear"]
"""What the line is about: incidents of mine that nobody has acknowledged; incidents of others; data that is incomplete or
contradicted; only acknowledged or hidden incidents; no incidents, with evidence."""

_SHORTEST = 7
"""How often the sentence may be shortened; the countdown and the person are removed last."""
_ZONE = re.compile(r" [A-Z0-9+:-]+\)$")
"""The zone after a time of day, which is omitted if there is no room."""
_LEVEL = re.compile(r"^→ L[0-9/]+ (?=.{3})")
"""The level before a name, also omitted then."""
_NAMES = re.compile(r" \([^)]*\)$")
"""Names at the end of a contradiction, also omitted then."""
_SIGNS = {"mine": "▲", "burning": "▲", "doubt": "?", "calm": "•", "clear": "✓"}
_TONES: dict[Level, Tone] = {"mine": "bad", "burning": "bad", "doubt": "warn", "calm": "plain", "clear": "good"}


@dataclass(frozen=True, slots=True)
class Headline:
    """The sentence, and what it is about."""

    level: Level
    line: Line
    evidence: Evidence

    @property
    def words(self) -> str:
        """The sentence without its tones."""
        return plain(self.line)


def headline(board: Board, now: float, interval: float, zone: tzinfo, room: int = 1_000) -> Headline:
    """The sentence, in at most `room` cells if shortening can reach that. `interval`: seconds between refreshes."""
    found = evidence(board, now, interval)
    level = _level(board, found)
    made: Line = []
    for length in range(_SHORTEST + 1):
        made = [Piece(f"{_SIGNS[level]} ", _TONES[level]), *_sentence(board, found, level, now, zone, length)]
        if len(plain(made)) <= room:
            break
    return Headline(level, made, found)


def _level(board: Board, found: Evidence) -> Level:
    counts = board.verdict
    if found.kind == "open":
        if counts.mine_triggered or counts.outside_mine:
            return "mine"
        if counts.triggered:
            return "burning"
        return "calm" if found.trusted else "doubt"
    if found.kind == "clear":
        return "clear"
    if found.kind == "filtered":
        return "mine" if counts.outside_mine else "calm"
    return "doubt"


def _sentence(board: Board, found: Evidence, level: Level, now: float, zone: tzinfo, short: int) -> Line:
    counts, tone = board.verdict, _TONES[level]
    if level == "burning" and not counts.high:
        tone = "warn"
    also = f" {_capital(found.contradictions[0])}." if found.contradictions else ""
    match found.kind:
        case "loading":
            return [Piece("LOADING… Nothing is known yet.", "warn")]
        case "unknown":
            said = f"Could not load incidents: {_first(found.causes)}.{also}"
            return [Piece("UNKNOWN. ", "bad"), Piece(said, "bad")]
        case "partial":
            return [Piece("NOT COMPLETE. ", "warn"), Piece(f"No open incidents so far; {_first(found.causes)}.{also}", "warn")]
        case "doubtful":
            but = "No open incidents were returned, but " if short < 2 else "No open incidents, but "
            against = [_NAMES.sub("", one) if short else one for one in found.contradictions[: 1 if short >= 3 else None]]
            against = [one.partition(" without ")[0] if short >= 2 else one for one in against]
            return [Piece("DOUBTFUL. ", "warn"), Piece(f"{but}{' and '.join(against)}.", "warn")]
        case "filtered":
            loud = f", {counts.outside_high} high and not acknowledged" if counts.outside_high else ""
            hidden = Piece(f"{more(counts.outside, board)} hidden{loud}.")
            return [*_hidden_mine(board), Piece("NONE MATCH THE FILTERS. ", "warn"), hidden]
        case "unchecked":
            return [Piece(f"No open incidents; {' and '.join(found.missing)} not checked.", "warn")]
        case "clear":
            return _clear(board, now)
    line: Line = []
    if not found.complete:
        reads = [board.facts.read(part) for part in INCIDENT_PARTS]
        missing = [read for read in reads if read.at is None]
        if missing and all(read.trouble is None for read in missing):
            word = "LOADING"  # not stale: the missing part is being read for the first time
        else:
            word = "STALE" if found.outdated and len(missing) < len(reads) else "NOT COMPLETE"
        line.append(Piece(f"{word}. ", "warn"))
    elif found.contradictions:
        line.append(Piece("DOUBTFUL. ", "warn"))
    if is_storm(board) and short < 7:
        line.append(Piece("STORM. ", tone))
    return [*line, *_hidden_mine(board), *_whose(board, tone, now, short), *_next(board, now, zone, short)]


def _hidden_mine(board: Board) -> Line:
    """That filters hide incidents of mine which nobody has acknowledged."""
    hidden = board.verdict.outside_mine
    return [Piece(f"{hidden} OF YOURS HIDDEN. ", "bad")] if hidden else []


def _whose(board: Board, tone: Tone, now: float, short: int) -> Line:
    """To whom the incidents are assigned, and for how long they have been unacknowledged."""
    counts = board.verdict
    if not counts.triggered:
        mine = f", {counts.mine} {_yours(mine_more(counts.mine, board), short)}" if counts.mine else ""
        return [Piece(f"None triggered, {more(counts.acknowledged, board)} acknowledged{mine}.", tone)]
    waiting = age(now - counts.unacknowledged_since) if counts.unacknowledged_since is not None else ""
    if counts.mine_triggered == counts.mine and counts.mine:
        since = "" if short >= 5 else f" {waiting}" if short >= 2 else f" for {waiting}"
        mine = f"{mine_more(counts.mine, board)} {_yours(mine_more(counts.mine, board), short)}"
        return [Piece(f"{mine}, unacknowledged{since}.", tone)]
    if counts.mine_triggered:
        unacknowledged = f"{counts.mine_triggered} unacknowledged"
        since = "" if short else f" for {waiting}"
        return [
            Piece(
                f"{mine_more(counts.mine, board)} {_yours(mine_more(counts.mine, board), short)}, {unacknowledged}{since}.",
                tone,
            )
        ]
    if short >= 6:  # the line below has the counts
        return [] if counts.outside_mine else _none_mine(board, capital=True)
    high = "none high" if not counts.high else "all high" if counts.high == counts.triggered else f"{counts.high} high"
    high = "" if short >= 5 else f" ({high})"
    if counts.outside_mine:
        return [Piece(f"{more(counts.triggered, board)} triggered{high}.", tone)]
    return [Piece(f"{more(counts.triggered, board)} triggered{high}, ", tone), *_none_mine(board)]


def _none_mine(board: Board, *, capital: bool = False) -> Line:
    counts = board.verdict
    if counts.mine and board.mine.me is not None:
        return [Piece(f"{mine_more(counts.mine, board)} yours, acknowledged.")]
    unknown = board.mine.me is None or counts.mine_more
    words = "yours: unknown." if unknown else "none yours."
    return [Piece(_capital(words) if capital else words, "warn" if unknown else "plain")]


def _yours(count: str, short: int) -> str:
    if short:
        return "yours"
    return "is yours" if count == "1" else "are yours"


def _next(board: Board, now: float, zone: tzinfo, short: int) -> Line:
    """When the next escalation is, whom it pages, and for which incident."""
    row = board.soonest
    unsure = board.next_unknown or (board.verdict.more and board.verdict.triggered)
    if unsure and (row is None or row.next.at is None):
        return [Piece(" Next escalation unknown." if short < 2 else " Next unknown.", "warn")]
    if row is None or row.next.at is None:
        return [] if short >= 2 or not board.verdict.triggered else [Piece(" No escalation due.", "plain")]
    left = countdown(row.next.at, now)
    when, tone = "Now due:" if left == DUE else f"In {left}", next_tone(row, now)
    # Named by its service, as in the rows, which have no room for its number.
    other = not (row.mine and board.verdict.mine_triggered == 1)
    which = shortened(visible_line(row.incident.service.name), 20) or "the next one" if other else "it"
    apart = bool(board.verdict.mine_triggered) and not row.mine  # must never read as if it were mine
    if apart and short < 6:
        said = reached(row, board, now, zone, short=True)
        said = said.partition(" (")[0] if short >= 3 else _ZONE.sub(")", said) if short == 2 else said
        said = _LEVEL.sub("→ ", said) if short >= 4 else said
        ahead = "now due" if left == DUE else f"in {left}"
        return [Piece(f" Next{'' if short >= 4 else ' page'}: "), Piece(f"{which} {said} {ahead}.", tone)]
    if short:
        said = reached(row, board, now, zone, short=True)
        said = said.partition(" (")[0] if short >= 4 else _ZONE.sub(")", said) if short == 3 else said
        said = _LEVEL.sub("→ ", said) if short >= 5 else said
        said = f"{which} {said}" if other and short < 6 else said
        return [Piece(f" {when} ", tone), Piece(said, tone)]
    verb = " pages " if row.next.people else " escalates" if row.next.kind in ("level", "again") else ""
    whom = Piece(f"{reached(row, board, now, zone)}.", tone)
    return [Piece(f" {when} ", tone), Piece(f"{which}{verb}"), whom]


def reached(row: IncidentRow, board: Board, now: float, zone: tzinfo, *, short: bool = False) -> str:
    """The people whom the next escalation of an incident pages, with their time of day: ``Dana Wu (L2, 21:14 EST)``."""
    following, me = row.next, board.mine.me.id if board.mine.me else ""
    level = "L" + "/".join(map(str, following.levels)) if following.levels else ""
    if following.kind == "maybe":
        return " may repeat from L1, or has nobody left to page" if not short else "→ may repeat from L1"
    if following.kind == "nobody":
        return "→ nobody left to page" if short else " has nobody left to page"
    if following.uncovered:
        return f"→ {level} NOBODY" if short else f" to {level} NOBODY"
    if not following.people and short:
        return f"→ {level} ?" if level else "→ level unknown"
    if not following.people:
        return f" to {level}; who is on call there is unknown" if level else "; to whom is unknown"
    people = following.people
    who = f"1 of {len(people)}" if following.one_of and len(people) > 1 else names(people, me)
    own = zone_of(board.zones.get(people[0].id, "")) if len(people) == 1 and people[0].id != me else None
    there = clock(now, own) if own is not None and clock(now, own) != clock(now, zone) else ""
    again = "again from " if following.kind == "again" else ""
    if short:
        return f"→ {level} {who}" + (f" ({there})" if there else "")
    return f"{who} ({again}{level}{', ' + there if there else ''})"


def _clear(board: Board, now: float) -> Line:
    read, facts = board.facts.panel("incidents"), board.facts
    well = sum(one.state in ("active", "maintenance", "disabled") for one in facts.services)
    checked = f"{well} of {len(facts.services)} services well" if facts.services else "no services"
    return [Piece("All clear. ", "good"), Piece(f"0 open, read completely {age(now - (read.at or now))} ago; {checked}.")]


def counts_line(board: Board, *, short: bool = False, neglected: bool = True) -> Line:
    """The counts: ``10 triggered, 7 high · 7 acknowledged · 5 neglected · 7 of 16 services critical``."""
    counts = board.verdict
    parts: list[Line] = []
    if counts.triggered:
        tone: Tone = "bad" if counts.high else "warn"
        parts.append([Piece(f"{more(counts.triggered, board)} triggered", tone), Piece(f", {counts.high} high")])
    if counts.acknowledged:
        parts.append([Piece(f"{more(counts.acknowledged, board)} {'ack' if short else 'acknowledged'}")])
    if counts.unreadable:
        parts.append([Piece(f"{counts.unreadable} unreadable", "bad")])
    if counts.neglected and neglected:
        parts.append([Piece(f"{counts.neglected} neglected", "warn")])
    if counts.outside:
        loud = f" ({counts.outside_high} high, not acknowledged)" if counts.outside_high else ""
        parts.append([Piece(f"{counts.outside} hidden by filters{loud}", "warn" if counts.outside_high else "quiet")])
    read = board.facts.panel("services")
    if read.at is not None:
        critical, all_ = counts.states.get("critical", 0), len(board.services)
        some = f"{critical} critical" if short else f"{critical} of {all_} services critical"
        some = some if critical else "no service critical"
        parts.append([Piece(some, "bad" if critical else "quiet")])
    return [piece for place, part in enumerate(parts) for piece in ([Piece(" · ", "quiet")] if place else []) + part]


def trust_line(board: Board, found: Evidence, now: float, interval: float, *, short: bool = False) -> Line:
    """How complete and fresh it is, in a few words: ``complete · live 2s``, ``NOT COMPLETE · STALE 1m00s``, ``STALE 1m00s``."""
    read = board.facts.panel("incidents")
    if found.kind in ("loading", "unknown"):
        return freshness(read, now, interval)
    # The list of incidents shows why it is stale.
    fresh = freshness(replace(read, trouble=None) if read.at is not None else read, now, interval)
    if read.trouble is not None and read.at is not None:
        fresh = [Piece(f"STALE {age(now - read.at)}", "warn")]
        if short and not found.contradictions:
            return fresh
    if found.contradictions:
        return [Piece("DOUBTFUL", "warn"), Piece(" · ", "quiet"), *fresh]
    if found.complete:
        return [Piece("complete", "quiet"), Piece(" · ", "quiet"), *fresh]
    return [Piece("NOT COMPLETE", "warn"), Piece(" · ", "quiet"), *fresh]


def more(count: int, board: Board) -> str:
    """A count of incidents; with a plus if there may be more."""
    return f"{count}+" if board.verdict.more else f"{count}"


def mine_more(count: int, board: Board) -> str:
    """A count of my incidents; with a plus if there may be more."""
    return f"{count}+" if board.verdict.mine_more else f"{count}"


def _first(causes: Sequence[str]) -> str:
    return causes[0] if causes else "some lists could not be loaded"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
