"""The help screen: the focused widget on one screen; Tab turns to all keys."""

import os
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from registry import __version__
from registry.catalog.listing import toolkit_titles
from registry.files.folders import config_file
from registry.text.shown import visible_line
from tui.dialogs.dialog import Dialog
from tui.help.here import About, about, about_place
from tui.keyboard.commands import COMMANDS, SCOPES, Command, Scope, works_in, written
from tui.state.settings import Settings, settings_of
from tui.widgets.scrolling import Scroll

_LEAST, _WIDEST = 10, 100
_FAINT = "$foreground-muted"
_CHANGE = 'To change a key: [keys] in {file}, such as run = "ctrl+e". “callboard keys” lists the names of commands.'
_LISTS: tuple[Scope, ...] = ("tools", "result", "table", "bars", "compare", "page", "oncall")


class HelpScreen(Dialog[None]):
    """Help for the focused widget; behind Tab all commands by their scope, the present one first."""

    DEFAULT_CSS = """
    HelpScreen {
        #box { width: 100; height: 92%; padding: 0 2; }
        #title { margin: 0; color: $text-accent; }
        .keys-here { margin: 0; }
        .part { margin: 1 0 0 0; }
        #here, #rest { height: auto; }
        #rest, #more { display: none; }
        &.-all { #rest { display: block; } #here { display: none; } }
        &.-long { #more { display: block; } #words { display: none; } }
    }
    """
    BINDINGS = [Binding("tab,shift+tab", "turn", show=False)]
    AUTO_FOCUS = "#box"

    box = Scroll

    def __init__(self, here: Scope) -> None:
        super().__init__()
        self._here = here

    def compose(self) -> ComposeResult:
        """What is about the focus, with its keys; then all the rest, which is not shown at first."""
        settings, below = settings_of(self.app), self._below
        here = about((below.focused or below) if below is not None else None, settings) or About(SCOPES[self._here])
        with self.box(id="box"):
            yield Static(Content.styled(here.title, "bold"), id="title")
            yield self.keys_line(("Tab", "All keys"), ("Esc", "Close"), (settings.key("show_me"), "Show me"))
            with Vertical(id="here"):
                yield Static(Content(here.text or about_place(self._here, settings)), classes="part")
                yield Static(id="keys", classes="part")
                for keys in below.query(".keys-here").results(Static) if below is not None else ():
                    yield Static(keys.visual)
                yield _words(here, "words")
            with Vertical(id="rest"):
                yield Static(Content(_CHANGE.format(file=visible_line(str(config_file(os.environ))))), classes="part")
                yield _words(here, "more")
                if here.text and (place := about_place(self._here, settings)):
                    yield Static(Content(place), classes="part")
                lists: tuple[Scope, ...] = ("lists",) if self._here in _LISTS else ()
                for scope in dict.fromkeys((self._here, *lists, "everywhere", *SCOPES)):
                    commands = [command for command in COMMANDS if command.scope == scope and works_in(command, self._here)]
                    yield Static(Content.styled(SCOPES[scope], "bold"), classes="part")
                    yield Columns([_row(command, settings) for command in commands], (13,))
                versions = " · ".join([f"Callboard {__version__}", *(toolkit.named for toolkit in toolkit_titles())])
                yield Static(Content.styled(visible_line(versions), _FAINT), id="versions", classes="part")

    def on_resize(self) -> None:
        """Show the keys of the place with what they do in a word, except those that the screen below does not offer now.

        The meanings of signs go behind Tab if they are too long for one screen.
        """
        settings = settings_of(self.app)
        places: tuple[Scope, ...] = ("table", "result") if self._here == "table" else (self._here,)
        commands = [command for command in COMMANDS if command.scope in places and works_in(command, self._here)]
        if self._below is not None:
            commands = [command for command in commands if self._below.check_action(*parse(command.action)[1:])]
        named = [(settings.shown(one), one.short or one.title) for one in commands if settings.shown(one)]
        keys = self.keys_text(*((key, words) for key, words in named if words), room=min(self.size.width, _WIDEST) - 10)
        self.query_one("#keys", Static).update(keys)
        self.remove_class("-long")
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        self.set_class(self.query_one("#box", Scroll).max_scroll_y > 0 and not self.has_class("-all"), "-long")

    def action_turn(self) -> None:
        self.toggle_class("-all")
        self.query_one("#box", Scroll).scroll_home(animate=False)
        self.show_keys(("Tab", "Back" if self.has_class("-all") else "All keys"), ("↑ ↓", "Scroll"), ("Esc", "Close"))

    @property
    def _below(self) -> Screen[Any] | None:
        """The screen below, which the help is about."""
        below = self.app.screen_stack[:-1] if self.app.screen is self else self.app.screen_stack
        return below[-1] if below else None


def _words(one: About, id_: str) -> "Columns":
    """A widget's own keys, and what its words mean."""
    rows = [(sign, "$text-accent", meaning) for sign, meaning in one.keys]
    rows += [(sign, "bold", meaning) for sign, meaning in one.words]
    cells = [(Content.styled(sign, style), Content.styled(meaning, _FAINT)) for sign, style, meaning in rows]
    return Columns(cells, (17,), id=id_, classes="part")


def _row(command: Command, settings: Settings) -> tuple[Content, ...]:
    keys = " ".join(written(settings.keys_of(command))) or settings.key("palette")
    named = f"{command.title}: " if not command.usual else ""
    return Content.styled(keys, "$text-accent"), Content.assemble(named, Content.styled(command.help, _FAINT))


class Columns(Widget):
    """Rows whose first cells have given widths and whose last one takes the rest; long text wraps inside its cell.

    One widget draws them all: a widget for each cell would take a second to open.

    Args:
        rows: the cells of each row, one more than `widths`.
        widths: the widths of all cells but the last, in terminal cells.
    """

    DEFAULT_CSS = """
    Columns { height: auto; padding: 0 0 0 2; }
    """

    def __init__(self, rows: Sequence[Sequence[Content]], widths: Sequence[int], **named: Any) -> None:
        super().__init__(**named)
        self.rows = rows
        self._widths = widths

    def render(self) -> Content:
        return self._drawn(self.content_size.width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._drawn(width).plain.splitlines())

    def _drawn(self, width: int) -> Content:
        widths = [*self._widths, max(width - sum(self._widths), _LEAST)]
        lines = []
        for row in self.rows:
            cells = [cell.wrap(max(room - 1, 1)) for cell, room in zip(row, widths, strict=True)]
            for parts in zip_longest(*cells, fillvalue=Content()):
                padded = [part.pad_right(room - part.cell_length) for part, room in zip(parts, widths, strict=True)]
                lines.append(Content().join(padded))
        return Content("\n").join(lines)
