"""Datasets that are data: what braces stand for, what objects share, columns, and what brings others along."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.sandbox.payments.datasets import agreed, tables
from registry.sandbox.payments.shapes import identifier
from registry.sandbox.world import DAY, HOUR, World
from tests.sandbox.test_world_references import WORLD as REFERRED
from tests.sandbox.test_world_references import written

NOW = 1_760_000_123
WORLD = World(3, NOW)
HUB = identifier(WORLD, "product", "hub")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """What a file that holds this would say of the objects of a kind, by key."""

    def of(file: dict[str, Any], kind: str = "product") -> dict[str, dict[str, Any]]:
        forget()
        monkeypatch.setattr(tables, "_file", lambda _: file)
        return {key: {"made": made, **fields} for key, made, fields in tables.objects(WORLD, "", kind)}

    def forget() -> None:
        for cached in (tables._read, tables.listed):
            cached.cache_clear()

    yield of
    forget()


@pytest.fixture
def said(read: Any) -> Any:
    def of(fields: dict[str, Any]) -> dict[str, Any]:
        one: dict[str, Any] = read({"product": {"board": fields | {"made": "{now}"}}})["board"]
        del one["made"]
        return one

    return of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{now-30d+2h}", NOW - 30 * DAY + 2 * HOUR),
        ("{now-1.5d}", NOW - 36 * HOUR),
        ("{midnight-1d}", NOW - NOW % DAY - DAY),
        ("{date now-1d}", "2025-10-08"),
        ("{year+2}", 2027),
        ("{product/hub}", HUB),
        ("{p_:product/hub}", "p_" + HUB.removeprefix("prod_")),
        ("https://x.example/{product/hub}?d={date midnight}", f"https://x.example/{HUB}?d=2025-10-09"),
        ("{back product/hub}", HUB.removeprefix("prod_")[::-1]),
        ("{end 4 product/hub}", HUB[-4:].upper()),
        ("{digits 4 receipt}", WORLD.digits("receipt", 4)),
        ("{uuid a b}", WORLD.uuid("a b")),
        ("{key}", "board"),
        ("?id={CHECKOUT_SESSION_ID}", "?id={CHECKOUT_SESSION_ID}"),
        ("plain", "plain"),
    ],
)
def test_braces_say_what_this_world_puts_there(said: Any, text: str, value: object) -> None:
    assert said({"a": text, "b": [{"c": text}]}) == {"a": value, "b": [{"c": value}]}


def test_what_all_share_is_said_once_and_columns_name_the_values_of_a_row(read: Any) -> None:
    file = {
        "topup": {
            "*": {"currency": "usd", "b": 1},
            "=": ["made", "b"],
            "x": [5],
            "y": [6, 2, {"c": 3}],
            "n": [8, None],
            "z": {"made": 7},
            "w": {"made": 9, "b": "{absent}"},
        }
    }
    assert read(file, "topup") == {
        "x": {"currency": "usd", "made": 5, "b": 1},
        "y": {"currency": "usd", "made": 6, "b": 2, "c": 3},
        "n": {"currency": "usd", "made": 8, "b": 1},
        "z": {"currency": "usd", "made": 7, "b": 1},
        "w": {"currency": "usd", "made": 9},
    }


def test_hashes_are_joined_by_paths_and_one_value_may_be_that_of_several_fields(said: Any) -> None:
    assert said({"a.b": 1, "a": {"c.d": 2}, "e f.g": {"h": 3}}) == {
        "a": {"b": 1, "c": {"d": 2}}, "e": {"h": 3}, "f": {"g": {"h": 3}},
    }  # fmt: skip
    assert said({"a": [{"b.c": 1}]}) == {"a": [{"b": {"c": 1}}]}


def test_forms_are_of_a_kind_or_of_the_file_and_give_way_to_what_the_object_says(read: Any) -> None:
    file = {
        "~": {"due": {"a": 1, "b": 1, "c": 1}},
        "product": {
            "*": {"~": "due", "b": 2, "c": 2},
            "~": {"late": {"c": 3, "d": 3}},
            "x": {"made": 0, "~": "late", "d": 4},
        },
    }
    assert read(file) == {"x": {"made": 0, "a": 1, "b": 2, "c": 3, "d": 4}}


def test_an_object_names_what_it_says_elsewhere_of_whatever_type(said: Any) -> None:
    fields = {
        "a.b": 5, ".c": {"d": [1]}, "e": "{.a.b}", "f": "{-.a.b}", "g": "{.a.b} of {.h}", "h": "{.i}\"", "i": "{key}",
        "j": "{.c}",
    }  # fmt: skip
    assert said(fields) == {
        "a": {"b": 5}, "e": 5, "f": -5, "g": '5 of board"', "h": 'board"', "i": "board", "j": {"d": [1]},
    }  # fmt: skip


def test_moments_are_counted_from_the_object_too(read: Any) -> None:
    file = {"product": {"x": {"made": "{now-{.days}d}", ".days": 9, "a": "{made+1d}", "b": "{date made}", "c": "{made}"}}}
    made = NOW - 9 * DAY
    assert read(file) == {"x": {"made": made, "a": made + DAY, "b": "2025-09-30", "c": made}}


def test_customers_of_the_story_and_places_are_known(said: Any) -> None:
    place = {"city": "Tampere", "country": "FI", "line1": "Rantakatu 11", "postal_code": "33200", "state": None}
    text = "{place Rantakatu 11|Tampere||33200|FI}"
    fields = {"a": "{where virtanen}", "b": text, "c": "{name virtanen}", "d": "{email virtanen}", "e": "{phone cedar}"}
    assert said(fields) == {
        "a": place, "b": place, "c": "Virtasen Sauna Oy", "d": "accounts@virtanen.example", "e": "+18025550188",
    }  # fmt: skip


def test_an_object_brings_others_along_which_can_do_so_too(read: Any) -> None:
    file = {
        "product": {"x": {"made": "{now-1d}", "n": 5, "+": {"price": {"{key}/p": {"~": "sold", "n": "{-.n}"}}}}},
        "price": {"~": {"sold": {"+": {"plan": {"{key}.q": {"made": "{made+1d}", "n": "{.n}"}}}}}},
        "plan": {"y": {"made": 3}},
    }
    assert read(file, "price") == {"x/p": {"made": NOW - DAY, "n": -5}}
    assert read(file, "plan") == {"x/p.q": {"made": NOW, "n": -5}, "y": {"made": 3}}


def test_what_is_brought_along_shares_what_stands_under_a_star(read: Any) -> None:
    alike = {"*": {"n": "{.n}"}, "{key}/0": {"m": 1}, "{key}/1": {"n": 7}}
    file = {"product": {"x": {"made": 1, "n": 5, "+": {"price": alike}}}, "price": {}}
    assert read(file, "price") == {"x/0": {"made": 1, "n": 5, "m": 1}, "x/1": {"made": 1, "n": 7}}


def test_one_is_brought_along_for_each_of_a_list_or_of_a_hash_of_forms(read: Any) -> None:
    own = {"*": {"made": "{now+{.n}s}", "says": "{.one} of {head}"}, "~": {"off": {"status": "off"}, "on": {}}}
    file = {
        "product": {
            "*": {"made": 1, "+": {"price": {"{key}/#": {"of": "{key}"}}}},
            "x": {".each": ["a", {".one": "b", "says": "B"}]},
            "y": {"states": {"left": "on", "right": "off"}, ".each": "{.states}"},
        },
        "price": own,
    }
    assert read(file, "price") == {
        "x/0": {"made": NOW, "says": "a of x", "of": "x"},
        "x/1": {"made": NOW + 1, "says": "B", "of": "x"},
        "y/0": {"made": NOW, "says": "left of y", "of": "y"},
        "y/1": {"made": NOW + 1, "says": "right of y", "of": "y", "status": "off"},
    }


def test_a_key_is_told_in_parts(read: Any) -> None:
    file = {"product": {"a/b/c": {"made": 0, "x": "{head}", "y": "{rest}"}, "d": {"made": 0, "x": "{head}", "y": "{rest}"}}}
    assert read(file) == {"a/b/c": {"made": 0, "x": "a", "y": "b/c"}, "d": {"made": 0, "x": "d", "y": ""}}


def test_rows_are_told_by_columns_and_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    held = {"thing": {"=": ["a", "~"], "~": {"f": {"b": 1, "c": 1}}, "x": [1], "y": [None, "f", {"c": 2}], "z": {"a": 3}}}
    monkeypatch.setattr(agreed, "file", lambda _: held)
    found: dict[str, dict[str, Any]] = agreed.rows("thing", dict)
    assert found == {"x": {"key": "x", "a": 1}, "y": {"key": "y", "b": 1, "c": 2}, "z": {"key": "z", "a": 3}}
    assert "~" in held["thing"], "what is read stays as it is"


def test_every_file_is_read_by_a_dataset() -> None:
    here = Path(tables.__file__).parent
    code = "".join(path.read_text("utf-8") for path in here.glob("*.py"))
    for file in (here / "data").glob("*.json"):
        assert f'"{file.stem}"' in code, file.name


def test_what_is_particular_about_single_objects_is_that_of_objects_there_are() -> None:
    ids = {kind: {row.id for row in rows} for kind, rows in written(REFERRED).items()}
    kinds = {"payment": "payment_intent", "outcome": "payment_intent"}
    for kind, objects in tables._particulars(REFERRED).items():
        for key in objects if kind not in ("failure", "charge", "refund") else ():
            assert identifier(REFERRED, kinds.get(kind, kind), key) in ids[kinds.get(kind, kind)], (kind, key)
    assert tables.particular(REFERRED, "customer", "nobody") == {}
