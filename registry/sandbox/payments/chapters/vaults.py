"""The company's financial accounts as data: what flowed in and out of them, and in which steps.

A flow is one object (a transfer, payment, credit, debit or reversal). Its steps are the entries of its transaction, each of
which moves money between cash and what is still under way; the balances of the accounts are the sums of all entries.
"""

from __future__ import annotations

from typing import NamedTuple

from registry.sandbox.payments.chapters import spending
from registry.sandbox.payments.chapters.spending import CARD
from registry.sandbox.world import DAY, HOUR, World

Impact = tuple[int, int, int]
"""Cash, inbound pending, outbound pending; in cents."""


class Step(NamedTuple):
    """An entry, so many hours after its flow was made, and what it does for each cent."""

    type: str
    hours: float
    impact: Impact


class Flow(NamedTuple):
    """A flow over so many cents, made so many days ago. `of` is the flow that it reverses."""

    kind: str
    key: str
    account: str
    amount: int
    days: float
    status: str
    text: str
    network: str = "ach"
    of: str = ""
    more: str = ""


class Account(NamedTuple):
    """A financial account."""

    key: str
    nickname: str
    status: str
    days: int


ACCOUNTS: tuple[Account, ...] = (
    Account("operating", "Operating", "open", 420),
    Account("payroll", "Payroll", "open", 400),
    Account("old", "Before the move", "closed", 700),
)

_OUT = (-1, 0, 1)
_SENT = (0, 0, -1)
_BACK = (1, 0, -1)
_AWAITED = (0, 1, 0)
_ARRIVED = (1, -1, 0)
_MISSED = (0, -1, 0)

_STEPS: dict[tuple[str, str], tuple[Step, ...]] = {
    ("received_credit", "succeeded"): (Step("received_credit", 0, (1, 0, 0)),),
    ("received_debit", "succeeded"): (Step("received_debit", 0, (-1, 0, 0)),),
    ("inbound_transfer", "processing"): (Step("inbound_transfer", 0, _AWAITED),),
    ("inbound_transfer", "succeeded"): (Step("inbound_transfer", 0, _AWAITED), Step("inbound_transfer", 48, _ARRIVED)),
    ("inbound_transfer", "failed"): (Step("inbound_transfer", 0, _AWAITED), Step("inbound_transfer_return", 48, _MISSED)),
    ("inbound_transfer", "canceled"): (Step("inbound_transfer", 0, _AWAITED), Step("inbound_transfer_return", 1, _MISSED)),
    ("credit_reversal", "processing"): (Step("credit_reversal", 0, _OUT),),
    ("credit_reversal", "posted"): (Step("credit_reversal", 0, _OUT), Step("credit_reversal_posting", 24, _SENT)),
    ("credit_reversal", "canceled"): (Step("credit_reversal", 0, _OUT), Step("credit_reversal", 2, _BACK)),
    ("debit_reversal", "processing"): (Step("debit_reversal", 0, _AWAITED),),
    ("debit_reversal", "succeeded"): (Step("debit_reversal", 0, _AWAITED), Step("debit_reversal", 24, _ARRIVED)),
    ("issuing_authorization", "pending"): (Step("issuing_authorization_hold", 0, _OUT),),
    ("issuing_authorization", "closed"): (
        Step("issuing_authorization_hold", 0, _OUT),
        Step("issuing_authorization_release", 48, _BACK),
    ),
    ("other", "posted"): (Step("other", 0, (1, 0, 0)),),
}
for _kind in ("outbound_payment", "outbound_transfer"):
    _STEPS[_kind, "processing"] = (Step(_kind, 0, _OUT),)
    _STEPS[_kind, "posted"] = (Step(_kind, 0, _OUT), Step(f"{_kind}_posting", 26, _SENT))
    _STEPS[_kind, "failed"] = (Step(_kind, 0, _OUT), Step(f"{_kind}_failure", 30, _BACK))
    _STEPS[_kind, "canceled"] = (Step(_kind, 0, _OUT), Step(f"{_kind}_cancellation", 1, _BACK))
    _STEPS[_kind, "returned"] = _STEPS[_kind, "posted"]

