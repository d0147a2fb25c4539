"""The first lines of the dashboard: open incidents, who handles them, who is paged next, and whether the data is complete."""

import re
from datetime import tzinfo
from itertools import product
from typing import Literal

from msgspec import Struct

from registry.oncall.board import Board, IncidentRow, is_storm
from registry.oncall.evidence import Evidence, evidence, stale
from registry.oncall.facts import INCIDENT_PARTS
from registry.oncall.model import DUE, age, clock, countdown
from registry.oncall.words import Line, Piece, Tone, following, freshness, names, next_tone, next_words, plain, some_of, zone_of
from registry.text.shown import shortened, visible_line

Level = Literal["mine", "burning", "doubt", "calm", "clear"]
"""What the line is about: incidents of mine that nobody has acknowledged; incidents of others; data that is incomplete or
contradicted; only acknowledged or hidden incidents; no incidents, with evidence."""

_SHORTEST = 4  # how often the sentence may be shortened: fewer words; no zone; no time of day; no counts that are below it
_LONGEST_STEP = 40
_NAMES = re.compile(r" \([^)]*\)$")  # at the end of a contradiction
_SIGNS = {"mine": "▲", "burning": "▲", "doubt": "?", "calm": "•", "clear": "✓"}
_TONES: dict[Level, Tone] = {"mine": "bad", "burning": "bad", "doubt": "warn", "calm": "plain", "clear": "good"}


class Headline(Struct, frozen=True):
    """The sentence, and what it is about."""

    level: Level
    line: Line
    evidence: Evidence

    @property
    def words(self) -> str:
        """The sentence without its tones."""
        return plain(self.line)


def headline(board: Board, now: float, interval: float, zone: tzinfo, room: int = 1_000) -> Headline:
    """The sentence, in at most `room` cells if shortening can reach that. `interval`: seconds between refreshes.

    If some are mine, the next page of others is told with its service or not at all: it must never read as if it were mine.
    """
    found = evidence(board, now, interval)
    level = _level(board, found)
    made: Line = []
    for others, short in product((True, False), range(_SHORTEST + 1)):
        made = [Piece(f"{_SIGNS[level]} ", _TONES[level]), *_sentence(board, found, level, now, zone, short, others)]
        if len(plain(made)) <= room:
            break
    return Headline(level, made, found)


def _level(board: Board, found: Evidence) -> Level:
    counts = board.verdict
    if found.kind not in ("open", "filtered"):
        return "clear" if found.kind == "clear" else "doubt"
    if counts.mine_first or counts.outside_mine:
        return "mine"
    if counts.triggered:
        return "burning"
    return "calm" if found.trusted or found.kind == "filtered" else "doubt"


def _sentence(board: Board, found: Evidence, level: Level, now: float, zone: tzinfo, short: int, others: bool) -> Line:
    counts, tone = board.verdict, _TONES[level]
    if counts.triggered and not counts.high and not counts.outside_mine:
        tone = "warn"
    also = f" {_capital(found.contradictions[0])}." if found.contradictions else ""
    cause = found.causes[0] if found.causes else "some lists could not be loaded"
    hidden = [Piece(f"{counts.outside_mine} OF YOURS HIDDEN. ", "bad")] if counts.outside_mine else []
    match found.kind:
        case "loading":
            return [Piece("LOADING… Nothing is known yet.", "warn")]
        case "unknown":
            return [Piece(f"UNKNOWN. Could not load incidents: {cause}.{also}", "bad")]
        case "partial":
            return [Piece(f"NOT COMPLETE. No open incidents so far; {cause}.{also}", "warn")]
        case "doubtful":
            against = " and ".join(_NAMES.sub("", one) if short else one for one in found.contradictions)
            return [Piece(f"DOUBTFUL. No open incidents were returned, but {against}.", "warn")]
        case "filtered":
            loud = f", {counts.outside_high} high and not acknowledged" if counts.outside_high else ""
            return [*hidden, Piece("NONE MATCH THE FILTERS. ", "warn"), Piece(f"{more(counts.outside, board)} hidden{loud}.")]
        case "unchecked":
            return [Piece(f"No open incidents; {' and '.join(found.missing)} not checked.", "warn")]
        case "clear":
            services = board.facts.services
            well = sum(one.state in ("active", "maintenance", "disabled") for one in services)
            checked = f"{well} of {len(services)} services well" if services else "no services"
            ago = age(now - (board.facts.panel("incidents").at or now))
            return [Piece("All clear. ", "good"), Piece(f"0 open, read completely {ago} ago; {checked}.")]
    doubt = "DOUBTFUL. " if found.contradictions else ""
    if not found.complete:
        read = all(board.facts.read(part).at is not None for part in INCIDENT_PARTS)
        doubt = "STALE. " if found.outdated and read else "NOT COMPLETE. "
    storm = "STORM. " if is_storm(board) and short < _SHORTEST else ""
    return [
        Piece(doubt, "warn"),
        Piece(storm, tone),
        *hidden,
        *_whose(board, tone, now, short),
        *_next(board, now, zone, short, others),
    ]


