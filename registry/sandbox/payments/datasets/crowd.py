"""Customers beyond the named ones: as many as are wanted, each made up by the dice from one of them.

A customer takes country, currency, tax and ways to pay from a model, and gets a name, a house number and a history of its own:
a few invoices, and now and then what happens to some named ones. The datasets make objects of them as they do of the first.
The same seed gives the same customers, however many follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

from registry.sandbox.payments.datasets.agreed import (
    BUYERS,
    BY_KEY,
    Buyer,
    Deal,
    Dispute,
    Entry,
    Item,
    Note,
    OneOff,
    Refund,
    Waiting,
)
from registry.sandbox.payments.datasets.cohort import Cohort, first
from registry.sandbox.payments.datasets.goods import LEVIES
from registry.sandbox.payments.datasets.methods import DEBITS, wallet
from registry.sandbox.world import World

MODELS = (
    "ada.romero brightwater kofi.mensah lindenhof sato chen hangang mansour ben.david olsen perrin harbour.finch rao aurora "
    "quetzal northpine wattle nowak horakova petrova dimitriou ivanenko nguyen somchai tan.logistics mueller virtanen "
    "bergstroem de.vries rossi silva murphy popescu yilmaz mwangi van.wyk el.amrani quispe fernandez rojas granite.peak "
    "sunny.side blue.heron copper.kettle maple.main cedar lantern kiwi.orchards harbor.books"
)
"""The named customers whose country, currency, tax and ways to pay others can have too."""

_WORDS = (
    "alder amber anchor apple arbor aspen beacon birch bramble bridge briar canyon cedar chestnut clover cobalt coral cove "
    "crane delta dune ember falcon fern finch flint forge garnet glen grove hazel heather heron hollow indigo iris ivy "
    "jasper juniper kelp lark laurel linden lotus lupin marble meadow merlin mesa mint moss myrtle nettle oak ochre onyx "
    "opal orchid osprey otter pearl pebble pine plover poppy prairie quartz quill raven reed ridge robin rowan sable "
    "saffron sage sorrel sparrow spruce starling stone summit swift tansy teal thistle thorn tidal topaz valley violet "
    "walnut willow wren yarrow"
)

# By language: how a name is put together of a family's or place's name {0} and a trade {1}, and both to choose from.
_NAMES: dict[str, tuple[str, str, str]] = {
    "en": (
        "{0} {1}",
        _WORDS.title().replace(" ", ","),
        "Bakery,Bicycles,Books,Brewing,Ceramics,Dental,Florist,Garden Centre,Guest House,Joinery,Optics,Pharmacy,Physio,"
        "Printing,Roasters,Veterinary Clinic",
    ),
    "de": (
        "{1} {0} GmbH",
        "Ahrens,Brandt,Dörfler,Engel,Fährmann,Grünwald,Hübner,Jäger,Köster,Lindner,Möller,Schäfer,Völker,Weiß",
        "Bäckerei,Buchhandlung,Druckerei,Gärtnerei,Konditorei,Optik,Praxis,Tischlerei,Zahnlabor",
    ),
    "es": (
        "{1} {0}",
        "Aguilar,Benítez,Cáceres,Domínguez,Echeverría,Ibáñez,Márquez,Núñez,Ordóñez,Peña,Quiñones,Zúñiga",
        "Panadería,Librería,Clínica,Talleres,Floristería,Bodegas,Óptica,Carpintería",
    ),
    "fr": (
        "{1} {0}",
        "Aubert,Béranger,Chevalier,Dupré,Étienne,Fournel,Gérard,Lefèvre,Mercier,Noël,Rivière,Théron",
        "Boulangerie,Librairie,Atelier,Pharmacie,Menuiserie,Cave,Imprimerie,Fleuriste",
    ),
    "ja": ("{0}{1}", "青木,石川,上田,大野,加藤,木村,小林,斎藤,高橋,中村,橋本,吉田", "商店,製作所,書店,歯科,酒造,工務店,写真館"),
    "zh": ("{0}{1}有限公司", "长江,东海,华山,金桥,明珠,青云,泰山,西湖", "贸易,科技,印刷,食品,家具"),
    "ko": ("{0} {1}", "가람,나래,다온,라온,마루,바다,아라,하늘", "스튜디오,서점,치과,공방,베이커리"),
    "ar": ("{1} {0}", "النخيل,الياسمين,الواحة,الفجر,اللؤلؤة,الصقر", "مخبز,مكتبة,عيادة,مطبعة,متجر"),
    "he": ("{1} {0}", "אלון,ברוש,גפן,דקל,הדס,זית", "מאפיית,ספרי,דפוס,מרפאת,נגריית"),
}


def word(dice: Random) -> str:
    """An English word in lower case, for addresses and keys."""
    return dice.choice(_words())


def business(dice: Random, locale: str) -> str:
    """The name of a small business in the locale's language; in English if the language is not known here."""
    pattern, names, trades = _names(locale[:2] if locale[:2] in _NAMES else "en")
    return pattern.format(dice.choice(names), dice.choice(trades))


