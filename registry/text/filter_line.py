"""Splits a line into words and conditions, with the position of each part.

::

    line      = word, { [ "AND" | "OR" ], word }
    word      = [ "!" ], value | [ "!" | "-" ], field, sign, value
    field     = name | name, "[", text in quotes, "]"
    sign      = ":" | "=" | "!=" | "~" | ">" | ">=" | "<" | "<="
    value     = text without blanks | text in quotes

An unfinished line is parsed as far as possible, for completion; `Word.fault` says what is wrong with a word.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_KEYWORD = re.compile(r"(?:AND|OR)(?=\s|$)")
_ANY_CASE = re.compile(_KEYWORD.pattern, re.IGNORECASE)
_WORD = re.compile(
    r"""(?P<no>[!-]?)
        (?:(?P<name>[^\W\d][\w.-]*)(?:\[(?P<key>"[^"]*"|'[^']*')\])?(?P<sign>!=|>=|<=|[:=~<>]))?
        (?P<value>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|["'][^\n]*$|[^\s]*)""",
    re.VERBOSE,
)
_BARE = re.compile(r"(?P<no>)(?P<name>(?!))?(?P<key>(?!))?(?P<sign>(?!))?(?P<value>[^\s]*)")
_MINUS = re.compile(r"-(?![^\W\d][\w.-]*(?:\[[^\]]*\])?(?:!=|>=|<=|[:=~<>]))")
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


def words_of(line: str, *, any_case: bool = False) -> list[Word]:
    """The words of a line in order; with `any_case`, ``and`` and ``or`` are operators like AND and OR."""
    keywords = _ANY_CASE if any_case else _KEYWORD
    found: list[Word] = []
    place, joint = 0, ""
    while True:
        while place < len(line) and line[place].isspace():
            place += 1
        if place >= len(line):
            break
        keyword = keywords.match(line, place)
        if keyword is not None and found and not joint:
            joint, place = keyword[0].upper(), keyword.end()
            continue
        # A minus negates a condition; before anything else it is part of the word.
        literal = _MINUS.match(line, place)
        match = _WORD.match(line, place) if literal is None else _BARE.match(line, place)
        assert match is not None, "every text begins with a word, if only an empty one"
        word = _word(line, match, joint)
        if word.end == place:  # not parsable
            word = word._replace(end=place + 1, fault="cannot be read")
        found.append(word)
        place, joint = word.end, ""
    if joint:
        found.append(
            Word(False, "", None, "", "", False, len(line), len(line), len(line), joint, f"needs something after {joint}")
        )
    return found


def _word(line: str, match: re.Match[str], joint: str) -> Word:
    raw, sign = match["value"], match["sign"] or ""
    quoted, fault = raw[:1] in ('"', "'") and bool(raw), ""
    end = match.end()
    if quoted:
        closed = len(raw) > 1 and raw[-1] == raw[0]
        text = _ESCAPE.sub(r"\1", raw[1:-1] if closed else raw[1:])
        if not closed:
            fault = "has an unclosed quote"
        elif end < len(line) and not line[end].isspace():
            fault = "has characters after its closing quote"
    else:
        text = raw
    if not fault and not text and not quoted:
        fault = f"needs something after {sign or match['no']}"
    key = match["key"][1:-1] if match["key"] else None
    return Word(
        bool(match["no"]) != (sign == "!="), match["name"] or "", key, sign, text, quoted,
        match.start(), match.start("value"), end, joint, fault,
    )  # fmt: skip