def _whose(board: Board, tone: Tone, now: float, short: int) -> Line:
    """To whom the incidents are assigned, and for how long they have been unacknowledged."""
    counts = board.verdict
    mine = f"{counts.mine}{'+' if counts.mine_more else ''}"
    yours = f"{mine} {'yours' if short else 'is yours' if mine == '1' else 'are yours'}"
    if not counts.triggered:
        also = f", {yours}" if counts.mine else ""
        return [Piece(f"None triggered, {more(counts.acknowledged, board)} acknowledged{also}.", tone)]
    if counts.mine_first:
        low = "" if counts.mine_high else ", low urgency"
        some = f"{counts.mine_triggered} " if counts.mine_triggered < counts.mine else ""
        waiting = age(now - (counts.unacknowledged_since or now))
        since = "" if short >= (1 if some else _SHORTEST) else f" {waiting}" if short else f" for {waiting}"
        return [Piece(f"{yours}{low}, {some}unacknowledged{since}.", tone)]
    unknown = board.mine.me is None or counts.mine_more
    none = Piece("yours: unknown." if unknown else "none yours.", "warn" if unknown else "plain")
    if counts.outside_mine or (counts.mine and board.mine.me is not None):
        held = "low urgency" if counts.mine_triggered else "acknowledged"
        none = Piece("" if counts.outside_mine else f"{mine} yours, {held}.")
    if short >= _SHORTEST:  # the line below has the counts
        return [none._replace(words=_capital(none.words))]
    high = "none high" if not counts.high else "all high" if counts.high == counts.triggered else f"{counts.high} high"
    return [Piece(f"{more(counts.triggered, board)} triggered ({high}){', ' if none.words else '.'}", tone), none]


def _next(board: Board, now: float, zone: tzinfo, short: int, others: bool) -> Line:
    """When mine pages whom, if it is unacknowledged; and the next escalation of all, if that is mine or `others`."""
    row, counts = board.soonest, board.verdict
    if row is None or row.next.at is None:
        if board.next_unknown or (counts.more and counts.triggered):
            return [Piece(" Next unknown." if short else " Next escalation unknown.", "warn")]
        return [Piece(" Nobody is paged next.")] if short < 2 and counts.triggered else []
    if row.mine or not counts.mine_first:
        return _page(row, board, now, zone, short) if row.mine or others or not (counts.mine or counts.outside_mine) else []
    if (mine := next((one for one in board.paging if one.mine), None)) is not None:
        line = _page(mine, board, now, zone, short)
    else:
        said = following(board.rows[0], now, zone, board.me)
        line = [Piece(f" {_capital(said.words)}{'' if short else '.'}", said.tone)]
    if others:
        left = countdown(row.next.at, now)
        ahead = "now due" if left == DUE else f"in {left}"
        line += [Piece(". Others: " if short else " Others: ")]
        line += [Piece(f"{_which(row)} {_reached(row, board, now, zone, max(short, 1))} {ahead}.", next_tone(row, now))]
    return line


def _page(row: IncidentRow, board: Board, now: float, zone: tzinfo, short: int) -> Line:
    """When an incident pages whom next: ``In 0:48 api pages Dana Wu (L2, 21:14 EST).``."""
    counts, left, tone = board.verdict, countdown(row.next.at or now, now), next_tone(row, now)
    which = "it" if row.mine and counts.mine_triggered == 1 and counts.mine_first else _which(row)
    said, when = _reached(row, board, now, zone, short), " Now due: " if left == DUE else f" In {left} "
    if short:
        clear = which == "it" or (short >= _SHORTEST and (row.mine or not (counts.mine or counts.outside_mine)))
        return [Piece(when, tone), Piece(said if clear else f"{which} {said}", tone)]
    verb = " pages " if row.next.people else " escalates" if row.next.kind in ("level", "again") else ""
    return [Piece(when, tone), Piece(f"{which}{verb}"), Piece(f"{said}.", tone)]


