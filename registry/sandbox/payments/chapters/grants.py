"""Credit grants as data: who got how much for metered prices, and which invoices used it."""

from __future__ import annotations

from typing import NamedTuple


class Grant(NamedTuple):
    """A credit grant, made so many days ago. `ends` in days from now; `end` is how it ended, if it did."""

    key: str
    buyer: str
    name: str
    category: str
    value: int
    days: float
    ends: float | None = None
    end: str = ""
    prices: tuple[str, ...] = ()
    priority: int = 50
    starts: float = 0


class Use(NamedTuple):
    """What an invoice took from a grant."""

    grant: str
    amount: int


GRANTS: tuple[Grant, ...] = (
    Grant("brightwater.promo", "brightwater", "Relay, first messages free", "promotional", 5_000, 280, -60, "expired"),
    Grant("brightwater.paid", "brightwater", "Relay, prepaid", "paid", 20_000, 190, 175, prices=("relay.calls",), priority=10),
    Grant("harbour.promo", "harbour.finch", "Trial of the relay", "promotional", 1_000, 110, 30, "voided"),
    Grant("halden.next", "halden", "Vault, next year", "paid", 150_000, 6, 371, prices=("vault.storage",), starts=7),
)

USES: dict[str, Use] = {
    "brightwater/5": Use("brightwater.promo", 1_000),
    "brightwater/6": Use("brightwater.promo", 900),
    "brightwater/8": Use("brightwater.paid", 1_100),
    "brightwater/9": Use("brightwater.paid", 1_200),
}
"""By invoice."""

BY_KEY: dict[str, Grant] = {grant.key: grant for grant in GRANTS}
