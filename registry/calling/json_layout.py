"""Formats JSON text token by token: each line is a property or item, with its opening bracket, or a closing bracket.

Only white space between tokens changes. The grammar is checked on the way, at any depth.
"""

from __future__ import annotations

from registry.calling.json_text import InvalidJson, tokens
from registry.calling.sensitive import MASKED, is_sensitive

_PIECE = 1 << 14
_CLOSING = {"{": "}", "[": "]"}
_WANTED = {
    "value": "a value",
    "first": "a property, an item or a closing bracket",
    "name": "a property name",
    "colon": "a colon",
    "next": "a comma or a closing bracket",
    "end": "nothing more",
}


def pretty(text: str, indent: int = 2, *, masked: bool = False, constants: bool = False) -> str:
    """A JSON text, indented.

    Args:
        text: the JSON.
        indent: spaces for each level.
        masked: redact secrets.
        constants: accept ``NaN`` and ``Infinity`` as well.

    Raises:
        InvalidJson: the text is not JSON; the message says where.
    """
    layout = _Layout(indent, masked=masked)
    for token in tokens(text, constants=constants):
        layout.take(token)
    if layout.wanted != "end":
        raise InvalidJson(f"unexpected end: expected {_WANTED[layout.wanted]}")
    layout.end_line()
    return "\n".join(layout.lines)


def beginning(text: str, indent: int = 2) -> str:
    """The beginning of a truncated JSON text, formatted, with all brackets closed; empty if no line is complete yet."""
    layout = _Layout(indent)
    try:
        for token in tokens(text):
            layout.take(token)
    except InvalidJson:
        pass  # the text is cut inside a token, or invalid further on, which is reported when all of it is read
    return "\n".join(layout.closed())


def indentation_size(body: bytes) -> int:
    """An estimate of the spaces that indenting a JSON text by one per level would add: rows times depth, piece by piece.

    Brackets inside strings are counted as well. Callers compare the size with a limit, so that indenting a small but deep text
    cannot fill the memory.
    """
    depth = size = 0
    for start in range(0, len(body), _PIECE):
        piece = body[start : start + _PIECE]
        opens, closes = (piece.count(one) + piece.count(other) for one, other in ((b"[", b"{"), (b"]", b"}")))
        commas = piece.count(b",")
        after = max(depth + opens - closes, 0)
        size += max(depth, after) * (opens + closes + commas)
        depth = after
    return size


class _Layout:
    """The lines so far, and which tokens may come next."""

    def __init__(self, indent: int, *, masked: bool = False) -> None:
        self.lines: list[str] = []
        self.wanted = "value"
        self._indent = indent
        self._masked = masked
        self._key: str | None = None
        self._line = ""
        self._open: list[str] = []
        self._finished = (0, "")  # how many brackets are open after the finished lines, and the innermost

    def take(self, token: str) -> None:
        """Add a token.

        Raises:
            InvalidJson: it is not allowed here.
        """
        in_object = bool(self._open) and self._open[-1] == "{"
        wanted = self.wanted
        match token:
            case "}" | "]" if wanted in ("first", "next") and _CLOSING[self._open[-1]] == token:
                if wanted == "next":
                    self.end_line()
                self._open.pop()
                self._line = (self._line if wanted == "first" else self._margin()) + token
                self._value_ended()
            case "," if wanted == "next":
                self._line += token
                self.end_line()
                self.wanted = "name" if in_object else "value"
            case ":" if wanted == "colon":
                self._line += ": "
                self.wanted = "value"
            case "{" | "[" if wanted == "value" or (wanted == "first" and not in_object):
                self._start(wanted)
                self._line += token
                self._open.append(token)
                self._key, self.wanted = None, "first"
            case _ if token[0] == '"' and (wanted == "name" or (wanted == "first" and in_object)):
                self._start(wanted)
                self._line += token
                self._key = token
                self.wanted = "colon"
            case _ if token not in "{}[]:," and (wanted == "value" or (wanted == "first" and not in_object)):
                self._start(wanted)
                self._line += MASKED if self._masked and is_sensitive(self._key, token) else token
                self._value_ended()
            case _:
                raise InvalidJson(f"expected {_WANTED[wanted]}, found {token[:20]!r}")

    def end_line(self) -> None:
        """Finish the line, and indent the next one."""
        self.lines.append(self._line)
        self._line = self._margin()
        self._finished = (len(self._open), self._open[-1] if self._open else "")

    def closed(self) -> list[str]:
        """The finished lines, and closing brackets for those that are still open."""
        lines = list(self.lines)
        depth, innermost = self._finished
        # The unfinished line closes at most one bracket, so all others are still known.
        left = [*self._open[: depth - 1], innermost] if depth else []
        if lines and lines[-1].endswith(","):
            lines[-1] = lines[-1][:-1]
        elif lines and left and lines[-1].endswith(left[-1]):
            lines[-1] += _CLOSING[left.pop()]
        while left:
            bracket = left.pop()
            lines.append(" " * (self._indent * len(left)) + _CLOSING[bracket])
        return lines

    def _margin(self) -> str:
        return " " * (self._indent * len(self._open))

    def _start(self, wanted: str) -> None:
        if wanted == "first":
            self.end_line()

    def _value_ended(self) -> None:
        self._key, self.wanted = None, "next" if self._open else "end"
