"""Files as tables: NDJSON, JSON, CSV, Parquet (a file, or a folder of parts), and tables of DuckDB files. Files are only read.

JSON and CSV are loaded, with types that hold every value exactly. Parquet and DuckDB files have their own types and are not
loaded; their lists and structs are JSON here. Secrets are masked by the names of columns, and inside JSON.
"""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from registry.accounts.secrets import MASK
from registry.calling.listing import listing_in
from registry.calling.receiving import MEMBERS, mask
from registry.engines.database import MASKED, NESTED, AddedTable, Database, full_name
from registry.engines.problems import SqlProblem, quoted, string
from registry.files.folders import reason
from registry.json_text import NotJson

DUCKDB = "duckdb:"
"""The start of the address of a table in a DuckDB file: ``duckdb:FILE#table``."""

_LINES, _CSV = (".ndjson", ".jsonl"), (".csv", ".tsv")
ENDINGS = (*_LINES, ".json", *_CSV, ".parquet")
"""The endings of files that can be read."""

_FORMATS = "use a file .ndjson, .json, .csv or .parquet, a folder of .parquet files, or duckdb:FILE#table"
_WORD = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?|true|false")
_LARGEST_JSON = 500_000_000
_MAGIC = b"DUCK"  # after the first eight bytes of a DuckDB file
_MARK = b"\xef\xbb\xbf"


def is_file(name: str) -> bool:
    """Whether a name in a query is a file's: by its start or ending, or because it contains a folder."""
    return name.lower().startswith(DUCKDB) or name.lower().endswith(ENDINGS) or "/" in name or name.startswith("~")


def add_file(database: Database, name: Sequence[str], address: str) -> AddedTable:
    """Make a table, or a view, of a file, a folder or ``duckdb:FILE#table``; the database must not be locked yet.

    Raises:
        SqlProblem: there is no such file, or its content does not match its name.
        Cancelled: it was interrupted.
    """
    path = Path(address).expanduser()
    ending = path.suffix.lower()
    try:
        if address.lower().startswith(DUCKDB):
            return _add_duckdb(database, name, address[len(DUCKDB) :])
        if path.is_dir():
            parts = sorted(one for one in path.rglob("*.parquet") if one.is_file())
            # At any depth; names that begin with a dot or an underscore are skipped.
            parts = [one for one in parts if not any(part.startswith((".", "_")) for part in one.relative_to(path).parts)]
            if not parts:
                raise SqlProblem(f"no .parquet files in {path}", _FORMATS, kind="source")
            return _add_parquet(database, name, parts)
        if not path.is_file():
            raise _no_file(address)
        if ending in _LINES:
            return database.add_items(name, lambda: _lines(path))
        if ending == ".json":
            items = _items(path)
            return database.add_items(name, lambda: items)
        if ending in _CSV:
            return database.add_items(name, lambda: _csv_rows(path, masked=database.masked))
        if ending == ".parquet":
            return _add_parquet(database, name, [path])
    except OSError as error:
        raise SqlProblem(f"cannot read {reason(error, path)}", kind="source") from error
    raise SqlProblem(f"{address} is of no format that SQL can read", _FORMATS, kind="source")


def _no_file(address: str) -> SqlProblem:
    return SqlProblem(f"no file {address}", "give the path from the folder that you are in", kind="source")


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        for line in file:
            if text := line.removeprefix(_MARK).strip():
                yield text


def _items(path: Path) -> Sequence[bytes]:
    if path.stat().st_size > _LARGEST_JSON:
        raise SqlProblem(
            f"{path} is larger than {_LARGEST_JSON / 1e6:,.0f} MB",
            "save it as NDJSON, an item a line, which is read piece by piece",
            kind="source",
        )
    body = path.read_bytes().removeprefix(_MARK).strip()
    try:
        listing = listing_in(body, "data")
    except NotJson as error:
        raise SqlProblem(f"{path} is not JSON: {error}", kind="source") from None
    return listing.items if listing is not None else [body]


# Parquet and DuckDB: not loaded


def _add_parquet(database: Database, name: Sequence[str], files: Sequence[Path]) -> AddedTable:
    paths = [file.absolute() for file in files]
    listed = ", ".join(string(str(one)) for one in paths)  # names of existing files are not patterns
    source = f"read_parquet([{listed}], union_by_name = true, hive_types_autocast = false)"
    return database.add_view(name, _select(database, source, ".".join(name)), paths)


def _add_duckdb(database: Database, name: Sequence[str], address: str) -> AddedTable:
    file, _, table = address.rpartition("#")
    path = Path(file).expanduser()
    if not file or not table:
        raise SqlProblem(f"{DUCKDB}{address} names no table", "write duckdb:FILE#table", kind="source")
    if not path.is_file():
        raise _no_file(file)
    with path.open("rb") as opened:
        if opened.read(12)[8:] != _MAGIC:
            raise SqlProblem(f"{file} is not a DuckDB database", _FORMATS, kind="source")
    (count,) = database.run_own("SELECT count(*) FROM duckdb_databases()").fetchone()
    alias = f"file_{count}"
    database.run_own(f"ATTACH {string(str(path.absolute()))} AS {alias} (TYPE duckdb, READ_ONLY)", str(path))
    found = database.run_own(
        f"SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = {string(alias)}"
    ).fetchall()
    tables = {str(one): str(schema) for schema, one in found}
    if table not in tables:
        raise SqlProblem(f"no table {table} in {file}", f"it has: {', '.join(sorted(tables)) or 'none'}", kind="source")
    return database.add_view(name, _select(database, full_name((alias, tables[table], table)), ".".join(name)))


def _select(database: Database, source: str, called: str) -> str:
    """The select of a view of a source, with lists and structs as JSON and with masks."""
    columns = [(str(row[0]), str(row[1])) for row in database.run_own(f"DESCRIBE SELECT * FROM {source}", called).fetchall()]
    parts = [f"{_value(name, type_, masked=database.masked)} AS {quoted(name)}" for name, type_ in columns]
    return f"SELECT {', '.join(parts)} FROM {source}"


def _value(name: str, type_: str, *, masked: bool) -> str:
    value = quoted(name)
    if type_.endswith("]") or type_.startswith(NESTED):
        text = f"CAST(to_json({value}) AS VARCHAR)"
        return f"CAST({f'{MASKED}({text})' if masked else text} AS JSON)"
    if not masked or type_ not in ("VARCHAR", "JSON"):
        return value
    last = name.rsplit(".", 1)[-1]
    if last == "number":
        return f"CASE WHEN regexp_full_match({value}, '[0-9]{{12,19}}') THEN {string(MASK)} ELSE {value} END"
    if last in MEMBERS:
        return f"CASE WHEN {value} = '' THEN '' WHEN {value} IS NOT NULL THEN {string(MASK)} END"
    inside = f"CASE WHEN contains({value}, '\"') THEN {MASKED}({value}) ELSE {value} END"
    return f"CAST({inside} AS JSON)" if type_ == "JSON" else inside


def _csv_rows(path: Path, *, masked: bool) -> Iterator[bytes]:
    """Rows as JSON objects: cells that are JSON numbers, true or false are that, empty ones null, others text."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ","):
            row.pop(None, None)  # cells beyond the head
            # Masked as text, because digits are secret under some names.
            cells = json.loads(mask(json.dumps(row).encode())[0]) if masked else row
            yield b"{%b}" % b",".join(json.dumps(name).encode() + b":" + _cell(value) for name, value in cells.items())


def _cell(text: str | None) -> bytes:
    if not text:
        return b"null"
    return text.encode() if _WORD.fullmatch(text) else json.dumps(text).encode()
