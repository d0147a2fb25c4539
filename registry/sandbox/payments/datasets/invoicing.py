"""Invoices, their lines and payments, and the items that lines were made from."""

from registry.sandbox.payments.datasets import goods
from registry.sandbox.payments.datasets.agreed import USES, Buyer, Cohort
from registry.sandbox.payments.datasets.bills import Bill, Line, bills_of, waiting_price
from registry.sandbox.payments.datasets.parts import AUTOMATIC, PAY, Hash, place, tax_entry
from registry.sandbox.payments.datasets.paying import Payment, payments
from registry.sandbox.payments.datasets.subscribing import invoice_prefix
from registry.sandbox.payments.datasets.tables import particular
from registry.sandbox.payments.shapes import ABSENT, Builder
from registry.sandbox.world import DAY, HOUR


def write(builder: Builder, cohort: Cohort) -> None:
    """Write the invoices of a cohort, and the items that wait for one."""
    paid = payments(cohort)
    customers = {buyer.key: _customer(builder, buyer) for buyer in cohort.buyers}
    for bill in bills_of(cohort).values():
        _invoice(builder, bill, customers[bill.buyer.key])
        for number, line in enumerate(bill.lines):
            _line(builder, bill, line, number)
        if bill.key in paid:
            _payment(builder, bill, paid[bill.key], usual=True)
        if bill.turn == "part":
            _payment(builder, bill, paid[f"{bill.key}/part"], usual=False)
    for one in cohort.waiting:
        buyer, item = cohort.by_key[one.buyer], one.item
        made = builder.world.now - int(one.days * DAY)
        _item(builder, buyer, item.key, *waiting_price(buyer, item), item.quantity, made, item.description, None)


def _customer(builder: Builder, buyer: Buyer) -> Hash:
    type_, _, value = buyer.tax_id.partition(":")
    return {
        "customer": builder.id("customer", buyer.key),
        "customer_address": place(buyer.where),
        "customer_email": buyer.email,
        "customer_name": buyer.name,
        "customer_phone": buyer.phone,
        "customer_tax_exempt": buyer.exempt,
        "customer_tax_ids": [{"type": type_, "value": value}] if value else [],
        "test_clock": builder.link("test_helpers.test_clock", buyer.clock),
    }


def _invoice(builder: Builder, bill: Bill, customer: Hash) -> None:
    id_, included = builder.id("invoice", bill.key), bill.taxed if bill.included else 0
    discounted, credited = sum(line.discount for line in bill.lines), sum(line.credit for line in bill.lines)
    subtotal = bill.net + discounted + credited
    discounts = [_discount(builder, bill)] if bill.discount else []
    pretax = _pretax(builder, bill, bool(bill.discount), discounted, credited)
    one, about = bill.one_off, Hash(parent=None) | particular(builder.world, "invoices of", bill.buyer.key)
    if bill.deal:
        subscription = builder.id("subscription", bill.deal.key)
        about["parent"] = {"subscription_details": {"subscription": subscription}, "type": "subscription_details"}
        if bill.reason == "subscription_threshold":
            used = {"line_item_ids": [builder.id("line_item", bill.lines[0].key)], "usage_gte": 1_000}
            about["threshold_reason"] = {"amount_gte": bill.deal.more["threshold"], "item_reasons": [used]}
    if one:
        revised = builder.link("invoice", one.revises)
        about |= {
            "description": one.description,
            "from_invoice": {"action": "revision", "invoice": revised} if one.revises else ABSENT,
            "metadata": {"made_by": "oskar.berg", "order_id": one.key},
        }
        if one.quote:
            about["parent"] = {"quote_details": {"quote": builder.id("quote", one.quote)}, "type": "quote_details"}
    fields = {
        **customer,
        **_timed(builder, bill),
        **about,
        "amount_due": bill.due,
        "amount_paid": bill.paid,
        "amount_remaining": bill.due - bill.paid,
        "billing_reason": bill.reason,
        "collection_method": bill.collect,
        "currency": bill.buyer.currency,
        "discounts": discounts or ABSENT,
        "period_start": bill.period[0],
        "period_end": bill.period[1],
        "post_payment_credit_notes_amount": bill.post or ABSENT,
        "pre_payment_credit_notes_amount": bill.pre or ABSENT,
        "starting_balance": bill.starting,
        "status": bill.status,
        "subtotal": subtotal,
        "subtotal_excluding_tax": subtotal - included,
        "total": bill.total,
        "total_discount_amounts": [{"amount": discounted, "discount": one} for one in discounts] or ABSENT,
        "total_excluding_tax": bill.net - included,
        "total_pretax_credit_amounts": pretax or ABSENT,
    }
    if bill.buyer.tax:
        rate, calculated = builder.id("tax_rate", bill.buyer.tax), bill.buyer.tax.startswith("sales")
        fields["total_taxes"] = [tax_entry(bill.taxed, bill.net - included, rate, inclusive=bool(included))]
        fields |= {"automatic_tax": AUTOMATIC} if calculated else {"default_tax_rates": [rate]}
    if bill.finalized is not None:
        fields |= {
            "effective_at": bill.finalized,
            "ending_balance": bill.ending,
            "hosted_invoice_url": f"{PAY}/invoices/{id_}",
            "invoice_pdf": f"{PAY}/invoices/{id_}/pdf",
            "number": f"{invoice_prefix(builder, bill.buyer.key)}-{bill.number:04d}",
            "webhooks_delivered_at": bill.created + 2,
        }
    builder.new("invoice", bill.key, bill.created, **fields | particular(builder.world, "invoice", bill.key))


