"""Credit notes with their lines, and what moved the balances of customers."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import goodwill
from registry.sandbox.payments.chapters.cohort import Cohort
from registry.sandbox.payments.chapters.customers import invoice_prefix
from registry.sandbox.payments.chapters.levies import LEVIES
from registry.sandbox.payments.chapters.parts import PAY, Hash, tax_entry
from registry.sandbox.payments.chapters.paying import payments, refund_id
from registry.sandbox.payments.chapters.people import Buyer
from registry.sandbox.payments.chapters.story import Bill, balance_of, note_lines, note_total, story
from registry.sandbox.world import DAY


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write what a cohort was credited."""
    bills = story(cohort)
    for number, note in enumerate(cohort.notes):
        _note(builder, cohort, bills[note.bill], note, number + 1)
    for key, entries in cohort.ledgers.items():
        total = 0
        for number, entry in enumerate(entries):
            total += entry.amount
            _entry(builder, bills[entry.bill], cohort.by_key[key], number, entry, total)


def _entry_id(builder: Builder, cohort: Cohort, note: goodwill.Note) -> str | None:
    for key, entries in cohort.ledgers.items():
        for number, entry in enumerate(entries):
            if entry.note == note.key:
                return builder.id("customer_balance_transaction", f"{key}/{number}")
    return None


def _note(builder: Builder, cohort: Cohort, bill: Bill, note: goodwill.Note, number: int) -> None:
    created = (bill.finalized or bill.created) + int(note.days * DAY)
    total = note_total(bill, note)
    parts = note_lines(bill, note)
    net = sum(part.net for part in parts)
    less = sum(part.discount for part in parts)
    gross = net + less
    to_balance = balance_of(cohort, note)
    after = 0 if note.how == "due" else to_balance if note.how == "mixed" else total
    id_ = builder.id("credit_note", note.key)
    fields: dict[str, Any] = {}
    if note.how == "refund":
        payment = payments(cohort)[bill.key]
        back = next(back for back in payment.refunds if back.amount == total)
        fields["refunds"] = [{"amount_refunded": total, "refund": refund_id(builder, payment, back), "type": "refund"}]
    if note.how == "elsewhere":
        fields["out_of_band_amount"] = total
    if to_balance:
        fields["customer_balance_transaction"] = _entry_id(builder, cohort, note)
    if bill.tax:
        rate = builder.id("tax_rate", bill.tax)
        inclusive = LEVIES[bill.tax].inclusive
        fields["total_taxes"] = [tax_entry(total - net, net, rate, inclusive=inclusive)]
    fields |= _discounted(builder, bill, less)
    builder.new(
        "credit_note",
        note.key,
        created,
        id=id_,
        **fields,
        amount=total,
        currency=bill.buyer.currency,
        customer=builder.id("customer", bill.buyer.key),
        effective_at=created,
        invoice=builder.id("invoice", bill.key),
        memo=note.memo,
        number=f"{invoice_prefix(builder, bill.buyer.key)}-{bill.number:04d}-CN-{number:02d}",
        pdf=f"{PAY}/credit-notes/{id_}/pdf",
        post_payment_amount=after,
        pre_payment_amount=total - after,
        reason=note.reason,
        status="void" if note.void else "issued",
        subtotal=gross,
        subtotal_excluding_tax=gross,
        total=total,
        total_excluding_tax=net,
        type="pre_payment" if not after else "post_payment" if after == total else "mixed",
        voided_at=created + DAY if note.void else None,
    )
    for place, part in enumerate(parts):
        line, amount = part.line, part.net + part.discount
        more: dict[str, Any] = _discounted(builder, bill, part.discount)
        if bill.tax:
            rate = builder.id("tax_rate", bill.tax)
            more["taxes"] = [tax_entry(part.tax, part.net, rate, inclusive=LEVIES[bill.tax].inclusive)]
            if not bill.tax.startswith("sales"):
                more["tax_rates"] = [rate]
        whole = note.how != "elsewhere" or bool(part.discount)
        if whole:
            more["invoice_line_item"] = builder.id("line_item", line.key)
        builder.new(
            "credit_note_line_item",
            f"{note.key}/{place}",
            created,
            **more,
            amount=amount,
            description=line.text,
            quantity=1,
            type="invoice_line_item" if whole else "custom_line_item",
            unit_amount=amount,
            unit_amount_decimal=str(amount),
            _credit_note=id_,
        )


def _discounted(builder: Builder, bill: Bill, amount: int) -> Hash:
    """What says that an amount was less by the discount of the invoice's subscription, if it was."""
    if not amount:
        return {}
    off = {"amount": amount, "discount": builder.id("discount", bill.deal.key if bill.deal else "")}
    return {"discount_amount": amount, "discount_amounts": [off], "pretax_credit_amounts": [off | {"type": "discount"}]}


def _entry(builder: Builder, bill: Bill, buyer: Buyer, number: int, entry: goodwill.Entry, total: int) -> None:
    moment = bill.finalized or bill.created
    fields: dict[str, Any] = {}
    if entry.type in ("applied_to_invoice", "unapplied_from_invoice", "invoice_overpaid", "invoice_too_small"):
        fields["invoice"] = builder.id("invoice", entry.bill)
    if entry.note:
        fields["credit_note"] = builder.id("credit_note", entry.note)
    if entry.session:
        fields["checkout_session"] = builder.id("checkout.session", entry.session, "cs_test_")
    if entry.type == "adjustment":
        fields["metadata"] = {"by": "grace.bell"}
    builder.new(
        "customer_balance_transaction",
        f"{buyer.key}/{number}",
        moment + int(entry.days * DAY),
        **fields,
        amount=entry.amount,
        currency=buyer.currency,
        customer=builder.id("customer", buyer.key),
        description=entry.description,
        ending_balance=total,
        type=entry.type,
    )
