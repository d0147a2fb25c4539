"""Customers beyond the named ones: as many as are wanted, each made up by the dice from one of them.

A customer takes country, currency, tax and ways to pay from a model, and gets a name, a house number and a history of its own:
a few invoices, and now and then what happens to some named ones. The datasets make objects of them as they do of the first.
The same seed gives the same customers, however many follow. `crowd.json` holds the models, and what names are put together of.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any

from registry.sandbox.payments.datasets.agreed import (
    BUYERS,
    BY_KEY,
    Buyer,
    Cohort,
    Deal,
    Dispute,
    Entry,
    Fields,
    Item,
    Note,
    OneOff,
    Refund,
    Waiting,
    file,
    of_columns,
)
from registry.sandbox.payments.datasets.goods import DEBITS, LEVIES, wallet
from registry.sandbox.world import World

COHORT = 250
"""Customers that are written at a time."""

_HELD: Any = file("crowd")
_MODELS = [BY_KEY[key] for key in _HELD["models"]]
"""The named customers whose country, currency, tax and ways to pay others can have too."""
_FAMILIES = [word.title() for word in _HELD["words"]]

_CODES = {"visa": ("13.1", "10.4"), "mastercard": ("4853", "4837")}
"""By card: what a dispute about a product and one about a fraud are called."""

_LIVES: dict[str, Fields] = {life: of_columns(_HELD["lives"]["="], row) for life, row in _HELD["lives"].items() if life != "="}
"""Histories of customers: the percentage of customers with each; and of their subscription the most invoices, the status, and
the least and the greatest number of days since the present period began."""


def further(world: World) -> Iterator[Cohort]:
    """The customers of a world beyond the named ones, a cohort at a time."""
    for start in range(len(BUYERS), world.customers, COHORT):
        found: dict[type, list[Any]] = defaultdict(list)
        for number in range(start, min(start + COHORT, world.customers)):
            for one in _customer(world.dice(f"customer/{number}"), number):
                found[type(one)].append(one)
        buyers, deals, one_offs, waiting, notes, refunds, disputes = (
            tuple(found[kind]) for kind in (Buyer, Deal, OneOff, Waiting, Note, Refund, Dispute)
        )
        ledgers = {key: entries for ledger in found[dict] for key, entries in ledger.items()}
        yield Cohort(world, f"/{start}", buyers, deals, one_offs, waiting, ledgers, notes, (), refunds, disputes)


def _customer(dice: Random, number: int) -> Iterator[Any]:
    """A customer, and whatever it has; entries of its balance are in a hash by its key."""
    model = dice.choice(_MODELS)
    street, _, rest = model.where.partition("|")
    type_, _, value = model.tax_id.partition(":")
    codes = model.wallet.split()
    # The name of a small business in the customer's language, of a family or place and a trade; else in English.
    said = _HELD["names"].get(model.locale[:2]) or _HELD["names"]["en"]
    buyer = model._replace(
        key=f"{dice.choice(_HELD['words'])}.{number}",
        name=said["pattern"].format(dice.choice(said.get("names", _FAMILIES)), dice.choice(said["trades"])),
        where=f"{re.sub('[0-9]+', str(dice.randint(1, 199)), street, count=1)}|{rest}",
        wallet=" ".join(codes[: 2 if dice.random() < 0.2 else 1]),
        tax_id=f"{type_}:{re.sub('[0-9]', lambda _: dice.choice('0123456789'), value)}" if value and number % 3 == 0 else "",
        phone=f"{model.phone[:-2]}{dice.randint(0, 99):02d}" if model.phone else None,
        days=dice.randint(5, 360),
    )
    yield buyer
    (life,) = dice.choices(list(_LIVES), [one["often"] for one in _LIVES.values()])
    if life == "once":
        yield from _once(dice, buyer)
    elif life != "visitor":
        deal = _deal(dice, buyer, life)
        happened, turn = _event(dice, buyer, deal) if life in ("monthly", "gone", "sent") else (None, "")
        yield deal._replace(turns={deal.bills - 2: turn, **deal.turns}) if turn else deal
        if happened:
            yield happened
        if life == "monthly" and dice.random() < 0.05:
            yield from _once(dice, buyer)
    if dice.random() < 0.02:
        item = Item(f"{buyer.key}.extra", "stand", dice.randint(1, 3))
        yield Waiting(buyer.key, dice.uniform(0.5, 4.5), item)


def _once(dice: Random, buyer: Buyer) -> Iterator[Any]:
    """An invoice without a subscription, and its refund if it has one."""
    key = f"{buyer.key}.once"
    items = (Item(f"{key}/0", dice.choice(("setup", "hub", "stand")), dice.randint(1, 3)),)
    (status,) = dice.choices(("paid", "open", "draft"), (18, 1, 1))
    days = {"paid": (12, 300), "open": (2, 6), "draft": (0.2, 3)}[status]
    yield OneOff(key, buyer.key, status, dice.uniform(*days), items)
    if status == "paid" and dice.random() < 0.1:
        yield Refund(key, dice.choice((25, 50, 100)), dice.uniform(1, 5))


def _event(dice: Random, buyer: Buyer, deal: Deal) -> tuple[Any, str]:
    """What happened to one of a deal's earlier invoices, if something did, and its turn; it is four weeks old at least."""
    number = deal.bills - 2
    bill = f"{deal.key}/{number}"
    automatic = deal.collect == "charge_automatically"
    method = wallet(buyer)[0]
    happened = dice.random()
    if happened < 0.05:
        reason = dice.choice(("requested_by_customer", "requested_by_customer", "duplicate", None))
        return Refund(bill, dice.choice((20, 50, 100)), dice.uniform(1, 15), reason=reason), ""
    if happened < 0.07 and automatic and method.code in _CODES:
        status, least, most = dice.choice(_HELD["disputes"][: 5 if number else 4])
        about = f"{deal.key}/{number - 1}" if status == "won" else bill
        fraud = dice.random() < 0.4
        reason = "fraudulent" if fraud else "product_not_received"
        return Dispute(about, status, reason, dice.uniform(least, most), _CODES[method.code][fraud]), ""
    if happened < 0.10 and not (buyer.tax and LEVIES[buyer.tax].inclusive):
        how = dice.choice(("refund", "refund", "elsewhere"))
        note = dice.choice(("order_change", "product_unsatisfactory", None))
        return Note(bill, bill, dice.uniform(9, 14), dice.choice((10, 25, 50)), how, note), ""
    if happened < 0.12 and number and not deal.discount and automatic and buyer.currency in ("usd", "eur", "gbp"):
        credit = dice.randint(2, 8) * 100
        given = Entry("adjustment", -credit, bill, -5, "Goodwill")
        return {buyer.key: (given, Entry("applied_to_invoice", credit, bill, 0))}, "applied"
    if happened < 0.17 and number and automatic:
        return None, "retry"
    if happened < 0.20 and automatic and not deal.discount and deal.items[0][1] > 3:
        return None, "upgrade"
    return None, ""


