"""Addresses: what they name, and why one is refused. Passwords are shown nowhere."""

from pathlib import Path

import pytest

from registry.engines.address import DuckDBTable, ParquetFolder, ParquetObjects, PostgresTable, TableName, address_of
from registry.engines.problems import NotStored
from tests.cases import cases_beside

CASES = cases_beside(__file__)


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
