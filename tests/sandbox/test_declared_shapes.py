"""Objects are filled up from their declared shapes, all of which are used."""

import json
import re
from pathlib import Path
from typing import Any

from registry.sandbox.payments import shapes as shapes_module
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.service import store
from registry.sandbox.payments.shapes import ABSENT, hash_default, hash_plan, shapes
from tests.sandbox.written_worlds import WORLD

DECLARED: dict[str, dict[str, str]] = json.loads(Path(shapes_module.__file__).with_name("hashes.json").read_text("utf-8"))


def test_a_hash_is_filled_up_with_what_it_holds_when_nothing_is_said() -> None:
    kept = store()
    builder = Builder(WORLD, kept)
    person: dict[str, Any] = {"account": "acct_1", "address": {"city": "Porto"}, "dob": {"day": 1, "month": 2, "year": 1980}}
    id_ = builder.new("person", "one", 5, nationality=ABSENT, **person)
    builder.flush()
    row = kept.get("person", id_)
    kept.close()
    assert row is not None
    assert (row.body["dob"], "nationality" in row.body) == (person["dob"], False)
    assert row.body["address"] == {
        "city": "Porto", "country": None, "line1": None, "line2": None, "postal_code": None, "state": None,
    }  # fmt: skip


def test_every_declaration_can_be_read_and_is_used() -> None:
    named = {holds for shape in shapes().values() for field in shape.fields.values() if (holds := field.get("holds"))}
    for name, fields in DECLARED.items():
        hash_plan(name)
        for type_ in fields.values():
            hash_default(type_)
            named |= set(re.findall(r"#([\w.]+)", type_))
    assert named == DECLARED.keys()
