"""A field for a search query: it completes fields, operators and values, and shows what a query means before it is sent.

The typed text → completions (a list below the line) · meanings of times, and mistakes, under the words → a count

It knows the query's fields, and nothing about services: the form passes functions that look up values and count matches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from rich.cells import cell_len
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import Worker

from registry.calling.search_queries import Mark, QueryFields, SentQuery, completion_at, id_at, sent_query
from registry.catalog.model import Parameter
from registry.text.safe_text import visible_line
from tui.explorer.fields.conditions import ConditionRow
from tui.explorer.fields.field import Problem
from tui.explorer.fields.offers import Offers
from tui.explorer.fields.text import Editor, TextField
from tui.keyboard.key_order import LOOKUP
from tui.widgets.words import Words

_PAUSE = 0.4
"""Seconds without a key, after which matches are counted."""

_ROWS, _ROWS_BESIDE = 5, 3
_KEYS = "↑↓ choose  Tab take  Esc close"
_MOST_MISTAKES = 2
_LINES, _LINES_BESIDE, _NARROW, _FEWEST, _MORE = 4, 3, 20, 2, 24
"""For a mistake: lines; lines beside the list; the fewest cells of a line; the fewest fields named; cells for "and n more"."""


class QueryAid(Protocol):
    """Helpers for writing the query of one tool."""

    @property
    def known(self) -> QueryFields:
        """The fields that there are."""

    @property
    def counts(self) -> bool:
        """Whether matches may be counted now, in the present account."""

    def now(self) -> float:
        """The present, in Unix seconds."""

    def ids(self, kind: str, typed: str) -> list[tuple[str, str]]:
        """Ids of a type of object from earlier results, with labels. May block."""

    async def count(self, query: str) -> str:
        """How many objects a query finds, in a few words. Makes a call."""


class QueryEditor(Editor):
    """The line of the query; the keys of the list work while there is one."""

    BINDINGS = [
        Binding("tab", "complete", show=False),
        Binding("down", "choose(1)", show=False),
        Binding("up", "choose(-1)", show=False),
        Binding("escape", "close_list", show=False),
    ]

    most = 10_000

    @property
    def _field(self) -> QueryEntry:
        assert isinstance(self.parent, QueryEntry)
        return self.parent

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the list's keys while there is no list."""
        if action == "complete":
            return self._field.can_complete
        if action == "close_list" or (action == "choose" and parameters == (-1,)):
            return self._field.is_open
        return True

    def action_complete(self) -> None:
        """Take the marked entry, or the first."""
        self._field.complete()

    def action_choose(self, step: int) -> None:
        """Go to another entry of the list; open it if it is closed."""
        self._field.choose(step)

    def action_close_list(self) -> None:
        """Close the list until the next key."""
        self._field.close_list()

    async def action_submit(self) -> None:
        """Take the marked entry, or correct a mistake; otherwise submit."""
        if not self._field.take_or_correct():
            await super().action_submit()


class _UnderWords(Widget):
    """Notes under the words of a line, aligned with them, also while the line is scrolled."""

    DEFAULT_CSS = "_UnderWords { height: auto; color: $foreground-muted; }"

    ALLOW_SELECT = False

    def __init__(self, line: Editor) -> None:
        super().__init__()
        self._line = line
        self._sent = SentQuery("", (), ())

    def on_mount(self) -> None:
        """Follow the line when it is scrolled."""
        self.watch(self._line, "scroll_x", self._moved, init=False)

    def say(self, sent: SentQuery) -> None:
        """Show the notes of another query."""
        if sent != self._sent:
            self._sent = sent
            self.display = bool(sent.mistakes or sent.readings)
            self.refresh(layout=True)

    def render(self) -> Content:
        """Marks under mistakes, and what times mean."""
        room, lines = max(self.size.width, 10), list[Content]()
        if self._sent.mistakes:
            signs = [" "] * room
            columns = self._columns({place for mark in self._sent.mistakes for place in (mark.start, mark.end)})
            for mark in self._sent.mistakes:
                start, end = columns[mark.start], max(columns[mark.end], columns[mark.start] + 1)
                if start < room and end > 0:
                    signs[max(start, 0) : min(end, room)] = "^" * (min(end, room) - max(start, 0))
            lines.append(Content.styled("".join(signs).rstrip(), "bold $text-error"))
        for mark in self._sent.readings:
            start, text = max(self._columns({mark.start})[mark.start], 0), f"└─ {mark.text}"
            if start + len(text) > room:
                typed = visible_line(self._line.value[mark.start : mark.end])
                start, text = 0, f"{typed}  {mark.text}"
            lines.append(Content(" " * start + text))
        return Content("\n").join(lines)

    def _columns(self, places: set[int]) -> dict[int, int]:
        """The columns of positions in the line, inside this widget, in one pass: a pasted text can have very many mistakes."""
        value, before, column = self._line.value, 0, -round(self._line.scroll_x)
        columns = dict[int, int]()
        for place in sorted(places):
            column += cell_len(value[before:place])
            columns[place], before = column, place
        return columns

    def _moved(self) -> None:
        self.refresh(layout=True)


