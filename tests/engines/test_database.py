"""Lists as tables: exact values, types, masks, what a query may not do, and its end."""

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from registry.accounts.secrets import MASK
from registry.engines.database import Database
from registry.engines.problems import SqlProblem
from tests.cases import cases_beside

CASES = cases_beside(__file__)

ITEMS = [
    rb'{"id":"a","n":9007199254740993,"big":12345678901234567890,"amount":1.10,"at":"2026-03-01T10:00:00Z","nothing":null,'
    rb'"deep":{"big":12345678901234567890123,"half":"\ud800"},"mixed":1,"client_secret":"seti_1","yes":true}',
    rb'{"id":"b","n":2,"big":1,"amount":12345678901234567.25,"at":"2026-03-02T10:00:00Z","mixed":"x","Id":5,"few":1e-3}',
    rb'{"id":"c","n":-3,"deep":[1,2],"odd \"name\"":"\u001b[31mred\u0000",'
    rb'"long":1234567890123456789012345678901234567890,"few":2}',
]


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    with Database() as one:
        one.add_items(("items",), lambda: ITEMS)
        one.add_items(("history", "Tool"), lambda: ITEMS[:1])
        yield one


def rows(database: Database, query: str) -> list[Any]:
    return [json.loads(row, parse_float=Decimal) for row in database.query(query).rows]


def problem(database: Database, query: str) -> SqlProblem:
    with pytest.raises(SqlProblem) as caught:
        list(database.query(query).rows)
    return caught.value


def test_types_hold_every_value(database: Database) -> None:
    found = {row["column_name"]: row["column_type"] for row in rows(database, "from (describe items)")}
    assert found == CASES["types of columns"]


def test_values_are_exact(database: Database) -> None:
    first, second, third = rows(database, "select * from items order by id")
    assert (first["n"], first["big"], second["amount"]) == (
        9007199254740993,
        12345678901234567890,
        Decimal("12345678901234567.25"),
    )
    assert first["deep"] == {"big": 12345678901234567890123, "half": "\\ud800"}
    assert (first["mixed"], second["mixed"], second["Id_2"], second["few"]) == ("1", "x", 5, Decimal("0.001"))
    assert (first["nothing"], second["yes"], third["amount"]) == (None, None, None)
    assert third["long"] == "1234567890123456789012345678901234567890"
    assert third['odd "name"'] == "\x1b[31mred\\u0000"
    (sums,) = rows(database, 'select sum(n) n, sum(big) big, sum(amount) amount, min("at") as since from items')
    assert sums == {
        "n": 9007199254740992,
        "big": 12345678901234567891,
        "amount": Decimal("12345678901234568.35"),
        "since": "2026-03-01T10:00:00Z",
    }
    (deep,) = rows(database, "select deep->>'big' as big, deep->'big' as json from items where id = 'a'")
    assert deep == {"big": "12345678901234567890123", "json": 12345678901234567890123}
    kinds = (
        "1 as a, 2 as a, [1.5, 2] as list, {'x': timestamp '2026-01-01'} as struct, 'nan'::double as d, to_timestamp(0) as t"
    )
    assert rows(database, f"select {kinds}, interval 1 day as i")[0] | {"t": ""} == {
        "a": 1,
        "a_1": 2,
        "list": [Decimal("1.5"), Decimal("2.0")],
        "struct": {"x": "2026-01-01 00:00:00"},
        "d": "NaN",
        "t": "",
        "i": "1 day",
    }
    assert rows(database, "select count(*) as n from history.Tool") == [{"n": 1}]


def test_secrets_are_masked_under_every_name(database: Database) -> None:
    assert rows(database, "select client_secret as x from items where id = 'a'") == [{"x": MASK}]
    with Database(masked=False) as bare:
        bare.add_items(("items",), lambda: ITEMS)
        assert rows(bare, "select client_secret as x from items where id = 'a'") == [{"x": "seti_1"}]


@pytest.mark.parametrize(
    ("query", "words", "position"),
    [
        *CASES["refused queries"],
        ("select '\ud800'", "half of a character", 8),
        (f"select {'(' * 3_000}1{')' * 3_000}", "the query is nested too deeply", None),
        (f"from {'x' * 3_000}", f"no table {'x' * 79}…", 5),
    ],
)
def test_what_a_query_may_not_do_and_where(database: Database, query: str, words: str, position: int | None) -> None:
    found = problem(database, query)
    assert found.words.startswith(words)
    assert found.position == position
    assert "{" not in str(found), "DuckDB's own form of errors"


async def test_work_that_nobody_waits_for_is_ended() -> None:
    with Database() as one:
        one.add_items(("items",), lambda: ITEMS)
        endless = "select count(*) from range(1000000000) a, range(1000000000) b where (a.range + b.range) % 3 = 7"
        begun = threading.Event()

        def ask(query: str) -> list[bytes]:
            begun.set()
            return list(one.query(query).rows)

        running = asyncio.create_task(one.in_thread(lambda: ask(endless)))
        await asyncio.to_thread(begun.wait, 20)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await one.in_thread(lambda: rows(one, "select 1 as a")) == [{"a": 1}]

        loading = Items(ITEMS)
        load = asyncio.create_task(one.in_thread(lambda: one.add_items(("more",), loading)))
        await asyncio.to_thread(loading.begun.wait, 20)
        load.cancel()
        with pytest.raises(asyncio.CancelledError):
            await load


class Items:
    """Items without end."""

    def __init__(self, some: Sequence[bytes]) -> None:
        self._some = some
        self.begun = threading.Event()

    def __call__(self) -> Iterator[bytes]:
        while True:
            self.begun.set()
            yield from self._some


def test_what_does_not_fit_into_memory_lies_in_a_private_folder_that_goes() -> None:
    with Database() as one:
        (limit,) = rows(one, "select current_setting('memory_limit') as memory, current_setting('temp_directory') as folder")
        folder = Path(limit["folder"])
        assert (limit["memory"], folder.stat().st_mode & 0o777) == ("953.6 MiB", 0o700)
        locked = "select current_setting('lock_configuration') as a, current_setting('enable_external_access') as b"
        assert rows(one, locked) == [{"a": True, "b": False}]
    assert not folder.exists()
