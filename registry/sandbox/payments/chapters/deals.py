"""What was agreed with whom: the subscriptions, as data from which invoices and payments follow.

``bills`` counts the invoices that the subscription has brought so far, the first one at its start. ``turns`` says what was
special about one of them, by its number from 0; negative numbers count from the newest:

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

from __future__ import annotations

from typing import Any, NamedTuple


class Deal(NamedTuple):
    """A subscription. `items` are (price, quantity) with 0 for what is metered; `gone` months have passed since it ended."""

    key: str
    buyer: str
    items: tuple[tuple[str, int], ...]
    bills: int
    status: str = "active"
    months: int = 1
    gone: int = 0
    trial: int = 0
    discount: str = ""
    collect: str = "charge_automatically"
    turns: dict[int, str] = {}
    more: dict[str, Any] = {}


def _deal(buyer: str, items: str, bills: int, status: str = "active", *, key: str = "", **options: Any) -> Deal:
    pairs = []
    for item in items.split():
        price, _, quantity = item.partition("*")
        pairs.append((price, int(quantity or 1)))
    return Deal(key or buyer, buyer, tuple(pairs), bills, status, **options)


def _yearly(buyer: str, items: str, bills: int, status: str = "active", **options: Any) -> Deal:
    return _deal(buyer, items, bills, status, months=12, **options)


DEALS: tuple[Deal, ...] = (
    _deal("ada.romero", "desk.month", 13, discount="WELCOME20", turns={5: "retry"}),
    _deal("brightwater", "fleet.month relay.calls*0", 13, turns={-3: "threshold"}, more={"threshold": 20_000}),
    _deal("kofi.mensah", "board.month*3", 5, turns={0: "applied"}),
    _deal("lindenhof", "board.month*6", 13, turns={-1: "processing", 4: "upgrade"}, more={"offset": 1.5}),
    _yearly("sato", "desk.year", 2),
    _deal("chen", "desk.month", 4, turns={2: "retry"}),
    _yearly("hangang", "board.year*4", 1),
    _deal("mansour", "fleet.month", 6),
    _yearly("ben.david", "desk.year", 1, discount="PARTNER15"),
    _deal("olsen", "desk.month", 8, turns={3: "retry"}),
    _deal("perrin", "board.month*4", 9, discount="WELCOME20"),
    _deal("harbour.finch", "fleet.month relay.calls*0", 13, turns={6: "applied"}, more={"offset": 12.6}),
    _deal("rao", "desk.month", 3, turns={-1: "action"}, more={"mandate": True, "offset": 0.8}),
    _deal("aurora", "board.month*2", 4, "past_due", turns={-1: "open"}, more={"offset": 6.3}),
    _yearly("quetzal", "board.year*2", 1),
    _deal("northpine", "fleet.month vault.storage*0", 7),
    _deal("wattle", "desk.month", 6, collect="send_invoice"),
    _deal("nowak", "board.month*5", 4),
    _yearly("horakova", "desk.year", 2, more={"cancel_at_period_end": True}),
    _deal("petrova", "board.month*2", 3, "canceled", gone=4, more={"feedback": "too_expensive"}),
    _deal("dimitriou", "desk.month", 5),
    _deal("ivanenko", "board.month*1", 1, "trialing", trial=30, more={"offset": 12.4}),
    _deal("nguyen", "board.month*3", 4),
    _yearly("somchai", "board.year*3", 1),
    _deal("tan.logistics", "fleet.month", 9, turns={-2: "retry"}),
    _yearly("mueller", "fleet.year", 1, discount="PARTNER15"),
    _deal("virtanen", "board.month*2", 3),
    _deal("bergstroem", "desk.month", 4, more={"pause": "keep_as_draft"}, turns={-1: "draft"}),
    _deal("de.vries", "board.month*7", 5),
    _yearly("rossi", "desk.year", 1, discount="WINTER50OFF"),
    _deal("silva", "board.month*1", 2, "unpaid", turns={-1: "open"}, more={"offset": 22.6}),
    _deal("murphy", "board.month*2", 6),
    _deal("popescu", "board.month*1", 1, "incomplete", turns={-1: "action"}, more={"offset": 0.4}),
    _deal("yilmaz", "desk.month", 1, "incomplete_expired", turns={-1: "void"}, more={"offset": 19.5}),
    _deal("okonkwo", "desk.month", 1, "paused", trial=14, more={"offset": 34}),
    _deal("mwangi", "board.month*5", 4),
    _deal("van.wyk", "desk.month", 5, "canceled", gone=2, turns={-1: "lost"}, more={"feedback": "missing_features"}),
    _deal("quispe", "board.month*1", 3),
    _deal("fernandez", "board.month*2", 4, "canceled", gone=1, more={"feedback": "switched_service"}),
    _yearly("rojas", "desk.year", 1),
    _deal("granite.peak", "desk.month", 13),
    _deal("sunny.side", "board.month*1", 4),
    _deal("blue.heron", "fleet.month", 7, discount="PARTNER15"),
    _deal("copper.kettle", "board.month*2", 6, more={"cancel_at": 40}),
    _deal("maple.main", "desk.month", 5, turns={1: "applied"}),
    _yearly("riverbend", "crew.year*120", 1, collect="send_invoice"),
    _deal("cedar", "board.month*8", 7, turns={-1: "processing"}, more={"offset": 2.2}),
    _deal("lantern", "desk.month", 8, discount="SPRING5"),
    _deal("confetti", "board.month*3", 5),
    _deal("brackets", "desk.month", 3, more={"offset": 25.3}),
    _deal("quotes", "board.month*1", 2, more={"offset": 11.6}),
    _yearly("long.name", "board.year*10", 1),
    _deal("nameless", "board.month*1", 3),
    _deal("escape", "desk.month", 4, turns={-1: "draft"}, more={"offset": 0.02}),
    _deal(
        "halden", "fleet.month*3 vault.storage*0", 13, collect="send_invoice", turns={-1: "open"}, more={"days": 30,
        "offset": 7.7},
    ),
    _yearly("halden", "board.year*60", 1, key="halden.board", collect="send_invoice"),
    _deal("nordhafen", "fleet.month", 8, collect="send_invoice", turns={-1: "part"}, more={"offset": 10.1}),
    _deal("prairie.wind", "desk.month", 5, collect="send_invoice", more={"offset": 21.2}),
    _yearly("thistle", "desk.year", 1, collect="send_invoice"),
    _deal("kiwi.orchards", "desk.month", 5),
    _deal("harbor.books", "board.month*4", 6, turns={2: "applied", 4: "applied"}, more={"offset": 8.2}),
    _deal("clock.renewal", "board.month*2", 2),
    _deal("clock.trial", "board.month*1", 1, "trialing", trial=30, more={"offset": 9.1}),
    _deal("clock.broken", "desk.month", 1),
)  # fmt: skip

BY_KEY: dict[str, Deal] = {deal.key: deal for deal in DEALS}
