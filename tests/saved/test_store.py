"""Saved calls from others: errors are reported with position and rule; no text in a file is run."""

import copy
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from registry.catalog.shared_folders import MOST_BYTES
from registry.saved.making import csv_rows, form_of, saved_form
from registry.saved.saved_call import Input, SavedCall, SavedCallError, Step, value_problems
from registry.saved.store import NameTaken, SavedStore, file_text, read_file
from tests.cases import cases_beside
from tests.changes.world import CATALOG
from tests.hostile import STRINGS, forbidden_in_output
from tests.saved.team import READING, playbook, preset, put

CASES = cases_beside(__file__)

GOOD: dict[str, Any] = {
    "format": "callboard saved call",
    "version": 1,
    "name": "Invoices",
    "inputs": [{"name": "customer", "object": "customer"}, {"name": "most", "type": "integer", "default": 3}],
    "steps": [
        {"id": "customer", "tool": "RetrieveCustomerDetails", "arguments": {"customer_id": "{customer}"}},
        {
            "id": "invoices",
            "tool": "SearchPaymentsInvoices",
            "arguments": {"search_query_string": 'customer:"{@customer.id}"', "result_limit": "{most}"},
        },
    ],
    "outputs": {"first": "{@invoices.data[0].id}", "due": "[[{@invoices.data[0].amount_due|money}]]"},
}


def changed(path: str, value: Any) -> bytes:
    """The good file with another value in one place."""
    file = copy.deepcopy(GOOD)
    *way, last = path.split("/")
    here: Any = file
    for step in way:
        here = here[int(step)] if isinstance(here, list) else here[step]
    if isinstance(here, list):
        here[int(last)] = value
    else:
        here[last] = value
    return json.dumps(file).encode()


@pytest.mark.parametrize(("path", "value", "told"), CASES["mistakes in files"])
def test_what_is_wrong_is_told_with_its_place(path: str, value: Any, told: str) -> None:
    if not told:
        assert read_file(changed(path, value), CATALOG).inputs[0].secret
        return
    with pytest.raises(SavedCallError) as caught:
        read_file(changed(path, value), CATALOG)
    problems = "\n".join([str(caught.value), *map(str, caught.value.problems)])
    assert told in problems
    assert problems.replace("\n", "").isprintable()


def test_values_that_a_tool_refuses_are_told_before_a_run() -> None:
    call = read_file(changed("steps/1/arguments/result_limit", "100000"), CATALOG)
    assert [one.place for one in value_problems(call, CATALOG)] == ["steps.invoices.arguments.result_limit"]
    call = read_file(changed("steps/0/arguments", {}), CATALOG)
    assert [str(one) for one in value_problems(call, CATALOG)] == ["`steps.customer.arguments.customer_id` is required"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe", "not valid UTF-8"),
        (b"{", "not valid JSON"),
        (b'{"format": "callboard saved call", "format": 1}', "twice"),
        (b"[" * 100_000, "nested"),
        (b" " * (MOST_BYTES + 1), "too large"),
    ],
)
def test_what_is_no_saved_call(content: bytes, told: str) -> None:
    with pytest.raises(SavedCallError, match=told):
        read_file(content, CATALOG)


def test_saved_calls_are_kept_exported_and_deleted(tmp_path: Path) -> None:
    store = SavedStore(tmp_path / "saved", CATALOG)
    one = read_file(json.dumps(GOOD).encode(), CATALOG)
    assert store.all().calls == ()
    with pytest.raises(SavedCallError, match="callboard saved record"):
        store.find("Invoices")
    store.save(one)
    with pytest.raises(NameTaken):
        store.save(one)
    store.save(one, replaces=True)
    assert store.find(" Invoices ") == one
    (kept,) = (tmp_path / "saved").iterdir()
    assert (stat.S_IMODE(kept.stat().st_mode), stat.S_IMODE(kept.parent.stat().st_mode)) == (0o600, 0o700)
    file = store.export(one, "out.json", tmp_path)
    assert file.stat().st_mode & 0o777 == tmp_path.stat().st_mode & 0o666, "whoever reads the folder reads the file"
    assert store.read("out.json", tmp_path) == one
    assert file.read_text("utf-8") == file_text(one)
    (tmp_path / "saved" / "by hand.json").write_text(file_text(one).replace('"Invoices"', '"Mine"'), "utf-8")
    (tmp_path / "saved" / "bad.json").write_text("{", "utf-8")
    found = store.all()
    assert [call.name for call in found.calls] == ["Invoices", "Mine"]
    assert found.notices[0].startswith("bad.json cannot be used: The file is not valid JSON")
    assert not (tmp_path / "saved" / "by hand.json").exists(), "it is kept under the name that it holds"
    store.delete(store.find("Mine"))
    assert [call.name for call in store.all().calls] == ["Invoices"]
    with pytest.raises(SavedCallError, match="No such file"):
        store.read("absent.json", tmp_path)
    with pytest.raises(SavedCallError, match="`steps` has 0 entries"):
        store.save(SavedCall("Empty"))
    # Names that a file's name cannot tell apart are names of their own.
    for name in ("Invoices", "invoices", "a/b", "a-b", "..", "ü", "東京"):
        store.save(replace(one, name=name), replaces=True)
    assert {call.name for call in store.all().calls} == {"Invoices", "invoices", "a/b", "a-b", "..", "ü", "東京"}


