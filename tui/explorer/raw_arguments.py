"""All arguments of the form as one JSON text, checked after every key; mistakes are shown with line and column.

While the text is shown its values are the form's; while it is not valid, the last valid ones, and the text stays as typed.
"""

from collections.abc import Mapping, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import TextArea

from registry.calling.arguments import FieldError
from registry.catalog.model import Tool
from registry.json_text.values import same
from registry.saved.form_values import mistakes_in, name_at, place_of, raw_in, reading, written
from registry.text.safe_text import exact_json, visible
from tui.explorer.fields.json_area import JsonArea
from tui.widgets.words import Words

_MOST_SHOWN = 3


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
    def whole(self) -> str:
        return self.area.text

    @property
    def blocked(self) -> bool:
        """Whether the text has mistakes and gives no arguments."""
        return bool(self._reading.mistakes)

    @property
    def here(self) -> str:
        """The parameter at the cursor; empty if there is none."""
        return name_at(self._tool, self.whole, place_of(self.whole, *self.area.cursor_location))

    def read(self) -> Mapping[str, object]:
        """The values in the text; while it has mistakes, the last valid ones."""
        if self.whole != self._whole:
            self._whole = self.whole
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
        wrong = mistakes_in(self._tool, self.whole, self._reading)
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
        if self.whole == self._whole:
            return
        self.read()
        self.post_message(self.Edited())

    def _move(self, place: int) -> None:
        before = self.whole[:place]
        self.area.move_cursor((before.count("\n"), place - (before.rfind("\n") + 1)))
