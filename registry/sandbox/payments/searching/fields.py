"""The searchable fields of each kind, with their types and their paths in a stored object.

Types are ``token`` (the same text, in any case of letters), ``string`` (all words in order, or a part of the text) and
``numeric`` (the same number, or larger and smaller ones).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Type = Literal["token", "string", "numeric"]


class Field(NamedTuple):
    """A field's type and its value as SQL over `body` and `created`."""

    type: Type
    sql: str


def _at(path: str) -> str:
    return f"json_extract(body, '$.{path}')"


def _tokens(*paths: str) -> dict[str, Field]:
    return {path: Field("token", _at(path)) for path in paths}


def _flags(*paths: str) -> dict[str, Field]:
    return {path: Field("token", f"CASE {_at(path)} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END") for path in paths}


def _strings(*paths: str) -> dict[str, Field]:
    return {path: Field("string", _at(path)) for path in paths}


def _numbers(*paths: str) -> dict[str, Field]:
    return {path: Field("numeric", _at(path)) for path in paths}


_CREATED = {"created": Field("numeric", "created")}
_REFUNDED = f"CASE WHEN {_at('refunded')} = 1 THEN 'true' WHEN {_at('amount_refunded')} > 0 THEN 'false' END"

METADATA = "metadata"

FIELDS: dict[str, dict[str, Field]] = {
    "charge": {
        **_CREATED,
        **_numbers("amount"),
        **_tokens("billing_details.address.postal_code", "currency", "customer", "status"),
        **_tokens(
            *(
                f"payment_method_details.{way}.{name}"
                for way in ("card", "card_present", "interac_present")
                for name in ("last4", "exp_month", "exp_year", "brand", "fingerprint")
            )
        ),
        **_flags("disputed"),
        "refunded": Field("token", _REFUNDED),
    },
    "customer": {**_CREATED, **_strings("email", "name", "phone")},
    "invoice": {
        **_CREATED,
        **_numbers("total"),
        **_tokens("currency", "customer"),
        **_strings("number", "receipt_number", "status"),
        "subscription": Field("string", _at("parent.subscription_details.subscription")),
        "last_finalization_error_code": Field("string", _at("last_finalization_error.code")),
        "last_finalization_error_type": Field("string", _at("last_finalization_error.type")),
    },
    "payment_intent": {**_CREATED, **_numbers("amount"), **_tokens("currency", "customer", "status")},
    "price": {**_flags("active"), **_tokens("currency", "product", "type"), **_strings("lookup_key")},
    "product": {**_flags("active", "shippable"), **_strings("description", "name", "url")},
    "subscription": {**_CREATED, **_numbers("canceled_at"), **_tokens("status")},
}
"""By kind. In addition every kind has metadata, whose values are tokens."""
