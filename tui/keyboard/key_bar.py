"""What the screen shows of keys: its last line, with at most eight that work at the focus, or a message; and jump mode.

In jump mode everything on screen that can be focused has a letter; typing it goes there. Only visible widgets get one. Jumping
activates only folds and names of panes: a button is focused, and waits for Enter.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple, cast

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Offset, Size
from textual.screen import ModalScreen, Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Collapsible, Static

from tui.keyboard.commands import COMMANDS, SCOPES, Scope
from tui.keyboard.key_order import DismissedOnce

_SAID_FOR, _MOST = 2.5, 8
_SCOPES = list(SCOPES)
# Commands that work everywhere come last, and the table's own commands before those for every result.
_PLACES = {command.id: (-_SCOPES.index(command.scope), place) for place, command in enumerate(COMMANDS)}


class _Key(NamedTuple):
    """A key that works here: as written, what it does in a word, its name, and its action."""

    shown: str
    does: str
    name: str
    action: str

    @property
    def length(self) -> int:
        return len(self.shown) + len(self.does) + 3


class KeyBar(Widget):
    """One line of keys and what they do; the help screen has the others. A click presses the key."""

    DEFAULT_CSS = """
    KeyBar {
        dock: bottom;
        width: 100%;
        height: 1;
        background: $footer-background;
        color: $footer-foreground;
    }
    """

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._keys: list[_Key] = []
        self._said: Content | None = None
        self._silence: Timer | None = None

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._update)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def say(self, words: Content) -> None:
        self._said = words
        if self._silence is not None:
            self._silence.stop()
        self._silence = self.set_timer(_SAID_FOR, self._be_silent)
        self.refresh()

    def render(self) -> Content:
        """As many keys as fit, at most eight."""
        if self._said is not None:
            return self._said
        if self.app.screen is not self.screen:
            return Content()  # the dialog in front shows its own keys
        styles = "bold $footer-key-foreground", "$footer-description-foreground"
        keys = [((f" {key.shown} ", styles[0]), (f"{key.does} ", styles[1])) for key in self._fitting()]
        return Content.assemble(*(part for parts in keys for part in parts))

    def on_click(self, event: events.Click) -> None:
        at, keys = event.x, self._fitting() if self._said is None else []
        self._be_silent()
        for key in keys:
            if 0 <= at < key.length:
                self.app.simulate_key(key.name)
            at -= key.length

    def _be_silent(self) -> None:
        self._said = None
        self.refresh()

    def _fitting(self) -> list[_Key]:
        # The key of the help, which lists all keys, is always shown.
        fitting = [one for one in self._keys if one.action == "app.help"]
        room = self.size.width - sum(one.length for one in fitting)
        for one in self._keys:
            if one not in fitting:
                room -= one.length
                if room < 0 or len(fitting) == _MOST:
                    break
                fitting.append(one)
        return sorted(fitting, key=self._keys.index)

    def _update(self, screen: Screen[object]) -> None:
        if not self.is_attached or screen is not self.screen:
            return
        keys: dict[str, _Key] = {}
        idle: set[str] = getattr(screen, "idle_actions", set())
        words: Mapping[str, str] = getattr(screen, "best_actions", {})
        active = list(screen.active_bindings.values())
        nodes = list(dict.fromkeys(one.node for one in active))
        # In a form, Run is the most useful key.
        first = "run" if getattr(screen, "here", "") == "form" else ""
        best = list(words)
        # Nearest to the focus first; keys changed by the user do not change the order.
        active.sort(
            key=lambda one: (
                -1 if first and one.binding.id == first else 0,
                best.index(one.binding.action) if one.binding.action in best else len(best),
                nodes.index(one.node),
                _PLACES.get(one.binding.id or "", (0, 0)),
            )
        )
        for one in active:
            binding = one.binding
            if binding.show and one.enabled and binding.action not in idle and binding.action not in keys:
                does = words.get(binding.action, binding.description)
                keys[binding.action] = _Key(self.app.get_key_display(binding), does, binding.key, binding.action)
        if list(keys.values()) != self._keys:
            self._keys = list(keys.values())
            self.refresh()


class WithKeyBar:
    """A screen with a key bar, where it says what it did. A mixin, and no DOM node itself.

    Attributes:
        help_scope: the place that its help is about.
    """

    help_scope: Scope = "everywhere"

    def say(self, words: str, colour: str = "$text-warning") -> None:
        self._bar.say(Content.styled(f" {words}", f"bold {colour}"))

    def on_screen_suspend(self) -> None:
        """A dialog opened, or closed: its keys work, or those of the screen again."""
        self._bar.refresh()

    on_screen_resume = on_screen_suspend

    @property
    def _bar(self) -> KeyBar:
        return cast(Screen[object], self).query_one(KeyBar)


_LETTERS = "asdfghjklqwertyuiopzxcvbnm"
# Widgets that are nearly always on screen keep their letters, so that users can learn them.
_OWN = {"filter": "f", "tree": "t", "run": "r", "json": "j", "incident-list": "i", "policy-list": "l", "service-list": "s"}


class JumpTarget(NamedTuple):
    """Something to jump to: the position of its letter on the screen, and what jumping does."""

    at: Offset
    go: Callable[[], object]
    name: str = ""


def spots(screen: Screen[object]) -> list[JumpTarget]:
    """The jump targets of a screen, in reading order.

    A widget that never gets the focus may have places to jump to: its method ``spots`` returns them, relative to its corner.
    """
    chain: list[tuple[Widget, Sequence[JumpTarget]]] = [
        (one, [JumpTarget(Offset(), partial(_go_to, one), one.id or "")]) for one in screen.focus_chain
    ]
    chain += [(one, one.spots()) for one in screen.query("*") if hasattr(one, "spots")]
    found: list[JumpTarget] = []
    for widget, own in chain:
        if widget.is_attached and widget.display:
            place = screen.find_widget(widget)
            seen = place.region.intersection(place.clip)
            found += [spot._replace(at=seen.offset + spot.at) for spot in own if seen.area]
    return sorted(found, key=lambda spot: (spot.at.y, spot.at.x))


def letters(names: list[str]) -> list[str]:
    """The letters for targets with these names: one each, or two each if there are more targets than letters."""
    if len(names) > len(_LETTERS):
        return ["".join(pair) for pair in product(_LETTERS, repeat=2)][: len(names)]
    own = {names.index(name): letter for name, letter in _OWN.items() if name in names}
    rest = (letter for letter in _LETTERS if letter not in own.values())
    return [own.get(place) or next(rest) for place in range(len(names))]


def _go_to(widget: Widget) -> None:
    widget.focus()
    fold = next((node for node in widget.ancestors if isinstance(node, Collapsible)), None)
    if fold is not None and fold.collapsed:  # only its title can be focused
        fold.collapsed = False


class JumpScreen(DismissedOnce[None], ModalScreen[None]):
    """The letters over a screen. Any other key, a click, or a new size of the screen ends it."""

    DEFAULT_CSS = """
    JumpScreen {
        background: $background 55%;
        .letter {
            position: absolute;
            width: auto;
            height: 1;
            background: $accent;
            color: $background;
            text-style: bold;
            &.-typed { background: $panel; color: $foreground; }
        }
        #about { dock: bottom; width: 100%; height: 1; background: $footer-background; color: $footer-foreground; }
    }
    """

    def __init__(self, found: list[JumpTarget]) -> None:
        super().__init__()
        self._spots = dict(zip(letters([spot.name for spot in found]), found, strict=True))
        self._typed = ""
        self._seen_at: Size | None = None

    def compose(self) -> ComposeResult:
        for letter, spot in self._spots.items():
            label = Static(Content(f" {letter} "), classes="letter", id=f"to-{letter}")
            label.styles.offset = spot.at
            yield label
        yield Static(" Press a letter to jump. Esc cancels." if self._spots else " Nothing to jump to. Press Esc.", id="about")

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        typed = self._typed + (event.character or "").lower()
        left = [letter for letter in self._spots if letter.startswith(typed)] if event.is_printable else []
        if typed in left:
            self.dismiss()
            self.app.call_later(self._spots[typed].go)
        elif left:
            self._typed = typed
            for letter in self._spots:
                label = self.query_one(f"#to-{letter}")
                label.display = letter in left
                label.add_class("-typed")
        else:
            self.dismiss()

    def on_click(self) -> None:
        self.dismiss()

    def on_resize(self, event: events.Resize) -> None:
        if self._seen_at not in (None, event.size):
            self.dismiss()
        self._seen_at = event.size
