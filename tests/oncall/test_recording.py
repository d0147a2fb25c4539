"""Recordings: what comes back is what was, however they were cut, put together or made up; and how much is kept."""

import asyncio
import base64
import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from registry.doors.oncall_print import board_lines
from registry.oncall import recording
from registry.oncall import recording as recorder_module
from registry.oncall.board import board
from registry.oncall.facts import Facts, own_link
from registry.oncall.model import NOWHERE, moment_of, past, stamp
from registry.oncall.recording import Heading, NoRecording, Recorder, Replay, read_file, recordings_folder
from tests.oncall.watch import HOUR, MINUTE, NOW, Watch

BERLIN = ZoneInfo("Europe/Berlin")
WHO = Heading("sandbox", "sandbox")
Frames = list[tuple[Facts, float]]


@pytest.fixture(scope="module")
def frames() -> Frames:
    """What was known at each of several moments of a busy night: a new incident, an escalation, some that end."""

    async def read() -> Frames:
        found: Frames = []
        async with Watch() as watch:
            for seconds in (0, 15, 60, 75, 6 * MINUTE, 12 * MINUTE, 53 * MINUTE, 54 * MINUTE):
                await watch.after(seconds)
                found.append((watch.refresher.facts, watch.clock.now()))
        return found

    return asyncio.run(read())


def recorded(frames: Frames) -> bytes:
    recorder = Recorder(None, WHO)
    return b"".join(recorder.line(facts, at, 15.0) for facts, at in frames)


def test_every_moment_comes_back_as_the_same_board(frames: Frames) -> None:
    replay = Replay([recorded(frames)], own=True)
    assert replay.moments == [at for _, at in frames]
    for number, (facts, at) in reversed(list(enumerate(frames))):
        frame = replay.frame(number)
        assert (frame.heading, frame.at, frame.interval) == (WHO, at, 15.0)
        assert board_lines(board(frame.facts, at), 15.0) == board_lines(board(facts, at), 15.0)
        assert frame.facts.events == tuple(replace(one, source=NOWHERE) for one in facts.events)
        assert not any(one.source.tool for one in frame.facts.incidents)
        assert own_link(frame.facts.incidents[0].url, frame.facts)
    assert replay.before(frames[3][1] + 1) == 3
    assert replay.before(0) == 0


def test_pieces_are_joined_and_a_cut_one_loses_its_last_frame(frames: Frames) -> None:
    one, two = recorded(frames[:3]), recorded(frames[3:])
    for pieces in ([two, one], [one + two], [recorded(frames[::2]), recorded(frames[1::2])]):
        replay = Replay(pieces, own=True)
        assert replay.moments == [at for _, at in frames]
        for number in (1, 4):
            facts, at = frames[number]
            assert board_lines(board(replay.frame(number).facts, at), 15.0) == board_lines(board(facts, at), 15.0)
    for cut in (1, 40):
        assert Replay([one + two[:-cut]], own=True).moments == [at for _, at in frames[:-1]]


def first(data: bytes) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(data.splitlines()[0])
    return line


