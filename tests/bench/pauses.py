"""The longest pause of the event loop while large responses are opened, scrolled and searched, × a bare program's."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.bench.computing import filled
from tests.bench.programs import TICK
from tests.bench.table import Rows, TableRow
from tests.bench.terminal_times import Running, program
from tests.bench.viewer import PAGE_DOWN, RUN, open_form, to_the_last
from tests.large_responses import LAST, environment, first_of, large_responses

_HISTORY = "\x19"


def pause_rows(rounds: int) -> Rows:
    """The longest pause of each, divided by that of a bare Input that gets keys in the same round."""
    rows: dict[str, TableRow] = {}
    with large_responses() as address, tempfile.TemporaryDirectory() as folder:
        state = Path(folder, "state")
        filled(state / "callboard" / "journal.db")
        for _ in range(min(rounds, 2)):
            floor = max(_longest("line", _typing(b"allboard"), {}), TICK)
            for what, name, act, more in (
                ("100 MB of JSON", "explorer", _json(100_000_000), environment(address)),
                ("a table of 1,000,000 rows", "explorer", _table, environment(address)),
                ("10,000 tools", "many", _typing(b"start here"), {}),
                ("5,000 open incidents", "oncall_flood", _moving, {}),
                ("a history of 100,000 calls", "explorer", _past, {"XDG_STATE_HOME": str(state)}),
            ):
                row = rows.setdefault(what, TableRow(f"the loop's longest pause: {what}, × a bare Input's", "", []))
                row.ratios.append(_longest(name, act, more) / floor)
    return list(rows.values())


def _longest(name: str, act: Callable[[Running], None], more: Mapping[str, str]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "pauses")
        file.touch()
        with Running(program("watched", name, str(file)), environment=more) as running:
            act(running)
            running.until_still()
        return max(map(float, file.read_text("ascii").split()), default=0.0)


def _typing(mark: bytes) -> Callable[[Running], None]:
    def act(running: Running) -> None:
        running.until(mark)
        running.until_still()
        for letter in "custcards":
            running.press_and_settle(letter)

    return act


def _json(size: int) -> Callable[[Running], None]:
    def act(running: Running) -> None:
        open_form(running, size)
        running.press(RUN, first_of(size).encode())
        to_the_last(running)
        running.press("g")
        for _ in range(6):
            running.press_and_settle(PAGE_DOWN)
        running.press("/")
        running.until_still()
        running.press(f"{LAST}\r", b"has_more")

    return act


def _table(running: Running) -> None:
    open_form(running, "rows1000000", as_json=False)
    running.press(RUN, b"card_0000001")
    for _ in range(6):
        running.press_and_settle(PAGE_DOWN)
    running.press("/")
    running.until_still()
    running.press("card_0999999\r", b"0999999")


def _moving(running: Running) -> None:
    running.until(b"triggered")
    running.until_still()
    for key in "jjjkkk":
        running.press_and_settle(key)


def _past(running: Running) -> None:
    running.until(b"start here")
    running.until_still()
    running.press(_HISTORY, b"History")
    running.until_still()
    for letter in "ada":
        running.press_and_settle(letter)
