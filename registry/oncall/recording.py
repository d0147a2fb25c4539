"""Recordings: the facts of each refresh, as bytes that can be read again.

A recording is a sequence of gzip members, so ``zcat`` shows it. Each member is one line of JSON: a heading, or a frame. A frame
has only the changes since the frame before it; the first one after a heading has everything. So concatenated recordings are a
recording, and a truncated one loses only its last frame. The board is not stored: verdict, clocks and policies are computed
again from a frame's facts by the same functions.

Recordings are untrusted. Types are checked strictly, sizes and numbers are bounded, and the calls that returned a value are not
recorded: a recording names no tool and cannot lead to a call.
"""

from __future__ import annotations

import gzip
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from registry.catalog.reading import converted, decoded
from registry.files.plain_file import open_plain
from registry.oncall.facts import Facts, Read
from registry.oncall.model import NOWHERE

VERSION = 1
KIND = "callboard on-call recording"

MOST_BYTES = 256_000_000
"""The largest recording that is read, in bytes."""
_MOST_LINE = 64_000_000
_MOST_TOTAL = 2_000_000_000
_CHUNK = 65_536
_MOST_ITEMS = 200_000
_LARGEST = 1e11  # seconds: calendars end before that


class NoRecording(Exception):
    """The data is not a recording; the text says why."""


@dataclass(frozen=True, slots=True)
class Heading:
    """Whose recording it is: the account's name and mode (``sandbox``, ``test`` or ``live``)."""

    account: str
    mode: str


@dataclass(frozen=True, slots=True)
class Frame:
    """The facts at a moment (Unix seconds), and the refresh interval at that time, in seconds."""

    heading: Heading
    at: float
    interval: float
    facts: Facts


class FrameWriter:
    """Turns facts into members of a recording, each with the changes since the one before."""

    def __init__(self) -> None:
        self._lists: dict[str, list[bytes]] = {}
        self._values: dict[str, bytes] = {}

    @staticmethod
    def heading(heading: Heading) -> bytes:
        """The first member of a recording."""
        values = {"kind": KIND, "version": VERSION, "account": heading.account, "mode": heading.mode}
        return _member(msgspec.json.encode(values))

    def frame(self, facts: Facts, at: float, interval: float) -> bytes:
        """The member of the next frame. `at` is a Unix time and `interval` the time between two refreshes, both in seconds."""
        lists: dict[str, list[list[int] | msgspec.Raw]] = {}
        values: dict[str, msgspec.Raw] = {}
        for part in fields(facts):
            value = getattr(facts, part.name)
            if isinstance(value, tuple):
                now = [msgspec.json.encode(_without_calls(item)) for item in value]
                before = self._lists.get(part.name, [])
                if now != before:
                    lists[part.name] = _pieces(before, now)
                self._lists[part.name] = now
            else:
                whole = msgspec.json.encode(_without_calls(value))
                if whole != self._values.get(part.name):
                    values[part.name] = msgspec.Raw(whole)
                self._values[part.name] = whole
        return _member(msgspec.json.encode({"at": at, "interval": interval, "lists": lists, "values": values}))


