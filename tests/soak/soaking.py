"""Two explorers in real terminals and repeated commands, on one home and against one served sandbox, for a given time.

The service's count decides. Every read and every deletion that it answered must be in the history once, and every deletion
must be in the audit log once, as done. The ids that are read are made up and all differ. The customers that are deleted
come from a large world.
"""

from __future__ import annotations

import json
import os
import queue
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.journal.store import audit_file, history_file
from registry.sandbox import keeping
from registry.sandbox.server import application
from tests.sandbox.serving import served
from tests.terminal import ROOT, Terminal

READ, DELETE = "RetrieveCustomerDetails", "DeletePaymentsCustomer"
_KEY = "sk_test_sandbox"
_PREFIX = "/payments/v1/customers/"
_TO_DELETE = 1_000


class Witness:
    """The sandbox, with a count of the customers read and deleted through it. Only responses that were sent count."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.read: Counter[str] = Counter()
        self.deleted: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request and count it."""

        async def counting(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.start" and scope["path"].startswith(_PREFIX):
                id_ = scope["path"].removeprefix(_PREFIX)
                if scope["method"] == "DELETE" and message["status"] == 200:
                    self.deleted[id_] += 1
                elif scope["method"] == "GET" and id_.startswith("cus_soak"):
                    self.read[id_] += 1

        await self._app(scope, receive, counting)


@dataclass
class Account:
    """The outcome of a run.

    Attributes:
        read: how many reads the service answered.
        deleted: how many deletions the service carried out.
        in_history: how many of both are in the history.
        in_audit: how many deletions are in the audit log as done.
        wrong: missing and double entries, and errors.
        integrity: the result of SQLite's integrity check for each file.
    """

    read: int = 0
    deleted: int = 0
    in_history: int = 0
    in_audit: int = 0
    wrong: list[str] = field(default_factory=list)
    integrity: dict[str, str] = field(default_factory=dict)

    @property
    def lost(self) -> int:
        """How many rows are missing."""
        return 2 * self.deleted + self.read - self.in_history - self.in_audit

    def __str__(self) -> str:
        said = f"{self.read} reads and {self.deleted} deletions; {self.in_history} rows in the history, {self.in_audit} in the "
        said += f"audit log; {self.lost} lost; " + ", ".join(f"{name}: {told}" for name, told in self.integrity.items())
        return "\n".join([said, *self.wrong])


def soak(home: Path, seconds: float) -> Account:
    """Let three programs work for `seconds`, end them, and compare."""
    kept = keeping.in_passing(1, _TO_DELETE, lambda part: None)
    witness = Witness(application(kept=kept))
    account = Account()
    with served(witness) as address:
        environment = {
            "PAYMENTS_API_KEY": _KEY,
            "PAYMENTS_BASE_URL": f"{address}/payments",
            "HOME": str(home),
            **{f"XDG_{name}_HOME": str(home / name) for name in ("STATE", "CONFIG", "CACHE", "DATA")},
        }
        customers: queue.SimpleQueue[str] = queue.SimpleQueue()
        for one in _customers(address):
            customers.put(one)
        end = time.monotonic() + seconds

        def guarded(work: Callable[[], None]) -> None:
            try:
                work()
            except BaseException as error:  # a thread that fails must not look finished
                account.wrong.append(f"{type(error).__name__}: {error}")

        workers = [
            threading.Thread(target=guarded, args=[lambda name=name: _explore(name, environment, customers, end)])
            for name in ("a", "b")
        ]
        workers.append(threading.Thread(target=guarded, args=[lambda: _command(environment, customers, end, account.wrong)]))
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    kept.database.close()
    _compare(account, witness, home / "STATE" / "callboard")
    return account


def _customers(address: str) -> Iterator[str]:
    """Ids of customers, each once."""
    seen: set[str] = set()
    after: dict[str, str] = {}
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {_KEY}"}, trust_env=False) as client:
        while True:
            page = client.get("/payments/v1/payment_methods", params={"limit": "100", **after}).json()
            for customer in (one["customer"] for one in page["data"]):
                if customer and customer not in seen:
                    seen.add(customer)
                    yield customer
            if not page["has_more"]:
                return
            after = {"starting_after": page["data"][-1]["id"]}


def _explore(name: str, environment: dict[str, str], customers: queue.SimpleQueue[str], end: float) -> None:
    """Read two customers that do not exist and delete one that does, again and again, with keys only."""
    with Terminal(columns=100, lines=30, environment=environment) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.press("f6")
        terminal.wait_for("Choose accounts")
        terminal.press("down", "enter", "escape")
        terminal.wait_for(lambda text: "Choose accounts" not in text)
        number = 0
        while time.monotonic() < end:
            _open(terminal, READ)
            for _ in range(2):
                number += 1
                _fill(terminal, f"cus_soak{name}{number}")
                terminal.wait_for(f"No such customer: 'cus_soak{name}{number}'")
            if customers.empty():
                continue
            customer = customers.get()
            _open(terminal, DELETE)
            _fill(terminal, customer)
            terminal.wait_for(lambda text: "Ready to delete." in text or "The service will decide." in text)
            terminal.press("right")
            terminal.press_deliberately("enter")
            terminal.wait_for(lambda text, gone=f"{customer} is deleted": gone in text or "too fast" in text)  # type: ignore[misc]
            if "too fast" in terminal.text:  # on a busy machine the program may get both keys at once
                terminal.press_deliberately("enter")
            terminal.wait_for(f"{customer} is deleted")
        terminal.press("ctrl+q")
        terminal.wait_for_end()


def _fill(terminal: Terminal, customer: str) -> None:
    """Fill the form and run it. The pane may wrap the request below the fields, so check the field instead."""
    terminal.press_at_once("f3", "ctrl+l", customer)
    terminal.wait_for(lambda text: f" {customer} " in text and "ready" in text)
    terminal.press("f5")


def _open(terminal: Terminal, tool: str) -> None:
    terminal.press("ctrl+f")
    terminal.press_at_once("ctrl+u", tool.lower(), "enter")
    terminal.wait_for(lambda text: "customer_id" in text and tool in text)


def _command(environment: dict[str, str], customers: queue.SimpleQueue[str], end: float, wrong: list[str]) -> None:
    """Read, delete and list the history, each in its own process."""
    number = 0
    while time.monotonic() < end:
        number += 1
        gone = customers.get() if number % 3 == 0 and not customers.empty() else None
        about = ("call", READ, "--customer-id", f"cus_soakc{number}")
        if gone:
            about = ("call", DELETE, "--customer-id", gone)
        words = [*about, "--account", "payments", *(["--yes"] if gone else [])]
        if number % 10 == 0:
            words = ["history", "--json", "--most", "20"]
        program = subprocess.run(
            [sys.executable, "-m", "tui", *words],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )
        expected = 1 if words[1] == READ else 0
        if program.returncode != expected or "journal" in program.stderr or "history" in program.stderr:
            wrong.append(f"{' '.join(words)}: {program.returncode}: {program.stderr}")


def _compare(account: Account, witness: Witness, folder: Path) -> None:
    """Compare the service's counts with the history and the audit log."""
    account.read, account.deleted = witness.read.total(), witness.deleted.total()
    kept = {READ: Counter[str](), DELETE: Counter[str]()}
    audit = Counter[str]()
    for name, file in (("history", history_file(folder)), ("audit log", audit_file(folder))):
        with closing(sqlite3.connect(file)) as database:
            account.integrity[name] = database.execute("PRAGMA integrity_check").fetchone()[0]
            if name == "history":
                for tool, arguments in database.execute("SELECT tool, arguments FROM calls"):
                    kept[tool][json.loads(arguments)["customer_id"]] += 1
            else:
                for arguments, state in database.execute("SELECT arguments, state FROM changes"):
                    audit[json.loads(arguments)["customer_id"]] += state == "done"
    account.in_history, account.in_audit = kept[READ].total() + kept[DELETE].total(), audit.total()
    for what, seen, found in (
        ("history, reads", witness.read, kept[READ]),
        ("history, deletions", witness.deleted, kept[DELETE]),
        ("audit log", witness.deleted, audit),
    ):
        for id_ in seen.keys() | found.keys():
            if seen[id_] != found[id_]:
                account.wrong.append(f"{what}: {id_}: {seen[id_]} at the service, {found[id_]} kept")
