"""Searches, carried out as one SQL condition over the stored bodies, newest objects first.

A page goes on from the place of the last object that was shown, so that objects which come and go between two pages neither
repeat nor hide others.
"""

from __future__ import annotations

import base64
import re
from typing import Any, Literal, NamedTuple

from registry.sandbox.payments.errors import refused
from registry.sandbox.payments.searching.grammar import Clause, mistake, parse
from registry.sandbox.store import Place
from registry.sandbox.world import World

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


SHORTEST_PART = 3

_OPERATORS = {"token": (":",), "string": (":", "~"), "numeric": (":", ">", "<", ">=", "<=")}
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
_IN_METADATA = "(SELECT value FROM json_each(body, '$.metadata') WHERE key = ?)"


class Condition(NamedTuple):
    """SQL with ``?`` for each value, and the values."""

    sql: str
    values: list[Any]


def condition(kind: str, query: str) -> Condition:
    """What a query asks of the objects of a kind.

    Raises:
        ApiError: 400, for a query that cannot be parsed, an unknown field, or an operator or value that a field's type lacks.
    """
    parsed = parse(query)
    parts = [_clause(kind, clause) for clause in parsed.clauses]
    return Condition(f" {parsed.joint} ".join(part.sql for part in parts), [value for part in parts for value in part.values])


def page_token(world: World, kind: str, query: str, after: Place) -> str:
    """What names the place that a search goes on from."""
    created, sequence = after
    seal = world.token(f"search/{kind}/{query}/{created}/{sequence}", 12)
    return base64.urlsafe_b64encode(f"{created}.{sequence}.{seal}".encode()).decode().rstrip("=")


def place_of(world: World, kind: str, query: str, token: str) -> Place:
    """The place that a page token names.

    Raises:
        ApiError: 400, it is not a page token, or belongs to another search.
    """
    try:
        created, sequence, _ = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode("ascii").split(".")
        after = (int(created), int(sequence))
    except ValueError:
        after = (0, 0)
    if page_token(world, kind, query, after) != token:
        raise refused("Invalid page: it is not the next_page of an earlier answer to this query.", param="page")
    return after


def _clause(kind: str, clause: Clause) -> Condition:
    field, values = _field(kind, clause)
    if clause.value is None:
        if clause.operator != ":":
            raise mistake(f"null cannot be compared with {clause.operator} on the field {clause.field}", clause.position)
        sql = f"{field.sql} IS NULL"
    elif clause.operator not in _OPERATORS[field.type]:
        allowed = " ".join(_OPERATORS[field.type])
        reason = f"the field {clause.field} is of type {field.type} and takes {allowed}, not {clause.operator}"
        raise mistake(reason, clause.position)
    elif field.type == "numeric":
        sql = f"{field.sql} {'=' if clause.operator == ':' else clause.operator} ?"
        values.append(_number(clause))
    elif not clause.quoted:
        raise mistake(f"the field {clause.field} takes a text in quotes", clause.position)
    elif clause.operator == "~":
        if len(" ".join(clause.value.split())) < SHORTEST_PART:
            raise mistake(f"a part to look for in {clause.field} has at least {SHORTEST_PART} characters", clause.position)
        sql = f"instr(fold({field.sql}), fold(?)) > 0"
        values.append(clause.value)
    else:
        sql = f"fold(CAST({field.sql} AS TEXT)) = fold(?)"
        values.append(clause.value)
    return Condition(f"{'NOT ' if clause.negated else ''}COALESCE({sql}, 0)", values)


def _field(kind: str, clause: Clause) -> tuple[Field, list[Any]]:
    if clause.field == METADATA:
        if clause.key is None:
            raise mistake('metadata is searched by key, as in metadata["key"]', clause.position)
        return Field("token", _IN_METADATA), [clause.key]
    field = FIELDS[kind].get(clause.field)
    if field is None or clause.key is not None:
        known = ", ".join(sorted([*FIELDS[kind], METADATA]))
        name = clause.field if clause.key is None else f'{clause.field}["{clause.key}"]'
        raise mistake(f"{name} is not a field that {kind}s can be searched by; these are {known}", clause.position)
    return field, []


def _number(clause: Clause) -> int | float:
    text = clause.value or ""
    if not _NUMBER.fullmatch(text):
        raise mistake(f"the field {clause.field} must be a number, not {text!r}", clause.position)
    return float(text) if "." in text else int(text)
