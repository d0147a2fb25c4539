"""Chooses one of several things: where to go from an object, or which field to expand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from registry.catalog.listing import EFFECT_SIGNS
from registry.catalog.model import Tool
from registry.references.targets import Target
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.rows_below import LineDialog, lines_left
from tui.widgets.scrolling import Rows
from tui.widgets.text_line import Line

_COLOURS = {"write": "$text-warning", "delete": "$text-error"}
_FEW = 8
_NAME = 38
_BESIDE_WORDS, _BESIDE_LIST, _WHOLE = 9, 11, 3


class Choice(NamedTuple):
    """One row: a sign with its colour, a name, and a description. All may contain text from outside."""

    name: str
    words: str = ""
    sign: str = ""
    colour: str = "$foreground-muted"


class ChooseDialog(LineDialog[int]):
    """Returns the index of the choice, from 0. With many choices, typing filters them."""

    DEFAULT_CSS = """
    ChooseDialog {
        #box { width: 110; }
        Line { margin: 0 0 1 0; padding: 0 1; background: $panel; }
        OptionList { height: auto; scrollbar-size-vertical: 1; }
        OptionList > .option-list--option-highlighted { background: $block-cursor-background; }
        #whole { height: 2; margin: 1 0 0 0; color: $foreground-muted; display: none; }
        #none { color: $foreground-muted; display: none; }
    }
    """

    def __init__(self, title: str, choices: Sequence[Choice], does: str) -> None:
        super().__init__()
        self._title = title
        self._choices = choices
        self._does = does

    def compose(self) -> ComposeResult:
        """The title, a filter line, the choices."""
        with Vertical(id="box"):
            title = shortened(visible_line(self._title), self._room)
            yield Static(Content.styled(f"{title}\n", "bold"))
            if len(self._choices) > _FEW:
                yield Line(placeholder=f"Filter {len(self._choices)} choices", compact=True)
            yield Rows(*self._options(""), compact=True)
            yield Static("No matches.", id="none")
            yield Static(id="whole")
            yield self.keys_line(("↑ ↓", "Move"), ("Enter", self._does), ("Esc", "Close"))

    def on_mount(self) -> None:
        """Focus the line if there is one, otherwise the list."""
        self._list.highlighted = 0
        if len(self._choices) > _FEW:
            self._list.can_focus = False
            self.query_one(Line).focus()
        else:
            self._list.focus()

    def on_resize(self) -> None:
        """Give the list the height that the rest of the box leaves."""
        cut = self._cuts
        self.query_one("#whole").display = cut
        self._list.styles.max_height = lines_left(self.app.size.height, _BESIDE_LIST + (_WHOLE if cut else 0))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show a description that does not fit into its row below the list."""
        event.stop()
        words = self._choices[int(event.option.id or 0)].words
        self.query_one("#whole", Static).update(Content(shortened(visible_line(words), 2 * self._room)))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep the choices that contain every word."""
        event.stop()
        self._list.clear_options()
        self._list.add_options(self._options(event.value))
        found = self._list.option_count > 0
        self._list.highlighted = 0 if found else None
        self._list.display = found
        self.query_one("#none").display = not found

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the chosen one."""
        event.stop()
        self.dismiss(int(event.option.id or 0))

    @property
    def _cuts(self) -> bool:
        """Whether a row's description is longer than its column."""
        return any(len(one.words) > self._words_room for one in self._choices)

    @property
    def _words_room(self) -> int:
        """Columns for the description of a row."""
        return max(self._room - min(max((len(one.name) for one in self._choices), default=0), _NAME) - 4, 10)

    @property
    def _room(self) -> int:
        """Columns for a row."""
        return min(110, self.app.size.width * 96 // 100) - _BESIDE_WORDS

    def _options(self, typed: str) -> list[Option]:
        wanted = typed.lower().split()
        fitting = [
            (place, choice)
            for place, choice in enumerate(self._choices)
            if all(word in f"{choice.name} {choice.words}".lower() for word in wanted)
        ]
        width = min(max((len(choice.name) for choice in self._choices), default=0), _NAME)
        return [Option(self._row(choice, width), id=str(place)) for place, choice in fitting]

    def _row(self, choice: Choice, width: int) -> Content:
        has_words = any(one.words for one in self._choices)
        name = shortened(visible_line(choice.name), width if has_words else self._room)
        parts = [Content.styled(f"{choice.sign} ", choice.colour)] if choice.sign else []
        parts.append(Content(name.ljust(width) if has_words else name))
        if choice.words:
            words = shortened(visible_line(choice.words), self._words_room)
            parts.append(Content.styled(f"  {words}", "$foreground-muted"))
        return Content.assemble(*parts)


def choice_of(target: Target, tool: Tool) -> Choice:
    """A related tool as a choice, with its missing arguments, and a sign if it changes something."""
    words = f"needs {', '.join(target.missing)} · {target.words}" if target.missing else target.words
    return Choice(target.tool, words, EFFECT_SIGNS[tool.effect], _COLOURS.get(tool.effect, "$foreground-muted"))
