"""The recorder: keeps the refreshes of an account in the user's state folder, within a size limit.

Each account has a folder, readable by its owner only, with pieces of a few minutes; the oldest pieces are removed to make room.
Each running program writes its own pieces, so that two programs never write into one file. A write error ends the recording and
nothing else; the reason is in `trouble`.
"""

import contextlib
import os
import time
from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_state_path

from registry.accounts.connection import SANDBOX
from registry.files.folders import file_name, unnamed_file
from registry.oncall.clocks import DAY
from registry.oncall.facts import Facts
from registry.oncall.recording import FrameWriter, Heading, NoRecording, Replay

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
        self._writer = FrameWriter(heading)
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
            self._write(self._folder, facts, at, interval)
        except OSError as error:
            self.trouble = f"recording stopped: {error.strerror or error}"
        self._last = facts

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
            written.file.write(b"".join(pieces))
            written.place(file)
        return sum(map(len, pieces))

    def _write(self, folder: Path, facts: Facts, at: float, interval: float) -> None:
        if self._piece is None or self._frames >= FRAMES_IN_A_PIECE or not self._piece.exists():
            folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            self._make_room(folder, at)
            # Names of pieces sort by their start time; the rest of the name keeps those of several programs apart.
            self._piece = folder / f"{int(at * 1000):015d}-{os.getpid()}-{time.monotonic_ns()}{_ENDING}"
            self._writer, self._frames = FrameWriter(self._heading), 0
        line = self._writer.frame(facts, at, interval)
        beginning = os.O_CREAT | os.O_EXCL if not self._frames else 0
        handle = os.open(self._piece, os.O_WRONLY | os.O_APPEND | beginning | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "ab") as file:
            file.write(line)
        self._frames += 1

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
