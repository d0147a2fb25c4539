"""The heading of a pane, and the lines between panes."""

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from registry.text.shown import visible_line

BAR = "▌"


class PaneHead(Widget):
    """The first line of a pane: a title, and a few words at the right. The whole line is lit while the pane has the focus.

    Attributes:
        asides: the words at the right, in full and shorter and shorter; the first ones that leave room for the title.
    """

    DEFAULT_CSS = """
    PaneHead { height: 1; padding: 0 1 0 0; }
    PaneHead.-here { background: $block-cursor-background; }
    """

    ALLOW_SELECT = False

    here: reactive[bool] = reactive(False)
    title: reactive[str] = reactive("")
    asides: reactive[tuple[Content, ...]] = reactive(())
    live: reactive[bool] = reactive(False)

    def watch_here(self) -> None:
        self.set_class(self.here, "-here")

    def render(self) -> Content:
        bar = Content.styled(BAR, "bold $live" if self.live else "bold $text-primary") if self.here else Content(" ")
        room, title = self.content_size.width - 2, Content(visible_line(self.title))
        # Of words that are too long the last and shortest ones, which say how much of the list is there.
        asides = [one for one in self.asides if one.cell_length + 4 <= room] or [Content()]
        aside = next((one for one in asides if title.cell_length + one.cell_length + 2 <= room), asides[-1])
        title = title.truncate(max(room - (aside.cell_length + 2 if aside else 0), 1), ellipsis=True)
        gap = max(room - title.cell_length - aside.cell_length, 0) if aside else 0
        return Content.assemble(bar, " ", title.stylize("bold" if self.here else "$text-muted bold"), " " * gap, aside)


class Hairline(Widget):
    """A horizontal line over the full width, with a joint where a line between panes meets it."""

    DEFAULT_CSS = "Hairline { height: 1; color: $hairline; }"

    ALLOW_SELECT = False

    joints: reactive[tuple[int, ...]] = reactive(())

    def __init__(self, joint: str, *, id: str | None = None) -> None:  # noqa: A002
        """Make it; `joint` is the character at each column in `joints`."""
        super().__init__(id=id)
        self._joint = joint

    def render(self) -> Content:
        signs = ["─"] * self.size.width
        for column in self.joints:
            if 0 <= column < len(signs):
                signs[column] = self._joint
        return Content("".join(signs))
