"""What the chapters that are data do to the balance: orders, top-ups, money for connected accounts, and the company's cards."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from registry.sandbox.payments.chapters.money import Move, at_once
from registry.sandbox.payments.chapters.told import One, objects
from registry.sandbox.world import DAY, World

_LOOKED_AT = (
    "amount", "amount_total", "balance_transaction", "balance_transactions", "cancellation_reason", "description",
    "metric_tons", "source_transaction", "status",
)  # fmt: skip


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
    """Transfers and fees wait as long as the payments that they come from; what is taken back does not."""
    for one in _objects(world, "marketplace", "transfer"):
        wait, text = 2 if one.fields.get("source_transaction") else 0, one.fields.get("description")
        source = ("transfer", one.key, None)
        name = f"transfer/{one.key}"
        yield at_once(name, "transfer", "transfer", -one.fields["amount"], one.made, source, text=text, wait=wait)
    for one in _objects(world, "marketplace", "application_fee"):
        source, name = ("application_fee", one.key, None), f"fee/{one.key}"
        yield at_once(name, "application_fee", "platform_earning", one.fields["amount"], one.made, source, wait=2)
    for one in _objects(world, "marketplace", "transfer_reversal"):
        source, name = ("transfer_reversal", one.key, None), f"reversal/{one.key}"
        yield at_once(name, "transfer_refund", "transfer_reversal", one.fields["amount"], one.made, source)
    for one in _objects(world, "marketplace", "fee_refund"):
        source, name = ("fee_refund", one.key, None), f"fee-refund/{one.key}"
        type_ = "application_fee_refund"
        yield at_once(name, type_, "platform_earning_refund", -one.fields["amount"], one.made, source)


def _cards(world: World) -> Iterator[Move]:
    """What cards that are funded from the balance did to it: money is held, let go again, and taken."""
    taken = {one.key: one.made for one in _objects(world, "issuing", "issuing.transaction")}
    for one in _objects(world, "issuing", "issuing.authorization"):
        moved, amount = len(one.fields.get("balance_transactions") or ()), one.fields["amount"]
        hold = ("issuing.authorization", one.key, None)
        if moved:
            yield _of_cards(f"hold/{one.key}", "issuing_authorization_hold", -amount, one.made, hold)
        if moved > 1:
            released = taken.get(one.key, one.made + 5 * DAY)
            yield _of_cards(f"release/{one.key}", "issuing_authorization_release", amount, released, hold)
    for one in _objects(world, "issuing", "issuing.transaction"):
        if one.fields.get("balance_transaction"):
            source = ("issuing.transaction", one.key, None)
            yield _of_cards(f"issuing/{one.key}", "issuing_transaction", one.fields["amount"], one.made, source)
    for one in _objects(world, "issuing", "issuing.dispute"):
        if one.fields.get("balance_transactions"):
            source, back = ("issuing.dispute", one.key, None), one.made + 7 * DAY
            yield _of_cards(f"issuing-dispute/{one.key}", "issuing_dispute", one.fields["amount"], back, source)


def _of_cards(key: str, type_: str, amount: int, created: int, source: tuple[str, str, str | None]) -> Move:
    return at_once(key, type_, type_, amount, created, source, balance="issuing")


def _objects(world: World, name: str, kind: str) -> Iterator[One]:
    return objects(world, name, kind, _LOOKED_AT)
