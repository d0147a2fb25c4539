"""What the company's own cards were used for, as data: cardholders, cards, authorizations and disputes.

Cards are funded from the balance, or from a financial account; only the former move the balance.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from registry.sandbox.payments.chapters.moves import Move, at_once
from registry.sandbox.world import DAY, World


class Holder(NamedTuple):
    """A cardholder. `person` is a key of the cast; without one it is the company."""

    key: str
    person: str | None
    status: str = "active"


class Issued(NamedTuple):
    """A card."""

    key: str
    holder: str
    type: str
    status: str
    last4: str
    days: int
    brand: str = "Visa"
    design: str | None = None
    canceled: str | None = None
    replaces: str | None = None
    replaced_for: str | None = None
    treasury: bool = False


class Spend(NamedTuple):
    """An authorization over so many cents, and what came of it.

    `status` as the authorization's; ``declined`` is a closed one that was not approved. `refund` is what the merchant paid
    back, `dispute` a dispute's status.
    """

    key: str
    card: str
    merchant: str
    amount: int
    days: float
    method: str
    status: str
    token: str | None = None
    foreign: tuple[str, int] | None = None
    refund: int = 0
    dispute: str | None = None
    reason: str = ""


HOLDERS: tuple[Holder, ...] = (
    Holder("dana.wu", "dana.wu"),
    Holder("amara.okafor", "amara.okafor"),
    Holder("lucia.ferrer", "lucia.ferrer"),
    Holder("oskar.berg", "oskar.berg", "blocked"),
    Holder("tomas.novak", "tomas.novak", "inactive"),
    Holder("fernway", None),
)

CARDS: tuple[Issued, ...] = (
    Issued("dana.virtual", "dana.wu", "virtual", "active", "4242", 240),
    Issued("dana.lost", "dana.wu", "physical", "canceled", "5556", 230, design="heather", canceled="lost"),
    Issued(
        "dana.physical",
        "dana.wu",
        "physical",
        "active",
        "4242",
        60,
        design="heather",
        replaces="dana.lost",
        replaced_for="lost",
    ),
    Issued("amara.physical", "amara.okafor", "physical", "active", "5556", 210, design="moss"),
    Issued("lucia.worn", "lucia.ferrer", "physical", "active", "4242", 400, design="heather"),
    Issued("lucia.new", "lucia.ferrer", "physical", "inactive", "5556", 5, "Visa", "heather", None, "lucia.worn", "damaged"),
    Issued("oskar.stolen", "oskar.berg", "physical", "canceled", "4242", 390, canceled="stolen"),
    Issued(
        "oskar.virtual", "oskar.berg", "virtual", "inactive", "4444", 100, "Mastercard", None, None, "oskar.stolen", "stolen"
    ),
    Issued("tomas.rejected", "tomas.novak", "physical", "canceled", "5556", 33, design="scribble", canceled="design_rejected"),
    Issued("fernway.ads", "fernway", "virtual", "active", "4242", 300, treasury=True),
    Issued(
        "fernway.renewed", "fernway", "virtual", "active", "4444", 20, "Mastercard", None, None, "dana.virtual", "expired", True
    ),
)

# name, category, code, city, country
MERCHANTS: dict[str, tuple[str, str, str, str, str]] = {
    "cloud": ("NUBE COMPUTE", "computer_software_stores", "5734", "Seattle", "US"),
    "train": ("NORDIC RAIL", "passenger_railways", "4112", "Stockholm", "SE"),
    "hotel": ("HOTEL MIRADOR", "hotels_motels_and_resorts", "7011", "Lisboa", "PT"),
    "fuel": ("TURNPIKE FUEL 22", "automated_fuel_dispensers", "5542", "Elkhart", "US"),
    "paper": ("PAPER & PEN", "stationery_stores_office_and_school_supply_stores", "5943", "Austin", "US"),
    "ads": ("LANTERN ADS", "advertising_services", "7311", "New York", "US"),
    "lunch": ("NOODLE BAR 88", "eating_places_restaurants", "5812", "Singapore", "SG"),
}

SPENDS: tuple[Spend, ...] = (
    Spend("cloud.1", "dana.virtual", "cloud", 42_310, 88.0, "online", "closed"),
    Spend("cloud.2", "dana.virtual", "cloud", 43_995, 58.0, "online", "closed", dispute="submitted"),
    Spend("cloud.3", "dana.virtual", "cloud", 41_120, 28.0, "online", "closed", dispute="unsubmitted"),
    Spend("cloud.4", "dana.virtual", "cloud", 45_000, 0.4, "online", "pending"),
    Spend("train", "amara.physical", "train", 11_690, 71.0, "contactless", "closed", "amara.apple", ("sek", 110_000)),
    Spend("hotel", "amara.physical", "hotel", 38_722, 66.5, "chip", "closed", None, ("eur", 33_000), 5_867),
    Spend("hotel.hold", "amara.physical", "hotel", 23_468, 69.5, "chip", "reversed", None, ("eur", 20_000)),
    Spend("fuel", "lucia.worn", "fuel", 6_120, 44.0, "swipe", "closed"),
    Spend("fuel.hold", "lucia.worn", "fuel", 10_000, 43.0, "swipe", "expired"),
    Spend("paper", "lucia.worn", "paper", 2_375, 39.0, "contactless", "closed", "lucia.google", dispute="won"),
    Spend("paper.2", "lucia.worn", "paper", 1_980, 75.0, "keyed_in", "closed", dispute="lost"),
    Spend(
        "lunch.2",
        "lucia.worn",
        "lunch",
        2_150,
        64.0,
        "chip",
        "closed",
        dispute="lost",
        reason="transaction_electronically_read",
    ),
    Spend("fuel.2", "lucia.worn", "fuel", 5_480, 52.0, "swipe", "closed", dispute="lost", reason="refund_issued"),
    Spend(
        "lunch", "lucia.worn", "lunch", 1_860, 36.0, "contactless", "closed", "lucia.google", ("sgd", 2_400), dispute="expired"
    ),
    Spend("theft", "oskar.stolen", "ads", 99_900, 99.0, "online", "declined", reason="card_inactive"),
    Spend("limit", "dana.physical", "hotel", 250_000, 12.0, "keyed_in", "declined", reason="authorization_controls"),
    Spend("ads.1", "fernway.ads", "ads", 60_000, 40.0, "online", "closed", dispute="won"),
    Spend("ads.2", "fernway.ads", "ads", 60_000, 10.0, "online", "closed"),
    Spend("ads.3", "fernway.ads", "ads", 61_500, 0.8, "online", "pending"),
)

CARD: dict[str, Issued] = {card.key: card for card in CARDS}

_HELD = 2 * DAY


def made(world: World, spend: Spend) -> int:
    """When it was authorized."""
    return world.now - int(spend.days * DAY)


def captured(world: World, spend: Spend) -> int | None:
    """When the merchant took the money, if that happened."""
    return made(world, spend) + _HELD if spend.status == "closed" else None


def refunded(world: World, spend: Spend) -> int:
    """When the merchant paid back."""
    return made(world, spend) + 9 * DAY


def disputed(world: World, spend: Spend) -> int:
    """When the dispute was made."""
    return made(world, spend) + 12 * DAY


def moves(world: World) -> Iterator[Move]:
    """What cards that are funded from the balance did to it."""
    for spend in SPENDS:
        if CARD[spend.card].treasury or spend.status == "declined":
            continue
        moment = made(world, spend)
        hold = ("issuing.authorization", spend.key, None)
        yield _move(f"hold/{spend.key}", "issuing_authorization_hold", -spend.amount, moment, hold)
        taken = captured(world, spend)
        if spend.status != "pending":
            released = taken or moment + 5 * DAY
            yield _move(f"release/{spend.key}", "issuing_authorization_release", spend.amount, released, hold)
        if taken:
            used = ("issuing.transaction", spend.key, None)
            yield _move(f"issuing/{spend.key}", "issuing_transaction", -spend.amount, taken, used)
        if spend.refund:
            back = ("issuing.transaction", f"{spend.key}.back", None)
            moment = refunded(world, spend)
            yield _move(f"issuing/{spend.key}.back", "issuing_transaction", spend.refund, moment, back)
        if spend.dispute == "won":
            won = ("issuing.dispute", spend.key, None)
            yield _move(f"issuing-dispute/{spend.key}", "issuing_dispute", spend.amount, disputed(world, spend) + 7 * DAY, won)


def _move(key: str, type_: str, amount: int, created: int, source: tuple[str, str, str | None]) -> Move:
    return at_once(key, type_, type_, amount, created, source, balance="issuing")
