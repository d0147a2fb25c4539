"""Words of documents: text made plain and short, names made from it, and what words usually mean."""

import json
import re
import unicodedata
from html import unescape
from pathlib import Path
from typing import Any

from registry.results.callboard_command import OWN_OPTIONS
from registry.text.safe_text import shortened, visible_line

_TAG = re.compile(r"<[a-zA-Z/!][^<>]{0,300}>")
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
_MARKS = re.compile(r"(?m)^\s{0,3}(?:#{1,6}\s+|[-*+]\s+|>\s+)|[*`]{1,3}")
_EMPHASIS = re.compile(r"(?<!\w)(_{1,2})(?=\w)(.{0,300}?)(?<=\w)\1(?!\w)")
_BLANKS = re.compile(r"\s+")
_SENTENCE = re.compile(r"[.!](?=\s|$)")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNFIT = re.compile(r"[^A-Za-z0-9]+")
_MOST_READ = 3_000
_TAKEN = frozenset(one.replace("-", "_") for one in OWN_OPTIONS)
CONVENTIONS: dict[str, Any] = json.loads(Path(__file__).with_name("conventions.json").read_text("utf-8"))
"""Names of paging, lists, wrappers and errors, and styles of parameters. Of ``roles``, the query parameters for paging, cursors
are text and the others whole numbers; ``more``, ``total``, ``next``, ``position`` and ``size`` are properties of a page."""


def plain(text: object, most: int = 300) -> str:
    """A description as a line of plain text: no markup, no control characters, cut at a word."""
    if not isinstance(text, str):
        return ""
    said = text[:_MOST_READ]
    if "<" in said or "&" in said:
        said = unescape(_TAG.sub(" ", said))
    said = _EMPHASIS.sub(r"\2", _MARKS.sub("", _LINK.sub(r"\1", said)))
    said = visible_line(_BLANKS.sub(" ", said).strip())
    if len(said) <= most:
        return said
    cut = said[: most - 1].rpartition(" ")[0]
    return (cut if len(cut) > most // 2 else said[: most - 1]) + "…"


def first_sentence(text: object) -> str:
    """The first sentence of a description, as a line of plain text."""
    said = plain(text, _MOST_READ)
    if (found := _SENTENCE.search(said, 3)) is not None:
        said = said[: found.end()]
    return plain(said, 140)


def words_of(text: str) -> list[str]:
    """The words in a name, in lower case: ``listPetsByID`` → list, pets, by, id."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return [word.lower() for part in _UNFIT.split(ascii_text) for word in _CAPITAL.split(part) if word]


def pascal(text: str) -> str:
    """A text as a tool's or toolkit's name: ``repos/list-for-org`` → ReposListForOrg; empty without letters."""
    name = "".join(word[0].upper() + word[1:] for word in words_of(text)).lstrip("0123456789")
    return name[:1].upper() + name[1:100]


def snake(text: str) -> str:
    """A text as a parameter's or type's name: ``X-Api-Version`` → x_api_version; empty without letters."""
    name = "_".join(words_of(text))
    return f"n_{name}"[:80] if name[:1].isdecimal() else name[:80]


def unique(name: str, taken: set[str], separator: str = "") -> str:
    """The name, with a number if it is taken, and added to `taken`. Names that differ only in case count as equal."""
    found, number = name, 2
    while found.lower() in taken:
        found, number = f"{name[:90]}{separator}{number}", number + 1
    taken.add(found.lower())
    return found


def parameter_name(wire_name: str, place: str, taken: set[str]) -> str:
    """A parameter's name for callers: unique in its tool, and different from the command line's own options."""
    name = snake(wire_name) or "parameter"
    if name in _TAKEN or name in taken:
        name = f"{place}_{name}"
    return unique(name, taken, "_")


def fits(text: object) -> bool:
    """Whether a text can be shown and sent unchanged."""
    return isinstance(text, str) and bool(text) and visible_line(text) == text


def short(text: str, most: int = 40) -> str:
    """A label: one line, shortened."""
    return shortened(visible_line(_BLANKS.sub(" ", text).strip()), most)
