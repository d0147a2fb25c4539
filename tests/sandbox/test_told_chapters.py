"""Chapters that are data: what braces stand for, what all objects of a kind share, and columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from registry.sandbox.payments.chapters import told
from registry.sandbox.payments.naming import identifier
from registry.sandbox.world import DAY, HOUR, World

NOW = 1_760_000_123
WORLD = World(3, NOW)
HUB = identifier(WORLD, "product", "hub")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Any:
    def of(fields: dict[str, Any]) -> dict[str, Any]:
        monkeypatch.setattr(told, "_texts", lambda *_: {"board": json.dumps(fields | {"made": "{now}"})})
        (one,) = told.objects(WORLD, "", "product")
        return one.fields

    return of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{now-30d+2h}", NOW - 30 * DAY + 2 * HOUR),
        ("{midnight-1d}", NOW - NOW % DAY - DAY),
        ("{date now-1d}", "2025-10-08"),
        ("{year+2}", 2027),
        ("{product/hub}", HUB),
        ("{p_:product/hub}", "p_" + HUB.removeprefix("prod_")),
        ("https://x.example/{product/hub}?d={date midnight}", f"https://x.example/{HUB}?d=2025-10-09"),
        ("{back product/hub}", HUB.removeprefix("prod_")[::-1]),
        ("{digits 4 receipt}", WORLD.digits("receipt", 4)),
        ("{uuid a b}", WORLD.uuid("a b")),
        ("{key}", "board"),
        ("?id={CHECKOUT_SESSION_ID}", "?id={CHECKOUT_SESSION_ID}"),
        ("plain", "plain"),
    ],
)
def test_braces_say_what_this_world_puts_there(said: Any, text: str, value: object) -> None:
    assert said({"a": text, "b": [{"c": text}]}) == {"a": value, "b": [{"c": value}]}


def test_what_all_share_is_said_once_and_columns_name_the_values_of_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    file = {
        "topup": {
            "*": {"currency": "usd", "b": 1},
            "=": ["made", "b"],
            "x": [5],
            "y": [6, 2, {"c": 3}],
            "n": [8, None],
            "z": {"made": 7},
        }
    }
    monkeypatch.setattr(told, "_file", lambda _: file)
    told.listed.cache_clear()
    assert told.listed("", "topup") == {
        "x": {"currency": "usd", "made": 5, "b": 1},
        "y": {"currency": "usd", "made": 6, "b": 2, "c": 3},
        "n": {"currency": "usd", "made": 8, "b": 1},
        "z": {"currency": "usd", "made": 7, "b": 1},
    }
    told.listed.cache_clear()


def test_every_file_is_read_by_a_chapter() -> None:
    here = Path(told.__file__).parent
    code = "".join(path.read_text("utf-8") for path in here.glob("*.py"))
    for file in (here / "data").glob("*.json"):
        assert f'"{file.stem}"' in code, file.name
        json.loads(file.read_text("utf-8"))
