"""Credits as data: what moved the balances of customers, and the credit notes.

A customer's entries stand in order. `bill` and `days` say when: so many days after that invoice (before it when negative).
Sums follow from the order, and `applied_to_invoice` empties the balance into the invoice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Entry(NamedTuple):
    """A customer balance transaction; a negative amount is the customer's credit."""

    type: str
    amount: int
    bill: str
    days: float
    description: str | None = None
    note: str | None = None
    session: str | None = None


class Note(NamedTuple):
    """A credit note over a part of each line of an invoice.

    `how` is what the customer got: ``due`` (less to pay), ``refund``, ``balance`` or ``elsewhere``; ``mixed`` is due and
    balance together. `share` is in percent of the invoice's lines.
    """

    key: str
    bill: str
    days: float
    share: float
    how: str
    reason: str | None
    memo: str | None = None
    void: bool = False


LEDGERS: dict[str, tuple[Entry, ...]] = {
    "harbour.finch": (
        Entry("adjustment", -5_000, "harbour.finch/6", -5, "Apology for the outage in the spring"),
        Entry("applied_to_invoice", 5_000, "harbour.finch/6", 0),
    ),
    "maple.main": (
        Entry("credit_note", -2_450, "maple.main/0", 10, note="maple.main"),
        Entry("applied_to_invoice", 2_450, "maple.main/1", 0),
    ),
    "kofi.mensah": (
        Entry("initial", -1_000, "kofi.mensah/0", -1, "Carried over from the paper ledger"),
        Entry("applied_to_invoice", 1_000, "kofi.mensah/0", 0),
    ),
    "harbor.books": (
        Entry("migration", -900, "harbor.books/1", 4),
        Entry("unspent_receiver_credit", -600, "harbor.books/1", 9, "Left over of a bank transfer"),
        Entry("adjustment", 100, "harbor.books/1", 12, "Correction"),
        Entry("applied_to_invoice", 1_400, "harbor.books/2", 0),
        Entry("invoice_too_small", 30, "harbor.books.small", 0),
        Entry("applied_to_invoice", -30, "harbor.books/4", 0),
    ),
    "brackets": (
        Entry("adjustment", -700, "brackets.void", -3, "Goodwill, see ticket 4471"),
        Entry("applied_to_invoice", 700, "brackets.void", 0),
        Entry("unapplied_from_invoice", -700, "brackets.void", 2),
    ),
    "prairie.wind": (Entry("invoice_overpaid", -500, "prairie.wind/4", 8),),
    "nordhafen": (Entry("credit_note", -2_000, "nordhafen/7", 4, note="nordhafen"),),
    "quotes": (
        Entry("checkout_session_subscription_payment", -1_500, "quotes/1", 1, session="renew.quotes"),
        Entry("checkout_session_subscription_payment_canceled", 1_500, "quotes/1", 2, session="renew.quotes"),
    ),
}

NOTES: tuple[Note, ...] = (
    Note("maple.main", "maple.main/0", 10, 50, "balance", "product_unsatisfactory", "Half a month for the lost bookings."),
    Note("brightwater", "brightwater/10", 3, 10, "refund", "order_change"),
    Note("lantern", "lantern/4", 6, 100, "elsewhere", "duplicate", "Paid by cheque as well."),
    Note("halden", "halden/12", 2, 5, "due", "order_change", "One site closed in the middle of the month."),
    Note("nordhafen", "nordhafen/7", 4, 20, "mixed", None),
    Note("confetti", "confetti/2", 1, 100, "elsewhere", "fraudulent", "Issued by mistake.", True),
)


def starting_balances(ledgers: Mapping[str, Sequence[Entry]]) -> dict[str, int]:
    """What the customer's balance stood at when it was applied to an invoice, by the invoice's key."""
    found = {}
    for entries in ledgers.values():
        total = 0
        for entry in entries:
            if entry.type == "applied_to_invoice":
                found[entry.bill] = total
            total += entry.amount
    return found
