"""Invoices that no subscription brought, and items that wait for one, as data."""

from __future__ import annotations

from typing import NamedTuple


class Item(NamedTuple):
    """An invoice item: a price and a quantity, or an amount in the customer's currency."""

    key: str
    price: str | None
    quantity: int = 1
    amount: int = 0
    description: str | None = None


class OneOff(NamedTuple):
    """A one-off invoice, made so many days ago. `status` as in `deals`, or ``paid`` or ``open``."""

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


ONE_OFFS: tuple[OneOff, ...] = (
    OneOff("ada.romero.setup", "ada.romero", "paid", 361, (Item("ada.setup", "setup"),), description="Set-up, two sessions"),
    OneOff(
        "brightwater.hubs", "brightwater", "paid", 130,
        (Item("brightwater.hubs", "hub", 4), Item("brightwater.stands", "stand", 4)),
    ),
    OneOff("lantern.draft", "lantern", "draft", 3.2, (Item("lantern.setup", "setup"),), description="To be checked by finance"),
    OneOff(
        "cedar.draft", "cedar", "draft", 1.1,
        (Item("cedar.hub", "hub", 2), Item("cedar.freight", None, 1, 1_850, "Freight")),
    ),
    OneOff("gallery.draft", "gallery", "draft", 40.0, ()),
    OneOff(
        "thistle.training", "thistle", "open", 9.5, (Item("thistle.training", "setup", 2),), collect="send_invoice",
        description="Training for the new shop",
    ),
    OneOff("granite.late", "granite.peak", "open", 5.0, (Item("granite.late", None, 1, 12_000, "Data recovery"),)),
    OneOff("brackets.void", "brackets", "void", 15.0, (Item("brackets.hub", "hub"),), description="Sent to a wrong address"),
    OneOff("fernandez.lost", "fernandez", "lost", 120.0, (Item("fernandez.setup", "setup"),)),
    OneOff("harbor.books.small", "harbor.books", "paid", 58.0, (Item("harbor.small", None, 1, 30, "Postage"),)),
    OneOff("riverbend.first", "riverbend", "void", 88.0, (Item("riverbend.hubs.1", "hub", 6),), collect="send_invoice"),
    OneOff(
        "riverbend.second", "riverbend", "paid", 86.0, (Item("riverbend.hubs.2", "hub", 5),), collect="send_invoice",
        revises="riverbend.first",
    ),
    OneOff(
        "silva.pending", "silva", "paid", 50.0, (Item("silva.pending", "stand", 1),),
        "automatic_pending_invoice_item_invoice",
    ),
    OneOff("wattle.quote", "wattle", "paid", 75.0, (Item("wattle.setup", "setup"),), "quote_accept", quote="wattle"),
)  # fmt: skip

WAITING: tuple[Waiting, ...] = (
    Waiting("ada.romero", 2.5, Item("ada.extra", None, 1, 3_500, "Extra import, two hours")),
    Waiting("halden", 4.1, Item("halden.stands", "stand", 12)),
    Waiting("tan.logistics", 1.4, Item("tan.credit", None, 1, -2_000, "Goodwill")),
    Waiting("gallery", 20.0, Item("gallery.item", None, 1, 999, "Item without an invoice")),
)
