"""What people come for, as jobs in a real terminal, with their keys counted: in a narrow window and in a usual one.

A key is one press that is not text; arrows count, and so does the way to the ask line. A job starts wherever the one before
ended. Six questions take at most 6 keys, other jobs 8, and two jobs joined by *and* 16.
"""

import csv
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.sampled import further
from tests.terminal import ROOT, Terminal

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

    def confirm(self) -> None:
        """Move from Cancel to the button that changes something, and press it."""
        self.press("right")
        self.terminal.press_deliberately("enter")
        self.keys += 1

    def wait(self, *texts: str) -> str:
        """Wait until all of these texts are on screen; gives the screen."""
        return self.terminal.wait_for(lambda screen: all(text in screen for text in texts))

    def ask(self, words: str, first: str, *then: str) -> None:
        """Type into the ask line, wait until something is found first, and run it."""
        self._find(words, first, "enter", then)

    def edit(self, words: str, first: str, *then: str) -> None:
        """The same, but put it into the form."""
        self._find(words, first, "tab", then)

    def look_for(self, words: str, *found: str) -> None:
        """Type into the ask line, and wait until all this is found, in whichever rows."""
        self.press("ctrl+f")
        self.terminal.type(words)
        self.wait(f"» {words} ", *found)

    def _find(self, words: str, first: str, key: str, then: Sequence[str]) -> None:
        self.press("ctrl+f")
        self.terminal.type(words)
        self.terminal.wait_for(lambda screen: f"» {words} " in screen and bool(re.search(rf"› . . {re.escape(first)}", screen)))
        self.press(key)
        self.wait(*then)


@contextmanager
def working(size: tuple[int, int], folder: Path, accounts: Mapping[str, str] = MappingProxyType({})) -> Iterator[Jobs]:
    """The program, ready to be asked; `accounts` are variables that name some."""
    environment = {"HOME": str(folder), "XDG_STATE_HOME": str(folder), **accounts}
    with Terminal(columns=size[0], lines=size[1], environment=environment, folder=folder) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.wait_for("Also")  # home stands, so all is there
        yield Jobs(terminal)