def _deal(dice: Random, buyer: Buyer, life: str) -> Deal:
    """A subscription for one of the prices, of the kind that a life brings."""
    most, status, least, greatest = (_LIVES[life][name] for name in ("bills", "status", "least", "most"))
    (product,) = dice.choices(("board", "desk", "fleet"), (11, 6, 3))
    quantity = dice.choice((1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 12)) if product == "board" else 1
    offset = dice.uniform(least, greatest)
    bills = most if most == 1 else dice.randint(1 if life == "yearly" else 2, most)
    more, options, turn = Fields(offset=offset), Fields(), ""
    match life:
        case "trialing":
            options["trial"] = 30
        case "late":
            turn = "open"
        case "gone":
            options["gone"] = dice.randint(1, 9)
            more["feedback"] = dice.choice(_HELD["feedback"])
            turn = "lost" if dice.random() < 0.2 else ""
        case "sent":
            options["collect"] = "send_invoice"
            turn = "open" if offset < 12 else ""
        case "monthly":
            turn = "processing" if wallet(buyer)[0].type in DEBITS and offset < 8 else ""
            if dice.random() < 0.1:
                others = ["PARTNER15"] if product != "board" else []
                options["discount"] = dice.choice(["WELCOME20", *others, *(["SPRING5"] if buyer.currency == "usd" else [])])
    items = ((f"{product}.{'year' if life == 'yearly' else 'month'}", quantity),)
    turns = {bills - 1: turn} if turn else {}
    return Deal(buyer.key, buyer.key, items, bills, status, turns=turns, more=more, **options)
