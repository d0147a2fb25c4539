"""Datasets that are data: what braces stand for, what objects share; the declared shapes that objects are filled up from."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.sandbox.payments import shapes as shapes_module
from registry.sandbox.payments.datasets import tables
from registry.sandbox.payments.shapes import hash_default, hash_plan, identifier, shapes
from registry.sandbox.world import DAY, HOUR, World

NOW = 1_760_000_123
WORLD = World(3, NOW)
HUB = identifier(WORLD, "product", "hub")
Objects = dict[str, dict[str, Any]]
Read = Callable[..., Objects]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[Read]:
    """What a file that holds this would say of the objects of a kind, by key."""

    def of(file: dict[str, Any], kind: str = "product") -> Objects:
        tables._read.cache_clear()
        monkeypatch.setattr(tables, "_file", lambda _: file)
        return {key: {"made": made, **fields} for key, made, fields in tables.objects(WORLD, "", kind)}

    yield of
    tables._read.cache_clear()


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
        ("{key} {head} {rest}", "board/a/b board a/b"),
        ("?id={CHECKOUT_SESSION_ID}", "?id={CHECKOUT_SESSION_ID}"),
        ("plain", "plain"),
        ("{place Rantakatu 11|Tampere||33200|FI}",
         {"city": "Tampere", "country": "FI", "line1": "Rantakatu 11", "postal_code": "33200", "state": None}),
        ("{name virtanen}, {email virtanen}", "Virtasen Sauna Oy, accounts@virtanen.example"),
        ("{phone cedar}", "+18025550188"),
    ],
)  # fmt: skip
def test_braces_say_what_this_world_puts_there(read: Read, text: str, value: object) -> None:
    file = {"product": {"board/a/b": {"a": text, "b": [{"c": text}], "made": 1}}}
    assert read(file) == {"board/a/b": {"a": value, "b": [{"c": value}], "made": 1}}


def test_every_file_is_read_by_a_dataset() -> None:
    here = Path(tables.__file__).parent
    code = "".join(path.read_text("utf-8") for path in here.glob("*.py"))
    assert [file.stem for file in (here / "data").glob("*.json") if f'"{file.stem}"' not in code] == []


DECLARED: dict[str, dict[str, str]] = json.loads(Path(shapes_module.__file__).with_name("hashes.json").read_text("utf-8"))


def test_every_declaration_can_be_read_and_is_used() -> None:
    named = {holds for shape in shapes().values() for field in shape.fields.values() if (holds := field.get("holds"))}
    for name, fields in DECLARED.items():
        hash_plan(name)
        for type_ in fields.values():
            hash_default(type_)
            named |= set(re.findall(r"#([\w.]+)", type_))
    assert named == DECLARED.keys()
