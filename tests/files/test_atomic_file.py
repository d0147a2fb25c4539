"""Files are written whole or not at all, and one process at a time holds the lock of one."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from registry.files.atomic_file import file_lock, lock_of, replace_text, unnamed_file


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


def test_a_name_that_is_taken_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("theirs")

    def no_links(*_: object) -> None:
        raise OSError("a file system without links")

    for _ in range(2):
        with pytest.raises(FileExistsError), unnamed_file(tmp_path, "a") as one:
            one.place(tmp_path / "a")
        monkeypatch.setattr("registry.files.atomic_file.os.link", no_links)
    with unnamed_file(tmp_path, "b") as one:
        one.place(tmp_path / "b")
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    assert (tmp_path / "a").read_text() == "theirs"


def opened(file: Path) -> int:
    """How often this process has a file open."""
    found = [os.fstat(int(one)) for one in os.listdir("/dev/fd") if os.path.exists(f"/dev/fd/{one}")]
    return sum(os.path.samestat(one, file.stat()) for one in found)


def test_a_lock_whose_file_its_holder_removes_is_held_by_one_only(tmp_path: Path) -> None:
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
