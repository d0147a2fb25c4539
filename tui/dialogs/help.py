"""The help screen: the focused widget, and every key in as many columns as fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import cast

from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from registry import __version__
from registry.catalog.listing import toolkit_titles
from registry.text.safe_text import visible_line
from tui.dialogs.dialog import Dialog
from tui.help.about import About
from tui.help.here import about, with_keys
from tui.keyboard.commands import COMMANDS, SCOPES, Command, Scope, works_in
from tui.keyboard.key_names import written
from tui.state.settings import Configured, Settings
from tui.widgets.scrolling import Scroll

_LEAST = 10
_ABOUT: dict[Scope, str] = {
    "tools": ("All tools. Type word beginnings in any order (cust cards) or joined (delinv). Enter opens the tool."),
    "form": (
        "The form of the open tool. Required fields come first; paging and expand are folded. The request below is exactly "
        "what will be sent, with secrets redacted. {run}, or Enter in a field, runs it. Each tool keeps its draft. {raw} "
        "switches between fields and JSON, {editor} opens the field in $EDITOR (for a list: one entry per line), "
        "{saved} saves the form and opens saved calls, {pick} picks an id from a list."
    ),
    "result": (
        "The result. Above it: what it is, and whether it is complete; below it: the path at the cursor. {fold} and {unfold} "
        "fold and unfold, {search} finds text, {read} shows a full value, {copy} copies it, {copy_as} copies its key, path "
        "and more, {next} and {previous} go to the next and previous page, {table} shows a list as a table."
    ),
    "table": (
        "The list as a table. {cell_left} and {cell_right} move between cells. {sort} sorts by this column: ascending, "
        "descending, original order. {filter_rows} filters rows; {help} there explains the syntax. {mark} marks rows. Your "
        "choices are saved for each tool; {table} goes back to JSON."
    ),
    "oncall": (
        "Open incidents and who is paged next, the worst first. Read-only: acknowledge in your incident app. The cursor stays "
        "on its incident. Each heading shows how old its data is: live, or STALE with the reason. Tab moves between panels."
    ),
    "page": (
        "Everything about one object: a summary, what needs attention and why, related objects, and a timeline. Sections load "
        "in parallel, and each shows whether it is complete. {page_call} opens the call of a section in the explorer; "
        "{page_back} goes back."
    ),
    "compare": (
        "Two results compared by path, the older one on the left. List items are matched by id. {next_change} and "
        "{last_change} move through the differences; {only_changes} shows or hides equal lines; the lines below show more "
        "of both values."
    ),
}


_FAINT = "$foreground-muted"
_LISTS: tuple[Scope, ...] = ("tools", "result", "table", "compare", "page", "oncall")


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
        settings = cast(Configured, self.app).settings
        here = about(self._focused, settings)
        with self.box(id="box"):
            yield Static(Content.styled("Help", "bold"), id="title")
            yield self.keys_line(("↑ ↓", "Scroll"), ("Esc", "Close"), (settings.key("show_me"), "Show me"))
            if here is not None:
                yield from _lines(here)
            if place := _ABOUT.get(self._here):
                yield Static(Content(with_keys(place, settings)), classes="part")
            for scope in self._order():
                commands = [command for command in COMMANDS if command.scope == scope and works_in(command, self._here)]
                yield Static(Content.styled(SCOPES[scope], "bold"), classes="part")
                yield Columns([_row(command, settings) for command in commands], (11, 22))
            versions = " · ".join([f"Callboard {__version__}", *(toolkit.named for toolkit in toolkit_titles())])
            yield Static(Content.styled(visible_line(versions), _FAINT), id="versions", classes="part")

    @property
    def _focused(self) -> Widget | None:
        """The focused widget of the screen below."""
        below = self.app.screen_stack[:-1] if self.app.screen is self else self.app.screen_stack
        return (below[-1].focused or below[-1]) if below else None

    def _order(self) -> list[Scope]:
        """The scopes, the present one first, with the keys that move in it."""
        first: list[Scope] = [self._here, *(("lists",) if self._here in _LISTS else ()), "everywhere"]
        return list(dict.fromkeys([*first, *SCOPES]))


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
