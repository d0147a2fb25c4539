"""A day at the desk in a real terminal: a customer by e-mail, an id that was seen before, a call of yesterday, a page."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.sampled import further
from tests.terminal import Terminal

ADDRESS = "accounts@ada-romero.example"
DAY = 86_400


def _calls_in(file: Path) -> int:
    with closing(sqlite3.connect(file)) as journal:
        return int(journal.execute("SELECT count(*) FROM calls").fetchone()[0])


@pytest.mark.parametrize("size", [*further((80, 24)), (120, 40)], ids=str)
def test_find_complete_and_look_back(size: tuple[int, int], tmp_path: Path) -> None:
    columns, lines = size
    environment = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    with Terminal(columns=columns, lines=lines, environment=environment) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.type(ADDRESS)
        terminal.wait_for("› ■   Ada Romero")
        # One key would open her page. The search that finds her is below, and leads there by the first row of its result.
        terminal.press("down")
        terminal.wait_for("› ■   Customer accounts")
        terminal.press("enter")
        terminal.wait_for("row 1 of 1")
        terminal.press("enter")
        terminal.wait_for("Ada Romero is well")
        # What fields offer comes from the history, which is written a moment after a result is shown.
        terminal.wait_for(lambda _: _calls_in(tmp_path / "callboard" / "journal.db") == 1)

        terminal.press("ctrl+f")
        terminal.press_at_once("ctrl+u", "cust cards", "enter")
        # Nothing is typed: the newest customer stands below the line, by name, with the id last.
        terminal.wait_for("Ada Romero · accounts@ada-romero.e")
        terminal.press("down")
        terminal.wait_for("› Ada Romero · accounts")
        terminal.press("enter")
        terminal.wait_for("ready")
        terminal.press("f5")
        terminal.wait_for("of Ada Romero")
        terminal.wait_for("row 1 of ")
        terminal.press("ctrl+q")
        terminal.wait_for_end()

    with closing(sqlite3.connect(tmp_path / "callboard" / "journal.db")) as journal:
        journal.execute("UPDATE calls SET at = at - ?", (DAY,))
        journal.commit()
    with Terminal(columns=columns, lines=lines, environment=environment) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.press("ctrl+y")
        terminal.wait_for(lambda text: text.count("✓ ok") == 2)
        terminal.type("since:yesterday cards")
        terminal.wait_for(lambda text: text.count("✓ ok") == 1)
        terminal.press("down", "r")
        terminal.wait_for(lambda text: "· sandbox" in text and "row 1 of " in text and "as of" not in text)


def test_from_an_email_to_an_open_invoice_and_its_lines() -> None:
    """Four keys: the invoice, back, the timeline, and out."""
    with Terminal((sys.executable, "-m", "tui", "page", "accounts@aurora.example"), columns=80, lines=24) as terminal:
        terminal.wait_for("Padaria Aurora Ltda is past due: 130.00 BRL")
        terminal.wait_for("insufficient funds")
        terminal.wait_for("complete")
        terminal.press("enter")
        terminal.wait_for("2 × Fernway Board")
        terminal.press("backspace")
        terminal.wait_for("Last failed payment")
        terminal.press("tab")
        terminal.wait_for("payment failed, 130.00 BRL")
