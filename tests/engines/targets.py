"""Targets of tests: their addresses, and what is in them, read by the engines themselves and not by Callboard."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

Row = dict[str, Any]


class Target(Protocol):
    """A target."""

    @property
    def address(self) -> str: ...

    def rows(self) -> list[Row]:
        """All rows, ordered by key."""

    def types(self) -> dict[str, str]:
        """The type of each column, as the engine names it."""

    def runs(self) -> list[Row]:
        """The runs that are recorded, in order."""


@dataclass(frozen=True)
class DuckDBTarget:
    file: Path
    table: str

    @property
    def address(self) -> str:
        return f"duckdb:{self.file}#{self.table}"

    def query(self, statement: str) -> list[Row]:
        import duckdb

        with duckdb.connect(str(self.file), read_only=True) as database:
            found = database.execute(statement)
            names = [one[0] for one in found.description or ()]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def rows(self) -> list[Row]:
        return self.query(f'SELECT * FROM "{self.table}" ORDER BY _key')

    def types(self) -> dict[str, str]:
        return {row["column_name"]: row["column_type"] for row in self.query(f'DESCRIBE "{self.table}"')}

    def runs(self) -> list[Row]:
        return self.query(f"SELECT * FROM callboard_runs WHERE target LIKE '%#{self.table}' ORDER BY started")


@dataclass(frozen=True)
class PostgresTarget:
    uri: str
    table: str

    @property
    def address(self) -> str:
        return f"{self.uri}#{self.table}"

    def query(self, statement: str) -> list[Row]:
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.uri) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            found: list[Row] = cursor.fetch_arrow_table().to_pylist()
            return found

    def rows(self) -> list[Row]:
        return self.query(f'SELECT * FROM "{self.table}" ORDER BY _key COLLATE "C"')

    def types(self) -> dict[str, str]:
        statement = (
            f"SELECT column_name, data_type FROM information_schema.columns WHERE table_name = '{self.table}' "
            "ORDER BY ordinal_position"
        )
        return {row["column_name"]: row["data_type"] for row in self.query(statement)}

    def runs(self) -> list[Row]:
        return self.query(f"SELECT * FROM callboard_runs WHERE target LIKE '%#{self.table}' ORDER BY started")


class Parts:
    """What reads parts: as one table, all columns of all parts."""

    def contents(self) -> Sequence[bytes]:
        raise NotImplementedError

    def _tables(self) -> list[Any]:
        import pyarrow
        import pyarrow.parquet

        return [pyarrow.parquet.read_table(pyarrow.BufferReader(one)) for one in self.contents()]

    def rows(self) -> list[Row]:
        import pyarrow

        # Unless told otherwise this refuses columns of two types.
        together = pyarrow.concat_tables(self._tables(), promote_options="default")
        found: list[Row] = together.to_pylist()
        return sorted(found, key=lambda row: str(row["_key"]))

    def types(self) -> dict[str, str]:
        return {one.name: str(one.type) for table in self._tables() for one in table.schema}


@dataclass(frozen=True)
class FolderTarget(Parts):
    folder: Path

    @property
    def address(self) -> str:
        return f"{self.folder}/"

    def contents(self) -> Sequence[bytes]:
        return [file.read_bytes() for file in sorted(self.folder.glob("*.parquet"))]

    def runs(self) -> list[Row]:
        return [json.loads(line) for line in (self.folder / "_callboard" / "callboard_runs.jsonl").read_text().splitlines()]


@dataclass(frozen=True)
class ObjectsTarget(Parts):
    endpoint: str
    prefix: str

    @property
    def address(self) -> str:
        return f"s3://things/{self.prefix}?endpoint_override={self.endpoint}"

    def _read(self, folder: str, ending: str) -> list[bytes]:
        from pyarrow.fs import FileSelector, S3FileSystem

        files = S3FileSystem(endpoint_override=self.endpoint)
        found = files.get_file_info(FileSelector(f"things/{self.prefix}{folder}".rstrip("/")))
        names = sorted(one.path for one in found if one.path.endswith(ending))
        contents: list[bytes] = []
        for name in names:
            with files.open_input_stream(name) as stream:
                contents.append(stream.read())
        return contents

    def contents(self) -> Sequence[bytes]:
        return self._read("", ".parquet")

    def runs(self) -> list[Row]:
        return [json.loads(line) for line in self._read("_callboard", ".jsonl")[0].splitlines()]
