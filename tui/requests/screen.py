"""The debug view: the last requests of this program, newest first, updated live. Enter shows all details of one.

A request is text in one line, in two, and in full; safe to show and to paste.
"""

import time
from collections.abc import Iterable, Sequence
from datetime import datetime

from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from registry.calling.tracing import Headers, Trace, Traces
from registry.text.shown import shortened, size, visible, visible_line
from tui.dialogs.dialog import Keys, RowsDialog
from tui.dialogs.questions import Reader
from tui.state.settings import key_of
from tui.terminal.external_programs import copy_out
from tui.widgets.texts import Line

_LOOK_AGAIN = 0.5
_HEADINGS = ("Attempts", "Request", "Response")
TIME, STATUS, TOOK, TRIED, WHOSE = 10, 9, 9, 4, 12
_BAR = 30
_NAME = 12


def row(trace: Trace, width: int) -> Content:
    """A request in a line of so many columns: time, outcome, duration, attempt, whose it is, tool, method and path."""
    left = max(width - TIME - STATUS - TOOK - TRIED - WHOSE, 20)
    tool = min(left * 2 // 5, 34)
    return Content.assemble(
        Content.styled(f"{datetime.fromtimestamp(trace.at):%H:%M:%S}".ljust(TIME), "$foreground-muted"),
        Content.styled(outcome(trace).ljust(STATUS), colour(trace)),
        Content(took(_elapsed(trace)).rjust(TOOK - 2) + "  "),
        Content.styled(
            (f"×{trace.attempt}" if trace.attempt > 1 or trace.pause is not None else "").ljust(TRIED), "$text-warning"
        ),
        Content.styled(shortened(trace.whose or "you", WHOSE - 1).ljust(WHOSE), "$foreground-muted" if trace.whose else ""),
        Content(shortened(trace.tool, tool - 1).ljust(tool)),
        Content.styled(shortened(f"{trace.method} {path_of(trace)}", left - tool), "$foreground-muted"),
    )


def outcome(trace: Trace) -> str:
    """The outcome, as a sign and a word."""
    if trace.elapsed is None:
        return "◌ waiting" if trace.status is None else "◌ receiving"
    if trace.status is None:
        return "✗ no response"
    return f"{'✓' if _is_good(trace) else '✗'} {trace.status}"


def colour(trace: Trace) -> str:
    """The colour of the outcome."""
    return "$text-accent" if trace.elapsed is None else "$text-success" if _is_good(trace) else "$text-error"


def path_of(trace: Trace) -> str:
    """Path and query."""
    return "/" + visible_line(trace.url.split("/", 3)[-1])


def about(trace: Trace) -> str:
    """A request in two lines: its timings; then why it failed, the retry, rate limits and ids."""
    parts = [f"{name} {took(seconds)}" for name, seconds in _phases(trace)]
    if trace.size:
        parts.append(size(trace.size))
    parts.append(trace.connection)
    facts = [trace.fault] if trace.fault else []
    if trace.pause is not None:
        facts.append(f"retried after {took(trace.pause)}: {trace.reason}")
    if trace.limits:
        facts.append(trace.limits)
    facts += [value for _, value in trace.ids]
    return visible_line(" · ".join(parts)) + "\n" + visible_line(" · ".join(facts))


def fits(trace: Trace, words: Sequence[str]) -> bool:
    """Whether all words, in lower case, are in the text of a request."""
    state = "ok" if _is_good(trace) else "failed"
    retry = f"retry {trace.reason}" if trace.attempt > 1 or trace.pause is not None else ""
    parts = (
        trace.whose or "you",
        trace.tool,
        trace.connection,
        trace.method,
        trace.url,
        outcome(trace),
        state,
        retry,
        trace.fault,
    )
    said = " ".join((*parts, *(value for _, value in trace.ids))).lower()
    return all(word in said for word in words)


def details(trace: Trace, attempts: Sequence[Trace]) -> str:
    """Everything that is known about a request, as text."""
    attempt = f" · attempt {trace.attempt} of {len(attempts)}" if len(attempts) > 1 else ""
    parts = [outcome(trace), took(_elapsed(trace)), size(trace.size) if trace.size else "", trace.fault]
    lines = [
        f"{trace.method} {visible_line(trace.url)}",
        f"{trace.tool} · {visible_line(trace.connection)} · {_moment(trace.at)} · request {trace.request}{attempt}",
        "",
        visible_line(" · ".join(filter(None, parts))),
    ]
    phases = _phases(trace)
    whole = sum(seconds for _, seconds in phases)
    for name, seconds in phases:  # each with a bar in proportion to its time
        note = "  reused connection" if name == "connect" and seconds == 0 else ""
        bar = "█" * round(_BAR * seconds / whole) if whole else ""
        lines.append(f"{name.ljust(_NAME)}{took(seconds).rjust(8)}  {bar}{note}".rstrip())
    lines.append("")
    known = [("For", trace.whose or "you"), *([("Limits", trace.limits)] if trace.limits else []), *trace.ids]
    lines += [f"{visible_line(name).ljust(_NAME)} {visible_line(value)}" for name, value in known]
    lines.append("")
    if len(attempts) > 1:
        lines += ["Attempts", *(f"  {_attempt(one)}{'  ‹ current' if one is trace else ''}" for one in attempts), ""]
    lines += ["Request", *_shown(trace.sent, trace.asked)]
    if trace.headers:
        lines += ["", "Response", *_shown(trace.headers, trace.body)]
    return "\n".join(lines)


def listed(traces: Iterable[Trace]) -> str:
    """Requests as lines of text, the oldest first."""
    lines = []
    for one in sorted(traces, key=lambda one: one.number):
        parts = [_moment(one.at), outcome(one), took(one.elapsed), one.whose or "you", one.tool, one.connection]
        parts += [one.method, path_of(one)]
        lines.append("\t".join(filter(None, [*map(visible_line, parts), about(one).split("\n")[1]])))
    return "\n".join(lines) + "\n"


def took(seconds: float | None) -> str:
    """A duration."""
    if seconds is None:
        return "–"
    if 0 < seconds < 0.0005:
        return "<1 ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _is_good(trace: Trace) -> bool:
    return trace.status is not None and 200 <= trace.status < 300 and not trace.fault


def _elapsed(trace: Trace) -> float:
    return max(time.time() - trace.at, 0.0) if trace.elapsed is None else trace.elapsed


def _phases(trace: Trace) -> list[tuple[str, float]]:
    """The phases of a request and their seconds, as far as known."""
    phases = (("connect", trace.connecting), ("wait", trace.waiting), ("body", trace.receiving))
    known = [(name, seconds) for name, seconds in phases if seconds is not None]
    if trace.elapsed is not None and trace.waiting is None:
        known.append(("wait", max(trace.elapsed - (trace.connecting or 0.0), 0.0)))
    return known


def _attempt(trace: Trace) -> str:
    after = f"  retried after {took(trace.pause)}: {trace.reason}" if trace.pause is not None else ""
    return visible_line(
        f"{trace.attempt}  {datetime.fromtimestamp(trace.at):%H:%M:%S}  {outcome(trace):<8}{took(_elapsed(trace)):>8}{after}"
    )


def _shown(headers: Headers, body: str) -> list[str]:
    lines = [f"  {visible_line(name)}: {visible_line(value)}" for name, value in headers]
    return [*lines, "", *(f"  {line}" for line in visible(body).split("\n"))] if body else lines


def _moment(at: float) -> str:
    return f"{datetime.fromtimestamp(at):%H:%M:%S.%f}"[:-3]


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
        if (trace := self.at_cursor(self._listed)) is not None:
            copy_out(self, details(trace, self._traces.attempts(trace)), "the request")

    def action_copy_all(self) -> None:
        copy_out(self, listed(self._listed), "1 request" if len(self._listed) == 1 else f"{len(self._listed)} requests")

    def _typed(self, text: str) -> None:
        self._refill()

    def _take(self) -> None:
        if (trace := self.at_cursor(self._listed)) is not None:
            self.app.push_screen(RequestDetails(trace, self._traces))

    def _look_again(self) -> None:
        """Show changes, and how long running requests have taken."""
        if self._revision != self._traces.revision or any(trace.elapsed is None for trace in self._listed):
            self._refill()

    def _refill(self) -> None:
        here = self.at_cursor(self._listed) if self.rows.has_focus else None
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
        self._tell()

    def _tell(self) -> None:
        if (trace := self.at_cursor(self._listed)) is not None:
            self.say(about(trace))
        elif self.query_one(Line).value:
            self.say("No matching requests. Remove a word, or clear the search.")
        else:
            self.say(f"No requests yet. Run a tool ({key_of(self.app, 'run')}) to see its requests here.")


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
