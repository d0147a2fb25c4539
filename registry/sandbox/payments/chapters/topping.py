"""Top-ups: money that the company put on its balance, for payouts to partners and for its cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.moves import Move, at_once
from registry.sandbox.world import DAY, World


class _Topup(NamedTuple):
    key: str
    amount: int
    days: float
    status: str
    text: str
    balance: str = "payments"


_TOPUPS = (
    _Topup("cards", 500_000, 245, "succeeded", "For the company's cards", "issuing"),
    _Topup("spring", 250_000, 152, "succeeded", "Bonuses for partners"),
    _Topup("pulled", 90_000, 101, "reversed", "Pulled back by the bank"),
    _Topup("empty", 400_000, 27.5, "failed", "Not covered"),
    _Topup("wrong", 1_000_000, 29.3, "canceled", "One nought too many"),
    _Topup("under.way", 120_000, 1.3, "pending", "Next month's advances"),
)


def moves(world: World) -> Iterator[Move]:
    """What they did to the balance."""
    for one in _TOPUPS:
        if one.status not in ("succeeded", "reversed"):
            continue
        made = world.now - int(one.days * DAY)
        source = ("topup", one.key, None)
        yield at_once(
            f"topup/{one.key}", "topup", "topup", one.amount, made, source, text=one.text, balance=one.balance, wait=5
        )
        if one.status == "reversed":
            yield at_once(
                f"topup-reversal/{one.key}",
                "topup_reversal",
                "topup_reversal",
                -one.amount,
                made + 8 * DAY,
                source,
                text=one.text,
            )


def write(builder: Builder) -> None:
    """Write the chapter."""
    for one in _TOPUPS:
        made = builder.world.now - int(one.days * DAY)
        fields: dict[str, Any] = {}
        if one.status in ("succeeded", "reversed"):
            fields["balance_transaction"] = builder.id("balance_transaction", f"topup/{one.key}")
        if one.status == "failed":
            fields |= {"failure_code": "insufficient_funds", "failure_message": "The bank account has too little money."}
        builder.new(
            "topup",
            one.key,
            made,
            **fields,
            amount=one.amount,
            currency="usd",
            description=one.text,
            expected_availability_date=made + 5 * DAY,
            metadata={"approved_by": "oskar.berg"},
            source=builder.id("source", "topup"),
            statement_descriptor="FERNWAY TOPUP",
            status=one.status,
            transfer_group="group_bonuses" if one.key == "spring" else None,
        )
