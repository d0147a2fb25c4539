"""Playbooks from others: each error is reported with its position and rule, and no text in a file is run as an instruction."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from registry.playbooks.csv_rows import csv_rows
from registry.playbooks.file import MOST_BYTES, file_text, read_file
from registry.playbooks.playbook import Input, Playbook, PlaybookError, Step
from registry.playbooks.store import NameTaken, PlaybookStore
from tests.changes.world import CATALOG

GOOD: dict[str, Any] = {
    "format": "callboard playbook",
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


WRONG: list[tuple[str, Any, str]] = [
    ("format", "callboard arguments", 'Not a playbook file: `format` is missing or wrong. It must be "callboard playbook"'),
    ("version", 2, "`version` is 2; this Callboard reads version 1. Update Callboard"),
    ("version", True, "`version` is true"),
    ("name", "", "`name` must have 1 to 60 printable characters"),
    ("name", "a\u202eb", "`name` must have 1 to 60 printable characters"),
    ("extra", 1, "`extra` is not a property of a playbook file; allowed here: format, version, name"),
    ("steps", [], "`steps` has no step"),
    ("steps", {}, "`steps` must be a list of objects"),
    ("steps/0/tool", "RetrieveCustomerDetail", "`steps.customer.tool` names the tool “RetrieveCustomerDetail”, which"),
    ("steps/0/id", "Cus tomer", "`steps.1.id` must begin with a lower-case letter"),
    ("steps/0/id", "page", "`steps.1.id` cannot be “page”"),
    ("steps/1/id", "customer", "`steps.customer` is the id of an earlier step"),
    ("steps/0/shell", "rm -rf /", "`steps.1.shell` is not a property of a playbook file; allowed here: id, tool, arguments"),
    ("steps/0/arguments", {"customer": "x"}, "`steps.customer.arguments.customer` is not a parameter of"),
    ("steps/0/arguments", {}, "`steps.customer.arguments.customer_id` is required"),
    ("steps/0/arguments", {"customer_id": "{@invoices.data[0].id}"}, "but the step “invoices” runs later"),
    ("steps/0/arguments", {"customer_id": "{@page.id}"}, "but the step “page” does not exist"),
    ("steps/0/arguments", {"customer_id": "{client}"}, "but there is no input “client”; add it to `inputs`"),
    ("steps/0/arguments", {"customer_id": "{custmer}"}, "but there is no input “custmer”; did you mean customer?"),
    ("steps/0/arguments", {"customer_id": "{customer"}, "has an unmatched brace or bracket"),
    ("steps/0/arguments", {"customer_id": "{customer|shell}"}, "unknown |shell; available:"),
    ("steps/1/arguments/result_limit", "100000", "`steps.invoices.arguments.result_limit` must be"),
    ("inputs/0/type", "bytes", "`inputs.1.type` must be one of string, integer"),
    ("inputs/0/name", "customer; ls", "`inputs.1.name` must begin with a lower-case letter"),
    ("inputs/1/name", "customer", "`inputs.customer` is the name of an earlier input"),
    ("inputs/1/default", "three", "`inputs.most.default` must be"),
    ("inputs/0/help", "\u001b]52;c;AAAA\u0007", "`inputs.customer.help` contains a control character"),
    ("inputs/0/required", "yes", "`inputs.1.required` must be true or false"),
    ("inputs/0/secret", True, ""),
    ("outputs/first", 3, "`outputs.first` must be a string with a reference"),
    ("outputs/first", "{@nowhere.id}", "`outputs.first` refers to {@nowhere.id}, but the step “nowhere” does not exist"),
    ("about", "x" * 500, "`about` has 500 characters; at most 400 are allowed"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "told"), WRONG)
def test_what_is_wrong_is_told_with_its_place(path: str, value: Any, told: str) -> None:
    if not told:
        assert read_file(changed(path, value), CATALOG).inputs[0].secret
        return
    with pytest.raises(PlaybookError) as caught:
        read_file(changed(path, value), CATALOG)
    problems = "\n".join([str(caught.value), *map(str, caught.value.problems)])
    assert told in problems
    assert problems.replace("\n", "").isprintable()


def test_everything_that_is_wrong_is_told_at_once() -> None:
    file = copy.deepcopy(GOOD)
    file["steps"][0]["arguments"] = {"id": "{who}"}
    file["outputs"]["x"] = "{@y.z}"
    with pytest.raises(PlaybookError) as caught:
        read_file(json.dumps(file).encode(), CATALOG)
    assert [problem.place for problem in caught.value.problems] == [
        "steps.customer.arguments.id",
        "steps.customer.arguments.customer_id",
        "outputs.x",
    ]
    assert "(2 more problems)" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe", "not valid UTF-8"),
        (b"{", "not valid JSON"),
        (b'{"format": "callboard playbook", "format": 1}', "twice"),
        (b"[" * 100_000, "nested"),
        (b" " * (MOST_BYTES + 1), "too large"),
        (b"[]", "Not a playbook file"),
    ],
)
def test_what_is_no_playbook(content: bytes, told: str) -> None:
    with pytest.raises(PlaybookError, match=told):
        read_file(content, CATALOG)


def test_a_secret_in_a_file_is_refused() -> None:
    tool = next(one for one in CATALOG.tools.values() if one.with_role("secret") is not None)
    secret = tool.with_role("secret")
    assert secret is not None
    id_ = tool.parameters[0].name
    file = {
        **GOOD,
        "steps": [{"id": "a", "tool": tool.name, "arguments": {id_: "x", secret.name: "pi_1_secret_2"}}],
        "outputs": {},
    }
    with pytest.raises(PlaybookError, match="secrets are never saved; make it an input with `secret`"):
        read_file(json.dumps(file).encode(), CATALOG)


def test_playbooks_are_kept_shared_and_deleted(tmp_path: Path) -> None:
    store = PlaybookStore(tmp_path / "kept", CATALOG)
    one = read_file(json.dumps(GOOD).encode(), CATALOG)
    assert store.all().playbooks == ()
    with pytest.raises(PlaybookError, match="Record one"):
        store.find("Invoices")
    store.save(one)
    with pytest.raises(NameTaken):
        store.save(one)
    store.save(one, replaces=True)
    assert store.find(" Invoices ") == one
    file = store.share(one, "out.json", tmp_path)
    assert store.shared("out.json", tmp_path) == one
    assert file.read_text("utf-8") == file_text(one)
    (tmp_path / "kept" / "mine.json").write_text(file_text(one).replace('"Invoices"', '"Mine"'), "utf-8")
    (tmp_path / "kept" / "bad.json").write_text("{", "utf-8")
    kept = store.all()
    assert [playbook.name for playbook in kept.playbooks] == ["Invoices", "Mine"]
    assert len(kept.notices) == 1
    assert kept.notices[0].startswith("bad.json cannot be used: The file is not valid JSON")
    store.delete("Mine")
    assert [playbook.name for playbook in store.all().playbooks] == ["Invoices"]
    with pytest.raises(PlaybookError, match="No playbook “Mine”"):
        store.delete("Mine")
    with pytest.raises(PlaybookError, match="no such file"):
        store.shared("absent.json", tmp_path)
    with pytest.raises(PlaybookError, match="`steps` has no step"):
        store.save(Playbook("Empty", ()))


CUSTOMERS = Playbook("c", (Step("a", "ListTeams"),), (Input("customer"), Input("note", required=False)))


def test_a_file_that_was_put_there_by_hand_is_kept_under_the_name_that_it_holds(tmp_path: Path) -> None:
    store, one = PlaybookStore(tmp_path, CATALOG), read_file(json.dumps(GOOD).encode(), CATALOG)
    kept = store.save(one)
    kept.rename(tmp_path / "by hand.json")
    assert store.all().playbooks == (one,)
    assert list(tmp_path.glob("*.json")) == [kept]
    with pytest.raises(NameTaken):
        store.save(one)
    store.delete("Invoices")
    assert store.all().playbooks == ()


def test_rows_of_a_csv_file() -> None:
    text = '\ufeffcustomer,note,age\r\ncus_1,"a, b",3\r\n\r\n cus_2 ,,\r\n'
    rows, unused = csv_rows(text.encode(), CUSTOMERS, {}, {"note": "usual"})
    assert rows == [{"note": "a, b", "customer": "cus_1"}, {"note": "usual", "customer": "cus_2"}]
    assert unused == ["age"]
    assert csv_rows(b"id;x\ncus_3;y\n", CUSTOMERS, {"customer": "id"}, {})[0] == [{"customer": "cus_3"}]


@pytest.mark.parametrize(
    ("content", "columns", "told"),
    [
        (b"", {}, "The CSV file is empty"),
        (b"customer\n", {}, "has no rows"),
        (b"id\nx\n", {}, "No column of the CSV file is an input; its columns: id"),
        (b"customer\nx,y\n", {}, "Line 2 of the CSV file has 2 cells; its first line names 1 columns"),
        (b"customer,customer\nx,y\n", {}, "two columns named “customer”"),
        (b'customer\n"x\n', {}, "cannot be read"),
        (b"customer\nx\xff\n", {}, "not valid UTF-8"),
        (b"customer\nx\n", {"who": "customer"}, "no input “who”"),
        (b"customer\nx\n", {"customer": "id"}, "no column “id”"),
        (b"customer\n" + b"x\n" * 10_001, {}, "more than 10,000 rows"),
    ],
)
def test_a_csv_file_that_is_refused(content: bytes, columns: dict[str, str], told: str) -> None:
    with pytest.raises(PlaybookError, match=told):
        csv_rows(content, CUSTOMERS, columns, {})
