"""A button for what cannot be undone: it takes no press that may be an accident.

A key that is held down repeats, a second click follows the first, a paste brings its Enter along: all of these come right
behind something else. So a press counts only when the button has stood ready, and untouched, for a moment.
"""

from __future__ import annotations

from time import monotonic
from typing import Self

from textual import events
from textual.message import Message
from textual.widgets import Button

PAUSE = 0.6
"""Seconds; longer than most keyboards wait before they repeat a key, and than the time between the clicks of a double click."""


class DeliberateButton(Button):
    """Counts a press only after a pause."""

    class TooQuick(Message):
        """A press came right behind something else and did not count."""

    def __init__(self, label: str, *, id: str) -> None:  # noqa: A002
        super().__init__(label, id=id, variant="error", compact=True)
        self._touched = self._before = monotonic()

    def on_mount(self) -> None:
        """Nothing that came before it was there counts."""
        self._touched = self._before = monotonic()

    def offer(self, label: str, *, ready: bool) -> None:
        """Say what it does, and whether it can be pressed now. It stands ready from the moment in which it becomes so."""
        self.label = label
        if ready and self.disabled:
            self._touched = self._before = monotonic()
        self.disabled = not ready

    def on_focus(self, event: events.Focus) -> None:
        """The keyboard came here; what is typed ahead does not count."""
        self._before, self._touched = self._touched, monotonic()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """It was the mouse that brought the keyboard here."""
        self._touched = min(self._touched, self._before)

    def press(self) -> Self:
        """Press it, if nothing came right before."""
        now = monotonic()
        before, self._touched, self._before = self._touched, now, now
        if now - before < PAUSE:
            self.post_message(self.TooQuick())
            return self
        return super().press()
