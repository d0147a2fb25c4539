"""Finding text in a document: in keys, in values or in both, folded or not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tui.json_view.rows import Indexes, Rows

Where = Literal["everywhere", "keys", "values"]


class BadPattern(ValueError):
    """A regular expression that is none; the message says what is wrong with it, and where."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for. Capital letters count only when there are some in the text."""

    text: str
    is_regex: bool = False
    where: Where = "everywhere"

    def pattern(self) -> re.Pattern[bytes]:
        """The query as a pattern over the laid out text.

        Raises:
            BadPattern: it is to be a regular expression and is none.
        """
        flags = re.IGNORECASE if self.text == self.text.lower() else 0
        try:
            written = self.text if self.is_regex else "".join(map(_letter, self.text))
            return re.compile(written.encode("utf-8", errors="surrogateescape"), flags)
        except re.error as error:
            place = f" at letter {error.pos + 1}" if error.pos is not None else ""
            raise BadPattern(f"{error.msg}{place}") from None


def hits(rows: Rows, query: Query) -> Indexes:
    """The rows in which something matches, in order.

    Raises:
        BadPattern: the query is to be a regular expression and is none.
    """
    pattern = query.pattern()
    found: list[int] = []
    behind = 0
    for match in pattern.finditer(rows.text):
        # Rows of a match that has been found already need no second look.
        if match.start() < behind or match.end() == match.start():
            continue
        number = rows.at(match.start())
        if query.where == "everywhere" or _lies_in(rows, number, match, query.where):
            found.append(number)
            behind = rows.line_start(number + 1)
    return np.array(found, np.uint32)


def _lies_in(rows: Rows, number: int, match: re.Match[bytes], where: Where) -> bool:
    key_ends = rows.value_start(number)
    return match.start() < key_ends - 2 if where == "keys" else match.start() >= key_ends


def _letter(letter: str) -> str:
    """A letter as it may stand in the text: itself, or as the escape that many services write."""
    if letter.isascii():
        return re.escape(letter)
    units = letter.encode("utf-16-be", errors="surrogatepass")
    escape = "".join(f"\\\\u(?i:{units[at : at + 2].hex()})" for at in range(0, len(units), 2))
    return f"(?:{re.escape(letter)}|{escape})"
