"""Work without a screen: comparing two large responses, and searching a long history at every letter typed."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from registry.accounts.connection import sandbox
from registry.calling.arguments import Arguments
from registry.calling.recording import FinishedCall
from registry.calling.result import Result
from registry.catalog.loader import load
from registry.journal.history import History
from registry.journal.search_query import parse_search
from registry.results.comparison import compare
from tests.bench.table import Rows, TableRow
from tests.large_responses import response_of

_SIZE = 10_000_000
_FRAME = 1 / 60
_CALLS, _DAY, _FIRST = 100_000, 86_400, 1_700_000_000.0
SEARCHES = (
    *("", "c", "cus", "cus_N", "cus_N00042", "ada", "lovelace refund", "nothing like it", "failed", "tool:refund"),
    *("tool:customer on:sandbox failed", "since:yesterday ada", "on:sandbox before:2023-11-20"),
)


def comparison_rows(rounds: int) -> Rows:
    """The time to compare 10 MB with 10 MB that differ in one member, against parsing both."""
    row = TableRow("comparing 10 MB with 10 MB, × json.loads of both", "≤ 6", [])
    left = response_of(_SIZE)
    right = left.replace(b'"delinquent":false', b'"delinquent":true', 1)
    for _ in range(min(rounds, 3)):
        started = time.perf_counter()
        json.loads(left)
        json.loads(right)
        floor = time.perf_counter() - started
        started = time.perf_counter()
        compare(left, right)
        row.ratios.append((time.perf_counter() - started) / floor)
    return [row]


def filled(file: Path, calls: int = _CALLS) -> History:
    """A history of many calls of all tools with different arguments, one every 20 seconds."""
    history = History(file, most=calls)
    history.put_down(_made(calls))
    return history


def _made(calls: int) -> Iterator[FinishedCall]:
    connection = sandbox()
    tools = [tool for tool in load().tools.values() if tool.subject is not None]
    names = ("Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov")
    for number in range(calls):
        tool = tools[number % len(tools)]
        assert tool.subject is not None
        name = names[number % 5] if number % 7 == 0 else f"Person {number}"
        body = b'{"object":"customer","id":"cus_N%05d","name":"%s"}' % (number, name.encode())
        result = Result(tool.name, connection.name, 200, body=body)
        arguments = Arguments({tool.subject.name: f"cus_N{number:05d}"})
        yield FinishedCall(tool, arguments, connection, result, _FIRST + 20 * number, 0.1)


def journal_rows(rounds: int) -> Rows:
    """The slowest of the searches, compared with a frame of the screen."""
    with tempfile.TemporaryDirectory() as folder:
        history = filled(Path(folder) / "journal.db")
        ratios = [max(_seconds(history, line) for line in SEARCHES) / _FRAME for _ in range(rounds)]
    what = f"slowest of {len(SEARCHES)} searches in a history of 100 000 calls, × a frame (16.7 ms)"
    return [TableRow(what, "≤ 1.0", ratios)]


def _seconds(history: History, line: str) -> float:
    """The seconds that a search takes, as the median of three."""
    wanted = parse_search(line, _FIRST + 20 * _CALLS + _DAY)
    times = []
    for _ in range(3):
        started = time.perf_counter()
        history.search(wanted)
        times.append(time.perf_counter() - started)
    return statistics.median(times)
