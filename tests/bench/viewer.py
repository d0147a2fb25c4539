"""The viewer at 0.5 to 100 MB in the running explorer, compared with bare Textual and, if installed, jless and vim.

The bench works like a user: it fills the form, sends the request to a service on loopback with F5, and measures the output in
the terminal. If the screen stops reacting, the bench ends and shows the last output.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.table import Rows, TableRow, process_time
from tests.bench.terminal_times import Running, measure
from tests.large_responses import LAST, environment, first_of, large_responses, response_of, sent_at

SIZES = (500_000, 1_100_000, 10_000_000, 100_000_000)
PAGE_DOWN, _PAGES = "\x1b[6~", 12
RUN, _CONNECTIONS, _DOWN, _FIND_TOOL = "\x1b[15~", "\x1b[17~", "\x1b[B", "\x06"
_TO_FORM, _TO_RESULT, _CLEAR = "\x1bOR", "\x1bOS", "\x0c"
_AT_THE_END = b"has_more"
_PARSE = "import gc, json, sys; gc.disable(); json.load(open(sys.argv[1], 'rb'))"


def viewer_rows(rounds: int) -> Rows:
    """Every goal of the viewer that can be given as a ratio within one run."""
    with tempfile.TemporaryDirectory() as folder, large_responses() as address:
        file = Path(folder, "largest.json")
        file.write_bytes(response_of(SIZES[-1]))
        return _rows(min(rounds, 3), address, file)


def _rows(rounds: int, address: str, file: Path) -> Rows:
    jless, vim = shutil.which("jless"), shutil.which("vim")
    opened = {
        size: TableRow(f"F5 → first screen of {size / 1e6:g} MB by HTTP, × a bare Textual app's first frame", "≤ 1.2", [])
        for size in SIZES
    }
    answered = {
        size: TableRow(f"last byte of {size / 1e6:g} MB → first rows painted, × a bare Input's echo", f"≤ {goal}", [])
        for size, goal in ((1_100_000, 2), (10_000_000, 2), (100_000_000, 3))
    }
    floor = "jless's first screen" if jless else "json.loads without gc"
    whole = TableRow(f"F5 → the last of 100 MB by HTTP, × {floor}", "≤ 0.6" if jless else "", [])
    memory = TableRow("100 MB, the explorer's memory at most, × the body", "≤ 3.5", [])
    page = TableRow("page down in 100 MB, × a bare Input's echo", "≤ 2.5", [])
    page_by_size = TableRow("page down, 100 MB × 1.1 MB", "≤ 1.1", [])
    finder = "vim" if vim else "bytes.find (no vim here)"
    search = TableRow(f"find the last element of 100 MB, × {finder}", "≤ 0.1" if vim else "≤ 3", [])
    any_case = TableRow(f"find, case-insensitive, × {finder}", "≤ 0.15" if vim else "≤ 5", [])
    fold = TableRow("fold all of 100 MB until still, × page down until still", "≤ 2", [])
    unfold = TableRow("unfold all of 100 MB until still, × page down until still", "≤ 2", [])
    for _ in range(rounds):
        bare, floor_echo = (
            measure("bare", b"Callboard"),
            statistics.median(measure("line", b"allboard", keys="customers").echoes),
        )
        pages: dict[int, float] = {}
        for size in SIZES:
            response_of(size)  # made before the measurements
            with Running([sys.executable, "-m", "tui"], environment=environment(address)) as running:
                open_form(running, size)
                started = time.perf_counter()
                here = first_of(size).encode()
                painted = running.press(RUN, here)
                opened[size].ratios.append(painted / bare.first_frame)
                to_the_last(running)
                there = time.perf_counter() - started
                if size in answered:  # rows can be shown before all bytes have arrived: that counts as no time
                    answered[size].ratios.append(max(started + painted - sent_at[-1], floor_echo / 100) / floor_echo)
                running.press("g", here)
                running.until_still()
                turned = [running.press_and_settle(PAGE_DOWN) for _ in range(_PAGES)]
                pages[size] = statistics.median(echo for echo, _ in turned)
                still = statistics.median(settled for _, settled in turned)
                if size == SIZES[-1]:
                    parsed = (
                        _first_screen([jless, str(file)]) if jless else process_time([sys.executable, "-c", _PARSE, str(file)])
                    )
                    whole.ratios.append(there / parsed)
                    found = _vim(vim, file) if vim else _find(file)
                    for row, text in ((search, LAST), (any_case, LAST.lower())):
                        running.press("/")
                        running.until_still()
                        row.ratios.append(running.press(f"{text}\r", _AT_THE_END) / found)
                        running.until_still()
                        running.press("g", here)
                        running.until_still()
                    fold.ratios.append(running.press_and_settle("-")[1] / still)
                    unfold.ratios.append(running.press_and_settle("+")[1] / still)
        memory.ratios.append(running.peak / file.stat().st_size)
        page.ratios.append(pages[SIZES[-1]] / floor_echo)
        page_by_size.ratios.append(pages[SIZES[-1]] / pages[SIZES[1]])
    return [*opened.values(), *answered.values(), whole, memory, page, page_by_size, search, any_case, fold, unfold]


def to_the_last(running: Running) -> None:
    """Wait until a response is complete, and go to its last row. Keys typed before that go to the form."""
    running.until(b"complete")
    running.press_until(f"{_TO_RESULT}G", LAST.encode())


def open_form(running: Running, wanted: int | str, *, as_json: bool = True) -> None:
    """Send calls to the service on loopback, and fill the form with an id that `tests.large_responses` understands."""
    running.until(b"look before deleting")
    running.press(_CONNECTIONS, b"Choose accounts")
    running.press(_DOWN)
    running.until_still()
    running.press("\r", b"test data")
    running.until_still()
    running.press("\x1b")
    running.until_still()
    running.press(f"{_FIND_TOOL}GetCustomerCards")  # if the line already has the focus, its key alone draws nothing
    running.until_still()
    running.press("\r", b"customer_id")
    running.until_still()
    if as_json:  # the choice is remembered
        running.press("1", b"ready")
        running.press(RUN, first_of(1).encode())
        running.until_still()
        running.press(f"{_TO_RESULT}t", b"object")
        running.until_still()
        running.press(f"{_TO_FORM}{_CLEAR}", b"customer_id")
        running.until_still()
    running.press(str(wanted), b"ready")
    running.until_still()


def _first_screen(command: list[str]) -> float:
    with Running(command) as running:
        return running.until(first_of(SIZES[-1]).encode())


def _vim(vim: str, file: Path) -> float:
    """The seconds that vim takes to find the last element in the same response, with one member per line."""
    laid_out = file.with_suffix(".laid-out")
    if not laid_out.exists():
        import msgspec

        laid_out.write_bytes(msgspec.json.format(file.read_bytes(), indent=1))
    with Running([vim, "-u", "NONE", "-N", "-n", str(laid_out)]) as running:
        running.until(first_of(SIZES[-1]).encode())
        running.until_still()
        return running.press(f"/{LAST}\r", _AT_THE_END)


def _find(file: Path) -> float:
    text = file.read_bytes()
    started = time.perf_counter()
    text.find(LAST.encode())
    return time.perf_counter() - started
