"""What the company sells: prices, products and coupons, as data that invoices are calculated from."""

from __future__ import annotations

from typing import NamedTuple

from registry.sandbox.payments.chapters.money import local
from registry.sandbox.payments.chapters.told import listed


class Price(NamedTuple):
    """A price; `amount` in US cents, fractions of a cent allowed. Without an interval it is paid once.

    `tiers` are (up to, unit amount in cents, flat amount in cents); an open end is None.
    """

    key: str
    product: str
    amount: float | None
    interval: str | None = None
    days: int = 800
    lookup: str | None = None
    nickname: str | None = None
    meter: str | None = None
    tiers: tuple[tuple[int | None, float, int], ...] = ()
    mode: str | None = None
    active: bool = True
    currencies: tuple[str, ...] = ()
    currency: str = "usd"
    behaviour: str = "exclusive"


_SUBSCRIBED = ("aed", "aud", "brl", "cad", "chf", "clp", "czk", "eur", "gbp", "ils", "inr", "jpy", "krw", "mxn", "nok", "nzd")
_ALSO = ("pln", "sek", "sgd", "thb", "try", "zar")

PRICES: tuple[Price, ...] = (
    Price("board.month", "board", 1_200, "month", 880, "board_month", "Board, monthly", currencies=_SUBSCRIBED + _ALSO),
    Price("board.year", "board", 12_000, "year", 880, "board_year", "Board, yearly", currencies=_SUBSCRIBED + _ALSO),
    Price("desk.month", "desk", 4_900, "month", 880, "desk_month", "Desk, monthly", currencies=_SUBSCRIBED + _ALSO),
    Price("desk.year", "desk", 49_000, "year", 880, "desk_year", "Desk, yearly", currencies=_SUBSCRIBED + _ALSO),
    Price("desk.month.2023", "desk", 3_900, "month", 900, None, "Desk, monthly (until 2023)", active=False),
    Price("fleet.month", "fleet", 19_900, "month", 690, "fleet_month", "Fleet, monthly", currencies=_SUBSCRIBED + _ALSO),
    Price("fleet.year", "fleet", 199_000, "year", 690, "fleet_year", "Fleet, yearly", currencies=_SUBSCRIBED + _ALSO),
    Price(
        "relay.calls", "relay", 0.4, "month", 640, "relay_messages", "Relay, per message", "relay", currencies=("eur", "gbp"),
    ),
    Price(
        "vault.storage", "vault", None, "month", 490, "vault_gb", "Vault, by the gigabyte", "vault", ((100, 0, 0),
        (1_000, 9, 0), (None, 6, 0)), "graduated", currencies=("cad", "eur"),
    ),
    Price("vault.week", "vault", 500, "week", 480, None, "Vault, weekly pass"),
    Price("vault.day", "vault", 100, "day", 480, None, "Vault, day pass"),
    Price("setup", "setup", 45_000, None, 880, "setup_fee", "Set-up fee", currencies=_SUBSCRIBED + _ALSO),
    Price("hub", "hub", 19_900, None, 600, "hub_h2", "Hub H2", currencies=_SUBSCRIBED + _ALSO, behaviour="inclusive"),
    Price("stand", "stand", 3_900, None, 420, "stand", None, currencies=_SUBSCRIBED + _ALSO, behaviour="inclusive"),
    Price("kin", "kin", None, None, 300, "support_us", None, behaviour="unspecified"),
    Price("classic.month", "classic", 900, "month", 2_400, None, "Classic, monthly", active=False, behaviour="unspecified"),
    Price(
        "crew.year", "crew", None, "year", 200, "crew_year", "Crew, by volume", None, ((50, 6_000, 0), (500, 4_500, 0),
        (None, 3_000, 10_000)), "volume",
    ),
    Price("board.month.eur", "board", 1_150, "month", 520, "board_month_eur", "Board, monthly, euro list", currency="eur"),
    Price("fleet.month.jpy", "fleet", 29_000, "month", 310, "fleet_month_jpy", "Fleet, monthly, yen list", currency="jpy"),
)  # fmt: skip

BY_KEY: dict[str, Price] = {price.key: price for price in PRICES}
PRODUCT_NAMES: dict[str, str] = {key: product["name"] for key, product in listed("catalogue", "product").items()}
COUPONS = listed("catalogue", "coupon")


def decimal(value: float) -> str:
    """An amount with fractions as the API writes it: no exponent, no trailing zeros."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def unit(price: Price, currency: str) -> float:
    """What one unit costs in a currency, in that currency's smallest unit."""
    if price.amount is None:
        return 0
    if price.currency == currency:
        return price.amount
    return float(local(int(price.amount), currency)) if price.amount >= 1 else price.amount


def tiered(price: Price, quantity: int) -> int:
    """What a quantity costs by a tiered price, in cents."""
    total, passed = 0.0, 0
    for up_to, amount, flat in price.tiers:
        if price.mode == "volume":
            if up_to is None or quantity <= up_to:
                return int(quantity * amount + flat)
            continue
        here = (quantity if up_to is None else min(quantity, up_to)) - passed
        total += here * amount + (flat if here else 0)
        passed += here
        if passed >= quantity:
            break
    return int(total)
