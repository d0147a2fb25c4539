"""What customers were credited: credit notes, balances, credit grants for metered prices with the usage, and cash."""

from collections.abc import Iterator
from typing import Any

from registry.sandbox.payments.datasets.agreed import BY_KEY, GRANTS, USES, Cohort, Grant, Note, first
from registry.sandbox.payments.datasets.bills import Bill, balance_of, bills_of, note_lines, note_total
from registry.sandbox.payments.datasets.goods import LEVIES
from registry.sandbox.payments.datasets.parts import PAY, Hash, midnight, tax_entry
from registry.sandbox.payments.datasets.paying import Payment, payments, refund_id
from registry.sandbox.payments.datasets.subscribing import invoice_prefix
from registry.sandbox.payments.datasets.tables import objects
from registry.sandbox.payments.shapes import ABSENT, Builder
from registry.sandbox.world import DAY, HOUR

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
            bill = bills[entry.bill]
            builder.new(
                "customer_balance_transaction",
                f"{key}/{number}",
                (bill.finalized or bill.created) + int(entry.days * DAY),
                amount=entry.amount,
                checkout_session=builder.link("checkout.session", entry.session, "cs_test_"),
                credit_note=builder.link("credit_note", entry.note),
                currency=cohort.by_key[key].currency,
                customer=builder.id("customer", key),
                description=entry.description,
                ending_balance=total,
                invoice=builder.link("invoice", entry.bill if entry.type in _ABOUT_INVOICES else None),
                metadata={"by": "grace.bell"} if entry.type == "adjustment" else ABSENT,
                type=entry.type,
            )


