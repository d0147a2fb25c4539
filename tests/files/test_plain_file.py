"""Settings and files of state that are no files: nothing waits for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from registry.files.plain_file import open_plain


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


def test_settings_that_are_a_pipe_hold_nothing_up(tmp_path: Path) -> None:
    (tmp_path / "callboard").mkdir()
    os.mkfifo(tmp_path / "callboard" / "config.toml")
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    words = [sys.executable, "-m", "tui", "keys"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1, 2)
    assert "Traceback" not in done.stderr
    assert "not a regular file" in done.stdout + done.stderr
