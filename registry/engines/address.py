"""Parses the addresses of sinks that people type. Nothing is opened here, and no library is needed.

=====================================  ===================================================================================
``folder/``, or a folder that exists   Parquet files in it
``duckdb:FILE#TABLE``                  a table in a DuckDB file
``postgresql://…#TABLE``               a table in PostgreSQL; the address is libpq's, ``postgres://`` is the same
``s3://BUCKET/PREFIX/``                Parquet objects; ``?endpoint_override=URL``, ``?region=NAME`` for others than AWS
=====================================  ===================================================================================

TABLE is a name, or SCHEMA.NAME. Names are quoted wherever they are used, so every printable name is safe.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from registry.engines.problems import NotStored, quoted
from registry.text.shown import visible_line

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_LONGEST_NAME = 63
"""The longest name in bytes; PostgreSQL would cut longer ones."""

_OWN = "callboard_"
_OPTIONS = ("endpoint_override", "region")
_KNOWN = "Use FILE, FOLDER/, duckdb:FILE#TABLE, postgresql://HOST/DATABASE#TABLE or s3://BUCKET/PREFIX/."


class TableName(NamedTuple):
    """The name of a table; `schema` is None for the database's default."""

    name: str
    schema: str | None = None

    @property
    def quoted(self) -> str:
        """The name quoted for SQL."""
        return ".".join(quoted(one) for one in (self.schema, self.name) if one is not None)

    def __str__(self) -> str:
        return self.name if self.schema is None else f"{self.schema}.{self.name}"


class ParquetFolder(NamedTuple):
    """Parquet files in a folder, which may not exist yet."""

    folder: Path


class ParquetObjects(NamedTuple):
    """Parquet objects below a prefix, which is empty or ends in a slash; `endpoint` and `region` as the address has them."""

    bucket: str
    prefix: str
    endpoint: str | None = None
    region: str | None = None


class DuckDBTable(NamedTuple):
    """A table in a DuckDB file, which may not exist yet."""

    file: Path
    table: TableName


@dataclass(frozen=True, slots=True)
class PostgresTable:
    """A table in PostgreSQL.

    Attributes:
        location: the address for libpq; it may hold a password, and must never be shown.
        table: the table.
        shown: the address without a password.
        secrets: texts that must not be shown, because they may be a part of the password.
    """

    location: str = field(repr=False)
    table: TableName
    shown: str
    secrets: tuple[str, ...] = field(repr=False, default=())


Address = ParquetFolder | ParquetObjects | DuckDBTable | PostgresTable


def address_of(text: str, folder: Path) -> Address | None:
    """The sink that a text names; None for a plain file. Relative paths start at the folder.

    Raises:
        NotStored: the address is invalid; names the part, the rule and what to do next.
    """
    text = text.strip()
    if text.startswith("duckdb:"):
        file, hash_sign, table = text.removeprefix("duckdb:").rpartition("#")
        if not hash_sign or not file:
            raise _wrong("duckdb: needs a file and a table.", "Write duckdb:FILE#TABLE, for example duckdb:data.duckdb#users.")
        path = _path(file, folder)
        _check_parent(path)
        return DuckDBTable(path, _table(table))
    if (scheme := _SCHEME.match(text)) is not None:
        if scheme[1].lower() in ("postgresql", "postgres"):
            return _postgres(text)
        if scheme[1].lower() == "s3":
            return _objects(text)
        raise _wrong(f"{scheme[1]}:// is not a known kind of address.", _KNOWN)
    is_folder = text.endswith("/")
    try:
        path = _path(text, folder)
    except NotStored:
        if is_folder:
            raise
        return None  # an impossible file: writing it raises the error
    if is_folder and not path.is_dir():
        if path.exists():
            raise _wrong(f"{visible_line(str(path))} is a file.", "Remove the slash at the end, or choose another folder.")
        _check_parent(path)
    return ParquetFolder(path) if text and (is_folder or path.is_dir()) else None


