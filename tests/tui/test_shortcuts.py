"""Favourites and recent tools at the top of the tree, remembered between runs; other groups."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from tests.tui.app import Desk, desk
from tui.explorer.toolkit_tree import ToolkitTree
from tui.state.shortcuts import Shortcuts


def lines(one: Desk) -> list[str]:
    tree = one.screen.query_one(ToolkitTree)
    return ["".join(part.text for part in tree.draw(line, 60)).strip() for line in range(tree.line_count)]


async def saved(one: Desk) -> None:
    await one.until(lambda: all(worker.is_finished for worker in one.app.workers if worker.group == "remember"))


async def test_a_favourite_stands_on_top_and_is_remembered(tmp_path: Path) -> None:
    async with desk(remembered=tmp_path) as one:
        tree = one.screen.query_one(ToolkitTree)
        await one.press("f2", "down", "right", "right", "asterisk")
        assert lines(one)[:2] == ["Favourites".ljust(53) + "1 ▾", "Customers · search"]
        assert tree.cursor == 5, "the cursor stays with its line"
        await saved(one)
    async with desk(remembered=tmp_path) as one:
        assert lines(one)[1] == "Customers · search"
        await one.press("f2", "g", "down", "asterisk")
        assert "Favourites" not in lines(one)[0]
        await saved(one)
    found = Shortcuts(tmp_path)
    found.load()
    assert found.favourites == ()


async def test_what_was_run_is_recent_in_the_next_run(tmp_path: Path) -> None:
    async with desk(remembered=tmp_path) as one:
        for name in ("ListTeams", "ListUsers", "ListTeams"):
            await one.open(name)
            await one.run()
        await one.until(lambda: lines(one)[:3][1:] == ["Teams · list", "Users · list"])
        await saved(one)
    async with desk(remembered=tmp_path) as one:
        assert [line.split()[0] for line in lines(one)[:3]] == ["Recent", "Teams", "Users"]
        await one.press("f2", "g", "down", "enter")
        await one.until(lambda: one.screen.tool is not None)
        assert one.screen.tool is not None
        assert one.screen.tool.name == "ListTeams"


async def test_groups_by_what_tools_do(tmp_path: Path) -> None:
    async with desk(remembered=tmp_path) as one:
        await one.press("f2", "b")
        assert {line.split()[0] for line in lines(one)[1:6]} == {"Delete", "Read", "List", "Search", "Download"}
        await saved(one)
    async with desk(remembered=tmp_path) as one:
        await one.open("SearchPaymentsCustomers")
        tree = one.screen.query_one(ToolkitTree)
        assert tree.tool is not None
        assert tree.tool.name == "SearchPaymentsCustomers"
        await one.press("f2", "b")
        assert tree.tool.name == "SearchPaymentsCustomers"
        assert "Customers" in "\n".join(lines(one))


def test_what_is_remembered_is_bounded_private_and_only_names(tmp_path: Path) -> None:
    shortcuts = Shortcuts(tmp_path / "deep")
    for number in range(100):
        shortcuts.use(f"Tool{number}")
        shortcuts.mark(f"Tool{number}")
    shortcuts.save()
    again = Shortcuts(tmp_path / "deep")
    again.load()
    assert again.recent == tuple(f"Tool{number}" for number in range(99, 91, -1))
    assert len(again.favourites) == 30
    file = tmp_path / "deep" / "shortcuts.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_two_programs_forget_nothing_of_each_other(tmp_path: Path) -> None:
    def mark(start: int) -> None:
        mine = Shortcuts(tmp_path)
        mine.load()
        for number in range(5):
            mine.mark(f"Tool{start + number}")
            mine.save()

    threads = [threading.Thread(target=mark, args=(start,)) for start in (0, 10, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = Shortcuts(tmp_path)
    found.load()
    assert len(found.favourites) == 15


@pytest.mark.parametrize("content", [b"", b"[", b"{}", b'{"favourites": 3}', b"[" * 100_000, b"\xff"])
def test_a_broken_file_and_a_folder_that_is_none_do_no_harm(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "shortcuts.json").write_bytes(content)
    for folder in (tmp_path, tmp_path / "shortcuts.json"):
        shortcuts = Shortcuts(folder)
        shortcuts.load()
        shortcuts.mark("ListTeams")
        shortcuts.save()
        assert shortcuts.favourites == ("ListTeams",)
        told = shortcuts.notices.take()
        assert told.startswith(("Favourites and recent tools were damaged", "Favourites and recent tools could not be read"))
        shortcuts.mark("ListUsers")
        shortcuts.save()
        assert not shortcuts.notices.take(), "it is told once"


async def test_what_cannot_be_remembered_is_told_on_screen(tmp_path: Path) -> None:
    (tmp_path / "shortcuts.json").write_text("{")
    async with desk(remembered=tmp_path) as one:
        told = " ".join(note.message for note in one.app._notifications)
        assert "the old file is now" in told