def _discount(builder: Builder, bill: Bill) -> str:
    return builder.id("discount", bill.deal.key if bill.deal else "")


def _pretax(builder: Builder, bill: Bill, reduced: bool, off: int, credit: int) -> list[Hash]:
    """What an amount was less by before tax: the discount of the subscription, what a credit grant paid."""
    less: list[Hash] = [{"amount": off, "discount": _discount(builder, bill), "type": "discount"}] if reduced else []
    if not credit:
        return less
    kind = "credit_balance_transaction"
    moved = builder.id(f"billing.{kind}", f"{USES[bill.key][0]}/{bill.key}")
    return [*less, {"amount": credit, kind: moved, "type": kind}]


def _timed(builder: Builder, bill: Bill) -> Hash:
    fields: Hash = {}
    since, ended = bill.finalized or 0, {"finalized_at": bill.finalized}
    match bill.turn:
        case "void":
            ended["voided_at"] = since + (2 * DAY if bill.one_off else 23 * HOUR)
        case "lost":
            ended["marked_uncollectible_at"] = since + 20 * DAY
        case "draft":
            # It would be open by now, had nobody stopped it.
            advances = bill.deal is not None and "pause" not in bill.deal.more and bill.created + HOUR > builder.world.now
            fields = {"attempt_count": 0, "attempted": False, "auto_advance": advances}
            fields |= {"automatically_finalizes_at": bill.created + HOUR} if advances else {}
        case "open" if bill.collect == "charge_automatically":
            fields = {"attempt_count": 1, "next_payment_attempt": builder.world.now + 2 * DAY + 600}
        case "retry":
            fields["attempt_count"] = 2
    if bill.status == "paid":
        ended["paid_at"] = bill.paid_at
        fields |= {} if bill.paid else {"attempt_count": 0}
    if bill.collect == "send_invoice" and since:
        days = int(bill.deal.more.get("days", 14)) if bill.deal else 30
        fields |= {"due_date": since + days * DAY, "attempt_count": 0, "attempted": False}
        if bill.status == "open":
            fields["payment_settings"] = {"payment_method_types": ["customer_balance", "sepa_debit", "card"]}
    return fields | {"status_transitions": ended}


