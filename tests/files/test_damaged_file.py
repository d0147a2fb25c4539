"""Files that cannot be understood, or not be read, are kept and told; whatever is wrong with TOML is one error."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from registry.accounts.memory import AccountMemory, Known
from registry.doors.cli import Screens, main
from registry.files.toml_text import NotToml, parsed
from tests.command_line import runner
from tui import entry
from tui.state.line_mode import wants_lines
from tui.state.preferences import Appearance, Preferences
from tui.state.settings import read
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


DIGITS = "look = " + "9" * 5_000
DEEP = "look = " + "[" * 5_000


@pytest.mark.parametrize(
    ("text", "words"),
    [(DIGITS, "too many digits"), (DEEP, "nested too deeply"), ("a = 1\nb =", "Invalid value"), ("a = 1\na = 2", "overwrite")],
    ids=range(4),
)
def test_whatever_is_wrong_is_one_error(text: str, words: str) -> None:
    with pytest.raises(NotToml, match=words):
        parsed(text)
    assert parsed("\ufeffa = 1") == {"a": 1}, "the mark that some editors begin files with"


@pytest.mark.parametrize("text", [DIGITS, DEEP])
def test_every_reader_of_settings_goes_on(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"[accounts.x]\nscreen_reader = 1\n{text}\n")
    monkeypatch.setenv("CALLBOARD_CONFIG", str(file))
    for name in ("STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    (problem,) = read(file).problems
    assert problem.startswith(f"{file}: ")
    assert not wants_lines({"CALLBOARD_CONFIG": str(file)})
    assert main(["account", "list"]) == 2
    assert str(file) in capsys.readouterr().err
    for command in (["account", "rename", "x", "y"], ["call", "Whoami", "--account", "x", "--dry-run"]):
        assert runner(capsys)(*command).code == 2
    walk = tmp_path / "w.toml"
    walk.write_text(text)
    assert main(["demo", str(walk)], Screens(demo=entry.demo)) == 2
    assert "w: not valid TOML: " in capsys.readouterr().err
