"""Finding text in the document on screen, folded or not, and the line to type it into.

A row is found when something matches in its key or in its value, without the quotes; ``^`` and ``$`` are their beginning and
end. A text is searched as a person reads it: letters that the service wrote as escapes are found too. The work is done in a
thread, piece by piece, and can be cancelled. A regular expression that would take hours is stopped: the library `regex` works
without holding other threads up, and has a time limit.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import regex
from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from registry.text.filter_line import Word, words_of
from tui.json_view.rows import JsonRows
from tui.widgets.texts import Line, Words

LONGEST = 5.0
"""Seconds that a regular expression may take in one row."""

_PIECE = 1 << 20
# Letters that no service escapes; all others may be in the text as themselves or as an escape.
_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;@#$%()\[\]{}*!?|~^+-]*")
_ROW = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*+"): )?(.*?),?')


class SearchFailed(Exception):
    """A search that cannot be made or did not end; the message says why, and what to do."""


class TextSearch(Struct, frozen=True):
    """What to search for. It is case-sensitive only if the text has a capital letter.

    Attributes:
        text: a text, or a regular expression.
        is_regex: whether it is a regular expression.
        condition: patterns of a key and a value: a row that has both is found as well.
    """

    text: str
    is_regex: bool = False
    condition: tuple[str, str] | None = None

    @property
    def ignores_case(self) -> bool:
        """Whether case is ignored: no capital letters in the text, apart from a regular expression's escapes."""
        text = re.sub(r"\\.", "", self.text) if self.is_regex else self.text
        return text == text.lower()

    def pattern(self) -> regex.Pattern[str]:
        """The search as a pattern for a key or a value.

        Raises:
            SearchFailed: it is not a valid regular expression.
        """
        text = self.text
        if not self.is_regex:  # a quote stands for itself, or is the one that the screen shows around a string
            opens, closes = len(text) > 1 and text[0] == '"', len(text) > 1 and text[-1] == '"'
            inner = regex.escape(text[opens : len(text) - closes])
            text = ('(?:^|")' if opens else "") + inner + ('(?:$|")' if closes else "")
        try:
            return regex.compile(text, regex.IGNORECASE if self.ignores_case else 0)
        except regex.error as error:
            raise SearchFailed(f"invalid regular expression: {error}") from None


def hits(rows: JsonRows, query: TextSearch, given_up: Callable[[], bool] = lambda: False) -> list[int]:
    """The rows in which something matches, in order.

    Args:
        rows: where to look.
        query: what to look for.
        given_up: called now and then; once it returns true, the search ends with the rows found so far.

    Raises:
        SearchFailed: the query is not a valid regular expression, or one row takes too long.
    """
    pattern = query.pattern()
    condition = [regex.compile(one, regex.IGNORECASE) for one in query.condition or ()]
    found: list[int] = []
    try:
        for row, line in _candidates(rows, query, given_up):
            parts = _ROW.fullmatch(line)
            name, value = (parts[1], parts[2]) if parts is not None else (None, line)
            texts = [_read(name), _read(value)] if name is not None else [_read(value)]
            held = any(pattern.search(text, timeout=LONGEST) for text in texts)
            if held or (
                condition and name is not None and condition[0].fullmatch(_read(name)) and condition[1].search(_read(value))
            ):
                found.append(row)
    except TimeoutError:
        raise SearchFailed(f"stopped after {LONGEST:g} s: use a simpler expression, or plain text") from None
    return found


def _candidates(rows: JsonRows, query: TextSearch, given_up: Callable[[], bool]) -> Iterator[tuple[int, str]]:
    """The rows that may match, with their lines: for plain text only those whose line contains it, which is fast to tell."""
    is_plain = not query.is_regex and query.condition is None and _PLAIN.fullmatch(query.text) is not None
    plain = query.text.encode() if is_plain else b""
    text, start = rows.text, 0
    while start < len(text) and not given_up():
        stop = text.find(b"\n", start + _PIECE) + 1 or len(text)
        held = text[start:stop].lower().find(plain) if query.ignores_case else text.find(plain, start, stop)
        if held >= 0:
            for row, line in enumerate(text[start:stop].split(b"\n"), rows.row_at(start)):
                if line and plain in (line.lower() if query.ignores_case else line):
                    yield row, line.decode("utf-8", "surrogateescape")
        start = stop


def _read(token: str) -> str:
    """A token as a person reads it: a string without quotes and escapes."""
    if not token.startswith('"'):
        return token
    if "\\" in token:
        with suppress(ValueError):
            return str(json.loads(token))
    return token[1:-1]


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
