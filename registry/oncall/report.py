"""The handoff report: what changed since the shift began, in Markdown that is safe to paste anywhere, of a limited size.

The summary comes first. Text from outside is escaped and shortened; links lead only to the account's own host. It says what
could not be read, or is older than the log.
"""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import tzinfo

from registry.oncall import words
from registry.oncall.board import Board, IncidentRow
from registry.oncall.evidence import Evidence, evidence, stale
from registry.oncall.facts import PANELS, Read, own_link
from registry.oncall.fetch import beginnings
from registry.oncall.headline import counts_line, headline
from registry.oncall.model import DAY, HOUR, Event, age, span, stamp, when
from registry.text.shown import shortened, visible_line

MOST_ROWS = 40  # most lines in one section; below them is the number of further ones
USUAL_SHIFT = 12 * HOUR  # seconds to look back if it is not known when the shift began
_LONGEST_TITLE, _LONGEST_NOTE, _LONGEST_OWN = 160, 500, 2_000
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~!])")
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|www)([:.])")


def report(board: Board, zone: tzinfo, interval: float, own_note: str = "") -> str:
    """The report as Markdown, with the user's own note. `interval`: seconds between two refreshes."""
    now, (start, own) = board.now, shift_start(board)
    events = [event for event in board.events if start <= event.at <= now]
    new = [row for row in board.rows if row.incident.created >= start]
    before = [row for row in board.rows if row.incident.created < start]
    # The last resolution of each incident that is not open again, newest first.
    ended = {one.incident.id: one for one in reversed(events) if one.kind == "resolve" and one.incident.id not in board.by_id}
    resolved, begun = list(reversed(ended.values())), beginnings(board.events)
    pages = Counter(event.people[0] for event in events if event.kind == "notify" and event.people)
    paged = [
        f"- {_text(words.name_of(person.name))}: {words.many(count, 'page')}" for person, count in pages.most_common(MOST_ROWS)
    ]
    pages_since = board.facts.log_since
    if pages_since is None or pages_since > start:
        paged.append(f"- pages before {when(pages_since, zone, now) if pages_since is not None else 'now'} are unknown")

    by = f" by {_text(board.mine.me.name, 60)}" if board.mine.me else ""
    since, length = when(start, zone, now), span(now - start)
    began = f"the shift began {since}" if own else f"the last {length}; your shift is unknown"
    escalations = sum(event.kind == "escalate" for event in events)
    counts = f"{len(new)} new and open, {len(resolved)} resolved, {escalations} escalations"
    lasted = [
        f", after {span(event.at - begun[event.incident.id])}" if event.incident.id in begun else "" for event in resolved
    ]
    solved = [
        f"- {_happened(event)} (resolved{_by(event)} {when(event.at, zone, now)}{after})"
        for event, after in zip(resolved, lasted, strict=True)
    ]
    written = [
        f"- {when(event.at, zone, now)}{_by(event)} on {_happened(event)}: "
        + (_text(event.note, _LONGEST_NOTE) or "(could not load the note's text)")
        for event in events
        if event.kind == "annotate"
    ]
    fresh = [f"- {name}: {_freshness(board.facts.panel(name), now, interval, zone)}" for name in PANELS]
    on_call = []
    for policy in board.policies[:MOST_ROWS]:
        levels = (words.plain(words.level_line(one, now, zone, "")) for one in policy.levels[:20])
        on_call += [f"- **{_text(words.plain(words.policy_title(policy)))}**", *(f"  - {_text(one, 400)}" for one in levels)]
    if len(board.policies) > MOST_ROWS:
        on_call.append(f"- … and {len(board.policies) - MOST_ROWS} more policies")
    hidden = [] if board.scope.everything else [f"- filtered: {board.verdict.outside} open incidents are not included"]
    sections = {
        "Summary": _summary(board, f"Since {began} ({length}): {counts}", start, zone, interval),
        "From me": [f"> {_text(line, _LONGEST_OWN)}" for line in own_note.strip().splitlines()[:40]],
        f"New since {since} and open ({len(new)})": _rows(new, board, zone),
        f"Resolved since {since} ({len(resolved)})": _bounded(solved),
        f"Open from before ({len(before)})": _rows(before, board, zone),
        f"Notes ({len(written)})": _bounded(written),
        "Pages by person": _bounded(paged),
        "On call": on_call or ["- unknown"],
        "Data freshness": fresh + hidden,
    }
    parts = ["\n".join([f"## {title}", "", *lines]) for title, lines in sections.items() if lines]
    return "\n\n".join([f"# Handoff, {stamp(now, zone)}{by}", *parts]) + "\n"


