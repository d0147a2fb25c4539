"""What customers pay with: the codes of a wallet, and the hashes that payment methods and charges show for them."""

from functools import lru_cache
from typing import Any, NamedTuple

from registry.sandbox.payments.datasets.agreed import BY_KEY, Buyer
from registry.sandbox.payments.datasets.parts import Hash, place
from registry.sandbox.payments.datasets.tables import listed
from registry.sandbox.payments.shapes import Builder
from registry.sandbox.world import World

CARDS = listed("methods", "card")
"""Cards: brand (also as payment sources spell it), last four digits of a published test number, funding."""

_MORE = listed("methods", "more")
"""Types by the codes of wallets, wallets on telephones by methods, and the fields of a debited account that charges show."""

_CHECKED = {"address_line1_check": "pass", "address_postal_code_check": "pass"}

DEBITS = frozenset({"acss_debit", "au_becs_debit", "bacs_debit", "sepa_debit", "us_bank_account"})


class Method(NamedTuple):
    """One entry of a wallet. `key` is its name within its kind; `older` when it is a payment source."""

    key: str
    buyer: Buyer
    code: str
    place: int
    older: bool

    @property
    def type(self) -> str:
        """The type of payment method."""
        return "card" if self.code in CARDS else _MORE["type"].get(self.code, self.code)

    @property
    def kind(self) -> str:
        """The kind of object that it is stored as."""
        if not self.older:
            return "payment_method"
        return "bank_account" if self.code == "bank" else "card"

    @property
    def expires(self) -> tuple[int, int]:
        """A card's last month, as (month, years from now)."""
        return 1 + (len(self.buyer.key) * 5 + self.place * 7) % 12, 1 + (len(self.buyer.key) + self.place) % 4


@lru_cache(maxsize=2_048)
def wallet(buyer: Buyer) -> tuple[Method, ...]:
    """A customer's methods in their order; the first one is what the customer pays with."""
    codes = enumerate(buyer.wallet.split())
    return tuple(Method(f"{buyer.key}/{number}", buyer, code.lstrip("~"), number, code[0] == "~") for number, code in codes)


GUESTS: tuple[Method, ...] = tuple(
    Method(f"guest/{number}", BY_KEY["granite.peak"], code, number, False)
    for number, code in enumerate(("visa", "amex", "mastercard"))
)
"""Cards of people who paid without becoming customers."""

GUEST_NAMES = ("Wren", "Ayo", "Mika")


def mandate_of(builder: Builder, method: Method) -> str | None:
    """The id of the mandate that a method is debited by, if its type needs one."""
    needed = not method.older and (method.type in DEBITS or method.key == "rao/0")
    return builder.id("mandate", method.key) if needed else None


def billing_details(buyer: Buyer) -> Hash:
    """Whom a charge or payment method is billed to."""
    return {"address": place(buyer.where), "email": buyer.email, "name": buyer.name, "phone": buyer.phone}


def fingerprint(world: World, method: Method) -> str:
    """The same for the same card or account of the same customer."""
    return world.token(f"fingerprint/{method.buyer.key}/{method.code}", 16)


def _card(world: World, method: Method, year: int, cvc_check: str | None) -> Hash:
    card, (month, years) = CARDS[method.code], method.expires
    return {
        "brand": card["brand"],
        "checks": _CHECKED | {"cvc_check": cvc_check},
        "country": method.buyer.country,
        "exp_month": month,
        "exp_year": year + years,
        "fingerprint": fingerprint(world, method),
        "funding": card["funding"],
        "last4": card["last4"],
        "wallet": _MORE["wallet"].get(method.key),
    }


def method_details(world: World, method: Method, year: int) -> Hash:
    """What the payment method shows below its type; `year` is the present one."""
    if method.code not in CARDS:
        return _account_details(world, method)
    card = CARDS[method.code]
    shown = _card(world, method, year, "unchecked" if method.place % 3 == 2 else "pass") | {
        "display_brand": card.get("display", card["brand"]),
        "networks": {"available": [*([card["network"]] if "network" in card else ()), card["brand"]]},
        "three_d_secure_usage": {},
    }
    return dict(sorted(shown.items()))


def charge_details(world: World, method: Method, amount: int, year: int, mandate: str | None) -> Hash:
    """What a charge shows below `payment_method_details`."""
    if method.code in CARDS:
        card, without = CARDS[method.code], {"status": "unavailable"}
        details = _card(world, method, year, None if method.place else "pass") | {
            "amount_authorized": amount,
            "extended_authorization": {"status": "disabled"},
            "incremental_authorization": without,
            "mandate": mandate,
            "multicapture": without,
            "network": card.get("network", card["brand"]),
            "network_token": {},
            "overcapture": {"maximum_amount_capturable": amount} | without,
        }
        return {"card": dict(sorted(details.items())), "type": "card"}
    inner = _account_details(world, method)
    if method.type in DEBITS:
        inner = {name: inner[name] for name in inner if name in _MORE["charged"]["fields"]} | {"mandate": mandate}
    return {method.type: inner, "type": method.type}


def _account_details(world: World, method: Method) -> Hash:
    """The inner hash of a method that is not a card. Account numbers end in the digits of published test numbers."""
    said = listed("methods", "method").get(method.type, {})
    return {name: _word(world, method, value) for name, value in said.items()}


def _word(world: World, method: Method, said: Any) -> Any:
    """A value of a method's type, with the placeholders replaced by values of this method."""
    match said:
        case "{country}" | "{email}" | "{name}":
            return getattr(method.buyer, said[1:-1])
        case "{fingerprint}":
            return fingerprint(world, method)
        case "{payer}":
            return world.capitals(f"payer/{method.key}", 13)
        case "{cash}" | "{naver}":
            return world.hexadecimal(f"{said[1:-1]}/{method.key}", 24)
    return said


PRESENT: Hash = listed("methods", "reader")["card_present"]
RECEIPT: Hash = listed("methods", "reader")["receipt"]

INTERAC: Hash = PRESENT | {"brand": "interac", "country": "CA"}

GENERATED = Method("generated", BY_KEY["maple.main"], "visa", 5, False)
"""The card that was kept when it was held to a reader."""

NOBODY: Hash = {"address": {}, "email": None, "name": None}
