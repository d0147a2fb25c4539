"""The last line of the screen: at most eight keys that work at the focus, or, for a moment, a message."""

from collections.abc import Mapping
from typing import NamedTuple, cast

from textual import events
from textual.binding import ActiveBinding
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from tui.keyboard.commands import COMMANDS, SCOPES, Scope

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
        for active in _in_order(screen):
            binding = active.binding
            if binding.show and active.enabled and binding.action not in idle and binding.action not in keys:
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


def _in_order(screen: Screen[object]) -> list[ActiveBinding]:
    """The keys that work here, nearest to the focus first; keys changed by the user do not change the order."""
    active = list(screen.active_bindings.values())
    nodes = list(dict.fromkeys(one.node for one in active))
    # In a form, Run is the most useful key.
    first = "run" if getattr(screen, "here", "") == "form" else ""
    best = list(getattr(screen, "best_actions", {}))
    return sorted(
        active,
        key=lambda one: (
            -1 if first and one.binding.id == first else 0,
            best.index(one.binding.action) if one.binding.action in best else len(best),
            nodes.index(one.node),
            _PLACES.get(one.binding.id or "", (0, 0)),
        ),
    )
