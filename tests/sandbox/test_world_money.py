"""Amounts add up: lines to invoices, invoices to payments, payments to the ledger, the ledger to payouts and the balance."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from registry.sandbox.payments.shapes import shapes
from registry.sandbox.store import Body, StoredRow
from registry.sandbox.world import World
from tests.sandbox.test_world_references import LARGER, NOW, by_id, written

WORLDS = (World(1, NOW), World(7, 1_709_200_000), LARGER)

worlds = pytest.mark.parametrize("world", WORLDS, ids=("seed 1", "seed 7", "larger"))

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


@worlds
def test_invoices_are_the_sum_of_their_lines(world: World) -> None:
    lines = grouped(world, "line_item", "invoice")
    for row in written(world)["invoice"]:
        own = lines[row.id]
        taxes = [tax for line in own for tax in value("line_item", line, "taxes")]
        credited = [part for line in own for part in value("line_item", line, "pretax_credit_amounts")]
        subtotal = sum(line.body["amount"] for line in own)
        discounts = [part for line in own for part in value("line_item", line, "discount_amounts")]
        exclusive, inclusive = total(taxes, tax_behavior="exclusive"), total(taxes, tax_behavior="inclusive")
        body = row.body
        assert body["subtotal"] == subtotal
        assert body["total"] == subtotal - total(credited) + exclusive
        assert body["total_excluding_tax"] == body["total"] - exclusive - inclusive
        assert body["subtotal_excluding_tax"] == subtotal - inclusive
        assert total(value("invoice", row, "total_discount_amounts")) == total(discounts)
        assert total(value("invoice", row, "total_pretax_credit_amounts")) == total(credited)
        assert total(value("invoice", row, "total_taxes")) == exclusive + inclusive


@worlds
def test_what_is_due_and_paid_fits_the_status(world: World) -> None:
    payments = grouped(world, "invoice_payment", "invoice")
    for row in written(world)["invoice"]:
        body, status = row.body, row.body["status"]
        starting, ending = value("invoice", row, "starting_balance"), body.get("ending_balance") or 0
        pre = value("invoice", row, "pre_payment_credit_notes_amount")
        assert body["amount_due"] == body["total"] + starting - ending - pre
        assert body["amount_remaining"] == body["amount_due"] - body["amount_paid"]
        paid = sum(one.body.get("amount_paid") or 0 for one in payments[row.id])
        assert paid == body["amount_paid"]
        assert (body["amount_remaining"] == 0) >= (status == "paid")
        if status in ("draft", "void", "uncollectible"):
            assert paid == 0
        if status == "open":
            assert body["amount_remaining"] > 0
            assert sum(one.body["amount_requested"] for one in payments[row.id]) == body["amount_due"]
        assert (body.get("number") is None) == (status == "draft")
        ends = body["status_transitions"]
        assert (ends["paid_at"] is not None) == (status == "paid")
        assert (ends["voided_at"] is not None) == (status == "void")
        assert (ends["marked_uncollectible_at"] is not None) == (status == "uncollectible")
        assert (ends["finalized_at"] is None) == (status == "draft")


@worlds
def test_invoice_numbers_count_up_for_each_customer(world: World) -> None:
    customers = by_id(world, "customer")
    counts: dict[str, int] = defaultdict(int)
    for row in written(world)["invoice"]:
        if row.body.get("number"):
            owner = customers[row.body["customer"]]
            counts[owner.id] += 1
            assert row.body["number"] == f"{owner.body['invoice_prefix']}-{counts[owner.id]:04d}"
    for id_, customer in customers.items():
        assert customer.body["next_invoice_sequence"] == counts[id_] + 1


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
def test_charges_agree_with_their_intents_and_refunds(world: World) -> None:
    charges, refunds = grouped(world, "charge", "payment_intent"), grouped(world, "refund", "charge")
    disputes = grouped(world, "dispute", "charge")
    for row in written(world)["payment_intent"]:
        own = charges[row.id]
        assert all(charge.body["amount"] == row.body["amount"] for charge in own)
        good = [charge for charge in own if charge.body["status"] == "succeeded" and charge.body["captured"]]
        assert (len(good) == 1) == (row.body["status"] == "succeeded")
        received = row.body["amount"] if good else 0
        assert row.body["amount_received"] == received
        if own:
            assert row.body["latest_charge"] == max(own, key=lambda charge: charge.created).id
    for row in written(world)["charge"]:
        for one in refunds[row.id]:
            assert [one.body[name] for name in ("customer", "payment_method")] == [
                row.body.get(name) for name in ("customer", "payment_method")
            ]
        back = sum(one.body["amount"] for one in refunds[row.id] if one.body["status"] not in ("failed", "canceled"))
        assert row.body["amount_refunded"] == back <= row.body["amount"]
        if row.body["paid"]:
            assert row.body["refunded"] == (back == row.body["amount"])
        assert row.body["disputed"] == bool(disputes[row.id])
        assert all(one.body["amount"] <= row.body["amount"] for one in disputes[row.id])
        assert all(one.body["payment_intent"] == row.body["payment_intent"] for one in refunds[row.id])


@worlds
def test_the_ledger_says_what_charges_and_refunds_brought(world: World) -> None:
    ledger = by_id(world, "balance_transaction")
    for row in ledger.values():
        body = row.body
        assert body["net"] == body["amount"] - body["fee"]
        assert total(body["fee_details"]) == body["fee"]
        assert body["status"] == ("available" if body["available_on"] <= world.now else "pending")
    for kind, sign in (("charge", 1), ("refund", -1)):
        for row in written(world)[kind]:
            if row.body.get("balance_transaction"):
                entry = ledger[row.body["balance_transaction"]]
                units = 1 if row.body["currency"] in _WHOLE else 100
                rate = entry.body["exchange_rate"] or 1
                worth = row.body["amount"] * rate * (100 / units if entry.body["exchange_rate"] else 1)
                assert abs(sign * entry.body["amount"] - worth) <= 0.5
                assert entry.body["source"] == row.id
                assert (entry.body["currency"] == row.body["currency"]) == (entry.body["exchange_rate"] is None)
    for row in written(world)["dispute"]:
        assert len(row.body["balance_transactions"]) == {"won": 2, "lost": 1, "needs_response": 1, "under_review": 1}.get(
            row.body["status"], 0
        )
        assert all(ledger[id_].body["source"] == row.id for id_ in row.body["balance_transactions"])


@worlds
@pytest.mark.parametrize(
    ("kind", "sign"), [("transfer", -1), ("transfer_reversal", 1), ("application_fee", 1), ("fee_refund", -1), ("topup", 1)]
)
def test_the_ledger_says_what_else_moved(world: World, kind: str, sign: int) -> None:
    ledger = by_id(world, "balance_transaction")
    moved = 0
    for row in written(world)[kind]:
        if row.body.get("balance_transaction"):
            entry = ledger[row.body["balance_transaction"]]
            assert entry.body["amount"] == sign * row.body["amount"]
            assert entry.body["source"] == row.id
            moved += 1
    assert moved >= 3


@worlds
def test_payouts_sum_up_their_transactions(world: World) -> None:
    taken = grouped(world, "balance_transaction", "_payout")
    ledger = by_id(world, "balance_transaction")
    weekly = 0
    for row in written(world)["payout"]:
        own = ledger[row.body["balance_transaction"]]
        assert own.body["amount"] == -row.body["amount"]
        if not row.body["automatic"]:
            assert taken[row.id] == []
            continue
        weekly += 1
        parts = taken[row.id]
        assert row.body["amount"] == sum(part.body["net"] for part in parts) > 0
        assert all(part.body["currency"] == row.body["currency"] for part in parts)
        assert all(part.created <= part.body["available_on"] <= row.created for part in parts)
        if row.body.get("failure_balance_transaction"):
            assert ledger[row.body["failure_balance_transaction"]].body["amount"] == row.body["amount"]
    assert weekly > 40


@worlds
def test_the_balance_is_what_payouts_left(world: World) -> None:
    (balance,) = written(world)["balance"]
    sums: dict[tuple[str, str, str], int] = defaultdict(int)
    for row in written(world)["balance_transaction"]:
        sums[row.body["balance_type"], row.body["currency"], row.body["status"]] += row.body["net"]
    for state in ("available", "pending"):
        for part in balance.body[state]:
            assert part["amount"] == sums["payments", part["currency"], state]
            assert part["amount"] == sum(part["source_types"].values())
    issuing = balance.body["issuing"]["available"]
    assert [part["amount"] for part in issuing] == [sums["issuing", "usd", "available"]]
    assert all(part["amount"] > 0 for part in [*balance.body["available"], *issuing])


@worlds
def test_customer_balances_follow_their_transactions(world: World) -> None:
    found = grouped(world, "customer_balance_transaction", "customer")
    invoices = by_id(world, "invoice")
    for row in written(world)["customer"]:
        running = 0
        for entry in found[row.id]:
            before, running = running, running + entry.body["amount"]
            assert entry.body["ending_balance"] == running
            if entry.body["type"] == "applied_to_invoice":
                invoice = invoices[entry.body["invoice"]]
                assert value("invoice", invoice, "starting_balance") == before
                assert invoice.body["ending_balance"] == running
        assert value("customer", row, "balance") == running


@worlds
def test_cash_balances_follow_their_transactions(world: World) -> None:
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
        body = row.body
        taxes = total(value("credit_note", row, "total_taxes") or [])
        assert body["subtotal"] == sum(line.body["amount"] for line in lines[row.id])
        assert taxes == total([tax for line in lines[row.id] for tax in value("credit_note_line_item", line, "taxes")])
        off = body.get("discount_amount", 0)
        assert off == total(body.get("discount_amounts", [])) == total(body.get("pretax_credit_amounts", []))
        assert off == sum(line.body.get("discount_amount", 0) for line in lines[row.id])
        assert body["amount"] == body["total"] == body["subtotal"] - off + taxes
        assert body["total"] == body["pre_payment_amount"] + body["post_payment_amount"]
        assert body["total"] <= invoices[body["invoice"]].body["total"]
        for part in body.get("refunds", ()):
            assert refunds[part["refund"]].body["amount"] == part["amount_refunded"] == body["total"]
        if body["status"] == "issued":
            credited[body["invoice"]][0] += body["pre_payment_amount"]
            credited[body["invoice"]][1] += body["post_payment_amount"]
    for id_, invoice in invoices.items():
        assert value("invoice", invoice, "pre_payment_credit_notes_amount") == credited[id_][0]
        assert value("invoice", invoice, "post_payment_credit_notes_amount") == credited[id_][1]


@worlds
def test_credit_grants_are_not_overdrawn(world: World) -> None:
    moved = grouped(world, "billing.credit_balance_transaction", "credit_grant")
    lines = by_id(world, "line_item")
    for row in written(world)["billing.credit_grant"]:
        left = 0
        for entry in moved[row.id]:
            part = entry.body["credit"] or entry.body["debit"]
            amount = part["amount"]["monetary"]["value"]
            left += amount if entry.body["type"] == "credit" else -amount
            applied = part.get("credits_applied")
            if applied:
                used = lines[applied["invoice_line_item"]].body["pretax_credit_amounts"]
                assert [(one["amount"], one["credit_balance_transaction"]) for one in used] == [(amount, entry.id)]
        assert left >= 0
        assert (left == 0) >= bool(row.body.get("voided_at"))
