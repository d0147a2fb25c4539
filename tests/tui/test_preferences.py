"""The saved settings of the appearance."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
import threading
from pathlib import Path

import pytest

from tui.state.preferences import Appearance, Preferences

APPEARANCE = Appearance(True, (("id",), ("address", "city\x1b[31m\ud800")), ("id",), descending=True)


def saved(folder: Path) -> Preferences:
    one = Preferences(folder)
    one.load()
    return one


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    one = saved(tmp_path / "new" / "folder")
    assert one.of("ListTeams") == Appearance()
    one.change("ListTeams", APPEARANCE)
    assert one.of("ListTeams") == APPEARANCE
    one.save()
    again = saved(tmp_path / "new" / "folder")
    assert again.of("ListTeams") == APPEARANCE
    assert (one.notice, again.notice) == ("", "")
    file = tmp_path / "new" / "folder" / "looks.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(path.name for path in file.parent.iterdir()) == ["looks.json", "looks.lock"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not JSON",
        b"\xff\xfe",
        b"[]",
        b'{"tools": 1}',
        b'{"tools": {"x": 1}}',
        b'{"tools": {"x": {"as_table": true}}}',
        b'{"tools": {"x": {"as_table": true, "columns": [1], "sorted_by": null, "descending": false}}}',
        b"[" * 100_000,
        b" " * 1_100_000,
    ],
)
def test_a_broken_file_is_put_aside_and_told_of(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "looks.json"
    file.write_bytes(content)
    one = saved(tmp_path)
    assert "the old file is now" in one.notice
    assert (tmp_path / "looks.broken.json").read_bytes() == content
    one.change("ListTeams", APPEARANCE)
    one.save()
    assert saved(tmp_path).of("ListTeams") == APPEARANCE


def test_a_folder_that_cannot_be_written_to_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    one = saved(tmp_path / "file" / "below")
    one.change("ListTeams", APPEARANCE)
    one.save()
    assert one.of("ListTeams") == APPEARANCE
    assert one.notice


def test_it_does_not_grow_without_end(tmp_path: Path) -> None:
    one = saved(tmp_path)
    for number in range(700):
        one.change(f"tool {number}", Appearance(True, tuple((f"{column} " + "x" * 290,) for column in range(200))))
    one.save()
    again = saved(tmp_path)
    assert (tmp_path / "looks.json").stat().st_size < 1_000_000
    assert again.notice == ""
    assert len(again.of("tool 699").columns) == 100
    assert again.of("tool 0") == Appearance()
    again.change("x", Appearance(True, (("y" * 500,), ("z",)), ("y" * 500,)))
    again.save()
    assert saved(tmp_path).of("x") == Appearance(True, (("z",),))


def _write(folder: str, name: str) -> None:
    one = saved(Path(folder))
    for number in range(20):
        one.change(f"{name} {number}", APPEARANCE)
        one.save()


def test_programs_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    programs = [context.Process(target=_write, args=(str(tmp_path), name)) for name in "abc"]
    for program in programs:
        program.start()
    for program in programs:
        program.join(60)
    kept = saved(tmp_path)
    assert [kept.of(f"{name} {number}") for name in "abc" for number in range(20)] == [APPEARANCE] * 60


def test_a_later_word_of_another_program_is_not_taken_back(tmp_path: Path) -> None:
    one, two = saved(tmp_path), saved(tmp_path)
    one.change("a", Appearance(True))
    one.save()
    two.change("a", APPEARANCE)
    two.save()
    one.change("b", Appearance(True))
    one.save()
    assert saved(tmp_path).of("a") == APPEARANCE
    assert one.of("a") == APPEARANCE


def test_threads_at_once(tmp_path: Path) -> None:
    one = saved(tmp_path)

    def work(name: str) -> None:
        for number in range(20):
            one.change(f"{name} {number}", APPEARANCE)
            one.save()

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(json.loads((tmp_path / "looks.json").read_text())["tools"]) == 40
    assert os.listdir(tmp_path)
