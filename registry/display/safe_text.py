"""Text that came from outside, made safe to show.

Answers carry other people's text: control bytes that a terminal would obey, marks that turn the reading direction, characters
without width. This is the one place that makes them visible instead. Every door uses it before outside text reaches a
terminal; the escapes have the form that JSON uses, so that JSON stays the same JSON.
"""

from __future__ import annotations

import re
from functools import cache

# C0 and C1 controls and DEL; directional marks, embeddings, overrides and isolates; characters without width that are not
# part of a script's spelling; line and paragraph separators; halves of surrogate pairs; the tag block.
_ABOVE_C0 = "\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f"


def visible(text: str) -> str:
    """Text for one or more lines: everything unsafe but tabs and line breaks becomes an escape."""
    return text if text.isprintable() and text.isascii() else _unsafe("\x00-\x08\x0b-\x1f").sub(_escape, text)


def visible_line(text: str) -> str:
    """Text for one line: tabs and line breaks become escapes as well."""
    return text if text.isprintable() and text.isascii() else _unsafe("\x00-\x1f").sub(_escape, text)


def visible_json(text: str) -> str:
    """JSON text (whose C0 controls are escapes already) with all other unsafe characters escaped; it means the same."""
    return text if text.isascii() and "\x7f" not in text else _unsafe("").sub(_escape, text)


def shortened(text: str, length: int) -> str:
    """At most `length` characters of a text, with an ellipsis where it was cut."""
    return text if len(text) <= length else text[: max(length - 1, 0)] + "…"


@cache
def _unsafe(controls: str) -> re.Pattern[str]:
    """What is escaped. Compiled when it is first needed: most text is plain, and the screens start without."""
    return re.compile(f"[{controls}{_ABOVE_C0}]")


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return {0x09: "\\t", 0x0A: "\\n"}.get(code, f"\\u{code:04x}")