@pytest.mark.parametrize("size", [SIZES[0], *further(SIZES[1])], ids=str)
def test_six_questions_take_at_most_six_keys(size: tuple[int, int], tmp_path: Path) -> None:
    with working(size, tmp_path) as at:
        with at.job("past-due subscriptions", 6):
            at.ask("past due", "Subscriptions that are past due", "1 past due subscription")

        with at.job("why did the last payment of aurora fail", 6):
            # Seen above, it is the first row.
            at.ask(
                "why did the last payment of aurora fail",
                "Padaria Aurora",
                "is past due",
                "Last failed payment",
                "insufficient",
            )

        with at.job("open invoices of padaria and their lines", 6):
            at.look_for("open invoices of padaria", "Open invoices of Padaria Aurora")
            at.press("enter")
            at.wait("complete", "Invoices 4", "Needs attention")
            at.press("enter")
            at.wait("2 × Fernway Board")

        with at.job("what did this customer see last month", 6):
            at.look_for(AURORA, f"User {AURORA}", "› ■   Padaria Aurora")
            at.press("enter")
            at.wait("complete", "Needs attention")
            at.press("tab")
            at.wait("Timeline", "payment failed, 130.00 BRL", "VV47RLFS-0003 paid")

        with at.job("disputes with evidence due this week", 6):
            at.ask("disputes with evidence due this week", "Disputed payments", "disputed", "row 1 of ")
            at.press("enter")
            at.wait("complete", "The dispute needs evidence by")

        with at.job("who may approve in the CRM", 6):
            at.ask("who may approve in the CRM", "Roles, and what they allow", "7 roles", "Billing")
            at.press("enter")
            at.wait("complete", "Role Sales", "38")


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_other_jobs_take_at_most_eight(size: tuple[int, int], tmp_path: Path) -> None:
    with working(size, tmp_path) as at:
        with at.job("a customer by email", 8):
            at.ask(ADA, "Customer", "row 1 of 1", f"email {ADA}")
            at.press("enter")
            at.wait("Ada Romero is well", "complete")

        with at.job("follow four deep, and back", 16):
            at.press("down", "enter")
            at.wait("Desk, monthly × 1 is active", "complete")
            at.press("n", "down", "enter")
            at.wait("Subscription item si_", "complete")
            at.press("down", "enter")
            at.wait("Plan Desk, monthly", "complete")
            at.press("down", "enter")
            at.wait("Product Fernway Desk is sold", "complete")
            at.press("backspace")
            at.wait("Plan Desk, monthly")
            at.press("backspace")
            at.wait("Subscription item si_")
            at.press("backspace")
            at.wait("Desk, monthly × 1 is active")
            at.press("backspace")
            at.wait("Ada Romero is well")

        with at.job("charges by amount and date", 8):
            at.ask("payments of 50.82 eur last 30 days", "Payments of 50.82 EUR", "amount 5082", "row 1 of")

        with at.job("compare two prices", 8):
            at.ask("prices", "Active prices", "active prices", "row 1 of")
            at.press(" ", " ")
            at.wait("2 marked")
            at.press("c")
            at.wait("data[0]", "data[1]", "changed")
            at.press("escape")

        with at.job("customers of 90 days as CSV", 8):
            at.ask("customers of the last 90 days", "Customers, of the last 90 days", "customers", "row 1 of")
            at.press("x")
            at.wait("CSV")
            at.press("enter")
            at.wait("✓ Saved")
        (file,) = tmp_path.glob("**/SearchPaymentsCustomers-*.csv")
        with file.open(newline="", encoding="utf-8") as lines:
            assert len(list(csv.DictReader(lines))) > 11, "all of them, also where they are several pages"

        with at.job("an incident and its log", 8):
            at.ask("triggered incidents", "Incidents that are triggered", "statuses triggered", "row 1 of")
            at.press("end", "enter")  # the newest
            at.wait("5xx rate above 20 % on POST /orders was triggered", "complete")
            at.press("tab")
            at.wait("Triggered through the API", "Notified Sam Ode by push")

        with at.job("a call as curl", 8):
            at.ask("who may approve", "Roles, and what they allow", "7 roles")
            at.press("Y")
            at.wait("the call as curl", "curl http")
            at.press("escape")

        with at.job("jq", 8):
            at.ask("open invoices", "Open invoices", "10 open invoices")
            at.press("t")
            at.wait('status: "open"')
            at.press("q")
            at.terminal.type("length(data)")
            at.wait("Query output", "length(data)")
            at.press("enter", "escape", "t")
            at.wait("row 1 of 10")

        with at.job("delete a draft and a non-draft invoice", 16):
            at.ask("draft invoices", "Draft invoices", "5 draft invoices")
            at.press(" ", "D")
            at.wait("Delete 1 object with")
            at.confirm()
            at.wait("1 deleted")
            at.press("escape")
            at.ask("open invoices", "Open invoices", "10 open invoices")
            at.press(" ", "D")
            at.wait("Delete 1 object with")
            at.confirm()
            at.wait("An open invoice cannot be deleted, only a draft.", "0 of 1 deleted")
            at.press("escape")

        with at.job("delete a customer with a subscription", 8):
            at.look_for("delete customer cus_hY99QH2AX3dNEo", "Customer · delete")
            at.press("down", "enter")
            at.wait("customer_id", "ready")
            at.press("f5")
            at.wait("1 active subscription", "Ready to delete.")
            at.confirm()
            at.wait("is deleted", "deleted: true")

        with at.job("how much a customer paid", 8):
            at.look_for("how much did aurora pay in the last 3 months", "Padaria Aurora Ltda paid 260.00 BRL in 2 payments")

        with at.job("remove a user by email", 8):
            at.look_for("remove user zoe.martin@fernway.example", "User · delete", "41773988")
            at.press("down", "enter")
            at.wait("41773988", "ready")
            at.press("f5")
            at.wait("Zoé Martin", "The user loses access", "Ready to delete.")
            at.confirm()
            at.wait("Done.")

        with at.job("a wrong parameter", 8):
            at.edit("void invoices", "Void invoices", "search_query_string", 'status:"void"')
            at.press("end")
            at.terminal.type(" amount_due>5 ")
            at.wait("unknown field amount_due", "Fields: created, currency")

        with at.job("a saved call from the screen to the command line", 8):
            at.edit("past due", "Subscriptions that are past due", "search_query_string", "past_due", "ready")
            at.press("ctrl+s")
            at.wait("Name for this call")
            at.terminal.type("late")
            at.press("enter")
            at.wait("late")
        environment = {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "tui", "run", "late"]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert '"past_due"' in ran.stdout, ran.stderr


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_yesterdays_call_is_run_again(size: tuple[int, int], tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    for words in (["SearchPaymentsInvoices", "--search-query-string", 'status:"open"'], ["Whoami"]):
        subprocess.run([sys.executable, "-m", "tui", "call", *words], env=environment, capture_output=True, check=True)
    (journal,) = tmp_path.glob("**/journal.db")
    with closing(sqlite3.connect(journal)) as database, database:
        database.execute("UPDATE calls SET at = at - 86400 WHERE tool = 'SearchPaymentsInvoices'")
    with working(size, tmp_path) as at, at.job("run yesterday's call again", 8):
        at.press("ctrl+y")
        at.wait("History", "Invoices · search", "User · yourself")
        at.terminal.type("before:today")
        at.terminal.wait_for(lambda screen: "Invoices · search" in screen and "User · yourself" not in screen)
        at.press("down", "r")
        at.wait("10 open invoices", "row 1 of 10")


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_five_hundred_items_are_fetched_and_the_last_is_read(size: tuple[int, int], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tui", "sandbox", "--port", "0", "--json", "--no-limits", "--customers", "500"]
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=quiet, text=True) as service:
        try:
            assert service.stdout is not None
            named = json.loads(service.stdout.readline())["environment"]
            accounts = {name: value for name, value in named.items() if name.startswith("PAYMENTS")}
            with working(size, tmp_path, accounts) as at:
                _choose_account(at)
                with at.job("500 items", 8):
                    at.ask("customers", "Customers", "row 1 of", "more follow")
                    at.press("a")
                    at.wait("Fetch all pages")
                    at.press("enter")
                    at.wait("✓ all ")
                    at.press("end")
                    at.terminal.wait_for(lambda screen: bool(re.search(r"row (5\d\d) of \1", screen)))
        finally:
            service.send_signal(signal.SIGINT)


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_without_a_network_it_says_what_to_check_and_runs_again(size: tuple[int, int], tmp_path: Path) -> None:
    nowhere = {"PAYMENTS_API_KEY": "sk_test_nowhere", "PAYMENTS_BASE_URL": "http://127.0.0.1:9"}
    with working(size, tmp_path, nowhere) as at:
        _choose_account(at)
        with at.job("no network, then the sandbox", 8):
            at.ask("past due", "Subscriptions that are past due", "Cannot reach 127.0.0.1:9", "Check the network")
            at.press("f6")
            at.wait("Choose accounts", "127.0.0.1")  # the cursor stands on the account in use
            at.press("up")
            at.wait("The sandbox needs no account")
            at.press("enter", "escape")
            at.wait("SANDBOX")
            at.press("f5")
            at.wait("1 past due subscription")


def _choose_account(at: Jobs) -> None:
    """Choose the payments account that is no sandbox."""
    at.press("f6")
    at.wait("Choose accounts")
    at.press("down")
    at.wait("127.0.0.1")
    at.press("enter", "escape")
    at.terminal.wait_for(lambda screen: "Choose accounts" not in screen)


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_role_is_changed_after_asking_what_roles_allow(size: tuple[int, int], tmp_path: Path) -> None:
    with working(size, tmp_path) as at, at.job("who may approve, and change a role", 16):
        at.ask("who may approve", "Roles, and what they allow", "7 roles", "173685")
        # She is never on call: an open incident would stand first on her page.
        at.ask("41801339", "User 41801339", "Ingrid Rahman has the role", "complete")
        at.press("w")
        at.wait("What can be done with ")
        at.press("down", "enter")
        at.wait("User · update", "ready")
        at.press("tab")
        at.terminal.type("173685")
        at.wait('"roleId": "173685"')
        at.press("f5")
        at.wait("Marketing → Billing", "Ready to change.")
        at.confirm()
        at.wait('firstName: "Ingrid"', 'roleId: "173685"')
