"""Folders of the program are its owner's alone, files are written whole or not at all, and marks of processes end with them."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from registry.files.folders import (
    ProcessMark,
    check_links,
    is_running,
    names_in,
    open_plain,
    replace_text,
    unnamed_file,
    without_relative,
)
from tests.command_line import runner

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
