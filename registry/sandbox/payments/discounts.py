"""Who bears a discount: a customer, or a subscription, which may have to be one of a customer's."""

from __future__ import annotations

from registry.sandbox.payments.calls import Call
from registry.sandbox.payments.errors import ApiError
from registry.sandbox.payments.reading import Found


def bearer(call: Call, kind: str) -> Found:
    """The customer or subscription that ends the path's ids; a customer in front of a subscription must be its own.

    Raises:
        ApiError: 404.
    """
    reader = call.reader
    if len(call.ids) == 1:
        return reader.require((kind,), call.ids[0], call.names[0])
    customer = reader.require(("customer",), call.ids[0], call.names[0]).row.id
    return reader.require((kind,), call.ids[1], call.names[1], fits=lambda row: row.body["customer"] == customer)


def of(bearing: Found) -> str:
    """The id of the discount of a customer or a subscription; the first of several.

    Raises:
        ApiError: 404, there is none.
    """
    body = bearing.row.body
    held = [body.get("discount")] if bearing.kind == "customer" else body.get("discounts") or [None]
    if held[0] is None:
        raise ApiError(404, f"No active discount for {bearing.kind}: {bearing.row.id}", code="resource_missing")
    return str(held[0])
