"""Operations that delete an object, and what goes or changes with it.

Deleted objects are kept under their kind and id, for the few responses that still show them.
"""

from typing import Any

from registry.sandbox.payments.errors import ApiError, missing, refused
from registry.sandbox.payments.operations import DECLARED, Call
from registry.sandbox.payments.reading import GONE, Found, Reader, of_owner
from registry.sandbox.payments.rendering import Json, deleted
from registry.sandbox.payments.retrieving import bearer
from registry.sandbox.payments.shapes import kinds_of, shapes
from registry.sandbox.store import Body, FieldCondition, OneOf, Other, StoredRow


def delete(call: Call) -> Json:
    """Delete the object whose id ends the path; returns its short form."""
    with call.reader.changes() as reader:
        found = call.found()
        _stays_on_clock(reader, found)
        if refusal := _has_to_stay(reader, found.kind, found.row):
            raise refusal
        for by, kinds in DECLARED["parts"].get(found.kind, {}).items():
            for part in reader.every(kinds, {by: found.row.id}):
                _remove(reader, part)
        _change_others(reader, found)
        _remove(reader, found)
    return deleted(found.kind, found.row.id)


def remove_discount(call: Call) -> Json:
    """Remove the discount of a customer or a subscription; returns it as it was, marked as deleted."""
    with call.reader.changes() as reader:
        bearing, row = bearer(call)
        _stays_on_clock(reader, bearing)
        if bearing.kind == "customer":
            _update(reader, bearing, discount=None)
        else:
            _update(reader, bearing, discounts=bearing.row.body["discounts"][1:])
        _remove(reader, Found("discount", row))
        return call.show("discount", row) | {"deleted": True}


def _remove(reader: Reader, found: Found) -> None:
    kind, row = found
    reader.store.add(GONE, [(f"{kind}/{row.id}", row.created, row.body)])
    if not reader.store.remove(kind, row.id):
        raise missing(kind, row.id, "id")


def _update(reader: Reader, found: Found, **fields: Any) -> None:
    reader.store.replace(found.kind, found.row.id, found.row.body | fields)


def _stays_on_clock(reader: Reader, found: Found) -> None:
    """While a test clock advances, objects that belong to it, directly or through a customer, cannot be changed.

    The clock itself can be deleted at any time.
    """
    body = found.row.body
    clock, customer = body.get("test_clock"), body.get("customer") if found.kind != "customer" else None
    if clock is None and isinstance(customer, str) and (held := reader.get("customer", customer)):
        clock = held.body.get("test_clock")
    row = reader.get("test_helpers.test_clock", clock)
    if row is not None and row.body["status"] == "advancing":
        raise refused(f"The test clock {row.id} is advancing, and what is on it cannot be changed until it is ready.")


def _has_to_stay(reader: Reader, kind: str, row: StoredRow) -> ApiError | None:
    body = row.body
    match kind:
        case "account":
            return _account_has_to_stay(reader, row)
        case "person" if (body.get("relationship") or {}).get("representative"):
            return refused("This person opened the account and cannot be deleted.", param="person")
        case "person" if _verified_executive(body):
            people = reader.every(("person",), {"account": body.get("account")})
            if sum(_verified_executive(person.row.body) for person in people) == 1:
                message = "This person is the only verified executive of the account and cannot be deleted."
                return refused(message, param="person")
        case "bank_account" | "card" if body.get("default_for_currency"):
            message = "Make another one the default for that currency, and then delete this one."
            return refused(f"This external account is the default for {body.get('currency')}. {message}", param="id")
        case "invoice" if body.get("status") != "draft":
            return refused("Only draft invoices can be deleted.", code="invoice_not_editable", param="invoice")
        case "invoice" if (body.get("parent") or {}).get("subscription_details"):
            return refused("This invoice belongs to a subscription and cannot be deleted. Void it instead.", param="invoice")
        case "invoiceitem":
            held = reader.get("invoice", body.get("invoice"))
            if held is not None and held.body.get("status") != "draft":
                message = f"This invoice item is on the invoice {held.id}, which is no longer editable."
                return refused(message, code="invoice_not_editable", param="invoiceitem")
        case "product" if reader.every(("price",), {"product": row.id}):
            return refused("This product cannot be deleted because it has one or more user-created prices.")
        case "radar.value_list" if body.get("_rules"):
            message = "This value list is used by one or more rules. Take it out of them before you delete it."
            return refused(message, param="value_list")
    return None


def _account_has_to_stay(reader: Reader, row: StoredRow) -> ApiError | None:
    """Accounts that the platform controls can be deleted: test accounts at any time, live ones if no money is left.

    A live account (marked by a hidden field) that uses the standard dashboard, and for whose losses the payments platform is
    liable, cannot be deleted.
    """
    body = row.body
    controller = body.get("controller") or {}
    if body.get("_own"):
        return refused("Your own account cannot be deleted through the API.", param="account")
    if controller.get("type") == "account":
        return refused("This application is not authorized to delete this account.")
    if not body.get("_live"):
        return None
    standard = (controller.get("stripe_dashboard") or {}).get("type") == "full" or body.get("type") == "standard"
    if standard and (controller.get("losses") or {}).get("payments") == "stripe":
        return refused("Accounts with a dashboard of their own and losses on the platform cannot be deleted.", param="account")
    balance = reader.store.get("balance", row.id)
    if balance and any(part["amount"] for name in ("available", "pending") for part in balance.body.get(name, ())):
        return refused("This account has a balance other than zero and cannot be deleted.", param="account")
    return None


