"""Every state that an object can be in is there, but for those that could not be met in this world."""

from __future__ import annotations

import pytest

from registry.sandbox.payments.shapes import shapes
from tests.sandbox.test_world_references import NOW, WORLD, written

EXCEPTIONS: dict[tuple[str, str], dict[str, str]] = {
    ("tax.settings", "status"): {"pending": "an account has one tax setting, and it is active"},
    ("invoice", "billing_reason"): {
        "subscription": "given to old invoices only, before it was split up",
        "upcoming": "given to previews only, which are not stored",
    },
    ("customer_balance_transaction", "type"): {"invoice_too_large": "nobody here owes more than the largest amount"},
    ("setup_attempt", "flow_directions"): {
        "inbound": "for attaching to the own account only, which the company does not do",
        "outbound": "as above",
    },
    ("setup_intent", "flow_directions"): {"inbound": "as for setup_attempt", "outbound": "as for setup_attempt"},
    ("issuing.dispute", "loss_reason"): {
        reason: "three lost disputes have three reasons"
        for reason in shapes()["issuing.dispute"].fields["loss_reason"]["enum"]
        if reason not in ("merchandise_or_service_as_described", "refund_issued", "transaction_electronically_read")
    },
    ("treasury.received_credit", "network"): {"card": "no card of this world has received money"},
    ("balance_transaction", "balance_type"): {"refund_and_dispute_prefunding": "the company does not prefund refunds"},
    ("source", "type"): dict.fromkeys(
        ("au_becs_debit", "eps", "giropay", "ideal", "klarna", "p24", "sofort"), "switched off before the world began"
    ),
    ("source_transaction", "type"): {
        type_: "only transfers to a receiver bring transactions here"
        for type_ in shapes()["source_transaction"].fields["type"]["enum"]
        if type_ != "ach_credit_transfer"
    },
    ("issuing.transaction", "wallet"): {"samsung_pay": "that telephone was stolen before it paid anything"},
    ("checkout.session", "redirect_on_completion"): {"never": "every embedded page here goes on somewhere"},
}

_LONG = frozenset(
    {
        ("balance_transaction", "type"),
        ("checkout.session", "locale"),
        ("event", "type"),
        ("payment_intent", "excluded_payment_method_types"),
        ("payment_link", "payment_method_types"),
        ("tax_id", "type"),
        ("treasury.financial_account", "active_features"),
        ("treasury.financial_account", "pending_features"),
        ("treasury.financial_account", "restricted_features"),
    }
)
"""Lists of names rather than states; a few of each are met."""

_FIXED = ("object", "deleted")

# The states of the specification that no shape lists: the values of filters, and states that are plain strings.
_NAMED = {
    ("refund", "status"): {"canceled", "failed", "pending", "requires_action", "succeeded"},
    ("payout", "status"): {"canceled", "failed", "in_transit", "paid", "pending"},
    ("invoice_payment", "status"): {"canceled", "open", "paid"},
    ("balance_transaction", "status"): {"available", "pending"},
    ("bank_account", "status"): {"errored", "new", "validated", "verification_failed", "verified"},
    ("source", "status"): {"canceled", "chargeable", "consumed", "failed", "pending"},
    ("source_transaction", "status"): {"failed", "pending", "succeeded"},
    ("source_mandate_notification", "status"): {"pending", "submitted"},
    ("scheduled_query_run", "status"): {"canceled", "completed", "failed", "timed_out"},
    ("reporting.report_run", "status"): {"failed", "pending", "succeeded"},
    ("setup_attempt", "status"): {"failed", "processing", "requires_action", "succeeded"},
    ("webhook_endpoint", "status"): {"disabled", "enabled"},
    ("token", "type"): {"account", "bank_account", "card", "cvc_update", "person", "pii"},
}


def listed() -> list[tuple[str, str]]:
    return [
        (kind, name)
        for kind, shape in shapes().items()
        for name, field in shape.fields.items()
        if "enum" in field and name not in _FIXED and (kind, name) not in _LONG
    ]


def met(kind: str, name: str) -> set[object]:
    """The values that a field has."""
    default = shapes()[kind].fields[name].get("default")
    found: set[object] = set()
    for row in written(WORLD).get(kind, ()):
        value = row.body.get(name, default)
        found |= set(value) if isinstance(value, list) else {value}
    return found


