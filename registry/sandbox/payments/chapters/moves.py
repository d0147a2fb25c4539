"""What moves money on the account's balance: one value for each balance transaction, before payouts are worked out."""

from __future__ import annotations

from typing import NamedTuple

from registry.sandbox.world import DAY


class Move(NamedTuple):
    """A balance transaction. `source` is (kind, key, id prefix or None) of what it is about; `key` is its own."""

    key: str
    type: str
    category: str
    amount: int
    fee: int
    currency: str
    created: int
    available: int
    source: tuple[str, str, str | None] | None
    text: str | None = None
    rate: float | None = None
    balance: str = "payments"

    @property
    def net(self) -> int:
        """What the balance changes by."""
        return self.amount - self.fee


def at_once(
    key: str,
    type_: str,
    category: str,
    amount: int,
    created: int,
    source: tuple[str, str, str | None] | None,
    *,
    currency: str = "usd",
    text: str | None = None,
    balance: str = "payments",
    wait: int = 0,
) -> Move:
    """A move without a fee, available `wait` days later."""
    return Move(key, type_, category, amount, 0, currency, created, created + wait * DAY, source, text, None, balance)
