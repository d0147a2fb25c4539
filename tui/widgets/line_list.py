"""A list drawn line by line, with a cursor: the base of the toolkit tree and of the JSON view; and others with the same keys.

Only the lines on screen are drawn, so that ten thousand lines cost the same as ten. Subclasses draw a line, and define what
folding means.
"""

from collections.abc import Mapping
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.containers import VerticalScroll
from textual.geometry import Region, Size, Spacing
from textual.reactive import Reactive, reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import OptionList

from tui.keyboard.commands import bindings

_FOLDING = ("fold", "unfold", "toggle_fold")


STATES = {"good": "$text-success", "warn": "$text-warning", "bad": "$text-error"}
TONES = {**STATES, "muted": "$foreground-muted", "text": "$foreground"}
"""The colours of texts by their tone; those of states among them."""
STYLES = {**{tone: f"color: {colour}" for tone, colour in TONES.items()}, "strong": "color: $foreground; text-style: bold"}
"""The styles of texts in lists."""


def component_css(widget: str, prefix: str, styles: Mapping[Any, str], own: str = "background: $background") -> str:
    """The CSS of a list and of the named styles of its lines."""
    return "\n".join([f"{widget} {{ {own};", *(f"&> .{prefix}--{name} {{ {style}; }}" for name, style in styles.items()), "}"])