_FLOWS: tuple[Flow, ...] = (
    Flow("received_credit", "seed", "operating", 9_000_000, 410, "succeeded", "Funding round", "us_domestic_wire"),
    Flow(
        "received_credit", "payroll.seed", "payroll", 4_500_000, 395, "succeeded", "From operating", "stripe", of="to.payroll"
    ),
    Flow("received_credit", "platform", "operating", 240_000, 96, "succeeded", "Payout of the week", "stripe"),
    Flow("received_credit", "wrong", "operating", 51_200, 84, "succeeded", "Meant for somebody else"),
    Flow("received_credit", "twice", "operating", 17_000, 20, "succeeded", "Paid twice"),
    Flow("received_credit", "kept", "payroll", 8_800, 35, "succeeded", "Refund of an insurance"),
    Flow(
        "received_credit",
        "abroad",
        "operating",
        99_000,
        27.6,
        "failed",
        "Payment from abroad",
        more="international_transaction",
    ),
    Flow("received_credit", "late", "old", 4_000, 500, "failed", "Arrived after closing", more="account_closed"),
    Flow("received_credit", "frozen", "old", 2_000, 480, "failed", "Arrived too late", more="account_frozen"),
    Flow("received_credit", "odd", "operating", 10, 88, "failed", "Test of a bank", more="other"),
    Flow("received_credit", "payroll.odd", "payroll", 3_000, 50, "succeeded", "Sent within the platform", "stripe"),
    Flow("credit_reversal", "payroll.odd", "payroll", 3_000, 49, "posted", "Reversal", "stripe", of="payroll.odd"),
    Flow("credit_reversal", "wrong", "operating", 51_200, 82, "posted", "Reversal", of="wrong"),
    Flow("credit_reversal", "twice", "operating", 17_000, 0.7, "processing", "Reversal", of="twice"),
    Flow("credit_reversal", "kept", "payroll", 8_800, 34, "canceled", "Reversal", of="kept"),
    Flow("inbound_transfer", "june", "operating", 500_000, 150, "succeeded", "Top up"),
    Flow("inbound_transfer", "july", "operating", 300_000, 118, "succeeded", "Top up", more="returned"),
    Flow("inbound_transfer", "august", "operating", 250_000, 1.1, "processing", "Top up"),
    Flow("inbound_transfer", "bounced", "payroll", 90_000, 61, "failed", "Top up", more="insufficient_funds"),
    Flow("inbound_transfer", "mistaken", "operating", 10_000, 25, "canceled", "Top up"),
    Flow("outbound_transfer", "to.payroll", "operating", 4_500_000, 396, "posted", "To payroll", "stripe"),
    Flow("outbound_transfer", "to.savings", "operating", 150_000, 73, "posted", "To savings"),
    Flow("outbound_transfer", "today", "operating", 20_000, 0.5, "processing", "To checking"),
    Flow("outbound_transfer", "closed", "payroll", 12_000, 45, "returned", "To checking", more="account_closed"),
    Flow("outbound_transfer", "refused", "operating", 7_500, 66, "failed", "To checking", "us_domestic_wire"),
    Flow("outbound_transfer", "undone", "payroll", 33_000, 14, "canceled", "To savings"),
    Flow("outbound_payment", "catering.1", "operating", 410_000, 62, "posted", "Catering"),
    Flow("outbound_payment", "catering.2", "operating", 410_000, 31, "posted", "Catering", "us_domestic_wire"),
    Flow("outbound_payment", "catering.3", "operating", 410_000, 0.3, "processing", "Catering"),
    Flow("outbound_payment", "wages", "payroll", 2_150_000, 12, "posted", "Wages"),
    Flow("outbound_payment", "stranger", "payroll", 18_000, 28, "returned", "Contractor", more="no_account"),
    Flow("outbound_payment", "typo", "operating", 1_234, 55, "failed", "Contractor"),
    Flow("outbound_payment", "second.thoughts", "operating", 66_000, 17, "canceled", "Deposit"),
    Flow("received_debit", "power", "operating", 31_240, 47, "succeeded", "Electricity"),
    Flow("received_debit", "gym", "operating", 5_900, 30, "succeeded", "Gym, nobody knows which"),
    Flow("received_debit", "fax", "operating", 2_500, 3, "succeeded", "Fax line"),
    Flow("received_debit", "unknown", "operating", 7_700, 58, "succeeded", "Unknown creditor"),
    Flow("received_debit", "much", "payroll", 90_000_000, 22, "failed", "More than there is", more="insufficient_funds"),
    Flow("received_debit", "old.closed", "old", 1_500, 470, "failed", "Subscription", more="account_closed"),
    Flow("received_debit", "old.frozen", "old", 1_500, 490, "failed", "Subscription", more="account_frozen"),
    Flow("received_debit", "abroad", "operating", 7_000, 33, "failed", "Toll abroad", more="international_transaction"),
    Flow("received_debit", "odd", "operating", 1_100, 32, "failed", "Wrong format", more="other"),
    Flow("received_debit", "platform", "operating", 6_400, 26, "succeeded", "Negative balance", "stripe"),
    Flow("debit_reversal", "gym", "operating", 5_900, 29, "succeeded", "Reversal", of="gym"),
    Flow("debit_reversal", "fax", "operating", 2_500, 2, "processing", "Reversal", of="fax"),
    Flow("debit_reversal", "unknown", "operating", 7_700, 57, "failed", "Reversal", of="unknown"),
    Flow("other", "interest", "payroll", 1_217, 90, "posted", "Interest"),
)


def flows(world: World) -> list[Flow]:
    """All flows, those of the cards that are funded from a financial account included."""
    found = list(_FLOWS)
    for spend in spending.SPENDS:
        if not CARD[spend.card].treasury:
            continue
        found.append(
            Flow("issuing_authorization", spend.key, "operating", spend.amount, spend.days, spend.status, "Card", "card")
        )
        taken = spending.captured(world, spend)
        if taken:
            days = (world.now - taken) / DAY
            found.append(
                Flow("received_debit", f"card/{spend.key}", "operating", spend.amount, days, "succeeded", "Card", "card")
            )
        if spend.dispute == "won":
            days = (world.now - spending.disputed(world, spend)) / DAY
            of = f"card/{spend.key}"
            found.append(Flow("debit_reversal", spend.key, "operating", spend.amount, days, "succeeded", "Won", "card", of))
    return found


def steps(flow: Flow) -> tuple[Step, ...]:
    """The entries of a flow's transaction; none for a flow that never began."""
    return _STEPS.get((flow.kind, flow.status), ())


def made(world: World, flow: Flow) -> int:
    """When the flow was made."""
    return world.now - int(flow.days * DAY)


def after(moment: int, hours: float) -> int:
    """So many hours later."""
    return moment + int(hours * HOUR)
