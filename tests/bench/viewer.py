"""The viewer at 1, 10 and 100 MB, against bare Textual and, where they are on the machine, jless and vim."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.documents import LAST, write
from tests.bench.table import TableRow, process_time
from tests.bench.terminal_times import Running, measure, program

ROUNDS = int(os.environ.get("ROUNDS_OF_LARGE_ANSWERS", "3"))
_SIZES = (1, 10, 100)
_PAGE_DOWN, _PAGES = "\x1b[6~", 12
_HERE, _ALL, _AT_THE_END = b"customer", b"all-there", b"has_more"
_PARSE = "import gc, json, sys; gc.disable(); json.load(open(sys.argv[1], 'rb'))"


def viewer_rows() -> list[TableRow]:
    """Every goal of the viewer that ratios within one run can tell."""
    with tempfile.TemporaryDirectory() as folder:
        files = {size: Path(folder, f"{size}.json") for size in _SIZES}
        for size, file in files.items():
            write(file, size)
        return _rows(files)


def _rows(files: dict[int, Path]) -> list[TableRow]:
    jless, vim = shutil.which("jless"), shutil.which("vim")
    opened = {size: TableRow(f"a JSON answer of {size} MB, first screen, × a bare Textual app", "≤ 1.2", []) for size in _SIZES}
    floor = "jless's first screen" if jless else "json.loads without gc (no jless here)"
    whole = TableRow(f"100 MB, all rows there, × {floor}", "≤ 0.6" if jless else "", [])
    memory = TableRow("100 MB, memory at most, × the file", "≤ 3.5", [])
    page = TableRow("page down in 100 MB, × a bare Input's echo", "≤ 2.5", [])
    page_by_size = TableRow("page down, 100 MB × 1 MB", "≤ 1.1", [])
    finder = "vim" if vim else "bytes.find (no vim here)"
    search = TableRow(f"find the last element of 100 MB, × {finder}", "≤ 0.1" if vim else "≤ 3", [])
    any_case = TableRow(f"the same in any case, × {finder}", "≤ 0.2" if vim else "≤ 5", [])
    fold = TableRow("fold all of 100 MB until still, × page down until still", "≤ 2", [])
    unfold = TableRow("unfold all of 100 MB until still, × page down until still", "≤ 2", [])
    for _ in range(ROUNDS):
        bare, floor_echo = (
            measure("bare", b"Callboard"),
            statistics.median(measure("line", b"allboard", keys="customers").echoes),
        )
        pages: dict[int, float] = {}
        for size, file in files.items():
            with Running(program("viewer", str(file))) as running:
                opened[size].ratios.append(running.until(_HERE) / bare.first_frame)
                there = running.until(_ALL)
                running.until_still()
                turned = [running.press_and_settle(_PAGE_DOWN) for _ in range(_PAGES)]
                pages[size] = statistics.median(echo for echo, _ in turned)
                still = statistics.median(settled for _, settled in turned)
                if size == _SIZES[-1]:
                    parsed = (
                        _first_screen([jless, str(file)]) if jless else process_time([sys.executable, "-c", _PARSE, str(file)])
                    )
                    whole.ratios.append(there / parsed)
                    found = _vim(vim, file) if vim else _find(file)
                    search.ratios.append(running.press("=", _AT_THE_END) / found)
                    running.until_still()
                    any_case.ratios.append(running.press("~", _AT_THE_END) / found)
                    running.until_still()
                    fold.ratios.append(running.press_and_settle("(")[1] / still)
                    unfold.ratios.append(running.press_and_settle(")")[1] / still)
        memory.ratios.append(running.peak / file.stat().st_size)
        page.ratios.append(pages[_SIZES[-1]] / floor_echo)
        page_by_size.ratios.append(pages[_SIZES[-1]] / pages[_SIZES[0]])
    return [*opened.values(), whole, memory, page, page_by_size, search, any_case, fold, unfold]


def _first_screen(command: list[str]) -> float:
    with Running(command) as running:
        return running.until(_HERE)


def _vim(vim: str, file: Path) -> float:
    """Seconds that vim takes to find the last element in the same answer, a member a line."""
    laid_out = file.with_suffix(".laid-out")
    if not laid_out.exists():
        import msgspec

        laid_out.write_bytes(msgspec.json.format(file.read_bytes(), indent=1))
    with Running([vim, "-u", "NONE", "-N", "-n", str(laid_out)]) as running:
        running.until(_HERE)
        running.until_still()
        return running.press(f"/{LAST}\r", _AT_THE_END)


def _find(file: Path) -> float:
    text = file.read_bytes()
    started = time.perf_counter()
    text.find(LAST.encode())
    return time.perf_counter() - started
