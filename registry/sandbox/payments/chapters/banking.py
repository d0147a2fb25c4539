"""Cash balances of customers who pay by bank transfer, and what moved them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.cohort import first
from registry.sandbox.payments.chapters.money import Move, at_once
from registry.sandbox.payments.chapters.parts import Hash
from registry.sandbox.payments.chapters.paying import Payment, payments, refund_id
from registry.sandbox.payments.chapters.people import BY_KEY
from registry.sandbox.world import DAY, HOUR, World

_CUSTOMERS = ("nordhafen", "prairie.wind", "thistle")

_TRANSFERS: dict[str, tuple[str, Hash]] = {
    "eur": ("eu_bank_transfer", {"bic": "TESTDE88XXX", "iban_last4": "3000", "sender_name": "STADTWERKE"}),
    "usd": ("us_bank_transfer", {"network": "ach", "sender_name": "PRAIRIE WIND"}),
    "gbp": ("gb_bank_transfer", {"account_number_last4": "2345", "sender_name": "THISTLE", "sort_code": "108800"}),
}


_OVERDRAFT, _MOVED = 9_900, 2_000


def moves(world: World) -> Iterator[Move]:
    """What cash balances did to the company's own."""
    kind = "customer_cash_balance_transaction"
    for name, type_, amount, age, about, currency in (
        ("cash/overdraft", "adjustment", -_OVERDRAFT, 10 * DAY - 60, "prairie.wind:overdraft", "usd"),
        ("cash/moved", "payment_unreconciled", _MOVED, 20 * HOUR, "nordhafen:moved", "eur"),
    ):
        source = (kind, about, None)
        yield at_once(name, type_, "unreconciled_customer_funds", amount, world.now - age, source, currency=currency)


def write(builder: Builder) -> None:
    """Write the chapter."""
    paid = payments(first(builder.world))
    for key in _CUSTOMERS:
        own = [one for one in paid.values() if one.buyer is BY_KEY[key]]
        mine = [one for one in own if one.type == "customer_balance" and one.status == "succeeded"]
        _History(builder, key).tell(sorted(mine, key=lambda one: one.attempts[-1].created))


class _History:
    """One customer's cash balance, told from the first transfer on."""

    def __init__(self, builder: Builder, key: str) -> None:
        self._builder = builder
        self._key = key
        self._currency = BY_KEY[key].currency
        self._customer = builder.id("customer", key)
        self._events: list[tuple[int, str, str, int, dict[str, Any]]] = []

    def tell(self, paid: list[Payment]) -> None:
        """Everything that was paid, each with the transfer before it, and what was special."""
        for payment in paid:
            moment = payment.attempts[-1].created
            intent = self._builder.id("payment_intent", payment.key)
            self._funded(f"{payment.key}/in", payment.amount, moment - HOUR)
            self._add(f"{payment.key}/out", "applied_to_payment", -payment.amount, moment, payment_intent=intent)
            for back in payment.refunds:
                refund = refund_id(self._builder, payment, back)
                self._add(back.key, "refunded_from_payment", back.amount, back.created, refund=refund)
        self._special()
        self._write()

    def _special(self) -> None:
        builder, now = self._builder, self._builder.world.now
        match self._key:
            case "thistle":
                self._add("return", "return_initiated", -3_000, now - 30 * DAY)
                self._add("return/canceled", "return_canceled", 3_000, now - 29 * DAY)
            case "prairie.wind":
                self._funded("doubtful", _OVERDRAFT, now - 11 * DAY)
                self._add("sent.back", "return_initiated", -_OVERDRAFT, now - 11 * DAY + 8 * HOUR)
                self._add("reversed", "funding_reversed", -_OVERDRAFT, now - 10 * DAY)
                self._add(
                    "overdraft",
                    "adjusted_for_overdraft",
                    _OVERDRAFT,
                    now - 10 * DAY + 60,
                    balance_transaction=builder.id("balance_transaction", "cash/overdraft"),
                    linked_transaction=self._id("reversed"),
                )
            case _:
                intent = builder.id("payment_intent", "new.transfer")
                self._funded("early", 42_000, now - 33 * HOUR)
                self._add("early/out", "applied_to_payment", -17_500, now - 32 * HOUR, payment_intent=intent)
                self._add("early/undone", "unapplied_from_payment", 17_500, now - 31 * HOUR, payment_intent=intent)
                moved = builder.id("balance_transaction", "cash/moved")
                self._add("moved", "transferred_to_balance", -_MOVED, now - 20 * HOUR, balance_transaction=moved)

    def _id(self, name: str) -> str:
        return self._builder.id("customer_cash_balance_transaction", f"{self._key}:{name}")

    def _funded(self, name: str, amount: int, moment: int) -> None:
        type_, details = _TRANSFERS[self._currency]
        transfer = {type_: details, "reference": self._id(name)[-10:].upper(), "type": type_}
        self._add(name, "funded", amount, moment, bank_transfer=transfer)

    def _add(self, name: str, type_: str, amount: int, moment: int, **details: Any) -> None:
        self._events.append((moment, name, type_, amount, {type_: details} if details else {}))

    def _write(self) -> None:
        total = 0
        for moment, name, type_, amount, details in sorted(self._events, key=lambda event: event[0]):
            total += amount
            self._builder.new(
                "customer_cash_balance_transaction",
                f"{self._key}:{name}",
                moment,
                **details,
                currency=self._currency,
                customer=self._customer,
                ending_balance=total,
                net_amount=amount,
                type=type_,
            )
        by_hand = self._key == "thistle"
        self._builder.new(
            "cash_balance",
            self._key,
            self._builder.world.now - 200 * DAY,
            id=self._customer,
            available={self._currency: total},
            customer=self._customer,
            settings={"reconciliation_mode": "manual" if by_hand else "automatic", "using_merchant_default": not by_hand},
        )
