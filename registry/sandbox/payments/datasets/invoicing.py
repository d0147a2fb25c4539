"""Invoices, their lines and payments, and the items that lines were made from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets import goods
from registry.sandbox.payments.datasets.agreed import Buyer
from registry.sandbox.payments.datasets.bills import Bill, Line, bills_of, waiting_price
from registry.sandbox.payments.datasets.cohort import Cohort
from registry.sandbox.payments.datasets.customers import invoice_prefix
from registry.sandbox.payments.datasets.goods import LEVIES
from registry.sandbox.payments.datasets.metering import use_id
from registry.sandbox.payments.datasets.parts import AUTOMATIC, PAY, Hash, place, pricing, tax_entry
from registry.sandbox.payments.datasets.paying import Payment, payments
from registry.sandbox.payments.datasets.tables import particular
from registry.sandbox.payments.shapes import ABSENT
from registry.sandbox.world import DAY, HOUR


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write the invoices of a cohort, and the items that wait for one."""
    paid = payments(cohort)
    writer = _Writer(builder)
    for bill in bills_of(cohort).values():
        writer.invoice(bill)
        for number, line in enumerate(bill.lines):
            writer.line(bill, line, number)
        if bill.key in paid:
            writer.payment(bill, paid[bill.key], usual=True)
        if bill.turn == "part":
            writer.payment(bill, paid[f"{bill.key}/part"], usual=False)
    now = builder.world.now
    for one in cohort.waiting:
        buyer = cohort.by_key[one.buyer]
        price, amount = waiting_price(buyer, one.item)
        made, item = now - int(one.days * DAY), one.item
        writer.item(buyer, item.key, price, item.quantity, amount, made, item.description, None)