def forged(change: Callable[[dict[str, Any], dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def made(data: bytes) -> bytes:
        line = first(data)
        parts = json.loads(zlib.decompress(base64.b64decode(line["parts"])))
        change(line, parts)
        return packed(line, json.dumps(parts).encode())

    return made


def packed(line: dict[str, Any], parts: bytes) -> bytes:
    return json.dumps({**line, "parts": base64.b64encode(zlib.compress(parts)).decode()}).encode() + b"\n"


FORGERIES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "text": lambda _: b"Mon 1 Dec: all clear\n",
    "a later version": forged(lambda line, _: line.update(oncall_recording=3)),
    "no beginning": lambda data: data.partition(b"\n")[2],
    "a moment beyond all calendars": forged(lambda line, _: line.update(at=1e300)),
    "parts that are not compressed": lambda data: json.dumps({**first(data), "parts": "AA=="}).encode() + b"\n",
    "a list that is none": forged(lambda _, parts: parts.update(incidents={"a": 1})),
    "an item of another type": forged(lambda _, parts: parts["incidents"][0].update(title=7)),
    "an end beyond all calendars": forged(lambda _, parts: parts["incidents"][0].update(created=-1e15)),
    "nested without end": lambda data: packed(first(data), b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_what_is_no_recording_is_refused_in_words(forgery: Callable[[bytes], bytes], frames: Frames, tmp_path: Path) -> None:
    file = tmp_path / "made.jsonl"
    file.write_bytes(forgery(recorded(frames[:2])))
    with pytest.raises(NoRecording, match=r"[a-z]"):
        read_file(file).frame(0)


def test_a_bomb_does_not_go_off(frames: Frames, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_MOST_PARTS", 1_000_000)
    line = json.loads(recorded(frames[:1]))
    with pytest.raises(NoRecording, match="damaged"):
        Replay([packed(line, b'{"x": "' + b" " * 1_500_000 + b'"}')], own=False).frame(0)


def test_a_file_names_no_page_as_the_accounts_own(frames: Frames, tmp_path: Path) -> None:
    file = tmp_path / "theirs.jsonl"
    file.write_bytes(recorded(frames))
    facts = read_file(file).frame(len(frames) - 1).facts
    assert facts.incidents
    assert not any(one.url for one in facts.incidents)


def test_what_is_kept_is_the_users_alone_and_bounded(frames: Frames, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder_module, "FRAMES_IN_A_PIECE", 2)
    one = Recorder(tmp_path / "kept", Heading("../a b", "live"))
    for facts, at in frames:
        one.record(facts, at, 15.0)
        one.record(facts, at + 1, 15.0)  # nothing new was read
    (folder,) = (tmp_path / "kept").iterdir()
    assert folder.name == "a-b"
    assert folder.stat().st_mode & 0o077 == 0
    pieces = sorted(folder.iterdir())
    assert len(pieces) == len(frames) // 2
    assert all(piece.stat().st_mode & 0o777 == 0o600 for piece in pieces)
    pieces[0].write_bytes(pieces[0].read_bytes() + b'{"half a li')  # another program is writing it
    assert one.replay().moments == [at for _, at in frames]
    size = one.export(tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").stat().st_size == size
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o077 == 0
    assert len(read_file(tmp_path / "out.jsonl")) == len(frames)
    with pytest.raises(FileExistsError):
        one.export(tmp_path / "out.jsonl")
    # Another program made room meanwhile: this one goes on in a piece of its own.
    for piece in pieces:
        piece.unlink()
    one.record(replace(frames[0][0]), NOW + HOUR, 15.0)
    assert len(one.replay()) == 1
    # Another program had a world of its own in the sandbox.
    Recorder(tmp_path / "kept", WHO).record(*frames[0], 15.0)
    (piece,) = (tmp_path / "kept" / "sandbox").iterdir()
    piece.rename(piece.with_name(piece.name.replace(f"-{os.getpid()}-", "-1-")))
    here = Recorder(tmp_path / "kept", WHO)
    assert here.replay().moments == [NOW], "that of the last program"
    here.record(frames[1][0], NOW + 1, 15.0)
    assert here.replay().moments == [NOW + 1]
    # The oldest make room when there is too much, or when they are too old.
    monkeypatch.setattr(recorder_module, "MOST_IN_ALL", 1)
    for number in range(4):
        one.record(replace(frames[0][0]), NOW + 2 * HOUR + number, 15.0)
    assert len(list(folder.iterdir())) == 1
    assert not one.trouble


def test_what_cannot_be_written_is_said_once_and_nothing_else_suffers(frames: Frames, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file where a folder should be")
    one = Recorder(tmp_path / "kept", WHO)
    one.record(*frames[0], 15.0)
    assert one.trouble.startswith("recording stopped: ")
    with pytest.raises(NoRecording, match="nothing is recorded"):
        Recorder(None, WHO).replay()
    assert recordings_folder({"XDG_STATE_HOME": "/s", "CALLBOARD_NO_JOURNAL": "1"}) is None
    assert recordings_folder({"XDG_STATE_HOME": "/s"}) == Path("/s/callboard/oncall-recordings")


def test_words_and_moments() -> None:
    assert past(NOW, BERLIN) == "PAST 03:14:00 CET"
    assert stamp(NOW, BERLIN) == "Mon 1 Dec 2025 03:14:00 CET"
    for text, at in (("03:14", NOW), ("2025-12-01 03:14:00", NOW), ("23:14", NOW - 4 * HOUR), (" -1h30m ", NOW - 30 * MINUTE)):
        assert moment_of(text, BERLIN, NOW + HOUR) == at, text
    for wrong in ("", "25:00", "03:61", "soon", "2025-02-30 03:14", "-", "-5x"):
        assert moment_of(wrong, BERLIN, NOW) is None, wrong
