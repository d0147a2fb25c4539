"""Keeps pasted text from pressing keys.

Terminals mark the beginning and the end of a paste. Textual reads an escape sequence between them as keys, so that a copied
text could open dialogs and confirm them.
"""

from __future__ import annotations

_START, _END = "\x1b[200~", "\x1b[201~"
_ESCAPE, _SHOWN = "\x1b", "\N{SYMBOL FOR ESCAPE}"


class PastedText:
    """Takes what a terminal sends, piece by piece; the marks of a paste may be split between two pieces."""

    def __init__(self) -> None:
        self._inside = False
        self._last = ""  # the beginning of a mark at the end of the last piece; inside a paste it was not returned yet

    def harmless(self, text: str) -> str:
        """The text with each escape character inside a paste replaced by its symbol."""
        done: list[str] = []
        while text or not done:
            whole, mark = self._last + text, _END if self._inside else _START
            place = whole.find(mark)
            self._last = _beginning(whole, mark) if place < 0 else ""
            end = place + len(mark) if place >= 0 else len(whole)
            if self._inside:
                pasted = whole[:place] if place >= 0 else whole[: len(whole) - len(self._last)]
                done.append(pasted.replace(_ESCAPE, _SHOWN) + (mark if place >= 0 else ""))
            else:
                done.append(whole[:end][len(whole) - len(text) :])
            text = whole[end:]
            self._inside ^= place >= 0
        return "".join(done)


def _beginning(text: str, mark: str) -> str:
    """The longest end of a text with which a mark begins."""
    return next((mark[:length] for length in range(len(mark) - 1, 0, -1) if text.endswith(mark[:length])), "")
