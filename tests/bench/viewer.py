"""The viewer at 1 to 100 MB in the running explorer, compared with bare Textual and, if installed, vim.

The bench works like a user: it fills the form, sends the request to a service on loopback with F5, and measures the output in
the terminal. If the screen stops reacting, the bench ends and shows the last output.
"""

import shutil
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
    vim = shutil.which("vim")
    opened = {size: Row(f"F5 → first screen of {size / 1e6:g} MB by HTTP, × bare's first frame", "≤ 0.5") for size in SIZES}
    memory = Row("100 MB, the explorer's memory at most, × the body", "≤ 4")
    page = Row("page down in 100 MB, × a bare Input's echo", "≤ 3")
    page_by_size = Row("page down, 100 MB × 1.1 MB", "≤ 1.2")
    search = Row("find the last element of 100 MB, × vim", "≤ 0.2")
    loading = Row("the longest pause of the screen while 100 MB arrive and are shown, × a bare Input's echo", "≤ 10")
    listing = Row("the same while a million rows arrive and are shown", "≤ 10")
    for _ in range(min(rounds, 3)):
        bare = measure(BARE, b"Callboard")
        floor = statistics.median(measure(INPUT, b"allboard", keys="customers").echoes)
        pages: dict[int, float] = {}
        for size in SIZES:
            response_of(size)  # made before the measurements
            with _shown(str(size), first_of(size)) as (running, first_screen, pause):
                opened[size].ratios.append(first_screen / bare.first_frame)
                running.send("g", first_of(size).encode())
                running.until_still()
                pages[size] = statistics.median(running.send_and_settle(_PAGE_DOWN) for _ in range(_PAGES))
                if size == SIZES[-1] and vim:
                    running.send("/")
                    running.until_still()
                    search.ratios.append(running.send(f"{LAST}\r", _AT_THE_END) / _vim(vim))
        loading.ratios.append(pause / floor)
        memory.ratios.append(running.peak / SIZES[-1])
        page.ratios.append(pages[SIZES[-1]] / floor)
        page_by_size.ratios.append(pages[SIZES[-1]] / pages[SIZES[0]])
        with _shown(f"rows{_ROWS}", "card_0000000") as (_, _, pause):
            listing.ratios.append(pause / floor)
    return [*opened.values(), memory, page, page_by_size, *([search] if vim else []), loading, listing]


@contextmanager
def _shown(size: str, first: str) -> Iterator[tuple[Running, float, float]]:
    """The explorer at the end of a response, the seconds until its first item was on screen, and the longest pause by then."""
    with tempfile.TemporaryDirectory() as folder, large_responses() as address:
        pauses = Path(folder, "pauses")
        with Running(variant("tools", 0), environment=environment(address) | {PAUSES: str(pauses)}) as running:
            open_form(running, size)
            pauses.unlink()
            first_screen = running.send(RUN, first.encode())
            running.until(b" MB")  # keys typed before the response is complete go to the form
            running.press_until(f"{_TO_RESULT}G", LAST)
            yield running, first_screen, float(pauses.read_text())


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


def _vim(vim: str) -> float:
    """The seconds that vim takes to find the last element in the same response, with one member per line."""
    with tempfile.NamedTemporaryFile() as laid_out:
        laid_out.write(msgspec.json.format(response_of(SIZES[-1]), indent=1))
        laid_out.flush()
        with Running([vim, "-u", "NONE", "-N", "-n", laid_out.name]) as running:
            running.until(first_of(SIZES[-1]).encode())
            running.until_still()
            return running.send(f"/{LAST}\r", _AT_THE_END)
