"""Drafts: what is typed outlives the program, and nobody else's is touched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from registry.journal.drafts import Drafts
from tests.hostile import STRINGS
from tests.terminal import ROOT


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


def written(folder: Path) -> dict[str, object]:
    """What all files hold, by tool."""
    entries = [one for file in files(folder) for one in json.loads(file.read_bytes())["drafts"]]
    return {one["tool"]: one["values"] for one in entries}


def left(folder: Path) -> list[tuple[str, Mapping[str, object]]]:
    """What the next start finds; it is left there."""
    drafts = Drafts(folder)
    found = [(one.tool, one.values) for one in drafts.find()]
    drafts.close()
    return found


def test_what_was_typed_and_not_run_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "drafts"
    drafts = Drafts(folder)
    drafts.settle("C", {"x": True})
    drafts.note("A", {"name": "a", "ids": ["1", "2"]})
    drafts.note("B", {"name": "b"})
    drafts.note("C", {"x": "true"})
    until(lambda: len(written(folder)) == 2)
    assert files(folder)[0].stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    drafts.settle("B", {"name": "b"})
    drafts.close()
    assert written(folder) == {"A": {"name": "a", "ids": ["1", "2"]}}
    assert left(folder) == [("A", {"name": "a", "ids": ["1", "2"]})]
    assert left(folder) == [("A", {"name": "a", "ids": ["1", "2"]})], "neither recovered nor forgotten"


def test_what_was_run_or_emptied_leaves_no_file(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    drafts.note("A", {"name": "a"})
    drafts.note("B", {"name": "b"})
    until(lambda: files(tmp_path))
    drafts.settle("A", {"name": "a"})
    drafts.note("B", {})
    drafts.close()
    assert [*tmp_path.iterdir()] == []


def test_recovered_and_forgotten(tmp_path: Path) -> None:
    first = Drafts(tmp_path)
    for tool in "ABC":
        first.note(tool, {"name": tool})
    first.close()
    second = Drafts(tmp_path)
    assert [one.tool for one in second.find()] == ["C", "B", "A"]
    assert second.recover("B") == {"name": "B"}
    assert second.recover("B") is None
    second.forget(["A"])
    assert [one.tool for one in second.left] == ["C"]
    second.settle("B", {"name": "B"})
    second.close()
    assert left(tmp_path) == [("C", {"name": "C"})]


def test_secrets_are_never_written(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path, lambda text: text.replace("CREDENTIAL", "•"))
    drafts.note("A", {"secret": "MARKED", "name": "holds CREDENTIAL"}, ["secret"])
    drafts.note("B", {"secret": "MARKED"}, ["secret"])
    drafts.close()
    text = files(tmp_path)[0].read_text("utf-8")
    assert "MARKED" not in text
    assert "CREDENTIAL" not in text
    assert written(tmp_path) == {"A": {"name": "holds •"}}


PROGRAM = """
import sys, time
from pathlib import Path
from registry.journal.drafts import Drafts
drafts = Drafts(Path(sys.argv[1]))
drafts.note(sys.argv[2], {"name": "typed"})
print("typed", flush=True)
time.sleep(60)
"""


def test_killed_programs_leave_theirs_and_running_ones_keep_theirs(tmp_path: Path) -> None:
    programs = [
        subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path), name], cwd=ROOT, stdout=subprocess.PIPE)
        for name in ("Killed", "Running")
    ]
    try:
        until(lambda: len(written(tmp_path)) == 2)
        programs[0].send_signal(signal.SIGKILL)
        programs[0].wait()
        drafts = Drafts(tmp_path)
        assert [one.tool for one in drafts.find()] == ["Killed"]
        assert len(files(tmp_path)) == 2, "one of the running program, one of our own"
        other = Drafts(tmp_path)
        assert other.find() == [], "somebody has it already"
        other.close()
        drafts.close()
        assert set(written(tmp_path)) == {"Killed", "Running"}
    finally:
        for one in programs:
            one.kill()
            one.wait()
            assert one.stdout is not None
            one.stdout.close()


def test_bounds(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    for number in range(60):
        drafts.note(f"T{number}", {"name": "x" * 15_000})
    drafts.close()
    assert files(tmp_path)[0].stat().st_size < 400_100
    assert [tool for tool, _ in left(tmp_path)][:3] == ["T59", "T58", "T57"]


def test_old_ones_are_let_go_of(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path, clock=lambda: 1_000.0)
    drafts.note("A", {"name": "a"})
    drafts.close()
    assert left(tmp_path) == []
    assert [*tmp_path.iterdir()] == []


GOOD = b'{"tool": "A", "at": 1700000000, "values": {"name": "a"}}'


@pytest.mark.parametrize(
    "content", [b"{", b'{"drafts": [{"tool": 1}]}', b"[]", b"\xff", b"[" * 100_000, b'{"drafts": [' + GOOD + b", 3]}"]
)
def test_a_damaged_file_is_kept_to_be_repaired(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "1-a.json").write_bytes(content)
    told: list[str] = []
    drafts = Drafts(tmp_path, tell=told.append, clock=lambda: 1_700_000_001.0)
    assert [draft.tool for draft in drafts.find()] == (["A"] if GOOD in content else [])
    assert (tmp_path / "1-a.broken").read_bytes() == content
    assert told == [f"Some unsent forms are damaged and cannot be recovered; the old file is now {tmp_path / '1-a.broken'}."]
    assert drafts.find() == drafts.left, "and is not read again"
    assert len(told) == 1
    drafts.close()


def test_an_empty_file_is_removed(tmp_path: Path) -> None:
    (tmp_path / "1-a.json").write_bytes(b"")
    assert left(tmp_path) == []
    assert files(tmp_path) == []


def test_hostile_values_come_back_as_they_were(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    values = {f"p{number}": text for number, text in enumerate(STRINGS)}
    drafts.note("A", values)
    drafts.close()
    assert left(tmp_path) == [("A", values)]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "drafts").write_text("in the way")
    told: list[str] = []
    drafts = Drafts(tmp_path / "drafts", tell=told.append)
    assert drafts.find() == []
    for text in "ab":
        drafts.note("A", {"name": text})
        until(lambda: drafts.notice)
    assert "will be lost on exit" in drafts.notice
    assert told == [drafts.notice]
    drafts.close()
    assert os.listdir(tmp_path) == ["drafts"]
