"""What the datasets that are data do to the balance: orders, top-ups, money for connected accounts, and the company's cards."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from registry.sandbox.payments.datasets.money import Move, at_once
from registry.sandbox.payments.datasets.tables import One, objects
from registry.sandbox.world import DAY, World

_LOOKED_AT = (
    "amount", "amount_total", "balance_transaction", "balance_transactions", "cancellation_reason", "description",
    "metric_tons", "source_transaction", "status",
)  # fmt: skip

_MARKETPLACE = {
    "transfer": ("transfer", "transfer", "transfer", -1),
    "application_fee": ("fee", "application_fee", "platform_earning", 1),
    "transfer_reversal": ("reversal", "transfer_refund", "transfer_reversal", 1),
    "fee_refund": ("fee-refund", "application_fee_refund", "platform_earning_refund", -1),
}
"""By kind: what a move's key begins with, its type, its category, and which way the amount goes."""


@lru_cache(maxsize=2)
def moves(world: World) -> tuple[Move, ...]:
    """One for each time that money came or went."""
    return (*_climate(world), *_topups(world), *_marketplace(world), *_cards(world))


def _climate(world: World) -> Iterator[Move]:
    """Orders that were paid, and those that were paid back."""
    for order in _objects(world, "climate", "climate.order"):
        reason = order.fields.get("cancellation_reason")
        if order.fields["status"] == "awaiting_funds" or reason == "expired":
            continue
        total, text = order.fields["amount_total"], f"Climate order, {order.fields['metric_tons']} t"
        type_ = "climate_order_purchase"
        yield at_once(f"climate/{order.key}", type_, type_, -total, order.made, None, text=text)
        if reason:
            back, type_ = f"climate-refund/{order.key}", "climate_order_refund"
            yield at_once(back, type_, type_, total, order.made + DAY, None, text=text)


def _topups(world: World) -> Iterator[Move]:
    for one in _objects(world, "topping", "topup"):
        status, amount, text = (one.fields[name] for name in ("status", "amount", "description"))
        if status not in ("succeeded", "reversed"):
            continue
        source, balance = ("topup", one.key, None), "issuing" if one.key == "cards" else "payments"
        yield at_once(f"topup/{one.key}", "topup", "topup", amount, one.made, source, text=text, balance=balance, wait=5)
        if status == "reversed":
            name, type_ = f"topup-reversal/{one.key}", "topup_reversal"
            yield at_once(name, type_, type_, -amount, one.made + 8 * DAY, source, text=text)


def _marketplace(world: World) -> Iterator[Move]:
    """Transfers and fees become available with their payments; reversals do so at once."""
    for kind, (name, type_, category, sign) in _MARKETPLACE.items():
        for one in _objects(world, "marketplace", kind):
            amount, source = sign * one.fields["amount"], (kind, one.key, None)
            wait = 2 if kind == "application_fee" or (kind == "transfer" and one.fields.get("source_transaction")) else 0
            text = one.fields.get("description") if kind == "transfer" else None
            yield at_once(f"{name}/{one.key}", type_, category, amount, one.made, source, text=text, wait=wait)


def _cards(world: World) -> Iterator[Move]:
    """The balance moves of cards that are funded from it: money is held, released, and taken."""
    taken = {one.key: one.made for one in _objects(world, "issuing", "issuing.transaction")}
    for one in _objects(world, "issuing", "issuing.authorization"):
        moved, amount = len(one.fields.get("balance_transactions") or ()), one.fields["amount"]
        hold = ("issuing.authorization", one.key, None)
        if moved:
            yield _of_cards(f"hold/{one.key}", "issuing_authorization_hold", -amount, one.made, hold)
        if moved > 1:
            released = taken.get(one.key, one.made + 5 * DAY)
            yield _of_cards(f"release/{one.key}", "issuing_authorization_release", amount, released, hold)
    for kind, key, said, wait in (
        ("issuing.transaction", "issuing", "balance_transaction", 0),
        ("issuing.dispute", "issuing-dispute", "balance_transactions", 7),
    ):
        for one in _objects(world, "issuing", kind):
            if one.fields.get(said):
                type_, made = kind.replace(".", "_"), one.made + wait * DAY
                yield _of_cards(f"{key}/{one.key}", type_, one.fields["amount"], made, (kind, one.key, None))


def _of_cards(key: str, type_: str, amount: int, created: int, source: tuple[str, str, str | None]) -> Move:
    return at_once(key, type_, type_, amount, created, source, balance="issuing")


def _objects(world: World, name: str, kind: str) -> Iterator[One]:
    return objects(world, name, kind, _LOOKED_AT)
