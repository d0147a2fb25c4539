"""Chooses one or several rows of a list. A long list of which one is chosen has a line that filters it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from registry.accounts.connection import Connection
from registry.catalog.listing import EFFECT_SIGNS
from registry.catalog.model import Tool
from registry.references.targets import Target
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.dialog import Dialog, titled
from tui.dialogs.rows_below import LineDialog, lines_left
from tui.keyboard.dismissed_once import DialogResult
from tui.widgets.mode_labels import mode_word
from tui.widgets.scrolling import Rows
from tui.widgets.text_line import Line

_COLOURS = {"write": "$text-warning", "delete": "$text-error"}
_FEW, _NAME, _ACCOUNT, _SHOWN = 8, 38, 42, 4_000
_BESIDE_WORDS, _BESIDE_LIST, _WHOLE = 9, 11, 3


class Choice(NamedTuple):
    """One row: a sign with its colour, a name, and a description. All may contain text from outside."""

    name: str
    words: str = ""
    sign: str = ""
    colour: str = "$foreground-muted"


class Chooser(LineDialog[DialogResult]):
    """Returns one of the results, which belong to the choices. With many choices, typing filters them."""

    DEFAULT_CSS = """
    Chooser {
        #box { width: 110; }
        #title { text-wrap: nowrap; text-overflow: ellipsis; }
        Line { margin: 0 0 1 0; padding: 0 1; background: $panel; }
        OptionList { height: auto; scrollbar-size-vertical: 1; }
        OptionList > .option-list--option-highlighted { background: $block-cursor-background; }
        #said { height: 2; margin: 1 0 0 0; color: $foreground-muted; display: none; }
    }
    """

    box: ClassVar[type[Widget]] = Vertical

    def __init__(self, title: str, choices: Sequence[Choice], results: Sequence[DialogResult], does: str) -> None:
        super().__init__()
        self.heading = visible_line(title)
        self._choices, self._results = choices, results
        self._name_width = min(max((len(visible_line(one.name)) for one in choices), default=0), _NAME)
        self.keys = (("↑ ↓", "Move"), ("Enter", does), ("Esc", "Close"))

    def _body(self) -> ComposeResult:
        if len(self._choices) > _FEW:
            yield Line(placeholder=f"Filter {len(self._choices)} choices", compact=True)
        yield Rows(*self._options(""), compact=True)
        yield Static(id="said")

    def on_mount(self) -> None:
        """Focus the line if there is one, otherwise the list."""
        self._list.highlighted = 0
        self._list.can_focus = len(self._choices) <= _FEW
        self.query("Line, Rows").first().focus()

    def on_resize(self) -> None:
        """Give the list the height that the rest of the box leaves."""
        cuts = any(len(one.words) > self._words_room for one in self._choices)
        self.query_one("#said").display = cuts
        self._list.styles.max_height = lines_left(self.app.size.height, _BESIDE_LIST + (_WHOLE if cuts else 0))

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.say(shortened(visible_line(self._choices[int(event.option.id or 0)].words), 2 * self._room))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        """Keep the choices that contain every word."""
        event.stop()
        options = self._options(event.value)
        self._list.set_options(options or [Option(Content("No matches."), disabled=True)])
        self._list.highlighted = 0 if options else None

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._results[int(event.option.id or 0)])

    @property
    def _room(self) -> int:
        """Columns for a row."""
        return min(110, self.app.size.width * 96 // 100) - _BESIDE_WORDS

    @property
    def _words_room(self) -> int:
        """Columns for the description of a row."""
        return max(self._room - self._name_width - 4, 10)

    def _options(self, typed: str) -> list[Option]:
        wanted = typed.lower().split()
        return [
            Option(self._row(choice), id=str(place))
            for place, choice in enumerate(self._choices)
            if all(word in f"{choice.name} {choice.words}".lower() for word in wanted)
        ]

    def _row(self, choice: Choice) -> Content:
        has_words = any(one.words for one in self._choices)
        name = shortened(visible_line(choice.name), self._name_width if has_words else self._room)
        return Content.assemble(
            Content.styled(f"{choice.sign} " if choice.sign else "", choice.colour),
            name.ljust(self._name_width) if has_words else name,
            Content.styled(f"  {shortened(visible_line(choice.words), self._words_room)}", "$foreground-muted"),
        )


class ChooseDialog(Chooser[int]):
    """Returns the index of the choice, from 0."""

    def __init__(self, title: str, choices: Sequence[Choice], does: str) -> None:
        super().__init__(title, choices, range(len(choices)), does)


class CopyDialog(Chooser[str]):
    """Chooses what to copy; returns its name.

    Args:
        texts: by name, the title and the text itself, of which the beginning is shown.
    """

    def __init__(self, texts: Mapping[str, tuple[str, str]]) -> None:
        choices = [Choice(title, text[:_SHOWN]) for title, text in texts.values()]
        super().__init__("Copy", choices, list(texts), "Copy")


def choice_of(target: Target, tool: Tool) -> Choice:
    """A related tool as a choice, with its missing arguments, and a sign if it changes something."""
    words = f"needs {', '.join(target.missing)} · {target.words}" if target.missing else target.words
    return Choice(target.tool, words, EFFECT_SIGNS[tool.effect], _COLOURS.get(tool.effect, "$foreground-muted"))


class MarkingDialog(Dialog[frozenset[str]]):
    """Marks any number of rows with Space; returns the keys of the marked ones.

    Args:
        title: what is chosen.
        rows: the words of each row after its mark, by the row's key.
        marked: the keys of the rows that are marked at first.
        does: what Enter does.
        note: what so many marked rows mean.
        least: how many have to be marked.
    """

    BINDINGS = [Binding("space", "mark", "Mark"), Binding("a", "all", "All"), Binding("enter", "take", "Take", priority=True)]
    AUTO_FOCUS = "Rows"

    def __init__(
        self,
        title: str | Content,
        rows: Mapping[str, str | Content],
        marked: Iterable[str],
        does: str,
        note: Callable[[int], str],
        least: int = 0,
    ) -> None:
        super().__init__()
        self.heading, self._rows, self._note, self._least = title, rows, note, least
        self._marked = rows.keys() & set(marked)
        self.keys = (("Space", "Mark"), ("a", "All"), ("Enter", does), ("Esc", "Cancel"))

    def _body(self) -> ComposeResult:
        yield Rows(*map(self._row, self._rows), compact=True)
        yield Static(Content(f"\n{self._note(len(self._marked))}"), id="note", classes="quiet")

    def action_mark(self) -> None:
        """Mark or unmark the row at the cursor."""
        place = self.query_one(OptionList).highlighted
        if place is not None:
            self.mark(self._marked ^ {list(self._rows)[place]})

    def action_all(self) -> None:
        """Mark all rows, or none if all are marked."""
        self.mark(set() if len(self._marked) == len(self._rows) else set(self._rows))

    def action_take(self) -> None:
        """Return the marked rows, if there are enough."""
        if len(self._marked) >= self._least:
            self.dismiss(frozenset(self._marked))

    def mark(self, marked: set[str]) -> None:
        """Mark only these rows."""
        self._marked = marked
        for place, key in enumerate(self._rows):
            self.query_one(OptionList).replace_option_prompt_at_index(place, self._row(key))
        self.query_one("#note", Static).update(Content(f"\n{self._note(len(marked))}"))

    def _row(self, key: str) -> Content:
        return Content.assemble("[×] " if key in self._marked else "[ ] ", self._rows[key])


class SeveralAccountsDialog(MarkingDialog):
    """Returns the names of two or more accounts from which a list is read at once.

    Args:
        tool: the tool to run.
        accounts: the accounts for its toolkit.
        marked: the names of those that are marked at first.
    """

    def __init__(self, tool: Tool, accounts: Sequence[Connection], marked: Iterable[str]) -> None:
        rows = dict[str, Content]()
        for one in accounts:
            mode = one.endpoints[tool.toolkit].mode
            about = Content.styled("made-up data", "$foreground-muted") if mode == "sandbox" else mode_word(mode)
            rows[one.name] = Content.assemble(f"{shortened(visible_line(one.name), _ACCOUNT):<{_ACCOUNT}}  ", about)
        title = titled("Run on several accounts", f" {visible_line(tool.name)}")
        super().__init__(title, rows, marked, "Run", _several, least=2)


def _several(count: int) -> str:
    return f"{count} marked. Their items come into one table, the account in front." if count > 1 else "Mark at least two."