@pytest.mark.parametrize(("kind", "name"), listed(), ids=str)
def test_every_listed_value_is_met_or_excused(kind: str, name: str) -> None:
    wanted = set(shapes()[kind].fields[name]["enum"])
    assert wanted - met(kind, name) == set(EXCEPTIONS.get((kind, name), {}))


@pytest.mark.parametrize(("kind", "name"), _NAMED, ids=str)
def test_every_named_value_is_met(kind: str, name: str) -> None:
    assert met(kind, name) >= _NAMED[kind, name]


@pytest.mark.parametrize(("kind", "name"), sorted(_LONG), ids=str)
def test_long_lists_are_met_in_part(kind: str, name: str) -> None:
    met(kind, name)
    assert name.startswith(("excluded", "payment_method", "pending", "restricted")) or len(met(kind, name) - {None}) >= 3


def test_states_that_only_filters_know() -> None:
    """Reversals of debits are won or lost; registrations of all states; meters, bundles, templates on and off."""
    assert met("treasury.debit_reversal", "status") == {"failed", "processing", "succeeded"}
    expired = [row for row in written(WORLD)["tax.calculation"] if row.body["expires_at"] <= NOW]
    assert len(expired) == 1
    young = [row for row in written(WORLD)["event"] if row.created >= NOW - 30 * 86_400]
    assert len(young) >= 12
    assert len(written(WORLD)["event"]) - len(young) == 3
    assert {bool(row.body.get("_rules")) for row in written(WORLD)["radar.value_list"]} == {True, False}
    assert any(row.body.get("_live_only") for row in written(WORLD)["reporting.report_type"])


def test_what_can_and_cannot_be_deleted_is_there() -> None:
    drafts = [row.body for row in written(WORLD)["invoice"] if row.body["status"] == "draft"]
    assert {bool((body["parent"] or {}).get("subscription_details")) for body in drafts} == {True, False}
    held = {row.id: row.body["status"] for row in written(WORLD)["invoice"]}
    items = [row.body["invoice"] for row in written(WORLD)["invoiceitem"]]
    assert None in items
    assert {held[id_] for id_ in items if id_} >= {"draft", "open", "paid", "void", "uncollectible"}
    priced = {row.body["product"] for row in written(WORLD)["price"]}
    assert {row.id in priced for row in written(WORLD)["product"]} == {True, False}
    people = [row.body for row in written(WORLD)["person"]]
    assert any(body["relationship"]["representative"] for body in people)
    assert any(not body["relationship"]["representative"] and not body["relationship"]["executive"] for body in people)
    clocked = [row for row in written(WORLD)["quote"] if row.body.get("test_clock")]
    assert len(clocked) == 1
    owners = {row.body["test_clock"] for row in written(WORLD)["customer"] if row.body.get("test_clock")}
    assert owners == {row.id for row in written(WORLD)["test_helpers.test_clock"]}


def test_methods_tell_what_those_of_their_type_have() -> None:
    """An attempt its card, a bank redirect its country, a payment at a reader its options."""
    attempts = [row.body for row in written(WORLD)["setup_attempt"] if "card" in row.body["payment_method_details"]]
    methods = {row.id: row.body for row in written(WORLD)["payment_method"]}
    tried = [body for body in attempts if body["payment_method"]]
    assert tried
    for body in tried:
        card, method = body["payment_method_details"]["card"], methods[body["payment_method"]]["card"]
        names = ("brand", "country", "exp_month", "exp_year", "fingerprint", "funding", "last4")
        assert {name: card[name] for name in names} == {name: method[name] for name in names}
    assert all(body["payment_method_details"]["card"]["brand"] is None for body in attempts if not body["payment_method"])
    assert {body["sofort"]["country"] for body in methods.values() if "sofort" in body} - {None}
    options = [row.body.get("payment_method_options", {}) for row in written(WORLD)["payment_intent"]]
    readers = [held["card_present"] for held in options if "card_present" in held]
    assert readers
    assert all("request_extended_authorization" in held for held in readers)
    made = next(body["card"]["generated_from"] for body in methods.values() if body.get("card", {}).get("generated_from"))
    charges = {row.id: row.body for row in written(WORLD)["charge"]}
    assert made["payment_method_details"] == charges[made["charge"]]["payment_method_details"]
