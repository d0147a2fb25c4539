"""Credit notes with their lines, and what moved the balances of customers."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.agreed import Buyer, Cohort, Entry, Note
from registry.sandbox.payments.datasets.bills import Bill, balance_of, bills_of, note_lines, note_total
from registry.sandbox.payments.datasets.customers import invoice_prefix
from registry.sandbox.payments.datasets.goods import LEVIES
from registry.sandbox.payments.datasets.parts import PAY, Hash, tax_entry
from registry.sandbox.payments.datasets.paying import payments, refund_id
from registry.sandbox.payments.shapes import ABSENT
from registry.sandbox.world import DAY

_ABOUT_INVOICES = ("applied_to_invoice", "unapplied_from_invoice", "invoice_overpaid", "invoice_too_small")


def write(builder: Builder, cohort: Cohort) -> None:
    """Write what a cohort was credited."""
    bills = bills_of(cohort)
    for number, note in enumerate(cohort.notes):
        _note(builder, cohort, bills[note.bill], note, number + 1)
    for key, entries in cohort.ledgers.items():
        total = 0
        for number, entry in enumerate(entries):
            total += entry.amount
            _entry(builder, bills[entry.bill], cohort.by_key[key], number, entry, total)


def _entry_id(builder: Builder, cohort: Cohort, note: Note) -> str:
    (place,) = (
        f"{key}/{number}"
        for key, entries in cohort.ledgers.items()
        for number, one in enumerate(entries)
        if one.note == note.key
    )
    return builder.id("customer_balance_transaction", place)


def _note(builder: Builder, cohort: Cohort, bill: Bill, note: Note, number: int) -> None:
    created = (bill.finalized or bill.created) + int(note.days * DAY)
    total, parts, to_balance = note_total(bill, note), note_lines(bill, note), balance_of(cohort, note)
    net, less = sum(part.net for part in parts), sum(part.discount for part in parts)
    after = 0 if note.how == "due" else to_balance if note.how == "mixed" else total
    id_, rate = builder.id("credit_note", note.key), builder.id("tax_rate", bill.tax)
    inclusive = bool(bill.tax) and LEVIES[bill.tax].inclusive
    fields = _discounted(builder, bill, less)
    if note.how == "refund":
        payment = payments(cohort)[bill.key]
        back = next(back for back in payment.refunds if back.amount == total)
        fields["refunds"] = [{"amount_refunded": total, "refund": refund_id(builder, payment, back), "type": "refund"}]
    builder.new(
        "credit_note",
        note.key,
        created,
        id=id_,
        **fields,
        amount=total,
        currency=bill.buyer.currency,
        customer=builder.id("customer", bill.buyer.key),
        customer_balance_transaction=_entry_id(builder, cohort, note) if to_balance else ABSENT,
        effective_at=created,
        invoice=builder.id("invoice", bill.key),
        memo=note.memo,
        number=f"{invoice_prefix(builder, bill.buyer.key)}-{bill.number:04d}-CN-{number:02d}",
        out_of_band_amount=total if note.how == "elsewhere" else ABSENT,
        pdf=f"{PAY}/credit-notes/{id_}/pdf",
        post_payment_amount=after,
        pre_payment_amount=total - after,
        reason=note.reason,
        status="void" if note.void else "issued",
        subtotal=net + less,
        subtotal_excluding_tax=net + less,
        total=total,
        total_excluding_tax=net,
        total_taxes=[tax_entry(total - net, net, rate, inclusive=inclusive)] if bill.tax else ABSENT,
        type="pre_payment" if not after else "post_payment" if after == total else "mixed",
        voided_at=created + DAY if note.void else None,
    )
    for place, part in enumerate(parts):
        amount = part.net + part.discount
        whole = note.how != "elsewhere" or bool(part.discount)
        builder.new(
            "credit_note_line_item",
            f"{note.key}/{place}",
            created,
            **_discounted(builder, bill, part.discount),
            amount=amount,
            description=part.line.text,
            invoice_line_item=builder.id("line_item", part.line.key) if whole else ABSENT,
            quantity=1,
            tax_rates=[rate] if bill.tax and not bill.tax.startswith("sales") else ABSENT,
            taxes=[tax_entry(part.tax, part.net, rate, inclusive=inclusive)] if bill.tax else ABSENT,
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


def _entry(builder: Builder, bill: Bill, buyer: Buyer, number: int, entry: Entry, total: int) -> None:
    builder.new(
        "customer_balance_transaction",
        f"{buyer.key}/{number}",
        (bill.finalized or bill.created) + int(entry.days * DAY),
        amount=entry.amount,
        checkout_session=builder.id("checkout.session", entry.session, "cs_test_") if entry.session else ABSENT,
        credit_note=builder.id("credit_note", entry.note) if entry.note else ABSENT,
        currency=buyer.currency,
        customer=builder.id("customer", buyer.key),
        description=entry.description,
        ending_balance=total,
        invoice=builder.id("invoice", entry.bill) if entry.type in _ABOUT_INVOICES else ABSENT,
        metadata={"by": "grace.bell"} if entry.type == "adjustment" else ABSENT,
        type=entry.type,
    )
