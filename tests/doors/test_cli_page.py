"""Pages and the history on the command line: what is printed, and exit codes."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from registry.doors.cli import main
from registry.doors.ending import Ending
from registry.doors.output import ExitCode
from registry.sandbox.server import application

CHARGES = "payments:/v1/charges/search 402"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def test_a_page_as_json_as_text_and_as_markdown(run: Any) -> None:
    found = run("page", "accounts@aurora.example", "--json")
    assert (found.code, found.err) == (0, "")
    page = json.loads(found.out)
    assert (page["object"], page["title"], page["complete"]) == ("customer", "Padaria Aurora Ltda", True)
    assert page["attention"][0]["object"] == "invoice"
    invoices = next(one for one in page["sections"] if one["title"] == "Invoices")
    assert invoices["by_state"] == {"paid": 3, "open": 1}
    assert invoices["sums"] == {"brl": 13000}
    text = run("page", page["id"])
    assert text.out.startswith("Padaria Aurora Ltda is past due: 130.00 BRL since ")
    assert "Invoices 4 · 3 paid, 1 open · 130.00 BRL due  SearchPaymentsInvoices" in text.out
    ticket = run("page", page["id"], "--markdown")
    assert ticket.out.startswith("## Padaria Aurora Ltda is past due")


def test_a_section_that_fails_is_said_and_the_rest_is_printed(run: Any) -> None:
    found = run("page", "cus_SxAKdn2A4YV4At", "--json", "--fault", CHARGES)
    assert found.code == 4
    assert found.err.startswith("callboard: Payments: 402: ")
    sections = {one["title"]: one for one in json.loads(found.out)["sections"]}
    assert (sections["Payments"]["state"], sections["Payments"]["count"], sections["Payments"]["rows"]) == ("failed", None, [])
    assert (sections["Invoices"]["state"], sections["Invoices"]["count"]) == ("complete", 4)


def test_what_cannot_be_opened_names_the_reason_and_the_way_out(run: Any) -> None:
    none = run("page", "two words")
    assert none.code == 2
    assert "does not look like an id" in none.err
    owned = run("page", "ba_CS4HehRBoyyBTN9rQ9yNd9HN")
    assert owned.code == 2
    assert "A bank account is reached through its account. Pass that id too" in owned.err
    missing = run("page", "#999999")
    assert missing.code == 1
    assert "No incident with the id 999999." in missing.err, "the service only says: Not Found"
    unknown = run("page", "cus_nope")
    assert unknown.code == 1
    assert "No customer, coupon" in unknown.err
    assert "→ Check the id and the account (sandbox), or search for a name instead." in unknown.err


@pytest.mark.parametrize(("late", "code"), [("/charges/search", 4), ("/customers/cus_SxAKdn2A4YV4At", 3)])
def test_a_deadline_ends_the_whole_page_and_keeps_what_was_loaded(
    late: str, code: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, endings = application(limits=False), list[Ending]()

    class Noted(Ending):
        def __init__(self, deadline: float | None) -> None:
            super().__init__(deadline)
            endings.append(self)

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"].endswith(late):
            endings[0]._end(0)  # as its timer does
            await asyncio.Event().wait()
        await service(scope, receive, send)

    monkeypatch.setattr("registry.doors.cli_parser.Ending", Noted)
    monkeypatch.setattr("registry.doors.cli_page.application_of", lambda _: lambda: never)
    assert main(["page", "cus_SxAKdn2A4YV4At", "--json", "--deadline", "600"]) == code
    out, err = capsys.readouterr()
    if code == 3:
        assert (out, "it took longer than 600 s" in err) == ("", True)
        return
    sections = {one["title"]: one for one in json.loads(out)["sections"]}
    assert (sections["Payments"]["state"], sections["Payments"]["reason"]) == ("failed", "not loaded within 600 s (--deadline)")
    assert "callboard: Payments: not loaded within 600 s (--deadline)" in err


def lines(run: Any, *words: str) -> list[Any]:
    return [json.loads(line) for line in run("history", "--json", *words).out.splitlines()]


def test_calls_are_remembered_and_found(run: Any) -> None:
    assert run("call", "Whoami").code == 0
    assert run("call", "RetrieveInvoiceById", "--invoice-id", "in_nobody").code == 1
    found = lines(run)
    assert [(one["tool"], one["outcome"], one["connection"]) for one in found] == [
        ("RetrieveInvoiceById", "failed", "sandbox"),
        ("Whoami", "ok", "sandbox"),
    ]
    assert found[0]["arguments"]["invoice_id"] == "in_nobody"
    assert [one["tool"] for one in lines(run, "--search", "failed in_nobody")] == ["RetrieveInvoiceById"]
    assert [one["tool"] for one in lines(run, "--search", "tool:whoami since:1h")] == ["Whoami"]
    shown = run("history", "--most", "1").out
    assert "✗ failed" in shown
    assert "in_nobody" in shown
    assert "Whoami" not in shown
    assert run("history", "--search", "since:soon").code == 2


def test_the_id_of_a_request_that_failed_finds_its_call(run: Any) -> None:
    failed = run("call", "RetrieveInvoiceById", "--invoice-id", "in_nobody").err
    id_ = next(word for word in failed.split() if word.startswith("req_"))
    assert [(one["tool"], one["request_ids"]) for one in lines(run, "--search", id_)] == [("RetrieveInvoiceById", [id_])]
    assert "callboard call RetrieveInvoiceById --invoice-id in_nobody" in run("find", id_).out


def test_forgetting(run: Any) -> None:
    run("call", "Whoami")
    run("call", "Whoami")
    assert run("history", "forget").code == 2
    assert run("history", "forget", "99").code == 2
    assert run("history", "forget", "1").code == 0
    assert [one["id"] for one in lines(run)] == [2]
    assert run("history", "forget", "--all").code == 0
    assert lines(run) == []


def test_a_damaged_journal_breaks_no_call(run: Any, tmp_path: Path) -> None:
    (tmp_path / "callboard").mkdir()
    (tmp_path / "callboard" / "journal.db").write_bytes(b"no database" * 1_000)
    outcome = run("call", "Whoami")
    assert outcome.code == 0
    assert json.loads(outcome.out)["user"]
    assert "no longer recorded" in outcome.err
    assert run("history").code == ExitCode.LOCAL
    assert run("history", "forget", "--all").code == 0
    assert lines(run) == []
