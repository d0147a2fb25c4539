"""Splits a line into words and conditions, with the position of each part; and ranks names by typed text.

::

    line      = word, { [ "AND" | "OR" ], word }
    word      = [ "!" ], value | [ "!" | "-" ], field, sign, value
    field     = name | name, "[", text in quotes, "]"
    sign      = ":" | "=" | "!=" | "~" | ">" | ">=" | "<" | "<="
    value     = text without blanks | text in quotes

An unfinished line is parsed as far as possible, for completion; `Word.fault` says what is wrong with a word.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

# A minus negates a condition; before anything else it is part of the word.
_WORD = re.compile(
    r"""(?=\S)(?P<no>!|-(?=[^\W\d][\w.-]*(?:\[[^\]]*\])?(?:!=|>=|<=|[:=~<>])))?
        (?:(?P<name>[^\W\d][\w.-]*)(?:\[(?P<key>"[^"]*"|'[^']*')\])?(?P<sign>!=|>=|<=|[:=~<>]))?
        (?P<value>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|["'][^\n]*$|[^\s]*)""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\([\"'\\])")


class Word(NamedTuple):
    """A word or a condition.

    Attributes:
        negated: ``!`` or ``-`` is before it, or its sign is ``!=``.
        name: the field; empty for a word.
        key: the text in brackets after the field; None without brackets.
        sign: ``:``, ``~``, ``>``, ``>=``, ``<`` or ``<=``; empty for a word. ``=`` and ``!=`` stay as typed.
        value: the value to compare with, without quotes.
        quoted: whether it was in quotes.
        start, value_start, end: positions in the line.
        joint: ``AND`` or ``OR`` in capitals if one is before it; otherwise empty.
        fault: what is wrong with it; empty if nothing is.
    """

    negated: bool
    name: str
    key: str | None
    sign: str
    value: str
    quoted: bool
    start: int
    value_start: int
    end: int
    joint: str = ""
    fault: str = ""


def in_quotes(text: str) -> str:
    """A text as it stands between double quotes in a line."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def quoted(value: object) -> str:
    """A value as a text in double quotes, as lines and searches have it."""
    return f'"{in_quotes(str(value))}"'


def words_of(line: str, *, any_case: bool = False) -> list[Word]:
    """The words of a line in order; with `any_case`, ``and`` and ``or`` are operators like AND and OR."""
    found: list[Word] = []
    joint = ""
    for match in _WORD.finditer(line):
        keyword = match[0].upper() if any_case else match[0]
        if keyword in ("AND", "OR") and found and not joint:
            joint = keyword
        else:
            found.append(_word(line, match, joint))
            joint = ""
    if joint:
        end = len(line)
        found.append(Word(False, "", None, "", "", False, end, end, end, joint, f"needs something after {joint}"))
    return found


def _word(line: str, match: re.Match[str], joint: str) -> Word:
    text, sign, end = match["value"], match["sign"] or "", match.end()
    quoted, fault = text[:1] in ('"', "'") and bool(text), ""
    if quoted:
        closed = len(text) > 1 and text[-1] == text[0]
        follows = closed and not line[end : end + 1].isspace() and end < len(line)
        fault = "has an unclosed quote" if not closed else "has characters after its closing quote" if follows else ""
        text = _ESCAPE.sub(r"\1", text[1:-1] if closed else text[1:])
    elif not text:
        fault = f"needs something after {sign or match['no']}"
    key = match["key"][1:-1] if match["key"] else None
    return Word(
        bool(match["no"]) != (sign == "!="), match["name"] or "", key, sign, text, quoted,
        match.start(), match.start("value"), end, joint, fault,
    )  # fmt: skip


# Names ranked by typed text: one ranking for every list that is searched by name. For ``Ada``, Ada Romero comes before Padaria
# Aurora: first names that begin with the text, then those with words that begin with the typed words, then those that contain
# them anywhere; equal ranks keep their order.

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
