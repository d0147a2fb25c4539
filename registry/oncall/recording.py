"""Recordings: the facts of each refresh as lines that can be read again, kept in the state folder within a size limit.

A recording is a sequence of lines of JSON, one for each refresh, with those parts of the facts that have changed since the line
before, compressed; a line that is marked as whole has everything. So concatenated recordings are a recording, and a truncated
one loses only its last line. The board is not stored: it is computed again from a frame's facts by the same functions.

Recordings are untrusted. Types are checked strictly, sizes and numbers are bounded, and the calls that returned a value are not
recorded: a recording names no tool and cannot lead to a call.

Each account has a folder, readable by its owner only, with pieces of a few minutes; the oldest pieces are removed to make room.
Each running program writes its own pieces, so that two programs never write into one file. A write error ends the recording and
nothing else; the reason is in `trouble`.
"""

import contextlib
import os
import time
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import fields, replace
from platformdirs import user_state_path

from registry.accounts.connection import SANDBOX
from registry.catalog.folders import converted
from registry.files.folders import file_name, open_plain, put_in_place, unnamed_file
from registry.oncall.facts import Facts, Read
from registry.oncall.model import DAY, NOWHERE

VERSION = 2

MOST_BYTES = 256_000_000  # the largest recording that is read, in bytes
_MOST_PARTS = 64_000_000
_LARGEST = 1e11  # seconds: calendars end before that


class NoRecording(Exception):
    """The data is not a recording; the text says why."""


class Heading(msgspec.Struct, frozen=True):
    """Whose recording it is: the account's name and mode (``sandbox``, ``test`` or ``live``)."""

    account: str
    mode: str


class Frame(msgspec.Struct, frozen=True):
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
                reader = zlib.decompressobj()
                text = reader.decompress(line.parts, _MOST_PARTS)
                if not reader.eof:
                    raise ValueError("cut, or too large")
                values = msgspec.json.decode(text)
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


FRAMES_IN_A_PIECE = 40
MOST_IN_ALL = 64_000_000
KEPT_FOR = 2 * DAY
_ENDING = ".jsonl"


def state_folder(environment: Mapping[str, str]) -> Path | None:
    """The folder of what the program remembers; None if an environment other than the program's own names none."""
    if environment is os.environ:
        return user_state_path("callboard")
    folder = environment.get("XDG_STATE_HOME")
    return Path(folder) / "callboard" if folder else None


def recordings_folder(environment: Mapping[str, str]) -> Path | None:
    """The folder of recordings; None if the environment has no place for it, or turns recording off."""
    folder = None if environment.get("CALLBOARD_NO_JOURNAL") else state_folder(environment)
    return folder and folder / "oncall-recordings"


class Recorder:
    """Records one account in a folder; without one, nothing. Its methods write and read files: call them in a thread.

    The sandbox begins anew with each program: of its recordings only those of this program are read, or of the last one.

    `trouble` says why nothing is recorded any more; it is empty while recording works.
    """

    def __init__(self, folder: Path | None, heading: Heading) -> None:
        self.trouble = ""
        self._heading = heading
        self._folder = folder / file_name(heading.account, "account") if folder is not None else None
        self._before: dict[str, bytes] = {}  # the parts of the line before in this piece
        self._piece: Path | None = None
        self._frames = 0
        self._last: Facts | None = None

    def record(self, facts: Facts, at: float, interval: float) -> None:
        """Record the facts at a moment; does nothing if they have not changed, or nothing was read yet.

        `at` is a Unix time and `interval` the time between two refreshes, both in seconds.
        """
        if self._folder is None or self.trouble or facts is self._last or not facts.reads:
            return
        try:
            if self._piece is None or self._frames >= FRAMES_IN_A_PIECE or not self._piece.exists():
                self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._folder.mkdir(mode=0o700, exist_ok=True)
                self._make_room(self._folder, at)
                # Names of pieces sort by their start time; the rest of the name keeps those of several programs apart.
                self._piece = self._folder / f"{int(at * 1000):015d}-{os.getpid()}-{time.monotonic_ns()}{_ENDING}"
                self._before, self._frames = {}, 0
            line = self.line(facts, at, interval)
            beginning = os.O_CREAT | os.O_EXCL if not self._frames else 0
            with os.fdopen(os.open(self._piece, os.O_WRONLY | os.O_APPEND | beginning | os.O_NOFOLLOW, 0o600), "ab") as file:
                file.write(line)
            self._frames += 1
        except OSError as error:
            self.trouble = f"recording stopped: {error.strerror or error}"
        self._last = facts

    def line(self, facts: Facts, at: float, interval: float) -> bytes:
        """The line of the next frame, with what has changed since the one before; the first one has everything."""
        now = {part.name: msgspec.json.encode(_without_calls(getattr(facts, part.name))) for part in fields(facts)}
        changed = {name: msgspec.Raw(value) for name, value in now.items() if value != self._before.get(name)}
        whole, self._before = not self._before, now
        parts, of = zlib.compress(msgspec.json.encode(changed)), self._heading
        return msgspec.json.encode(_Line(VERSION, of.account, of.mode, at, interval, whole, parts)) + b"\n"

    def replay(self) -> Replay:
        """All recordings of this account that are read.

        Raises:
            NoRecording: there is no recording, or it is damaged.
        """
        return Replay(self._pieces(), own=True)

    def export(self, file: Path) -> int:
        """Write all recordings into one file, readable by its owner only; returns its size in bytes.

        Raises:
            NoRecording: there is no recording.
            FileExistsError: the file exists.
            OSError: it cannot be written.
        """
        pieces = self._pieces()
        Replay(pieces, own=True)  # do not export what cannot be replayed
        with unnamed_file(file.parent, file.name) as written:
            written.write(b"".join(pieces))
            put_in_place(written, file)
        return sum(map(len, pieces))

    def _make_room(self, folder: Path, at: float) -> None:
        sizes = {piece: piece.stat().st_size for piece in sorted(folder.glob("*.jsonl*"))}
        left = sum(sizes.values())
        for piece, size in sizes.items():
            begun = int(piece.name[:15]) / 1000 if piece.name[:15].isdecimal() else 0.0
            if left <= MOST_IN_ALL and begun > at - KEPT_FOR:
                break
            piece.unlink(missing_ok=True)
            left -= size

    def _pieces(self) -> list[bytes]:
        found = []
        pieces = sorted(self._folder.glob(f"*{_ENDING}")) if self._folder is not None else []
        if self._heading.account == SANDBOX and pieces:
            program = (self._piece or pieces[-1]).name.partition("-")[2].partition("-")[0]
            pieces = [piece for piece in pieces if f"-{program}-" in piece.name]
        for piece in pieces:
            with contextlib.suppress(FileNotFoundError):  # another program has just removed it to make room
                found.append(b"".join(piece.read_bytes().rpartition(b"\n")[:2]))  # one that is being written may end in a line
        if not any(found):
            raise NoRecording("nothing is recorded yet")
        return found
