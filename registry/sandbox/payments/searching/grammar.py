"""The grammar of search queries.

::

    query  = clause, { ( " " | " AND " | " OR " ), clause } ;
    clause = [ "-" ], field, operator, value ;
    field  = name | name, "[", text, "]" ;
    operator = ":" | "~" | ">" | "<" | ">=" | "<=" ;
    value  = text | number | "null" ;
    text   = '"', characters, '"' | "'", characters, "'" ;

A space means AND; AND and OR, in any case of letters, are never mixed in one query, and there are no brackets. Within quotes a
backslash takes the quote that follows it as it is. What a field's type allows is decided elsewhere.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeVar

from registry.sandbox.payments.errors import ApiError, refused

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_OPERATOR = re.compile(r">=|<=|[:~<>]")
_SPACE = re.compile(r"\s+")
_KEYWORD = re.compile(r"(and|or)(?=\s|$)", re.IGNORECASE)
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(?=\s|$)")
_NULL = re.compile(r"null(?=\s|$)", re.IGNORECASE)
_ESCAPE = re.compile(r"""\\(["'\\])""")
_TEXT = {quote: re.compile(rf"{quote}((?:[^{quote}\\]|\\.)*){quote}", re.DOTALL) for quote in "\"'"}

Joint = Literal["AND", "OR"]
MOST_CLAUSES = 100
"""The database takes no expression of any size."""
_T = TypeVar("_T")


class Clause(NamedTuple):
    """One condition. `value` is None for null; `quoted` distinguishes a text from a number; `position` counts from 1."""

    negated: bool
    field: str
    key: str | None
    operator: str
    value: str | None
    quoted: bool
    position: int


class ParsedSearch(NamedTuple):
    """The conditions of a query, of which all hold (AND) or at least one (OR)."""

    clauses: list[Clause]
    joint: Joint


def mistake(message: str, position: int | None = None) -> ApiError:
    """A query that cannot be carried out, with the place of the mistake."""
    where = "" if position is None else f" (at character {position})"
    return refused(f"We were unable to parse your search query: {message}{where}.", param="query")


def parse(text: str) -> ParsedSearch:
    """A query's conditions.

    Raises:
        ApiError: 400, with what is wrong and where.
    """
    return _Parser(text).query()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text.rstrip()
        self._at = 0

    def query(self) -> ParsedSearch:
        self._match(_SPACE)
        if self._at == len(self._text):
            raise mistake("it is empty")
        clauses = [self._clause()]
        joints: set[Joint] = set()
        while self._at < len(self._text):
            place = self._at + 1
            if not self._match(_SPACE):
                raise mistake(f"a space is expected before {self._rest()}", place)
            keyword = self._match(_KEYWORD)
            if keyword:
                place = self._at - len(keyword[0]) + 1
                if not self._match(_SPACE):
                    raise mistake(f"a clause is expected after {keyword[0]}", place)
            joints.add("OR" if keyword and keyword[0].upper() == "OR" else "AND")
            if len(joints) > 1:
                raise mistake("AND, or a space, and OR cannot be mixed in one query", place)
            if len(clauses) == MOST_CLAUSES:
                raise mistake(f"it has more than {MOST_CLAUSES} clauses", place)
            clauses.append(self._clause())
        return ParsedSearch(clauses, joints.pop() if joints else "AND")

    def _clause(self) -> Clause:
        position = self._at + 1
        if self._text[self._at] in "()":
            raise mistake("brackets are not supported", position)
        negated = self._text[self._at] == "-"
        self._at += negated
        name = self._needed(self._match(_NAME), "the name of a field")[0]
        if _KEYWORD.fullmatch(name) and self._next() in ("", " "):
            raise mistake(f"a clause is expected before {name}", position)
        key = None
        if self._next() == "[":
            self._at += 1
            key = self._needed(self._quoted(), "a key in quotes")
            self._at += len(self._needed(self._next() == "]" and "]", "]"))
        operator = self._needed(self._match(_OPERATOR), "one of the operators : ~ > < >= <=")[0]
        value, quoted = self._value()
        return Clause(negated, name, key, operator, value, quoted, position)

    def _value(self) -> tuple[str | None, bool]:
        text = self._quoted()
        if text is not None:
            return text, True
        if self._match(_NULL):
            return None, False
        number = self._match(_NUMBER)
        return self._needed(number, "a number, null or a text in quotes")[0], False

    def _quoted(self) -> str | None:
        pattern = _TEXT.get(self._next())
        if pattern is None:
            return None
        text = self._match(pattern)
        if text is None:
            raise mistake("a quote is not closed", self._at + 1)
        return _ESCAPE.sub(r"\1", text[1])

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()
        return found

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _rest(self) -> str:
        found = re.compile(r"\S+").match(self._text, self._at)
        return repr(found[0]) if found else "the end"

    def _needed(self, found: _T | Literal[False] | None, what: str) -> _T:
        if found is None or found is False:
            raise mistake(f"{what} is expected, not {self._rest()}", self._at + 1)
        return found