class LineList(ScrollView, can_focus=True):
    """Lines with a cursor. Subclasses implement `line_count` and `draw`, and may fold."""

    BINDINGS = bindings("lists")
    COMPONENT_CLASSES = {"lines--cursor"}

    DEFAULT_CSS = """
    LineList {
        width: 100%;
        height: 1fr;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        &> .lines--cursor { background: $block-cursor-blurred-background; }
        &:focus > .lines--cursor { background: $block-cursor-background; }
    }
    """

    heading = 0
    """How many lines above the first do not scroll."""
    double_click = ""
    """The action of a double click; empty without one."""

    cursor: reactive[int] = reactive(0, repaint=False)

    # The scrolling area. The widget's size never depends on it: only a scrollbar that appears or disappears needs a layout.
    virtual_size = Reactive(Size(0, 0), layout=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._styles_by_name: dict[str, Style] = {}
        self._paper: tuple[Style, int] | None = None

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        raise NotImplementedError

    def draw(self, line: int, width: int) -> list[Segment]:
        """A line's text and styles; styles have no background, which is the list's or the cursor's."""
        raise NotImplementedError

    def draw_heading(self, line: int, width: int) -> list[Segment]:
        """The text and styles of a line that does not scroll."""
        raise NotImplementedError

    def lines_replaced(self) -> None:
        """Call this when all lines are replaced, before `line_count` changes.

        The cursor goes to the first line without a message, because handlers would look for the old line among the new ones.
        Call `lines_changed` once the new lines are there.
        """
        self.set_reactive(LineList.cursor, 0)
        self.scroll_to(0, 0, animate=False, force=True, immediate=True)

    def lines_changed(self, *, cursor: int | None = None) -> None:
        """Call this after lines were added or removed: fits the scrolling area and keeps the cursor inside."""
        self._fit()
        self.cursor = max(0, min(self.cursor if cursor is None else cursor, self.line_count - 1))
        self.refresh()
        self.show_cursor()

    def _fit(self) -> None:
        size = Size(self.scrollable_content_region.width, self.line_count + self.heading)
        if size != self.virtual_size:
            self.virtual_size = size
            self.refresh(layout=True)

    def show_cursor(self) -> None:
        """Scroll so that the cursor is visible; without room for it, `on_resize` does this later."""
        if self.line_count and self.scrollable_content_region.height > self.heading:
            place = Region(0, self.cursor + self.heading, 1, 1)
            self.scroll_to_region(place, spacing=Spacing(top=self.heading), animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        ground, width = self.paper
        if y < self.heading:
            return _strip(self.draw_heading(y, width), ground, width)
        line = self.line_at(y)
        if line >= self.line_count:
            return Strip.blank(width, ground)
        parts = self.draw(line, width)
        if line == self.cursor and (self.has_focus or self.cursor_always_shown):
            ground += self.get_component_rich_style("lines--cursor")
        return _strip(parts, ground, width)

    @property
    def paper(self) -> tuple[Style, int]:
        """The style of the list itself, and the width of a line in cells. Computing them takes longer than drawing a line."""
        return self._paper or (self.rich_style, self.scrollable_content_region.width)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Several lines of what is on screen, with `paper` computed once.

        Blank lines once the list and its styles were removed: a frame before the next layout still asks for them.
        """
        if self.parent is None:
            return [Strip.blank(crop.width)] * crop.height
        self._paper = self.paper
        try:
            return super().render_lines(crop)
        finally:
            self._paper = None

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw the lines again, and not the scroll bar beside them, which sees to itself."""
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = new_value
        if round(old_value) != round(new_value):
            self.refresh(self.scrollable_content_region.size.region)

    def line_at(self, y: int) -> int:
        """The line in a row of the screen, from the top of the list."""
        return y - self.heading + self.scroll_offset.y

    @property
    def cursor_always_shown(self) -> bool:
        """Whether the cursor is also marked while the focus is elsewhere."""
        return True

    def rests(self, line: int) -> bool:
        """Whether the cursor can stop on a line; else it goes past it."""
        return True

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor inside, on a line where it can stop: the next one in the direction in which it moves, else any."""
        last = self.line_count
        if not last:
            return 0
        place = max(0, min(cursor, last - 1))
        further = range(place, last), range(place, -1, -1)
        ways = further if place >= self.cursor else further[::-1]
        return next((one for way in ways for one in way if self.rests(one)), place)

    def watch_cursor(self, old: int, new: int) -> None:
        """Redraw the old and the new line of the cursor, and scroll to it."""
        self.refresh_line(old + self.heading)
        self.refresh_line(new + self.heading)
        self.show_cursor()
        self.cursor_moved()

    def cursor_moved(self) -> None:
        """Called when the cursor has moved to another line."""

    def style(self, name: str) -> Style:
        """A component's style without background."""
        if (style := self._styles_by_name.get(name)) is None:
            whole = self.get_component_rich_style(name)
            style = Style(color=whole.color, bold=whole.bold, italic=whole.italic, underline=whole.underline, dim=whole.dim)
            self._styles_by_name[name] = style
        return style

    def notify_style_update(self) -> None:
        """Colours changed: look them up again."""
        self._styles_by_name.clear()
        super().notify_style_update()

    def action_move(self, step: int) -> None:
        self.cursor += step

    def action_move_page(self, direction: int) -> None:
        self.cursor += direction * max(self.scrollable_content_region.height - self.heading - 1, 1)

    def action_move_to_end(self, direction: int) -> None:
        self.cursor = self.line_count - 1 if direction > 0 else 0

    def action_fold(self) -> None:
        """Fold at the cursor, or go to the parent."""

    def action_unfold(self) -> None:
        """Unfold at the cursor, or go inside."""

    def action_toggle_fold(self) -> None:
        """Fold or unfold at the cursor."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys for folding if the subclass does not fold."""
        return action not in _FOLDING or getattr(type(self), f"action_{action}") is not getattr(LineList, f"action_{action}")

    def on_resize(self) -> None:
        """Fit to the new size: the width decides where lines are cut, the height which of them are visible."""
        self._fit()
        self.show_cursor()
        self.cursor_moved()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the mouse, and pass the click on."""
        offset = event.get_content_offset_capture(self)
        if 0 <= offset.y < self.heading:
            self.heading_clicked(offset.x)
            return
        line = self.line_at(offset.y)
        if not 0 <= line < self.line_count:
            return
        self.cursor = line
        self.clicked_at(offset.x)
        self.clicked(line, times=event.chain)
        if event.chain > 1 and self.double_click:
            self.call_later(self.run_action, self.double_click)

    def heading_clicked(self, x: int) -> None:
        """Called for a click on a line that does not scroll, `x` cells from the left."""

    def clicked_at(self, x: int) -> None:
        """Called for a click on the cursor's line, `x` cells from the left."""

    def clicked(self, line: int, times: int) -> None:
        """Called for a click on a line; `times` is 2 for a double click."""


def _strip(parts: list[Segment], ground: Style, width: int) -> Strip:
    """Segments with a background style, in exactly so many cells. In one step: each method of a strip makes another strip."""
    segments = [Segment(text, ground + style if style else ground) for text, style, _ in parts]
    missing = width - sum(segment.cell_length for segment in segments)
    if missing < 0:
        return Strip(segments).adjust_cell_length(width)
    if missing:
        segments.append(Segment(" " * missing, ground))
    return Strip(segments, width)


_BOTH_WAYS = ("up", "down", "page_up", "page_down", "first", "last")


class PlainRows(OptionList):
    """Rows of which one is chosen, with Textual's keys.

    They may be replaced between a click and its handling, and may have no room on screen: Textual's would fail then.
    """

    def on_click(self, event: events.Click) -> None:
        """Forget a click on a row that was painted before the rows were replaced by fewer."""
        if event.style.meta.get("option", 0) >= self.option_count:
            event.prevent_default()

    def action_page_up(self) -> None:
        self.action_move_page(-1)

    def action_page_down(self) -> None:
        self.action_move_page(1)

    def action_move_page(self, direction: int) -> None:
        if self.scrollable_content_region.area:  # without room a page has no lines to count
            (super().action_page_down if direction > 0 else super().action_page_up)()  # type: ignore[no-untyped-call]


class Rows(PlainRows):
    """Rows of which one is chosen."""

    BINDINGS = bindings(also=_BOTH_WAYS)

    def action_move(self, step: int) -> None:
        (self.action_cursor_down if step > 0 else self.action_cursor_up)()

    def action_move_to_end(self, direction: int) -> None:
        (self.action_last if direction > 0 else self.action_first)()


class Scroll(VerticalScroll):
    """A long text that scrolls."""

    BINDINGS = bindings(also=_BOTH_WAYS)

    def action_move(self, step: int) -> None:
        self.scroll_relative(y=step, animate=False)

    def action_move_page(self, direction: int) -> None:
        self.scroll_relative(y=direction * max(self.scrollable_content_region.height - 1, 1), animate=False)

    def action_move_to_end(self, direction: int) -> None:
        (self.scroll_end if direction > 0 else self.scroll_home)(animate=False)
