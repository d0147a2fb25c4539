"""Every value is exact in every engine, whatever came before it in its column; and what is missing is not null."""

import json
from collections.abc import Sequence
from decimal import Decimal
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from registry.engines.address import address_of
from registry.engines.saving import Saving, Writer
from registry.results.arrow import type_of
from tests.engines.targets import TableTarget, Target


def save(target: Target, *batches: Sequence[str], step: int | None = None) -> Writer:
    """Save lists one after the other, each in a run of its own, in steps of so many items."""
    stored = None
    for items in batches:
        address = address_of(target.address, Path())
        assert address is not None
        saving = Saving(address, "Tool", masked=True)
        saving._sink.most_items = step or saving._sink.most_items
        try:
            stored = saving.store([item.encode() for item in items])
        finally:
            saving.close()
    assert stored is not None
    return stored


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("null", "null"),
        ("true", "bool"),
        ("0", "integer"),
        ("-9223372036854775808", "integer"),
        ("9223372036854775807", "integer"),
        ("9223372036854775808", "19.0"),
        ("9" * 39, "text"),
        ("9" * 3_000, "text"),
        ("1.10", "1.2"),
        ("1e22", "23.0"),
        ("-0.5", "0.1"),
        ("0.1234567890123456789", "0.19"),
        ("1e400", "text"),
        ("1e9999999999999999999", "text"),
        ('"1"', "text"),
        ("[]", "json"),
        ("{}", "json"),
    ],
)
def test_the_type_of_a_value(text: str, type_: str) -> None:
    assert type_of(text.encode()) == type_


COLUMNS: list[list[str]] = [
    # what stands in a column, step after step
    ["1", "9007199254740993"],
    ["9007199254740993", "9223372036854775808", "99999999999999999999999999999999999999"],
    ["1", "0.5"],
    ["0.1", "9007199254740993"],
    ["1e22", "0.1234567890123456789"],
    ["0.30000000000000004", "1e400"],
]


def test_numbers_are_exact_in_columns_that_widen(local_target: Target) -> None:
    items = []
    for place, values in enumerate(zip_longest(*COLUMNS)):
        cells = [f'"v{column}":{value}' for column, value in enumerate(values) if value is not None]
        items.append(f'{{"id":"{place}",{",".join(cells)}}}')
    save(local_target, items, step=1)
    held = local_target.rows()
    for column, wanted in enumerate(COLUMNS):
        found = [row[f"v{column}"] for row in held[: len(wanted)]]
        assert [Decimal(str(one)) for one in found] == [Decimal(one) for one in wanted]


def test_what_is_too_large_is_text_and_what_is_missing_is_null(local_target: Target) -> None:
    large = "1234567890123456789012345678901234567890"
    items = ['{"id":"1","a":null,"b":null,"yes":null}', f'{{"id":"2","a":1,"yes":true,"v":{large}}}', '{"id":"3"}']
    stored = save(local_target, items, step=1)
    found = [(row["a"], row["yes"], row["v"]) for row in local_target.rows()]
    assert found == [(None, None, None), (1, True, large), (None, None, None)]
    assert stored.notes == ["v: numbers beyond 64 bits or 38 digits are stored as text"]


def test_a_column_of_several_types_is_json(local_target: Target) -> None:
    values = ['"a"', '{"b": [1.10, 12345678901234567890]}', "1", "true", "1.10", "9007199254740993", '"1"', '"x\\"y"']
    save(local_target, [f'{{"id":"{place}","v":{value}}}' for place, value in enumerate(values)], step=1)
    assert [exact(one) for one in texts_of(local_target)] == [exact(one) for one in values]
    if isinstance(local_target, TableTarget) and local_target.is_postgres:
        assert local_target.types()["v"] == "jsonb"


def exact(text: str) -> Any:
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def texts_of(target: Target) -> list[str]:
    """The column v as JSON texts."""
    if isinstance(target, TableTarget) and target.is_postgres:
        return [row["v"] for row in target.query(f'SELECT v::text FROM "{target.table}" ORDER BY _key COLLATE "C"')]
    return [row["v"] for row in target.rows()]


def test_texts(local_target: Target) -> None:
    texts = ["", "é\U0001f600", "tab\tline\nquote\"'\\ \\N \\. ,", "\u202e", "=1+1", "\x1b[31m", "nul\0", "\\u0000"]
    items = [json.dumps({"id": f"{place}", "t": text}) for place, text in enumerate(texts)]
    save(local_target, [*items, '{"id":"8","t":"\\ud800"}', '{"id":"9","t":"\\\\ud800","n":{"x":"\\ud800 \\u0000"}}'])
    held = [row["t"] for row in local_target.rows()]
    assert held == [*texts[:6], "nul\\u0000", "\\u0000", "\\ud800", "\\ud800"]


def test_names_of_columns(local_target: Target) -> None:
    long = "x" * 80
    names = ["Id", "ID", 'a"b; --', "a.b", "%s", "select", "", "_key", "ctid", long, long + "y", "\x1b", "é" * 40]
    item = {"id": "1", **{name: place for place, name in enumerate(names)}}
    save(local_target, [json.dumps(item)], [json.dumps({**item, "later": 1})])
    (row,) = local_target.rows()
    values = [value for name, value in row.items() if name not in ("_key", "_pass")]
    assert sorted(map(str, values)) == sorted(["1", "1", *map(str, range(len(names)))])
    assert row["_key"] == "1"
    assert {"id", "Id_2", "ID_3"} <= row.keys(), "capitals make no difference to DuckDB"


def test_a_saved_list_replaces_and_never_doubles(target: Target) -> None:
    save(target, [f'{{"id":"{n}","v":1}}' for n in range(5)])
    stored = save(target, [f'{{"id":"{n}","v":2}}' for n in range(3)])
    rows = target.rows()
    assert (stored.written.updated, [row["v"] for row in rows]) in [(3, [2, 2, 2, 1, 1]), (0, [2, 2, 2])]
