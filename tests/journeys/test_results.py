"""A support engineer's way through results in a real terminal: pages, a table, an id, back, two customers, a file."""

import csv
import re
from pathlib import Path

import pytest

from tests.sampled import further
from tests.terminal import Terminal


def _column(text: str) -> str:
    """The column that the cursor is told to be in; empty while that is not on screen."""
    found = re.search(r"row 1 of \d+ · column (\S+)", text)
    return found[1].strip() if found is not None else ""


@pytest.mark.parametrize("size", [*further((80, 24)), (120, 40)], ids=str)
def test_list_sort_follow_compare_export(size: tuple[int, int], tmp_path: Path) -> None:
    with Terminal(columns=size[0], lines=size[1], environment={"HOME": str(tmp_path)}, folder=tmp_path) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.type("searchpaymentscustomers")
        terminal.press("enter")
        terminal.wait_for("search_query_string")
        terminal.type("created>0")
        terminal.wait_for("ready")
        terminal.press("f5")
        terminal.wait_for("page 1 · items 1–")
        terminal.press("]")
        terminal.wait_for("page 2 · items ")
        terminal.press("]")
        terminal.wait_for("page 3 · items ")

        terminal.press("f8")
        # A narrow window shows one pane at a time anyway.
        terminal.wait_for(lambda text: bool(_column(text)) and (size[0] < 112 or "zoomed" in text))
        while not _column(terminal.text).startswith("created"):
            column = _column(terminal.text)
            terminal.press("right")
            terminal.wait_for(lambda text, column=column: _column(text) not in ("", column))  # type: ignore[misc]
        terminal.press("s")
        terminal.wait_for("created↑")
        terminal.press("s")
        terminal.wait_for("created↓")
        found = re.search(r"row \d+ of (\d+)", terminal.text)
        assert found is not None
        count = int(found[1])

        terminal.press("x")
        terminal.wait_for(f"the table, {count} rows")
        if "all pages" in terminal.text:  # where there is room, this is the last page
            terminal.press("right")
            terminal.wait_for(f"● this page: the table, {count} rows")
        terminal.press("enter")
        terminal.wait_for("✓ Saved")
        (file,) = tmp_path.glob("**/SearchPaymentsCustomers-*.csv")
        with file.open(newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        moments = [int(row["created"]) for row in rows]
        assert len(moments) == count
        assert moments == sorted(moments, reverse=True)

        terminal.press("t")
        terminal.wait_for("created: ")
        terminal.type("/")
        terminal.wait_for("Find in result")
        terminal.type('"pm_')
        terminal.press("enter")
        terminal.wait_for(lambda text: "1 of " in text and "default_payment_method" in text)
        terminal.press("enter")
        terminal.wait_for("card ending in")
        terminal.press("backspace")
        terminal.wait_for("page 3 · items ")
        terminal.wait_for("default_payment_method")

        terminal.press("t")
        terminal.wait_for(f"of {count} · ")
        terminal.press("home", " ", "end", " ")
        terminal.wait_for("2 marked")
        terminal.press("c")
        screen = terminal.wait_for(lambda text: "changed" in text and "data[0]" in text and f"data[{count - 1}]" in text)
        assert "~" in screen, "differences are told by signs, too"
        terminal.press("escape")
        terminal.wait_for("page 3 · items ")
