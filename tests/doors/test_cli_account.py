"""``callboard account``: from adding to removing, and that a secret is in its store and nowhere else."""

import asyncio
import io
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from registry.accounts.memory import AccountMemory, Known
from registry.sandbox.server import application
from tests.accounts.people import Browser
from tests.command_line import Outcome, Run
from tests.sandbox.serving import served

SECRET = "rk_test_MARKED__customer_read__account_read__charge_read"
MARK = re.compile(rb"MARKED\w*")
HERE = ("--insecure-storage", "--base-url")
Call = Callable[..., Outcome]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[str]:
    with served(application(seed=1)) as address:
        yield address


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of the test's own for everything that the program keeps."""
    for name in ("CONFIG", "STATE", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    return tmp_path


@pytest.fixture
def call(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs a command with this on its standard input; neither of its outputs may hold the secret."""

    def call(*words: str, stdin: str | io.StringIO = "") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin) if isinstance(stdin, str) else stdin)
        outcome = run(*words)
        assert "MARKED" not in outcome.out + outcome.err
        return outcome

    return call


def holding(folder: Path) -> dict[str, set[bytes]]:
    """The files that hold a marked secret."""
    found = {}
    for file in folder.rglob("*"):
        if file.is_file() and (marks := set(MARK.findall(file.read_bytes()))):
            found[file.relative_to(folder).as_posix()] = marks
    return found


def names(call: Call) -> list[str]:
    return [one["name"] for one in call("account", "list", "--json").json]


def test_an_account_from_adding_to_removing(home: Path, sandbox: str, call: Call) -> None:
    add = ("account", "add", "payments", "--name", "Fernway EU", *HERE, f"{sandbox}/payments")
    code, out, err = call(*add, stdin=SECRET + "\n")
    assert (code, "Fernway EU: works · test · Fernway Software · acct_" in out) == (0, True), out + err
    assert "missing permission rak_terminal_read: " in out
    assert "Its secret is in a file that only you can read" in err
    listed = {one["name"]: one for one in call("account", "list", "--json").json}
    assert list(listed) == ["sandbox", "Fernway EU"]
    one = listed["Fernway EU"]
    assert (one["mode"], one["rule"], one["default"]) == ("test", "confirm", False)
    assert one["lacking"]["GetTerminalReaders"] == "rak_terminal_read"
    assert call("call", "GetPaymentsAccountDetails", "--account", "Fernway EU").json["object"] == "account"
    assert call("account", "use", "fernway eu").code == 0
    assert f"GET {sandbox}/payments/v1/account" in call("call", "GetPaymentsAccountDetails", "--dry-run").out
    assert call("account", "edit", "Fernway EU", "--rule", "read-only", "--colour", "teal").code == 0
    refused = call("call", "DeletePaymentsCustomer", "--customer-id", "cus_1", "--yes")
    assert (refused.code, "Fernway EU is set to read-only. " in refused.err) == (2, True), refused.err
    assert call("account", "rename", "Fernway EU", "EU").code == 0
    assert call("account", "test", "eu", "--json").json["who"] == "Fernway Software"
    told = {each["account"]: each for each in call("doctor", "--offline", "--json").json["accounts"]}["EU"]
    assert told["credential"] == "from a file that only you can read (not encrypted)"
    assert [each["address"] for each in told["hosts"]] == [sandbox]
    place = next((home / "data" / "callboard" / "secrets").glob("*.secret"))
    assert holding(home) == {place.relative_to(home).as_posix(): {SECRET.encode().removeprefix(b"rk_test_")}}
    assert place.read_text() == SECRET
    refused = call("account", "remove", "EU")
    assert (refused.code, "add --yes" in refused.err) == (2, True), refused.err
    assert call("account", "remove", "EU", "--yes").code == 0
    assert holding(home) == {}
    assert call("account", "use", "sandbox", "--service", "payments").code == 0
    assert names(call) == ["sandbox"]


@pytest.mark.parametrize(
    ("words", "stdin", "code", "told"),
    [
        (("--secret", SECRET), "", 2, "--secret names the place of the secret and never holds it"),
        (("--secret", "command:false"), "", 5, "false failed with exit code 1"),
        (("--insecure-storage",), "", 2, "no secret was given"),
        (("--insecure-storage", "--region", "eu"), SECRET, 2, "callboard account add --help lists the options"),
        (("--insecure-storage", "--sign-in", "--client-id", "x"), "", 2, "nobody can sign in to Payments"),
        ((*HERE, "http://far.example"), SECRET, 2, "must start with https://"),
    ],
)
def test_what_cannot_be_added_is_refused_and_nothing_is_kept(
    home: Path, call: Call, words: tuple[str, ...], stdin: str, code: int, told: str
) -> None:
    outcome = call("account", "add", "payments", "--name", "x", *words, stdin=stdin)
    assert (outcome.code, told in outcome.err, outcome.out) == (code, True, ""), outcome.err
    assert holding(home) == {}
    assert names(call) == ["sandbox"]


def test_one_list_of_several_accounts(sandbox: str, call: Call) -> None:
    for name, secret in (("All", "sk_test_all"), ("Few", "rk_test_charge_read")):
        add = ("account", "add", "payments", "--name", name, *HERE, f"{sandbox}/payments", "--no-test")
        assert call(*add, stdin=secret).code == 0
    search = ("call", "SearchPaymentsCustomers", "--search-query-string", "created>0", "--customer-result-limit", "2")
    both = call(*search, "--account", "sandbox", "--account", "All")
    assert [one["account"] for one in both.json] == ["sandbox", "sandbox", "All", "All"]
    assert both.err.count("this is the first page") == 2
    code, out, err = call(*search, "--account", "All", "--account", "Few", "--format", "csv")
    assert (code, out.startswith("account,")) == (4, True), "a part is missing"
    assert [line.split(",")[0] for line in out.splitlines()[1:] if line.startswith(("All,", "Few,"))] == ["All", "All"]
    assert "rak_customer_read" in err
    assert "account Few" in err
    delete = ("call", "DeletePaymentsCustomer", "--customer-id", "cus_1", "--yes")
    for words, told in (
        ((*delete, "--account", "All", "--account", "sandbox"), "Name one account"),
        ((*search, "--account", "All", "--account", "All"), "an account is named twice"),
        ((*search, "--account", "All", "--account", "sandbox", "--all"), "take one --account"),
        ((*search, "--account", "All", "--account", "Nobody"), "unknown account 'Nobody'"),
    ):
        refused = call(*words)
        assert (refused.code, told in refused.err) == (2, True), refused.err


def test_an_account_whose_test_fails_is_kept_and_that_is_said(home: Path, sandbox: str, call: Call) -> None:
    add = ("account", "add", "crm", "--name", "Wrong", *HERE, f"{sandbox}/crm", "--mode", "test")
    kept = call(*add, stdin="unknown-token")
    assert (kept.code, 'Wrong was kept. Correct it: callboard account edit "Wrong"' in kept.err) == (3, True), kept.err
    wrong = call("account", "list", "--json").json[1]
    assert (wrong["name"], wrong["expires_at"], bool(wrong["problem"])) == ("Wrong", None, True)
    memory = AccountMemory(home / "state" / "callboard")
    memory.note("Wrong", Known(at=time.time(), ends=time.time() + 1_430))
    assert "expires in 23 min" in call("account", "list").out


def test_signing_in_again_and_out_over_a_pasted_address(
    home: Path, sandbox: str, call: Call, capfd: pytest.CaptureFixture[str]
) -> None:
    """The person with the browser is a stand-in over HTTP, who pastes where it was sent to."""

    class Pasting(io.StringIO):
        """Standard input of somebody who first types nothing, and pastes what their browser shows."""

        def __init__(self, *typed: str) -> None:
            super().__init__()
            self._typed = list(typed)

        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            if self._typed:
                return self._typed.pop()
            address = next(reversed(re.findall(r"http://\S+/authorize\S+", capfd.readouterr().err)))
            return asyncio.run(Browser().sent_to(address)) + "\n"

    client = ("--mode", "test", "--sign-in", "--client-id", "callboard-terminal", "--no-browser")
    add = ("account", "add", "incidents", "--name", "Fernway", *HERE, f"{sandbox}/incidents", *client)
    assert "Fernway: works · test · Sam Ode" in call(*add, stdin=Pasting("\n")).out
    store = next((home / "data" / "callboard" / "secrets").glob("*.secret"))
    first = json.loads(store.read_text())["access_token"]
    assert call("account", "sign-in", "Fernway", "--no-browser", stdin=Pasting()).code == 0
    assert json.loads(store.read_text())["access_token"] != first
    assert call("account", "sign-out", "Fernway").code == 0
    assert not store.exists()
    gone = call("call", "Whoami", "--account", "Fernway")
    assert (gone.code, 'callboard account sign-in "Fernway"' in gone.err) == (3, True), gone.err
    board = call("oncall", "--json", "--account", "Fernway")
    assert (board.code, "not signed in to Incidents" in board.err) == (3, True), "the dashboard tells it from silence"
    assert "failed: Not signed in to Incidents" in call("account", "list").out
    for file in home.rglob("*"):
        assert not file.is_file() or first.encode() not in file.read_bytes(), file
