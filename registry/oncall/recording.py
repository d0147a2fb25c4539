"""Recordings: the facts of each refresh, as lines that can be read again.

A recording is a sequence of lines of JSON, one for each refresh, with those parts of the facts that have changed since the line
before, compressed; a line that is marked as whole has everything. So concatenated recordings are a recording, and a truncated
one loses only its last line. The board is not stored: it is computed again from a frame's facts by the same functions.

Recordings are untrusted. Types are checked strictly, sizes and numbers are bounded, and the calls that returned a value are not
recorded: a recording names no tool and cannot lead to a call.
"""

import zlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import fields, replace

from registry.catalog.reading import converted
from registry.files.folders import open_plain
from registry.oncall.facts import Facts, Read
from registry.oncall.model import NOWHERE

VERSION = 2

MOST_BYTES = 256_000_000  # the largest recording that is read, in bytes
_MOST_PARTS = 64_000_000
_LARGEST = 1e11  # seconds: calendars end before that


class NoRecording(Exception):
    """The data is not a recording; the text says why."""


class Heading(Struct, frozen=True):
    """Whose recording it is: the account's name and mode (``sandbox``, ``test`` or ``live``)."""

    account: str
    mode: str


class Frame(Struct, frozen=True):
    """The facts at a moment (Unix seconds), and the refresh interval at that time, in seconds."""

    heading: Heading
    at: float
    interval: float
    facts: Facts


class _Line(msgspec.Struct):
    """A line of a recording. `parts`: a JSON object of the changed parts, compressed; in the file in Base64."""

    oncall_recording: int
    account: str
    mode: str
    at: float
    interval: float
    whole: bool
    parts: bytes


class FrameWriter:
    """Turns facts into lines of a recording, each with what has changed since the one before; the first one has everything."""

    def __init__(self, heading: Heading) -> None:
        self._heading = heading
        self._before: dict[str, bytes] = {}

    def frame(self, facts: Facts, at: float, interval: float) -> bytes:
        """The line of the next frame. `at` is a Unix time and `interval` the time between two refreshes, both in seconds."""
        now = {part.name: msgspec.json.encode(_without_calls(getattr(facts, part.name))) for part in fields(facts)}
        changed = {name: msgspec.Raw(value) for name, value in now.items() if value != self._before.get(name)}
        whole, self._before = not self._before, now
        parts = zlib.compress(msgspec.json.encode(changed))
        line = _Line(VERSION, self._heading.account, self._heading.mode, at, interval, whole, parts)
        return msgspec.json.encode(line) + b"\n"


class Replay:
    """The frames of recordings in any order, oldest first; two programs may have recorded at the same time.

    From those that are not this user's own, links to incidents are removed.

    Raises:
        NoRecording: one of them is not a recording, or none has a frame.
    """

    def __init__(self, recordings: Iterable[bytes], *, own: bool) -> None:
        self._own = own
        self._lines = [line for data in recordings for line in _lines_of(data)]
        self._order = sorted(range(len(self._lines)), key=lambda place: (self._lines[place].at, place))
        self.moments = [self._lines[place].at for place in self._order]
        if not self.moments:
            raise NoRecording("it has no frames")

    def __len__(self) -> int:
        return len(self.moments)

    def before(self, moment: float) -> int:
        """The number of the last frame at or before a moment; of the first frame if all are later."""
        return max(bisect_right(self.moments, moment) - 1, 0)

    def frame(self, number: int) -> Frame:
        """A frame by its number, from 0.

        Raises:
            NoRecording: it is damaged.
        """
        last = self._order[number]
        first = next(place for place in range(last, -1, -1) if self._lines[place].whole)
        parts: dict[str, Any] = {}
        try:
            for line in self._lines[first : last + 1]:
                values = msgspec.json.decode(_unpacked(line.parts))
                _bounded(values)
                parts |= values
            facts = converted(parts, Facts)
        except msgspec.ValidationError as error:
            raise NoRecording(f"a frame has no dashboard data: {error}") from None
        except (zlib.error, msgspec.DecodeError, RecursionError, TypeError, ValueError):
            raise NoRecording("a frame is damaged") from None
        if not self._own:
            facts = replace(facts, incidents=tuple(replace(one, url="") for one in facts.incidents))
        line = self._lines[last]
        return Frame(Heading(line.account, line.mode), line.at, line.interval, facts)


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


def _lines_of(data: bytes) -> list[_Line]:
    """The lines; a last one that is cut is left out."""
    lines: list[_Line] = []
    for text in data.split(b"\n")[:-1]:
        try:
            line = msgspec.json.decode(text, type=_Line)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            raise NoRecording("not an on-call recording") from None
        if line.oncall_recording != VERSION:
            raise NoRecording(f"version {line.oncall_recording}; this Callboard reads version {VERSION}")
        if not (abs(line.at) < _LARGEST and 0 < line.interval < _LARGEST and (lines or line.whole)):
            raise NoRecording("a frame is damaged")
        lines.append(line)
    return lines


def _unpacked(parts: bytes) -> bytes:
    reader = zlib.decompressobj()
    text = reader.decompress(parts, _MOST_PARTS)
    if not reader.eof:
        raise ValueError("cut, or too large")
    return text


def _without_calls(value: object) -> object:
    if isinstance(value, tuple):
        return [_without_calls(one) for one in value]
    if isinstance(value, msgspec.Struct) and hasattr(value, "source"):
        return replace(value, source=NOWHERE)
    if isinstance(value, Mapping):
        return {key: replace(one, calls=()) if isinstance(one, Read) else one for key, one in value.items()}
    return value


def _bounded(value: object) -> None:
    """Refuse numbers too large for a date: they would fail when they are shown."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict | list):
            waiting += one.values() if isinstance(one, dict) else one
        elif isinstance(one, int | float) and not abs(one) < _LARGEST:
            raise ValueError("a number beyond all bounds")
