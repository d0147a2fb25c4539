"""An object is made from its declared shape: nothing can be written that the shape lacks, and what is not said is filled in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from registry.sandbox.payments import hashes
from registry.sandbox.payments.builder import Builder, Datasets
from registry.sandbox.payments.hashes import NotDeclared, declaration
from registry.sandbox.payments.reading import Reader
from registry.sandbox.payments.removing import Remover
from registry.sandbox.payments.service import store
from registry.sandbox.payments.shapes import shapes
from registry.sandbox.world import World

WORLD = World(1, 1_760_000_000)
DECLARED: dict[str, dict[str, str]] = json.loads(Path(hashes.__file__).with_name("hashes.json").read_text("utf-8"))
LIST = {"alias": "testers", "created_by": "a@fernway.example", "item_type": "email", "name": "Testers"}
READER = {"device_type": "stripe_m2", "label": "Till", "location": None, "serial_number": "A1"}


def stored(kind: str, **fields: Any) -> dict[str, Any]:
    kept = store()
    builder = Builder(WORLD, kept)
    id_ = builder.new(kind, "one", 5, **fields)
    builder.flush()
    row = kept.get(kind, id_)
    kept.close()
    assert row is not None
    return row.body


def test_a_hash_is_filled_up_with_what_it_holds_when_nothing_is_said() -> None:
    person = {"account": "acct_1", "address": {"city": "Porto"}, "dob": {"day": 1, "month": 2, "year": 1980}}
    body = stored("person", **person)
    assert body["address"] == {
        "city": "Porto", "country": None, "line1": None, "line2": None, "postal_code": None, "state": None,
    }  # fmt: skip
    assert body["dob"] == person["dob"]


def test_hashes_in_arrays_are_filled_up_too() -> None:
    tax = {"amount": 5, "tax_behavior": "exclusive", "tax_rate_details": {"tax_rate": "txr_1"}, "taxable_amount": 50}
    made = declaration("total_taxes").complete(tax | {"type": "tax_rate_details"})
    assert made["taxability_reason"] == "not_available"


@pytest.mark.parametrize(
    ("fields", "place", "what"),
    [
        ({"colour": "red"}, "colour", "not declared"),
        ({"name": 7}, "name", "of a type"),
        ({"name": None}, "name", "of a type"),
        ({"item_type": "colour"}, "item_type", "not a declared value"),
    ],
)
def test_a_field_is_refused_that_is_unknown_or_holds_something_else(fields: dict[str, Any], place: str, what: str) -> None:
    with pytest.raises(NotDeclared, match=what) as refused:
        stored("radar.value_list", **LIST | fields)
    assert refused.value.place == place


def test_a_field_that_every_object_has_must_be_given() -> None:
    with pytest.raises(NotDeclared, match="missing") as refused:
        stored("radar.value_list", **{name: value for name, value in LIST.items() if name != "alias"})
    assert refused.value.place == "alias"


@pytest.mark.parametrize(
    ("action", "place"),
    [
        ({"type": "set_reader_display", "status": "failed", "set_reader_display": {"type": "cart", "cart": {}}},
         "action.set_reader_display.cart"),
        ({"type": "process_payment_intent", "status": "lost"}, "action.status"),
        ({"type": "process_payment_intent", "status": "failed", "colour": "red"}, "action.colour"),
        ({"status": "failed"}, "action.type"),
    ],
)  # fmt: skip
def test_what_is_wrong_inside_a_hash_is_named_by_its_place(action: dict[str, Any], place: str) -> None:
    with pytest.raises(NotDeclared) as refused:
        stored("terminal.reader", **READER, action=action)
    assert refused.value.place.startswith(place)


def test_a_hash_that_nothing_describes_cannot_be_written() -> None:
    assert "holds" not in shapes()["refund"].fields["presentment_details"]
    with pytest.raises(NotDeclared, match="of a type"):
        stored("refund", presentment_details={"presentment_amount": 5}, amount=1, currency="eur")


def test_a_change_cannot_leave_an_object_otherwise_than_its_shape() -> None:
    kept = store()
    builder = Builder(WORLD, kept)
    id_ = builder.new("radar.value_list", "one", 5, **LIST)
    builder.flush()
    row = kept.get("radar.value_list", id_)
    assert row is not None
    remover = Remover(Reader(WORLD, kept, Datasets(WORLD, kept, ()), live=False))
    remover.update("radar.value_list", row, name="Other")
    with pytest.raises(NotDeclared, match="not declared"):
        remover.update("radar.value_list", row, colour="red")
    with pytest.raises(NotDeclared, match="missing"):
        remover.rewrite("radar.value_list", row, {"name": "Alone"})
    changed = kept.get("radar.value_list", id_)
    assert changed is not None
    assert changed.body == LIST | {"created": 5, "name": "Other"}
    kept.close()


def test_every_declaration_can_be_read_and_is_used() -> None:
    named = {holds for shape in shapes().values() for field in shape.fields.values() if (holds := field.get("holds"))}
    for name, fields in DECLARED.items():
        assert declaration(name).rules.keys() == {field.removesuffix("?") for field in fields}
        named |= {found for type_ in fields.values() for found in re.findall(r"#([\w.]+)", type_)}
    assert named == DECLARED.keys()
