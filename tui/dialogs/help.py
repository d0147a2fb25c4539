"""The help screen: the focused widget, and every key in as many columns as fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, cast

from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from registry import __version__
from registry.catalog.listing import toolkit_titles
from registry.text.safe_text import visible_line
from tui.dialogs.dialog import Dialog
from tui.help.here import About, about, about_place
from tui.keyboard.commands import COMMANDS, SCOPES, Command, Scope, works_in
from tui.keyboard.key_names import written
from tui.state.settings import Configured, Settings
from tui.widgets.scrolling import Scroll

_LEAST = 10
_FAINT = "$foreground-muted"
_LISTS: tuple[Scope, ...] = ("tools", "result", "table", "bars", "compare", "page", "oncall")


class HelpScreen(Dialog[None]):
    """Help for the focused widget; then all commands by their scope, the present one first."""

    DEFAULT_CSS = """
    HelpScreen {
        #box { width: 100; height: 92%; }
        #title { margin: 0; color: $text-accent; }
        .keys-here { margin: 0; }
        .part { margin: 1 0 0 0; }
    }
    """
    AUTO_FOCUS = "#box"

    box = Scroll

    def __init__(self, here: Scope) -> None:
        super().__init__()
        self._here = here

    def compose(self) -> ComposeResult:
        """The keys of the help first: the rest is longer than the screen."""
        settings, below = cast(Configured, self.app).settings, self._below
        with self.box(id="box"):
            yield Static(Content.styled("Help", "bold"), id="title")
            yield self.keys_line(("↑ ↓", "Scroll"), ("Esc", "Close"), (settings.key("show_me"), "Show me"))
            if (here := about((below.focused or below) if below is not None else None, settings)) is not None:
                yield from _lines(here)
            for keys in below.query(".keys-here").results(Static) if below is not None else ():
                yield Static(keys.visual)
            if place := about_place(self._here, settings):
                yield Static(Content(place), classes="part")
            lists: tuple[Scope, ...] = ("lists",) if self._here in _LISTS else ()
            for scope in dict.fromkeys((self._here, *lists, "everywhere", *SCOPES)):
                commands = [command for command in COMMANDS if command.scope == scope and works_in(command, self._here)]
                yield Static(Content.styled(SCOPES[scope], "bold"), classes="part")
                yield Columns([_row(command, settings) for command in commands], (11, 22))
            versions = " · ".join([f"Callboard {__version__}", *(toolkit.named for toolkit in toolkit_titles())])
            yield Static(Content.styled(visible_line(versions), _FAINT), id="versions", classes="part")

    @property
    def _below(self) -> Screen[Any] | None:
        """The screen below, which the help is about."""
        below = self.app.screen_stack[:-1] if self.app.screen is self else self.app.screen_stack
        return below[-1] if below else None


def _lines(one: About) -> Iterator[Widget]:
    """What a widget does, its own keys, and what its words mean."""
    yield Static(Content.styled(one.title, "bold"), classes="part")
    if one.text:
        yield Static(Content(one.text))
    rows = [(sign, "$text-accent", meaning) for sign, meaning in one.keys]
    rows += [(sign, "bold", meaning) for sign, meaning in one.words]
    if rows:
        yield Columns([(Content.styled(sign, style), Content.styled(meaning, _FAINT)) for sign, style, meaning in rows], (17,))


def _row(command: Command, settings: Settings) -> tuple[Content, ...]:
    keys = " ".join(written(settings.keys_of(command)))
    return Content.styled(keys, "$text-accent"), Content(command.title), Content.styled(command.help, _FAINT)


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

    def __init__(self, rows: Sequence[Sequence[Content]], widths: Sequence[int]) -> None:
        super().__init__()
        self.rows = rows
        self._widths = widths

    def render(self) -> Content:
        """All rows, for the present width."""
        return self._drawn(self.content_size.width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines at a width."""
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