def test_presets_and_playbooks_of_earlier_versions_are_rewritten(tmp_path: Path) -> None:
    put(
        tmp_path,
        arguments__GetCustomerCards__x=preset("two cards"),
        arguments__ListTeams__x=preset("two cards", "ListTeams", odd=1),
        playbooks__x=playbook("two cards", READING),
    )
    store = SavedStore(tmp_path / "saved", CATALOG)
    first = store.all()
    assert [(one.name, [step.tool for step in one.steps]) for one in first.calls] == [
        ("two cards", ["GetCustomerCards"]),
        ("two cards (GetCouponDetails)", ["GetCouponDetails"]),
    ]
    assert form_of(first.calls[0], CATALOG.tools["GetCustomerCards"]) == {"customer_id": "cus_1", "card_retrieval_limit": "2"}
    assert [words.partition(" ")[2] for words in first.notices] == [
        "cannot be used: `arguments.odd` is not a parameter of ListTeams. Remove it."
    ]
    assert store.all() == first
    assert [file.parent.name for file in tmp_path.rglob("x.json")] == ["ListTeams"], "what cannot be used stays"


def test_a_form_becomes_a_call_and_a_form_again() -> None:
    tool = CATALOG.tools["ListIncidents"]
    raw = {"team_ids": ["A, B", "C"], "urgency": "high", "since": "", "limit": "007"}
    call = saved_form(tool, "mine", raw)
    assert form_of(read_file(file_text(call).encode(), CATALOG), tool) == raw
    assert call.summary == 'ListIncidents · urgency high · team_ids ["A, B", "C"] · since  · limit 007'
    odd = saved_form(CATALOG.tools["SearchPaymentsCustomers"], "odd", {"search_query_string": 'name:"{odd}"'})
    assert odd.inputs[0].default == 'name:"{odd}"', "a text with braces is no template"
    assert form_of(odd, CATALOG.tools["SearchPaymentsCustomers"]) == {"search_query_string": 'name:"{odd}"'}
    cards = saved_form(CATALOG.tools["GetCustomerCards"], "cards", {"card_retrieval_limit": "2"})
    assert [(one.name, one.object_type, one.required) for one in cards.inputs] == [("customer_id", "customer", True)]
    secret = {"payment_intent_id": "pi_1", "payment_intent_client_secret": "MARKED"}
    intent = saved_form(CATALOG.tools["RetrievePaymentIntentDetails"], "intent", secret)
    assert "MARKED" not in file_text(intent)
    assert [(one.name, one.secret) for one in intent.inputs] == [("payment_intent_client_secret", True)]
    with pytest.raises(SavedCallError, match="Nothing to save"):
        saved_form(tool, "none", {})


def test_hostile_values_come_through_as_values() -> None:
    tool = CATALOG.tools["ListIncidents"]
    for text in STRINGS:
        call = saved_form(tool, "mine", {"since": text, "team_ids": [text]})
        assert read_file(file_text(call).encode(), CATALOG) == call
        assert not forbidden_in_output(call.summary.encode("utf-8", "replace"))
        assert not forbidden_in_output(file_text(call).encode())


CUSTOMERS = SavedCall("c", inputs=(Input("customer"), Input("note", required=False)), steps=(Step("a", "ListTeams"),))


def test_rows_of_a_csv_file() -> None:
    text = '\ufeffcustomer,note,age\r\ncus_1,"a, b",3\r\n\r\n cus_2 ,,\r\n'
    rows, unused = csv_rows(text.encode(), CUSTOMERS, {}, {"note": "usual"})
    assert rows == [{"note": "a, b", "customer": "cus_1"}, {"note": "usual", "customer": "cus_2"}]
    assert unused == ["age"]
    assert csv_rows(b"id;x\ncus_3;y\n", CUSTOMERS, {"customer": "id"}, {})[0] == [{"customer": "cus_3"}]


@pytest.mark.parametrize(
    ("content", "columns", "told"),
    [
        (b"", {}, "No column of the CSV file is an input; its columns: none"),
        (b"customer\nx,y\n", {}, "Line 2 of the CSV file has more cells than the first, which names 1"),
        (b"customer,customer\nx,y\n", {}, "two columns named “customer”"),
        (b'customer\n"x\n', {}, "cannot be read"),
        (b"customer\nx\xff\n", {}, "not valid UTF-8"),
        (b"customer\nx\n", {"who": "customer"}, "no input “who”"),
        (b"customer\nx\n", {"customer": "id"}, "no column “id”"),
    ],
)
def test_a_csv_file_that_is_refused(content: bytes, columns: dict[str, str], told: str) -> None:
    with pytest.raises(SavedCallError, match=told):
        csv_rows(content, CUSTOMERS, columns, {})
