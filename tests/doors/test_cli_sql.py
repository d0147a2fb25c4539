"""``callboard sql``: names, forms, errors and the end of a query."""

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from registry.engines.database import Database, QueryRows
from tests.cases import cases_beside
from tests.hostile import forbidden_in_output

CASES = cases_beside(__file__)

BIG = [
    '{"id":"a","n":9007199254740993,"amount":1.10,"client_secret":"seti_x","name":"Ada"}',
    '{"id":"b","n":12345678901234567890,"amount":2,"name":"\\u001b[31m\\u202eBo","none":null}',
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with files, and a history of four calls."""
    from registry.doors.cli import main

    path = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("STATE", "CACHE", "CONFIG"):
            patch.setenv(f"XDG_{name}_HOME", str(path / name))
        patch.chdir(path)
        (path / "big.ndjson").write_text("\n".join(BIG), "utf-8")
        made = duckdb.connect("kept.duckdb")
        made.execute("CREATE TABLE t AS SELECT 7 AS seven")
        made.close()
        for words in (["ListUsers", "--limit", "3"], ["Whoami"], ["ListUsers", "--limit", "2"], ["ListTeams", "--all"]):
            assert main(["call", *words]) == 0
        yield path


@pytest.fixture(autouse=True)
def here(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name))
    monkeypatch.chdir(home)


def rows(run: Any, query: str, *words: str) -> list[Any]:
    end = run("sql", query, "--json", *words)
    assert end.code == 0, end.err
    return [json.loads(line) for line in end.out.splitlines()]


def test_the_history_and_kept_results_are_tables(run: Any) -> None:
    assert rows(run, "select call, tool, outcome, account, arguments->>'limit' as most from history where call < 4") == [
        {"call": 3, "tool": "ListUsers", "outcome": "ok", "account": "sandbox", "most": "2"},
        {"call": 2, "tool": "Whoami", "outcome": "ok", "account": "sandbox", "most": None},
        {"call": 1, "tool": "ListUsers", "outcome": "ok", "account": "sandbox", "most": "3"},
    ]
    assert rows(run, "select count(*) as n from history where started > now() - interval 1 hour")[0]["n"] >= 4
    assert rows(run, "select count(*) as n from ListUsers") == [{"n": 2}], "the last result"
    assert "ListUsers is call " in run("sql", "select 1 from ListUsers").err
    assert rows(run, "select count(*) as n from listusers") == [{"n": 2}], "as names are in SQL"
    assert rows(run, "select _call, _account, count(*) as n from history.ListUsers group by all order by 1") == [
        {"_call": 1, "_account": "sandbox", "n": 3},
        {"_call": 3, "_account": "sandbox", "n": 2},
    ]
    assert rows(run, "select count(*) as n from call_1 join call_3 using (id)") == [{"n": 2}]
    (me,) = rows(run, "from Whoami")
    assert me, "what is no list is one row"


def test_files_are_tables(run: Any) -> None:
    exact = {"s": 12354686100489308883, "amount": 3.1, "n": 2}
    assert rows(run, "select sum(n) as s, sum(amount) as amount, count(*) as n from 'big.ndjson'") == [exact]
    named = rows(run, "select b.n, k.seven from b, k", "--from", "b=big.ndjson", "--from", "k=duckdb:kept.duckdb#t")
    assert named == [{"n": 9007199254740993, "seven": 7}, {"n": 12345678901234567890, "seven": 7}]
    assert rows(run, "from 'duckdb:kept.duckdb#t'") == [{"seven": 7}]
    assert rows(run, "select client_secret as x from 'big.ndjson' where x is not null") != [{"x": "seti_x"}]
    assert rows(run, "select client_secret as x from 'big.ndjson' where x is not null", "--show-secrets") == [{"x": "seti_x"}]


def test_forms_for_people_and_programs(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    query = "select id, n, amount, name, none from 'big.ndjson'"
    shown = run("sql", query)
    assert shown.err == "2 rows\n"
    lines = shown.out.splitlines()
    assert lines[0] == "id                     n  amount  name                none"
    assert lines[1].startswith("──  ────────────────────  ──────")
    assert lines[2] == "a       9007199254740993    1.10  Ada                 NULL"
    assert lines[3] == "b   12345678901234567890    2.00  \\u001b[31m\\u202eBo  NULL"
    assert not forbidden_in_output(shown.out.encode())
    assert run("sql", query, "--csv").out.splitlines()[:2] == ["id,n,amount,name,none", "a,9007199254740993,1.10,Ada,"]
    assert "12345678901234567890" in run("sql", query, "--json").out
    assert run("sql", "select 1 as one where false").out.splitlines()[0] == "one"

    # On a terminal no line is wider than it; what has no room is named.
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "24")
    narrow = run("sql", query)
    assert max(map(len, narrow.out.splitlines())) <= 24
    assert "2 more columns do not fit: name, none" in narrow.err


def test_what_can_be_queried_is_listed(run: Any) -> None:
    listed = run("sql", "--tables", "--from", "k=duckdb:kept.duckdb#t").out
    for part in ("k  1 row\n    seven INTEGER", "history  ", "ListUsers  2 rows", "Whoami  1 row", "'big.ndjson'  "):
        assert part in listed
    tables = [json.loads(line) for line in run("sql", "--tables", "--json").out.splitlines()]
    users = next(one for one in tables if one["table"] == "ListUsers")
    assert users["rows"] == 2
    assert {"name": "email", "type": "VARCHAR"} in users["columns"]

    # What cannot be read is told, and what follows is listed; a name that is given again stands for one table.
    some = run("sql", "--tables", "--from", "a=missing.ndjson", "--from", "history=big.ndjson")
    assert "note: no file missing.ndjson" in some.err
    assert "history  2 rows\n" in some.out
    assert "ListUsers  2 rows\n" in some.out


@pytest.mark.parametrize(("words", "told"), CASES["mistakes in queries"])
def test_mistakes_are_told_in_plain_words(run: Any, words: list[str], told: str) -> None:
    end = run("sql", *words)
    assert (end.code, end.out) == (2, "")
    assert told in end.err
    assert "Traceback" not in end.err


def test_an_interrupted_query_ends_with_its_exit_code(run: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, real = threading.Event(), Database.query

    def query(self: Database, text: str) -> QueryRows:
        begun.set()
        return real(self, text)

    def press() -> None:
        begun.wait(20)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Database, "query", query)
    presser = threading.Thread(target=press)
    presser.start()
    end = run("sql", "select count(*) from range(1000000000) a, range(1000000000) b where (a.range + b.range) % 3 = 7")
    presser.join()
    assert end == (130, "", "callboard: interrupted\n")
