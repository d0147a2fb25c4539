"""Laying JSON text out by hand: what the library refuses although it is JSON, and the beginning of a text that is long.

A line holds a row: a member or element with the bracket that it opens, or a closing bracket; a blank for each level before it.
"""

from __future__ import annotations

from registry.calling.json_text import NotJson, tokens

_CLOSING = {"{": "}", "[": "]"}
_WANTED = {
    "value": "a value",
    "first": "the first member, the first element or an end",
    "name": "a member's name",
    "colon": "a colon",
    "next": "a comma or an end",
    "end": "nothing more",
}


def lay_out(body: bytes) -> bytes:
    """A JSON text, laid out.

    Raises:
        NotJson: the text is not JSON; the message says where.
    """
    layout = _Layout()
    for token in tokens(body.decode("utf-8", errors="surrogateescape")):
        layout.take(token)
    if layout.wanted != "end":
        raise NotJson(f"the text ends where {_WANTED[layout.wanted]} should follow")
    layout.end_line()
    return _encoded(layout.lines)


def beginning(body: bytes, most: int) -> bytes:
    """What a text's first bytes hold, laid out, with everything closed that was open; empty when there is nothing yet."""
    layout = _Layout()
    try:
        for token in tokens(body[:most].decode("utf-8", errors="surrogateescape")):
            layout.take(token)
    except NotJson:
        pass  # the cut goes through a token, or the text is not JSON further on: the whole of it will tell
    return _encoded(layout.closed())


class _Layout:
    """Lines so far, and what may come next."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.wanted = "value"
        self._line = ""
        self._open: list[str] = []
        self._open_behind_lines: list[str] = []

    def take(self, token: str) -> None:
        """Add a token.

        Raises:
            NotJson: it cannot stand here.
        """
        in_object = bool(self._open) and self._open[-1] == "{"
        wanted = self.wanted
        match token:
            case "}" | "]" if wanted in ("first", "next") and _CLOSING[self._open[-1]] == token:
                if wanted == "next":
                    self.end_line()
                self._open.pop()
                self._line = (self._line if wanted == "first" else " " * len(self._open)) + token
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
                self.wanted = "first"
            case _ if token[0] == '"' and (wanted == "name" or (wanted == "first" and in_object)):
                self._start(wanted)
                self._line += token
                self.wanted = "colon"
            case _ if token not in "{}[]:," and (wanted == "value" or (wanted == "first" and not in_object)):
                self._start(wanted)
                self._line += token
                self._value_ended()
            case _:
                raise NotJson(f"{token[:20]!r} stands where {_WANTED[wanted]} should")

    def end_line(self) -> None:
        """Finish the line, and indent the next one."""
        self.lines.append(self._line)
        self._open_behind_lines = list(self._open)
        self._line = " " * len(self._open)

    def closed(self) -> list[str]:
        """The finished lines, and ends for everything that they leave open."""
        lines, left = list(self.lines), list(self._open_behind_lines)
        if lines and lines[-1].endswith(","):
            lines[-1] = lines[-1][:-1]
        elif lines and left and lines[-1].endswith(left[-1]):
            lines[-1] += _CLOSING[left.pop()]
        while left:
            bracket = left.pop()
            lines.append(" " * len(left) + _CLOSING[bracket])
        return lines

    def _start(self, wanted: str) -> None:
        if wanted == "first":
            self.end_line()

    def _value_ended(self) -> None:
        self.wanted = "next" if self._open else "end"


def _encoded(lines: list[str]) -> bytes:
    return "\n".join(lines).encode("utf-8", errors="surrogateescape")