def _note(builder: Builder, cohort: Cohort, bill: Bill, note: Note, number: int) -> None:
    created = (bill.finalized or bill.created) + int(note.days * DAY)
    total, parts, to_balance = note_total(bill, note), list(note_lines(bill, note)), balance_of(cohort, note)
    net, less = sum(part[1] for part in parts), sum(part[2] for part in parts)
    after = 0 if note.how == "due" else to_balance if note.how == "mixed" else total
    levy = bill.buyer.tax
    id_, rate = builder.id("credit_note", note.key), builder.id("tax_rate", levy)

    def taxes(tax: int, taxable: int) -> Any:
        return [tax_entry(tax, taxable, rate, inclusive=LEVIES[levy].inclusive)] if levy else ABSENT

    # By which of the customer's entries it went to the balance.
    entries = ((key, number, one) for key, entries in cohort.ledgers.items() for number, one in enumerate(entries))
    entry = next((f"{key}/{number}" for key, number, one in entries if one.note == note.key), None)
    fields = _discounted(builder, bill, less)
    if note.how == "refund":
        payment = payments(cohort)[bill.key]
        back = next(back for back in payment.refunds if back.amount == total)
        fields["refunds"] = [{"amount_refunded": total, "refund": refund_id(builder, payment, back), "type": "refund"}]
    builder.new(
        "credit_note",
        note.key,
        created,
        **fields,
        amount=total,
        currency=bill.buyer.currency,
        customer=builder.id("customer", bill.buyer.key),
        customer_balance_transaction=builder.link("customer_balance_transaction", entry),
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
        total_taxes=taxes(total - net, net),
        type="pre_payment" if not after else "post_payment" if after == total else "mixed",
        voided_at=created + DAY if note.void else None,
    )
    for place, (line, left, off, tax) in enumerate(parts):
        amount, whole = left + off, note.how != "elsewhere" or bool(off)
        builder.new(
            "credit_note_line_item",
            f"{note.key}/{place}",
            created,
            **_discounted(builder, bill, off),
            amount=amount,
            description=line.text,
            invoice_line_item=builder.link("line_item", line.key if whole else None),
            quantity=1,
            tax_rates=[rate] if levy and not levy.startswith("sales") else ABSENT,
            taxes=taxes(tax, left),
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


def grants(builder: Builder) -> None:
    """Write credit grants and their transactions."""
    now, bills = builder.world.now, bills_of(first(builder.world))
    for grant in GRANTS.values():
        made, left = now - int(grant.days * DAY), grant.value
        starts = made + int(grant.starts * DAY)
        ends = None if grant.ends is None else now + int(grant.ends * DAY)
        voided = now - 40 * DAY if grant.end == "voided" else None
        prices = [{"id": builder.id("price", key)} for key in grant.prices]
        builder.new(
            "billing.credit_grant",
            grant.key,
            made,
            amount=_money(grant, left),
            applicability_config={"scope": {"prices": prices} if prices else {"price_type": "metered"}},
            category=grant.category,
            customer=builder.id("customer", grant.buyer),
            effective_at=starts,
            expires_at=ends,
            metadata={"approved_by": "oskar.berg"},
            name=grant.name,
            priority=grant.priority,
            updated=voided or made,
            voided_at=voided,
        )
        _moved(builder, grant, "granted", made, starts, credit={"amount": _money(grant, left), "type": "credits_granted"})
        for key, (_, used) in ((key, use) for key, use in USES.items() if use[0] == grant.key):
            line, moment = next(line for line in bills[key].lines if line.credit), bills[key].finalized or 0
            applied = {"invoice": builder.id("invoice", key), "invoice_line_item": builder.id("line_item", line.key)}
            _moved(
                builder,
                grant,
                key,
                moment,
                moment,
                debit={"amount": _money(grant, used), "credits_applied": applied, "type": "credits_applied"},
            )
            left -= used
        if grant.end:
            ended = voided or ends or now
            _moved(
                builder,
                grant,
                grant.end,
                ended,
                ended,
                debit={"amount": _money(grant, left), "credits_applied": None, "type": f"credits_{grant.end}"},
            )


def _money(grant: Grant, value: int) -> Hash:
    return {"monetary": {"currency": BY_KEY[grant.buyer].currency, "value": value}, "type": "monetary"}


def _moved(builder: Builder, grant: Grant, name: str, created: int, effective: int, **moved: Hash) -> None:
    fields: Hash = {"credit": None, "debit": None, **moved, "effective_at": effective, "type": next(iter(moved))}
    fields["credit_grant"] = builder.id("billing.credit_grant", grant.key)
    builder.new("billing.credit_balance_transaction", f"{grant.key}/{name}", created, **fields)


_EVENTS = (
    ("relay", "brightwater", 3, 40),
    ("relay", "harbour.finch", 2, 25),
    ("vault", "halden", 1, 900),
    ("vault", "northpine", 1, 250),
)
"""Whose usage there is, by meter: how often a day, and how much at most."""


def usage(builder: Builder) -> None:
    """Events of the last four weeks, at a few times of every day."""
    today, dice = midnight(builder.world.now), builder.world.dice("meter events")
    for meter, buyer, times, most in _EVENTS:
        body = {"meter": builder.id("billing.meter", meter), "customer": builder.id("customer", buyer)}
        for day in range(1, 29):
            for number in range(times):
                moment = today - day * DAY + (8 + 4 * number) * HOUR + dice.randrange(HOUR)
                value = {"value": dice.randint(1, most)}
                builder.note("_usage", f"{meter}/{buyer}/{day}/{number}", moment, body | value)


_KIND = "customer_cash_balance_transaction"

_TRANSFERS: dict[str, tuple[str, Hash]] = {
    "nordhafen": ("eu_bank_transfer", {"bic": "TESTDE88XXX", "iban_last4": "3000", "sender_name": "STADTWERKE"}),
    "prairie.wind": ("us_bank_transfer", {"network": "ach", "sender_name": "PRAIRIE WIND"}),
    "thistle": ("gb_bank_transfer", {"account_number_last4": "2345", "sender_name": "THISTLE", "sort_code": "108800"}),
}

_Event = tuple[int, str, Hash]
"""Its time, its name, and its fields."""


def cash(builder: Builder) -> None:
    """Write the cash balances of those who pay by bank transfer, and what moved them from the first transfer on."""
    found = list(objects(builder.world, "banking", _KIND))
    paid = payments(first(builder.world)).values()
    for customer in _TRANSFERS:
        own = [one for one in paid if one.buyer is BY_KEY[customer]]
        own = [one for one in own if (one.type, one.status) == ("customer_balance", "succeeded")]
        own.sort(key=lambda one: one.attempts[-1].created)
        events = [event for payment in own for event in _of(builder, payment)]
        events += [(made, key.partition(":")[2], fields) for key, made, fields in found if key.startswith(f"{customer}:")]
        currency, id_, total = BY_KEY[customer].currency, builder.id("customer", customer), 0
        bank, sender = _TRANSFERS[customer]
        for moment, name, fields in sorted(events, key=lambda event: event[0]):
            total += fields["net_amount"]
            about = f"{customer}:{name}"
            if fields["type"] == "funded":
                reference = builder.id(_KIND, about)[-10:].upper()
                fields["funded"] = {"bank_transfer": {bank: sender, "reference": reference, "type": bank}}
            builder.new(_KIND, about, moment, **fields, currency=currency, customer=id_, ending_balance=total)
        by_hand, made = customer == "thistle", builder.world.now - 200 * DAY
        settings = {"reconciliation_mode": "manual" if by_hand else "automatic", "using_merchant_default": not by_hand}
        builder.new("cash_balance", customer, made, id=id_, available={currency: total}, customer=id_, settings=settings)


def _of(builder: Builder, payment: Payment) -> Iterator[_Event]:
    """The transfer before a payment, the payment, and what of it came back."""
    moment, intent = payment.attempts[-1].created, builder.id("payment_intent", payment.key)
    yield moment - HOUR, f"{payment.key}/in", {"type": "funded", "net_amount": payment.amount}
    out = {"type": "applied_to_payment", "applied_to_payment": {"payment_intent": intent}}
    yield moment, f"{payment.key}/out", out | {"net_amount": -payment.amount}
    for back in payment.refunds:
        refund = {"type": "refunded_from_payment", "refunded_from_payment": {"refund": refund_id(builder, payment, back)}}
        yield back.created, back.key, refund | {"net_amount": back.amount}
