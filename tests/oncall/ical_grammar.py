"""RFC 5545 read back by its grammar: folding, content lines, escaping, components; independently of what writes it."""

from __future__ import annotations

import re

_LINE = re.compile(
    r'([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"\x00-\x08\x0a-\x1f]*"|[^";:,\x00-\x08\x0a-\x1f]*))*):(.*)', re.DOTALL
)
_MOMENT = re.compile(r"\d{8}T\d{6}Z")
_TEXTS = {"SUMMARY", "DESCRIPTION", "NAME"}
_ONCE = {"UID", "DTSTAMP", "DTSTART", "DTEND", "SUMMARY", "DESCRIPTION"}


def parsed(data: bytes) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The calendar's properties and its events'.

    Raises:
        AssertionError: it is no iCalendar.
    """
    assert data.endswith(b"\r\n")
    assert not re.search(rb"(?<!\r)\n|\r(?!\n)", data), "a line break of another kind"
    for physical in data.split(b"\r\n"):
        assert len(physical) <= 75, physical
        physical.decode()  # no character is torn apart
    lines = data.replace(b"\r\n ", b"").decode().removesuffix("\r\n").split("\r\n")
    assert (lines[0], lines[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR")
    calendar: dict[str, str] = {}
    events: list[dict[str, str]] = []
    here = calendar
    for line in lines[1:-1]:
        found = _LINE.fullmatch(line)
        assert found, line
        name, value = found[1], found[3]
        assert not re.search(r"[\x00-\x08\x0a-\x1f\x7f]", value), line
        if name == "BEGIN":
            assert value == "VEVENT"
            assert here is calendar
            here = {}
            events.append(here)
        elif name == "END":
            assert value == "VEVENT"
            assert set(here) >= _ONCE, here
            here = calendar
        else:
            assert name not in here, line
            if name in _TEXTS:
                assert not re.search(r"(?<!\\)(?:\\\\)*[;,]", value), line
                assert not re.search(r"(?<!\\)(?:\\\\)*\\(?![\\;,nN])", value), line
                value = re.sub(r"\\(.)", lambda hit: "\n" if hit[1] in "nN" else hit[1], value)
            if name.startswith("DT"):
                assert _MOMENT.fullmatch(value), line
            here[name] = value
    assert here is calendar
    assert calendar["VERSION"] == "2.0"
    assert calendar["PRODID"]
    for event in events:
        assert event["DTSTART"] < event["DTEND"]
    assert len({event["UID"] for event in events}) == len(events)
    return calendar, events
