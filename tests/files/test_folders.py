"""Folders of the program are its owner's alone, and the same from every working directory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from registry.files.folders import without_relative

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
