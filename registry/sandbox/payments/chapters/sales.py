"""Payments that no invoice asked for, and what became of payments later, as data: refunds, disputes, reviews, warnings."""

from __future__ import annotations

from typing import NamedTuple


class Sale(NamedTuple):
    """A payment made so many days ago.

    `method` is the key of a payment method; `status` the intent's; `channel` one of shop, till, market, direct. `failure` is
    the code with which its charge was declined or blocked. An amount of 0 stands for the price of a Hub H2, less 10%.
    """

    key: str
    channel: str
    buyer: str | None
    method: str | None
    amount: int
    days: float
    status: str = "succeeded"
    currency: str = "usd"
    text: str | None = None
    reason: str | None = None
    capture: str = "automatic_async"
    failure: str | None = None
    partner: str | None = None
    fee: int = 0


class Refund(NamedTuple):
    """A refund of a share (in percent) of a payment, so many days after it."""

    payment: str
    percent: float
    days: float
    status: str = "succeeded"
    reason: str | None = "requested_by_customer"
    pending: str | None = None
    reverses: bool = False


class Dispute(NamedTuple):
    """A dispute over a whole payment, opened so many days ago."""

    payment: str
    status: str
    reason: str
    days: float
    code: str = "10.4"


class Review(NamedTuple):
    """A review of a payment, opened a minute after it; open while it has no reason for its end."""

    payment: str
    closed: str | None
    opened: str = "rule"


SALES: tuple[Sale, ...] = (
    Sale("shop.murphy", "shop", "murphy", "murphy/0", 0, 33.0, currency="eur", text="Hub H2"),
    Sale("shop.guest0", "shop", None, "guest/0", 19_900, 25.2, text="Hub H2"),
    Sale("shop.guest1", "shop", None, "guest/1", 23_800, 55.5, text="Hub H2 and tablet stand"),
    Sale("shop.guest2", "shop", None, "guest/2", 1_500, 43.2, text="Support us"),
    Sale("shop.granite", "shop", "granite.peak", "granite.peak/3", 39_800, 97.0, text="Two Hub H2"),
    Sale("till/1", "till", None, "till/1", 4_300, 43.0, capture="manual", text="Counter, Portland"),
    Sale("till/2", "till", None, "till/2", 15_600, 34.0, capture="manual", text="Counter, Portland"),
    Sale("till/3", "till", None, "till/3", 2_150, 25.0, capture="automatic", text="Counter, Toronto"),
    Sale("market/1", "market", "granite.peak", "granite.peak/3", 18_400, 91.0, text="Tent", partner="kestrel", fee=1_840),
    Sale("market/2", "market", "cedar", "cedar/0", 7_250, 77.0, text="Stove", partner="kestrel", fee=725),
    Sale("market/3", "market", "lantern", "lantern/0", 64_000, 37.0, text="Launch dinner", partner="harvest", fee=3_200),
    Sale("market/4", "market", "brightwater", "brightwater/0", 21_900, 38.5, text="Lunches", partner="harvest", fee=1_095),
    Sale("market/5", "market", "maple.main", "maple.main/1", 12_000, 29.1, text="Candles, 40", partner="lumen", fee=900),
    Sale("market/6", "market", "blue.heron", "blue.heron/1", 5_600, 12.4, text="Candles, 16", partner="lumen", fee=420),
    Sale(
        "hold.tan", "direct", "tan.logistics", "tan.logistics/0", 50_000, 2.2, "requires_capture", "sgd", "Deposit",
        capture="manual",
    ),
    Sale("hold.late", "direct", "olsen", "olsen/0", 120_000, 62.0, "canceled", "nok", "Deposit", "expired", "manual"),
    Sale("left.cart", "direct", "quispe", None, 8_900, 50.0, "canceled", text="Hub Mini", reason="abandoned"),
    Sale("left.twice", "direct", "cedar", None, 1_850, 31.0, "canceled", text="Freight", reason="duplicate"),
    Sale("left.fraud", "direct", "chen", "chen/0", 99_900, 20.5, "canceled", text="Five Hub H2", reason="fraudulent"),
    Sale("left.asked", "direct", "de.vries", None, 4_200, 17.0, "canceled", "eur", "Training", "requested_by_customer"),
    Sale("left.timeout", "direct", "somchai", None, 160_000, 14.0, "canceled", "thb", "Training", "automatic"),
    Sale("new.empty", "direct", "nguyen", None, 3_900, 0.3, "requires_payment_method", text="Tablet stand"),
    Sale("new.ready", "direct", "quetzal", "quetzal/0", 72_000, 0.2, "requires_confirmation", "mxn", "Stand"),
    Sale("new.redirect", "direct", "de.vries", "de.vries/1", 17_000, 0.1, "requires_action", "eur", "Hub H2"),
    Sale("new.transfer", "direct", "nordhafen", "nordhafen/0", 250_000, 1.6, "requires_action", "eur", "On-site training"),
    Sale("new.boleto", "direct", "aurora", "aurora/1", 21_300, 1.2, "processing", "brl", "Stand"),
    Sale("blocked", "direct", "kofi.mensah", "kofi.mensah/0", 66_600, 46.0, "requires_payment_method", failure="blocked"),
    Sale("bank.stadtwerke", "direct", "nordhafen", "nordhafen/0", 120_000, 95.0, currency="eur", text="Workshop"),
    Sale("bank.prairie", "direct", "prairie.wind", "prairie.wind/0", 45_000, 66.0, text="Set-up and training"),
    Sale("bank.thistle", "direct", "thistle", "thistle/0", 30_000, 41.0, currency="gbp", text="Training"),
)  # fmt: skip

