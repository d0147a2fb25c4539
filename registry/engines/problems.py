"""SQL recognised and quoted, without DuckDB; and the errors of engines in plain words: of targets, queries and sources."""

import json
import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

from registry.files.folders import how_to_install
from registry.text.shown import shortened

_COMMENTS = re.compile(r"(?:\s*(?:--[^\n]*(?:\n|$)|/\*.*?\*/))*\s*", re.DOTALL)
_BEGINNING = re.compile(r"(?:select|with|from)(?:\s|\(|\*|\"|'|$)", re.IGNORECASE)
_WORD = re.compile(r"\w*")
_EXTENSION = re.compile(r"exists in the (\w+) extension|requires? the (\w+) extension", re.IGNORECASE)
_FILE = re.compile(r'Cannot access (?:file|directory) "([^"]*)"')
_LONGEST = 80
_LAST_WORD = re.compile(r"\S*\s*")
_PARENTHESES = "put parentheses around what takes JSON apart, as in (address->>'city') = 'Porto'"


class NotStored(Exception):
    """Not everything could be stored. It never holds a password.

    Attributes:
        cause: what happened, with names and values.
        next_step: what to do next.
        concern: ``address`` (it is wrong; nothing was opened), ``extra`` (a library is missing), ``target`` (the file,
            folder or database cannot be used).
    """

    def __init__(self, cause: str, next_step: str, concern: Literal["address", "extra", "target"] = "target") -> None:
        super().__init__(f"{cause} {next_step}")
        self.cause, self.next_step, self.concern = cause, next_step, concern


def needs(what: str, *libraries: str) -> None:
    """Check that libraries of the extra ``engines`` are installed, without importing them.

    Raises:
        NotStored: one is not; says how to get it.
    """
    for library in libraries:
        if find_spec(library) is None:
            raise NotStored(f"{what} needs {library}, which is not installed.", f"Install {how_to_install('engines')}", "extra")


@dataclass(eq=False)
class SqlProblem(Exception):
    """A query that cannot be run, or a source that cannot be read.

    Attributes:
        words: what is wrong.
        way_out: what to do; empty if `words` says it.
        position: the index in the query, from 0; None without one.
        kind: the cause: the query, a source, or a library that is not installed.
        missing: the table that does not exist, if that is the problem.
        unfinished: whether the query may only be incomplete, as while it is being typed.
    """

    words: str
    way_out: str = ""
    position: int | None = None
    kind: Literal["query", "source", "library"] = "query"
    missing: str = ""
    unfinished: bool = False

    def __str__(self) -> str:
        return f"{self.words}; {self.way_out}" if self.way_out else self.words


def problem_of(error: Exception, query: str, before: int = 0) -> SqlProblem:
    """Converts an error of DuckDB about a query.

    DuckDB writes its errors as JSON. `before` is the number of bytes that were put before the query as typed.
    """
    kind, _, rest = str(error).partition(": ")
    try:
        found: dict[str, Any] = json.loads(rest)
    except ValueError:
        found = {"exception_type": kind.removesuffix(" Error"), "exception_message": rest or kind}
    type_, text = str(found.get("exception_type") or ""), str(found.get("exception_message") or "")
    position = _position(found.get("position"), query, before)
    name = str(found.get("name") or "")
    if found.get("error_subtype") == "COLUMN_NOT_FOUND":
        near = str(found.get("candidates") or "").split(",")[0].strip()
        return SqlProblem(
            f"no column {shortened(name, _LONGEST)}{f'; did you mean {near}?' if near else ''}", position=position
        )
    if type_ == "Catalog" and found.get("type") == "Table":
        return SqlProblem(f"no table {shortened(name, _LONGEST)}", position=position, missing=name)
    if (extension := _EXTENSION.search(text)) is not None:
        return SqlProblem(
            f"this needs the extension {extension[1] or extension[2]}",
            "Callboard loads no extensions of DuckDB, and downloads none",
            position=position,
        )
    if type_ == "Permission" or "disabled through configuration" in text or "disabled by configuration" in text:
        file = _FILE.search(text)
        return SqlProblem(
            "a query reads only the tables and files named in it" + (f", not {file[1]}" if file is not None else ""),
            "name the file in the query, as in from 'FILE', or with --from NAME=FILE",
            position=position,
        )
    if "max expression depth" in text.lower():
        return SqlProblem("the query is nested too deeply")
    if type_ == "Out of Memory":
        return SqlProblem(
            "this needs more memory or disk than a query may use",
            "select fewer columns or rows, or aggregate before you sort",
        )
    first = re.split(r"\n\n|\n\t?Candidate", text, maxsplit=1)[0]
    words = re.sub(r"\s*\n\s*", " ", first).strip().rstrip("!.") or "DuckDB cannot run this"
    if words[1:2].islower():
        words = words[:1].lower() + words[1:]
    way_out = _PARENTHESES if type_ == "Binder" and "'->" in first else ""
    unfinished = type_ == "Parser" and (position is None or _LAST_WORD.fullmatch(query, position) is not None)
    return SqlProblem(shortened(words, 5 * _LONGEST), way_out, position=position, unfinished=unfinished)


def _position(position: object, query: str, before: int) -> int | None:
    """The index of the error in the query: DuckDB counts bytes, from the start of the text that it got."""
    if not isinstance(position, str) or not position.isdecimal():
        return None
    start = int(position) - before
    text = query.encode("utf-8", "replace")
    return len(text[:start].decode("utf-8", "ignore")) if 0 <= start <= len(text) else None


def is_sql(text: str) -> bool:
    """Whether a text is SQL: it begins with ``select``, ``with`` or ``from``, after comments."""
    return _BEGINNING.match(text, first_word(text)[1]) is not None


def first_word(text: str) -> tuple[str, int]:
    """The first word of a text after comments, and its position; empty if the text begins with something else."""
    comments = _COMMENTS.match(text)
    found = _WORD.match(text, comments.end() if comments is not None else 0)
    return (found[0], found.start()) if found is not None else ("", 0)


def quoted(name: str) -> str:
    """A name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def string(text: str) -> str:
    """A text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"
