"""Large responses by real HTTP, run from the form in a real terminal: they get on screen, and keys work while and after."""

import re
from collections.abc import Sequence

import pytest

from tests.large_responses import LAST, environment, first_of, large_responses
from tests.sampled import further
from tests.terminal import Terminal, choose_account, open_tool


def _run(terminal: Terminal, size: int) -> None:
    """Ask for a response of so many bytes."""
    terminal.press("f3", "ctrl+l")
    terminal.wait_for("required: customer_id")
    terminal.type(str(size))
    terminal.wait_for(f"/v1/customers/{size}/cards")
    terminal.press("f5")


SIZES = ((500_000, "500.9 kB"), (1_100_000, "1.1 MB"), (10_000_000, "10.0 MB"))


@pytest.mark.parametrize("sizes", [SIZES[1:2], *further(SIZES)], ids=len)
def test_responses_are_on_screen_and_answer_keys(sizes: Sequence[tuple[int, str]]) -> None:
    with large_responses() as address, Terminal(environment=environment(address)) as terminal:
        choose_account(terminal)
        open_tool(terminal, "GetCustomerCards", "required: customer_id")
        _run(terminal, 1)
        terminal.wait_for("row 1 of 1")
        terminal.press("f4", "t")  # JSON is wanted from now on; it opens at the value that the cursor was at
        terminal.wait_for("livemode: ")
        for size, words in sizes:
            _run(terminal, size)
            terminal.wait_for(lambda text, words=words: words in text and "cus_of_" in text)  # type: ignore[misc]
            terminal.press("f4")
            terminal.press_until("G", LAST)
            terminal.press("g", "t")
            terminal.wait_for("row 1 of ")
            terminal.press("end")
            terminal.wait_for(
                lambda text: (row := re.search(r"row ([\d,]+) of ([\d,]+)", text)) is not None and row[1] == row[2]
            )
            terminal.press("t")
            terminal.wait_for("livemode: ")
        # What is still laid out gives way to a newer response.
        _run(terminal, 10_000_000)
        _run(terminal, 1)
        terminal.wait_for(lambda text: "MB" not in text and first_of(1) in text)
        terminal.press("f4")
        terminal.press_until("G", LAST)
        terminal.press("ctrl+q")
        terminal.wait_for_end()