def _line(builder: Builder, bill: Bill, line: Line, number: int) -> None:
    invoice, included = builder.id("invoice", bill.key), line.taxed if bill.included else 0
    fields: Hash = {
        "amount": line.amount,
        "currency": bill.buyer.currency,
        "description": line.text,
        "discount_amounts": [{"amount": line.discount, "discount": _discount(builder, bill)}] if line.discount else ABSENT,
        "discountable": not line.proration,
        "invoice": invoice,
        "period": {"end": line.end, "start": line.start},
        "pretax_credit_amounts": _pretax(builder, bill, bool(line.discount), line.discount, line.credit) or ABSENT,
        "quantity": line.quantity,
        "quantity_decimal": str(line.quantity),
        "subtotal": line.amount - included,
    }
    if bill.buyer.tax:
        rate = builder.id("tax_rate", bill.buyer.tax)
        fields["taxes"] = [tax_entry(line.taxed, line.net - included, rate, inclusive=bill.included)]
    if line.price:
        each = line.amount / (line.quantity or 1) if line.price.tiers else line.price.unit(bill.buyer.currency)
        fields["pricing"] = _pricing(builder, line.price, each)
    if bill.deal:
        subscription, credited = builder.id("subscription", bill.deal.key), None
        if line.proration and line.amount < 0:
            earlier = bill.key.removesuffix("/upgrade")
            lines = [builder.id("line_item", f"{earlier}/0")]
            credited = {"invoice": builder.id("invoice", earlier), "invoice_line_items": lines}
        about = {
            "proration": line.proration,
            "proration_details": {"credited_items": credited},
            "subscription": subscription,
            "subscription_item": builder.id("subscription_item", line.item),
        }
        parent = {"subscription_item_details": about, "type": "subscription_item_details"}
        fields |= {"subscription": subscription, "parent": parent}
    else:
        of = line.item, line.price, line.amount, line.quantity
        item = _item(builder, bill.buyer, *of, bill.created - 60, line.text, invoice)
        details = {"invoice_item": item, "proration_details": {}}
        fields["parent"] = {"invoice_item_details": details, "type": "invoice_item_details"}
    builder.new("line_item", line.key, bill.created + number, **fields)


def _pricing(builder: Builder, price: goods.Price, each: float) -> Hash:
    """What an invoice line or item was priced by, with the amount of one."""
    details = {"price": builder.id("price", price.key), "product": builder.id("product", price.product)}
    return {"price_details": details, "type": "price_details", "unit_amount_decimal": goods.decimal(each) or "0"}


def _item(
    builder: Builder, buyer: Buyer, key: str, price: goods.Price | None, amount: int, quantity: int, made: int,
    text: str | None, invoice: str | None,
) -> str:  # fmt: skip
    """An invoice item; without an invoice it waits for one."""
    return builder.new(
        "invoiceitem",
        key,
        made,
        **particular(builder.world, "invoiceitem", key),
        amount=amount,
        currency=buyer.currency,
        customer=builder.id("customer", buyer.key),
        date=made,
        description=text or (goods.PRODUCT_NAMES[price.product] if price else text),
        invoice=invoice,
        net_amount=amount,
        period={"end": made, "start": made},
        pricing=_pricing(builder, price, price.unit(buyer.currency)) if price else ABSENT,
        quantity=quantity,
        quantity_decimal=str(quantity),
        test_clock=builder.link("test_helpers.test_clock", buyer.clock),
    )


def _payment(builder: Builder, bill: Bill, payment: Payment, *, usual: bool) -> None:
    done = payment.status == "succeeded"
    moment = payment.attempts[-1].created + 2 if done else None
    builder.new(
        "invoice_payment",
        payment.key,
        payment.created,
        amount_paid=payment.amount if done else None,
        amount_requested=payment.amount,
        currency=payment.currency,
        invoice=builder.id("invoice", bill.key),
        is_default=usual,
        payment={"payment_intent": builder.id("payment_intent", payment.key), "type": "payment_intent"},
        status="paid" if done else "canceled" if payment.status == "canceled" else "open",
        status_transitions={"canceled_at": payment.canceled_at, "paid_at": moment},
    )
