"""Files are written whole or not at all, and one process at a time holds the lock of one."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from registry.files.atomic_file import replace_text, unnamed_file


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
