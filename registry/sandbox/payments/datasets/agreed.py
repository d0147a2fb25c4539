"""The hand-written part of the account: the customers, their contracts, and what followed. `agreed.json` holds it.

Days are counted back from now, or from the related event; amounts are in the smallest unit of the currency.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple, TypeVar

from registry.sandbox.world import World, data_file

Fields = dict[str, Any]
_Made = TypeVar("_Made")


@cache
def file(name: str) -> Mapping[str, Fields]:
    """What a data file holds, by kind."""
    return data_file(__file__, f"data/{name}")


def of_columns(columns: list[str], row: list[Any] | Fields) -> Fields:
    """A row as a hash by column names, without null values; a last element holds further fields."""
    if isinstance(row, dict):
        return dict(row)
    fields = {name: one for name, one in zip(columns, row, strict=False) if one is not None}
    return fields | row[len(columns)] if len(row) > len(columns) else fields


def rows(kind: str, make: Callable[..., _Made]) -> dict[str, _Made]:
    """The agreed objects of a kind by key, made of key and fields; forms are applied as in `tables`, braces are not."""
    declared = dict(file("agreed")[kind])
    columns, forms = declared.pop("=", []), declared.pop("~", {})
    made = {}
    for key, row in declared.items():
        own = of_columns(columns, row)
        shared = (forms[form].items() for form in own.pop("~", "").split())
        made[key] = make(**{"key": key} | {name: value for form in shared for name, value in form} | own)
    return made


class Buyer(NamedTuple):
    """A customer. `where` is ``line1|city|state|postal code|country``; `tax` a key of `goods.LEVIES` or empty.

    `wallet` is a list of codes, the first of which is what the customer pays with. A code is a card of `goods.CARDS` or the
    name of another means of payment; a leading ``~`` makes it a card or bank account kept in the older way, as a source.
    Currency, tax, language and exemption are those of the country unless given.
    """

    key: str
    name: str | None
    where: str
    currency: str = "usd"
    wallet: str = ""
    tax: str = ""
    tax_id: str = ""
    locale: str = ""
    phone: str | None = None
    days: int = 0
    clock: str | None = None
    exempt: str = "none"

    @property
    def country(self) -> str:
        """The country's two letters."""
        return self.where.rpartition("|")[2]

    @property
    def email(self) -> str | None:
        """Where invoices go."""
        if self.name is None:
            return None
        place = self.name.casefold().replace(" ", "-") if self.clock else self.key.replace(".", "-")
        return f"accounts@{place}.example"


class Deal(NamedTuple):
    """A subscription. `items` are (price, quantity), with 0 for metered prices; it ended `gone` months ago.

    ``bills`` is the number of its invoices so far, the first one at its start. ``turns`` says what was special about
    one of them, by its number from 0; negative numbers count from the newest:

    =================  ================================================================================
    ``retry``          the first charge was declined, a later one succeeded
    ``open``           declined, still to be paid
    ``action``         waits for the customer's authentication
    ``processing``     a debit that is under way
    ``part``           paid in part
    ``void`` ``lost``  voided; written off as uncollectible
    ``draft``          not finalized yet
    ``applied``        paid from the customer's balance as far as that went
    ``upgrade``        in the middle of the period more seats were added and prorated at once
    ``threshold``      usage passed the billing threshold before the period was over
    =================  ================================================================================
    """

    key: str
    buyer: str
    items: tuple[tuple[str, int], ...]
    bills: int
    status: str = "active"
    gone: int = 0
    trial: int = 0
    discount: str = ""
    collect: str = "charge_automatically"
    turns: dict[int, str] = {}
    more: Fields = {}


class Item(NamedTuple):
    """An invoice item: a price and a quantity, or an amount in the customer's currency."""

    key: str
    price: str | None
    quantity: int = 1
    amount: int = 0
    description: str | None = None


class OneOff(NamedTuple):
    """An invoice that no subscription brought. `status` as in `Deal`, or ``paid`` or ``open``."""

    key: str
    buyer: str
    status: str
    days: float
    items: tuple[Item, ...]
    reason: str = "manual"
    collect: str = "charge_automatically"
    description: str | None = None
    revises: str | None = None
    quote: str | None = None


class Waiting(NamedTuple):
    """An item that no invoice holds yet."""

    buyer: str
    days: float
    item: Item


class Entry(NamedTuple):
    """A customer balance transaction; a negative amount is the customer's credit.

    A customer's entries are in order. `bill` and `days` say when: so many days after that invoice (before it when negative).
    Sums follow from the order, and `applied_to_invoice` empties the balance into the invoice.
    """

    type: str
    amount: int
    bill: str
    days: float
    description: str | None = None
    note: str | None = None
    session: str | None = None


class Note(NamedTuple):
    """A credit note over a part of each line of an invoice, `share` in percent of the lines.

    `how` is what the customer got: ``due`` (less to pay), ``refund``, ``balance`` or ``elsewhere``; ``mixed`` is due and
    balance together.
    """

    key: str
    bill: str
    days: float
    share: float
    how: str
    reason: str | None = None
    memo: str | None = None
    void: bool = False