def _postgres(text: str) -> PostgresTable:
    way_out = "Write postgresql://USER@HOST:PORT/DATABASE#TABLE, with the password in PGPASSWORD or ~/.pgpass."
    location, hash_sign, table = text.rpartition("#")
    if not hash_sign:
        raise _wrong("The address of a PostgreSQL table ends in #TABLE.", way_out)
    try:
        parts = urlsplit(location)
        parts.port  # noqa: B018
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
    except ValueError:  # the error's text may hold a part of the password
        raise _wrong(
            "The address of the PostgreSQL server cannot be read.", f"{way_out} Write / @ : # ? in names as %2F …"
        ) from None
    if parts.netloc.count("@") > 1 or "@" in parts.path or "@" in parts.query.partition("&")[0].partition("=")[0]:
        raise _wrong("There is an @ too many in it, perhaps in the password.", f"{way_out} Write / @ : # ? in it as %2F …")
    password = parts.password or ""
    secrets = {password, unquote(password), options.get("password", ""), options.get("sslpassword", "")} - {""}
    user, at, host = parts.netloc.rpartition("@")
    shown = f"postgresql://{user.partition(':')[0]}{at}{host}{parts.path}#{table}"
    return PostgresTable(location, _table(table), visible_line(shown), tuple(sorted(secrets, key=len)))


def _objects(text: str) -> ParquetObjects:
    way_out = "Write s3://BUCKET/PREFIX/."
    place, _, query = text[len("s3://") :].partition("?")
    bucket, _, prefix = place.partition("/")
    if "@" in bucket or ":" in bucket:
        raise _wrong("Keys do not belong into the address.", "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead.")
    if _BUCKET.fullmatch(bucket) is None:
        raise _wrong(f"{visible_line(bucket)!r} is not the name of a bucket.", f"{way_out} Names have 3 to 63 of a-z 0-9 . -")
    if prefix.endswith(".parquet"):
        raise _wrong("An address in S3 is a prefix, below which there are several objects.", way_out)
    if any(part in (".", "..") for part in prefix.split("/")) or not prefix.isprintable() or "//" in prefix:
        raise _wrong("The prefix cannot contain . or .. as a part, empty parts or control characters.", way_out)
    options = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := next((name for name in options if name not in _OPTIONS), None):
        raise _wrong(f"Unknown option {visible_line(unknown)}.", f"Known options: {', '.join(_OPTIONS)}.")
    if prefix and not prefix.endswith("/"):
        prefix += "/"
    return ParquetObjects(bucket, prefix, options.get("endpoint_override") or None, options.get("region") or None)


def _table(text: str) -> TableName:
    schema, dot, name = text.rpartition(".")
    for one in (schema, name) if dot else (name,):
        if not one:
            raise _wrong("The name of the table is missing after #.", "Write #TABLE or #SCHEMA.TABLE.")
        if not one.isprintable() or len(one.encode()) > _LONGEST_NAME:
            raise _wrong(
                f"{visible_line(one)[:80]!r} is not a table's name.", f"Use up to {_LONGEST_NAME} printable characters."
            )
    if name.lower().startswith(_OWN):
        raise _wrong(f"Names that begin with {_OWN} are Callboard's own tables.", "Choose another name.")
    return TableName(name, schema if dot else None)


def _path(text: str, folder: Path) -> Path:
    try:
        return (folder / Path(os.path.expanduser(text))).resolve()
    except (RuntimeError, OSError, ValueError):  # an unknown user's home folder, a loop of links, a null character
        raise _wrong(f"{visible_line(text)[:200]} is not a valid path.", "Choose another path.") from None


def _check_parent(path: Path) -> None:
    if not path.parent.is_dir():
        raise _wrong(f"No such folder: {visible_line(str(path.parent))}.", "Create it, or choose another folder.")


def _wrong(cause: str, way_out: str) -> NotStored:
    return NotStored(cause, way_out, "address")
