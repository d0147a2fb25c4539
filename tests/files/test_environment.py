"""An environment that would mislead the program is put right, and told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from registry.files.environment import put_right

REPOSITORY = Path(__file__).parents[2]


def test_folders_that_are_not_absolute_are_ignored() -> None:
    environment = {"XDG_STATE_HOME": "rel/state", "XDG_DATA_HOME": "~/x", "XDG_CACHE_HOME": "/cache", "XDG_CONFIG_HOME": ""}
    told = list(put_right(environment))
    assert told == [
        "XDG_DATA_HOME is ignored: '~/x' is not an absolute path.",
        "XDG_STATE_HOME is ignored: 'rel/state' is not an absolute path.",
    ]
    assert environment == {"XDG_CACHE_HOME": "/cache", "XDG_CONFIG_HOME": ""}


@pytest.mark.parametrize(("zone", "told"), [("UTC+99:99", True), ("Europe/Berlin", False), ("UTC+23:59", False)])
def test_a_time_zone_that_no_clock_can_have_is_ignored(zone: str, told: bool) -> None:
    program = "from datetime import datetime\nfrom registry.files.environment import put_right\n"
    program += "print(list(put_right()))\ndatetime.now().astimezone()"
    environment = {**os.environ, "TZ": zone}
    ended = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ("TZ is ignored" in ended.stdout) == told


def test_the_program_says_so_and_goes_on(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": "state",
        "TZ": "UTC+99:99",
        "PYTHONPATH": str(REPOSITORY),
    }
    command = [sys.executable, "-m", "tui", "history"]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0
    assert "callboard: XDG_STATE_HOME is ignored: 'state' is not an absolute path." in ended.stderr
    assert "callboard: TZ is ignored: 'UTC+99:99'" in ended.stderr
    assert not (tmp_path / "state").exists()
