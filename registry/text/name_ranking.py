"""Ranks names by typed text: one ranking for every list that is searched by name.

For ``Ada``, Ada Romero comes before Padaria Aurora: first names that begin with the text, then those with words that begin
with the typed words, then those that contain them anywhere; equal ranks keep their order.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
BEGINS, ANOTHER_BEGINS, WORDS_BEGIN, HOLDS = range(4)
"""The first text begins with the typed text; another text does; each typed word begins a word; each occurs somewhere."""


def plain(text: str) -> str:
    """A text in lower case without accents, as people type names."""
    return "".join(one for one in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(one))


def name_rank(texts: Sequence[str], typed: str) -> int | None:
    """The rank of a match: one of the constants above, lowest is best. None if a word is in none of the texts.

    Args:
        texts: its names, the most important first.
        typed: the search text.
    """
    wanted, held = plain(typed.strip()), [plain(text) for text in texts]
    if held and held[0].startswith(wanted):
        return BEGINS
    if any(text.startswith(wanted) for text in held):
        return ANOTHER_BEGINS
    words = wanted.split()
    if not all(any(word in text for text in held) for word in words):
        return None
    begin = (any(re.search(rf"(?<![^\W_]){re.escape(word)}", text) for text in held) for word in words)
    return WORDS_BEGIN if all(begin) else HOLDS


def ranked(things: Iterable[T], typed: str, texts: Callable[[T], Sequence[str]], most: int = HOLDS) -> list[T]:
    """The things that match the typed text with rank `most` or better, best first; all, in order, if nothing was typed."""
    found = [(rank, one) for one in things if (rank := name_rank(texts(one), typed)) is not None and rank <= most]
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]
