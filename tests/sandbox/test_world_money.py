"""Amounts add up: lines to invoices, invoices to payments, payments to the ledger, the ledger to payouts and the balance."""

from collections import defaultdict
from typing import Any

import pytest

from registry.sandbox.payments.shapes import shapes
from registry.sandbox.store import Body, StoredRow
from registry.sandbox.world import World
from tests.sandbox.test_world_references import LARGER, by_id, written

worlds = pytest.mark.parametrize("world", [World(7, 1_709_200_000), LARGER], ids=("seed 7", "larger"))

_WHOLE = {"clp", "jpy", "krw"}


def value(kind: str, row: StoredRow, name: str) -> Any:
    """A field as it is shown."""
    return row.body.get(name, shapes()[kind].fields[name].get("default"))


def grouped(world: World, kind: str, by: str) -> dict[Any, list[StoredRow]]:
    """The objects of a kind by a field's value."""
    found: dict[Any, list[StoredRow]] = defaultdict(list)
    for row in written(world)[kind]:
        found[row.body.get(by)].append(row)
    return found


def total(parts: list[Body], **where: Any) -> int:
    """The sum of the amounts of inner hashes that match."""
    return sum(part["amount"] for part in parts if all(part.get(name) == wanted for name, wanted in where.items()))


def inner(kind: str, rows: list[StoredRow], name: str) -> list[Body]:
    """The inner hashes that some objects have under a name."""
    return [part for row in rows for part in value(kind, row, name) or []]


@worlds
def test_invoices_are_the_sum_of_their_lines(world: World) -> None:
    lines = grouped(world, "line_item", "invoice")
    for row in written(world)["invoice"]:
        own, body = lines[row.id], row.body
        taxes, credited = inner("line_item", own, "taxes"), total(inner("line_item", own, "pretax_credit_amounts"))
        exclusive, inclusive = total(taxes, tax_behavior="exclusive"), total(taxes, tax_behavior="inclusive")
        assert body["subtotal"] == sum(line.body["amount"] for line in own)
        assert body["total"] == body["subtotal"] - credited + exclusive
        assert body["total_excluding_tax"] == body["total"] - exclusive - inclusive
        assert body["subtotal_excluding_tax"] == body["subtotal"] - inclusive
        assert total(inner("invoice", [row], "total_taxes")) == exclusive + inclusive
        assert total(inner("invoice", [row], "total_pretax_credit_amounts")) == credited
        discounts = inner("line_item", own, "discount_amounts")
        assert total(inner("invoice", [row], "total_discount_amounts")) == total(discounts)


@worlds
def test_what_is_due_and_paid_fits_the_status(world: World) -> None:
    payments = grouped(world, "invoice_payment", "invoice")
    for row in written(world)["invoice"]:
        body, status, ends = row.body, row.body["status"], row.body["status_transitions"]
        starting, ending = value("invoice", row, "starting_balance"), body.get("ending_balance") or 0
        less = ending + value("invoice", row, "pre_payment_credit_notes_amount")
        assert body["amount_due"] == body["total"] + starting - less
        assert body["amount_remaining"] == body["amount_due"] - body["amount_paid"]
        paid = sum(one.body.get("amount_paid") or 0 for one in payments[row.id])
        assert paid == body["amount_paid"]
        assert (body["amount_remaining"] == 0) >= (status == "paid")
        assert paid == 0 or status not in ("draft", "void", "uncollectible")
        if status == "open":
            assert body["amount_remaining"] > 0
            assert sum(one.body["amount_requested"] for one in payments[row.id]) == body["amount_due"]
        assert (body.get("number") is None) == (ends["finalized_at"] is None) == (status == "draft")
        for name, wanted in (("paid_at", "paid"), ("voided_at", "void"), ("marked_uncollectible_at", "uncollectible")):
            assert (ends[name] is not None) == (status == wanted)


@worlds
def test_invoice_numbers_count_up_for_each_customer(world: World) -> None:
    customers, counts = by_id(world, "customer"), defaultdict[str, int](int)
    for row in written(world)["invoice"]:
        if row.body.get("number"):
            owner = customers[row.body["customer"]]
            counts[owner.id] += 1
            assert row.body["number"] == f"{owner.body['invoice_prefix']}-{counts[owner.id]:04d}"
    assert all(one.body["next_invoice_sequence"] == counts[id_] + 1 for id_, one in customers.items())