def _members(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each complete member of a recording begins and ends.

    Raises:
        NoRecording: it does not consist of gzip members, or is too large.
    """
    start = total = 0
    while start < len(data):
        reader, at, size = zlib.decompressobj(wbits=31), start, 0
        taken = b""
        while not reader.eof:
            if not taken:
                taken, at = data[at : at + _CHUNK], at + _CHUNK
                if not taken:
                    return  # the data is truncated here
            try:
                size += len(reader.decompress(taken, _CHUNK))
            except zlib.error:
                if start == 0:
                    raise NoRecording("not a gzip file") from None
                return
            taken = reader.unconsumed_tail
            if size > _MOST_LINE or total + size > _MOST_TOTAL:
                raise NoRecording("it is too large")
        end = min(at, len(data)) - len(reader.unused_data)
        yield start, end
        start, total = end, total + size


class _Outline(msgspec.Struct):
    """The properties that distinguish a heading from a frame, and a frame's moment."""

    at: float | None = None
    kind: str | None = None
    version: int | None = None
    account: str = ""
    mode: str = ""


class Replay:
    """The frames of one or more recordings, oldest first.

    Args:
        recordings: in any order; two programs may have recorded at the same time.
        own: they are this user's own; links to pages are removed from others' recordings.

    Raises:
        NoRecording: one of them is not a recording, or none has a frame.
    """

    def __init__(self, recordings: Iterable[bytes], *, own: bool) -> None:
        self._own = own
        self._pieces = [piece for data in recordings for piece in _pieces_of(data)]
        self._order = sorted(
            (at, number, place) for number, piece in enumerate(self._pieces) for place, at in enumerate(piece.moments)
        )
        self.moments = [at for at, _, _ in self._order]
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
        _, of, place = self._order[number]
        piece = self._pieces[of]
        lists: dict[str, list[Any]] = {}
        others: dict[str, Any] = {}
        try:
            # A frame has the changes since the one before.
            for start, end in piece.members[: place + 1]:
                values = msgspec.json.decode(_line(piece.data, start, end))
                _bounded(values)
                for name, pieces in values["lists"].items():
                    lists[name] = _put_together(lists.get(name, []), pieces)
                others |= values["values"]
            at, interval = float(values["at"]), float(values["interval"])
            facts = converted({**lists, **others}, Facts)
        except msgspec.ValidationError as error:
            raise NoRecording(f"a frame has no dashboard data: {error}") from None
        except (msgspec.DecodeError, RecursionError, KeyError, TypeError, ValueError, AttributeError):
            raise NoRecording("a frame is damaged") from None
        return Frame(piece.heading, at, interval, facts if self._own else without_links(facts))


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


@dataclass(frozen=True, slots=True)
class _Piece:
    """Frames of which the first has everything: their moments, and where their members begin and end in the data."""

    heading: Heading
    data: bytes
    moments: list[float] = field(default_factory=list)
    members: list[tuple[int, int]] = field(default_factory=list)


def _pieces_of(data: bytes) -> list[_Piece]:
    pieces: list[_Piece] = []
    for start, end in _members(data):
        try:
            found = decoded(_line(data, start, end), _Outline)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            raise NoRecording("a line is not a frame") from None
        if (found.kind is None and not pieces) or (found.kind is not None and found.kind != KIND):
            raise NoRecording("not an on-call recording")
        if found.kind is not None:
            if found.version != VERSION:
                raise NoRecording(f"version {found.version}; this Callboard reads version {VERSION}")
            pieces.append(_Piece(Heading(found.account, found.mode), data))
        elif found.at is None or not abs(found.at) < _LARGEST:
            raise NoRecording("a frame has no time")
        else:
            pieces[-1].moments.append(found.at)
            pieces[-1].members.append((start, end))
    return pieces


def _line(data: bytes, start: int, end: int) -> bytes:
    """A member's line. Its size was checked when the members were found."""
    return zlib.decompress(data[start:end], wbits=31)


def without_links(facts: Facts) -> Facts:
    """Facts without links to the account's pages: for a file that anybody may have made."""
    return replace(
        facts,
        me=replace(facts.me, url="") if facts.me is not None else None,
        policies=tuple(replace(one, url="") for one in facts.policies),
        services=tuple(replace(one, url="") for one in facts.services),
        incidents=tuple(replace(one, url="") for one in facts.incidents),
    )


def _member(line: bytes) -> bytes:
    return gzip.compress(line + b"\n", compresslevel=6, mtime=0)


def _without_calls(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type) and hasattr(value, "source"):
        return replace(value, source=NOWHERE)
    if isinstance(value, Mapping):
        return {key: replace(one, calls=()) if isinstance(one, Read) else one for key, one in value.items()}
    return value


def _pieces(before: list[bytes], now: list[bytes]) -> list[list[int] | msgspec.Raw]:
    """A list as changes to the one before: ``[first, count]`` for a part of the old list, or a new item."""
    places = {item: place for place, item in enumerate(before)}
    pieces: list[list[int] | msgspec.Raw] = []
    for item in now:
        place = places.get(item)
        last = pieces[-1] if pieces else None
        if place is None:
            pieces.append(msgspec.Raw(item))
        elif isinstance(last, list) and last[0] + last[1] == place:
            last[1] += 1
        else:
            pieces.append([place, 1])
    return pieces


def _put_together(before: list[Any], pieces: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for piece in pieces:
        if isinstance(piece, list):
            first, count = piece
            if not 0 <= first <= first + count <= len(before):
                raise ValueError("a stretch outside of the list")
            found += before[first : first + count]
        else:
            found.append(piece)
        if len(found) > _MOST_ITEMS:
            raise ValueError("too many items")
    return found


def _bounded(value: object) -> None:
    """Refuse numbers too large for a date: they would fail when they are shown."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, int | float) and not abs(one) < _LARGEST:
            raise ValueError("a number beyond all bounds")
