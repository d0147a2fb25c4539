"""Shows the call as text that somebody else can run: one form at a time, and a key that copies it."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from registry.results.snippets import Snippet
from tui.dialogs.dialog import Dialog
from tui.terminal.clipboard import copy
from tui.widgets.option_row import Options

_TITLES = {"curl": "curl", "httpx": "Python (httpx)", "callboard": "callboard"}
_AROUND = 16
"""Lines around the text: the border, the title, the forms, three notes and the keys."""


class ShowAs(Dialog[str]):
    """Returns the outcome of copying, if the user copied a form.

    Args:
        tool: the name of the tool.
        forms: the call in each form.
    """

    DEFAULT_CSS = """
    ShowAs {
        #box { width: 96; }
        Options { width: 1fr; height: auto; }
        Options:focus { background: $panel; }
        #text { height: auto; scrollbar-size-vertical: 1; margin: 1 0; padding: 0 1; background: $background; }
        #text Static { height: auto; }
        #notes { color: $foreground-muted; }
        #wrong { color: $text-error; display: none; }
    }
    """

    BINDINGS = [
        Binding("enter,y", "copy", "Copy"),
        Binding("pagedown", "scroll_text(1)", show=False),
        Binding("pageup", "scroll_text(-1)", show=False),
    ]

    def __init__(self, tool: str, forms: Sequence[Snippet]) -> None:
        super().__init__()
        self._tool = tool
        self._forms = forms

    def compose(self) -> ComposeResult:
        """The forms, the text of the chosen one, and notes on running it."""
        with VerticalScroll(id="box", can_focus=False):
            yield Static(Content.styled(f"Show {self._tool} as\n", "bold"))
            yield Options([_TITLES[form.kind] for form in self._forms], all_count=True, id="form")
            with VerticalScroll(id="text", can_focus=False):
                yield Static()
            yield Static(id="notes")
            yield Static(id="wrong")
            others = [("← →", "Format")] if len(self._forms) > 1 else []
            yield self.keys_line(*others, ("Enter", "Copy"), ("PgUp PgDn", "Scroll"), ("Esc", "Close"))

    def on_mount(self) -> None:
        """Focus the forms."""
        self._show()
        self.query_one(Options).focus()

    def on_resize(self) -> None:
        """Make the text scroll if it is too long; the rest stays visible."""
        self.query_one("#text").styles.max_height = max(self.app.size.height - _AROUND, 4)

    @property
    def form(self) -> Snippet:
        """The chosen form."""
        return self._forms[self.query_one(Options).chosen]

    @on(Options.Chosen)
    def _show(self) -> None:
        self.query_one("#text Static", Static).update(Content(self.form.text.rstrip()))
        self.query_one("#text").scroll_home(animate=False)
        self.query_one("#notes", Static).update(Content("\n".join(self.form.notes)))

    def action_scroll_text(self, direction: int) -> None:
        """Scroll the text by a screenful."""
        box = self.query_one("#text")
        box.scroll_relative(y=direction * max(box.size.height - 1, 1), animate=False)

    @work(group="clipboard", exclusive=True, exit_on_error=False)
    async def action_copy(self) -> None:
        """Copy the chosen form."""
        outcome = await copy(self.app, self.form.text)
        if outcome.done:
            self.dismiss(outcome.about(f"the call as {_TITLES[self.form.kind]}"))
        else:
            wrong = self.query_one("#wrong", Static)
            wrong.display = True
            wrong.update(Content(f"✗ {outcome.words}"))