@worlds
def test_payments_of_invoices_agree(world: World) -> None:
    intents, invoices = by_id(world, "payment_intent"), by_id(world, "invoice")
    for row in written(world)["invoice_payment"]:
        intent, invoice = intents[row.body["payment"]["payment_intent"]].body, invoices[row.body["invoice"]].body
        assert row.body["amount_requested"] == intent["amount"]
        assert row.body["currency"] == intent["currency"] == invoice["currency"]
        assert intent["customer"] == invoice["customer"]
        assert (row.body["status"] == "paid") == (intent["status"] == "succeeded")


@worlds
def test_charges_agree_with_their_intents_refunds_and_disputes(world: World) -> None:
    charges, refunds = grouped(world, "charge", "payment_intent"), grouped(world, "refund", "charge")
    disputes = grouped(world, "dispute", "charge")
    for row in written(world)["payment_intent"]:
        own = charges[row.id]
        assert all(charge.body["amount"] == row.body["amount"] for charge in own)
        good = [charge for charge in own if charge.body["status"] == "succeeded" and charge.body["captured"]]
        assert (len(good) == 1) == (row.body["status"] == "succeeded")
        assert row.body["amount_received"] == (row.body["amount"] if good else 0)
        assert not own or row.body["latest_charge"] == max(own, key=lambda charge: charge.created).id
    for row in written(world)["charge"]:
        body, own = row.body, refunds[row.id]
        for name in ("customer", "payment_method", "payment_intent"):
            assert all(one.body[name] == body.get(name) for one in own), name
        back = sum(one.body["amount"] for one in own if one.body["status"] not in ("failed", "canceled"))
        assert body["amount_refunded"] == back <= body["amount"]
        assert not body["paid"] or body["refunded"] == (back == body["amount"])
        assert body["disputed"] == bool(disputes[row.id])
        assert all(one.body["amount"] <= body["amount"] for one in disputes[row.id])


@worlds
def test_the_ledger_says_what_was_moved(world: World) -> None:
    ledger = by_id(world, "balance_transaction")
    for row in ledger.values():
        body = row.body
        assert body["net"] == body["amount"] - body["fee"]
        assert total(body["fee_details"]) == body["fee"]
        assert body["status"] == ("available" if body["available_on"] <= world.now else "pending")
    signs = {
        "charge": 1,
        "refund": -1,
        "transfer": -1,
        "transfer_reversal": 1,
        "application_fee": 1,
        "fee_refund": -1,
        "topup": 1,
    }
    for kind, sign in signs.items():
        moved = [row for row in written(world)[kind] if row.body.get("balance_transaction")]
        assert len(moved) >= 3, kind
        for row in moved:
            entry = ledger[row.body["balance_transaction"]].body
            rate = entry["exchange_rate"]
            units = 100 if rate and row.body["currency"] in _WHOLE else 1
            assert abs(sign * entry["amount"] - row.body["amount"] * (rate or 1) * units) <= 0.5
            assert (entry["source"], entry["currency"] == row.body["currency"]) == (row.id, rate is None)
    for row in written(world)["dispute"]:
        entries = {"won": 2, "lost": 1, "needs_response": 1, "under_review": 1}.get(row.body["status"], 0)
        assert len(row.body["balance_transactions"]) == entries
        assert all(ledger[id_].body["source"] == row.id for id_ in row.body["balance_transactions"])


@worlds
def test_payouts_sum_up_their_transactions(world: World) -> None:
    taken, ledger = grouped(world, "balance_transaction", "_payout"), by_id(world, "balance_transaction")
    weekly = 0
    for row in written(world)["payout"]:
        body, parts = row.body, taken[row.id]
        assert ledger[body["balance_transaction"]].body["amount"] == -body["amount"]
        weekly += body["automatic"]
        assert body["automatic"] or not parts
        if body["automatic"]:
            assert body["amount"] == sum(part.body["net"] for part in parts) > 0
        assert all(part.body["currency"] == body["currency"] for part in parts)
        assert all(part.created <= part.body["available_on"] <= row.created for part in parts)
        if body.get("failure_balance_transaction"):
            assert ledger[body["failure_balance_transaction"]].body["amount"] == body["amount"]
    assert weekly > 40


