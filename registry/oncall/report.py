"""The handoff report: what changed since the shift began, in Markdown that is safe to paste anywhere, of a limited size.

The summary comes first. Text from outside is escaped and shortened; links lead only to the account's own host. It says what
could not be read, or is older than the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import tzinfo

from registry.oncall.board import Board, IncidentRow
from registry.oncall.clocks import age, full, span, when
from registry.oncall.evidence import evidence
from registry.oncall.facts import PANELS
from registry.oncall.headline import counts_line, headline
from registry.oncall.links import own_link
from registry.oncall.memory_words import many
from registry.oncall.model import Event
from registry.oncall.shift import Resolved, Shift, shift
from registry.oncall.words import following, freshness, holders, level, level_line, my_duty, names, plain, policy_title, state
from registry.text.safe_text import shortened, visible_line

MOST_ROWS = 40
"""Most lines in one section; below them is the number of further ones."""
_MOST_MOVES = 6
_LONGEST_TITLE, _LONGEST_NOTE = 160, 500
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~!])")
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|www)([:.])")
_MOVES = {
    "acknowledge": "acknowledged",
    "unacknowledge": "ack timed out",
    "escalate": "escalated",
    "exhaust_escalation_path": "nobody left to page",
    "repeat_escalation_path": "escalation starts over",
    "annotate": "note",
}


def report(board: Board, zone: tzinfo, interval: float, own_note: str = "") -> str:
    """The report as Markdown.

    Args:
        board: the board.
        zone: the zone of its times.
        interval: seconds between two refreshes.
        own_note: the user's own note.
    """
    now, diff = board.now, shift(board)
    by = f" by {_text(board.mine.me.name, 60)}" if board.mine.me else ""
    since = when(diff.since, zone, now)
    lines = [f"# Handoff, {full(now, zone)}{by}", "", "## Summary", "", *_summary(board, diff, zone, interval), ""]
    if own_note.strip():
        lines += ["## From me", "", *(f"> {_text(line, _LONGEST_NOTE)}" for line in own_note.strip().splitlines()[:40]), ""]
    lines += [f"## New since {since} and open ({len(diff.new)})", "", *_rows(diff.new, board, zone), ""]
    lines += [f"## Resolved since {since} ({len(diff.resolved)})", "", *_resolved(diff.resolved, zone, now), ""]
    lines += [f"## Open from before ({len(diff.before)})", "", *_rows(diff.before, board, zone, diff), ""]
    lines += [f"## Notes ({len(diff.notes)})", "", *_notes(diff.notes, zone, now), ""]
    lines += ["## Pages by person", "", *_pages(diff, zone, now), ""]
    lines += ["## On call", "", *_policies_on_call(board, zone), ""]
    lines += ["## Data freshness", ""]
    lines += [f"- {name}: {_text(plain(freshness(board.facts.panel(name), now, interval)))}" for name in PANELS]
    if not board.scope.everything:
        lines.append(f"- filtered: {board.verdict.outside} open incidents are not included")
    return "\n".join(lines) + "\n"


def _summary(board: Board, diff: Shift, zone: tzinfo, interval: float) -> list[str]:
    now = board.now
    length = span(now - diff.since)
    began = f"the shift began {when(diff.since, zone, now)}" if diff.own else f"the last {length}; your shift is unknown"
    # The headline says "yours" to its reader, who is another person here.
    to = f"As shown to {_text(board.mine.me.name, 60)}: " if board.mine.me else ""
    lines = [f"- {to}**{_text(headline(board, now, interval, zone).words)}**", f"- Now: {_text(plain(counts_line(board)))}"]
    people = f"{len(diff.pages)} {'person' if len(diff.pages) == 1 else 'people'}"
    unknown = diff.pages_since is None or diff.pages_since > diff.since
    pages = f"{'at least ' if unknown else ''}{sum(one.total for one in diff.pages)} pages to {people}"
    changes = f"{len(diff.new)} new and open, {len(diff.resolved)} resolved, {diff.escalated} escalations, {pages}"
    lines.append(f"- Since {began} ({length}): {changes}")
    lines.append(f"- {_text(plain(my_duty(board.mine, board.facts, now, zone)))}")
    nobody = [f"L{number} {_text(on_call.policy.name, 60)}" for on_call in board.policies for number in on_call.uncovered]
    if nobody:
        lines.append(f"- NOBODY on call: {_some(nobody, 10)}")
    found = evidence(board, now, interval)
    lines += [f"- NOT SURE: {_text(words)}" for words in (*found.causes, *found.contradictions)[:10]]
    if not diff.whole:
        reach = f"begins {when(diff.known_since, zone, now)}" if diff.known_since is not None else "could not be loaded"
        lines.append(f"- NOT SURE: the log {reach}; earlier events are not in this report")
    return lines


def _rows(rows: Sequence[IncidentRow], board: Board, zone: tzinfo, diff: Shift | None = None) -> list[str]:
    now, lines = board.now, []
    for row in rows[:MOST_ROWS]:
        one = row.incident
        facts = [state(row), _text(one.urgency, 20), _text(one.priority, 20), level(row), f"open {age(now - one.created)}"]
        facts += ["neglected"] if row.neglected else []
        facts.append(_text(plain([following(row, now, zone, "")])))
        people = _text(holders(one), 120)
        number = f"\\{one.label} " if one.label else ""
        title = f"{number}{_text(one.service.name, 60)}: {_text(one.title)}"
        link = own_link(one.url, board.facts)
        lines.append(
            f"- **{title}** ({', '.join(fact for fact in facts if fact)}; assigned to {people})"
            + (f" <{link}>" if link else "")
        )
        moves = diff.moved.get(one.id, []) if diff is not None else []
        if moves:
            words = [f"{when(event.at, zone, now)} {_moved(event)}" for event in reversed(moves[:_MOST_MOVES])]
            lines.append(
                f"  - {'; '.join(words)}" + (f"; {len(moves) - _MOST_MOVES} earlier" if len(moves) > _MOST_MOVES else "")
            )
    return _bounded(lines, len(rows))


def _moved(event: Event) -> str:
    what = _MOVES.get(event.kind, event.kind)
    if event.kind == "escalate" and event.people:
        return f"{what} to {_text(names(event.people), 80)}"
    return (
        f"{what} by {_text(event.agent.name, 60)}" if event.kind in ("acknowledge", "annotate") and event.agent.name else what
    )


def _resolved(found: Sequence[Resolved], zone: tzinfo, now: float) -> list[str]:
    lines = []
    for one in found[:MOST_ROWS]:
        by = f" by {_text(one.by.name, 60)}" if one.by.name else ""
        lasted = f", after {span(one.at - one.began)}" if one.began is not None else ""
        title = f"{_text(one.service.name, 60)}: {_text(one.incident.name)}"
        lines.append(f"- {title} (resolved{by} {when(one.at, zone, now)}{lasted})")
    return _bounded(lines, len(found))


def _notes(events: Sequence[Event], zone: tzinfo, now: float) -> list[str]:
    lines = []
    for event in events[:MOST_ROWS]:
        words = _text(event.note, _LONGEST_NOTE) or "(could not load the note's text)"
        who = _text(event.agent.name, 60) or "somebody"
        lines.append(f"- {when(event.at, zone, now)}, {who} on {_text(event.incident.name)}: {words}")
    return _bounded(lines, len(events))


def _pages(diff: Shift, zone: tzinfo, now: float) -> list[str]:
    lines = []
    for one in diff.pages[:MOST_ROWS]:
        counts = f"{one.total}, {one.at_night} of them at night (their time), for {many(one.incidents, 'incident')}"
        lines.append(f"- {_text(one.person.name, 60)}: {counts}")
    lines = _bounded(lines, len(diff.pages))
    if diff.pages_since is None or diff.pages_since > diff.since:
        reach = when(diff.pages_since, zone, now) if diff.pages_since is not None else "now"
        lines.append(f"- pages before {reach} are unknown")
    return lines


def _policies_on_call(board: Board, zone: tzinfo) -> list[str]:
    lines = []
    for on_call in board.policies[:MOST_ROWS]:
        lines.append(f"- **{_text(plain(policy_title(on_call)))}**")
        lines += [f"  - {_text(plain(level_line(one, board.now, zone, '')), 400)}" for one in on_call.levels[:20]]
    if len(board.policies) > MOST_ROWS:
        lines.append(f"- … and {len(board.policies) - MOST_ROWS} more policies")
    return lines or ["- unknown"]


def _bounded(lines: list[str], count: int) -> list[str]:
    if count > MOST_ROWS:
        return [*lines, f"- … and {count - MOST_ROWS} more"]
    return lines or ["- none"]


def _some(words: Iterable[str], most: int) -> str:
    found = list(words)
    return ", ".join(found[:most]) + (f" and {len(found) - most} more" if len(found) > most else "")


def _text(text: str, longest: int = _LONGEST_TITLE) -> str:
    """Text from outside, shortened, with Markdown and links escaped."""
    safe = _SPECIAL.sub(r"\\\1", shortened(visible_line(text), longest))
    return _ADDRESS.sub(r"\1\\\2", safe)
