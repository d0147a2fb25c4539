"""Objects are filled up from their declared shapes, and everything in the world is as its shape declares it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from registry.sandbox.payments import shapes as shapes_module
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.service import store
from registry.sandbox.payments.shapes import ABSENT, hash_default, hash_plan, shapes
from tests.sandbox.test_world_references import LARGER, WORLD, written

DECLARED: dict[str, dict[str, str]] = json.loads(Path(shapes_module.__file__).with_name("hashes.json").read_text("utf-8"))
_PLAIN = {"string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)}
_TYPES = _PLAIN | {"hash": (dict,), "map": (dict,), "array": (list,)}


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


def wrong(type_: str, value: Any, place: str) -> Iterator[str]:
    """Where a value is otherwise than a type of `hashes.json` says."""
    type_ = type_.partition(" = ")[0]
    if type_.endswith("|null") and value is None:
        return
    type_ = type_.removesuffix("|null")
    if type_[0] in "[{":
        if not isinstance(value, list if type_[0] == "[" else dict):
            yield f"{place}: {value!r}"
            return
        for one in value if isinstance(value, list) else value.values():
            yield from wrong(type_[1:-1], one, f"{place}[]")
    elif type_[0] == "#":
        yield from wrong_in(type_[1:], value, place) if isinstance(value, dict) else [f"{place}: {value!r}"]
    elif type_[0] == "'":
        yield from [] if value in [one.strip("'") for one in type_.split("|")] else [f"{place}: {value!r}"]
    elif type(value) not in {plain for name in type_.split("|") for plain in _PLAIN[name]}:
        yield f"{place}: {value!r}"


def wrong_in(name: str, value: dict[str, Any], place: str) -> Iterator[str]:
    known = {field.removesuffix("?"): type_ for field, type_ in DECLARED[name].items()}
    for field, one in value.items():
        yield from wrong(known[field], one, f"{place}.{field}") if field in known else [f"{place}.{field}: unknown"]
    yield from (f"{place}.{field}: missing" for field in DECLARED[name] if not field.endswith("?") and field not in value)


def test_everything_is_as_its_shape_declares_it() -> None:
    found: list[str] = []
    for kind, shape in shapes().items():
        for row in written(LARGER).get(kind, ()):
            found += [f"{kind}.{name}: unknown" for name in row.body if name not in shape.fields and name[0] != "_"]
            for name, field in shape.fields.items():
                if name not in row.body:
                    found += [f"{kind}.{name}: missing"] if _required(kind, name) else []
                elif misfit(field, row.body[name]):
                    found.append(f"{kind}.{name}: {row.body[name]!r}")
                elif holds := field.get("holds"):
                    form = {"array": "[#{}]", "map": "{{#{}}}"}.get(field["type"], "#{}").format(holds)
                    found += wrong(form + ("|null" if field.get("nullable") else ""), row.body[name], f"{kind}.{name}")
                elif field["type"] == "hash" and not field.get("free") and row.body[name]:
                    found.append(f"{kind}.{name}: undeclared")
    assert found == []


def misfit(field: dict[str, Any], value: Any) -> bool:
    """Whether a value is not of its field's type, or none of those that it can have."""
    if field["type"] == "list" or value is None:
        return field["type"] == "list" or not field.get("nullable")
    if isinstance(value, bool) and field["type"] != "boolean":
        return True
    known = all(one in field.get("enum", [one]) for one in (value if isinstance(value, list) else [value]))
    return not known or not isinstance(value, _TYPES.get(field["type"], (object,)))


def _required(kind: str, name: str) -> bool:
    shape = shapes()[kind]
    said = name in ("id", "object") or shape.fields[name]["type"] == "list" or shape.fields[name].get("optional")
    return not said and shape.default(name) is ABSENT


def test_every_declaration_can_be_read_and_is_used() -> None:
    named = {holds for shape in shapes().values() for field in shape.fields.values() if (holds := field.get("holds"))}
    for name, fields in DECLARED.items():
        hash_plan(name)
        for type_ in fields.values():
            hash_default(type_)
            named |= set(re.findall(r"#([\w.]+)", type_))
    assert named == DECLARED.keys()
