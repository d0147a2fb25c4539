"""The conditions of a query as a row: what each says in words, to be edited or removed without typing."""

from __future__ import annotations

import re

from rich.cells import cell_len
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from registry.text.filter_line import Word, words_of
from registry.text.readings import is_amount, money
from registry.text.safe_text import shortened, visible_line

_SAYS = {":": "is", "=": "is", "!=": "is", "~": "holds", ">": "more than", ">=": "at least", "<": "less than", "<=": "at most"}
_SAYS_OF_TIME = {">": "after", ">=": "since", "<": "before", "<=": "until"}
_LONGEST, _GAP, _TITLE = 50, 2, "Filters"
_SMALLEST = "smallest unit, e.g. cents"


class ConditionRow(Widget, can_focus=True):
    """A row of conditions; while it has the focus, one is marked. Conditions joined by OR stay text, with a note."""

    DEFAULT_CSS = """
    ConditionRow { height: auto; color: $foreground-muted; display: none; }
    """

    ALLOW_SELECT = False

    BINDINGS = [
        Binding("right,down", "go(1)", show=False),
        Binding("left,up", "go(-1)", show=False),
        Binding("enter", "edit", show=False),
        Binding("delete,backspace", "take_away", show=False),
    ]

    line: reactive[str] = reactive("", layout=True)
    at: reactive[int] = reactive(0)

    class Edit(Message):
        """The user edits a condition; `place` is where it ends."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    class Add(Message):
        """The user adds a condition."""

    class Remove(Message):
        """A condition was removed; `line` is what is left."""

        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    @property
    def words(self) -> list[Word]:
        """The conditions; empty if they are joined by OR."""
        found = words_of(self.line, any_case=True)
        return [] if any(word.joint == "OR" for word in found) else [word for word in found if word.name and word.value]

    @property
    def stays_text(self) -> bool:
        """Whether the line cannot be shown as a row."""
        return bool(self.line.strip()) and not self.words and " or " in self.line.lower()

    def watch_line(self) -> None:
        """Show the row only for conditions that it can show, and while the field has the focus."""
        self.set_class(bool(self.words) or self.stays_text, "-there")
        self.can_focus = bool(self.words)
        self.at = min(self.at, max(len(self.words) - 1, 0))

    def render(self) -> Content:
        """Each condition in words."""
        if self.stays_text:
            return Content(f"{_TITLE}  a query with OR stays text")
        parts, width, room = [Content(_TITLE)], len(_TITLE), max(self.size.width, 20)
        currency = next((word.value.strip('"').lower() for word in self.words if word.name == "currency"), "")
        for place, word in enumerate(self.words):
            here = self.has_focus and place == self.at
            text = f"{'›' if here else ' '}{shortened(said(word, currency), min(_LONGEST, room - len(_TITLE) - 4))} ×"
            wraps = width + _GAP + cell_len(text) > room
            parts.append(Content("\n" + " " * len(_TITLE) if wraps else ""))
            parts.append(Content.assemble(" " * (_GAP - 1), Content.styled(text, "bold $text-accent" if here else "$text")))
            width = (len(_TITLE) if wraps else width) + _GAP - 1 + cell_len(text)
        if self.words:
            here = self.has_focus and self.at == len(self.words)
            text = f"{'›' if here else ' '}+ add"
            wraps = width + _GAP + cell_len(text) > room
            parts.append(Content("\n" + " " * len(_TITLE) if wraps else ""))
            parts.append(Content.assemble(" " * (_GAP - 1), Content.styled(text, "bold $text-accent" if here else "")))
        if self.has_focus:
            parts.append(Content("\n← → choose   Enter edit or add   Delete remove"))
        return Content.assemble(*parts)

    def on_focus(self) -> None:
        """Show the keys while they work."""
        self.refresh(layout=True)

    def on_blur(self) -> None:
        """The focus has moved away."""
        self.refresh(layout=True)

    def action_go(self, step: int) -> None:
        """Go to another condition, or after the last to *add*."""
        self.at = min(max(self.at + step, 0), len(self.words))

    def action_edit(self) -> None:
        """Edit the marked condition, or add another."""
        words = self.words
        self.post_message(self.Edit(words[self.at].end) if self.at < len(words) else self.Add())

    def action_take_away(self) -> None:
        """Remove the marked condition."""
        if self.at < len(self.words):
            self.post_message(self.Remove(without(self.line, self.at)))

    def on_click(self, event: events.Click) -> None:
        """A click focuses the row."""
        self.focus()


def said(word: Word, currency: str = "") -> str:
    """A condition in words; an amount with its currency, or without one with a note on its unit."""
    key = f" {word.key}" if word.key is not None else ""
    number = word.value.removeprefix("-").replace(".", "", 1).isdecimal()
    sign = (_SAYS if number else _SAYS | _SAYS_OF_TIME).get(word.sign, word.sign)
    value = word.value
    if is_amount(f'"{word.name}"', value):
        value = money(int(value), currency) if re.fullmatch("[a-z]{3}", currency) else f"{value} ({_SMALLEST})"
    return visible_line(f"{word.name}{key} {'not ' if word.negated else ''}{sign} {value}")


def without(line: str, place: int) -> str:
    """A line without one of its conditions, and without the AND that joined it."""
    found = words_of(line, any_case=True)
    at = [at for at, word in enumerate(found) if word.name and word.value][place]
    if at:
        return (line[: found[at - 1].end] + line[found[at].end :]).strip()
    return line[found[1].start :].strip() if len(found) > 1 else ""
