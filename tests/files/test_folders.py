"""Folders of the program are its owner's alone, files are written whole or not at all; what cannot be understood is kept."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from registry.accounts.memory import AccountMemory, Known
from registry.doors.cli import main
from registry.files.folders import (
    check_links,
    names_in,
    open_plain,
    put_in_place,
    replace_text,
    unnamed_file,
    without_relative,
)
from registry.files.process_mark import ProcessMark, is_running
from registry.files.toml_text import NotToml, parsed
from tests.command_line import runner
from tui import entry
from tui.state.json_store import Appearance, Preferences, Shortcuts
from tui.state.settings import read, wants_lines

REPOSITORY = Path(__file__).parents[2]


def test_folders_that_are_not_absolute_are_ignored_and_told(tmp_path: Path) -> None:
    environment = {"XDG_STATE_HOME": "rel/state", "XDG_CACHE_HOME": "/cache", "XDG_CONFIG_HOME": ""}
    assert list(without_relative(environment)) == ["XDG_STATE_HOME is ignored: 'rel/state' is not an absolute path."]
    assert environment == {"XDG_CACHE_HOME": "/cache", "XDG_CONFIG_HOME": ""}
    shell = {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": "state", "PYTHONPATH": str(REPOSITORY)}
    ended = subprocess.run([sys.executable, "-m", "tui", "history"], cwd=tmp_path, env=shell, capture_output=True, text=True)
    assert ended.returncode == 0
    assert "callboard: XDG_STATE_HOME is ignored: 'state' is not an absolute path." in ended.stderr
    assert not (tmp_path / "state").exists()


def test_a_link_to_nothing_is_no_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "b").touch()
    (tmp_path / "folder" / "a").touch()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    (tmp_path / "broken").symlink_to(tmp_path / "gone")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert names_in(tmp_path / "link") == ["a", "b"]
    assert names_in(tmp_path / "missing" / "below") == []
    check_links(tmp_path / "link" / "missing")
    for name in ("broken", "broken/below/it", "loop"):
        with pytest.raises(OSError, match=r"link") as caught:
            names_in(tmp_path / name)
        assert not isinstance(caught.value, FileNotFoundError)
        with pytest.raises(OSError, match=r"link") as caught:
            open_plain(tmp_path / name)
        assert not isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize(
    ("command", "code"), [(("history",), 5), (("audit",), 5), (("saved",), 5), (("account", "list"), 2)], ids=str
)
def test_the_commands_say_so(
    tmp_path: Path, command: tuple[str, ...], code: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    broken = tmp_path / "broken"
    broken.symlink_to(tmp_path / "disk" / "gone")
    monkeypatch.setenv("HOME", str(broken))
    done = runner(capfd)(*command)
    assert (done.code, f"{broken}: it is a link to something that does not exist" in done.err) == (code, True), done
    assert "yet" not in done.err
    assert "empty" not in done.err


def test_only_files_are_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    with open_plain(tmp_path / "file") as opened:
        assert opened.read() == b"x"
    with open_plain(Path(os.devnull)) as opened:
        assert opened.read() == b""
    for name in ("pipe", ".", "missing", "/dev/zero"):
        with pytest.raises(OSError):  # noqa: PT011  # of several kinds
            open_plain(tmp_path / name)


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
            put_in_place(one, tmp_path / "a")
        monkeypatch.setattr("registry.files.folders.os.link", no_links)
    with unnamed_file(tmp_path, "b") as one:
        put_in_place(one, tmp_path / "b")
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    assert (tmp_path / "a").read_text() == "theirs"


_HOLD = "import sys, pathlib; from registry.files.process_mark import ProcessMark; "
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
    assert main(["demo", str(walk)], {"demo": entry.demo}) == 2
    assert "w: not valid TOML: " in capsys.readouterr().err
