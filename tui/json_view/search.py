"""Finds text in a document, folded or not.

A row is found when something matches in its key or in its value, without the quotes; ``^`` and ``$`` are their beginning and
end. A text is searched as a person reads it: letters that the service wrote as escapes are found too. The work is done in a
thread, piece by piece, and can be cancelled. A regular expression that would take hours is stopped: the library `regex` works
without holding other threads up, and has a time limit.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

import regex
from msgspec import Struct

from tui.json_view.rows import JsonRows

LONGEST = 5.0
"""Seconds that a regular expression may take in one row."""

_PIECE = 1 << 20
# Letters that no service escapes; all others may be in the text as themselves or as an escape.
_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;@#$%()\[\]{}*!?|~^+-]*")
_ROW = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*+"): )?(.*?),?')


class SearchFailed(Exception):
    """A search that cannot be made or did not end; the message says why, and what to do."""


class TextSearch(Struct, frozen=True):
    """What to search for. It is case-sensitive only if the text has a capital letter.

    Attributes:
        text: a text, or a regular expression.
        is_regex: whether it is a regular expression.
        condition: patterns of a key and a value: a row that has both is found as well.
    """

    text: str
    is_regex: bool = False
    condition: tuple[str, str] | None = None

    @property
    def ignores_case(self) -> bool:
        """Whether case is ignored: no capital letters in the text, apart from a regular expression's escapes."""
        text = re.sub(r"\\.", "", self.text) if self.is_regex else self.text
        return text == text.lower()

    def pattern(self) -> regex.Pattern[str]:
        """The search as a pattern for a key or a value.

        Raises:
            SearchFailed: it is not a valid regular expression.
        """
        text = self.text
        if not self.is_regex:  # a quote stands for itself, or is the one that the screen shows around a string
            opens, closes = len(text) > 1 and text[0] == '"', len(text) > 1 and text[-1] == '"'
            inner = regex.escape(text[opens : len(text) - closes])
            text = ('(?:^|")' if opens else "") + inner + ('(?:$|")' if closes else "")
        try:
            return regex.compile(text, regex.IGNORECASE if self.ignores_case else 0)
        except regex.error as error:
            raise SearchFailed(f"invalid regular expression: {error}") from None


def hits(rows: JsonRows, query: TextSearch, given_up: Callable[[], bool] = lambda: False) -> list[int]:
    """The rows in which something matches, in order.

    Args:
        rows: where to look.
        query: what to look for.
        given_up: called now and then; once it returns true, the search ends with the rows found so far.

    Raises:
        SearchFailed: the query is not a valid regular expression, or one row takes too long.
    """
    pattern = query.pattern()
    condition = [regex.compile(one, regex.IGNORECASE) for one in query.condition or ()]
    found: list[int] = []
    try:
        for row, line in _candidates(rows, query, given_up):
            parts = _ROW.fullmatch(line)
            name, value = (parts[1], parts[2]) if parts is not None else (None, line)
            texts = [_read(name), _read(value)] if name is not None else [_read(value)]
            held = any(pattern.search(text, timeout=LONGEST) for text in texts)
            if held or (
                condition and name is not None and condition[0].fullmatch(_read(name)) and condition[1].search(_read(value))
            ):
                found.append(row)
    except TimeoutError:
        raise SearchFailed(f"stopped after {LONGEST:g} s: use a simpler expression, or plain text") from None
    return found


def _candidates(rows: JsonRows, query: TextSearch, given_up: Callable[[], bool]) -> Iterator[tuple[int, str]]:
    """The rows that may match, with their lines: for plain text only those whose line contains it, which is fast to tell."""
    is_plain = not query.is_regex and query.condition is None and _PLAIN.fullmatch(query.text) is not None
    plain = query.text.encode() if is_plain else b""
    text, start = rows.text, 0
    while start < len(text) and not given_up():
        stop = text.find(b"\n", start + _PIECE) + 1 or len(text)
        held = text[start:stop].lower().find(plain) if query.ignores_case else text.find(plain, start, stop)
        if held >= 0:
            for row, line in enumerate(text[start:stop].split(b"\n"), rows.row_at(start)):
                if line and plain in (line.lower() if query.ignores_case else line):
                    yield row, line.decode("utf-8", "surrogateescape")
        start = stop


def _read(token: str) -> str:
    """A token as a person reads it: a string without quotes and escapes."""
    if not token.startswith('"'):
        return token
    if "\\" in token:
        with suppress(ValueError):
            return str(json.loads(token))
    return token[1:-1]
