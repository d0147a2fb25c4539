"""Operations that return one object."""

from __future__ import annotations

from registry.sandbox.payments.connected import OWN
from registry.sandbox.payments.errors import ApiError, missing, needs_secret_key, refused
from registry.sandbox.payments.operations import Call
from registry.sandbox.payments.reading import READABLE_WHEN_DELETED, Found
from registry.sandbox.payments.rendering import Json
from registry.sandbox.store import StoredRow

_ALONE = "self"
"""The id under which objects without an id are kept of which there is one."""

_PUBLIC = {
    "payment_intent": "id object amount amount_details automatic_payment_methods canceled_at cancellation_reason "
    "capture_method client_secret confirmation_method created currency description last_payment_error livemode next_action "
    "payment_method payment_method_configuration_details payment_method_types processing receipt_email setup_future_usage "
    "shipping source status",
    "setup_intent": "id object automatic_payment_methods cancellation_reason client_secret created description "
    "last_setup_error livemode next_action payment_method payment_method_configuration_details payment_method_types status "
    "usage",
}
"""What the bearer of a client secret may see of an intent."""


def one(call: Call) -> Json:
    """The object whose id ends the path; the short form of a deleted one, if that can still be read."""
    reader, kind, id_ = call.reader, call.operation.kinds[0], list(call.ids.values())[-1]
    if kind in READABLE_WHEN_DELETED and reader.get(kind, id_) is None and reader.gone(kind, id_):
        return call.show_deleted(kind, id_)
    if call.key.publishable and "client_secret" not in call.values:
        raise needs_secret_key()
    kind, row = call.found()
    if kind == "invoice_rendering_template":
        row = _version(row, call.values.get("version"))
    secret = call.values.get("client_secret")
    if secret not in (None, row.body.get("client_secret")):
        if call.key.publishable:
            raise needs_secret_key()
        raise refused(f"The client_secret does not belong to this {kind}.", param="client_secret")
    shown = call.show(kind, row)
    if call.key.publishable and kind in _PUBLIC:
        return {name: shown[name] for name in _PUBLIC[kind].split() if name in shown}
    return shown


def _version(row: StoredRow, wanted: int | None) -> StoredRow:
    """An invoice rendering template as that version has it, or as it is now."""
    for body in (row.body, *row.body.get("_versions", ())):
        if wanted in (None, body["version"]):
            return StoredRow(row.id, row.created, row.body | body)
    raise missing("version of the invoice rendering template", str(wanted), "version")


def alone(call: Call) -> Json:
    """What the account has one of, or the connected account; the balance of an account without live business is zero."""
    (kind,), reader = call.operation.kinds, call.reader
    row = reader.require((kind,), reader.own_account if kind == "account" else _ALONE, "id").row
    if reader.acting and kind in OWN:
        row = StoredRow(_ALONE, row.created, OWN[kind](reader))
    if kind == "balance" and call.key.live:
        nothing = {
            name: [{"amount": 0, "currency": part["currency"], "source_types": {"card": 0}} for part in parts]
            for name, parts in row.body.items()
            if isinstance(parts, list)
        }
        row = StoredRow(row.id, row.created, nothing)
    return call.show(kind, row)


def of_owner(call: Call) -> Json:
    """The one object of a kind that an owner has, by the field with the owner's id or kept under that id."""
    (kind,), by, reader, owner = call.operation.kinds, call.operation.by, call.reader, call.owner()
    row = reader.get(kind, owner.id) if not by else next((one.row for one in reader.every((kind,), {by: owner.id})), None)
    if row is None and kind == "cash_balance":
        settings = {"reconciliation_mode": "automatic", "using_merchant_default": True}
        row = StoredRow(owner.id, owner.created, {"available": None, "customer": owner.id, "settings": settings})
    if row is None:
        raise missing(f"{kind} for {call.operation.owner}", owner.id, next(iter(call.ids)))
    return call.show(kind, row)


def capability(call: Call) -> Json:
    """One capability of an account; they are named and not numbered."""
    account, name = call.owner().id, call.ids["capability"]
    row = call.reader.get("capability", f"{account}/{name}")
    if row is None:
        raise missing("capability", name, "capability")
    return call.show("capability", row)


def discount(call: Call) -> Json:
    """The discount of a customer, or of a subscription of a customer."""
    return call.show("discount", discount_of(call, bearer(call)))


def bearer(call: Call) -> Found:
    """The customer or subscription that has the discount; a customer in front of a subscription must be its own.

    Raises:
        ApiError: 404.
    """
    reader, (*customers, (name, id_)) = call.reader, call.ids.items()
    for customer, customer_id in customers:
        reader.require(("customer",), customer_id, customer)
    return reader.require(
        (call.operation.owner,), id_, name, fits=lambda row: not customers or row.body["customer"] == customers[0][1]
    )


def discount_of(call: Call, bearing: Found) -> StoredRow:
    """The discount of a customer or a subscription; the first of several.

    Raises:
        ApiError: 404, there is none.
    """
    body = bearing.row.body
    held = [body.get("discount")] if bearing.kind == "customer" else body.get("discounts") or [None]
    if held[0] is None:
        raise ApiError(404, f"No active discount for {bearing.kind}: {bearing.row.id}", code="resource_missing")
    return call.reader.require(("discount",), held[0], "discount").row
