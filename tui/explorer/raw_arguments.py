"""All arguments of the form as one JSON text, checked after every key; mistakes are shown with line and column.

While the text can be read, the fields behind it hold what it says. While it cannot, they keep what it said last, and the text
stays as it was typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from registry.calling.arguments import FieldError
from registry.calling.exact_json import same
from registry.catalog.model import Tool
from registry.display.safe_text import exact_json, visible
from registry.presets.json_form import mistakes_in, name_at, place_of, reading, written
from tui.explorer.fields.json_area import JsonArea

_MOST_TOLD = 3


class RawArguments(Vertical):
    """The text, and below it what is wrong with it and what could be added.

    Args:
        tool: whose arguments they are.
        raw: what the fields hold.
        whole: a text that was left with mistakes in it; without one, it is made from the fields.
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
        """The text is another one; `read` tells what the fields are to hold now."""

    def __init__(self, tool: Tool, raw: Mapping[str, object], whole: str | None = None) -> None:
        super().__init__()
        self._tool = tool
        self._said = dict(raw)
        self._held = dict(raw)
        self._whole = exact_json(whole) if whole is not None else written(tool, raw)
        self._reading = reading(tool, self._whole, raw)

    def compose(self) -> ComposeResult:
        """The text, the mistakes, and the names that are not in it."""
        yield JsonArea(self._whole)
        yield Static(id="mistakes")
        yield Static(id="unset")

    @property
    def area(self) -> JsonArea:
        """Where the text is edited."""
        return self.query_one(JsonArea)

    @property
    def whole(self) -> str:
        """The text."""
        return self.area.text

    @property
    def blocked(self) -> bool:
        """Whether the text stands for no arguments as it is."""
        return bool(self._reading.mistakes)

    @property
    def here(self) -> str:
        """The parameter at the cursor; empty where there is none."""
        return name_at(self._tool, self.whole, place_of(self.whole, *self.area.cursor_location))

    def read(self) -> Mapping[str, object]:
        """What the text says; while it says nothing, what it said last."""
        if self.whole != self._whole:
            self._whole = self.whole
            self._reading = reading(self._tool, self._whole, self._held)
            if not self.blocked:
                self._said = dict(self._reading.raw)
        return self._said

    def follow(self, raw: Mapping[str, object], *, anew: bool = False) -> None:
        """The fields hold something: where the text says something else, or `anew`, write it again."""
        if anew or not same(dict(raw), self.read()):
            self._said = dict(raw)
            self._held |= self._said
            self._whole = written(self._tool, raw)
            self._reading = reading(self._tool, self._whole, raw)
            self.area.put(self._whole)

    def go_to(self, name: str) -> None:
        """Put the cursor on an argument, or behind the last one where it is not set."""
        place = self._reading.places.get(name)
        if place is None:
            place = max(len(self._whole.rstrip().rstrip("}").rstrip("\n")), 0)
        self._move(place)

    def go_to_mistake(self) -> bool:
        """Put the cursor on the first mistake; tells whether there is one."""
        wrong = mistakes_in(self._tool, self.whole, self._reading)
        if wrong:
            self.area.focus()
            self._move(wrong[0].place)
        return bool(wrong)

    def tell(self, raw: Mapping[str, object], errors: Sequence[FieldError], *, tried: bool) -> None:
        """Tell what is wrong; what is only missing is told below the request until it was `tried`."""
        unasked = {error.path for error in errors if error.message == "is required"} if not tried else set()
        wrong = [
            mistake
            for mistake in mistakes_in(self._tool, self._whole, self._reading)
            if self.blocked or mistake.parameter not in unasked
        ]
        lines = [f"✗ {mistake}" for mistake in wrong[:_MOST_TOLD]]
        if len(wrong) > _MOST_TOLD:
            lines.append(f"  and {len(wrong) - _MOST_TOLD} more")
        told = self.query_one("#mistakes", Static)
        told.set_class(bool(wrong), "-some")
        told.update(Content(visible("\n".join(lines))))
        self.area.mark(wrong[0] if wrong else None)
        there = self._reading.places if self.blocked else raw
        unset = [one.name for one in self._tool.parameters if one.name not in there]
        self.query_one("#unset", Static).update(Content(f"not set: {', '.join(unset)}" if unset else "all parameters are set"))

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.whole == self._whole:
            return
        self.read()
        self.post_message(self.Edited())

    def _move(self, place: int) -> None:
        before = self.whole[:place]
        self.area.move_cursor((before.count("\n"), place - (before.rfind("\n") + 1)))
