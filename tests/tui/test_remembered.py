"""What the screens remember between runs: files of the user's choices, which several programs change at the same time."""

import stat
import threading
from pathlib import Path

import pytest

from tests.tui.app import Desk, desk
from tui.explorer.toolkit_tree import ToolkitTree
from tui.state.json_store import Appearance, Preferences, Shortcuts

APPEARANCE = Appearance(True, (("id",), ("address", "city\x1b[31m\ud800")), ("id",), descending=True)


def looks(folder: Path) -> Preferences:
    one = Preferences(folder)
    one.load()
    return one


def shortcuts(folder: Path) -> Shortcuts:
    one = Shortcuts(folder)
    one.load()
    return one


def test_what_is_saved_comes_back_in_files_that_only_the_user_reads(tmp_path: Path) -> None:
    one, two = looks(tmp_path / "deep"), shortcuts(tmp_path / "deep")
    assert one.of("ListTeams") == Appearance()
    one.look("ListTeams", APPEARANCE)
    one.as_table = False
    for number in range(100):
        two.use(f"Tool{number}")
        two.mark(f"Tool{number}")
    one.save()
    two.save()
    again, found = looks(tmp_path / "deep"), shortcuts(tmp_path / "deep")
    assert (again.of("ListTeams"), again.as_table, again.of("other").as_table) == (APPEARANCE, False, False)
    assert found.now.recent == tuple(f"Tool{number}" for number in range(99, 91, -1))
    assert len(found.now.favourites) == 30
    assert not any(store.notices() for store in (one, two, again, found))
    for name in ("looks.json", "shortcuts.json"):
        assert stat.S_IMODE((tmp_path / "deep" / name).stat().st_mode) == 0o600


def test_programs_and_threads_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    def work(mine: Shortcuts, start: int) -> None:
        for number in range(5):
            mine.mark(f"Tool{start + number}")
            mine.save()

    shared = shortcuts(tmp_path)
    programs = [(shared, 0), (shared, 10), (shortcuts(tmp_path), 20), (shortcuts(tmp_path), 30)]
    threads = [threading.Thread(target=work, args=one) for one in programs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(shortcuts(tmp_path).now.favourites) == 20


@pytest.mark.parametrize(
    "content",
    [b"", b"[", b"[]", b"not JSON", b'{"favourites": 3}', b'{"tools": {"x": {"columns": [1]}}}', b"[" * 100_000, b"\xff"],
)
def test_a_broken_file_is_put_aside_and_told_once(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "shortcuts.json").write_bytes(content)
    (tmp_path / "looks.json").write_bytes(content)
    one, two = shortcuts(tmp_path), looks(tmp_path)
    told = one.notices() + two.notices()
    assert "the old file is now" in told
    assert any(file.read_bytes() == content for file in tmp_path.glob("*.broken.json"))
    one.mark("ListTeams")
    one.save()
    assert not one.notices()
    assert shortcuts(tmp_path).now.favourites == ("ListTeams",)


def test_a_folder_that_cannot_be_written_to_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    one = shortcuts(tmp_path / "file" / "below")
    one.mark("ListTeams")
    one.save()
    assert one.now.favourites == ("ListTeams",)
    assert "could not be" in one.notices()


def lines(one: Desk) -> list[str]:
    tree = one.screen.query_one(ToolkitTree)
    return ["".join(part.text for part in tree.draw(line, 60)).strip() for line in range(tree.line_count)]


async def saved(one: Desk) -> None:
    await one.until(lambda: all(worker.is_finished for worker in one.app.workers if worker.group == "remember"))


async def test_favourites_and_what_was_run_are_on_top_in_the_next_run(tmp_path: Path) -> None:
    async with desk(remembered=tmp_path) as one:
        tree = one.screen.query_one(ToolkitTree)
        await one.press("f2", "down", "right", "right", "asterisk")
        assert lines(one)[:2] == ["Favourites".ljust(53) + "1 ▾", "Customers · search"]
        assert tree.cursor == 5, "the cursor stays with its line"
        for name in ("ListTeams", "ListUsers", "ListTeams"):
            await one.open(name)
            await one.run()
        await saved(one)
    async with desk(remembered=tmp_path) as one:
        assert [line.split()[0] for line in lines(one)[:5]] == ["Favourites", "Customers", "Recent", "Teams", "Users"]
        await one.press("f2", "g", "down", "asterisk")
        assert "Favourites" not in lines(one)[0]
        await one.press("g", "down", "enter")
        await one.until(lambda: one.tool == "ListTeams")
        await saved(one)
    assert shortcuts(tmp_path).now.favourites == ()


async def test_what_cannot_be_remembered_is_told_on_screen(tmp_path: Path) -> None:
    (tmp_path / "shortcuts.json").write_text("{")
    async with desk(remembered=tmp_path) as one:
        assert "the old file is now" in " ".join(note.message for note in one.app._notifications)
