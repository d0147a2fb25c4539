"""Files are written whole or not at all, and one process at a time holds the lock of one."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from registry.files.atomic_file import file_lock, lock_of, replace_text
from tests.terminal import ROOT


def test_a_text_replaces_the_one_before_it_and_is_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    for content in ("one", "zwei: ü"):
        replace_text(file, content)
        assert file.read_text("utf-8") == content
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["state.json"]


@pytest.mark.parametrize("content", ["half of a character: \ud800", "a rename that fails"])
def test_what_cannot_be_written_leaves_the_file_as_it_was(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "state.json"
    replace_text(file, "whole")

    def full(*_: object) -> None:
        raise OSError("No space left")

    monkeypatch.setattr("registry.files.atomic_file.os.replace", full)
    with pytest.raises((OSError, UnicodeEncodeError)):
        replace_text(file, content)
    assert file.read_text() == "whole"
    assert os.listdir(tmp_path) == ["state.json"]


def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    writes = """if True:
        import sys
        from pathlib import Path
        from registry.files.atomic_file import unnamed_file
        with unnamed_file(Path(sys.argv[1]), "state.json") as one:
            one.file.write(b"half")
            one.file.flush()
            print(flush=True)
            sys.stdin.read()
    """
    file, foreign = tmp_path / "state.json", tmp_path / ".state.json-mine"
    foreign.write_text("made by somebody else")
    command = [sys.executable, "-c", writes, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        replace_text(file, "one")
        (half,) = {one.name for one in tmp_path.iterdir()} - {file.name, foreign.name}
        assert (tmp_path / half).read_text() == "half", "it is still written"
        other.kill()
    replace_text(tmp_path / "other.json", "one")
    assert (tmp_path / half).exists()
    replace_text(file, "two")
    assert {one.name for one in tmp_path.iterdir()} == {"state.json", "other.json", ".state.json-mine"}


def test_a_second_process_does_not_get_the_lock(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    file = tmp_path / "folder" / "state.json"
    attempt = """if True:
        import fcntl, os, sys
        handle = os.open(sys.argv[1], os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(3)
    """
    command = [sys.executable, "-c", attempt, str(file.with_suffix(".lock"))]
    with file_lock(file):
        assert subprocess.run(command, check=False, timeout=60).returncode == 3
    assert subprocess.run(command, check=False, timeout=60).returncode == 0


def opened(file: Path) -> int:
    """How often this process has a file open."""
    found = [os.fstat(int(one)) for one in os.listdir("/dev/fd") if os.path.exists(f"/dev/fd/{one}")]
    return sum(os.path.samestat(one, file.stat()) for one in found)


def test_a_lock_whose_file_its_holder_removes_is_held_by_one_only(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    file, waiting, got, rest = tmp_path / "state.json", threading.Event(), threading.Event(), threading.Event()

    def second() -> None:
        waiting.set()
        with file_lock(file):
            got.set()
            rest.wait(60)

    thread = threading.Thread(target=second)
    with file_lock(file):
        thread.start()
        waiting.wait(60)
        while opened(lock_of(file)) < 2:
            pass
        lock_of(file).unlink()
    assert got.wait(60)
    try:
        with pytest.raises(TimeoutError), file_lock(file, 0):
            pass
    finally:
        rest.set()
        thread.join(60)