class _Writer:
    """Writes invoices, remembering what comes up again and again."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._name = builder.id
        self._customers: dict[str, Hash] = {}
        self._rates = {key: self._name("tax_rate", key) for key in LEVIES}

    def _customer(self, buyer: Buyer) -> Hash:
        known = self._customers.get(buyer.key)
        if known is None:
            type_, _, value = buyer.tax_id.partition(":")
            known = self._customers[buyer.key] = {
                "customer": self._name("customer", buyer.key),
                "customer_address": place(buyer.where),
                "customer_email": buyer.email,
                "customer_name": buyer.name,
                "customer_phone": buyer.phone,
                "customer_tax_exempt": buyer.exempt,
                "customer_tax_ids": [{"type": type_, "value": value}] if value else [],
                "test_clock": self._name("test_helpers.test_clock", buyer.clock) if buyer.clock else ABSENT,
            }
        return known

    def _price(self, price: goods.Price) -> tuple[str, str]:
        return self._name("price", price.key), self._name("product", price.product)

    def invoice(self, bill: Bill) -> None:
        """One invoice."""
        builder, buyer = self._builder, bill.buyer
        id_ = self._name("invoice", bill.key)
        included = bill.taxed if bill.tax and LEVIES[bill.tax].inclusive else 0
        net = bill.subtotal - bill.discounted - bill.credited
        fields: dict[str, Any] = dict(self._customer(buyer))
        if bill.discount:
            discount = self._discount(bill)
            fields["discounts"] = [discount]
            fields["total_discount_amounts"] = [{"amount": bill.discounted, "discount": discount}]
        if bill.discount or bill.credited:
            fields["total_pretax_credit_amounts"] = self._pretax(bill, bool(bill.discount), bill.discounted, bill.credited)
        if bill.tax:
            rate, calculated = self._rates[bill.tax], buyer.tax.startswith("sales")
            fields["total_taxes"] = [tax_entry(bill.taxed, net - included, rate, inclusive=bool(included))]
            fields |= {"automatic_tax": AUTOMATIC} if calculated else {"default_tax_rates": [rate]}
        if bill.finalized is not None:
            fields |= {
                "effective_at": bill.finalized,
                "ending_balance": bill.ending,
                "hosted_invoice_url": f"{PAY}/invoices/{id_}",
                "invoice_pdf": f"{PAY}/invoices/{id_}/pdf",
                "number": f"{invoice_prefix(builder, buyer.key)}-{bill.number:04d}",
                "webhooks_delivered_at": bill.created + 2,
            }
        self._times(bill, fields)
        fields |= particular(builder.world, "invoice", bill.key)
        builder.new(
            "invoice",
            bill.key,
            bill.created,
            id=id_,
            **fields,
            amount_due=bill.due,
            amount_paid=bill.paid,
            amount_remaining=bill.due - bill.paid,
            billing_reason=bill.reason,
            collection_method=bill.collect,
            currency=buyer.currency,
            parent=self._parent(bill),
            period_end=bill.period[1],
            period_start=bill.period[0],
            post_payment_credit_notes_amount=bill.post or ABSENT,
            pre_payment_credit_notes_amount=bill.pre or ABSENT,
            starting_balance=bill.starting,
            status=bill.status,
            subtotal=bill.subtotal,
            subtotal_excluding_tax=bill.subtotal - included,
            total=bill.total,
            total_excluding_tax=net - included,
        )

    def _discount(self, bill: Bill) -> str:
        return self._name("discount", bill.deal.key if bill.deal else "")

    def _pretax(self, bill: Bill, reduced: bool, off: int, credit: int) -> list[Hash]:
        """What an amount was less by before tax: the discount of the subscription, what a credit grant paid."""
        less: list[Hash] = [{"amount": off, "discount": self._discount(bill), "type": "discount"}] if reduced else []
        if credit:
            kind = "credit_balance_transaction"
            less.append({"amount": credit, kind: use_id(self._builder, bill.key), "type": kind})
        return less

    def _times(self, bill: Bill, fields: dict[str, Any]) -> None:
        """What depends on how far the invoice has come."""
        since = bill.finalized or 0
        ended = {"finalized_at": bill.finalized}
        match bill.turn:
            case "void":
                ended["voided_at"] = since + (2 * DAY if bill.one_off else 23 * HOUR)
            case "lost":
                ended["marked_uncollectible_at"] = since + 20 * DAY
            case "draft":
                paused = bool(bill.deal and "pause" in bill.deal.more)
                fields |= {"attempt_count": 0, "attempted": False, "auto_advance": bool(bill.deal) and not paused}
                if bill.deal and not paused:
                    fields["automatically_finalizes_at"] = bill.created + HOUR
            case "open" if bill.collect == "charge_automatically":
                fields |= {"attempt_count": 1, "next_payment_attempt": self._builder.world.now + 2 * DAY + 600}
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
        fields["status_transitions"] = ended
        self._particular(bill, fields)

    def _particular(self, bill: Bill, fields: dict[str, Any]) -> None:
        one = bill.one_off
        if bill.buyer.key == "halden":
            template = self._name("invoice_rendering_template", "enterprise")
            fields |= {
                "custom_fields": [{"name": "Purchase order", "value": "4500019873"}],
                "footer": "Zahlbar innerhalb von 30 Tagen.",
                "rendering": {"amount_tax_display": "exclude_tax", "pdf": {}, "template": template, "template_version": 3},
            }
        if bill.reason == "subscription_threshold":
            line = self._name("line_item", bill.lines[0].key)
            fields["threshold_reason"] = {
                "amount_gte": bill.deal.more["threshold"] if bill.deal else None,
                "item_reasons": [{"line_item_ids": [line], "usage_gte": 1_000}],
            }
        if one:
            fields |= {"description": one.description, "metadata": {"made_by": "oskar.berg", "order_id": one.key}}
            if one.revises:
                fields["from_invoice"] = {"action": "revision", "invoice": self._name("invoice", one.revises)}
            if one.status == "draft":
                fields["auto_advance"] = False

    def _parent(self, bill: Bill) -> Hash | None:
        about = None
        if bill.deal:
            about = "subscription", bill.deal.key
        elif bill.one_off and bill.one_off.quote:
            about = "quote", bill.one_off.quote
        return about and {f"{about[0]}_details": {about[0]: self._name(*about)}, "type": f"{about[0]}_details"}

    def line(self, bill: Bill, line: Line, number: int) -> None:
        """One line, and the item that it came from if it came from one."""
        fields: dict[str, Any] = {}
        invoice = self._name("invoice", bill.key)
        if line.discount:
            fields["discount_amounts"] = [{"amount": line.discount, "discount": self._discount(bill)}]
        if line.discount or line.credit:
            fields["pretax_credit_amounts"] = self._pretax(bill, bool(line.discount), line.discount, line.credit)
        inclusive = bool(bill.tax) and LEVIES[bill.tax].inclusive
        included = line.taxed if inclusive else 0
        if bill.tax:
            net = line.amount - line.discount - line.credit - included
            fields["taxes"] = [tax_entry(line.taxed, net, self._rates[bill.tax], inclusive=inclusive)]
        if line.price:
            fields["pricing"] = pricing(*self._price(line.price), _unit_price(line, bill.buyer.currency))
        if bill.deal:
            fields["subscription"] = self._name("subscription", bill.deal.key)
            fields["parent"] = _of_subscription(self._name, bill, line, fields["subscription"])
        else:
            assert line.item is not None
            of = line.item, line.price, line.quantity, line.amount
            item = self.item(bill.buyer, *of, bill.created - 60, line.text, invoice)
            details = {"invoice_item": item, "proration_details": {}}
            fields["parent"] = {"invoice_item_details": details, "type": "invoice_item_details"}
        self._builder.new(
            "line_item",
            line.key,
            bill.created + number,
            id=self._name("line_item", line.key),
            **fields,
            amount=line.amount,
            currency=bill.buyer.currency,
            description=line.text,
            discountable=not line.proration,
            invoice=invoice,
            period={"end": line.end, "start": line.start},
            quantity=line.quantity,
            quantity_decimal=None if line.quantity is None else str(line.quantity),
            subtotal=line.amount - included,
        )

    def item(
        self, buyer: Buyer, key: str, price: goods.Price | None, quantity: int, amount: int, made: int, text: str | None,
        invoice: str | None,
    ) -> str:  # fmt: skip
        """An invoice item; without an invoice it waits for one."""
        fields: dict[str, Any] = {}
        if price:
            fields["pricing"] = pricing(*self._price(price), goods.decimal(goods.unit(price, buyer.currency)))
        return self._builder.new(
            "invoiceitem",
            key,
            made,
            **fields,
            **particular(self._builder.world, "invoiceitem", key),
            amount=amount,
            currency=buyer.currency,
            customer=self._customer(buyer)["customer"],
            date=made,
            description=text or (goods.PRODUCT_NAMES[price.product] if price else text),
            invoice=invoice,
            net_amount=amount,
            period={"end": made, "start": made},
            quantity=quantity,
            quantity_decimal=str(quantity),
            test_clock=self._customer(buyer)["test_clock"],
        )

    def payment(self, bill: Bill, payment: Payment, *, usual: bool) -> None:
        """How an invoice was, or is to be, paid."""
        done = payment.status == "succeeded"
        moment = payment.attempts[-1].created + 2 if done else None
        self._builder.new(
            "invoice_payment",
            payment.key,
            payment.created,
            amount_paid=payment.amount if done else None,
            amount_requested=payment.amount,
            currency=payment.currency,
            invoice=self._name("invoice", bill.key),
            is_default=usual,
            payment={"payment_intent": self._name("payment_intent", payment.key), "type": "payment_intent"},
            status="paid" if done else "canceled" if payment.status == "canceled" else "open",
            status_transitions={"canceled_at": payment.canceled_at, "paid_at": moment},
        )


def _of_subscription(name: Callable[[str, str], str], bill: Bill, line: Line, subscription: str | None) -> Hash:
    credited = None
    if line.proration and line.amount < 0:
        earlier = bill.key.removesuffix("/upgrade")
        credited = {"invoice": name("invoice", earlier), "invoice_line_items": [name("line_item", f"{earlier}/0")]}
    details = {
        "proration": line.proration,
        "proration_details": {"credited_items": credited},
        "subscription": subscription,
        "subscription_item": name("subscription_item", line.item or ""),
    }
    return {"subscription_item_details": details, "type": "subscription_item_details"}


def _unit_price(line: Line, currency: str) -> str:
    if line.price is None:
        return str(line.amount // (line.quantity or 1))
    if line.price.tiers:
        return goods.decimal(line.amount / line.quantity) if line.quantity and line.amount else "0"
    return goods.decimal(goods.unit(line.price, currency))
