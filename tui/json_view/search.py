"""Finding text in a document: in keys, in values or in both, folded or not.

Text is looked for as it is printed, quotes and all. A regular expression is looked for inside each key and each value, without
their quotes, so that ``^`` and ``$`` are where these begin and end; it never goes from one row into the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tui.json_view.rows import Indexes, Rows

Where = Literal["everywhere", "keys", "values"]

# The library looks through a whole text without letting anybody else have a turn.
_AT_ONCE = 4 << 20
# Places at which a key or a value may begin or end: what lies around them is a quote, a blank, a comma or the line's end.
_BEGINS, _ENDS = r'(?<![^\n "])', r'(?![^\n",])'
_KEPT_IN_ROWS = {
    r"\A": _BEGINS,
    r"\Z": _ENDS,
    r"\s": r"[^\S\n]",
    r"\W": r"[^\w\n]",
    r"\D": r"[^\d\n]",
    "^": _BEGINS,
    "$": _ENDS,
}
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)


class BadPattern(ValueError):
    """A regular expression that is none; the message says what is wrong with it, and where."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for. Capital letters count only when there are some in the text."""

    text: str
    is_regex: bool = False
    where: Where = "everywhere"

    @property
    def capitals_count(self) -> bool:
        """Whether capital letters count. Those of a regular expression's escapes are none."""
        text = re.sub(r"\\.", "", self.text) if self.is_regex else self.text
        return text != text.lower()

    @property
    def is_anchored(self) -> bool:
        """Whether it is a regular expression that names the beginning or the end of a key or a value."""
        return self.is_regex and any(_KEPT_IN_ROWS.get(token) in (_BEGINS, _ENDS) for token in _TOKEN.findall(self.text))

    def pattern(self) -> re.Pattern[bytes]:
        """The query as a pattern over what it is looked for in.

        Raises:
            BadPattern: it is to be a regular expression and is none.
        """
        return self._compiled(self.text if self.is_regex else "".join(map(_letter, self.text)))

    def pattern_over_rows(self) -> re.Pattern[bytes]:
        """A pattern over the laid out text that matches in every row in which `pattern` matches, and perhaps in others."""
        if not self.is_regex:
            return self.pattern()
        try:
            return self._compiled("".join(_kept_in_rows(token) for token in _TOKEN.findall(self.text)))
        except BadPattern:
            return re.compile(rb".")  # what is unusual is looked for row by row

    def _compiled(self, written: str) -> re.Pattern[bytes]:
        flags = 0 if self.capitals_count else re.IGNORECASE
        try:
            return re.compile(written.encode("utf-8", errors="surrogateescape"), flags)
        except re.error as error:
            place = f" at letter {error.pos + 1}" if error.pos is not None else ""
            raise BadPattern(f"{error.msg}{place}") from None


def hits(rows: Rows, query: Query) -> Indexes:
    """The rows in which something matches, in order.

    Raises:
        BadPattern: the query is to be a regular expression and is none.
    """
    exactly, pattern = query.pattern(), query.pattern_over_rows()
    is_hit = _Judge(rows, query, exactly)
    found = [number for number, match in _candidates(rows, pattern) if is_hit(number, match)]
    return np.array(found, np.uint32)


def _candidates(rows: Rows, pattern: re.Pattern[bytes]) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Rows in which a match begins, in order, with their matches. Of a row that was a hit, further matches may be left out."""
    start = 0
    while start < len(rows.text):
        last = rows.at(min(start + _AT_ONCE, len(rows.text)))
        stop = rows.line_start(last + 1)
        behind, number = start, -1
        for match in pattern.finditer(rows.text, start, stop):
            if match.start() >= behind:
                number = rows.at(match.start())
                behind = rows.line_start(number + 1)
            yield number, match
            if match.end() > behind:
                # It swallowed rows that may have matches of their own.
                stop = behind
                break
        start = stop


class _Judge:
    """Tells of a row and a match in it whether it is a hit, of each row once."""

    def __init__(self, rows: Rows, query: Query, exactly: re.Pattern[bytes]) -> None:
        self._rows = rows
        self._query = query
        self._exactly = exactly
        self._anchored = query.is_anchored
        self._done = -1

    def __call__(self, number: int, match: re.Match[bytes]) -> bool:
        if number == self._done or not (self._anchored or match.end() > match.start()):
            return False
        query = self._query
        if not query.is_regex:
            if query.where != "everywhere":
                key_ends = self._rows.value_start(number)
                if (match.start() >= key_ends - 2) if query.where == "keys" else (match.start() < key_ends):
                    return False
            self._done = number
            return True
        # One look at the whole row decides about it.
        self._done = number
        insides = self._rows.insides(number)
        if query.where != "everywhere":
            insides = insides[:-1] if query.where == "keys" else insides[-1:]
        if not self._anchored and any(start <= match.start() and match.end() <= stop for start, stop in insides):
            return True
        text = self._rows.text
        return any(
            self._anchored or found.end() > found.start()
            for start, stop in insides
            for found in self._exactly.finditer(text[start:stop])
        )


def _kept_in_rows(token: str) -> str:
    """A part of a regular expression, so that it goes over no line's end and knows where keys and values begin and end."""
    return f"{token[:-1]}\\n]" if token.startswith("[^") else _KEPT_IN_ROWS.get(token, token)


def _letter(letter: str) -> str:
    """A letter as it may stand in the text: itself, or as the escape that many services write."""
    if letter.isascii():
        return re.escape(letter)
    units = letter.encode("utf-16-be", errors="surrogatepass")
    escape = "".join(f"\\\\u(?i:{units[at : at + 2].hex()})" for at in range(0, len(units), 2))
    return f"(?:{re.escape(letter)}|{escape})"