class Sale(NamedTuple):
    """A payment that no invoice asked for.

    `buyer` is the one whose method it is unless given, `method` the key of a payment method; `status` the intent's. `failure`
    is the code with which its charge was declined or blocked. An amount of 0 means the price of a Hub H2, less 10%.
    """

    key: str
    amount: int
    days: float
    buyer: str | None = None
    method: str | None = None
    status: str = "succeeded"
    currency: str = "usd"
    text: str | None = None
    reason: str | None = None
    capture: str = "automatic_async"
    failure: str | None = None
    partner: str | None = None
    fee: int = 0

    @property
    def channel(self) -> str:
        """Where it was made."""
        return next((one for one in ("shop", "till", "market") if self.key.startswith(one)), "direct")


class Refund(NamedTuple):
    """A refund of a share (in percent) of a payment, whose key it has, so many days after it."""

    key: str
    percent: float
    days: float
    status: str = "succeeded"
    reason: str | None = "requested_by_customer"
    pending: str | None = None
    reverses: bool = False


class Dispute(NamedTuple):
    """A dispute over a whole payment, whose key it has."""

    key: str
    status: str
    reason: str
    days: float
    code: str = "10.4"


class Grant(NamedTuple):
    """A credit grant. `ends` in days from now; `end` is how it ended, if it did."""

    key: str
    buyer: str
    name: str
    category: str
    value: int
    days: float
    ends: float | None = None
    end: str = ""
    prices: Sequence[str] = ()
    priority: int = 50
    starts: float = 0


def _buyer(**said: Any) -> Buyer:
    words = file("agreed")["country"][said["where"].rpartition("|")[2]].split()
    usual = dict(zip(("currency", "tax", "locale", "exempt"), ("" if word == "-" else word for word in words), strict=False))
    fields: Fields = {"name": None} | usual | ({"locale": ""} if said.get("clock") else {})
    return Buyer(**fields | said)


def _deal(*, key: str, items: str, turns: Mapping[str, str] | None = None, **said: Any) -> Deal:
    priced = tuple((price, int(quantity or 1)) for price, _, quantity in (item.partition("*") for item in items.split()))
    return Deal(key, **{"buyer": key} | said, items=priced, turns={int(number): turn for number, turn in (turns or {}).items()})


def _one_off(*, items: Sequence[Sequence[Any]], **said: Any) -> OneOff:
    return OneOff(**said, items=tuple(Item(*item) for item in items))


def _sale(*, method: str = "", **said: Any) -> Sale:
    buyer = method.rpartition("/")[0]
    return Sale(**{"buyer": buyer if buyer in BY_KEY else None} | said, method=method or None)


BY_KEY = rows("buyer", _buyer)
BUYERS = tuple(BY_KEY.values())
GRANTS = rows("grant", Grant)
REVIEWS: dict[str, tuple[str | None, str]] = file("agreed")["review"]
"""By payment, why its review was closed, None while it is open, and why it was opened."""
WARNINGS: dict[str, tuple[str, bool]] = file("agreed")["warning"]
"""Early fraud warnings by payment: the type, and whether something can still be done."""
USES: dict[str, tuple[str, int]] = file("agreed")["use"]
"""What an invoice took from which grant."""

RECENT = 4
"""The number of cohorts whose computed data is cached."""


@dataclass(frozen=True, eq=False)
class Cohort:
    """The customers of a part of a payments world with their history. Each refers to nobody else's objects; keys are unique.

    What is about customers is written one cohort at a time. The first one is the hand-written account; `crowd` makes further
    ones. What is worked out for a cohort is kept for as long as the last few cohorts are, so that a world of any size is
    written in the memory of a few.

    `name` is empty for the first cohort, and what its random choices are named after. `ledgers` are entries of customer
    balances by customer.
    """

    world: World
    name: str
    buyers: tuple[Buyer, ...]
    deals: tuple[Deal, ...]
    one_offs: tuple[OneOff, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    ledgers: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    sales: tuple[Sale, ...] = ()
    refunds: tuple[Refund, ...] = ()
    disputes: tuple[Dispute, ...] = ()

    @cached_property
    def by_key(self) -> dict[str, Buyer]:
        """The customers by their keys."""
        return {buyer.key: buyer for buyer in self.buyers}


@lru_cache(maxsize=RECENT)
def first(world: World) -> Cohort:
    """The customers that every world has."""
    waiting = tuple(Waiting(row[0], row[1], Item(key, *row[2:])) for key, row in file("agreed")["waiting"].items())
    ledgers = {key: tuple(Entry(*row) for row in ledger) for key, ledger in file("agreed")["ledger"].items()}

    def told(kind: str, make: Callable[..., _Made]) -> tuple[_Made, ...]:
        return tuple(rows(kind, make).values())

    what_followed = (told("note", Note), told("sale", _sale), told("refund", Refund), told("dispute", Dispute))
    return Cohort(world, "", BUYERS, told("deal", _deal), told("one_off", _one_off), waiting, ledgers, *what_followed)