@worlds
def test_the_balance_is_what_payouts_left(world: World) -> None:
    (balance,) = written(world)["balance"]
    sums: dict[tuple[str, str, str], int] = defaultdict(int)
    for row in written(world)["balance_transaction"]:
        sums[row.body["balance_type"], row.body["currency"], row.body["status"]] += row.body["net"]
    for state in ("available", "pending"):
        for part in balance.body[state]:
            assert part["amount"] == sums["payments", part["currency"], state] == sum(part["source_types"].values())
    issuing = balance.body["issuing"]["available"]
    assert [part["amount"] for part in issuing] == [sums["issuing", "usd", "available"]]
    assert all(part["amount"] > 0 for part in [*balance.body["available"], *issuing])


@worlds
def test_balances_of_customers_follow_their_transactions(world: World) -> None:
    found, invoices = grouped(world, "customer_balance_transaction", "customer"), by_id(world, "invoice")
    for row in written(world)["customer"]:
        running = 0
        for entry in found[row.id]:
            before, running = running, running + entry.body["amount"]
            assert entry.body["ending_balance"] == running
            if entry.body["type"] == "applied_to_invoice":
                invoice = invoices[entry.body["invoice"]]
                assert (value("invoice", invoice, "starting_balance"), invoice.body["ending_balance"]) == (before, running)
        assert value("customer", row, "balance") == running
    found = grouped(world, "customer_cash_balance_transaction", "customer")
    for row in written(world)["cash_balance"]:
        running = 0
        for entry in found[row.id]:
            running += entry.body["net_amount"]
            assert entry.body["ending_balance"] == running
        assert list(row.body["available"].values()) == [running]
        assert running >= 0


@worlds
def test_credit_notes_stay_within_their_invoices(world: World) -> None:
    lines = grouped(world, "credit_note_line_item", "_credit_note")
    refunds, invoices = by_id(world, "refund"), by_id(world, "invoice")
    credited: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in written(world)["credit_note"]:
        body, own, off = row.body, lines[row.id], row.body.get("discount_amount", 0)
        taxes = total(inner("credit_note", [row], "total_taxes"))
        assert body["subtotal"] == sum(line.body["amount"] for line in own)
        assert taxes == total(inner("credit_note_line_item", own, "taxes"))
        assert off == total(body.get("discount_amounts", [])) == total(body.get("pretax_credit_amounts", []))
        assert off == sum(line.body.get("discount_amount", 0) for line in own)
        assert body["amount"] == body["total"] == body["subtotal"] - off + taxes <= invoices[body["invoice"]].body["total"]
        assert body["total"] == body["pre_payment_amount"] + body["post_payment_amount"]
        for part in body.get("refunds", ()):
            assert refunds[part["refund"]].body["amount"] == part["amount_refunded"] == body["total"]
        if body["status"] == "issued":
            credited[body["invoice"]][0] += body["pre_payment_amount"]
            credited[body["invoice"]][1] += body["post_payment_amount"]
    for id_, invoice in invoices.items():
        names = ("pre_payment_credit_notes_amount", "post_payment_credit_notes_amount")
        assert [value("invoice", invoice, name) for name in names] == credited[id_]


@worlds
def test_credit_grants_are_not_overdrawn(world: World) -> None:
    moved, lines = grouped(world, "billing.credit_balance_transaction", "credit_grant"), by_id(world, "line_item")
    for row in written(world)["billing.credit_grant"]:
        left = 0
        for entry in moved[row.id]:
            part = entry.body["credit"] or entry.body["debit"]
            amount = part["amount"]["monetary"]["value"]
            left += amount if entry.body["type"] == "credit" else -amount
            if applied := part.get("credits_applied"):
                used = lines[applied["invoice_line_item"]].body["pretax_credit_amounts"]
                assert [(one["amount"], one["credit_balance_transaction"]) for one in used] == [(amount, entry.id)]
        assert left >= 0
        assert (left == 0) >= bool(row.body.get("voided_at"))
