"""The conditions of a query as a row: what each says in words, to be edited or removed without typing."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
_LONGEST, _TITLE = 50, "Filters"
_SMALLEST = "smallest unit, e.g. cents"


class ConditionRow(Widget, can_focus=True):
    """A row of conditions, and *add*; while it has the focus, one is marked. Conditions joined by OR stay text."""

    DEFAULT_CSS = """
    ConditionRow { height: auto; color: $foreground-muted; display: none; }
    """

    ALLOW_SELECT = False

    BINDINGS = [
        Binding("right,down", "go(1)", "Choose", key_display="← →"),
        Binding("left,up", "go(-1)", show=False),
        Binding("enter", "edit", "Edit or add"),
        Binding("delete,backspace", "take_away", "Remove"),
    ]

    line: reactive[str] = reactive("", layout=True)
    at: reactive[int] = reactive(0)

    @dataclass
    class Edit(Message):
        """The user edits a condition; `place` is where it ends."""

        place: int

    class Add(Message):
        """The user adds a condition."""

    @dataclass
    class Remove(Message):
        """A condition was removed; `line` is what is left."""

        line: str

    @property
    def words(self) -> list[Word]:
        """The conditions; empty if they are joined by OR."""
        found = words_of(self.line, any_case=True)
        return [] if any(word.joint == "OR" for word in found) else [word for word in found if word.name and word.value]

    def watch_line(self) -> None:
        """Show the row only for conditions that it can show, and while the field has the focus."""
        self.set_class(bool(self.words), "-there")
        self.can_focus = bool(self.words)
        self.at = min(self.at, max(len(self.words) - 1, 0))

    def render(self) -> Content:
        room = max(self.size.width, 20)
        currency = next((word.value.strip('"').lower() for word in self.words if word.name == "currency"), "")
        longest = min(_LONGEST, room - len(_TITLE) - 4)
        texts = [f"{shortened(said(word, currency), longest)} ×" for word in self.words]
        parts, width = [Content(_TITLE)], len(_TITLE)
        for place, text in enumerate([*texts, "+ add"]):
            here = self.has_focus and place == self.at
            if wraps := width + cell_len(text) + 2 > room:
                width = len(_TITLE)
            parts.append(Content("\n" + " " * width if wraps else ""))
            parts.append(Content.styled(f" {'›' if here else ' '}{text}", "bold $text-accent" if here else "$text"))
            width += cell_len(text) + 2
        return Content.assemble(*parts)

    def on_focus(self) -> None:
        self.refresh(layout=True)

    on_blur = on_focus

    def action_go(self, step: int) -> None:
        self.at = min(max(self.at + step, 0), len(self.words))

    def action_edit(self) -> None:
        words = self.words
        self.post_message(self.Edit(words[self.at].end) if self.at < len(words) else self.Add())

    def action_take_away(self) -> None:
        if self.at < len(self.words):
            self.post_message(self.Remove(without(self.line, self.at)))

    def on_click(self, event: events.Click) -> None:
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
