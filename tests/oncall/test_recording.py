"""Recordings: what comes back is what was, however they were cut, put together or made up; and how much is kept."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from registry.doors.oncall_print import board_lines
from registry.oncall import recorder as recorder_module
from registry.oncall import recording
from registry.oncall.board import board
from registry.oncall.facts import Facts, own_link
from registry.oncall.model import NOWHERE
from registry.oncall.past_words import moment_of, past, past_title
from registry.oncall.recorder import Recorder, recordings_folder
from registry.oncall.recording import FrameWriter, Heading, NoRecording, Replay, read_file
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
    writer = FrameWriter()
    return writer.heading(WHO) + b"".join(writer.frame(facts, at, 15.0) for facts, at in frames)


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


def test_a_frame_says_only_what_has_changed(frames: Frames) -> None:
    writer = FrameWriter()
    facts, at = frames[0]
    first, again = writer.frame(facts, at, 15.0), writer.frame(facts, at + 15, 15.0)
    assert len(again) * 50 < len(first)
    assert json.loads(gzip.decompress(again)) == {"at": at + 15, "interval": 15.0, "lists": {}, "values": {}}


def test_pieces_are_joined_and_a_cut_one_loses_its_last_frame(frames: Frames) -> None:
    one, two = recorded(frames[:3]), recorded(frames[3:])
    assert len(Replay([two, one], own=True)) == len(Replay([one + two], own=True)) == len(frames)
    assert Replay([two, one], own=True).moments == [at for _, at in frames]
    for cut in (1, 40, len(two) // 9):
        assert len(Replay([one + two[:-cut]], own=True)) < len(frames)
        assert Replay([one + two[:-cut]], own=True).frame(3).at == frames[3][1]


def test_two_programs_that_record_at_the_same_time(frames: Frames) -> None:
    replay = Replay([recorded(frames[::2]), recorded(frames[1::2])], own=True)
    assert replay.moments == [at for _, at in frames]
    for number, (facts, at) in enumerate(frames):
        assert board_lines(board(replay.frame(number).facts, at), 15.0) == board_lines(board(facts, at), 15.0)


def lines_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(data).splitlines()]


def member(values: object) -> bytes:
    return gzip.compress(json.dumps(values).encode() + b"\n")


def forged(change: Callable[[dict[str, Any], dict[str, Any]], None]) -> Callable[[bytes], bytes]:
    def made(data: bytes) -> bytes:
        heading, frame, *_ = lines_of(data)
        change(heading, frame)
        return member(heading) + member(frame)

    return made


FORGERIES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "text": lambda _: b"Mon 1 Dec: all clear",
    "other gzip": lambda _: gzip.compress(b"hello\n"),
    "another kind": forged(lambda heading, _: heading.update(kind="something")),
    "a later version": forged(lambda heading, _: heading.update(version=2)),
    "no heading": lambda data: member(lines_of(data)[1]),
    "no time": forged(lambda _, frame: frame.pop("at")),
    "a moment beyond all calendars": forged(lambda _, frame: frame.update(at=1e300)),
    "no lists": forged(lambda _, frame: frame.pop("lists")),
    "a list that is none": forged(lambda _, frame: frame["lists"].update(incidents={"a": 1})),
    "a stretch of nothing": forged(lambda _, frame: frame["lists"]["incidents"].insert(0, [0, 5])),
    "a stretch before the beginning": forged(lambda _, frame: frame["lists"]["incidents"].insert(0, [-1, 1])),
    "an item of another type": forged(lambda _, frame: frame["lists"]["incidents"][0].update(title=7)),
    "an item without its id": forged(lambda _, frame: frame["lists"]["incidents"][0].pop("id")),
    "an end beyond all calendars": forged(lambda _, frame: frame["lists"]["incidents"][0].update(created=-1e15)),
    "reads of another type": forged(lambda _, frame: frame["values"].update(reads=[1])),
    "nested without end": lambda data: member(lines_of(data)[0]) + gzip.compress(
        b'{"at":1,"interval":15,"values":{},"lists":{"x":' + b"[" * 5000 + b"]" * 5000 + b"}}"
    ),
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_what_is_no_recording_is_refused_in_words(forgery: Callable[[bytes], bytes], frames: Frames, tmp_path: Path) -> None:
    file = tmp_path / "made.gz"
    file.write_bytes(forgery(recorded(frames[:2])))
    with pytest.raises(NoRecording, match=r"[a-z]"):
        read_file(file).frame(0)


def test_a_bomb_does_not_go_off(frames: Frames, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_MOST_LINE", 1_000_000)
    bomb = recorded(frames[:1]) + gzip.compress(b" " * 1_500_000)
    with pytest.raises(NoRecording, match="too large"):
        Replay([bomb], own=False)


def test_a_file_names_no_page_as_the_accounts_own(frames: Frames, tmp_path: Path) -> None:
    file = tmp_path / "theirs.gz"
    file.write_bytes(recorded(frames))
    facts = read_file(file).frame(len(frames) - 1).facts
    assert facts.incidents
    assert own_link("https://fernway.incidents.example/incidents/Q1", facts) == ""
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
    assert one.replay().moments == [at for _, at in frames]

    size = one.export(tmp_path / "out.gz")
    assert (tmp_path / "out.gz").stat().st_size == size
    assert (tmp_path / "out.gz").stat().st_mode & 0o077 == 0
    assert len(read_file(tmp_path / "out.gz")) == len(frames)
    with pytest.raises(FileExistsError):
        one.export(tmp_path / "out.gz")

    # Another program made room meanwhile: this one goes on in a piece of its own.
    for piece in pieces:
        piece.unlink()
    one.record(replace(frames[0][0]), NOW + HOUR, 15.0)
    assert len(one.replay()) == 1
    # The oldest make room when there is too much, or when they are too old.
    monkeypatch.setattr(recorder_module, "MOST_IN_ALL", recorder_module.MOST_OF_A_PIECE + 1)
    for number in range(4):
        one.record(replace(frames[0][0]), NOW + 2 * HOUR + number, 15.0)
    assert len(list(folder.iterdir())) == 1
    assert not one.trouble


def test_what_cannot_be_written_is_said_once_and_nothing_else_suffers(frames: Frames, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file where a folder should be")
    one = Recorder(tmp_path / "kept", WHO)
    one.record(*frames[0], 15.0)
    assert one.trouble.startswith("recording stopped: ")
    nothing = Recorder(None, WHO)
    nothing.record(*frames[0], 15.0)
    assert not nothing.trouble
    with pytest.raises(NoRecording, match="nothing is recorded"):
        nothing.replay()
    assert recordings_folder({"XDG_STATE_HOME": "/s", "CALLBOARD_NO_JOURNAL": "1"}) is None
    assert recordings_folder({"XDG_STATE_HOME": "/s"}) == Path("/s/callboard/oncall-recordings")


def test_words_and_moments() -> None:
    assert past(NOW, BERLIN) == "PAST 03:14:00 CET"
    assert past_title(NOW, NOW + 41 * MINUTE, BERLIN) == "PAST Mon 1 Dec 2025 03:14:00 CET, 41m ago"
    assert moment_of("03:14", BERLIN, NOW + HOUR) == NOW
    assert moment_of("2025-12-01 03:14:00", BERLIN, NOW) == NOW
    assert moment_of("23:14", BERLIN, NOW) == NOW - 4 * HOUR
    assert moment_of(" -20m ", BERLIN, NOW) == NOW - 20 * MINUTE
    assert moment_of("-1h30m", BERLIN, NOW) == NOW - 90 * MINUTE
    for wrong in ("", "25:00", "03:61", "soon", "2025-02-30 03:14", "-", "-5y", "١٢:٣٠"):
        assert moment_of(wrong, BERLIN, NOW) is None, wrong