def shift_start(board: Board) -> tuple[float, bool]:
    """When my shift began, and whether that is known; half a day ago without a known shift."""
    starts = [duty.start for duty in board.mine.duties if duty.start is not None and board.now - duty.start < 7 * DAY]
    return (max(starts), True) if starts else (board.now - USUAL_SHIFT, False)


def _summary(board: Board, changes: str, start: float, zone: tzinfo, interval: float) -> list[str]:
    now, facts, found = board.now, board.facts, evidence(board, board.now, interval)
    _, *duty = words.my_duty(board.mine, facts, now, zone)
    lines = [
        f"- **{_text(_now(board, found, zone, interval))}**",
        f"- {changes}",
        f"- {_text(board.mine.me.name if board.mine.me else 'The reader', 60)}: {_text(words.plain(duty))}",
    ]
    nobody = [f"L{number} {_text(on_call.policy.name, 60)}" for on_call in board.policies for number in on_call.uncovered]
    if nobody:
        more = f" and {len(nobody) - 10} more" if len(nobody) > 10 else ""
        lines.append(f"- NOBODY on call: {', '.join(nobody[:10])}{more}")
    lines += [f"- NOT SURE: {_text(why)}" for why in (*found.causes, *found.contradictions)[:10]]
    known = min((at for at in (facts.history_since, facts.log_since) if at is not None), default=None)
    if known is None or known > start:
        reach = f"begins {when(known, zone, now)}" if known is not None else "could not be loaded"
        lines.append(f"- NOT SURE: the log {reach}; earlier events are not in this report")
    return lines


def _now(board: Board, found: Evidence, zone: tzinfo, interval: float) -> str:
    """What the dashboard's first line says, for people who read it later: without "yours" and countdowns, with times of day."""
    if not board.rows:
        return headline(board, board.now, interval, zone).words
    doubt = "" if found.trusted else "DOUBTFUL. " if found.complete else "NOT COMPLETE. "
    said = f"{doubt}{words.plain(counts_line(board))}"
    if (row := board.soonest) is None:
        return said
    step = words.plain([words.following(row, board.now, zone, "", by_clock=True)])
    return f"{said}; next: {words.name_of(row.incident.service.name)} {step}"


def _freshness(read: Read, now: float, interval: float, zone: tzinfo) -> str:
    why = f": {_text(read.trouble.cause)}" if read.trouble is not None else ""
    if read.at is None:
        return f"FAILED{why}" if why else "not loaded yet"
    return f"{'STALE, ' if stale(read, now, interval) else ''}read {when(read.at, zone, now)}{why}"


def _rows(rows: Sequence[IncidentRow], board: Board, zone: tzinfo) -> list[str]:
    return _bounded([_row(row, board, zone) for row in rows[: MOST_ROWS + 1]], len(rows))


def _row(row: IncidentRow, board: Board, zone: tzinfo) -> str:
    one, now = row.incident, board.now
    facts = [words.state(row), _text(one.urgency, 20), _text(one.priority, 20), row.level, f"open {age(now - one.created)}"]
    facts += ["neglected" if row.neglected else "", _text(words.plain([words.following(row, now, zone, "", by_clock=True)]))]
    number = f"\\{one.label} " if one.label else ""
    title = f"{number}{_text(one.service.name, 60)}: {_text(one.title)}"
    link = own_link(one.url, board.facts)
    said = f"{', '.join(fact for fact in facts if fact)}; assigned to {_text(words.holders(one), 120)}"
    return f"- **{title}** ({said})" + (f" <{link}>" if link else "")


def _happened(event: Event) -> str:
    return f"{_text(event.service.name, 60)}: {_text(event.incident.name)}"


def _by(event: Event) -> str:
    return f" by {_text(event.agent.name, 60)}" if event.agent.name else ""


def _bounded(lines: list[str], count: int = 0) -> list[str]:
    count = count or len(lines)
    return [*lines[:MOST_ROWS], *([f"- … and {count - MOST_ROWS} more"] if count > MOST_ROWS else [])] or ["- none"]


def _text(text: str, longest: int = _LONGEST_TITLE) -> str:
    """Text from outside, shortened, with Markdown and links escaped."""
    safe = _SPECIAL.sub(r"\\\1", shortened(visible_line(text), longest))
    return _ADDRESS.sub(r"\1\\\2", safe)
