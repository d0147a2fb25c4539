"""Drafts: what is typed outlives the program, and nobody else's is touched."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
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


def written(folder: Path) -> dict[str, object]:
    """What the file holds, by tool."""
    if (folder / "drafts.db").exists():
        with closing(sqlite3.connect(folder / "drafts.db")) as database, suppress(sqlite3.OperationalError):
            return {tool: json.loads(form) for tool, form in database.execute("SELECT tool, form FROM drafts ORDER BY at DESC")}
    return {}


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
    drafts.note("D", {"name": "d"})
    until(lambda: len(written(folder)) == 3)
    assert (folder / "drafts.db").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    drafts.settle("B", {"name": "b"})
    drafts.note("D", {})
    drafts.close()
    assert written(folder) == {"A": {"name": "a", "ids": ["1", "2"]}}
    assert left(folder) == [("A", {"name": "a", "ids": ["1", "2"]})]
    assert left(folder) == [("A", {"name": "a", "ids": ["1", "2"]})], "neither recovered nor forgotten"


def test_recovered_and_forgotten(tmp_path: Path) -> None:
    first = Drafts(tmp_path)
    for tool in "ABC":
        first.note(tool, {"name": tool})
    first.close()
    second = Drafts(tmp_path)
    assert [one.tool for one in second.find()] == ["C", "B", "A"]
    assert second.recover("B") == {"name": "B"}
    assert second.recover("B") is None
    assert [one.tool for one in second.left] == ["C", "A"]
    second.settle("B", {"name": "B"})
    second.close()
    assert [tool for tool, _ in left(tmp_path)] == ["C", "A"]


def test_secrets_are_never_written(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path, lambda text: text.replace("CREDENTIAL", "•"))
    drafts.note("A", {"secret": "MARKED", "name": "holds CREDENTIAL"}, ["secret"])
    drafts.note("B", {"secret": "MARKED"}, ["secret"])
    drafts.close()
    assert not any(word in (tmp_path / "drafts.db").read_bytes() for word in (b"MARKED", b"CREDENTIAL"))
    assert written(tmp_path) == {"A": {"name": "holds •"}}
    values = {f"p{number}": text for number, text in enumerate(STRINGS)}
    other = Drafts(tmp_path / "hostile")
    other.note("A", values)
    other.close()
    assert left(tmp_path / "hostile") == [("A", values)], "hostile values come back as they were"


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
    assert list(written(tmp_path))[:3] == ["T59", "T58", "T57"]
    assert len(written(tmp_path)) == 26
    old = Drafts(tmp_path / "old", clock=lambda: 1_000.0)
    old.note("A", {"name": "a"})
    old.close()
    assert left(tmp_path / "old") == []
    assert written(tmp_path / "old") == {}


GOOD = b'{"tool": "A", "at": 1700000000, "values": {"name": "a"}}'


def test_files_of_earlier_versions_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "1-a.json").write_bytes(b'{"drafts": [' + GOOD + b"]}")
    (tmp_path / "1-a.lock").touch()
    drafts = Drafts(tmp_path, clock=lambda: 1_700_000_001.0)
    assert [draft.tool for draft in drafts.find()] == ["A"]
    drafts.close()
    assert [file.name for file in tmp_path.iterdir()] == ["drafts.db"]
    assert written(tmp_path) == {"A": {"name": "a"}}


@pytest.mark.parametrize("content", [b"{", b'{"drafts": [{"tool": 1}]}'])
def test_a_damaged_file_is_kept_to_be_repaired(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "1-a.json").write_bytes(content)
    (tmp_path / "drafts.db").write_bytes(b"this is no database at all" * 100)
    told: list[str] = []
    drafts = Drafts(tmp_path, tell=told.append)
    assert drafts.find() == []
    assert (tmp_path / "1-a.broken").read_bytes() == content
    assert (tmp_path / "drafts.broken.db").exists()
    assert len(told) == 2
    assert drafts.find() == [], "and is not read again"
    assert len(told) == 2
    drafts.note("A", {"name": "a"})
    drafts.close()
    assert written(tmp_path) == {"A": {"name": "a"}}


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "drafts").write_text("in the way")
    told: list[str] = []
    drafts = Drafts(tmp_path / "drafts", tell=told.append)
    assert drafts.find() == []
    for text in "ab":
        drafts.note("A", {"name": text})
        until(lambda: drafts.notice)
    assert drafts.notice
    assert len(told) <= 1
    drafts.close()
    assert os.listdir(tmp_path) == ["drafts"]
