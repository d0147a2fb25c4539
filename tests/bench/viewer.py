"""The viewer at 1 to 100 MB in the running explorer, compared with bare Textual and, if installed, vim.

The bench works like a user: it fills the form, sends the request to a service on loopback with F5, and measures the output in
the terminal. If the screen stops reacting, the bench ends and shows the last output.
"""

import shutil
import statistics
import tempfile
from pathlib import Path

import msgspec

from tests.bench.programs import PAUSES
from tests.bench.screens import READY
from tests.bench.table import Row
from tests.bench.terminal_times import BARE, INPUT, Running, measure, variant
from tests.large_responses import LAST, environment, first_of, large_responses, response_of

SIZES, _ROWS = (1_100_000, 100_000_000), 1_000_000
_PAGE_DOWN, _PAGES = "\x1b[6~", 12
RUN, _CONNECTIONS, _DOWN, _FIND_TOOL = "\x1b[15~", "\x1b[17~", "\x1b[B", "\x06"
_TO_FORM, _TO_RESULT, _CLEAR = "\x1bOR", "\x1bOS", "\x0c"
_AT_THE_END = b"has_more"


def viewer_rows(rounds: int) -> list[Row]:
    """Every goal of the viewer that can be given as a ratio within one run."""
    with tempfile.TemporaryDirectory() as folder, large_responses() as address:
        file = Path(folder, "largest.json")
        file.write_bytes(response_of(SIZES[-1]))
        return _rows(min(rounds, 3), address, file)


def _rows(rounds: int, address: str, file: Path) -> list[Row]:
    vim = shutil.which("vim")
    opened = {
        size: Row(f"F5 → first screen of {size / 1e6:g} MB by HTTP, × a bare Textual app's first frame", "≤ 0.5")
        for size in SIZES
    }
    memory = Row("100 MB, the explorer's memory at most, × the body", "≤ 4")
    page = Row("page down in 100 MB, × a bare Input's echo", "≤ 3")
    page_by_size = Row("page down, 100 MB × 1.1 MB", "≤ 1.2")
    search = Row("find the last element of 100 MB, × vim", "≤ 0.2")
    loading, listing = (
        Row(f"the longest pause of the screen while {what} arrive and are shown, × a bare Input's echo", "≤ 10")
        for what in ("100 MB", "a million rows")
    )
    pauses = file.with_name("pauses")
    watched = environment(address) | {PAUSES: str(pauses)}
    for _ in range(rounds):
        bare = measure(BARE, b"Callboard")
        floor = statistics.median(measure(INPUT, b"allboard", keys="customers").echoes)
        pages: dict[int, float] = {}
        for size in SIZES:
            response_of(size)  # made before the measurements
            with Running(variant("tools", 0), environment=watched) as running:
                open_form(running, str(size))
                pauses.unlink()
                here = first_of(size).encode()
                opened[size].ratios.append(running.send(RUN, here) / bare.first_frame)
                # Keys typed before the response is complete go to the form.
                running.until(b" MB")
                running.press_until(f"{_TO_RESULT}G", LAST)
                running.send("g", here)
                running.until_still()
                pause = float(pauses.read_text())
                pages[size] = statistics.median(running.send_and_settle(_PAGE_DOWN) for _ in range(_PAGES))
                if size == SIZES[-1] and vim:
                    running.send("/")
                    running.until_still()
                    search.ratios.append(running.send(f"{LAST}\r", _AT_THE_END) / _vim(vim, file))
        loading.ratios.append(pause / floor)
        with Running(variant("tools", 0), environment=watched) as rows:
            open_form(rows, f"rows{_ROWS}")
            pauses.unlink()
            rows.send(RUN, b"card_0000000")
            rows.until(b" MB")
            rows.press_until(f"{_TO_RESULT}G", LAST)
            listing.ratios.append(float(pauses.read_text()) / floor)
        memory.ratios.append(running.peak / file.stat().st_size)
        page.ratios.append(pages[SIZES[-1]] / floor)
        page_by_size.ratios.append(pages[SIZES[-1]] / pages[SIZES[0]])
    return [*opened.values(), memory, page, page_by_size, *([search] if vim else []), loading, listing]


def open_form(running: Running, size: str) -> None:
    """Send calls to the service on loopback, have JSON shown, and fill the form with the size of a response."""
    running.until(READY)
    for keys, mark in (
        (_CONNECTIONS, b"Choose accounts"),
        (_DOWN, b""),
        ("\r", b"test data"),
        ("\x1b", b""),
        (f"{_FIND_TOOL}GetCustomerCards", b""),  # if the line already has the focus, its key alone draws nothing
        ("\r", b"customer_id"),
        ("1", b"ready"),
        (RUN, first_of(1).encode()),
        (f"{_TO_RESULT}t", b"object"),
        (f"{_TO_FORM}{_CLEAR}", b"customer_id"),
        (size, b"ready"),
    ):
        running.send(keys, mark)
        running.until_still()


def _vim(vim: str, file: Path) -> float:
    """The seconds that vim takes to find the last element in the same response, with one member per line."""
    laid_out = file.with_suffix(".laid-out")
    if not laid_out.exists():
        laid_out.write_bytes(msgspec.json.format(file.read_bytes(), indent=1))
    with Running([vim, "-u", "NONE", "-N", "-n", str(laid_out)]) as running:
        running.until(first_of(SIZES[-1]).encode())
        running.until_still()
        return running.send(f"/{LAST}\r", _AT_THE_END)
