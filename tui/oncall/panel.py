"""The heading of a dashboard panel: what it shows, and how old the data is."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from registry.oncall.words import Line, Piece
from tui.oncall.pieces import content_of, width_of


class Heading(Widget):
    """One line: the panel's name and scope on the left, how old it is on the right, a rule between them."""

    DEFAULT_CSS = """
    Heading { height: 1; width: 100%; color: $border-blurred; }
    """

    ALLOW_SELECT = False

    here: reactive[bool] = reactive(False)
    sides: reactive[tuple[tuple[Piece, ...], tuple[Piece, ...]]] = reactive(((), ()))

    def __init__(self, name: str) -> None:
        super().__init__()
        self._title = name

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """The whole width."""
        return container.width

    def tell(self, left: Line, right: Line) -> None:
        """Show what the panel contains, and the age of its data."""
        self.sides = tuple(left), tuple(right)

    def render(self) -> Content:
        """The line; if it is too narrow, parts at the left are left out, never the age of the data."""
        mark, tone = ("▌", "mine") if self.here else (" ", "strong")
        left: Line = [Piece(f"{mark}{self._title}", "mine" if self.here else tone), *self.sides[0]]  # type: ignore[arg-type]
        right = [Piece(" "), *self.sides[1], Piece(" ")] if self.sides[1] else []
        room = self.size.width - width_of(right)
        while len(left) > 1 and width_of(left) > room - 3:
            left.pop()
        rule = "─" * max(room - width_of(left) - 1, 0)
        return Content.assemble(content_of(left), Content(f" {rule}"), content_of(right))

    def on_click(self, event: events.Click) -> None:
        """Go to the panel."""
        event.stop()
        if self.parent is not None and isinstance(self.parent, Widget):
            for child in self.parent.children:
                if child.can_focus:
                    child.focus()
                    return
