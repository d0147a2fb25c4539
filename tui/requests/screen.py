"""The debug view: the last requests of this program, newest first, updated live. Enter shows all details of one."""

from __future__ import annotations

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from registry.calling.tracing import Trace, Traces
from tui.dialogs.dialog import Dialog
from tui.dialogs.rows_below import RowsBelow, RowsDialog, lines_left
from tui.requests.words import about, details, fits, listed, row
from tui.state.settings import key_of
from tui.terminal.clipboard import copy
from tui.widgets.scrolling import Scroll
from tui.widgets.text_line import Line

_LOOK_AGAIN = 0.5
_HEADINGS = ("Attempts", "Request", "Response")


class RequestList(RowsBelow):
    """The requests, and the keys that work on them."""

    BINDINGS = [
        Binding("y", "wanted('one')", show=False),
        Binding("Y", "wanted('all')", show=False),
        Binding("slash", "wanted('type')", show=False),
    ]


class RequestsDialog(RowsDialog[None]):
    """The last requests. Nothing is sent from here."""

    DEFAULT_CSS = """
    RequestsDialog {
        #box { width: 160; }
        Line { margin: 0 0 1 0; padding: 0 1; background: $panel; }
        RequestList { height: 1fr; }
        #about { text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    widest = 160

    def __init__(self, traces: Traces) -> None:
        super().__init__()
        self._traces = traces
        self._listed: list[Trace] = []
        self._revision = -1

    def compose(self) -> ComposeResult:
        """The search line, the requests, the timings of the one at the cursor, and the keys."""
        with Vertical(id="box"):
            yield Static(id="title")
            yield Line(placeholder="Search: text · failed · retry · payments · 429", compact=True)
            yield RequestList(compact=True)
            yield Static(id="about")
            yield self.keys_line(
                ("↓", "List"), ("Enter", "Details"), ("y", "Copy"), ("Y", "Copy all"), ("/", "Find"), ("Esc", "Close")
            )

    def on_mount(self) -> None:
        """Focus the line, and start to update the list."""
        self.query_one(Line).focus()
        self.set_interval(_LOOK_AGAIN, self._look_again)

    def on_resize(self) -> None:
        """Set the height of the list; it is fixed, so that typing does not move the box."""
        self._list.styles.height = lines_left(self.app.size.height)
        self._show()

    def action_enter_list(self) -> None:
        """Go from the line into the list."""
        if self._listed:
            self._list.focus()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._show()

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _chosen(self, event: Input.Submitted | OptionList.OptionSelected) -> None:
        event.stop()
        if (trace := self._here) is not None:
            self.app.push_screen(RequestDetails(trace, self._traces))

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._tell_about()

    @on(RowsBelow.ActionRequested)
    def _action_requested(self, event: RowsBelow.ActionRequested) -> None:
        event.stop()
        if event.what == "type":
            self.query_one(Line).focus()
        elif event.what == "all":
            self._copy(listed(self._listed), "1 request" if len(self._listed) == 1 else f"{len(self._listed)} requests")
        elif (trace := self._here) is not None:
            self._copy(details(trace, self._traces.attempts(trace)), "the request")

    @work(group="clipboard", exclusive=True, exit_on_error=False)
    async def _copy(self, text: str, what: str) -> None:
        outcome = await copy(self.app, text)
        self._say(outcome.about(what), "$text-success" if outcome.done else "$text-error")

    def _look_again(self) -> None:
        """Show changes, and how long running requests have taken."""
        if self._revision != self._traces.revision or any(trace.elapsed is None for trace in self._listed):
            self._show()

    def _show(self) -> None:
        """Show the requests that match. The cursor stays on its request, or on the newest one while the user types."""
        here = self._here if self._list.has_focus else None
        self._revision = self._traces.revision
        every = self._traces.newest_first()
        words = self.query_one(Line).value.lower().split()
        self._listed = [trace for trace in every if fits(trace, words)]
        self._list.set_options([Option(row(trace, self._room)) for trace in self._listed])
        place = self._listed.index(here) if here in self._listed else 0
        self._list.highlighted = place if self._listed else None
        if not self._listed:
            self.query_one(Line).focus()
        count = f"{len(self._listed)} of {len(every)}" if words else f"the last {len(every)}" if every else "none yet"
        title = (Content.styled("Requests", "bold"), Content.styled(f" · {count}", "$foreground-muted"))
        self.query_one("#title", Static).update(Content.assemble(*title))
        self._tell_about()

    def _tell_about(self) -> None:
        trace = self._here
        if trace is not None:
            self._say(about(trace))
        elif self.query_one(Line).value:
            self._say("No matching requests. Remove a word, or clear the search.")
        else:
            self._say(f"No requests yet. Run a tool ({key_of(self.app, 'run')}) to see its requests here.")

    @property
    def _here(self) -> Trace | None:
        """The request at the cursor."""
        return self._at_cursor(self._listed)


class RequestDetails(Dialog[None]):
    """Everything about one request."""

    DEFAULT_CSS = """
    RequestDetails {
        #box { width: 120; }
        #text { height: auto; max-height: 100%; scrollbar-size-vertical: 1; }
        #text Static { height: auto; }
    }
    """

    BINDINGS = [Binding("y", "copy", show=False)]

    def __init__(self, trace: Trace, traces: Traces) -> None:
        super().__init__()
        self._text = details(trace, traces.attempts(trace))

    def compose(self) -> ComposeResult:
        """The text, which scrolls, and the keys."""
        with Vertical(id="box"):
            with Scroll(id="text"):
                yield Static(_styled(self._text))
            yield self.keys_line(("↑ ↓", "Scroll"), ("y", "Copy"), ("Esc", "Back"))

    def on_mount(self) -> None:
        """Focus the text, which scrolls."""
        self.query_one("#text").focus()

    def on_resize(self) -> None:
        """Make the text scroll if it is too long; the keys stay visible."""
        self.query_one("#text").styles.max_height = max(self.app.size.height * 92 // 100 - 6, 4)

    @work(group="clipboard", exclusive=True, exit_on_error=False)
    async def action_copy(self) -> None:
        """Copy the text."""
        outcome = await copy(self.app, self._text)
        words = Content.styled(outcome.about("the request"), "$text-success" if outcome.done else "$text-error")
        self.query_one(".keys-here", Static).update(words)


def _styled(text: str) -> Content:
    """The text with its first line and its headings in bold."""
    lines = text.split("\n")
    parts = [
        Content.styled(line, "bold") if not place or line in _HEADINGS else Content(line) for place, line in enumerate(lines)
    ]
    return Content("\n").join(parts)
