"""Coupons and the codes that customers type for them, as data."""

from __future__ import annotations

from typing import NamedTuple


class Coupon(NamedTuple):
    """A coupon; its key is its id. Without `percent` it takes `off` of the smallest units of the currency away."""

    key: str
    name: str
    duration: str
    percent: float | None = None
    off: int | None = None
    currency: str = "usd"
    months: int | None = None
    days: int = 400
    ends: int | None = None
    most: int | None = None
    redeemed: int = 0
    valid: bool = True
    products: tuple[str, ...] = ()


class Code(NamedTuple):
    """A promotion code. `ends` in days from now."""

    key: str
    coupon: str
    active: bool = True
    buyer: str | None = None
    ends: int | None = None
    most: int | None = None
    redeemed: int = 0
    least: int | None = None
    first_time: bool = False


COUPONS: tuple[Coupon, ...] = (
    Coupon("WELCOME20", "20% for the first three months", "repeating", 20.0, months=3, redeemed=2),
    Coupon("PARTNER15", "Partner discount", "forever", 15.0, redeemed=1, products=("desk", "fleet")),
    Coupon("WINTER50OFF", "50 off, once", "once", off=5_000, currency="eur", ends=-70, redeemed=1, valid=False),
    Coupon("SPRING5", "5 off every month", "forever", off=500, redeemed=1),
    Coupon("FRIENDS10", "Friends of the house", "once", 10.0, ends=200, most=50, redeemed=3),
    Coupon("Yt7PqL2x", "Spring fair", "once", 33.3, days=90, redeemed=1),
    Coupon("LAUNCH100", "Launch week", "once", 100.0, days=850, ends=-840, most=10, redeemed=10, valid=False),
)

CODES: tuple[Code, ...] = (
    Code("HELLO20", "WELCOME20", redeemed=2),
    Code("PARTNER-BENDAVID", "PARTNER15", buyer="ben.david", redeemed=1),
    Code("FROST", "WINTER50OFF", active=False, ends=-70, redeemed=1),
    Code("SPRINGTIME", "SPRING5", most=100, redeemed=1),
    Code("FRIEND", "FRIENDS10", ends=200, least=2_000, first_time=True, redeemed=3),
)

BY_KEY: dict[str, Coupon] = {coupon.key: coupon for coupon in COUPONS}
