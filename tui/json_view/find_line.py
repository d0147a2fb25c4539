"""The input line for finding text in the result on screen."""

import re
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from registry.text.filter_line import Word, words_of
from tui.json_view.search import TextSearch
from tui.widgets.text_line import Line
from tui.widgets.words import Words

_HELD = {":": "holds", "~": "holds", "=": "is"}


def condition_in(text: str) -> Word | None:
    """The condition in a line; None if it is not one, or not one that this search supports."""
    words = words_of(text)
    if len(words) != 1 or not text.isascii():
        return None
    (word,) = words
    whole = word.name and word.value and word.key is None and not word.fault
    plain = '"' not in word.value and "\\" not in word.value
    return word if whole and plain and not word.negated and word.sign in _HELD else None


def typed_search(text: str) -> TextSearch:
    """The search that a line means."""
    word = condition_in(text)
    if word is None:
        return TextSearch(text)
    key = f"{re.escape(word.name)}|{re.escape(word.name.rpartition('.')[2])}"
    value = re.escape(word.value)
    return TextSearch(text.strip(), condition=(key, rf"\A{value}\Z" if word.sign == "=" else value))


def meaning(text: str) -> str:
    """A condition in words; empty if the line is plain text."""
    word = condition_in(text)
    return f"{word.name} {_HELD[word.sign]} {word.value}" if word is not None else ""


class EntryLine(Horizontal):
    """A line to type in, and a message beside it. Hidden until it is opened."""

    DEFAULT_CSS = """
    EntryLine {
        height: 1;
        display: none;
        background: $surface;
        &.-open { display: block; }
        Line { width: 1fr; background: $surface; }
        Line.-textual-compact { padding: 0 1; }
        Line:focus { background: $panel; }
        Static { width: auto; padding: 0 1; color: $foreground-muted; }
        #message { max-width: 60%; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-wrong #message { color: $text-error; }
    }
    """

    placeholder = ""

    def compose(self) -> ComposeResult:
        yield Line(placeholder=self.placeholder, compact=True)
        yield Words(id="message")

    def open(self) -> None:
        self.add_class("-open")
        line = self.query_one(Line)
        line.focus()
        line.action_select_all()

    def close(self) -> None:
        self.remove_class("-open")
        self.tell("")

    def tell(self, words: str, *, wrong: bool = False) -> None:
        self.set_class(wrong and bool(words), "-wrong")
        self.query_one("#message", Words).update(Content(words))


class FindLine(EntryLine):
    """A search text, and how it is understood."""

    placeholder = "Find in result… (a capital letter makes it case-sensitive)"

    BINDINGS = [
        Binding("ctrl+t", "regex", "Regex", key_display="^T"),
        Binding("escape", "close", "Close", key_display="Esc"),
    ]

    @dataclass
    class SearchRequested(Message):
        """The user searches for something."""

        query: TextSearch

    class Closed(Message):
        """The search was ended."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._is_regex = False

    def compose(self) -> ComposeResult:
        line, message = super().compose()
        yield line
        yield Words(id="meant")
        yield message

    def open(self) -> None:
        super().open()
        self._show_meant()

    def action_regex(self) -> None:
        self._is_regex = not self._is_regex
        self._show_meant()

    def action_close(self) -> None:
        self.close()
        self.post_message(self.Closed())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value:
            wanted = TextSearch(event.value, True) if self._is_regex else typed_search(event.value)
            self.post_message(self.SearchRequested(wanted))
        else:
            self.action_close()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show again how the text is understood: a capital letter makes it case-sensitive."""
        event.stop()
        self._show_meant()

    def _show_meant(self) -> None:
        typed = self.query_one(Line).value
        words = "regex" if self._is_regex else meaning(typed) or "text"
        if typed:
            words += " · ignore case" if TextSearch(typed, self._is_regex).ignores_case else " · match case"
        self.query_one("#meant", Words).update(Content(words))