def _which(row: IncidentRow) -> str:
    """An incident by its service, as in the rows, which have no room for its number."""
    return shortened(visible_line(row.incident.service.name), 20) or "the next one"


def _reached(row: IncidentRow, board: Board, now: float, zone: tzinfo, short: int) -> str:
    """The people whom the next escalation of an incident pages, with their time of day: ``Dana Wu (L2, 21:14 EST)``.

    Shortened as in the rows: ``→ L2 Dana Wu (21:14 EST)``, ``→ L2 Dana Wu (21:14)``, ``→ L2 Dana Wu``.
    """
    one, people = row.next, row.next.people
    own = zone_of(board.zones.get(people[0].id, "")) if len(people) == 1 and people[0].id != board.me else None
    there = clock(now, own) if own is not None and clock(now, own) != clock(now, zone) else ""
    if short:
        at = there if short < 2 else there[:5]
        return next_words(row, board.me, _LONGEST_STEP) + (f" ({at})" if there and short < 3 else "")
    level = "L" + "/".join(map(str, one.levels)) if one.levels else ""
    if one.kind == "maybe":
        return " may repeat from L1, or has nobody left to page"
    if not people:
        return f" to {level}; who is on call there is unknown" if level else "; to whom is unknown"
    who = some_of(people, one.one_of) or names(people, board.me)
    return f"{who} ({'again from ' if one.kind == 'again' else ''}{level}{', ' + there if there else ''})"


def counts_line(board: Board, *, short: bool = False) -> Line:
    """The counts: ``10 triggered, 7 high · 7 acknowledged · 5 neglected · 7 of 16 services critical``."""
    counts, critical, all_ = board.verdict, board.verdict.states.get("critical", 0), len(board.services)
    loud = f" ({counts.outside_high} high, not acknowledged)" if counts.outside_high else ""
    some = f"{critical} critical" if short else f"{critical} of {all_} services critical"
    parts: tuple[tuple[object, Line], ...] = (
        (
            counts.triggered,
            [
                Piece(f"{more(counts.triggered, board)} triggered", "bad" if counts.high else "warn"),
                Piece(f", {counts.high} high"),
            ],
        ),
        (counts.acknowledged, [Piece(f"{more(counts.acknowledged, board)} {'ack' if short else 'acknowledged'}")]),
        (counts.unreadable, [Piece(f"{counts.unreadable} unreadable", "bad")]),
        (counts.neglected, [Piece(f"{counts.neglected} neglected", "warn")]),
        (counts.outside, [Piece(f"{counts.outside} hidden by filters{loud}", "warn" if loud else "quiet")]),
        (
            board.facts.panel("services").at is not None,
            [Piece(some, "bad") if critical else Piece("no service critical", "quiet")],
        ),
    )
    return [piece for is_said, part in parts if is_said for piece in (Piece(" · ", "quiet"), *part)][1:]


def trust_line(board: Board, found: Evidence, now: float, interval: float, *, short: bool = False) -> Line:
    """How complete and fresh it is, in a few words: ``complete · live 2s``, ``NOT COMPLETE · STALE 1m00s``, ``STALE 1m00s``."""
    read = board.facts.panel("incidents")
    fresh = freshness(read, now, interval)
    if found.kind in ("loading", "unknown"):
        return fresh
    if read.at is not None and stale(read, now, interval):
        # The heading of the incidents says why.
        fresh = [Piece(f"STALE {age(now - read.at)}", "warn")]
        if short and not found.contradictions:
            return fresh
    doubt = "DOUBTFUL" if found.contradictions else "" if found.complete else "NOT COMPLETE"
    return [Piece(doubt or "complete", "warn" if doubt else "quiet"), Piece(" · ", "quiet"), *fresh]


def more(count: int, board: Board) -> str:
    """A count of incidents; with a plus if there may be more."""
    return f"{count}+" if board.verdict.more else f"{count}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
