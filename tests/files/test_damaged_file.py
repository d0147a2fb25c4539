"""Files that cannot be understood, or not be read, are kept: nothing of the program takes their place."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from registry.accounts.memory import AccountMemory, Known
from tui.state.preferences import Appearance, Preferences
from tui.state.shortcuts import Shortcuts


def _favourites(folder: Path) -> None:
    one = Shortcuts(folder)
    one.load()
    one.mark("GetCustomerCards")
    one.save()


def _tables(folder: Path) -> None:
    one = Preferences(folder)
    one.load()
    one.look("GetCustomerCards", Appearance())
    one.save()


def _accounts(folder: Path) -> None:
    AccountMemory(folder).note("mine", Known())


FILES: dict[str, Callable[[Path], None]] = {"shortcuts.json": _favourites, "looks.json": _tables, "accounts.json": _accounts}


@pytest.mark.parametrize("name", FILES)
def test_damage_after_damage_is_kept(name: str, tmp_path: Path) -> None:
    file, kept = tmp_path / name, list[bytes]()
    for damage in (b"{", b"[1]", b"\xff\xfe{", b"[" * 5_000):
        kept.append(damage)
        file.write_bytes(kept[-1])
        FILES[name](tmp_path)
        assert file.read_bytes() not in kept, "what was done is kept as well"
    assert {one.read_bytes() for one in tmp_path.glob("*.broken*.json")} == set(kept)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("what", ["pipe", "endless", "loop", "folder"])
def test_what_cannot_be_read_stays_in_its_place(name: str, what: str, tmp_path: Path) -> None:
    file = tmp_path / name
    match what:
        case "pipe":
            os.mkfifo(file)
        case "endless":
            file.symlink_to("/dev/zero")
        case "loop":
            file.symlink_to(file)
        case _:
            file.mkdir()
    before = os.lstat(file)
    FILES[name](tmp_path)
    assert os.path.samestat(os.lstat(file), before)
