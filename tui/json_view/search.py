"""Finds text in a document: in keys, in values or in both, folded or not.

A row is found when something matches in it; nothing matches across rows. A text is searched as a person reads it: letters
that the service wrote as escapes are found too. The text is searched piece by piece, so that a search over a large
result does not block other work and can be cancelled. A regular expression that would take hours is stopped: the library
`regex` works without holding other threads up, and has a time limit.

In a regular expression ``^`` and ``$`` mean the beginning and the end of a key or a value, without its quotes; an expression
without them is searched in the whole row as printed.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import regex

from tui.json_view.row_index import Text, numbers
from tui.json_view.rows import JsonRows

Where = Literal["everywhere", "keys", "values"]

LONGEST = 5.0
"""Seconds that a regular expression may take for one step."""

_PIECE = 1 << 20
# Letters that no service escapes; all others may be in the text as themselves or as an escape.
_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;@#$%()\[\]{}*!?|~^+-]*")
_SHORT = {'"': '"', "\\": "\\", "/": "/", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}

# Positions where a key or a value may begin or end: next to a quote, a space, a comma or the end of the line.
_BEGINS, _ENDS = r'(?<![^\n "])', r'(?![^\n",])'
_ANCHORS = {"^": _BEGINS, r"\A": _BEGINS, "$": _ENDS, r"\Z": _ENDS}
# A regular expression's escapes, character sets, and all else.
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)


class BadPattern(ValueError):
    """An invalid regular expression; the message says what is wrong with it, and where."""


class SearchFailed(Exception):
    """A search that did not end; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class TextSearch:
    """What to search for. It is case-sensitive only if the text has a capital letter.

    Attributes:
        text: a text, or a regular expression.
        is_regex: whether it is a regular expression.
        where: in which parts of a row.
    """

    text: str
    is_regex: bool = False
    where: Where = "everywhere"

    @property
    def ignores_case(self) -> bool:
        """Whether case is ignored: no capital letters in the text, apart from a regular expression's escapes."""
        text = re.sub(r"\\.", "", self.text) if self.is_regex else self.text
        return text == text.lower()

    @property
    def is_anchored(self) -> bool:
        """Whether it is a regular expression with an anchor, such as ``^`` or ``$``."""
        return self.is_regex and any(token in _ANCHORS for token in _TOKEN.findall(self.text))

    def pattern(self) -> regex.Pattern[bytes]:
        """The query as a pattern over rows. If case is ignored, a plain text is searched in lower-case rows.

        Raises:
            BadPattern: it is not a valid regular expression.
        """
        if not self.is_regex:
            text = "".join(self._letter(letter) for letter in self.text)
            return regex.compile(text.encode("utf-8", errors="surrogateescape"))
        return self._compiled(self.text)

    def pattern_over_rows(self) -> regex.Pattern[bytes]:
        """For one with an anchor, a pattern that finds at least every row where `pattern` matches a key or a value."""
        try:
            return self._compiled("".join(map(_loosened, _TOKEN.findall(self.text))))
        except BadPattern:
            return regex.compile(b"(?m)^")  # too unusual to be parsed here: every row is searched

    def _compiled(self, text: str) -> regex.Pattern[bytes]:
        try:
            return regex.compile(text.encode("utf-8", errors="surrogateescape"), regex.IGNORECASE if self.ignores_case else 0)
        except regex.error as error:
            raise BadPattern(str(error)) from None

    def _letter(self, letter: str) -> str:
        """A letter as it may be in the text: itself, or an escape."""
        if _PLAIN.fullmatch(letter):
            return re.escape(letter)
        ways: list[str] = []
        for one in sorted(self._forms(letter)):
            ways.append(re.escape(one))
            units = one.encode("utf-16-be", errors="surrogatepass")
            ways.append("".join(f"\\\\u(?i:{units[at : at + 2].hex()})" for at in range(0, len(units), 2)))
        if letter in _SHORT:
            ways.insert(0, "\\\\" + re.escape(_SHORT[letter]))
        return f"(?:{'|'.join(ways)})"

    def _forms(self, letter: str) -> set[str]:
        """A letter in both cases, if case is ignored; a form of several letters would be another text."""
        others = {letter.lower(), letter.upper()} if self.ignores_case and not letter.isascii() else set()
        return {letter} | {one for one in others if len(one) == 1 and not one.isascii()}


