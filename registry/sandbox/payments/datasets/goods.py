"""The company's prices, products and coupons, the rates that invoices are taxed by, and what customers pay with."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from registry.sandbox.payments.datasets.agreed import BY_KEY, Buyer, Fields, rows
from registry.sandbox.payments.datasets.parts import Hash, local, place, share
from registry.sandbox.payments.datasets.tables import listed
from registry.sandbox.payments.shapes import ABSENT, Builder
from registry.sandbox.world import DAY, World


class Price(NamedTuple):
    """A price; `amount` in US cents, fractions of a cent allowed. Without an interval it is paid once.

    `tiers` are (up to, unit amount in cents, flat amount in cents); an open end is None.
    """

    key: str
    product: str
    amount: float | None = None
    interval: str | None = None
    days: int = 800
    lookup: str | None = None
    nickname: str | None = None
    meter: str | None = None
    tiers: Sequence[Sequence[Any]] = ()
    mode: str | None = None
    active: bool = True
    currencies: Sequence[str] = ()
    currency: str = "usd"
    behaviour: str = "exclusive"

    def unit(self, currency: str) -> float:
        """What one unit costs in a currency, in that currency's smallest unit."""
        if self.amount is None or self.currency == currency:
            return self.amount or 0
        return float(local(int(self.amount), currency)) if self.amount >= 1 else self.amount

    def cost(self, quantity: int, currency: str) -> int:
        """What a quantity costs in a currency; metered and tiered prices are in dollars only."""
        if not self.tiers:
            return round((self.amount or 0) * quantity) if self.meter else int(self.unit(currency)) * quantity
        total, passed = 0.0, 0
        for up_to, amount, flat in self.tiers:
            if self.mode == "volume":
                if up_to is None or quantity <= up_to:
                    return int(quantity * amount + flat)
                continue
            here = (quantity if up_to is None else min(quantity, up_to)) - passed
            total += here * amount + (flat if here else 0)
            passed += here
            if passed >= quantity:
                break
        return int(total)


PRICES = rows("price", Price)
PRODUCT_NAMES: dict[str, str] = {key: product["name"] for key, product in listed("catalogue", "product").items()}
COUPONS = listed("catalogue", "coupon")


class Levy(NamedTuple):
    """A tax rate in percent; inclusive if prices include the tax."""

    percentage: float
    inclusive: bool

    def of(self, net: int) -> int:
        """The tax on an amount."""
        if self.inclusive:
            return (-1 if net < 0 else 1) * round(abs(net) * self.percentage / (100 + self.percentage))
        return share(net, self.percentage)


LEVIES: dict[str, Levy] = {
    key: Levy(rate["percentage"], rate["inclusive"])
    for key, rate in listed("taxes", "tax_rate").items()
    if rate["rate_type"] == "percentage"
}
"""The tax rates that invoices calculate with."""


def decimal(value: float) -> str:
    """An amount with fractions as the API writes it: no exponent, no trailing zeros."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def write(builder: Builder) -> None:
    """Write prices, with the plans that they were called before."""
    for price in PRICES.values():
        made = builder.world.now - price.days * DAY
        meter = builder.id("billing.meter", price.meter) if price.meter else None
        tiers: list[Fields] = [
            {
                "flat_amount": flat or None,
                "flat_amount_decimal": str(flat) if flat else None,
                "unit_amount": int(amount),
                "unit_amount_decimal": decimal(amount) or "0",
                "up_to": up_to,
            }
            for up_to, amount, flat in price.tiers
        ]
        usage = "metered" if meter else "licensed"
        recurring = {"interval": price.interval, "interval_count": 1, "meter": meter, "usage_type": usage}
        fields: Fields = {
            "active": price.active,
            "billing_scheme": "tiered" if tiers else "per_unit",
            "currency": price.currency,
            "metadata": {"created_by": "oskar.berg"} if price.lookup else {},
            "nickname": price.nickname,
            "product": builder.id("product", price.product),
            "tiers_mode": price.mode if tiers else ABSENT,
        }
        own = _amount(price, price.currency, tiers)
        new = builder.new(
            "price",
            price.key,
            made,
            **fields,
            **own,
            currency_options={one: _amount(price, one, tiers) for one in (price.currency, *price.currencies)},
            lookup_key=price.lookup,
            recurring=recurring if price.interval else None,
            type="recurring" if price.interval else "one_time",
        )
        if price.interval:
            cost = {"amount": own["unit_amount"], "amount_decimal": own["unit_amount_decimal"], "tiers": tiers or ABSENT}
            builder.new("plan", price.key, made, id=new, **fields, **cost, **recurring)


def _amount(price: Price, currency: str, tiers: list[Fields]) -> Fields:
    each = None if tiers or price.amount is None else price.unit(currency)
    chosen = {"maximum": 50_000, "minimum": 300, "preset": 1_000}
    return {
        "custom_unit_amount": chosen if price.amount is None and not tiers else None,
        "tax_behavior": price.behaviour,
        **({"tiers": tiers} if tiers else {}),
        "unit_amount": int(each) if each is not None and each == int(each) else None,
        "unit_amount_decimal": None if each is None else decimal(each),
    }


# What customers pay with: the codes of a wallet, and the hashes that payment methods and charges show for them.

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