@cache
def _words() -> list[str]:
    return _WORDS.split()


@cache
def _names(language: str) -> tuple[str, list[str], list[str]]:
    pattern, names, trades = _NAMES[language]
    return pattern, names.split(","), trades.split(",")


COHORT = 250
"""Customers that are written at a time."""

_MODELS = tuple(BY_KEY[key] for key in MODELS.split())

_FEEDBACK = (
    "too_expensive", "missing_features", "switched_service", "unused", "customer_service", "too_complex", "low_quality",
)  # fmt: skip
_CODES = {"visa": ("13.1", "10.4"), "mastercard": ("4853", "4837")}
"""By card: what a dispute about a product and one about a fraud are called."""

_DISPUTES = (
    ("needs_response", 2, 6), ("under_review", 10, 20), ("lost", 15, 25), ("warning_closed", 12, 25), ("won", 32, 50),
)  # fmt: skip
"""Statuses, with the least and the greatest age in days."""

_LIVES = {"monthly": 52, "yearly": 8, "sent": 7, "trialing": 4, "late": 4, "gone": 12, "visitor": 6, "once": 7}
"""Histories of customers, and the percentage of customers with each."""

_CREDITED = ("usd", "eur", "gbp")


def further(world: World) -> Iterator[Cohort]:
    """The customers of a world beyond the named ones, a cohort at a time."""
    for start in range(len(BUYERS), world.customers, COHORT):
        yield _Maker(world, start).cohort(min(start + COHORT, world.customers))


def cohorts(world: World) -> Iterator[Cohort]:
    """All customers of a world."""
    yield first(world)
    yield from further(world)


class _Maker:
    """Makes up the customers of one cohort, whose numbers begin with `start`."""

    def __init__(self, world: World, start: int) -> None:
        self._world = world
        self._start = start
        self._buyers: list[Buyer] = []
        self._deals: list[Deal] = []
        self._one_offs: list[OneOff] = []
        self._waiting: list[Waiting] = []
        self._ledgers: dict[str, tuple[Entry, ...]] = {}
        self._notes: list[Note] = []
        self._refunds: list[Refund] = []
        self._disputes: list[Dispute] = []

    def cohort(self, end: int) -> Cohort:
        """The customers with numbers below `end`."""
        for number in range(self._start, end):
            self._customer(number)
        return Cohort(
            self._world, f"/{self._start}", tuple(self._buyers), tuple(self._deals), tuple(self._one_offs),
            tuple(self._waiting), self._ledgers, tuple(self._notes), (), tuple(self._refunds), tuple(self._disputes),
        )  # fmt: skip

    def _customer(self, number: int) -> None:
        dice = self._world.dice(f"customer/{number}")
        buyer = _buyer(dice, number)
        self._buyers.append(buyer)
        (life,) = dice.choices(list(_LIVES), list(_LIVES.values()))
        if life in ("visitor", "once"):
            if life == "once":
                self._once(dice, buyer)
        else:
            deal = _deal(dice, buyer, life)
            if life in ("monthly", "gone", "sent"):
                deal = self._events(dice, buyer, deal)
            self._deals.append(deal)
            if life == "monthly" and dice.random() < 0.05:
                self._once(dice, buyer)
        if dice.random() < 0.02:
            item = Item(f"{buyer.key}.extra", "stand", dice.randint(1, 3))
            self._waiting.append(Waiting(buyer.key, dice.uniform(0.5, 4.5), item))

    def _once(self, dice: Random, buyer: Buyer) -> None:
        """An invoice without a subscription."""
        key = f"{buyer.key}.once"
        items = (Item(f"{key}/0", dice.choice(("setup", "hub", "stand")), dice.randint(1, 3)),)
        (status,) = dice.choices(("paid", "open", "draft"), (18, 1, 1))
        days = {"paid": (12, 300), "open": (2, 6), "draft": (0.2, 3)}[status]
        self._one_offs.append(OneOff(key, buyer.key, status, dice.uniform(*days), items))
        if status == "paid" and dice.random() < 0.1:
            self._refunds.append(Refund(key, dice.choice((25, 50, 100)), dice.uniform(1, 5)))

    def _events(self, dice: Random, buyer: Buyer, deal: Deal) -> Deal:
        """What happened to one of a deal's earlier invoices, if something did; all of them are four weeks old at least."""
        number = deal.bills - 2
        bill = f"{deal.key}/{number}"
        automatic = deal.collect == "charge_automatically"
        method = wallet(buyer)[0]
        happened = dice.random()
        if happened < 0.05:
            reason = dice.choice(("requested_by_customer", "requested_by_customer", "duplicate", None))
            self._refunds.append(Refund(bill, dice.choice((20, 50, 100)), dice.uniform(1, 15), reason=reason))
        elif happened < 0.07 and automatic and method.code in _CODES:
            status, least, most = dice.choice(_DISPUTES[: 5 if number else 4])
            about = f"{deal.key}/{number - 1}" if status == "won" else bill
            fraud = dice.random() < 0.4
            reason = "fraudulent" if fraud else "product_not_received"
            code = _CODES[method.code][fraud]
            self._disputes.append(Dispute(about, status, reason, dice.uniform(least, most), code))
        elif happened < 0.10 and not (buyer.tax and LEVIES[buyer.tax].inclusive):
            how = dice.choice(("refund", "refund", "elsewhere"))
            note = dice.choice(("order_change", "product_unsatisfactory", None))
            self._notes.append(Note(bill, bill, dice.uniform(9, 14), dice.choice((10, 25, 50)), how, note))
        elif happened < 0.12 and number and not deal.discount and automatic and buyer.currency in _CREDITED:
            credit = dice.randint(2, 8) * 100
            self._ledgers[buyer.key] = (
                Entry("adjustment", -credit, bill, -5, "Goodwill"),
                Entry("applied_to_invoice", credit, bill, 0),
            )
            return deal._replace(turns={number: "applied", **deal.turns})
        elif happened < 0.17 and number and automatic:
            return deal._replace(turns={number: "retry", **deal.turns})
        elif happened < 0.20 and automatic and not deal.discount and deal.items[0][1] > 3:
            return deal._replace(turns={number: "upgrade", **deal.turns})
        return deal


