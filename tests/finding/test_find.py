"""Finding by words and by what is pasted: the right thing first, deletions last, never nothing."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest

from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.doors.cli import main
from registry.finding.find import Finder, Item, OwnCall
from tests.finding.phrases import HELD_BACK, PHRASES
from tests.sampled import further

NOW = datetime(2026, 11, 22, 6, 0, tzinfo=UTC).timestamp()
CATALOG = load()
FINDER = Finder(CATALOG)
CUSTOMER = "cus_4R5QLgZDZXPlou"
CARD = "payment_method_details.card.last4"
DASHBOARD = "https://dashboard.stripe.com/test/customers/"
_LOOKED_AT, _ENOUGH, _ENOUGH_HELD_BACK = 3, 114, 36


def found(text: str) -> list[Item]:
    return FINDER.find(text, NOW, UTC)


def is_right(item: Item, right: str) -> bool:
    tool, _, text = right.partition(" ~ ")
    return item.tool == tool and text.strip().lower() in str(item.arguments).lower()


def missed(phrases: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    first = {text: found(text)[:_LOOKED_AT] for text in phrases}
    return {
        text: [f"{one.tool} {dict(one.arguments)}" for one in items]
        for text, items in first.items()
        if not any(is_right(one, right) for one in items for right in phrases[text])
    }


def test_nearly_every_phrase_finds_the_right_thing_among_the_first_three() -> None:
    assert len(PHRASES) == 120
    wrong = missed(PHRASES)
    assert len(PHRASES) - len(wrong) >= _ENOUGH, wrong
    untuned = missed(HELD_BACK)
    assert len(HELD_BACK) - len(untuned) >= _ENOUGH_HELD_BACK, untuned


def test_no_deletion_stands_above_what_reads_without_a_word_of_deletion() -> None:
    texts = {
        text
        for text in (*PHRASES, *HELD_BACK)
        if text.startswith("who can") or not {"delete", "remove", "offboard", "cancel", "drop", "void"} & set(text.split())
    }
    texts |= {
        "customer",
        "coupon",
        "deleted customers",
        "card removed by customer",
        "canceled",
        "tax id",
        "test clock",
        "person",
    }
    for text in texts:
        effects = [one.effect for one in found(text)]
        assert "delete" not in effects[: len(effects) - effects.count("delete")], text


def some_tools() -> list[Tool]:
    """One for each first word of a summary, in each toolkit."""
    return list({(tool.toolkit, tool.effect, tool.summary.split()[0]): tool for tool in CATALOG.tools.values()}.values())


@pytest.mark.parametrize("tools", [some_tools(), *further(list(CATALOG.tools.values()))], ids=["some", "all"])
def test_a_query_that_is_the_name_or_the_summary_of_a_tool_finds_that_tool_first(tools: list[Tool]) -> None:
    """Articles, capitals and punctuation do not matter, and other results stay."""
    from registry.catalog.synonyms import asks_for_deletion

    assert [one.tool for one in found("get customer")].index("RetrieveCustomerDetails") == 0
    assert len(found("get customer")) > 10
    wrong = {}
    for tool in tools:
        texts = [tool.name, tool.summary, re.sub(r"\b(a|an|the)\s", "", tool.summary.lower().rstrip("."))]
        for text in texts if tool.effect != "delete" or asks_for_deletion(tool.summary) else texts[:0]:
            if (first := found(text)[0]).tool != tool.name:
                wrong[text] = first.tool
    assert not wrong


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("delete customer", "DeletePaymentsCustomer"),
        ("delte coupn", "DeletePaymentsCoupon"),
        ("get rid of the webhook", "DeletePaymentsWebhookEndpoint"),
        ("deactivate user", "RemoveCrmUser"),
        ("delinv", "DeleteInvoiceDraft"),
        ("what happens if I delete this customer", "DeletePaymentsCustomer"),
    ],
)
def test_a_word_of_deletion_finds_deletions(text: str, tool: str) -> None:
    assert tool in [one.tool for one in found(text)[:3]]


@pytest.mark.parametrize(
    ("text", "kind", "tool", "arguments"),
    [
        (CUSTOMER, "object", "RetrieveCustomerDetails", {"customer_id": CUSTOMER}),
        (f"  '{CUSTOMER}',", "object", "RetrieveCustomerDetails", {"customer_id": CUSTOMER}),
        (f"invoices of {CUSTOMER}", "call", "SearchPaymentsInvoices", {"search_query_string": f'customer:"{CUSTOMER}"'}),
        ("ada@romero.example", "call", "SearchPaymentsCustomers", {"search_query_string": 'email:"ada@romero.example"'}),
        ("$49.00", "call", "PaymentsSearchCharges", {"search_query_string": 'amount:4900 AND currency:"usd"'}),
        ("1.234,50 EUR", "call", "PaymentsSearchCharges", {"search_query_string": 'amount:123450 AND currency:"eur"'}),
        ("500 yen", "call", "PaymentsSearchCharges", {"search_query_string": 'amount:500 AND currency:"jpy"'}),
        ("card ending in 4242", "call", "PaymentsSearchCharges", {"search_query_string": f'{CARD}:"4242"'}),
        ("VV47RLFS-0004", "call", "SearchPaymentsInvoices", {"search_query_string": 'number:"VV47RLFS-0004"'}),
        (DASHBOARD + CUSTOMER, "object", "RetrieveCustomerDetails", {"customer_id": CUSTOMER}),
        ("https://api.stripe.com/v1/customers/" + CUSTOMER, "call", "RetrieveCustomerDetails", {"customer_id": CUSTOMER}),
        ("http://127.0.0.1:8210/payments/v1/balance", "call", "GetCurrentAccountBalance", {}),
        (
            "https://api.eu.pagerduty.com/incidents?statuses[]=triggered&limit=3",
            "call",
            "ListIncidents",
            {"status": "triggered", "limit": "3"},
        ),
        ("https://acme.pagerduty.com/incidents/Q2XKJ7NPA4ZB1C", "object", "GetIncident", {"incident_id": "Q2XKJ7NPA4ZB1C"}),
        ("#4062", "object", "GetIncident", {"incident_id": "4062"}),
        ("req_8hJ2kLm4Nq", "object", "", {}),
        (
            "curl https://api.stripe.com/v1/charges/search -u sk_x: -G -d limit=5 --data-urlencode query='status:\"failed\"'",
            "call",
            "PaymentsSearchCharges",
            {"search_query_string": 'status:"failed"', "result_limit": "5"},
        ),
        (
            "curl -X DELETE -H 'Authorization: Bearer sk_live_x' \\\n https://api.stripe.com/v1/coupons/WELCOME",
            "call",
            "DeletePaymentsCoupon",
            {"coupon_id": "WELCOME"},
        ),
        (
            "failed payments yesterday",
            "call",
            "PaymentsSearchCharges",
            {"search_query_string": 'status:"failed" AND created>=yesterday AND created<today'},
        ),
        (
            "invoices last month",
            "call",
            "SearchPaymentsInvoices",
            {"search_query_string": "created>=2026-10-01 AND created<2026-11-01"},
        ),
        ("incidents of the last 6 hours", "call", "ListIncidents", {"since": "-6h"}),
        ("disputes with evidence due this week", "call", "PaymentsSearchCharges", {"search_query_string": 'disputed:"true"'}),
        (
            "payments in EUR yday",
            "call",
            "PaymentsSearchCharges",
            {"search_query_string": 'currency:"eur" AND created>=yesterday AND created<today'},
        ),
        ("prices in euros", "call", "SearchPaymentsPrices", {"search_query_string": 'currency:"eur"'}),
        ("customers named Ó'Brien \"x\"", "call", "SearchPaymentsCustomers", None),
    ],
)  # fmt: skip
def test_what_is_pasted_becomes_a_call_with_its_arguments(
    text: str, kind: str, tool: str, arguments: dict[str, object] | None
) -> None:
    first = found(text)[0]
    assert (first.kind, first.tool) == (kind, tool)
    assert arguments is None or dict(first.arguments) == arguments


def test_a_search_that_can_run_stands_before_its_empty_form() -> None:
    for text in ("customers", "prices", "products", "subscriptions", "invoices"):
        items = found(text)
        tool = items[0].tool
        places = [place for place, one in enumerate(items) if one.tool == tool and one.kind == "tool"]
        assert items[0].kind == "call", text
        assert places[:1] > [0], text
    assert found("SearchPaymentsPrices")[0].kind == "tool", "whoever types the name of a tool wants its form"


def test_a_credential_in_a_command_is_nowhere_in_the_list() -> None:
    text = "curl https://api.stripe.com/v1/balance -u sk_live_Marked123: -H 'Authorization: Bearer sk_live_Marked123'"
    assert "Marked123" not in repr(found(text))


def test_saved_calls_are_found_by_their_names_and_taken_as_they_are() -> None:
    own = OwnCall("Night check {name}", "ListIncidents", {"status": "triggered", "since": "{x}"})
    first = Finder(CATALOG, [own]).find("night check", NOW, UTC)[0]
    assert (first.kind, first.title, first.arguments) == ("call", own.title, own.arguments)


def test_arguments_of_calls_are_accepted_by_their_tools() -> None:
    from registry.calling.arguments import check

    texts = [
        *PHRASES,
        *HELD_BACK,
        "failed payments yesterday",
        "incidents last week",
        "who is on call next week",
        f"charges of {CUSTOMER}",
    ]
    calls = [one for text in texts for one in found(text) if one.kind == "call" and not one.missing]
    wrong = {
        f"{one.tool} {dict(one.arguments)}": errors
        for one in calls
        if (errors := check(CATALOG.tools[one.tool], one.arguments, NOW).errors)
    }
    assert not wrong


def test_the_command_gives_the_same_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", "past", "due", "--json"]) == 0
    items = json.loads(capsys.readouterr().out)
    assert set(items[0]) == {"kind", "tool", "arguments", "effect", "title", "why"}
    first = found("past due")[0]
    assert (items[0]["tool"], items[0]["arguments"]) == (first.tool, dict(first.arguments))
    assert main(["find", "who is on call"]) == 0
    assert "ListOncalls" in capsys.readouterr().out