class QueryEntry(TextField):
    """A field for a search query. A mistake in the word being typed is not shown while the list offers completions."""

    DEFAULT_CSS = """
    QueryEntry {
        &> Offers { height: auto; display: none; border: round $border; border-subtitle-color: $foreground-muted; }
        &> Offers { border-subtitle-background: $background; }
        &> _UnderWords { display: none; }
        &.-offers:focus-within > Offers { display: block; }
        &.-offers:focus-within > .help { display: none; }
        &:focus-within > ConditionRow.-there { display: block; }
        &.-offers > ConditionRow.-there, &.-marked > ConditionRow.-there { display: none; }
        &.-marked:focus-within > .help { display: none; }
        &> .error { max-height: 4; }
    }
    """

    def __init__(self, parameter: Parameter, aid: QueryAid) -> None:
        super().__init__(parameter, lambda _, __: "")
        self._aid = aid
        self._offers = Offers()
        self._offers.whole_values = True
        self._offers.border_subtitle = _KEYS
        self._under = _UnderWords(self.line)
        self._row = ConditionRow()
        self._found: list[tuple[str, str]] = []
        self._place = (0, 0)
        self._at: int | None = None
        self._problems: tuple[Sequence[Problem], bool] = ((), False)
        self._shown: tuple[Mark, ...] = ()
        self._taken: str | None = None
        self._pause: Timer | None = None
        self._counting: Worker[None] | None = None
        self._count = ""

    def make_line(self) -> Editor:
        """The line, with the keys of the list."""
        return QueryEditor(self.parameter)

    def editor(self) -> ComposeResult:
        """The line, the notes under its words, the list of completions, and its conditions as a row."""
        yield self.line
        yield self._under
        yield self._offers
        yield self._row

    @property
    def is_open(self) -> bool:
        """Whether the list is open."""
        return bool(self._found)

    @property
    def can_complete(self) -> bool:
        """Whether there is an entry to take: a marked one, or a completion of a begun word."""
        return self.is_open and (self._at is not None or self._place[0] < self.line.cursor_position)

    def complete(self) -> None:
        """Take the marked entry, or the first; after a field or an operator, what may follow is offered."""
        text = self._found[self._at or 0][0]
        start, end = self._place
        whole = text not in self._aid.known.fields
        if not whole and len(signs := self._aid.known.fields[text].signs) == 1:
            text += signs[0]
        value = self.line.value[:start] + text + self.line.value[end:]
        ends = whole and text[-1:] not in ":~<>=["
        self._taken = value if ends else None
        self.line.value = value
        self.line.cursor_position = start + len(text)
        if value == self.line.value and not ends:
            self._look()

    def choose(self, step: int) -> None:
        """Mark another entry; open the list if it is closed."""
        if not self.is_open:
            self._look(asked=True)
            return
        last = len(self._found) - 1
        at = (0 if step > 0 else last) if self._at is None else self._at + step
        self._at = None if at < 0 else min(at, last)
        self._draw()

    def close_list(self) -> None:
        """Close the list."""
        self._offer([])

    def take_or_correct(self) -> bool:
        """Take the marked entry, or replace a mistake by its suggestion; returns whether it did either."""
        if self.is_open and self._at is not None:
            self.complete()
            return True
        wrong = next((mark for mark in self._shown if mark.instead), None)
        if wrong is None:
            return False
        value = self.line.value
        self._taken = value[: wrong.start] + wrong.instead + value[wrong.end :]
        self.line.value = self._taken
        self.line.cursor_position = wrong.start + len(wrong.instead)
        return True

    @on(Offers.Taken)
    def _clicked(self, event: Offers.Taken) -> None:
        event.stop()
        self._at = next((at for at, (text, _) in enumerate(self._found) if text == event.value), None)
        self.complete()
        self.line.focus()

    def on_condition_row_edit(self, event: ConditionRow.Edit) -> None:
        """Edit a condition in the line."""
        event.stop()
        self.line.focus()
        self.line.cursor_position = event.place
        self._look(asked=True)

    def on_condition_row_add(self, event: ConditionRow.Add) -> None:
        """Offer what may follow the present conditions."""
        event.stop()
        self.line.focus()
        self.line.value = f"{self.line.value.rstrip()} "
        self.line.action_end()
        self.call_after_refresh(self._look, asked=True)

    def on_condition_row_remove(self, event: ConditionRow.Remove) -> None:
        """Remove a condition from the line."""
        event.stop()
        self.line.value = event.line
        if not event.line:
            self.line.focus()

    @on(Input.Changed)
    def _edited(self, event: Input.Changed) -> None:
        """Offer completions, and count once typing pauses."""
        if event.value == self._taken or not self.line.has_focus:
            self._offer([])
        else:
            self._look()
        self._taken = None
        self._row.line = event.value
        self._stop_counting()
        self._tell_count("")
        if self.has_focus_within and event.value.strip() and self._aid.counts:
            self._pause = self.set_timer(_PAUSE, self._count_soon)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """The focus left: the last word counts as complete."""
        self._offer([])

    def on_unmount(self) -> None:
        """Cancel the count."""
        self._stop_counting()

    def read_again(self) -> None:
        """Update the meaning of the query, because relative times change."""
        self._judge()

    def show_problems(self, problems: Sequence[Problem], *, tried: bool) -> None:
        """Show what is wrong, with marks under the words."""
        self._problems = problems, tried
        self._judge()

    def _judge(self) -> None:
        problems, tried = self._problems
        sent = sent_query(self.line.value, self._aid.known, self._aid.now()) if self.line.value else SentQuery("", (), ())
        place = self.line.cursor_position
        waits = [one for one in sent.mistakes if self.is_open and one.start <= place <= one.end]
        self._shown = tuple(one for one in sent.mistakes if one not in waits)
        self.set_class(bool(self._shown), "-marked")
        self._draw()
        self._under.say(SentQuery(sent.text, self._shown, sent.readings))
        if not sent.mistakes:
            super().show_problems(problems, tried=tried)
            return
        lines = _LINES_BESIDE if self._found else _LINES
        room = lines * max(self.content_size.width - 2, _NARROW)
        self.show_errors([_mistake_in_words(one, room) for one in self._shown[:_MOST_MISTAKES]])

    def _look(self, *, asked: bool = False) -> None:
        """Offer completions at the cursor; with `asked`, also for an empty line."""
        line, place = self.line.value, self.line.cursor_position
        start, end, found = completion_at(line, place, self._aid.known)
        self._place = start, end
        typed = line[start:place].strip('"')
        if not asked and not line.strip():
            found = []
        self._offer([one for one in found if one[0].strip('"') != typed or len(found) > 1])
        if (wanted := id_at(line, place, self._aid.known)) is not None:
            self._look_up(line, *wanted)

    @work(group=LOOKUP, exclusive=True, exit_on_error=False)
    async def _look_up(self, line: str, kind: str, typed: str) -> None:
        found = await asyncio.to_thread(self._aid.ids, kind, typed)
        if self.is_in_form and self.line.has_focus and self.line.value == line:
            self._offer([(f'"{id_}"', label) for id_, label in found if id_ != typed])

    def _offer(self, found: list[tuple[str, str]]) -> None:
        if found == self._found:
            return
        self._found, self._at = found, None
        self.set_class(bool(found), "-offers")
        self._judge()

    def _draw(self) -> None:
        rows = _ROWS_BESIDE if self._shown else _ROWS
        first = min(max((self._at or 0) - rows + 1, 0), max(len(self._found) - rows, 0))
        self._offers.values = self._found[first : first + rows]
        self._offers.marked = self._at - first if self._at is not None else None
        self._offers.border_title = f"{(self._at or 0) + 1} of {len(self._found)}" if len(self._found) > rows else ""

    def _stop_counting(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        if self._counting is not None:
            self._counting.cancel()
            self._counting = None

    def _count_soon(self) -> None:
        if sent_query(self.line.value, self._aid.known, self._aid.now()).mistakes:
            return
        self._tell_count("counting …")
        self._counting = self._ask(self.line.value)

    @work(group="count", exclusive=True, exit_on_error=False)
    async def _ask(self, query: str) -> None:
        words = await self._aid.count(query)
        if self.is_in_form and self.line.value == query:
            self._tell_count(words)

    def _tell_count(self, words: str) -> None:
        if words == self._count:
            return
        self._count = words
        self._show_label()

    def on_resize(self) -> None:
        """Keep the count at the right."""
        if self._count:
            self._show_label()

    def _show_label(self) -> None:
        label, words = self._label(), self._count
        if words:
            style = {"none": "$text-warning", "counting …": "$foreground-muted"}.get(words, "bold $text")
            gap = max(self.content_size.width - label.cell_length - len(words), 2)
            label = Content.assemble(label, " " * gap, Content.styled(words, style))
        self.query_one(".label", Words).update(label)


def _mistake_in_words(mark: Mark, room: int) -> str:
    """A mistake, then its fix, then as many whole names of fields as fit into `room` cells, and how many more there are."""
    words, fields, listed = mark.text.partition(" Fields: ")
    words += (" Enter changes it." if mark.instead else "") + fields
    names = listed.split(", ") if listed else []
    shown = len(names)
    # Wrapping leaves some cells empty at the end of a line, where the next word does not fit.
    while shown > _FEWEST and cell_len(words) + sum(cell_len(name) + 2 for name in names[:shown]) + _MORE > room:
        shown -= 1
    more = f" and {len(names) - shown} more" if shown < len(names) else ""
    return words + ", ".join(names[:shown]) + more
