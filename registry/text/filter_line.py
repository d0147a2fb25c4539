"""Splits a line into words and conditions, with the position of each part.

::

    line      = word, { [ "AND" | "OR" ], word }
    word      = [ "!" ], value | [ "!" | "-" ], field, sign, value
    field     = name | name, "[", text in quotes, "]"
    sign      = ":" | "=" | "!=" | "~" | ">" | ">=" | "<" | "<="
    value     = text without blanks | text in quotes

An unfinished line is parsed as far as possible, for completion; `Word.fault` says what is wrong with a word.
"""

import re
from typing import NamedTuple

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
