"""Files are written whole or not at all, and one process at a time holds the lock of one."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from registry.storage.atomic_file import file_lock, replace_text


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

    monkeypatch.setattr("registry.storage.atomic_file.os.replace", full)
    with pytest.raises((OSError, UnicodeEncodeError)):
        replace_text(file, content)
    assert file.read_text() == "whole"
    assert os.listdir(tmp_path) == ["state.json"]


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
