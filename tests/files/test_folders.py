"""Folders of the program are its owner's alone, and the same from every working directory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from registry.files.folders import check_links, names_in, open_plain, without_relative
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
    ("command", "code"),
    [
        (("history",), 5),
        (("audit",), 5),
        (("saved",), 5),
        (("account", "list"), 2),
    ],
    ids=str,
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
