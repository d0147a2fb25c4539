"""Files as tables, each format with the same values; addresses: what they name, and why one is refused."""

import gzip
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from registry.accounts.secrets import MASK
from registry.engines.address import DuckDBTable, ParquetFolder, ParquetObjects, PostgresTable, TableName, address_of
from registry.engines.database import Database
from registry.engines.files import add_file
from registry.engines.problems import NotStored, SqlProblem
from tests.cases import cases_beside
from tests.engines.test_database import rows

CASES = cases_beside(__file__)

ROWS = [
    {"id": 9007199254740993, "big": 12345678901234567890, "amount": "1.10", "zip": "00501", "note": 'a;\n"b"', "secret": "s_1"},
    {"id": 2, "big": 1, "amount": "20.5", "zip": "10115", "note": None, "secret": "s_2"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("files [1]*")
    texts = [
        json.dumps(row).replace('"amount": "1.10"', '"amount": 1.10').replace('"amount": "20.5"', '"amount": 20.5')
        for row in ROWS
    ]
    (path / "rows.ndjson").write_text("\ufeff" + "\n\n".join(texts) + "\r\n", "utf-8")
    (path / "rows.json").write_text("[" + ",".join(texts) + "]", "utf-8")
    (path / "page.json").write_text('{"object": "list", "data": [' + ",".join(texts) + "]}", "utf-8")
    (path / "one.json").write_text(texts[0], "utf-8")
    (path / "rows.csv").write_text(
        'id,big,amount,zip,note,secret\r\n9007199254740993,12345678901234567890,1.10,00501,"a;\n""b""",s_1\r\n2,1,20.5,10115,,s_2\r\n',
        "utf-8",
    )
    made = duckdb.connect(str(path / "kept.duckdb"))
    made.execute("CREATE TABLE rows (id BIGINT, big HUGEINT, amount DECIMAL(18,2), zip VARCHAR, note VARCHAR, secret VARCHAR)")
    for row in ROWS:
        made.execute("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?)", list(row.values()))
    made.execute(f"COPY (SELECT * REPLACE (CAST(big AS DECIMAL(38,0)) AS big) FROM rows) TO '{path}/rows.parquet'")
    made.execute("CREATE VIEW elsewhere AS SELECT * FROM read_text('/etc/hostname')")
    made.close()
    (path / "empty").mkdir()
    (path / "broken.ndjson").write_text('{"id": 1}\n{"id": \n', "utf-8")
    (path / "broken.json").write_text("[1", "utf-8")
    (path / "broken.parquet").write_bytes(b"PAR1")
    (path / "rows.xlsx").write_bytes(b"PK")
    with gzip.open(path / "rows.ndjson.gz", "wb") as file:
        file.write(b"{}")
    return path


@pytest.fixture
def database() -> Iterator[Database]:
    with Database() as one:
        yield one


@pytest.mark.parametrize(
    "name", ["rows.ndjson", "rows.json", "page.json", "rows.csv", "rows.parquet", "duckdb:kept.duckdb#rows"]
)
def test_each_format_has_the_same_values(database: Database, folder: Path, name: str) -> None:
    address = name.replace("duckdb:", f"duckdb:{folder}/") if name.startswith("duckdb:") else str(folder / name)
    added = add_file(database, ("files", "t"), address)
    assert (added.name, added.count) == ("files.t", 2)
    types, amounts = dict(added.columns), "DECIMAL(18,2)" if name.endswith(("parquet", "#rows")) else "DECIMAL(38,2)"
    assert (types["id"], types["amount"], types["zip"]) == ("BIGINT", amounts, "VARCHAR")
    assert types["big"] == ("HUGEINT" if name.endswith("#rows") else "DECIMAL(38,0)")
    first, second = rows(database, "select * from files.t order by id desc")
    assert first == {**ROWS[0], "amount": Decimal("1.10"), "secret": MASK}
    assert second == {**ROWS[1], "amount": Decimal("20.50"), "secret": MASK}
    assert rows(database, "select sum(id) as s from files.t where note is null or secret <> 's_1'") == [{"s": 9007199254740995}]


def test_secrets_of_digits_and_in_texts_that_hold_json_are_masked(tmp_path: Path, database: Database) -> None:
    card = tmp_path / "card.csv"
    card.write_text('number,cvc,card.number,id,note\n4242424242424242,123,17,7,"{""k"":""{\\""cvc\\"":\\""s_3\\""}""}"\n')
    add_file(database, ("card",), str(card))
    (found,) = rows(database, "from card")
    assert (found["number"], found["cvc"], found["card.number"], found["id"]) == (MASK, MASK, 17, 7)
    assert "s_3" not in str(found)
    with Database(masked=False) as bare:
        add_file(bare, ("card",), str(card))
        (shown,) = rows(bare, "from card")
        assert (shown["number"], shown["cvc"], shown["note"]) == (4242424242424242, 123, '{"k":"{\\"cvc\\":\\"s_3\\"}"}')


def test_what_was_named_is_read_and_nothing_else(folder: Path, database: Database) -> None:
    add_file(database, ("rows",), str(folder / "rows.parquet"))
    add_file(database, ("kept",), f"duckdb:{folder}/kept.duckdb#rows")
    assert rows(database, "select count(*) as n from rows") == [{"n": 2}]
    for query in (f"from '{folder}/rows.csv'", "from file_3.elsewhere", "from file_4.elsewhere", "from file_5.elsewhere"):
        with pytest.raises(SqlProblem):
            list(database.query(query).rows)
    for statement in (f"copy kept to '{folder}/rows.parquet'", "insert into file_1.rows select * from kept"):
        with pytest.raises(SqlProblem, match="only reads"):
            database.query(statement)
    with pytest.raises(SqlProblem, match="top level"):
        list(database.query("with a as (delete from file_1.rows returning *) select * from a").rows)


@pytest.mark.parametrize(("address", "words"), CASES["unreadable files"])
def test_files_that_cannot_be_read_say_why(database: Database, folder: Path, address: str, words: str) -> None:
    with pytest.raises(SqlProblem, match=words) as caught:
        add_file(database, ("t",), address.format(folder))
    assert caught.value.kind == "source"
    assert "{" not in caught.value.words


def test_what_they_name(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    assert address_of("out.parquet", folder) is None
    assert address_of("duckdb", folder) is None
    assert address_of("", folder) is None
    assert address_of("parts/", folder) == ParquetFolder(folder / "parts")
    assert address_of(str(folder), folder) == ParquetFolder(folder)
    assert address_of("duckdb:a#b.duckdb#users", folder) == DuckDBTable(folder / "a#b.duckdb", TableName("users"))
    assert address_of("duckdb:x.duckdb#crm.users", folder) == DuckDBTable(folder / "x.duckdb", TableName("users", "crm"))
    assert address_of("s3://things", folder) == ParquetObjects("things", "")
    assert address_of("s3://things/a/b?endpoint_override=http://127.0.0.1:1&region=x", folder) == ParquetObjects(
        "things", "a/b/", "http://127.0.0.1:1", "x"
    )
    found = address_of("postgres://ada:s%23cret@db.example:5433/app?sslmode=require#crm.users", folder)
    assert isinstance(found, PostgresTable)
    assert found.location == "postgres://ada:s%23cret@db.example:5433/app?sslmode=require"
    assert (found.table, found.shown) == (TableName("users", "crm"), "postgresql://ada@db.example:5433/app#crm.users")
    assert "cret" not in repr(found)
    assert set(found.secrets) == {"s%23cret", "s#cret"}


def test_names_are_quoted() -> None:
    assert TableName('a"; DROP TABLE x; --', "s.t").quoted == '"s.t"."a""; DROP TABLE x; --"'


@pytest.mark.parametrize(("text", "told"), CASES["refused addresses"])
def test_why_one_is_refused(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("")
    with pytest.raises(NotStored) as refused:
        address_of(text, tmp_path)
    assert any(words in str(refused.value) for words in told.split("|"))
    assert "ter2" not in str(refused.value)
    assert refused.value.concern == "address"
