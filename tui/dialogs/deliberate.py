"""A button for actions that cannot be undone, which ignores accidental presses, and the dialogs that have one.

A held key repeats, a double click has a second click, a paste may end in Enter: each of these comes right after another event.
So a press counts only if the button was enabled, and received no other event, for a moment before. A letter typed on it moves
the focus to Cancel.
"""

from __future__ import annotations

from time import monotonic
from typing import Self

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Input, Static

from registry.accounts.connection import Mode
from tui.dialogs.dialog import BETWEEN_BUTTONS, Dialog
from tui.dialogs.typed_line import TypedLine
from tui.keyboard.dismissed_once import DialogResult

PAUSE = 0.6
"""Seconds: longer than the repeat delay of most keyboards, and than the time between the clicks of a double click."""


def waited(event: events.Key) -> float:
    """Seconds since a key was received from the terminal: on a busy computer it is handled later."""
    return max(Message().time - event.time, 0.0)


class DeliberateButton(Button):
    """Counts a press only after a pause; for keys, between when they were received, however late they are handled."""

    class TooQuick(Message):
        """A press right after another event was ignored."""

    def __init__(self, label: str, *, id: str) -> None:  # noqa: A002
        super().__init__(label, id=id, variant="error", compact=True)
        self._touched = self._before = monotonic()
        self._waited = 0.0

    def on_mount(self) -> None:
        """Ignore presses from before it was mounted."""
        self._touched = self._before = monotonic()

    @property
    def counts(self) -> bool:
        """Whether a press counts now."""
        return monotonic() - self._waited - self._touched >= PAUSE

    def offer(self, label: str, *, ready: bool) -> None:
        """Set the label, and whether the button is enabled; the pause starts when it becomes enabled."""
        self.label = label
        if ready and self.disabled:
            self._touched = self._before = monotonic()
        self.disabled = not ready

    def on_focus(self, event: events.Focus) -> None:
        """Start the pause on focus, so that keys typed ahead do not count."""
        self._before, self._touched = self._touched, monotonic()

    def on_key(self, event: events.Key) -> None:
        """Note how late a press is handled."""
        self._waited = waited(event)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Undo the pause that focusing by this click has started."""
        self._touched = min(self._touched, self._before)
        self._waited = 0.0

    def press(self) -> Self:
        """Press it, unless there was another event right before."""
        counts, self._waited = self.counts, 0.0
        self._touched = self._before = monotonic()
        if not counts:
            self.post_message(self.TooQuick())
            return self
        return super().press()


class DeliberateDialog(Dialog[DialogResult]):
    """A dialog with such a button, in the colours of the account's mode; its text scrolls, and a typed line may be required.

    Args:
        mode: the mode of the account.
        typed: whether something must be typed to enable the button.

    Attributes:
        verb: the label of the button.
    """

    DEFAULT_CSS = """
    DeliberateDialog {
        #box { width: 84; padding: 1 2 0 2; }
        &.-sandbox #box, &.-test #box { border: round $warning; }
        &.-live #box { border: round $live; }
        #summary { height: auto; scrollbar-size-vertical: 1; }
        #state { height: auto; max-height: 2; margin: 1 0 0 0; }
        Line { padding: 0 1; background: $panel; display: none; }
        &.-typed Line { display: block; }
        #buttons { margin: 0; }
        .keys-here { margin: 0; }
        #delete:disabled { background: $panel; color: $foreground-muted; text-opacity: 100%; opacity: 100%; }
    }
    """

    BINDINGS = [
        *BETWEEN_BUTTONS,
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-8)", show=False),
        Binding("pagedown", "scroll(8)", show=False),
    ]

    verb = "Delete"

    def __init__(self, mode: Mode, *, typed: bool) -> None:
        super().__init__(classes=f"-{mode}" + (" -typed" if typed else ""))

    def on_resize(self, event: events.Resize) -> None:
        """Give the scrolling part the height that is left."""
        self._fit()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Check whether what was typed enables the button."""
        event.stop()
        self._offer()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Ignore Enter in the line, which may be from a paste."""
        event.stop()

    def on_deliberate_button_too_quick(self, event: DeliberateButton.TooQuick) -> None:
        """Show why nothing happened."""
        event.stop()
        self._say(f"Pressed too fast. Choose {self.verb} again to confirm.", "$text-warning")

    def on_key(self, event: events.Key) -> None:
        """Move the focus off the button while the user types, so that Enter after the letters does not press it."""
        if event.is_printable and event.key != "space" and isinstance(self.focused, DeliberateButton):
            event.stop()
            [one for one in self.query(Button) if not isinstance(one, DeliberateButton)][-1].focus()
            self._say(f"Letters do nothing here. Choose {self.verb} to confirm.", "$text-warning")

    def on_typed_line_pasted(self, event: TypedLine.Pasted) -> None:
        """Show why the paste was refused."""
        event.stop()
        self._offer()

    def _fit(self) -> None:
        self.query_one("#summary").styles.max_height = max(self.size.height * 92 // 100 - self.around, 3)

    @property
    def around(self) -> int:
        """Lines of the dialog outside the scrolling part."""
        raise NotImplementedError

    def _offer(self) -> None:
        """Enable the button if the action is possible, else say why not."""
        raise NotImplementedError

    def _ask_for(self, text: str) -> None:
        """Show what to type."""
        if self.query_one(TypedLine).pasted:
            self._say(f"Pasting is blocked here: type {text}.", "$text-warning")
        else:
            self._say(f"Type {text} to confirm.", "$text-accent")

    def action_scroll(self, step: int) -> None:
        """Scroll the text."""
        self.query_one("#summary").scroll_relative(y=step, animate=False)

    def _say(self, words: str, style: str) -> None:
        self.query_one("#state", Static).update(Content.styled(words, style))
