"""Reads a recording: finds its frames, and reads one at a time."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from registry.calling.intervals import interval_seconds
from registry.calling.invalid_value import InvalidValue
from registry.files.plain_file import open_plain
from registry.oncall.clocks import full, second, span, zone_name_at
from registry.oncall.recording import (
    MOST_BYTES,
    Frame,
    FrameReader,
    Heading,
    NoRecording,
    line_of,
    members,
    outline,
    without_links,
)


@dataclass(frozen=True, slots=True)
class _Place:
    """A frame's position: its moment, heading and data, the start and end of its member, and the key."""

    at: float
    heading: Heading
    data: bytes
    start: int
    end: int
    key: int
    """The number of the full frame from which this one is computed."""


class Replay:
    """The frames of one or more pieces of a recording, oldest first.

    Args:
        pieces: recordings, in any order.
        own: they are this user's own; links to pages are removed from others' recordings.

    Raises:
        NoRecording: a piece is not a recording, or no piece has a frame.
    """

    def __init__(self, pieces: Sequence[bytes], *, own: bool) -> None:
        self._own = own
        self._places: list[_Place] = []
        for piece in sorted(filter(None, (_places(data) for data in pieces)), key=lambda places: places[0].at):
            first = len(self._places)
            self._places += [replace(place, key=first + place.key) for place in piece]
        if not self._places:
            raise NoRecording("it has no frames")
        # Two programs may have recorded at the same time; a frame has the changes since those of its own piece.
        self._order = sorted(range(len(self._places)), key=lambda number: self._places[number].at)
        self.moments = [self._places[number].at for number in self._order]

    def __len__(self) -> int:
        return len(self._places)

    def before(self, moment: float) -> int:
        """The number of the last frame at or before a moment; of the first frame if all are later."""
        return max(bisect_right(self.moments, moment) - 1, 0)

    def frame(self, number: int) -> Frame:
        """A frame by its number, from 0.

        Raises:
            NoRecording: it is damaged.
        """
        last = self._order[number]
        place = self._places[last]
        reader = FrameReader(place.heading)
        for one in self._places[place.key : last + 1]:
            reader.take(line_of(one.data, one.start, one.end))
        frame = reader.frame()
        return frame if self._own else replace(frame, facts=without_links(frame.facts))


def read_file(file: Path) -> Replay:
    """The recording in a file that anybody may have made.

    Raises:
        NoRecording: it is not a recording; the text says why.
        OSError: it cannot be read.
    """
    with open_plain(file) as opened:
        data = opened.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise NoRecording(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    return Replay([data], own=False)


def past(at: float, zone: tzinfo, *, short: bool = False) -> str:
    """The prefix of everything that is shown about the past: ``PAST 03:14:12 CET``."""
    return f"PAST {second(at, zone)}" if short else f"PAST {second(at, zone)} {zone_name_at(at, zone)}"


def past_title(at: float, now: float, zone: tzinfo) -> str:
    """The prefix with its date, and how long ago it was: ``PAST Mon 1 Dec 2025 03:14:12 CET, 41m ago``."""
    return f"PAST {past_stamp(at, zone)}, {span(now - at)} ago"


def past_stamp(at: float, zone: tzinfo) -> str:
    """A moment to the second, with its date and zone: ``Mon 1 Dec 2025 03:14:12 CET``."""
    date = full(at, zone).rpartition(" ")[0].rpartition(" ")[0]
    return f"{date} {second(at, zone)} {zone_name_at(at, zone)}"


_TIME = re.compile(r"(?:(\d{4}-\d\d-\d\d)[ T])?(\d{1,2}):(\d\d)(?::(\d\d))?", re.ASCII)


def moment_of(text: str, zone: tzinfo, latest: float) -> float | None:
    """A moment that somebody typed, in Unix seconds: ``03:14``, ``2026-11-22 03:14:30``, ``-1h30m``; None if it is invalid.

    Args:
        text: what was typed.
        zone: the zone of a typed time.
        latest: a time without a date is the last one before this moment; ``-20m`` counts back from it.
    """
    if text.strip().startswith("-"):
        try:
            return latest - interval_seconds(text.strip()[1:])
        except InvalidValue:
            return None
    if (found := _TIME.fullmatch(text.strip())) is None:
        return None
    date, hour, minute, seconds = found.groups()
    try:
        day = datetime.fromisoformat(date).date() if date else datetime.fromtimestamp(latest, zone).date()
        at = datetime(day.year, day.month, day.day, int(hour), int(minute), int(seconds or 0), tzinfo=zone)
        if not date and at.timestamp() > latest:
            at -= timedelta(days=1)
        return at.timestamp()
    except (ValueError, OverflowError):
        return None


def _places(data: bytes) -> list[_Place]:
    """The frames of one recording; `key` counts from the recording's first frame."""
    heading: Heading | None = None
    places: list[_Place] = []
    key = 0
    for start, end in members(data):
        found = outline(line_of(data, start, end))
        if isinstance(found, Heading):
            heading, key = found, len(places)
        elif heading is None:
            raise NoRecording("not an on-call recording")
        else:
            places.append(_Place(found, heading, data, start, end, key))
    return places
