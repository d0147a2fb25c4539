"""Small widgets: text that is drawn only when it changes, a line to type into, options in a row, an account's mode."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.visual import VisualType
from textual.widget import Widget
from textual.widgets import Input, Static

from registry.calling.request import Preview
from registry.json_text import dumps
from registry.text.shown import exact_line, shortened, visible


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


_METHODS = {"GET": "$text", "HEAD": "$text-success", "DELETE": "$text-error"}
_MUTED = "$foreground-muted"


def request_line(preview: Preview, *, whole: bool = True) -> Content:
    """A request in colours: method, host, path, query, body. Missing parts are highlighted.

    Without `whole` it is one line: host and body are left out.
    """
    host, slashes, rest = preview.url.partition("//")
    server, _, path = rest.partition("/")
    path, question, query = path.partition("?")
    parts = [
        Content.styled(f"{preview.method} ", f"bold {_METHODS.get(preview.method, '$text-warning')}"),
        Content.styled(visible(host + slashes + server) + "\n" if whole else "", _MUTED),
    ]
    for step in path.split("/"):  # braces in a value are percent-encoded: these stand for a missing one
        parts += [Content.styled("/", _MUTED), Content.styled(visible(step), "bold $text-warning" if "{" in step else "$text")]
    parts.append(Content.styled(visible(question + query), "$text-accent"))
    if preview.body is not None and whole:
        parts.append(Content.styled("\n" + visible(preview.body), _MUTED))
    return Content.assemble(*parts)


_JOINERS = "\u200c\u200d"


def types_joiner(event: events.Key) -> bool:
    """Whether a key types a joiner; if so, the caller must insert it.

    Joiners have no width and count as unprintable, so Textual drops them; but emoji and several scripts need them.
    """
    if event.character is None or event.character not in _JOINERS:
        return False
    event.stop()
    event.prevent_default()
    return True


class Line(Input):
    """One line of text. Pasted lines are joined into one; control characters become visible escapes.

    Every key reads and draws all of the line, so a paste that would make it very long is refused, never cut: what was cut could
    be sent.
    """

    # In Textual's default colours the placeholder is too pale in the light and high contrast themes, and the background with
    # the focus is not one of the theme's.
    DEFAULT_CSS = """
    Line:focus { background-tint: $background 0%; }
    Line > .input--placeholder, Line > .input--suggestion { color: $foreground-muted; text-style: italic; }
    """

    separator = " "
    most = 10_000
    """The most characters that a paste may lead to."""

    # The width of the text inside. The line's size never depends on it, so typing must not cause a new layout.
    virtual_size = Reactive(Size(0, 0), layout=False)

    # A cursor that blinks would be drawn twice a second for as long as the program is open.
    cursor_blink = Reactive(False, init=False)

    def validate_value(self, value: str) -> str:
        return exact_line(value)

    def on_key(self, event: events.Key) -> None:
        if types_joiner(event):
            self.replace(event.character or "", *self.selection)

    def on_paste(self, event: events.Paste) -> None:
        """Put in what is pasted, made safe."""
        self._put(event.text)
        event.stop()
        event.prevent_default()

    def action_paste(self) -> None:
        self._put(self.app.clipboard)

    def _put(self, pasted: str) -> None:
        text = self.separator.join(line for one in pasted.splitlines() if (line := one.strip()))
        start, end = sorted(self.selection)
        length = len(self.value) - (end - start) + len(text)
        if length > self.most:
            words = f"Not pasted: the line would have {length:,} characters, and at most {self.most:,} can be pasted."
            self.notify(words, severity="warning")
            return
        self.replace(exact_line(text), *self.selection)


class Options(Widget, can_focus=True):
    """Options in a row, one of them chosen; the row wraps if it is too long.

    ``●`` marks the chosen one, so that the choice does not depend on colour. The first one means no choice, unless `all_count`.
    """

    BINDINGS = [
        Binding("left,up", "step(-1)", "Choose", key_display="← →", show=True),
        Binding("right,down,space", "step(1)", show=False),
        Binding("home,delete,backspace", "choose(0)", show=False),
        Binding("end", "choose(-1)", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """Another option was chosen."""

        options: "Options"

        @property
        def control(self) -> "Options":
            return self.options

    chosen: reactive[int] = reactive(0)

    def __init__(self, words: Sequence[str], *, all_count: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._words = list(words)
        self._all_count = all_count

    def offer(self, words: Sequence[str]) -> None:
        """Offer other options, of which the first is chosen."""
        if self._words != list(words):
            self._words, self.chosen = list(words), 0
            self.refresh(layout=True)

    def render(self) -> Content:
        lines = []
        for line in self._flow(self.size.width or 40):
            parts = []
            for place, _ in line:
                word = f"{'●' if place == self.chosen else '○'} {self._words[place]}"
                style = (
                    "bold $text-accent"
                    if place == self.chosen and (place or self._all_count)
                    else "$text"
                    if place == self.chosen
                    else "$foreground-muted"
                )
                parts.append(Content.styled(word, style))
            lines.append(Content("  ").join(parts))
        return Content("\n").join(lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._flow(width))

    def action_step(self, step: int) -> None:
        self._choose(max(0, min(self.chosen + step, len(self._words) - 1)))

    def action_choose(self, place: int) -> None:
        self._choose(place % len(self._words))

    def on_key(self, event: events.Key) -> None:
        """Choose the next option that starts with the typed letter."""
        letter, after = (event.character or "").lower(), self.chosen + 1
        places = [*range(after, len(self._words)), *range(after)]
        place = next((one for one in places if letter.isalnum() and self._words[one].lower().startswith(letter)), None)
        if place is not None:
            event.stop()
            self._choose(place)

    def on_click(self, event: events.Click) -> None:
        spot = event.get_content_offset(self)
        if spot is None:
            return
        lines = self._flow(self.size.width)
        if spot.y < len(lines):
            for place, start in lines[spot.y]:
                if start <= spot.x < start + len(self._words[place]) + 2:
                    self._choose(place)

    def _choose(self, place: int) -> None:
        if place != self.chosen:
            self.chosen = place
            self.post_message(self.Chosen(self))

    def _flow(self, width: int) -> list[list[tuple[int, int]]]:
        """The lines, each with (option, column) from left to right."""
        lines: list[list[tuple[int, int]]] = [[]]
        column = 0
        for place, word in enumerate(self._words):
            length = len(word) + 2
            if lines[-1] and column + length > width:
                lines.append([])
                column = 0
            lines[-1].append((place, column))
            column += length + 2
        return lines


LIVE = "LIVE"
MODES = {"sandbox": "sandbox", "test": "test data", "live": "LIVE data"}
COLOURS = {"sandbox": "$text-muted", "test": "$text-warning", "live": "bold $live"}


def mode_word(mode: str) -> Content:
    """A mode as a word in a line of a list: live is a chip, the others are muted."""
    return Content.styled(" LIVE ", "bold $live reverse") if mode == "live" else Content.styled(mode, "$foreground-muted")


def reach_of(name: str, mode: str) -> str:
    """What an account reaches, in words; for live data also the account's name."""
    return f"{LIVE} · {name}" if mode == "live" else MODES[mode]


def live_chip(name: str, *, short: bool = False) -> Content:
    """A chip that says that calls go to live data, with the account's name."""
    return Content.styled(f" {LIVE} {shortened(name, 14)} " if short else f" {reach_of(name, 'live')} ", "bold $live reverse")


def mode_chip(mode: str) -> Content:
    """A chip with the mode, for questions."""
    return Content.styled(f" {MODES[mode]} ", f"{COLOURS[mode]} reverse")
