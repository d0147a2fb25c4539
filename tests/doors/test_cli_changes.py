"""Changes on the command line: what lets them through, what never does, and the account of them."""

import json
from typing import Any

import pytest

from registry.doors.output import ExitCode

DELETE = ("call", "DeletePaymentsCoupon", "--coupon-id", "nobody_has_this")
LIVE = ("--account", "payments")


@pytest.fixture
def live(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMENTS_API_KEY", "sk_live_1")
    monkeypatch.setenv("PAYMENTS_BASE_URL", "http://127.0.0.1:1")


@pytest.mark.parametrize("words", [(), ("--yes",), ("--confirm", "nobody_has_this"), ("--yes", "--confirm", "nobody_has_this")])
def test_live_data_is_read_only_until_that_is_lifted(run: Any, live: None, words: tuple[str, ...]) -> None:
    outcome = run(*DELETE, *LIVE, *words)
    assert (outcome.code, outcome.out) == (ExitCode.USAGE, "")
    assert "Add --allow-writes" in outcome.err


def test_a_deletion_in_live_data_takes_its_id(run: Any, live: None) -> None:
    outcome = run(*DELETE, *LIVE, "--allow-writes", "--yes")
    assert outcome.code == ExitCode.USAGE
    assert "Add --confirm nobody_has_this" in outcome.err
    outcome = run(*DELETE, *LIVE, "--allow-writes", "--confirm", "another")
    assert outcome.code == ExitCode.USAGE
    assert "expected nobody_has_this, got another" in outcome.err
    assert run(*DELETE, *LIVE, "--allow-writes", "--confirm", "nobody_has_this").code == ExitCode.CONNECTION


@pytest.mark.parametrize("before", [True, False])
def test_read_only_is_never_lifted(run: Any, live: None, before: bool) -> None:
    words = (*DELETE, *LIVE, "--allow-writes", "--yes", "--confirm", "nobody_has_this")
    outcome = run("--read-only", *words) if before else run(*words, "--read-only")
    assert outcome.code == ExitCode.USAGE
    assert "running read-only" in outcome.err


def test_a_look_before_and_the_account_afterwards(run: Any) -> None:
    outcome = run("call", "DeletePaymentsCoupon", "--coupon-id", "PARTNER15", "--yes")
    assert (outcome.code, json.loads(outcome.out)["deleted"]) == (ExitCode.OK, True)
    assert "  name: Partner discount" in outcome.err
    assert "  • 1 redemption that keeps its discount" in outcome.err
    assert "  ! Cannot be undone." in outcome.err
    line = json.loads(run("audit", "--json", "--most", "1").out)
    assert (line["tool"], line["state"], line["status"]) == ("DeletePaymentsCoupon", "done", 200)
    assert line["object"]["percent_off"] == 15.0, "what that coupon looked like"


def test_what_is_visibly_in_vain_is_not_sent(run: Any) -> None:
    before = run("audit", "--json", "--most", "1").out
    outcome = run(*DELETE, "--yes")
    assert (outcome.code, outcome.out) == (ExitCode.SERVICE, "")
    assert "not sent: 1 check failed" in outcome.err
    outcome = run("call", "DeletePaymentsProduct", "--product-id-to-delete", "prod_R5V05W6LYwHLz9", "--yes")
    assert outcome.code == ExitCode.SERVICE
    assert "✗ It has" in outcome.err
    assert run("audit", "--json", "--most", "1").out == before


def test_a_person_is_changed_with_names_told(run: Any) -> None:
    words = ("call", "UpdateCrmUserInfo", "--user-identifier", "mei.tan@fernway.example", "--user-role-id", "173685")
    outcome = run(*words)
    assert outcome.code == ExitCode.OK
    assert "  role: Reports only → Billing" in outcome.err
    outcome = run("call", "UpdateCrmUserInfo", "--user-identifier", "41759806", "--user-role-id", "5")
    assert (outcome.code, outcome.out) == (ExitCode.SERVICE, "")
    assert "No role 5 in this account" in outcome.err
