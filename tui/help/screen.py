"""The help: the screen about the focused widget, Tab turning to all keys; and its texts.

Those of places are from ``words.toml``, those of form fields from the catalogue, and every command has its keys.
"""

import os
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button, Static

from registry import __version__
from registry.catalog.listing import toolkit_titles
from registry.catalog.model import Parameter
from registry.files.folders import config_file
from registry.text.shown import visible_line
from tui.dialogs.dialog import Dialog
from tui.keyboard.commands import COMMANDS, EVERY, SCOPES, Command, Scope, is_offered, works_in, written
from tui.state.settings import Settings, current, settings_of
from tui.widgets.line_list import Scroll

_KEYS, _ID, _WIDTH = 11, 15, 80


def cheat_sheet(settings: Settings) -> str:
    """The sheet, 80 columns wide. Before each help text is the command's id, by which its keys can be changed."""
    lines = ["Callboard: keys"]
    for scope, title in SCOPES.items():
        lines += ["", title, ""]
        for command in COMMANDS:
            if command.scope == scope:
                keys = "  ".join(written(settings.keys_of(command)))
                lines += wrap(
                    command.help,
                    _WIDTH,
                    # Keys set by the user may be wider than their column; then the id and the help follow them directly.
                    initial_indent=f"  {keys:<{_KEYS - 1}} {command.id:<{_ID - 1}} ",
                    subsequent_indent=" " * (2 + _KEYS + _ID),
                )
    return "\n".join(lines)


def print_cheat_sheet() -> int:
    """Print the sheet with the user's own keys; problems in the settings go to standard error."""
    settings = current()
    for problem in settings.problems:
        sys.stderr.write(f"callboard: {problem}\n")
    sys.stdout.write(cheat_sheet(settings) + "\n")
    return 0


_IDS = {command.id for command in EVERY}

Lines = tuple[tuple[str, str], ...]


class About(NamedTuple):
    """The help text of one widget: its name, what it does, keys that are not commands, and what its signs and words mean."""

    title: str
    text: str = ""
    keys: Lines = ()
    words: Lines = ()


@cache
def help_words() -> Mapping[str, Any]:
    """The content of ``words.toml``."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


def about(widget: Widget | None, settings: Settings) -> About | None:
    """The help text of a widget, or of its nearest ancestor that has one; None if there is none."""
    widgets, otherwise = help_words()["widgets"], None
    for node in widget.ancestors_with_self if widget is not None else ():
        if (parameter := getattr(node, "parameter", None)) is not None:
            # Text from the catalogue is shown unchanged; it may contain braces of its own.
            keys = _with_keys(keys_of(parameter), settings)
            return About(f"The field {parameter.name}", parameter.help, keys, facts_of(parameter))
        said = next((kind.__name__ for kind in type(node).__mro__ if kind.__name__ in widgets), None)
        if said is not None and not isinstance(node, Button):  # the help of a dialog says more about its buttons
            return _about(said, settings)
        otherwise = otherwise or said
    return _about(otherwise, settings) if otherwise is not None else None


def about_place(place: Scope, settings: Settings) -> str:
    """What a place is for; empty if there is nothing to say."""
    return with_keys(help_words()["places"].get(place, ""), settings)


def _about(name: str, settings: Settings) -> About:
    said = help_words()["widgets"][name]
    groups = (help_words()["groups"][group].items() for group in said.get("also", ()))
    words = [*said.get("words", {}).items(), *(line for group in groups for line in group)]
    text = with_keys(said.get("text", ""), settings)
    return About(said["title"], text, _with_keys(said.get("keys", {}).items(), settings), _with_keys(words, settings))


def _with_keys(lines: Iterable[tuple[str, str]], settings: Settings) -> Lines:
    here = ((sign, meaning) for sign, meaning in lines if is_offered(sign.strip("{}")))
    return tuple((with_keys(sign, settings), with_keys(meaning, settings)) for sign, meaning in here)


def with_keys(text: str, settings: Settings) -> str:
    """A text with the ids of commands in braces replaced by their keys."""
    return re.sub(r"\{(\w+)\}", lambda found: settings.key(found[1]) if found[1] in _IDS else found[0], text)


def _said_of(kind: str, name: str) -> str:
    """What is said of a property of parameters; empty if there is nothing to say."""
    return str(help_words()["parameters"][kind].get(name, ""))


def facts_of(parameter: Parameter) -> tuple[tuple[str, str], ...]:
    """What is known about a parameter, in short lines with a name each; where it is sent, the request below the form shows."""
    facts = (
        ("type", _takes(parameter)),
        ("id of", ", ".join(parameter.refers_to)),
        ("not set", _unset(parameter)),
        ("empty", _said_of("empty", parameter.when_empty)),
        ("null", "is sent; that is different from not set" if parameter.nullable else ""),
        ("role", _said_of("roles", parameter.role)),
        ("examples", ", ".join(parameter.suggestions or ())),
    )
    return tuple((name, words) for name, words in facts if words)


def _takes(parameter: Parameter) -> str:
    if parameter.enum:
        return "one of: " + ", ".join(parameter.enum)
    words = _said_of("formats", parameter.format or "") or _said_of("types", parameter.type)
    if parameter.type == "array" and parameter.items is not None:
        kind = _said_of("items", parameter.items.type)
        words = f"{kind}, separated by commas" if kind else "a JSON list"
    if parameter.properties:
        words += f" with {', '.join(one.name for one in parameter.properties)}"
    if parameter.branches:
        words = f"one of: {', '.join(one.name for one in parameter.branches)}"
    if parameter.pattern:
        words += f" that matches {parameter.pattern}"
    if parameter.minimum is not None and parameter.maximum is not None:
        return f"{words} from {parameter.minimum:,} to {parameter.maximum:,}"
    if parameter.minimum is not None:
        return f"{words}, {parameter.minimum:,} or more"
    return f"{words}, {parameter.maximum:,} or less" if parameter.maximum is not None else words


def _unset(parameter: Parameter) -> str:
    if parameter.required:
        return "required: the call cannot run without it"
    for value in (parameter.default, parameter.wire_default):
        if value is not None:
            return f"{str(value).lower() if isinstance(value, bool) else value} is sent"
    return "nothing is sent"


def keys_of(parameter: Parameter) -> tuple[tuple[str, str], ...]:
    """The keys of a parameter's field that are not commands."""
    if parameter.type == "boolean" or parameter.enum:
        return (("← →", "choose, or type the first letter of a value"), ("Del", "not set"))
    keys = [("Enter", "run the tool"), ("→", "at the end of the line: accept the grey suggestion")]
    if parameter.refers_to:
        keys.append(("↓ ↑", "browse ids from earlier results; Enter inserts one"))
    if parameter.when_empty != "refuse" or parameter.nullable:
        states = [*(["empty"] if parameter.when_empty != "refuse" else []), *(["null"] if parameter.nullable else [])]
        keys.append(("{empty}", f"switch between {', '.join(states)} and not set"))
    return tuple(keys)


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