def hits(rows: JsonRows, query: TextSearch, given_up: Callable[[], bool] = lambda: False) -> array[int]:
    """The rows in which something matches, in order.

    Args:
        rows: where to look.
        query: what to look for.
        given_up: called now and then; once it returns true, the search ends with the rows found so far.

    Raises:
        BadPattern: the query is not a valid regular expression.
        SearchFailed: one piece takes too long.
    """
    try:
        return _hits(rows, query, given_up)
    except TimeoutError:
        raise SearchFailed(f"stopped after {LONGEST:g} s: use a simpler expression, or plain text") from None


def _hits(rows: JsonRows, query: TextSearch, given_up: Callable[[], bool]) -> array[int]:
    pattern = query.pattern()
    loose = query.pattern_over_rows() if query.is_anchored else None
    found = numbers()
    for start, piece in _pieces(rows.text, lower=query.ignores_case and not query.is_regex):
        if given_up():
            break
        if loose is not None:
            found.extend(_anchored(rows, piece, start, loose, pattern, query.where))
            continue
        if not query.is_regex and _PLAIN.fullmatch(query.text):
            places = _places(piece, query.text.encode())
        else:
            places = _matches(piece, pattern)
        candidates = [rows.index.row_at(place + start) for place in places]
        if query.where != "everywhere":
            candidates = [row for row in candidates if _matches_in(rows, row, piece, start, pattern, query.where)]
        found.extend(candidates)
    return found


def _pieces(text: Text, *, lower: bool) -> Iterator[tuple[int, Text]]:
    """Pieces of whole lines, each with the position where it starts."""
    start = 0
    while start < len(text):
        stop = text.find(b"\n", start + _PIECE) + 1 or len(text)
        piece = text[start:stop]
        yield start, piece.lower() if lower else piece
        start = stop


def _places(piece: Text, wanted: bytes) -> list[int]:
    """The position of a text in each line that contains it."""
    places: list[int] = []
    place = piece.find(wanted)
    while place >= 0:
        places.append(place)
        line_end = piece.find(b"\n", place)
        place = piece.find(wanted, line_end) if line_end >= 0 else -1
    return places


def _matches(piece: Text, pattern: regex.Pattern[bytes]) -> list[int]:
    """The position of a match in each line that has one. Empty matches and matches across lines do not count."""
    places: list[int] = []
    start = 0
    while match := pattern.search(piece, start, concurrent=True, timeout=LONGEST):
        line_end = piece.find(b"\n", match.start())
        line_end = line_end if line_end >= 0 else len(piece)
        within = match.group() and match.end() <= line_end
        if within or any(inside.group() for inside in pattern.finditer(piece, match.start(), line_end, timeout=LONGEST)):
            places.append(match.start())
        start = line_end + 1
        if start > len(piece):
            break
    return places


def _matches_in(rows: JsonRows, row: int, piece: Text, start: int, pattern: regex.Pattern[bytes], where: Where) -> bool:
    """Whether something matches in a row's key, or in its value."""
    first, end = rows.key_span(row) if where == "keys" else rows.value_span(row)
    return any(match.group() for match in pattern.finditer(piece, first - start, end - start, timeout=LONGEST))


def _anchored(
    rows: JsonRows, piece: Text, start: int, loose: regex.Pattern[bytes], pattern: regex.Pattern[bytes], where: Where
) -> Iterator[int]:
    """The rows of a piece inside whose key or value something matches."""
    place = 0
    while match := loose.search(piece, place, concurrent=True, timeout=LONGEST):
        if match.start() == len(piece) and piece.endswith(b"\n"):
            break  # the next piece begins here
        row = rows.index.row_at(start + match.start())
        if any(pattern.search(rows.text[first:end], timeout=LONGEST) for first, end in insides(rows, row, where)):
            yield row
        place = piece.find(b"\n", match.start()) + 1
        if not place:
            break


def insides(rows: JsonRows, row: int, where: Where = "everywhere") -> list[tuple[int, int]]:
    """Where a row's key, if it has one, and its value start and end in the text, without quotes."""
    spans = [] if where == "values" else [rows.key_span(row)]
    spans += [] if where == "keys" else [rows.value_span(row)]
    quotes = [rows.text[start : start + 1] == b'"' for start, _ in spans]
    return [(start + quote, stop - quote) for (start, stop), quote in zip(spans, quotes, strict=True) if stop > start]


def _loosened(token: str) -> str:
    """A token of a regular expression for whole rows: anchors are loosened, and a negated set does not match a newline."""
    return f"{token[:-1]}\\n]" if token.startswith("[^") else _ANCHORS.get(token, token)
