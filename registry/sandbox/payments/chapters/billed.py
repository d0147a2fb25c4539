"""How invoices were paid: their payments, put together with those that no invoice asked for."""

from __future__ import annotations

from functools import lru_cache

from registry.sandbox.payments.chapters.cohort import RECENT, Cohort
from registry.sandbox.payments.chapters.methods import wallet
from registry.sandbox.payments.chapters.paying import Attempt, Payment, give_back, settle_later, sold
from registry.sandbox.payments.chapters.sales import Refund
from registry.sandbox.payments.chapters.story import Bill, note_total, story
from registry.sandbox.world import DAY


@lru_cache(maxsize=RECENT)
def payments(cohort: Cohort) -> dict[str, Payment]:
    """Every payment by its key, those of invoices under the invoice's key."""
    found: dict[str, Payment] = {}
    for bill in story(cohort).values():
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
    settle_later(cohort, found)
    for note in cohort.notes:
        if note.how == "refund":
            amount = note_total(story(cohort)[note.bill], note)
            give_back(found, found[note.bill], amount, Refund(note.bill, 0, note.days, reason=None))
    return found | sold(cohort)


def _of_bill(bill: Bill, key: str) -> Payment:
    assert bill.finalized is not None
    made = bill.finalized
    usual = wallet(bill.buyer)[0] if wallet(bill.buyer) else None
    sent = bill.collect == "send_invoice"
    attempts: tuple[Attempt, ...] = ()
    status, canceled, canceled_at = "requires_payment_method", None, None
    match bill.turn:
        case "open" | "lost" if not sent:
            attempts = (
                Attempt(f"{key}/0", made + 2, "failed", "insufficient_funds" if bill.turn == "open" else "expired_card"),
            )
        case "action":
            status = "requires_action"
        case "processing":
            status = "processing"
            attempts = (Attempt(f"{key}/0", made + 2, "pending"),)
        case "void":
            status, canceled_at = "canceled", made + DAY - 3_600
            canceled = "failed_invoice" if bill.deal else "void_invoice"
        case "retry":
            status = "succeeded"
            attempts = (
                Attempt(f"{key}/0", made + 2, "failed", "generic_decline"),
                Attempt(f"{key}/1", made + 2 * DAY + 5, "succeeded"),
            )
        case _ if bill.status == "paid":
            status = "succeeded"
            delay = 2 if not sent else (bill.paid_at or made) - made - 4
            attempts = (Attempt(f"{key}/0", made + delay, "succeeded"),)
    held = usual if attempts or status == "requires_action" else None
    method, type_ = (held.key, held.type) if held else (None, "card")
    return Payment(
        key, bill.buyer, bill, None, bill.due, bill.buyer.currency, made, status, method, type_, held, attempts, canceled,
        canceled_at,
    )  # fmt: skip
