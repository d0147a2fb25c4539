"""How invoices and what no invoice asked for were paid: payments with their attempts and refunds, as plain values.

The payments dataset writes intents, charges and refunds from them, the ledger what arrived.
"""

from functools import lru_cache
from typing import NamedTuple

from registry.sandbox.payments.datasets.agreed import RECENT, Buyer, Cohort, Dispute, Refund, Sale
from registry.sandbox.payments.datasets.bills import Bill, bills_of, note_total
from registry.sandbox.payments.datasets.goods import GUESTS, PRICES, Method, wallet
from registry.sandbox.payments.datasets.parts import share
from registry.sandbox.payments.shapes import Builder
from registry.sandbox.world import DAY

_WARNINGS = ("warning_closed", "warning_needs_response", "warning_under_review", "prevented")


class Attempt(NamedTuple):
    """A charge. `failure` is the code of what went wrong."""

    key: str
    created: int
    status: str
    failure: str | None = None


class Back(NamedTuple):
    """A refund as it was agreed. `moves` when the money left the balance."""

    key: str
    created: int
    amount: int
    agreed: Refund
    moves: bool


class Payment(NamedTuple):
    """A payment intent with its charges. `method` is a payment method's key, `type` its type."""

    key: str
    buyer: Buyer | None
    bill: Bill | None
    sale: Sale | None
    amount: int
    currency: str
    created: int
    status: str
    method: str | None
    type: str
    wallet: Method | None
    attempts: tuple[Attempt, ...]
    canceled: str | None = None
    canceled_at: int | None = None
    text: str | None = None
    refunds: tuple[Back, ...] = ()
    dispute: Dispute | None = None

    @property
    def captured(self) -> bool:
        """Whether the money was taken and not only held."""
        return self.status not in ("requires_capture", "canceled")


def charge_prefix(payment: Payment) -> str:
    """Charges of cards are named differently from others."""
    return "ch_" if payment.type in ("card", "card_present", "interac_present") else "py_"


def charge_id(builder: Builder, payment: Payment, attempt: Attempt) -> str:
    """The id of one of a payment's charges."""
    return builder.id("charge", attempt.key, charge_prefix(payment))


def last_charge(builder: Builder, payment: Payment) -> str | None:
    """The id of the newest of a payment's charges."""
    return charge_id(builder, payment, payment.attempts[-1]) if payment.attempts else None


def refund_id(builder: Builder, payment: Payment, back: Back) -> str:
    """The id of one of a payment's refunds."""
    return builder.id("refund", back.key, "re_" if charge_prefix(payment) == "ch_" else "pyr_")


def dispute_prefix(dispute: Dispute) -> str:
    """Newer disputes are named differently from older ones."""
    return "du_" if dispute.days < 60 else "dp_"


def withdrawn(dispute: Dispute) -> bool:
    """Whether a dispute took the money away, at least for a time."""
    return dispute.status not in _WARNINGS


def _put(found: dict[str, Payment], refund: Refund, amount: int | None = None) -> None:
    """Put a refund to its payment: of its share, or of another amount."""
    payment = found[refund.key]
    key, last = f"{payment.key}/r{len(payment.refunds)}", payment.attempts[-1]
    amount = share(payment.amount, refund.percent) if amount is None else amount
    moves = payment.captured and refund.status in ("succeeded", "failed") and last.status == "succeeded"
    back = Back(key, last.created + int(refund.days * DAY), amount, refund, moves)
    found[payment.key] = payment._replace(refunds=(*payment.refunds, back))


def _of_sale(cohort: Cohort, sale: Sale) -> Payment:
    made, key = cohort.world.now - int(sale.days * DAY), sale.key
    buyer = cohort.by_key[sale.buyer] if sale.buyer else None
    held = None
    if sale.method and (buyer or sale.channel == "shop"):
        held = next(method for method in (wallet(buyer) if buyer else GUESTS) if method.key == sale.method)
    type_ = held.type if held else "card"
    if sale.channel == "till":
        type_ = "interac_present" if key == "till/3" else "card_present"
    price = int(PRICES["hub"].unit(sale.currency))
    tried = {"succeeded": "succeeded", "requires_capture": "succeeded", "processing": "pending"}.get(sale.status)
    charged = "failed" if sale.failure else "succeeded" if key == "hold.late" else tried
    attempts = (Attempt(f"{key}/0", made + 3, charged, sale.failure),) if charged else ()
    canceled_at = made + (7 if sale.reason == "expired" else 1) * DAY if sale.status == "canceled" else None
    return Payment(
        key, buyer, None, sale, sale.amount or price - share(price, 10), sale.currency, made, sale.status, sale.method, type_,
        held, attempts, sale.reason, canceled_at, sale.text,
    )  # fmt: skip


@lru_cache(maxsize=RECENT)
def payments(cohort: Cohort) -> dict[str, Payment]:
    """Every payment by its key, those of invoices under the invoice's key."""
    found: dict[str, Payment] = {}
    for bill in bills_of(cohort).values():
        if bill.finalized is None or bill.due <= 0:
            continue
        found[bill.key] = _of_bill(bill, bill.key)
        if bill.turn == "part":
            key = f"{bill.key}/part"
            found[key] = _of_bill(bill, key)._replace(
                amount=bill.paid,
                created=bill.finalized + 2 * DAY,
                status="succeeded",
                attempts=(Attempt(f"{key}/0", bill.finalized + 2 * DAY, "succeeded"),),
            )
            found[bill.key] = found[bill.key]._replace(amount=bill.due - bill.paid)
    found |= {sale.key: _of_sale(cohort, sale) for sale in cohort.sales}
    for dispute in cohort.disputes:
        found[dispute.key] = found[dispute.key]._replace(dispute=dispute)
    for refund in cohort.refunds:
        _put(found, refund)
    for note in cohort.notes:
        if note.how == "refund":
            amount = note_total(bills_of(cohort)[note.bill], note)
            _put(found, Refund(note.bill, 0, note.days, reason=None), amount)
    return found


def _of_bill(bill: Bill, key: str) -> Payment:
    assert bill.finalized is not None
    made = bill.finalized
    usual = next(iter(wallet(bill.buyer)), None)
    sent = bill.collect == "send_invoice"
    tried: tuple[tuple[int, str, str | None], ...] = ()
    status, canceled, canceled_at = "requires_payment_method", None, None
    match bill.turn:
        case "open" | "lost" if not sent:
            tried = ((2, "failed", "insufficient_funds" if bill.turn == "open" else "expired_card"),)
        case "action":
            status = "requires_action"
        case "processing":
            status, tried = "processing", ((2, "pending", None),)
        case "void":
            status, canceled_at = "canceled", made + DAY - 3_600
            canceled = "failed_invoice" if bill.deal else "void_invoice"
        case "retry":
            status, tried = "succeeded", ((2, "failed", "generic_decline"), (2 * DAY + 5, "succeeded", None))
        case _ if bill.status == "paid":
            status, tried = "succeeded", ((2 if not sent else (bill.paid_at or made) - made - 4, "succeeded", None),)
    attempts = tuple(Attempt(f"{key}/{number}", made + wait, how, why) for number, (wait, how, why) in enumerate(tried))
    held = usual if attempts or status == "requires_action" else None
    method, type_ = (held.key, held.type) if held else (None, "card")
    return Payment(
        key, bill.buyer, bill, None, bill.due, bill.buyer.currency, made, status, method, type_, held, attempts, canceled,
        canceled_at,
    )  # fmt: skip
