"""Files are written whole or not at all; marks of processes are seen by others, and gone at their end."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from registry.files.folders import ProcessMark, is_running, replace_text, unnamed_file


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

    monkeypatch.setattr("registry.files.folders.os.replace", full)
    with pytest.raises((OSError, UnicodeEncodeError)):
        replace_text(file, content)
    assert file.read_text() == "whole"
    assert os.listdir(tmp_path) == ["state.json"]


def test_a_name_that_is_taken_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("theirs")

    def no_links(*_: object) -> None:
        raise OSError("a file system without links")

    for _ in range(2):
        with pytest.raises(FileExistsError), unnamed_file(tmp_path, "a") as one:
            one.place(tmp_path / "a")
        monkeypatch.setattr("registry.files.folders.os.link", no_links)
    with unnamed_file(tmp_path, "b") as one:
        one.place(tmp_path / "b")
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    assert (tmp_path / "a").read_text() == "theirs"


_HOLD = "import sys, pathlib; from registry.files.folders import ProcessMark; "
_HOLD += "mark = ProcessMark(pathlib.Path(sys.argv[1])); print(mark.name, flush=True); sys.stdin.read()"


def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    words = [sys.executable, "-c", _HOLD, str(tmp_path)]
    with (
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed,
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as stays,
    ):
        assert killed.stdout is not None
        assert stays.stdout is not None
        names = [one.readline().strip() for one in (killed.stdout, stays.stdout)]
        assert [is_running(tmp_path, name) for name in names] == [True, True]
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        (tmp_path / "other.db").touch()
        mark = ProcessMark(tmp_path)
        assert sorted(os.listdir(tmp_path)) == sorted([f"{mark.name}.running", f"{names[1]}.running", "other.db"])
        assert [is_running(tmp_path, name) for name in (*names, mark.name)] == [False, True, True]
        stays.kill()
    mark.end()
    assert not is_running(tmp_path, mark.name)
