"""Targets of tests: their addresses, and what is in them, read by the engines themselves and not by Callboard."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class TableTarget:
    """A table: in a DuckDB file, or in PostgreSQL."""

    place: str
    table: str

    @property
    def address(self) -> str:
        return f"{self.place}#{self.table}"

    @property
    def is_postgres(self) -> bool:
        return not self.place.startswith("duckdb:")

    def connect(self, **options: Any) -> Any:
        if self.is_postgres:
            from adbc_driver_postgresql import dbapi

            return dbapi.connect(self.place)
        import duckdb

        return duckdb.connect(self.place.removeprefix("duckdb:"), **options)

    def query(self, statement: str) -> list[Row]:
        options = {} if self.is_postgres else {"read_only": True}
        with self.connect(**options) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            names = [one[0] for one in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def rows(self) -> list[Row]:
        """All rows, ordered by key."""
        return sorted(self.query(f'SELECT * FROM "{self.table}"'), key=lambda row: str(row["_key"]))

    def types(self) -> dict[str, str]:
        """The type of each column, as the engine names it."""
        found = self.query(f"SELECT * FROM information_schema.columns WHERE table_name = '{self.table}'")
        return {row["column_name"]: row["data_type"] for row in found}


@dataclass(frozen=True)
class PartsTarget:
    """Parquet parts: in a folder, or below a prefix of an S3 server."""

    base: str
    endpoint: str = ""

    @property
    def address(self) -> str:
        return f"s3://{self.base}?endpoint_override={self.endpoint}" if self.endpoint else self.base

    @property
    def folder(self) -> Path:
        return Path(self.base)

    def tables(self) -> list[Any]:
        from pyarrow import fs, parquet

        files = fs.S3FileSystem(endpoint_override=self.endpoint) if self.endpoint else fs.LocalFileSystem()
        found = files.get_file_info(fs.FileSelector(self.base.rstrip("/")))
        names = sorted(one.path for one in found if one.path.endswith(".parquet"))
        return [parquet.read_table(files.open_input_file(name)) for name in names]

    def rows(self) -> list[Row]:
        import pyarrow

        # Unless told otherwise this refuses columns of two types.
        together = pyarrow.concat_tables(self.tables(), promote_options="default")
        return sorted(together.to_pylist(), key=lambda row: str(row["_key"]))

    def types(self) -> dict[str, str]:
        return {one.name: str(one.type) for table in self.tables() for one in table.schema}


Target = TableTarget | PartsTarget
