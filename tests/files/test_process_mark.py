"""Marks of processes: seen by others, gone at the end, and what a killed process left is removed by the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from registry.files.atomic_file import ProcessMark, is_running

_HOLD = "import sys, pathlib; from registry.files.atomic_file import ProcessMark; "
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
