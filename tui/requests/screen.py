"""The debug view: the last requests of this program, newest first, updated live. Enter shows all details of one."""

from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from registry.calling.tracing import Trace, Traces
from tui.dialogs.dialog import Keys
from tui.dialogs.reader import Reader
from tui.dialogs.rows_below import RowsDialog
from tui.requests.words import about, details, fits, listed, row
from tui.state.settings import key_of
from tui.terminal.clipboard import copy_out
from tui.widgets.text_line import Line

_LOOK_AGAIN = 0.5
_HEADINGS = ("Attempts", "Request", "Response")


class RequestsDialog(RowsDialog[None]):
    """The last requests. Nothing is sent from here."""

    DEFAULT_CSS = """
    RequestsDialog { #said { text-wrap: nowrap; text-overflow: ellipsis; } }
    """

    BINDINGS = [
        Binding("y", "copy", show=False),
        Binding("Y", "copy_all", show=False),
        Binding("slash", "type", show=False),
    ]
    AUTO_FOCUS = "Line"

    widest = 160
    hint = "Search: text · failed · retry · you · dashboard · 429"
    fixed = True
    keys: Keys = (("↓", "List"), ("Enter", "Details"), ("y", "Copy"), ("Y", "Copy all"), ("/", "Find"), ("Esc", "Close"))

    def __init__(self, traces: Traces) -> None:
        super().__init__()
        self._traces = traces
        self._listed: list[Trace] = []
        self._revision = -1

    def on_mount(self) -> None:
        self.set_interval(_LOOK_AGAIN, self._look_again)

    def action_enter_list(self) -> None:
        if self._listed:
            self.rows.focus()

    def action_copy(self) -> None:
        if (trace := self._here) is not None:
            copy_out(self, details(trace, self._traces.attempts(trace)), "the request")

    def action_copy_all(self) -> None:
        copy_out(self, listed(self._listed), "1 request" if len(self._listed) == 1 else f"{len(self._listed)} requests")

    def _typed(self, text: str) -> None:
        self._refill()

    def _take(self) -> None:
        if (trace := self._here) is not None:
            self.app.push_screen(RequestDetails(trace, self._traces))

    def _look_again(self) -> None:
        """Show changes, and how long running requests have taken."""
        if self._revision != self._traces.revision or any(trace.elapsed is None for trace in self._listed):
            self._refill()

    def _refill(self) -> None:
        here = self._here if self.rows.has_focus else None
        self._revision = self._traces.revision
        every = self._traces.newest_first()
        words = self.query_one(Line).value.lower().split()
        self._listed = [trace for trace in every if fits(trace, words)]
        self.fill((row(trace, self.room) for trace in self._listed), self._listed.index(here) if here in self._listed else 0)
        if not self._listed:
            self.query_one(Line).focus()
        count = f"{len(self._listed)} of {len(every)}" if words else f"the last {len(every)}" if every else "none yet"
        title = (Content.styled("Requests", "bold"), Content.styled(f" · {count}", "$foreground-muted"))
        self.query_one("#title", Static).update(Content.assemble(*title))
        self._moved()

    def _moved(self) -> None:
        if (trace := self._here) is not None:
            self.say(about(trace))
        elif self.query_one(Line).value:
            self.say("No matching requests. Remove a word, or clear the search.")
        else:
            self.say(f"No requests yet. Run a tool ({key_of(self.app, 'run')}) to see its requests here.")

    @property
    def _here(self) -> Trace | None:
        return self.at_cursor(self._listed)


class RequestDetails(Reader):
    """Everything about one request; its headings are bold."""

    DEFAULT_CSS = """
    RequestDetails { #box { width: 120; } }
    """

    def __init__(self, trace: Trace, traces: Traces) -> None:
        super().__init__("Request", details(trace, traces.attempts(trace)), copies="the request")

    def _drawn(self, text: str) -> Content:
        lines = text.split("\n")
        return Content("\n").join(Content.styled(line, "bold" if line in _HEADINGS else "") for line in lines)