def _buyer(dice: Random, number: int) -> Buyer:
    model = dice.choice(_MODELS)
    street, _, rest = model.where.partition("|")
    type_, _, value = model.tax_id.partition(":")
    codes = model.wallet.split()
    return model._replace(
        key=f"{word(dice)}.{number}",
        name=business(dice, model.locale),
        where=f"{re.sub('[0-9]+', str(dice.randint(1, 199)), street, count=1)}|{rest}",
        wallet=" ".join(codes[: 2 if dice.random() < 0.2 else 1]),
        tax_id=f"{type_}:{re.sub('[0-9]', lambda _: dice.choice('0123456789'), value)}" if value and number % 3 == 0 else "",
        phone=f"{model.phone[:-2]}{dice.randint(0, 99):02d}" if model.phone else None,
        days=dice.randint(5, 360),
    )


class _Terms(NamedTuple):
    bills: int
    status: str
    offset: tuple[float, float]


_TERMS = {
    "monthly": _Terms(5, "active", (0.5, 24)),
    "yearly": _Terms(2, "active", (12, 300)),
    "sent": _Terms(4, "active", (0.5, 24)),
    "trialing": _Terms(1, "trialing", (0.5, 20)),
    "late": _Terms(3, "past_due", (1, 9)),
    "gone": _Terms(4, "canceled", (0.5, 24)),
}


def _deal(dice: Random, buyer: Buyer, life: str) -> Deal:
    """A subscription for one of the prices, of the kind that a life brings."""
    terms = _TERMS[life]
    period = "year" if life == "yearly" else "month"
    (product,) = dice.choices(("board", "desk", "fleet"), (11, 6, 3))
    quantity = dice.choice((1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 12)) if product == "board" else 1
    offset = dice.uniform(*terms.offset)
    bills = terms.bills if terms.bills == 1 else dice.randint(1 if life == "yearly" else 2, terms.bills)
    more: dict[str, Any] = {"offset": offset}
    options: dict[str, Any] = {}
    turn = ""
    match life:
        case "trialing":
            options["trial"] = 30
        case "late":
            turn = "open"
        case "gone":
            options["gone"] = dice.randint(1, 9)
            more["feedback"] = dice.choice(_FEEDBACK)
            turn = "lost" if dice.random() < 0.2 else ""
        case "sent":
            options["collect"] = "send_invoice"
            turn = "open" if offset < 12 else ""
        case "monthly":
            if wallet(buyer)[0].type in DEBITS and offset < 8:
                turn = "processing"
            if dice.random() < 0.1:
                options["discount"] = _discount(dice, buyer, product)
    turns = {bills - 1: turn} if turn else {}
    items = ((f"{product}.{period}", quantity),)
    months = 12 if period == "year" else 1
    return Deal(buyer.key, buyer.key, items, bills, terms.status, months, turns=turns, more=more, **options)


def _discount(dice: Random, buyer: Buyer, product: str) -> str:
    fitting = ["WELCOME20"]
    if product != "board":
        fitting.append("PARTNER15")
    if buyer.currency == "usd":
        fitting.append("SPRING5")
    return dice.choice(fitting)
