"""A request as text: in one line, in two, and in full; safe to show and to paste."""

import time
from collections.abc import Iterable, Sequence
from datetime import datetime

from textual.content import Content

from registry.calling.tracing import Headers, Trace
from registry.text.readings import size
from registry.text.safe_text import shortened, visible, visible_line

TIME, STATUS, TOOK, TRIED, WHOSE = 10, 9, 9, 4, 10
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
        Content.styled(_tried(trace).ljust(TRIED), "$text-warning"),
        Content.styled(shortened(whose(trace), WHOSE - 1).ljust(WHOSE), "$foreground-muted" if trace.whose else ""),
        Content(shortened(trace.tool, tool - 1).ljust(tool)),
        Content.styled(shortened(f"{trace.method} {path_of(trace)}", left - tool), "$foreground-muted"),
    )


def whose(trace: Trace) -> str:
    """Who wanted a request: you, or a part of the program that reads by itself."""
    return trace.whose or "you"


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
    parts = (whose(trace), trace.tool, trace.connection, trace.method, trace.url, outcome(trace), state, retry, trace.fault)
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
        *_times(trace),
        "",
    ]
    known = [("For", whose(trace)), *([("Limits", trace.limits)] if trace.limits else []), *trace.ids]
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
        parts = [_moment(one.at), outcome(one), took(one.elapsed), whose(one), one.tool, one.connection]
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


def _tried(trace: Trace) -> str:
    """The number of the attempt, if there is more than one."""
    return f"×{trace.attempt}" if trace.attempt > 1 or trace.pause is not None else ""


def _elapsed(trace: Trace) -> float:
    return max(time.time() - trace.at, 0.0) if trace.elapsed is None else trace.elapsed


def _phases(trace: Trace) -> list[tuple[str, float]]:
    """The phases of a request and their seconds, as far as known."""
    phases = (("connect", trace.connecting), ("wait", trace.waiting), ("body", trace.receiving))
    known = [(name, seconds) for name, seconds in phases if seconds is not None]
    if trace.elapsed is not None and trace.waiting is None:
        known.append(("wait", max(trace.elapsed - (trace.connecting or 0.0), 0.0)))
    return known


def _times(trace: Trace) -> list[str]:
    """The phases, each with a bar in proportion to its time."""
    phases = _phases(trace)
    whole = sum(seconds for _, seconds in phases)
    lines = []
    for name, seconds in phases:
        note = "  reused connection" if name == "connect" and seconds == 0 else ""
        bar = "█" * round(_BAR * seconds / whole) if whole else ""
        lines.append(f"{name.ljust(_NAME)}{took(seconds).rjust(8)}  {bar}{note}".rstrip())
    return lines


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
