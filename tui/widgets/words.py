"""Text that is drawn only when it changes, and causes a layout of the screen only when its size may change; texts in lines."""

from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.content import Content
from textual.visual import VisualType
from textual.widget import Widget
from textual.widgets import Static

from registry.json_text.values import dumps


class Words(Static):
    """A text that is often set again: Textual's own would lay out the whole screen each time, also for an equal text."""

    _other_widths_known = True
    """Whether the heights that Textual remembers for other widths are those of the present content."""

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        shown = self.content
        if isinstance(content, Content) and isinstance(shown, Content):
            if shown.is_same(content):
                return
        elif isinstance(content, str) and content == shown:
            return
        super().update(content, layout=False)
        if layout and self.display and not self._fits:
            self.refresh(layout=True)
        else:  # a hidden one is laid out when it is shown
            self._other_widths_known = False

    @property
    def _fits(self) -> bool:
        """Whether the present content needs exactly the space that the previous one has."""
        width, height = self.content_size
        if not width or any(node.styles.is_auto_width for node in self.ancestors_with_self if isinstance(node, Widget)):
            return False
        return not self.styles.is_auto_height or self.get_content_height(self.size, self.size, width) == height

    def on_resize(self, event: events.Resize) -> None:
        """Lay out again at another width, if the height there may be that of an earlier content."""
        if not self._other_widths_known:
            self._other_widths_known = True
            self.refresh(layout=True)


def cut(text: str, width: int) -> str:
    """A text in at most so many cells."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…" if width > 0 else ""


def in_cells(text: str, width: int, *, to_the_right: bool = False) -> str:
    """A text in exactly so many cells, cut with an ellipsis if it is too long."""
    text = cut(text[: 8 * width + 8], width)  # enough, even with zero-width letters
    blanks = " " * (width - cell_len(text))
    return blanks + text if to_the_right else text + blanks


def flow(parts: Iterable[str], width: int, between: str = " ") -> list[str]:
    """Texts one after the other, in lines of at most so many cells; none is broken."""
    lines: list[str] = []
    for part in parts:
        if lines and cell_len(lines[-1] + between + part) <= width:
            lines[-1] += between + part
        else:
            lines.append(part)
    return lines


def facts_lines(facts: Sequence[str], width: int, most: int) -> list[str]:
    """Facts in lines of so many cells, at most `most`, without breaking a fact; an ellipsis for what does not fit."""
    lines = flow([cut(fact, width) for fact in facts], width, " · ")
    if len(lines) > most:
        lines = flow([cut(fact, width - 4) for fact in facts], width - 4, " · ")[:most]
        lines[-1] += " · …"
    return lines


def way_line(titles: Sequence[str], width: int) -> str:
    """The breadcrumbs of pages in so many cells: the one on screen, and as many before it as there is room for."""
    shown = [one for n, one in enumerate(titles) if not n or one != titles[n - 1]]
    lines = (" › ".join(["…", *shown[n:]] if n else shown) for n in range(len(shown)))
    return next((one for one in lines if cell_len(one) <= width), cut(shown[-1], width) if shown else "")


def in_words(value: object) -> str:
    """An argument in a line."""
    if isinstance(value, list | tuple) and not any(isinstance(one, list | dict) for one in value):
        return ", ".join(map(str, value))
    return dumps(value, compact=True) if isinstance(value, list | dict) else str(value)
