"""A plain filter over everything that there is, against which searches are held, and characters that mean something elsewhere.

Every field with every operator, as people type them, is in `tests/calling/test_search_queries.py`.
`RESOURCES` is the platform's own table of what can be searched; it is written out here and not taken from the service.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from registry.sandbox.server import application
from tests.sandbox.direct import Direct
from tests.sandbox.written_worlds import NOW, WORLD

Json = dict[str, Any]
Keep = Callable[[Json], bool]

_CARDS = " ".join(
    f"payment_method_details.{way}.{name}"
    for way in ("card", "card_present", "interac_present")
    for name in ("last4", "exp_month", "exp_year", "brand", "fingerprint")
)

# Tokens, strings and numbers of each resource.
RESOURCES: dict[str, tuple[str, str, str]] = {
    "charges": (
        f"billing_details.address.postal_code currency customer disputed refunded status {_CARDS}",
        "",
        "amount created",
    ),
    "customers": ("", "email name phone", "created"),
    "invoices": (
        "currency customer",
        "number receipt_number status subscription last_finalization_error_code last_finalization_error_type",
        "created total",
    ),
    "payment_intents": ("currency customer status", "", "amount created"),
    "prices": ("active currency product type", "lookup_key", ""),
    "products": ("active shippable", "description name url", ""),
    "subscriptions": ("status", "", "created canceled_at"),
}

FIRST = 12

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    ":": lambda left, right: left == right,
    ">": lambda left, right: left > right,
    "<": lambda left, right: left < right,
    ">=": lambda left, right: left >= right,
    "<=": lambda left, right: left <= right,
}


@cache
def api() -> Direct:
    return Direct(
        application(seed=WORLD.seed, now=NOW, rough=True), "http://sandbox/payments", Authorization="Bearer sk_test_search"
    )


@cache
def everything(kind: str) -> list[Json]:
    """All objects of a resource, page by page."""
    query: Json = {"query": "-metadata['no such key']:'x'", "limit": 100}
    page = api().get(f"/v1/{kind}/search", **query)
    found: list[Json] = page["data"]
    while page["has_more"]:
        page = api().get(f"/v1/{kind}/search", **query, page=page["next_page"])
        found += page["data"]
    return found


def value(one: Json, field: str) -> Any:
    """What an object holds in a field that can be searched."""
    if field == "refunded":
        return True if one["refunded"] else False if one["amount_refunded"] else None
    if field == "subscription":
        field = "parent.subscription_details.subscription"
    if field.startswith("last_finalization_error_"):
        field = field.replace("error_", "error.")
    held: Any = one
    for step in field.split("."):
        held = held.get(step) if isinstance(held, dict) else None
    return held


def told(held: Any) -> str | None:
    """A value as a search compares it: text, without regard to case and spacing."""
    if held is None:
        return None
    text = str(held).lower() if isinstance(held, bool) else str(held)
    return " ".join(text.casefold().split())


def quoted(text: Any, quote: str = '"') -> str:
    """A value in quotes, those within it escaped."""
    written = str(text).lower() if isinstance(text, bool) else str(text)
    return quote + written.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote


def values(kind: str, field: str) -> list[Any]:
    """A few values of a field, the hard ones among them."""
    found = {told(value(one, field)): value(one, field) for one in everything(kind) if value(one, field) is not None}
    texts = sorted(found.values(), key=lambda one: (not set(str(one)) & set("\"'\\[]🎉"), str(one)))
    return [*texts[:2], *texts[-1:]]


def same(kind: str, query: str, keep: Keep) -> None:
    """A query finds the objects that a filter keeps: its first page holds the first of them."""
    page = api().get(f"/v1/{kind}/search", query=query, limit=FIRST)
    kept = [one["id"] for one in everything(kind) if keep(one)]
    assert [one["id"] for one in page["data"]] == kept[:FIRST], query
    assert page["has_more"] == (len(kept) > FIRST), query


def refused(kind: str, query: str, *about: str) -> None:
    """A query is refused, in words."""
    response = api().send("GET", f"/v1/{kind}/search", params={"query": query})
    assert response.status_code == 400, (kind, query, response.text)
    error = response.json()["error"]
    assert (error["type"], error["param"]) == ("invalid_request_error", "query")
    assert all(part in error["message"] for part in about), (query, error["message"])


def holds(field: str, wanted: Any) -> Keep:
    return lambda one: told(value(one, field)) == told(wanted)


def contains(field: str, part: str) -> Keep:
    return lambda one: part in (told(value(one, field)) or "")


@pytest.mark.parametrize("text", ["%", "_", "' OR 1=1 --", "\\", "\u202e", "\x00", "*", "?", "ß", "İ"])
def test_no_character_means_anything_but_itself(text: str) -> None:
    same("customers", f"name:{quoted(text)}", holds("name", text))
    part = f"{text}{text}{text}"
    same("customers", f"name~{quoted(part)}", contains("name", told(part) or ""))
