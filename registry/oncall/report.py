"""The handoff report: what whoever comes next has to know, in Markdown that is safe to paste anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import tzinfo

from registry.display.safe_text import visible_line
from registry.oncall.board import Board, IncidentRow
from registry.oncall.clocks import HOUR, age, full, when
from registry.oncall.facts import PANELS
from registry.oncall.words import following, freshness, ladder_title, level, names, plain, rung, state

_SHIFT = 12 * HOUR
_TOLD = frozenset({"trigger", "acknowledge", "unacknowledge", "escalate", "resolve", "exhaust_escalation_path", "annotate"})
_MOST_EVENTS = 60
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")


def report(board: Board, zone: tzinfo, interval: float) -> str:
    """The report as Markdown: open incidents, forgotten ones, the shift's events, who is next, and how fresh all this is.

    Args:
        board: what is known.
        zone: the zone of its times.
        interval: seconds between two refreshes.
    """
    now = board.now
    by = f" by {_text(board.mine.me.name)}" if board.mine.me else ""
    lines = [f"# Handoff, {full(now, zone)}{by}", ""]
    rows = [row for row in board.rows if not row.neglected]
    lines += [f"## Open ({len(board.rows)})", "", *_rows(rows, now, zone), ""]
    forgotten = [row for row in board.rows if row.neglected]
    if forgotten:
        lines += [f"## Forgotten ({len(forgotten)})", "", *_rows(forgotten, now, zone), ""]
    since = _shift_start(board)
    events = [event for event in board.events if event.at >= since and event.kind in _TOLD]
    lines += [f"## Since {when(since, zone, now)}", ""]
    lines += [
        f"- {when(event.at, zone, now)} {_text(event.summary)}: {_text(event.incident.name)}" for event in events[:_MOST_EVENTS]
    ] or ["- nothing was logged"]
    if len(events) > _MOST_EVENTS:
        lines.append(f"- … and {len(events) - _MOST_EVENTS} more")
    lines += ["", "## On call", ""]
    for ladder in board.ladders:
        lines.append(f"- **{_text(plain(ladder_title(ladder)))}**")
        lines += [f"  - {_text(plain(rung(one, now, zone, '')))}" for one in ladder.rungs]
    lines += ["", "## How fresh this is", ""]
    lines += [f"- {name}: {_text(plain(freshness(board.facts.panel(name), now, interval)))}" for name in PANELS]
    if not board.scope.everything:
        lines.append(f"- only a part of the account is told here; {board.verdict.outside} open incidents lie outside of it")
    return "\n".join(lines) + "\n"


def _rows(rows: Iterable[IncidentRow], now: float, zone: tzinfo) -> list[str]:
    lines = []
    for row in rows:
        one = row.incident
        facts = [state(row), one.urgency, one.priority, level(row), f"open {age(now - one.created)}"]
        facts.append(plain([following(row, now, zone, "")]))
        people = names(ref for ref, _ in one.assigned) or "nobody"
        number = f"#{one.number} " if one.number is not None else ""
        title = f"{number}{_text(one.service.name)}: {_text(one.title)}"
        link = f" <{one.url}>" if one.url else ""
        lines.append(f"- **{title}** ({_text(', '.join(fact for fact in facts if fact))}; assigned to {_text(people)}){link}")
    return lines or ["- none"]


def _shift_start(board: Board) -> float:
    """When my shift began; half a day ago for whoever has none."""
    starts = [duty.start for duty in board.mine.duties if duty.start is not None and board.now - duty.start < 7 * 24 * HOUR]
    return max(starts) if starts else board.now - _SHIFT


def _text(text: str) -> str:
    """Text from outside, with nothing in it that Markdown would obey."""
    return _SPECIAL.sub(r"\\\1", visible_line(text))