def _verified_executive(person: Body) -> bool:
    executive = (person.get("relationship") or {}).get("executive")
    return bool(executive) and (person.get("verification") or {}).get("status") == "verified"


def _change_others(reader: Reader, found: Found) -> None:
    """Change, or take along, what refers to a deleted object."""
    id_ = found.row.id
    match found.kind:
        case "coupon":  # nobody can redeem it any more; discounts that came from it stay
            for code in reader.every(("promotion_code",), {"promotion.coupon": id_}):
                _update(reader, code, active=False)
        case "customer":
            now, theirs = reader.world.present, {"customer": id_}
            for one in reader.every(("subscription",), theirs | {"status": Other("canceled")}):
                _update(reader, one, status="canceled", canceled_at=now, ended_at=now)
            for one in reader.every(("subscription_schedule",), theirs):
                if one.row.body["status"] in ("active", "not_started"):
                    _update(reader, one, status="canceled", canceled_at=now)
            for one in reader.every(("invoice",), theirs | {"status": "open"}):
                _update(reader, one, auto_advance=False, next_payment_attempt=None)
            for one in reader.every(("payment_method",), theirs):
                _update(reader, one, customer=None)
            for one in reader.every(("source",), theirs):
                reader.store.replace(
                    "source", one.row.id, {name: one.row.body[name] for name in one.row.body if name != "customer"}
                )
            if discount := reader.get("discount", found.row.body.get("discount")):
                _remove(reader, Found("discount", discount))
        case "invoice":  # items that were on it wait for another invoice
            for item in reader.every(("invoiceitem",), {"invoice": id_}):
                _update(reader, item, invoice=None)
        case "invoiceitem":
            _take_off_invoice(reader, found.row)
        case "plan" if price := reader.get("price", id_):  # a plan and the price of the same id are one thing
            _remove(reader, Found("price", price))
        case "test_helpers.test_clock":
            _remove_clock(reader, id_)


def _take_off_invoice(reader: Reader, item: StoredRow) -> None:
    """Remove an item's line from its draft invoice, and correct the invoice's amounts."""
    draft = reader.get("invoice", item.body.get("invoice"))
    if draft is None:
        return
    body = draft.body
    for line in reader.every(("line_item",), {"invoice": draft.id}):
        details = (line.row.body.get("parent") or {}).values()
        if any(isinstance(one, dict) and one.get("invoice_item") == item.id for one in details):
            body = _without(body, line.row.body)
            _remove(reader, line)
    reader.store.replace("invoice", draft.id, body)


def _without(invoice: Body, line: Body) -> Body:
    """An invoice's amounts when a line has left it."""
    included, exclusive = (
        sum(part["amount"] for part in line.get("taxes") or [] if part["tax_behavior"] == how)
        for how in ("inclusive", "exclusive")
    )
    net = line["amount"] - sum(part["amount"] for part in line.get("discount_amounts") or []) - included
    less = {"subtotal": line["amount"], "subtotal_excluding_tax": line["amount"] - included, "total_excluding_tax": net}
    less |= dict.fromkeys(("total", "amount_due", "amount_remaining"), net + included + exclusive)
    changed: Body = {name: invoice[name] - part for name, part in less.items() if invoice.get(name) is not None}
    for total, parts, key in (
        ("total_discount_amounts", "discount_amounts", "discount"),
        ("total_taxes", "taxes", "tax_rate_details"),
    ):
        if invoice.get(total):  # the sums by what they are for, without the line's shares; what comes to nothing is left out
            shares = line.get(parts) or []
            left = [
                one | {"amount": one["amount"] - sum(share["amount"] for share in shares if share.get(key) == one.get(key))}
                for one in invoice[total]
            ]
            changed[total] = [one for one in left if one["amount"]]
    return invoice | changed


def _remove_clock(reader: Reader, clock: str) -> None:
    """Take away what hangs on a test clock: its customers, also those deleted before, and all that is theirs with its parts."""
    gone = (row.id.partition("/") for row in reader.store.every(GONE, {"test_clock": clock}))
    customers = [one.row.id for one in reader.every(("customer",), {"test_clock": clock})]
    customers += [id_ for kind, _, id_ in gone if kind == "customer"]
    for kind, shape in shapes().items():
        hidden = ["_customer"] if kind == "entitlements.active_entitlement" else []
        for field in hidden or [name for name in ("test_clock", "customer") if name in shape.fields]:
            value: FieldCondition = clock if field == "test_clock" else OneOf(tuple(customers))
            for found in reader.every((kind,), {field: value}):
                _remove_with_parts(reader, found)


def _remove_with_parts(reader: Reader, found: Found) -> None:
    for field in shapes()[found.kind].fields.values():
        if field["type"] == "list":
            kinds, _ = of_owner(kinds_of(field["of"]), field["by"], found.row.id)
            for part in reader.every(kinds, {field["by"]: found.row.id}):
                _remove_with_parts(reader, part)
    _remove(reader, found)
