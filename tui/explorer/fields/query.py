"""A field for a search query: it completes fields, operators and values, and shows what a query means before it is sent.

The typed text → completions (a list below the line) · meanings of times, and mistakes → a count
"""

import asyncio
import re
from collections.abc import Sequence

from rich.cells import cell_len
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input

from registry.calling.search_queries import Mark, QueryFields, SentQuery, completion_at, id_at, sent_query
from registry.catalog.model import Parameter
from registry.text.filter_line import Word, words_of
from registry.text.shown import is_amount, moment, money, shortened, visible_line
from tui.explorer.fields.field import Aids, Problem
from tui.explorer.fields.text import Offers, TextField
from tui.explorer.found import counted, may_count
from tui.keyboard.key_order import LOOKUP

_PAUSE = 0.4
"""Seconds without a key, after which matches are counted."""

_ROWS, _ROWS_BESIDE = 5, 3
_KEYS = "↑↓ choose  Tab take  Esc close"
_MOST_MISTAKES = 2
_NAMED = 8


_SAYS = {":": "is", "=": "is", "!=": "is", "~": "holds", ">": "more than", ">=": "at least", "<": "less than", "<=": "at most"}
_SAYS_OF_TIME = {">": "after", ">=": "since", "<": "before", "<=": "until"}
_LONGEST, _TITLE = 50, "Filters"


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

    @property
    def words(self) -> list[Word]:
        found = words_of(self.line, any_case=True)
        return [] if any(word.joint == "OR" for word in found) else [word for word in found if word.name and word.value]

    def watch_line(self) -> None:
        """Show the row only for conditions that it can show."""
        self.set_class(bool(self.words), "-there")
        self.can_focus = bool(self.words)
        self.at = min(self.at, max(len(self.words) - 1, 0))

    def render(self) -> Content:
        return self._drawn(self.content_size.width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._drawn(width).plain.splitlines())

    def _drawn(self, width: int) -> Content:
        room = max(width, 20)
        currency = next((word.value.strip('"').lower() for word in self.words if word.name == "currency"), "")
        longest = min(_LONGEST, room - len(_TITLE) - 4)
        texts = [f"{shortened(said(word, currency), longest)} ×" for word in self.words]
        parts, used = [Content(_TITLE)], len(_TITLE)
        for place, text in enumerate([*texts, "+ add"]):
            here = self.has_focus and place == self.at
            if wraps := used + cell_len(text) + 2 > room:
                used = len(_TITLE)
            parts.append(Content("\n" + " " * used if wraps else ""))
            parts.append(Content.styled(f" {'›' if here else ' '}{text}", "bold $text-accent" if here else "$text"))
            used += cell_len(text) + 2
        return Content.assemble(*parts)

    def action_go(self, step: int) -> None:
        self.at = min(max(self.at + step, 0), len(self.words))

    def action_edit(self) -> None:
        words = self.words
        self.query_ancestor(QueryEntry).edit(words[self.at].end if self.at < len(words) else None)

    def action_take_away(self) -> None:
        if self.at < len(self.words):
            self.query_ancestor(QueryEntry).keep(without(self.line, self.at))

    def on_click(self, event: events.Click) -> None:
        self.focus()


def said(word: Word, currency: str = "") -> str:
    """A condition in words; an amount with its currency, or without one with a note on its unit."""
    key = f" {word.key}" if word.key is not None else ""
    at = moment(f'"{word.name}"', word.value)
    value = f"{at.day} {at:%b %Y}" if at is not None else word.value
    number = value.removeprefix("-").replace(".", "", 1).isdecimal()
    sign = (_SAYS if number else _SAYS | _SAYS_OF_TIME).get(word.sign, word.sign)
    if is_amount(f'"{word.name}"', value):
        value = money(int(value), currency) if re.fullmatch("[a-z]{3}", currency) else f"{value} (smallest unit)"
    return visible_line(f"{word.name}{key} {'not ' if word.negated else ''}{sign} {value}")


