"""Makes text from outside safe, in two forms.

**For people** (`visible`, `visible_line`, `visible_json`): on a screen or a terminal, in messages. Control characters,
direction marks and invisible characters become escapes in JSON's form, so that JSON stays the same JSON; more
than eight combining marks on one letter are cut. Emoji, and letters of any script with all that belongs to their spelling,
stay unchanged.

**Exact** (`exact_text`, `exact_json`): in files, on the clipboard, on standard output that is not a terminal. JSON has the same
escapes and loses nothing; other text keeps everything but the controls that a terminal would execute.
"""

import re
import unicodedata
from collections.abc import Callable

_MOST_MARKS = 8
_PIECE = 1 << 20

# C1 controls and DEL; bidirectional marks, embeddings, overrides and isolates; line and paragraph separators; invisible
# operators; annotations; lone surrogates; invisible fillers and joiners; variation selectors; tags; noncharacters.
# `_escape` keeps those of them that spell a letter or an emoji.
_ABOVE_C0 = (
    "\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff"
    "\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
)
# What is escaped in one line, in several lines, and in JSON. `re` compiles them on first use: most text is plain.
_IN_LINE, _IN_LINES, _IN_JSON = (
    f"[{controls}{_ABOVE_C0}]" for controls in ("\x00-\x1f", "\x00-\x08\x0b-\x1f", "\x00-\x08\x0b\x0c\x0e-\x1f")
)
_JOINS, _NOT_JOINS, _AS_TEXT, _AS_EMOJI = "\u200d", "\u200c", "\ufe0e", "\ufe0f"
_JOINING = ("ARABIC", "SYRIAC", "MONGOLIAN", "NKO", "MANDAIC")
# The characters of emoji, apart from digits before a keycap.
_EMOJI = (
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b55\u3030"
    "\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
# Runs that may have more marks than a letter can: for `re`, marks are neither letters nor digits, nor ASCII.
_HEAP = rf"[^\x00-\u02ff\w]{{{_MOST_MARKS + 1},}}"
_HAN = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"


def visible(text: str) -> str:
    """Text for one or more lines: everything unsafe except tabs and line breaks becomes an escape."""
    return text if _plain_lines(text) else _for_eyes(text, _IN_LINES)


def visible_line(text: str) -> str:
    """Text for one line: tabs and line breaks become escapes as well."""
    return text if _plain(text) else _for_eyes(text, _IN_LINE)


def visible_json(text: str) -> str:
    """JSON text with everything unsafe escaped, for a screen."""
    # Between JSON tokens the kind of a line break does not matter, but to a terminal it does.
    return _in_pieces(text, lambda piece: _for_eyes(piece.replace("\r\n", "\n").replace("\r", "\n"), _IN_LINES))


def exact_json(text: str) -> str:
    """JSON text with everything escaped that could harm or mislead; its meaning is exactly the same."""
    return _in_pieces(text, lambda piece: re.sub(_IN_JSON, _escape, piece))


def exact_line(text: str) -> str:
    """Text for a line that is edited and sent: like `visible_line`, but nothing is cut, and joiners stay as typed."""
    if _plain(text):
        return text
    return re.sub(
        f"[\x00-\x1f{_ABOVE_C0}]", lambda found: found[0] if found[0] in (_JOINS, _NOT_JOINS) else _escape(found), text
    )


def exact_text(text: str) -> str:
    """Text unchanged, except for controls that a terminal would execute, and lone surrogates, which no file can hold."""
    return text if _plain(text) else re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", _escape, text)


def shortened(text: str, length: int) -> str:
    """At most `length` characters of a text, with an ellipsis if it was cut."""
    return text if len(text) <= length else text[: max(length - 1, 0)] + "…"


def _plain(text: str) -> bool:
    return text.isprintable() and text.isascii()


def _plain_lines(text: str) -> bool:
    return _plain(text) or ("\n" in text and _plain(text.replace("\n", "")))


def _in_pieces(text: str, safe: Callable[[str], str]) -> str:
    """JSON text made safe. Long text in pieces that end with a comma, which belongs to no letter: a signal can end the work."""
    made, start = [], 0
    while start < len(text):
        end = text.find(",", start + _PIECE) + 1 or len(text)
        piece = text[start:end]
        made.append(piece if _plain_lines(piece) else safe(piece))
        start = end
    return "".join(made)


def _for_eyes(text: str, unsafe: str) -> str:
    return re.sub(_HEAP, _cut_marks, re.sub(unsafe, _escape, text))


def _cut_marks(found: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for letter in found.group():
        marks = marks + 1 if unicodedata.category(letter).startswith("M") else 0
        if marks <= _MOST_MARKS:
            kept.append(letter)
        elif marks == _MOST_MARKS + 1:
            kept.append("…")
    return "".join(kept)


def _escape(found: re.Match[str]) -> str:
    letter = found.group()
    code = ord(letter)
    if code > 0xAD and _spells(letter, found.string, found.start()):
        return letter
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return {0x09: "\\t", 0x0A: "\\n"}.get(code, f"\\u{code:04x}")


def _spells(letter: str, text: str, place: int) -> bool:
    """Whether a character that is invisible by itself belongs to the emoji or letter before it."""
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if not before:
        return False
    if letter == _AS_EMOJI and before in "#*0123456789":
        return after == "\u20e3"
    if letter in (_AS_EMOJI, _AS_TEXT):
        return re.match(_EMOJI, before) is not None
    if letter in (_JOINS, _NOT_JOINS):
        if letter == _JOINS and (
            re.match(_EMOJI, before) or (before == _AS_EMOJI and place > 1 and re.match(_EMOJI, text[place - 2]))
        ):
            return True
        return _joins(before, letter)
    return ("\ufe00" <= letter <= "\ufe02" or letter >= "\U000e0100") and re.match(_HAN, before) is not None


def _joins(before: str, letter: str) -> bool:
    """Whether a letter or mark is of a script whose spelling uses joiners: joined scripts, and those of India and beyond."""
    if unicodedata.combining(before) == 9:  # a virama: the joiner after it says how the letters around it are joined
        return True
    name = unicodedata.name(before, "")
    return name.startswith(_JOINING) and (before.isalpha() or (letter == _NOT_JOINS and bool(unicodedata.combining(before))))