REFUNDS: tuple[Refund, ...] = (
    Refund("ada.romero/3", 50, 3),
    Refund("ada.romero/7", 100, 1, reason="duplicate"),
    Refund("granite.peak/2", 100, 2, reason="fraudulent"),
    Refund("olsen/4", 30, 2),
    Refund("olsen/4", 20, 9, reason=None),
    Refund("dimitriou/1", 100, 5, "failed"),
    Refund("harbour.finch/12", 25, 0.8, "pending", pending="processing"),
    Refund("lindenhof/6", 100, 6),
    Refund("chen/1", 40, 4, "canceled"),
    Refund("cedar/5", 50, 7, "pending", pending="insufficient_funds"),
    Refund("cedar/6", 100, 0.5, "pending", pending="charge_pending"),
    Refund("bank.thistle", 10, 5, "requires_action"),
    Refund("hold.late", 100, 7, reason="expired_uncaptured_charge"),
    Refund("market/2", 100, 3, reverses=True),
    Refund("market/3", 25, 6, reverses=True),
    Refund("shop.granite", 50, 10),
    Refund("till/2", 100, 1),
)

DISPUTES: tuple[Dispute, ...] = (
    Dispute("granite.peak/4", "lost", "fraudulent", 200),
    Dispute("sunny.side/1", "won", "product_not_received", 58, "13.1"),
    Dispute("lantern/6", "needs_response", "subscription_canceled", 2, "C28"),
    Dispute("confetti/3", "under_review", "product_unacceptable", 15, "13.3"),
    Dispute("copper.kettle/1", "warning_closed", "unrecognized", 110, "6021"),
    Dispute("maple.main/3", "warning_needs_response", "general", 4, "4853"),
    Dispute("escape/1", "warning_under_review", "credit_not_processed", 21, "13.7"),
    Dispute("murphy/4", "prevented", "fraudulent", 16),
    Dispute("harbor.books/1", "lost", "duplicate", 101, "12.6.1"),
)

REVIEWS: tuple[Review, ...] = (
    Review("shop.guest0", None),
    Review("shop.guest1", "acknowledged", "manual"),
    Review("quotes/0", "approved"),
    Review("left.fraud", "canceled"),
    Review("granite.peak/4", "disputed"),
    Review("cedar/1", "payment_never_settled", "manual"),
    Review("kofi.mensah/2", "redacted"),
    Review("ada.romero/7", "refunded"),
    Review("granite.peak/2", "refunded_as_fraud"),
)

WARNINGS: tuple[tuple[str, str, bool], ...] = (
    ("granite.peak/2", "made_with_stolen_card", False),
    ("granite.peak/4", "unauthorized_use_of_card", False),
    ("confetti/3", "misc", True),
)
"""Early fraud warnings: (payment, type, whether something can still be done)."""
