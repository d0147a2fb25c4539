"""``callboard account``: from adding to removing, and that a secret is in its store and nowhere else."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.accounts.memory import AccountMemory, Known
from registry.doors.cli import main
from registry.sandbox.server import application
from tests.sandbox.serving import served

SECRET = "rk_test_MARKED__customer_read__account_read__charge_read"
MARK = re.compile(rb"MARKED\w*")


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


def run(monkeypatch: pytest.MonkeyPatch, *words: str, stdin: str = "") -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
    try:
        return main(words)
    except SystemExit as error:
        return int(error.code or 0)


def holding(folder: Path) -> dict[str, set[bytes]]:
    """The files that hold a marked secret."""
    found = {}
    for file in folder.rglob("*"):
        if file.is_file() and (marks := set(MARK.findall(file.read_bytes()))):
            found[file.relative_to(folder).as_posix()] = marks
    return found


def test_an_account_from_adding_to_removing(
    home: Path, sandbox: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []

    def call(*words: str, stdin: str = "") -> tuple[int, str, str]:
        code = run(monkeypatch, *words, stdin=stdin)
        out, err = capsys.readouterr()
        said.append(out + err)
        return code, out, err

    add = ("account", "add", "payments", "--name", "Fernway EU", "--base-url", f"{sandbox}/payments", "--insecure-storage")
    code, out, err = call(*add, stdin=SECRET + "\n")
    assert (code, "Fernway EU: works · test · Fernway Software · acct_" in out) == (0, True), out + err
    assert "missing permission rak_terminal_read: " in out
    assert "Its secret is in a file that only you can read" in err
    code, out, _ = call("account", "list", "--json")
    listed = {one["name"]: one for one in json.loads(out)}
    assert list(listed) == ["sandbox", "Fernway EU"]
    one = listed["Fernway EU"]
    assert (one["mode"], one["rule"], one["default"], one["lacking"]["GetTerminalReaders"]) == (
        "test", "confirm", False, "rak_terminal_read",
    )  # fmt: skip
    code, out, err = call("call", "GetPaymentsAccountDetails", "--account", "Fernway EU")
    assert (code, json.loads(out)["object"]) == (0, "account"), err
    assert call("account", "use", "fernway eu")[0] == 0
    code, out, err = call("call", "GetPaymentsAccountDetails", "--dry-run")
    assert f"GET {sandbox}/payments/v1/account" in out
    assert call("account", "edit", "Fernway EU", "--rule", "read-only", "--colour", "teal")[0] == 0
    code, _, err = call("call", "DeletePaymentsCustomer", "--customer-id", "cus_1", "--yes")
    assert (code, "Fernway EU is set to read-only. " in err) == (2, True), err
    assert call("account", "rename", "Fernway EU", "EU")[0] == 0
    code, out, _ = call("account", "test", "eu", "--json")
    assert (code, json.loads(out)["who"]) == (0, "Fernway Software")
    code, out, _ = call("doctor", "--offline", "--json")
    told = {each["account"]: each for each in json.loads(out)["accounts"]}["EU"]
    assert told["credential"] == "from a file that only you can read (not encrypted)"
    assert [each["address"] for each in told["hosts"]] == [sandbox]
    place = next((home / "data" / "callboard" / "secrets").glob("*.secret"))
    assert holding(home) == {place.relative_to(home).as_posix(): {SECRET.encode().removeprefix(b"rk_test_")}}
    assert place.read_text() == SECRET
    code, _, err = call("account", "remove", "EU")
    assert (code, "add --yes" in err) == (2, True), err
    assert call("account", "remove", "EU", "--yes")[0] == 0
    assert holding(home) == {}
    assert call("account", "use", "sandbox", "--service", "payments")[0] == 0
    assert [one["name"] for one in json.loads(call("account", "--json")[1])] == ["sandbox"]
    assert "MARKED" not in "".join(said)


@pytest.mark.parametrize(
    ("words", "stdin", "code", "told"),
    [
        (("--secret", SECRET), "", 2, "--secret names the place of the secret and never holds it"),
        (("--secret", "env:NOWHERE_SET"), "", 5, "The environment variable NOWHERE_SET is not set"),
        (("--secret", "command:false"), "", 5, "false failed with exit code 1"),
        (("--insecure-storage",), "", 2, "no secret was given"),
        (("--insecure-storage", "--region", "eu"), SECRET, 2, "Payments has no region 'eu'"),
        (("--insecure-storage", "--region", "eu"), SECRET, 2, "callboard account add --help lists the options"),
        (("--insecure-storage", "--mode", "live"), SECRET, 2, "the credential says that it is for test data"),
        (("--insecure-storage", "--sign-in", "--client-id", "x"), "", 2, "nobody can sign in to Payments"),
        (("--insecure-storage", "--base-url", "http://far.example"), SECRET, 2, "must start with https://"),
    ],
)
def test_what_cannot_be_added_is_refused_and_nothing_is_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...], stdin: str, code: int, told: str,
) -> None:  # fmt: skip
    found = run(monkeypatch, "account", "add", "payments", "--name", "x", *words, stdin=stdin)
    out, err = capsys.readouterr()
    assert (found, told in err, out) == (code, True, ""), err
    assert "MARKED" not in err
    assert holding(home) == {}
    assert run(monkeypatch, "account", "list", "--json") == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == ["sandbox"]


def test_one_list_of_several_accounts(
    home: Path, sandbox: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, secret in (("All", "sk_test_all"), ("Few", "rk_test_charge_read")):
        where = ("--insecure-storage", "--base-url", f"{sandbox}/payments", "--no-test")
        assert run(monkeypatch, "account", "add", "payments", "--name", name, *where, stdin=secret) == 0
    capsys.readouterr()
    search = ("call", "SearchPaymentsCustomers", "--search-query-string", "created>0", "--customer-result-limit", "2")
    assert run(monkeypatch, *search, "--account", "sandbox", "--account", "All") == 0
    out, err = capsys.readouterr()
    assert [one["account"] for one in json.loads(out)] == ["sandbox", "sandbox", "All", "All"]
    assert err.count("this is the first page") == 2
    assert run(monkeypatch, *search, "--account", "All", "--account", "Few", "--format", "csv") == 4, "a part is missing"
    out, err = capsys.readouterr()
    assert out.startswith("account,")
    assert [line.split(",")[0] for line in out.splitlines()[1:] if line.startswith(("All,", "Few,"))] == ["All", "All"]
    assert "rak_customer_read" in err
    assert "account Few" in err
    assert run(monkeypatch, "call", "GetPaymentsAccountDetails", "--account", "sandbox", "--account", "All") == 0
    assert [(one["account"], one["object"]) for one in json.loads(capsys.readouterr().out)] == [
        ("sandbox", "account"), ("All", "account"),
    ]  # fmt: skip
    delete = ("call", "DeletePaymentsCustomer", "--customer-id", "cus_1", "--yes")
    for words, told in (
        ((*delete, "--account", "All", "--account", "sandbox"), "Name one account"),
        ((*search, "--account", "All", "--account", "All"), "an account is named twice"),
        ((*search, "--account", "All", "--account", "sandbox", "--all"), "take one --account"),
        ((*search, "--account", "All", "--account", "Nobody"), "unknown account 'Nobody'"),
    ):
        assert run(monkeypatch, *words) == 2
        assert told in capsys.readouterr().err


def test_an_account_whose_test_fails_is_kept_and_that_is_said(
    home: Path, sandbox: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ("--insecure-storage", "--base-url", f"{sandbox}/crm", "--mode", "test")
    assert run(monkeypatch, "account", "add", "crm", "--name", "Wrong", *where, stdin="unknown-token") == 3
    err = capsys.readouterr().err
    assert 'Wrong was kept. Correct it: callboard account edit "Wrong"' in err
    assert 'callboard account remove "Wrong"' in err
    assert run(monkeypatch, "account", "list", "--json") == 0
    wrong = json.loads(capsys.readouterr().out)[1]
    assert (wrong["name"], wrong["expires_at"], bool(wrong["problem"])) == ("Wrong", None, True)
    memory = AccountMemory(home / "state" / "callboard")
    memory.note("Wrong", Known(at=time.time(), ends=time.time() + 1_430))
    assert run(monkeypatch, "account", "list") == 0
    assert "expires in 23 min" in capsys.readouterr().out


def test_signing_in_again_and_out_over_a_pasted_address(
    home: Path, sandbox: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The person with the browser is a stand-in over HTTP, who pastes where it was sent to."""
    import asyncio

    from tests.accounts.people import Browser

    class Pasting(io.StringIO):
        """Standard input of somebody who has no client secret and pastes what their browser shows."""

        secret_asked = False

        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            if not self.secret_asked and needs_secret:
                self.secret_asked = True
                return "\n"
            address = next(reversed(re.findall(r"http://\S+/authorize\S+", capsys.readouterr().err)))
            return asyncio.run(Browser().sent_to(address)) + "\n"

    def call(*words: str) -> int:
        monkeypatch.setattr(sys, "stdin", Pasting())
        try:
            return main(words)
        except SystemExit as error:
            return int(error.code or 0)

    needs_secret = True
    where = ("--insecure-storage", "--base-url", f"{sandbox}/incidents", "--mode", "test")
    client = ("--sign-in", "--client-id", "callboard-terminal", "--no-browser")
    assert call("account", "add", "incidents", "--name", "Fernway", *where, *client) == 0
    assert "Fernway: works · test · Sam Ode" in capsys.readouterr().out
    needs_secret = False
    store = next((home / "data" / "callboard" / "secrets").glob("*.secret"))
    first = json.loads(store.read_text())["access_token"]
    assert call("account", "sign-in", "Fernway", "--no-browser") == 0
    assert json.loads(store.read_text())["access_token"] != first
    capsys.readouterr()
    assert call("account", "sign-out", "Fernway") == 0
    assert not store.exists()
    assert call("call", "Whoami", "--account", "Fernway") == 3
    err = capsys.readouterr().err
    assert "Not signed in to Incidents" in err
    assert 'callboard account sign-in "Fernway"' in err
    assert call("oncall", "--json", "--account", "Fernway") == 3, "the dashboard tells it from silence"
    board = capsys.readouterr()
    assert "not signed in to Incidents" in board.err
    call("account", "list")
    assert "failed: Not signed in to Incidents" in capsys.readouterr().out
    for file in home.rglob("*"):
        assert not file.is_file() or first.encode() not in file.read_bytes(), file
    assert os.environ["XDG_DATA_HOME"] == str(home / "data")
