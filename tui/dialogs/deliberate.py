"""Dialogs for what cannot be undone: their button ignores accidental presses, and something may have to be typed.

A held key repeats, a double click has a second click: each comes right after another event. So a press counts only if the
button was enabled, and received no other event, for a moment before. A letter typed on it moves the focus to Cancel. What must
be typed cannot be pasted, because a paste could confirm a text that nobody has read.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from time import monotonic
from typing import ClassVar, Self

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from registry.accounts.connection import Mode
from registry.changes.check_result import FINAL, Kind
from registry.changes.check_result import Line as CheckLine
from registry.engine import Consent
from registry.text.shown import shortened, visible_line
from tui.dialogs.dialog import BETWEEN_BUTTONS, Dialog, Keys
from tui.keyboard.key_order import DialogResult
from tui.widgets.texts import Line, mode_chip

PAUSE = 0.6
"""Seconds: longer than the repeat delay of most keyboards, and than the time between the clicks of a double click."""

_STYLES: dict[Kind, tuple[str, str]] = {
    "rule": ("", "$text"),
    "holds": ("✓ ", "$text-success"),
    "broken": ("✗ ", "bold $text-error"),
    "unknown": ("? ", "$text-warning"),
    "goes along": ("• ", "bold"),
    "none": ("· ", "$foreground-muted"),
    "final": ("! ", "bold $text-error"),
}
_PARTS: dict[Kind, str] = {"holds": "rule", "broken": "rule", "unknown": "rule", "none": "goes along"}


class TypedLine(Line):
    """A line that accepts only typing. `pasted` says whether the last input was a paste, which is refused."""

    class Pasted(Message):
        """A paste was refused."""

    pasted = False

    def on_key(self, event: events.Key) -> None:
        """Forget the paste once somebody types."""
        self.pasted = self.pasted and not event.is_printable

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.action_paste()

    def action_paste(self) -> None:
        self.pasted = True
        self.post_message(self.Pasted())


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
        """Note how late a press is handled: on a busy computer, long after the terminal sent it."""
        self._waited = max(Message().time - event.time, 0.0)

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
    """A dialog with such a button, in the colours of the account's mode. Its text scrolls; the buttons are always visible.

    Args:
        mode: the mode of the account.
        names: returns the texts of which one must be typed to enable the button; None if nothing must be typed.
        hint: what the empty line says.

    Attributes:
        verb: the label of the button.
        around: lines outside the scrolling part.
    """

    DEFAULT_CSS = """
    DeliberateDialog {
        #box { padding: 1 2 0 2; }
        &.-sandbox #box, &.-test #box { border: round $warning; }
        &.-live #box { border: round $live; }
        #title { margin: 0; }
        #summary { height: auto; scrollbar-size-vertical: 1; margin: 1 0 0 0; }
        #request { margin: 1 0 0 0; }
        #where { height: auto; max-height: 2; }
        #said { height: auto; max-height: 2; margin: 1 0 0 0; }
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
    AUTO_FOCUS = "#cancel"  # so that an accidental Enter changes nothing

    box: ClassVar[type[Widget]] = Vertical
    keys: Keys = (("↑ ↓", "Scroll"), ("← →", "Switch"), ("Enter", "Press"), ("Esc", "Cancel"))
    verb = "Delete"
    around = 11

    def __init__(self, mode: Mode, names: Callable[[], Sequence[str]] | None, hint: str = "typed, not pasted") -> None:
        super().__init__(classes=f"-{mode}" + (" -typed" if names is not None else ""))
        self.mode: Mode = mode
        self.names, self._hint = names, hint
        self.around += names is not None

    def _body(self) -> ComposeResult:
        """What the change is, the part that scrolls, a message, and the line to type into."""
        above, inside = self._parts()
        yield from above
        with VerticalScroll(id="summary", can_focus=False):
            yield from inside
        yield Static(id="said")
        yield TypedLine(placeholder=self._hint, compact=True)

    def _parts(self) -> tuple[Sequence[Widget], Sequence[Widget]]:
        """The widgets above the part that scrolls, and those in it."""
        raise NotImplementedError

    def where(self, subject: str, account: str, name: str = "") -> Content:
        """What is changed, by its name if that is known, in which account: the sandbox's name and mode are the same word."""
        words = [Content.styled(visible_line(name), "bold")] if name and name != subject else []
        words += [Content.styled(visible_line(subject), "$foreground-muted" if words else "bold")] if subject else []
        words += [Content(f"in {visible_line(account)}")] if self.mode != "sandbox" else []
        return Content("  ").join([*words, mode_chip(self.mode)])

    def _buttons(self) -> Sequence[Button]:
        """Cancel, and the button that cannot be pressed by accident."""
        return Button("Cancel", id="cancel", compact=True), DeliberateButton(self.verb, id="delete")

    def _offer(self) -> None:
        """Enable the button if the action is possible, else say why not."""
        raise NotImplementedError

    def _confirmed(self) -> None:
        """The button was pressed, on purpose."""
        raise NotImplementedError

    def _chose(self, button: Button) -> None:
        """Another button was pressed."""

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "cancel":
            self.action_leave()
        elif event.button.id != "delete":
            self._chose(event.button)
        elif self.is_ready:
            self._confirmed()

    @property
    def typed(self) -> str:
        return self.query_one(TypedLine).value.strip()

    @property
    def is_typed(self) -> bool:
        return self.names is None or self.typed in self.names()

    @property
    def is_ready(self) -> bool:
        return self.is_typed

    @property
    def consent(self) -> Consent:
        return Consent.TYPED if self.names is not None else Consent.CONFIRMED

    def ask_for_text(self) -> None:
        wanted = " or ".join(f"“{name}”" if " " in name else shortened(name, 60) for name in (self.names or tuple)())
        if self.query_one(TypedLine).pasted:
            self.say(f"Pasting is blocked here: type {wanted}.", "$text-warning")
        else:
            self.say(f"Type {wanted} to confirm.", "$text-accent")

    def on_resize(self) -> None:
        self.query_one("#summary").styles.max_height = max(self.size.height * 92 // 100 - self.around, 3)

    @on(Input.Changed)
    @on(TypedLine.Pasted)
    def _typing(self) -> None:
        self._offer()

    @on(DeliberateButton.TooQuick)
    def _too_quick(self) -> None:
        self.say(f"Pressed too fast. Choose {self.verb} again to confirm.", "$text-warning")

    def on_key(self, event: events.Key) -> None:
        """Move the focus off the button while the user types, so that Enter after the letters does not press it."""
        if event.is_printable and event.key != "space" and isinstance(self.focused, DeliberateButton):
            event.stop()
            [one for one in self.query(Button) if not isinstance(one, DeliberateButton)][-1].focus()
            self.say(f"Letters do nothing here. Choose {self.verb} to confirm.", "$text-warning")

    def action_scroll(self, step: int) -> None:
        self.query_one("#summary").scroll_relative(y=step, animate=False)


def question_of(words: str, *, deletes: bool, final: bool = False) -> Content:
    """A question in the colour of what it is about, and that it cannot be undone."""
    title = Content.styled(f"{words}?", f"bold {'$text-error' if deletes else '$text-warning'}")
    return Content("  ").join([title, *([Content.styled(FINAL, "$text-error")] if final else [])])


def check_lines(lines: Sequence[CheckLine]) -> Content:
    """The lines of a check in colours, with an empty line between its parts."""
    width = max((len(line.name) for line in lines), default=0) + 2
    parts = groupby(lines, lambda line: _PARTS.get(line.kind, line.kind))
    return Content("\n\n").join(Content("\n").join(_drawn(line, width) for line in part) for _, part in parts)


def _drawn(line: CheckLine, width: int) -> Content:
    if not line.name and line.kind != "difference":
        sign, style = _STYLES[line.kind]
        return Content.assemble(Content.styled(sign, style), Content.styled(line.words, style))
    words = Content(line.words)
    if line.kind == "difference":
        before, arrow, after = line.words.rpartition(" → ")
        words = Content.assemble(Content.styled(before + arrow, "$foreground-muted"), Content.styled(after, "bold"))
    return Content.assemble(Content.styled(f"{line.name:<{width}}", "$foreground-muted"), words)
