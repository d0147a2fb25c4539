"""The conditions for reading or deleting an existing object."""

from __future__ import annotations

from registry.sandbox.payments.calls import Call
from registry.sandbox.payments.errors import missing, refused
from registry.sandbox.payments.reading import Found
from registry.sandbox.payments.removing import Remover
from registry.sandbox.store import StoredRow
from registry.sandbox.world import DAY

EVENT_AGE = 30 * DAY
"""How long an event can be read, in seconds."""


def young_event(call: Call, row: StoredRow) -> None:
    """Events can be read for thirty days."""
    if row.created < call.now - EVENT_AGE:
        raise missing("event", row.id, call.names[0])


def unexpired_calculation(call: Call, row: StoredRow) -> None:
    """A tax calculation is gone once it has expired."""
    expires_at = row.body.get("expires_at")
    if expires_at is not None and expires_at <= call.now:
        raise missing("tax.calculation", row.id, call.names[0])


def report_for_mode(call: Call, row: StoredRow) -> None:
    """Some reports use live data only."""
    if row.body.get("_live_only") and not call.key.live:
        raise refused(f"The report type {row.id} is available with a live mode key only.", param=call.names[0])


def clock_is_not_advancing(remover: Remover, found: Found) -> None:
    """While a test clock advances, objects that belong to it, directly or through a customer, cannot be changed.

    The clock itself can be deleted at any time.
    """
    reader, body = remover.reader, found.row.body
    clock, customer = body.get("test_clock"), body.get("customer") if found.kind != "customer" else None
    if clock is None and isinstance(customer, str):
        held = reader.get("customer", customer)
        clock = held.body.get("test_clock") if held else None
    row = reader.get("test_helpers.test_clock", clock) if clock else None
    if row is not None and row.body["status"] == "advancing":
        raise refused(f"The test clock {row.id} is advancing, and what is on it cannot be changed until it is ready.")


CLOCK_NEEDS = ("customer", "test_helpers.test_clock")
"""The kinds that the look at a test clock needs."""


def person_may_go(remover: Remover, row: StoredRow) -> None:
    """The person who opened the account stays, and so does the only executive whose identity is verified."""
    if _role(row, "representative"):
        raise refused("This person opened the account and cannot be deleted.", param="person")
    if _verified_executive(row):
        people = remover.reader.every(("person",), {"account": row.body.get("account")})
        if sum(_verified_executive(person.row) for person in people) == 1:
            raise refused("This person is the only verified executive of the account and cannot be deleted.", param="person")


def external_account_may_go(_: Remover, row: StoredRow) -> None:
    """Payouts of a currency need an account to go to."""
    if row.body.get("default_for_currency"):
        raise refused(
            f"This external account is the default for {row.body.get('currency')}. Make another one the default for that "
            "currency, and then delete this one.",
            param="id",
        )


def invoice_may_go(_: Remover, row: StoredRow) -> None:
    """Only one-off drafts can be deleted."""
    if row.body.get("status") != "draft":
        raise refused("Only draft invoices can be deleted.", code="invoice_not_editable", param="invoice")
    if (row.body.get("parent") or {}).get("subscription_details"):
        raise refused("This invoice belongs to a subscription and cannot be deleted. Void it instead.", param="invoice")


def invoice_item_may_go(remover: Remover, row: StoredRow) -> None:
    """An item on a finalized invoice cannot be deleted."""
    invoice = row.body.get("invoice")
    held = remover.reader.get("invoice", invoice) if invoice else None
    if held is not None and held.body.get("status") != "draft":
        raise refused(
            f"This invoice item is on the invoice {held.id}, which is no longer editable.",
            code="invoice_not_editable",
            param="invoiceitem",
        )


def account_may_go(remover: Remover, row: StoredRow) -> None:
    """Accounts that the platform controls can be deleted: test accounts at any time, live ones if no money is left.

    A live account (marked by a hidden field) that uses the standard dashboard, and for whose losses the payments platform is
    liable, cannot be deleted.
    """
    body = row.body
    controller = body.get("controller") or {}
    if body.get("_own"):
        raise refused("Your own account cannot be deleted through the API.", param="account")
    if controller.get("type") == "account":
        raise refused("This application is not authorized to delete this account.")
    if not body.get("_live"):
        return
    standard = (controller.get("stripe_dashboard") or {}).get("type") == "full" or body.get("type") == "standard"
    if standard and (controller.get("losses") or {}).get("payments") == "stripe":
        raise refused("Accounts with a dashboard of their own and losses on the platform cannot be deleted.", param="account")
    balance = remover.reader.store.get("balance", row.id)
    parts = [part for name in ("available", "pending") for part in (balance.body.get(name, ()) if balance else ())]
    if any(part["amount"] for part in parts):
        raise refused("This account has a balance other than zero and cannot be deleted.", param="account")


def product_may_go(remover: Remover, row: StoredRow) -> None:
    """A product goes after its prices."""
    if remover.reader.count("price", {"product": row.id}):
        raise refused("This product cannot be deleted because it has one or more user-created prices.")


def value_list_may_go(_: Remover, row: StoredRow) -> None:
    """A list that a rule looks into stays."""
    if row.body.get("_rules"):
        raise refused(
            "This value list is used by one or more rules. Take it out of them before you delete it.", param="value_list"
        )


def _role(person: StoredRow, name: str) -> bool:
    return bool((person.body.get("relationship") or {}).get(name))


def _verified_executive(person: StoredRow) -> bool:
    return _role(person, "executive") and (person.body.get("verification") or {}).get("status") == "verified"
