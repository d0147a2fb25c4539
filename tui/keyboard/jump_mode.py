"""Jump mode: a letter at everything on screen that can be focused; typing it goes there.

Only visible widgets get a letter. Jumping activates only folds and names of panes: a button is focused, and waits for Enter.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Offset, Size
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Collapsible, Static

from tui.keyboard.key_order import DismissedOnce

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
