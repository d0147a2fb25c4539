"""The two lists of a page: its sections, and its timeline. Each keeps the cursor on its line while the page is loading."""

from collections.abc import Collection, Mapping, Sequence

from rich.segment import Segment
from textual.content import Content
from textual.message import Message

from registry.pages.page import ObjectPage
from tui.keyboard.commands import bindings
from tui.pages.lines import PageLine, fitted, matching, timeline_lines
from tui.widgets.line_list import STYLES, LineList, component_css

_STYLES = {**STYLES, "accent": "color: $text-accent"}


class PageList(LineList):
    """Lines of a page with a cursor, which skips lines that only explain others."""

    BINDINGS = bindings("page")
    COMPONENT_CLASSES = {f"page--{style}" for style in _STYLES}
    DEFAULT_CSS = component_css("PageList", "page", _STYLES, "scrollbar-gutter: stable")

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines: Sequence[PageLine] = ()

    @property
    def line_count(self) -> int:
        return len(self._lines)

    @property
    def room(self) -> int:
        """Cells for a line, without the sign of the cursor; 0 while the list is not shown."""
        return max(self.scrollable_content_region.width - 1, 0)

    @property
    def here(self) -> PageLine | None:
        return self._lines[self.cursor] if self.cursor < len(self._lines) else None

    def show(self, lines: Sequence[PageLine], key: str | None = None) -> None:
        """Show other lines; the cursor stays on its line, at the same height on screen, or goes to the line with a key."""
        before, above = self.here, self.cursor - self.scroll_offset.y
        wanted = key if key is not None else before.key if before is not None else ""
        moved = before is not None and self.cursor > self._first
        self._lines = lines
        place = next((n for n, line in enumerate(lines) if line.key == wanted), None)
        if place is None or (key is None and not moved):
            place = min(self.cursor, max(len(lines) - 1, 0)) if moved and before is not None else self._first
        self.lines_changed(cursor=place)
        if moved and key is None:
            self.scroll_to(y=max(place - above, 0), animate=False, force=True)

    @property
    def _first(self) -> int:
        return next((n for n, line in enumerate(self._lines) if line.rests), 0)

    def draw(self, line: int, width: int) -> list[Segment]:
        parts = [Segment(text, self.style(f"page--{style}")) for text, style in fitted(self._lines[line], width - 1)]
        # A sign, because the cursor must not be shown by colour alone.
        here = line == self.cursor and self.has_focus and self._lines[line].rests
        return [Segment("›" if here else " ", self.style("page--text")), *parts]

    def rests(self, line: int) -> bool:
        return self._lines[line].rests

    def action_move(self, step: int) -> None:
        before = self.cursor
        super().action_move(step)
        if step < 0 and self.cursor == before:
            self.scroll_to(y=0, animate=False, force=True)

    def action_next_section(self, step: int) -> None:
        at = self.cursor + step
        while 0 <= at < len(self._lines) and not self._lines[at].key.endswith(":heading"):
            at += step
        if 0 <= at < len(self._lines):
            self.cursor = at

    def clicked(self, line: int, times: int) -> None:
        if times == 2:
            self.call_later(self.run_action, "screen.open")


class TimelineList(PageList):
    """The timeline. Its lines are wrapped for the room that it has."""

    class Rewrapped(Message):
        """It has another width than its lines were made for."""

    _wrapped_for = 0

    def on_resize(self) -> None:
        """Ask for lines of the new width; those of a timeline that was just opened were made before it had any."""
        if self.room != self._wrapped_for:
            self.post_message(self.Rewrapped())

    def show_page(
        self,
        page: ObjectPage | None,
        words: Sequence[str],
        titles: Mapping[str, str],
        unfolded: Collection[str],
        key: str | None,
    ) -> None:
        """Show a page's entries that contain all of these words; `titles` are those of toolkits."""
        self._wrapped_for = self.room
        self.show(timeline_lines(page, self._wrapped_for, words, titles, unfolded) if page is not None else (), key)


def timeline_title(page: ObjectPage | None, words: Sequence[str], titles: Mapping[str, str]) -> Content:
    """The heading of a timeline: how many entries it has, how many contain these words, and whether some are missing."""
    every = len(page.timeline) if page is not None else 0
    state = f" · {page.progress}" if page is not None and page.progress != "complete" else ""
    count = f"{len(matching(page, words, titles))} of {every}" if page is not None and words else f"{every}"
    return Content.assemble(("Timeline ", "bold"), Content(count), (state, "$foreground-muted"))
