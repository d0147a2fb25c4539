"""Shifts as iCalendar (RFC 5545): who is on call when, on which level of which policy.

Only shifts with a beginning and an end are events. People who are always on call, or have no planned end, have no events; the
calendar's description names them. Incomplete shifts must not be served, because programs would take missing shifts for
cancelled ones: check `shifts_problem`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256

from registry.oncall.account_view import AccountView
from registry.oncall.model import Duty
from registry.text.safe_text import shortened, visible_line

CONTENT_TYPE = "text/calendar; charset=utf-8"
_MOST_OCTETS = 75
_LONGEST_NAME = 80


def shifts_problem(view: AccountView, *, mine: bool) -> str:
    """Why an account's shifts cannot be served; empty if they can."""
    facts = view.board.facts
    if mine and facts.me is None:
        return "the token has no user; request everyone's shifts with who=all"
    for part in ("on call", "policies", "later"):
        read = facts.read(part)
        if read.at is None or not read.complete:
            why = f": {read.trouble.cause}" if read.trouble is not None else ""
            return visible_line(f"the shifts are incomplete ({part}){why}")
    if any(policy.id not in facts.later_of for policy in facts.policies):
        return "the coming shifts are not loaded yet"
    return ""


def calendar(views: Sequence[AccountView], *, mine: bool) -> bytes:
    """The calendar.

    Args:
        views: accounts without a `shifts_problem`.
        mine: only the shifts of the token's user; otherwise everybody's.
    """
    now = max(view.board.now for view in views)
    events: list[str] = []
    always: list[str] = []
    for view in views:
        for duty in _duties(view, mine=mine):
            if duty.start is None or duty.end is None:
                always.append(_summary(view, duty, several=len(views) > 1))
            else:
                events += _event(view, duty, now, several=len(views) > 1)
    whose = "My on-call shifts" if mine else "On-call shifts"
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Callboard//On call//EN", "CALSCALE:GREGORIAN", f"NAME:{whose}"]
    lines.append(f"X-WR-CALNAME:{whose}")
    if always:
        people = "; ".join(sorted(set(always))[:20])
        lines.append(f"DESCRIPTION:{_text(f'On call with no scheduled end, and so not in this calendar: {people}')}")
    lines += ["REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H", *events, "END:VCALENDAR"]
    return b"".join(_folded(line) for line in lines)


def _duties(view: AccountView, *, mine: bool) -> list[Duty]:
    facts = view.board.facts
    found = {
        (duty.policy.id, duty.level, duty.schedule.id if duty.schedule else "", duty.user.id, duty.start): duty
        for duty in (*facts.later, *facts.past, *facts.duties)
        if not mine or (facts.me is not None and duty.user.id == facts.me.id)
    }
    return sorted(found.values(), key=lambda duty: (duty.start or 0.0, duty.policy.name, duty.level, duty.user.id))


def _event(view: AccountView, duty: Duty, now: float, *, several: bool) -> list[str]:
    assert duty.start is not None
    assert duty.end is not None
    key = (view.name, duty.policy.id, duty.level, duty.schedule.id if duty.schedule else "", duty.user.id, int(duty.start))
    schedule = f"Schedule {_name(duty.schedule.name)}" if duty.schedule is not None else "Named by the policy"
    return [
        "BEGIN:VEVENT",
        f"UID:{sha256(repr(key).encode()).hexdigest()[:40]}@callboard",
        f"DTSTAMP:{_moment(now)}",
        f"DTSTART:{_moment(duty.start)}",
        f"DTEND:{_moment(max(duty.end, duty.start + 1))}",
        f"SUMMARY:{_text(_summary(view, duty, several=several))}",
        f"DESCRIPTION:{_text(f'{schedule}. Account {view.label}.')}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _summary(view: AccountView, duty: Duty, *, several: bool) -> str:
    where = f" ({view.label})" if several else ""
    return f"{_name(duty.user.name)}: on call L{duty.level} {_name(duty.policy.name)}{where}"


def _name(text: str) -> str:
    return shortened(visible_line(text), _LONGEST_NAME)


def _moment(at: float) -> str:
    return datetime.fromtimestamp(int(at), UTC).strftime("%Y%m%dT%H%M%SZ")


def _text(text: str) -> str:
    """A value of the type TEXT, escaped; control characters are already visible ones."""
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _folded(line: str) -> bytes:
    """A content line, folded so that no part is longer than 75 octets, never inside a character."""
    return b"\r\n ".join(_parts(line)) + b"\r\n"


def _parts(line: str) -> Iterator[bytes]:
    part, room = b"", _MOST_OCTETS
    for letter in line:
        octets = letter.encode()
        if len(part) + len(octets) > room:
            yield part
            part, room = b"", _MOST_OCTETS - 1  # a continuation line begins with a space
        part += octets
    yield part
