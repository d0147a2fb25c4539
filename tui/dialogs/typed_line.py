"""A line that accepts only typing: a paste could confirm an unread text.

Bracketed pastes and the paste key are refused. Terminals without bracketed paste send a paste as fast keys: keys faster than
anybody types clear the line. Each refusal posts `TypedLine.Pasted`, and `TypedLine.pasted` is true until something is typed.
"""

from __future__ import annotations

from collections import deque

from textual import events
from textual.message import Message

from tui.widgets.text_line import Line

_KEYS, _SECONDS = 6, 0.05
"""So many keys in so many seconds are a paste: 120 a second; the fastest typists reach 20."""


def moment(event: events.Key) -> float:
    """When a key was received from the terminal, in monotonic seconds, even if it is handled later."""
    return event.time


class TypedLine(Line):
    """One line of typed text.

    Attributes:
        pasted: whether the last input was a paste.
    """

    class Pasted(Message):
        """A paste was refused."""

    def __init__(self, placeholder: str) -> None:
        super().__init__(placeholder=placeholder, compact=True)
        self.pasted = False
        self._came: deque[float] = deque(maxlen=_KEYS)

    def on_key(self, event: events.Key) -> None:
        """Refuse keys that come faster than anybody types."""
        if event.is_printable:
            self._came.append(moment(event))
            self.pasted = False
            if len(self._came) == _KEYS and self._came[-1] - self._came[0] < _SECONDS:
                event.stop()
                event.prevent_default()
                self.value = ""
                self._refuse()

    def on_paste(self, event: events.Paste) -> None:
        """Refuse what is pasted."""
        event.stop()
        event.prevent_default()
        self._refuse()

    def action_paste(self) -> None:
        """Refuse the clipboard as well."""
        self._refuse()

    def _refuse(self) -> None:
        self.pasted = True
        self.post_message(self.Pasted())
