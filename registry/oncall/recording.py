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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import msgspec

from registry.catalog.reading import converted, decoded
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
        self._encoded: dict[int, tuple[object, bytes]] = {}

    @staticmethod
    def heading(heading: Heading) -> bytes:
        """The first member of a recording."""
        values = {"kind": KIND, "version": VERSION, "account": heading.account, "mode": heading.mode}
        return _member(msgspec.json.encode(values))

    def frame(self, facts: Facts, at: float, interval: float) -> bytes:
        """The member of the next frame. `at` is a Unix time and `interval` the time between two refreshes, both in seconds."""
        lists: dict[str, list[list[int] | msgspec.Raw]] = {}
        values: dict[str, msgspec.Raw] = {}
        encoded: dict[int, tuple[object, bytes]] = {}
        for field in fields(facts):
            value = getattr(facts, field.name)
            if isinstance(value, tuple):
                now = [self._item(item, encoded) for item in value]
                before = self._lists.get(field.name, [])
                if now != before:
                    lists[field.name] = _pieces(before, now)
                self._lists[field.name] = now
            else:
                whole = msgspec.json.encode(_without_calls(value))
                if whole != self._values.get(field.name):
                    values[field.name] = msgspec.Raw(whole)
                self._values[field.name] = whole
        self._encoded = encoded
        return _member(msgspec.json.encode({"at": at, "interval": interval, "lists": lists, "values": values}))

    def _item(self, item: object, encoded: dict[int, tuple[object, bytes]]) -> bytes:
        # Most records are the same objects as in the frame before; a reference keeps each id from being used again.
        known = self._encoded.get(id(item))
        if known is None or known[0] is not item:
            known = item, msgspec.json.encode(_without_calls(item))
        encoded[id(item)] = known
        return known[1]


def members(data: bytes) -> Iterator[tuple[int, int]]:
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


def line_of(data: bytes, start: int, end: int) -> bytes:
    """A member's line. Its size was checked when the members were found."""
    return zlib.decompress(data[start:end], wbits=31)


class _Outline(msgspec.Struct):
    """The properties that distinguish a heading from a frame, and a frame's moment."""

    at: float | None = None
    kind: str | None = None
    version: int | None = None
    account: str = ""
    mode: str = ""


def outline(line: bytes) -> Heading | float:
    """A line's heading, or a frame's moment, without reading the rest.

    Raises:
        NoRecording: it is neither of them.
    """
    try:
        found = decoded(line, _Outline)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise NoRecording("a line is not a frame") from None
    if found.kind is not None:
        if found.kind != KIND:
            raise NoRecording("not an on-call recording")
        if found.version != VERSION:
            raise NoRecording(f"version {found.version}; this Callboard reads version {VERSION}")
        return Heading(found.account, found.mode)
    if found.at is None or not abs(found.at) < _LARGEST:
        raise NoRecording("a frame has no time")
    return found.at


class FrameReader:
    """Reads frames in order; each has the changes since the one before."""

    def __init__(self, heading: Heading) -> None:
        self._heading = heading
        self._lists: dict[str, list[Any]] = {}
        self._values: dict[str, Any] = {}
        self._at = self._interval = 0.0

    def take(self, line: bytes) -> None:
        """Read the next frame.

        Raises:
            NoRecording: it is not a valid frame.
        """
        try:
            values = msgspec.json.decode(line)
            _bounded(values)
            self._at, self._interval = float(values["at"]), float(values["interval"])
            for name, pieces in values["lists"].items():
                self._lists[name] = _put_together(self._lists.get(name, []), pieces)
            self._values |= values["values"]
        except (msgspec.DecodeError, RecursionError, KeyError, TypeError, ValueError, AttributeError):
            raise NoRecording("a frame is damaged") from None

    def frame(self) -> Frame:
        """The frame that was read last.

        Raises:
            NoRecording: it does not hold the facts of a board.
        """
        try:
            facts = converted({**self._lists, **self._values}, Facts)
        except (msgspec.ValidationError, RecursionError) as error:
            raise NoRecording(f"a frame has no dashboard data: {error}") from None
        return Frame(self._heading, self._at, self._interval, facts)


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
