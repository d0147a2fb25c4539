"""Text areas for JSON: in the colours of results, and with control characters escaped; and one for all arguments of a form.

The arguments are one JSON text, checked after every key; mistakes are shown with line and column. While the text is shown its
values are the form's; while it is not valid, the last valid ones, and the text stays as typed.
"""

import re
from collections.abc import Mapping, Sequence

from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widgets import TextArea

from registry.calling.arguments import FieldError
from registry.catalog.model import Tool
from registry.json_text import same
from registry.saved.form_values import TextError, mistakes_in, name_at, raw_in, reading, written
from registry.text.shown import exact_json, visible
from tui.widgets.texts import Words, types_joiner

_PARTS = re.compile(r'("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|(\w+)|([{}\[\],:])')
_MOST_SHOWN = 3


class JsonArea(TextArea):
    """An editor for JSON.

    Args:
        text: the text at first.
        numbered: whether to show line numbers.
    """

    COMPONENT_CLASSES = {"json--key", "json--string", "json--number", "json--word", "json--mark", "json--wrong"}

    DEFAULT_CSS = """
    JsonArea {
        &> .json--key { color: $text-primary; }
        &> .json--string { color: $text-success; }
        &> .json--number { color: $text-warning; }
        &> .json--word { color: $text-accent; }
        &> .json--mark { color: $foreground-muted; }
        &> .json--wrong { color: $text-error; text-style: bold underline; }
    }
    """

    cursor_blink = Reactive(False, init=False)

    def __init__(self, text: str, *, numbered: bool = True) -> None:
        super().__init__(text, compact=True, soft_wrap=True, show_line_numbers=numbered)
        self._wrong: TextError | None = None

    def mark(self, mistake: TextError | None) -> None:
        if mistake != self._wrong:
            self._wrong = mistake
            self.notify_style_update()  # drawn lines are cached until styles change
            self.refresh()

    def put(self, text: str) -> None:
        """Replace the text; undo brings the old one back, and the cursor stays about where it was."""
        row, column = self.cursor_location
        self.replace(exact_json(text), (0, 0), self.document.end)
        row = min(row, self.document.line_count - 1)
        self.move_cursor((row, min(column, len(self.document.get_line(row)))))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Render blank lines after removal: a frame before the next layout still asks for lines, without styles."""
        return super().render_lines(crop) if self.parent is not None else [Strip.blank(crop.width)] * crop.height

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        for found in _PARTS.finditer(line.plain):
            string, colon, number, word, _ = found.groups()
            if string:
                line.stylize(self._look("key" if colon else "string"), found.start(1), found.end(1))
            else:
                line.stylize(self._look("number" if number else "word" if word else "mark"), found.start(), found.end())
        wrong = self._wrong
        if wrong is not None and wrong.line == line_index + 1:
            start = wrong.column - 1
            token = _PARTS.match(line.plain, start)
            line.stylize(self._look("wrong"), start, max(token.end() if token else 0, start + 1))
        return line

    def _look(self, name: str) -> Style:
        whole = self.get_component_rich_style(f"json--{name}")
        return Style(color=whole.color, bold=whole.bold, underline=whole.underline)

    def on_key(self, event: events.Key) -> None:
        if types_joiner(event):
            self._put(event.character or "")

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._put(exact_json(event.text))

    def _put(self, text: str) -> None:
        """Replace the selection, as typing does."""
        if not self.read_only:
            self.move_cursor(self.replace(text, *self.selection, maintain_selection_offset=False).end_location)


class RawArguments(Vertical):
    """The text, and below it what is wrong with it and what could be added.

    Args:
        tool: the tool of the arguments.
        raw: the values of the fields.
        whole: a text that was left with mistakes in it; None writes the text from the values.
    """

    DEFAULT_CSS = """
    RawArguments {
        height: 1fr;
        JsonArea { height: 1fr; background: $background; padding: 0; }
        #mistakes { height: auto; max-height: 4; padding: 0 1; color: $text-error; display: none; }
        #mistakes.-some { display: block; }
        #unset { height: 1; padding: 0 1; color: $foreground-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    class Edited(Message):
        """The text has changed; `read` returns the new values."""

    def __init__(self, tool: Tool, raw: Mapping[str, object], whole: str | None = None) -> None:
        super().__init__()
        self._tool = tool
        self._said = dict(raw)
        self._held = dict(raw)
        self._whole = exact_json(whole) if whole is not None else written(tool, raw)
        self._reading = reading(tool, self._whole, raw)
        self.area = JsonArea(self._whole)
        """Where the text is edited."""

    def compose(self) -> ComposeResult:
        yield self.area
        yield Words(id="mistakes")
        yield Words(id="unset")

    @property
    def blocked(self) -> bool:
        """Whether the text has mistakes and gives no arguments."""
        return bool(self._reading.mistakes)

    @property
    def here(self) -> str:
        """The parameter at the cursor; empty if there is none."""
        return name_at(self._tool, self.area.text, *self.area.cursor_location)

    def read(self) -> Mapping[str, object]:
        """The values in the text; while it has mistakes, the last valid ones."""
        if self.area.text != self._whole:
            self._whole = self.area.text
            self._reading = reading(self._tool, self._whole, self._held)
            if not self.blocked:
                self._said = dict(self._reading.raw)
        return self._said

    def put(self, raw: Mapping[str, object], *, rewrite: bool = False) -> None:
        """Write the text again if it has other values, or with `rewrite`."""
        given = ((one.name, raw_in(one, raw)) for one in self._tool.parameters)
        values: dict[str, object] = {name: value for name, value in given if value is not None}
        if rewrite or not same(values, self.read()):
            self._said = values
            self._held |= values
            self._whole = written(self._tool, values)
            self._reading = reading(self._tool, self._whole, values)
            self.area.put(self._whole)

    def go_to(self, name: str) -> None:
        """Move the cursor to an argument, or after the last one if it is not set."""
        place = self._reading.places.get(name)
        if place is None:
            place = max(len(self._whole.rstrip().rstrip("}").rstrip("\n")), 0)
        self._move(place)

    def go_to_mistake(self) -> bool:
        """Move the cursor to the first mistake; returns whether there is one."""
        wrong = mistakes_in(self._tool, self.area.text, self._reading)
        if wrong:
            self.area.focus()
            self._move(wrong[0].place)
        return bool(wrong)

    def tell(self, raw: Mapping[str, object], errors: Sequence[FieldError], *, tried: bool) -> None:
        """Show what is wrong; until the call was `tried`, missing arguments are shown only below the request."""
        unreported = {error.path for error in errors if error.message == "is required"} if not tried else set()
        found = mistakes_in(self._tool, self._whole, self._reading)
        wrong = [one for one in found if self.blocked or one.parameter not in unreported]
        lines = [f"✗ {mistake}" for mistake in wrong[:_MOST_SHOWN]]
        if len(wrong) > _MOST_SHOWN:
            lines.append(f"  and {len(wrong) - _MOST_SHOWN} more")
        box = self.query_one("#mistakes", Words)
        box.set_class(bool(wrong), "-some")
        box.update(Content(visible("\n".join(lines))))
        self.area.mark(wrong[0] if wrong else None)
        there = self._reading.places if self.blocked else raw
        unset = [one.name for one in self._tool.parameters if one.name not in there]
        self.query_one("#unset", Words).update(Content(f"not set: {', '.join(unset)}" if unset else "all parameters are set"))

    @on(TextArea.Changed)
    def _changed(self) -> None:
        if self.area.text == self._whole:
            return
        self.read()
        self.post_message(self.Edited())

    def _move(self, place: int) -> None:
        before = self.area.text[:place]
        self.area.move_cursor((before.count("\n"), place - (before.rfind("\n") + 1)))
