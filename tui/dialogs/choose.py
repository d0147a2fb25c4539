"""Chooses one or several rows of a list. A long list of which one is chosen has a line that filters it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple

from rich.cells import cell_len, set_cell_size
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widgets.option_list import Option

from registry.accounts.connection import Connection
from registry.catalog.listing import EFFECT_SIGNS
from registry.catalog.model import Tool
from registry.references.targets import Target
from registry.text.shown import shortened, visible_line
from tui.dialogs.dialog import LineDialog, RowsDialog, titled
from tui.keyboard.commands import NAMED, Command, that_work, themes_of
from tui.keyboard.key_order import DialogResult
from tui.session import Session
from tui.state.settings import Settings
from tui.widgets.texts import Line, mode_word

_COLOURS = {"write": "$text-warning", "delete": "$text-error"}
_FEW, _NAME, _ACCOUNT, _SHOWN = 8, 38, 42, 4_000


class Choice(NamedTuple):
    """One row: a sign with its colour, a name, and a description. All may contain text from outside. `also` finds it, too."""

    name: str
    words: str = ""
    sign: str = ""
    colour: str = "$foreground-muted"
    also: str = ""


class ChooseDialog(LineDialog["DialogResult | None"], Generic[DialogResult]):
    """Returns one of the results, which belong to the choices. With many choices, typing filters them."""

    widest = 110

    def __init__(self, title: str, choices: Sequence[Choice], results: Sequence[DialogResult], does: str) -> None:
        super().__init__()
        self.heading = visible_line(title)
        self._choices, self._results, self._at = choices, results, 0
        self._name_width = min(max((cell_len(visible_line(one.name)) for one in choices), default=0), _NAME)
        self.hint = f"Filter {len(choices)} choices" if len(choices) > _FEW else ""
        self.keys = (("↑ ↓", "Move"), ("Enter", does), ("Esc", "Close"))

    def on_mount(self) -> None:
        self._show(self._at)
        self.rows.can_focus = not self.hint
        self.query("Line, Rows").first().focus()

    def _refill(self) -> None:
        self.query_one("#said").display = any(len(one.words) > self._words_room for one in self._choices)
        self._show(self.rows.highlighted or 0)

    def _typed(self, text: str) -> None:
        self._show(0)

    def _show(self, at: int) -> None:
        """Show the choices that contain every typed word, those with all in their names first."""
        wanted = [word for line in self.query(Line).results() for word in line.value.lower().split()]
        found = [place for place, one in enumerate(self._choices) if _holds(f"{one.name} {one.words} {one.also}", wanted)]
        found.sort(key=lambda place: not _holds(self._choices[place].name, wanted))
        options = [Option(self._row(self._choices[place]), id=str(place)) for place in found]
        self.fill(options or [Option(Content("No matches."), disabled=True)], at)
        self._tell()

    def _tell(self) -> None:
        place = self._here
        self.say(shortened(visible_line(self._choices[place].words), 2 * self.room) if place is not None else "")

    def _take(self) -> None:
        if (place := self._here) is not None:
            self.dismiss(self._results[place])

    @property
    def _here(self) -> int | None:
        option = self.rows.highlighted_option
        return int(option.id) if option is not None and option.id else None

    @property
    def _words_room(self) -> int:
        return max(self.room - self._name_width - 5, 10)

    def _row(self, choice: Choice) -> Content:
        has_words = any(one.words for one in self._choices)
        name = shortened(visible_line(choice.name), self._name_width if has_words else self.room - 1)
        return Content.assemble(
            Content.styled(f"{choice.sign} " if choice.sign else "", choice.colour),
            set_cell_size(name, self._name_width) if has_words else name,
            Content.styled(f"  {shortened(visible_line(choice.words), self._words_room)}", "$foreground-muted"),
        )


class ThemeDialog(ChooseDialog[str]):
    """Returns the name of a theme; the one at the cursor shows meanwhile."""

    def __init__(self, themes: Sequence[str], now: str) -> None:
        super().__init__("Theme", [Choice(one) for one in themes], themes, "Keep")
        self._at = themes.index(now)

    def _tell(self) -> None:
        if (place := self._here) is not None and self.is_mounted:
            self.app.theme = self._results[place]


class CopyDialog(ChooseDialog[str]):
    """Chooses what to copy; returns its name.

    Args:
        texts: by name, the title and the text itself, of which the beginning is shown.
    """

    def __init__(self, texts: Mapping[str, tuple[str, str]]) -> None:
        choices = [Choice(title, text[:_SHOWN]) for title, text in texts.values()]
        super().__init__("Copy", choices, list(texts), "Copy")


class TargetDialog(ChooseDialog[Target]):
    """Returns one of some related tools, each with its missing arguments, and with a sign if it changes something."""

    def __init__(self, title: str, found: Sequence[Target], session: Session) -> None:
        choices = []
        for one in found:
            words = f"needs {', '.join(one.missing)} · {one.words}" if one.missing else one.words
            effect = session.catalog.tools[one.tool].effect
            colour = _COLOURS.get(effect, "$foreground-muted")
            choices.append(Choice(session.title_of(one.tool), words, EFFECT_SIGNS[effect], colour, one.tool))
        super().__init__(title, choices, found, "Open")


class Palette(ChooseDialog[Command]):
    """The commands that work on a screen other than the explorer, whose ask line finds them; each theme is one, too."""

    def __init__(self, screen: Screen[Any], settings: Settings) -> None:
        found = [*that_work(NAMED, screen), *themes_of(screen.app)]
        choices = [Choice(one.title, f"{settings.shown(one):<8} {one.help}") for one in found]
        super().__init__("Commands", choices, found, "Run")


class MarkingDialog(RowsDialog[frozenset[str]]):
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

    widest = 84

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

    def _refill(self) -> None:
        self.fill(map(self._row, self._rows))
        self.say(self._note(len(self._marked)))

    def action_mark(self) -> None:
        if (key := self.at_cursor(list(self._rows))) is not None:
            self.mark(self._marked ^ {key})

    def action_all(self) -> None:
        self.mark(set() if len(self._marked) == len(self._rows) else set(self._rows))

    def action_take(self) -> None:
        if len(self._marked) >= self._least:
            self.dismiss(frozenset(self._marked))

    def mark(self, marked: set[str]) -> None:
        self._marked = marked
        self._refill()

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


def _holds(text: str, words: Sequence[str]) -> bool:
    return all(word in text.lower() for word in words)


def _several(count: int) -> str:
    return f"{count} marked. Their items come into one table, the account in front." if count > 1 else "Mark at least two."
