"""Items on disk: exactly what came, readable at once, in windows, and gone with the program."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.results.spool import Spool
from tests.hostile import CONTROLS
from tests.terminal import ROOT

ITEMS = [b'{"id": 1.10}', b"1e400", b'"\xff"', b'{"a":1,"a":2}', b"[\n]", *(json.dumps(text).encode() for text in CONTROLS)]


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    with Spool(tmp_path) as one:
        yield one


def test_it_is_a_sequence_of_what_was_appended(spool: Spool) -> None:
    assert (len(spool), list(spool), spool[:]) == (0, [], [])
    spool.append(ITEMS[:2])
    spool.append([])
    spool.append(ITEMS[2:])
    assert (len(spool), list(spool), spool[:]) == (len(ITEMS), ITEMS, ITEMS)
    for part in (slice(1, 4), slice(-2, None), slice(None, None, -1), slice(5, 2), slice(0, 99, 3)):
        assert spool[part] == ITEMS[part]
    assert [spool[0], spool[-1], spool[3]] == [ITEMS[0], ITEMS[-1], ITEMS[3]]
    with pytest.raises(IndexError):
        spool[len(ITEMS)]


def test_windows_are_lists_within_their_bounds(spool: Spool) -> None:
    assert spool.window(0, 10, 10) == b"[]"
    spool.append([b"%d" % number for number in range(100)])
    assert json.loads(spool.window(0, 3, 1_000)) == [0, 1, 2]
    assert json.loads(spool.window(98, 50, 1_000)) == [98, 99]
    assert json.loads(spool.window(20, 50, 30)) == list(range(20, 30)), "ten items of two digits, and what stands between"
    assert json.loads(spool.window(20, 50, 0)) == [20], "at least one item, however large"
    assert spool.window(100, 5, 5) == b"[]"
    places, start = [], 0
    while start < len(spool):
        places.append(start)
        start = spool.reach(start, 7, 12)
    assert start == 100
    assert len(places) > 14


def test_nobody_else_can_open_it_and_nothing_stays_behind(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    script = (
        "import os, pathlib, sys; from registry.results.spool import Spool\n"
        f"spool = Spool(pathlib.Path({str(folder)!r})); spool.append([b'1'])\n"
        "assert os.listdir(sys.argv[1]) == [], os.listdir(sys.argv[1])\n"
        "os.abort()"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(folder)], cwd=ROOT, stderr=subprocess.PIPE, check=False)
    assert (ended.returncode, list(folder.iterdir())) == (-6, []), ended.stderr
    assert folder.stat().st_mode & 0o077 == 0
    with Spool(folder) as spool:
        assert os.fstat(spool._file.fileno()).st_mode & 0o077 == 0
