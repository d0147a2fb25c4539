"""Which columns are found in items, and which come first."""

from __future__ import annotations

import json
from typing import Any

from registry.results.columns import columns_in


def texts(*items: Any) -> list[bytes]:
    return [json.dumps(item).encode() for item in items]


def first(*items: Any) -> list[str]:
    return [column.title for column in columns_in(texts(*items)).first]


BILLED = {"address": {"city": "Berlin", "lines": {"deep": {"deeper": 1}}}}
CHARGES = [
    {"object": "charge", "created": 1_755_000_000 + number, "amount": 4200, "currency": "usd", "status": "succeeded"}
    | {"id": f"ch_{number}", "livemode": False, "receipt_url": f"https://x.example/{number}"}
    | {"billing_details": {"name": f"Ada {number}", **BILLED}, "metadata": {}, "customer": None if number else "cus_1"}
    | {"client_secret": f"secret_{number}"}
    for number in range(9)
]


def test_what_people_look_for_comes_first_and_what_says_nothing_is_left_out() -> None:
    assert first(*CHARGES) == ["status", "billing_details", "amount", "created", "id"]


def test_everything_can_be_chosen() -> None:
    every = {column.title: column for column in columns_in(texts(*CHARGES)).all}
    assert {"object", "customer", "client_secret", "billing_details.name", "billing_details.address.city", "metadata"} <= set(
        every
    )
    assert "billing_details.address" not in every
    kinds = {name: every[name].kind for name in ("amount", "created", "livemode", "billing_details", "metadata", "id")}
    assert list(kinds.values()) == ["money", "time", "word", "whole", "nothing", "text"]
    assert every["amount"].to_the_right
    assert not every["created"].to_the_right


def test_names_from_outside_are_safe_and_many() -> None:
    columns = columns_in(texts({f"\x1b[31m{number}": number for number in range(5_000)}))
    assert len(columns.all) == 300
    assert columns.left_out == 4_700
    assert columns.all[0].title == "\\u001b[31m0"
    assert len(columns.first) == 6


def test_a_property_whose_name_misleads_has_another_heading() -> None:
    found = columns_in(
        texts({"balance": 1, "currency": "usd"}, {"balance": 2, "currency": "usd"}), {"balance": "credit balance"}
    )
    assert [column.heading for column in found.all if column.title == "balance"] == ["credit balance"]


def test_what_has_a_declared_heading_comes_before_the_id_beside_names() -> None:
    users = [
        {"id": str(number), "email": f"{number}@x.example", "firstName": f"Ada {number}", "lastName": f"Romero {number}"}
        | {"roleId": f"r{number % 3}", "primaryTeamId": f"t{number % 4}"}
        for number in range(9)
    ]
    found = columns_in(texts(*users), {"roleId": "role"})
    assert [column.heading for column in found.first] == ["first name", "last name", "email", "role", "id", "primary team id"]
