"""Removes operating system commands (OSC) from a program's output: a page executes only copying (OSC 52).

A terminal would also answer OSC 52 with the content of the clipboard, so it never reaches the page's terminal in any
spelling, and a query is dropped. Sequences may be cut anywhere between two pieces.
"""

from __future__ import annotations

import base64
import binascii
import re

_LONGEST = 131_072
"""Bytes of a sequence that are kept; the program never writes more in one."""

_CONTROLS = rb"[\x00-\x17\x19\x1c-\x1f\x7f]"  # a terminal ignores them between ESC and what follows
_BEGIN = re.compile(rb"\x1b" + _CONTROLS + rb"*\]|\xc2\x9d")
_END = re.compile(rb"[\x07\x18\x1a]|(?=\x1b)|\xc2\x9c")  # of ESC \ the terminal reads the rest, which has no effect
_CUT = re.compile(rb"(?:\x1b" + _CONTROLS + rb"*|\xc2)\Z")
_COPYING = re.compile(rb"0*52;[^;]*;([A-Za-z0-9+/=]*)")


class Commands:
    """Splits a program's output into text for the terminal and texts to copy."""

    def __init__(self) -> None:
        self._copied: str | None = None
        self._cut = b""
        self._inside: bytearray | None = None

    def without(self, written: bytes) -> bytes:
        """The next piece without its commands; if its last bytes may begin a command, they are returned with the next piece."""
        rest, kept = self._cut + written, bytearray()
        self._cut = b""
        while rest:
            if self._inside is None:
                if (begin := _BEGIN.search(rest)) is None:
                    return bytes(kept + self._up_to_cut(rest))
                kept += rest[: begin.start()]
                rest, self._inside = rest[begin.end() :], bytearray()
            elif (end := _END.search(rest)) is None:
                self._keep(self._up_to_cut(rest))
                break
            else:
                self._keep(rest[: end.start()])
                rest = rest[end.end() :]
                self._finish(bytes(self._inside))
                self._inside = None
        return bytes(kept)

    def take_copied(self) -> str | None:
        """The last text to copy, once; None if there is none."""
        copied, self._copied = self._copied, None
        return copied

    def _up_to_cut(self, piece: bytes) -> bytes:
        if (cut := _CUT.search(piece)) is None:
            return piece
        self._cut = cut[0]
        return piece[: cut.start()]

    def _keep(self, piece: bytes) -> None:
        assert self._inside is not None
        self._inside += piece[: _LONGEST + 1 - len(self._inside)]

    def _finish(self, command: bytes) -> None:
        if len(command) <= _LONGEST and (found := _COPYING.fullmatch(command)) is not None:
            try:
                self._copied = base64.b64decode(found[1], validate=True).decode("utf-8", "replace")
            except binascii.Error:
                return
