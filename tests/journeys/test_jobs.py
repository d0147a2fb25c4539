"""What people come for, as jobs in a real terminal, with their keys counted: in a narrow window and in a usual one.

A key is one press that is not text; arrows count, and so does the way to the ask line. A job starts wherever the one before
ended. Six questions take at most 6 keys, other jobs 8, and two jobs joined by *and* 16.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.terminal import Terminal

SIZES = [(80, 24), (120, 40)]
ADA, AURORA = "accounts@ada-romero.example", "accounts@aurora.example"


class Jobs:
    """A terminal whose keys are counted."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.keys = 0
        self.counted: dict[str, int] = {}

    @contextmanager
    def job(self, name: str, most: int) -> Iterator[None]:
        """A job that takes at most so many keys."""
        self.keys = 0
        yield
        self.counted[name] = self.keys
        assert self.keys <= most, f"{name}: {self.keys} keys"

    def press(self, *keys: str) -> None:
        """Press keys one by one."""
        self.keys += len(keys)
        self.terminal.press(*keys)

    def wait(self, *texts: str) -> str:
        """Wait until all of these texts are on screen; gives the screen."""
        return self.terminal.wait_for(lambda screen: all(text in screen for text in texts))

    def ask(self, words: str, first: str, *then: str) -> None:
        """Type into the ask line, wait until something is found first, and run it."""
        self.press("ctrl+f")
        self.terminal.type(words)
        self.terminal.wait_for(lambda screen: f"» {words} " in screen and re.search(rf"› . . {re.escape(first)}", screen))
        self.press("enter")
        self.wait(*then)


@contextmanager
def working(size: tuple[int, int], folder: Path, *command: str) -> Iterator[Jobs]:
    """The program, ready to be asked."""
    environment = {"HOME": str(folder), "XDG_STATE_HOME": str(folder)}
    with Terminal(columns=size[0], lines=size[1], environment=environment, folder=folder) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.wait_for("SearchPaymentsSubscriptions")  # the start page stands, so all is there
        yield Jobs(terminal)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_six_questions_take_at_most_six_keys(size: tuple[int, int], tmp_path: Path) -> None:
    with working(size, tmp_path) as at:
        with at.job("past-due subscriptions", 6):
            at.ask("past due", "Subscriptions that are past due", "1 past due subscription")

        with at.job("why did the last payment of aurora fail", 6):
            at.ask("why did the last payment of aurora fail", "Customers named aurora", "row 1 of 1", 'name~"aurora"')
            at.press("P")
            at.wait("is past due", "Last failed payment", "insufficient funds")

        with at.job("open invoices of padaria and their lines", 6):
            at.ask("open invoices of padaria", "Customers named padaria", "row 1 of 1", 'name~"padaria"')
            at.press("P")
            at.wait("complete", "Invoices 4", "Needs attention")
            at.press("enter")
            at.wait("2 × Fernway Board")

        with at.job("what did this customer see last month", 6):
            at.ask(AURORA, "Customer", "row 1 of 1", f"email {AURORA}")
            at.press("P")
            at.wait("complete", "Needs attention")
            at.press("T")
            at.wait("Timeline", "payment failed, 130.00 BRL", "VV47RLFS-0003 paid")

        with at.job("disputes with evidence due this week", 6):
            at.ask("disputes with evidence due this week", "Disputed payments", "disputed", "row 1 of ")
            at.press("P")
            at.wait("complete")
            assert re.search(r"evidence (is )?due|needs? (a )?response|vidence", at.terminal.text), at.terminal.text

        with at.job("who may approve in the CRM", 6):
            at.ask("who may approve in the CRM", "Roles, and what they allow", "7 roles", "Billing")
            at.press("P")
            at.wait("complete", "Role Sales", "38")
