"""Saved calls on the command line: recorded, shown, run once and for each row of a CSV file."""

import json
from pathlib import Path
from typing import Any

import pytest

from registry.accounts.secrets import MASK
from registry.catalog.loader import load

ADA = "cus_4R5QLgZDZXPlou"
COUPON = {
    "format": "callboard saved call",
    "version": 1,
    "name": "Delete a coupon",
    "inputs": [{"name": "coupon"}],
    "steps": [
        {"id": "coupon", "tool": "GetCouponDetails", "arguments": {"coupon_id": "{coupon}"}},
        {"id": "gone", "tool": "DeletePaymentsCoupon", "arguments": {"coupon_id": "{@coupon.id}"}},
    ],
    "outputs": {"name": "{@coupon.name}"},
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "coupon.json").write_text(json.dumps(COUPON), "utf-8")
    return tmp_path


def test_calls_become_a_saved_call_that_runs_for_a_list(run: Any, here: Path) -> None:
    assert "No saved calls yet" in run("saved").err
    assert run("call", "RetrieveCustomerDetails", "--customer-id", ADA).code == 0
    assert run("call", "SearchPaymentsInvoices", "--search-query-string", f'customer:"{ADA}"').code == 0
    recorded = run("saved", "record", "Invoices of", "--last", "2")
    assert recorded.code == 0
    assert '2. invoices: SearchPaymentsInvoices {"search_query_string": "customer:\\"{customer}\\""}' in recorded.err
    assert f"Run it: callboard run 'Invoices of' --with customer={ADA}" in recorded.err
    again = run("saved", "record", "Invoices of", "--last", "2")
    assert (again.code, "add --replace" in again.err) == (2, True)
    assert run("saved", "list").out == "Invoices of  2 steps · takes customer\n"
    assert json.loads(run("saved", "--json").out)["inputs"] == ["customer"]

    once = run("run", "Invoices of", "--with", f"customer={ADA}")
    assert (once.code, once.out.startswith("invoices: ")) == (0, True)
    assert "step 2 of 2, invoices: done" in once.err

    (here / "list.csv").write_text(f"id,plan\n{ADA},x\ncus_missing0001,y\n", "utf-8")
    lines = run("run", "Invoices of", "--csv", "list.csv", "--column", "customer=id", "--json")
    rows = [json.loads(line) for line in lines.out.splitlines()]
    assert lines.code == 4
    assert [(row["row"], row["state"], row["inputs"]["customer"]) for row in rows] == [
        (1, "done", ADA),
        (2, "failed", "cus_missing0001"),
    ]
    assert rows[1]["not_run"] == ["invoices"]
    assert "1 of 2 rows done · 1 failed" in lines.err
    assert "add: --from-row 2" in lines.err
    table = run("run", "Invoices of", "--csv", "list.csv", "--column", "customer=id", "--from-row", "2", "--save", "out.csv")
    assert table.code == 1
    assert (here / "out.csv").read_text("utf-8").splitlines()[1].startswith("2,failed,cus_missing0001,")


def test_a_saved_call_that_deletes_asks_as_a_call_does(run: Any) -> None:
    refused = run("run", "coupon.json", "--with", "coupon=PARTNER15")
    assert refused.code == 2
    assert "Not run. Step gone (DeletePaymentsCoupon): This deletes data in the sandbox." in refused.err
    assert "Add --yes to confirm" in refused.err
    assert "Remove --read-only" in run("run", "coupon.json", "--with", "coupon=PARTNER15", "--yes", "--read-only").err
    shown = run("run", "coupon.json", "--with", "coupon=PARTNER15", "--dry-run")
    assert (shown.code, "2. gone: DeletePaymentsCoupon  deletes data" in shown.out) == (0, True)
    done = run("run", "coupon.json", "--with", "coupon=PARTNER15", "--yes")
    assert (done.code, "1 change made" in done.err) == (0, True)
    assert "Delete a coupon: PARTNER15" in done.err, "the check is printed before"


def test_mistakes_are_told_before_anything_is_sent(run: Any, here: Path) -> None:
    for words, told in [
        (("coupon.json",), "`coupon` is required; add --with coupon=VALUE"),
        (("coupon.json", "--with", "coupn=1"), "“Delete a coupon” has no such input; its inputs: coupon"),
        (("coupon.json", "--with", "coupon"), "write it as NAME=VALUE"),
        (("coupon.json", "--csv", "none.csv"), "none.csv: no such file"),
        (("coupon.json", "--from-row", "2"), "--from-row needs --csv"),
        (("nothing",), "No saved call “nothing”"),
        (("nothing.json",), "nothing.json cannot be read"),
        (("coupon.json", "--with", "coupon=1", "--account", "prod"), "unknown account 'prod'"),
    ]:
        outcome = run("run", *words)
        assert (outcome.code, outcome.out) == (2, ""), words
        assert told in outcome.err, words
    for number in ("9223372036854775808", "9" * 5000, "٣"):
        assert "is not the number of a call" in run("saved", "record", "x", "--calls", number).err
    secret = {**COUPON, "inputs": [{"name": "coupon", "secret": True}]}
    (here / "secret.json").write_text(json.dumps(secret), "utf-8")
    (here / "key").write_text("PARTNER15\n", "utf-8")
    done = run("run", "secret.json", "--with", "coupon=@key", "--yes", "--json")
    row = json.loads(done.out)
    assert (done.code, row["inputs"]["coupon"], row["outputs"]) == (0, MASK, {"name": "Partner discount"})
    assert "none: no such file" in run("run", "secret.json", "--with", "coupon=@none").err
    bad = {**COUPON, "steps": [{"id": "a", "tool": "GetCoupon", "arguments": {"x\u001b[31m": "{y}"}}], "outputs": {}}
    (here / "bad.json").write_text(json.dumps(bad), "utf-8")
    outcome = run("saved", "import", "bad.json")
    assert outcome.code == 2
    assert "`steps.a.tool` names the tool “GetCoupon”, which does not exist" in outcome.err
    assert "\u001b" not in outcome.err
    assert run("saved", "import", "coupon.json", "--name", "mine").code == 0
    assert json.loads(run("saved", "show", "mine").out)["name"] == "mine"
    assert run("saved", "export", "mine", "out.json").code == 0
    assert run("saved", "delete", "mine").code == 0
    assert run("saved", "delete", "mine").code == 2


def test_a_single_call_is_run_with_other_values_or_its_arguments_are_used_by_a_call(run: Any, here: Path) -> None:
    limit = next(one.name for one in load().tools["ListTeams"].parameters if one.role == "limit")
    keep = {"format": "callboard arguments", "version": 1, "tool": "ListTeams", "name": "few teams", "arguments": {limit: 2}}
    (here / "teams.json").write_text(json.dumps(keep), "utf-8")
    assert run("saved", "import", "teams.json").code == 0
    assert run("saved").out == f"few teams  ListTeams · {limit} 2\n"
    once = run("run", "few teams")
    assert (once.code, len(once.json["teams"])) == (0, 2), "without outputs, the response is the result"
    assert len(run("run", "few teams", "--with", f"{limit}=1").json["teams"]) == 1
    assert "must be a whole number" in run("run", "few teams", "--with", f"{limit}=many").err
    option = f"--{limit.replace('_', '-')}"
    assert len(run("call", "ListTeams", "--saved", "few teams", option, "1").json["teams"]) == 1
    assert "limit=2" in run("call", "ListTeams", "--saved", "./teams.json", "--dry-run").out
    other = run("call", "ListUsers", "--saved", "few teams")
    assert (other.code, "“few teams” is not a call of ListUsers" in other.err) == (2, True)
