"""A folder that is a link to nothing, as when a disk is not mounted, is told; it does not look empty."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from registry.files.folders import check_links, names_in
from registry.files.plain_file import open_plain
from tests.command_line import runner


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