def without(line: str, place: int) -> str:
    """A line without one of its conditions, and without the AND that joined it."""
    found = words_of(line, any_case=True)
    at = [at for at, word in enumerate(found) if word.name and word.value][place]
    if at:
        return (line[: found[at - 1].end] + line[found[at].end :]).strip()
    return line[found[1].start :].strip() if len(found) > 1 else ""


class QueryEntry(TextField):
    """A field for a search query. A mistake in the word being typed is not shown while the list offers completions."""

    DEFAULT_CSS = """
    QueryEntry {
        &> Offers { height: auto; display: none; border: round $border; border-subtitle-color: $foreground-muted; }
        &> Offers { border-subtitle-background: $background; }
        &.-offers.-focused > Offers { display: block; }
        &.-offers.-focused > .help { display: none; }
        &> ConditionRow.-there { display: block; }
        &.-offers > ConditionRow.-there, &.-marked > ConditionRow.-there { display: none; }
        &.-marked.-focused > .help { display: none; }
        &> .error { max-height: 4; }
    }
    """

    BINDINGS = [
        Binding("tab", "complete", show=False),
        Binding("down", "choose(1)", show=False),
        Binding("up", "choose(-1)", show=False),
        Binding("escape", "close_list", show=False),
    ]

    def __init__(self, parameter: Parameter, aids: Aids, known: QueryFields) -> None:
        super().__init__(parameter, aids)
        self._known = known
        self._offers = Offers()
        self._offers.whole_values = True
        self._offers.border_subtitle = _KEYS
        self._row = ConditionRow()
        self._found: list[tuple[str, str]] = []
        self._place = (0, 0)
        self._at: int | None = None
        self._problems: tuple[Sequence[Problem], bool] = ((), False)
        self._shown: tuple[Mark, ...] = ()
        self._readings: list[str] = []
        self._counted = ""
        self._taken: str | None = None

    def editor(self) -> ComposeResult:
        yield self.line
        yield self._offers
        yield self._row

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The list's keys work on the line, while there is a list: Tab for a marked entry or a begun word."""
        if action not in ("complete", "choose", "close_list"):
            return True
        begun = self._at is not None or self._place[0] < self.line.cursor_position
        return self.line.has_focus and (parameters == (1,) or (bool(self._found) and (action != "complete" or begun)))

    def action_complete(self) -> None:
        """Take the marked entry, or the first; after a field or an operator, what may follow is offered."""
        text = self._found[self._at or 0][0]
        start, end = self._place
        whole = text not in self._known.fields
        if not whole and len(signs := self._known.fields[text].signs) == 1:
            text += signs[0]
        value = self.line.value[:start] + text + self.line.value[end:]
        ends = whole and text[-1:] not in ":~<>=["
        self._taken = value if ends else None
        self.line.value = value
        self.line.cursor_position = start + len(text)
        if value == self.line.value and not ends:
            self._look()

    def action_choose(self, step: int) -> None:
        """Mark another entry; open the list if it is closed."""
        if not self._found:
            self._look(asked=True)
            return
        last = len(self._found) - 1
        at = (0 if step > 0 else last) if self._at is None else self._at + step
        self._at = None if at < 0 else min(at, last)
        self._draw()

    def action_close_list(self) -> None:
        self._offer([])

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        """Take the marked entry, or replace a mistake by its suggestion; otherwise the form is run."""
        wrong = next((mark for mark in self._shown if mark.instead), None)
        if self._at is not None:
            event.stop()
            self.action_complete()
        elif wrong is not None:
            event.stop()
            value = self.line.value
            self._taken = value[: wrong.start] + wrong.instead + value[wrong.end :]
            self.line.value = self._taken
            self.line.cursor_position = wrong.start + len(wrong.instead)

    @on(Offers.Taken)
    def _clicked(self, event: Offers.Taken) -> None:
        self._at = next((at for at, (text, _) in enumerate(self._found) if text == event.value), None)
        self.action_complete()
        self.line.focus()

    def edit(self, place: int | None) -> None:
        """Edit the condition that ends at `place`, or add one."""
        self.line.focus()
        if place is not None:
            self.line.cursor_position = place
            self._look(asked=True)
            return
        self.line.value = f"{self.line.value.rstrip()} "
        self.line.action_end()
        self.call_after_refresh(self._look, asked=True)

    def keep(self, line: str) -> None:
        """Keep what is left without a condition."""
        self.line.value = line
        if not line:
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
        self._count(event.value)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """The focus left: the last word counts as complete."""
        self._offer([])

    def show_problems(self, problems: Sequence[Problem], *, tried: bool) -> None:
        """Show what is wrong; of mistakes in the query, the first ones."""
        self._problems = problems, tried
        self.read_again()

    def read_again(self) -> None:
        """Show what the query means and what is wrong with it."""
        problems, tried = self._problems
        line, place = self.line.value, self.line.cursor_position
        sent = sent_query(line, self._known, self.aids.session.clock()) if line else SentQuery("", (), ())
        waits = [one for one in sent.mistakes if self._found and one.start <= place <= one.end]
        self._shown = tuple(one for one in sent.mistakes if one not in waits)
        self.set_class(bool(self._shown), "-marked")
        self._draw()
        self._readings = [f"{line[mark.start : mark.end]}  {mark.text}" for mark in sent.readings]
        self._tell_count(self._counted)
        if sent.mistakes:
            self.show_errors([_mistake_in_words(one) for one in self._shown[:_MOST_MISTAKES]])
        else:
            super().show_problems(problems, tried=tried)

    def _look(self, *, asked: bool = False) -> None:
        """Offer completions at the cursor; with `asked`, also for an empty line."""
        line, place = self.line.value, self.line.cursor_position
        start, end, found = completion_at(line, place, self._known)
        self._place = start, end
        typed = line[start:place].strip('"')
        if not asked and not line.strip():
            found = []
        self._offer([one for one in found if one[0].strip('"') != typed or len(found) > 1])
        if (wanted := id_at(line, place, self._known)) is not None:
            self._look_up(line, *wanted)

    @work(group=LOOKUP, exclusive=True)
    async def _look_up(self, line: str, kind: str, typed: str) -> None:
        found = await asyncio.to_thread(self.aids.session.seen_ids, self.aids.tool.toolkit, [kind], typed)
        if self.is_in_form and self.line.has_focus and self.line.value == line:
            self._offer([(f'"{id_}"', label) for id_, label in found if id_ != typed])

    def _offer(self, found: list[tuple[str, str]]) -> None:
        if found == self._found:
            return
        self._found, self._at = found, None
        self.set_class(bool(found), "-offers")
        self.read_again()

    def _draw(self) -> None:
        rows = _ROWS_BESIDE if self._shown else _ROWS
        first = min(max((self._at or 0) - rows + 1, 0), max(len(self._found) - rows, 0))
        self._offers.values = self._found[first : first + rows]
        self._offers.marked = self._at - first if self._at is not None else None
        self._offers.border_title = f"{(self._at or 0) + 1} of {len(self._found)}" if len(self._found) > rows else ""

    @work(group="count", exclusive=True)
    async def _count(self, query: str) -> None:
        """Count the matches once typing pauses; another key cancels this."""
        self._tell_count("")
        session, tool = self.aids.session, self.aids.tool
        if not query.strip() or not self.has_focus_within or not may_count(session, tool.toolkit):
            return
        await asyncio.sleep(_PAUSE)
        if sent_query(query, self._known, self.aids.session.clock()).mistakes:
            return
        self._tell_count("counting …")
        words = await counted(session, tool, {self.parameter.name: query})
        if self.is_in_form and self.line.value == query:
            self._tell_count(words)

    def _tell_count(self, words: str) -> None:
        self._counted = words
        self.set_class(words == "none" or any("⚠" in one for one in self._readings), "-advised")
        self.show_reading("\n".join([*self._readings, *filter(None, [words])]))


def _mistake_in_words(mark: Mark) -> str:
    """A mistake, then its fix, then the names of the first fields, and how many more there are."""
    words, fields, listed = mark.text.partition(" Fields: ")
    names = listed.split(", ") if listed else []
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return words + (" Enter changes it." if mark.instead else "") + fields + ", ".join(names[:_NAMED]) + more
