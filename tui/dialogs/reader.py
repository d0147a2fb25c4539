"""Texts to read: one value, whole and unescaped; and a call as text that somebody else can run."""

from collections.abc import Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from registry.results.snippets import Snippet
from tui.dialogs.dialog import Dialog, lines_left
from tui.terminal.clipboard import copy
from tui.widgets.option_row import Options
from tui.widgets.scrolling import Scroll

_MOST = 200_000
CODE_TITLES = {"curl": "curl", "httpx": "Python (httpx)", "callboard": "callboard"}


class Reader(Dialog[str]):
    """Shows a text, which the caller has made safe to show. The keys stay visible while it scrolls.

    Args:
        title: what it is.
        text: the text.
        copies: what ``y`` copies, in words; empty if it is not copied from here.
    """

    DEFAULT_CSS = """
    Reader {
        #box { width: 96%; }
        Scroll { height: auto; scrollbar-size-vertical: 1; }
        #text { height: auto; }
    }
    """

    BINDINGS = [Binding("y", "copy", show=False)]
    AUTO_FOCUS = "Scroll"

    box = Vertical
    beside = 8
    """Lines taken by everything but the text."""
    ends_by_copying = False
    """Whether it closes once it was copied, and returns that in words."""

    def __init__(self, title: str, text: str, copies: str = "") -> None:
        super().__init__()
        self._about, self._text, self._copies = title, text, copies
        self.heading = self._counted()
        copying = (("y", "Copy"),) if copies else ()
        self.keys = (("↑ ↓", "Scroll"), *copying, ("Esc", "Close"))

    def _body(self) -> ComposeResult:
        length = len(self._text)
        more = f"\n… and {length - _MOST:,} characters more; copying it takes all of them." if length > _MOST else ""
        with Scroll():
            yield Static(self._drawn(self._text[:_MOST] + more), id="text")

    def _drawn(self, text: str) -> Content:
        return Content(text)

    def _counted(self) -> str:
        return f"{self._about} · {len(self._text):,} characters"

    def on_resize(self) -> None:
        """Give the text the height that title and keys leave."""
        self.query_one(Scroll).styles.max_height = lines_left(self.app.size.height, self.beside)

    @work(group="clipboard", exclusive=True)
    async def action_copy(self) -> None:
        if not self._copies:
            return
        outcome = await copy(self.app, self._text)
        if self.ends_by_copying and outcome.done:
            self.dismiss(outcome.about(self._copies))
        else:
            self.query_one(".keys-here", Static).update(Content.styled(outcome.about(self._copies), outcome.style))


class ShowAs(Reader):
    """Shows a call in one form at a time; returns the outcome of copying, if the user copied one.

    Args:
        tool: the name of the tool.
        forms: the call in each form.
    """

    DEFAULT_CSS = """
    ShowAs {
        #box { width: 96; }
        Options { width: 1fr; height: auto; }
        Options:focus { background: $panel; }
        Scroll { margin: 1 0; padding: 0 1; background: $background; }
    }
    """

    BINDINGS = [
        Binding("enter", "copy", "Copy"),
        Binding("pagedown", "scroll_text(1)", show=False),
        Binding("pageup", "scroll_text(-1)", show=False),
    ]
    AUTO_FOCUS = "Options"

    beside = 14
    ends_by_copying = True

    def __init__(self, tool: str, forms: Sequence[Snippet]) -> None:
        super().__init__("", "")
        self.heading, self._forms = f"Show {tool} as", forms
        others = (("← →", "Format"),) if len(forms) > 1 else ()
        self.keys = (*others, ("Enter", "Copy"), ("PgUp PgDn", "Scroll"), ("Esc", "Close"))

    def _body(self) -> ComposeResult:
        yield Options([CODE_TITLES[form.kind] for form in self._forms], all_count=True, id="form")
        yield from super()._body()
        yield Static(id="notes", classes="quiet")

    def on_mount(self) -> None:
        self._show()

    @on(Options.Chosen)
    def _show(self) -> None:
        form = self._forms[self.query_one(Options).chosen]
        self._text, self._copies = form.text, f"the call as {CODE_TITLES[form.kind]}"
        self.query_one("#text", Static).update(Content(form.text.rstrip()))
        self.query_one(Scroll).scroll_home(animate=False)
        self.query_one("#notes", Static).update(Content("\n".join(form.notes)))

    def action_scroll_text(self, direction: int) -> None:
        self.query_one(Scroll).action_move_page(direction)
