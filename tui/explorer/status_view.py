"""The status line of a result, and the card that shows its failure or notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from registry.display.local_time import local_moment
from registry.display.readings import size as size
from registry.display.safe_text import visible, visible_line
from registry.journal.recorded_result import RecordedResult
from tui.explorer.fetch_windows import ResultWindow

if TYPE_CHECKING:
    from registry.calling.result import Failure, Result
    from tui.explorer.fetch_windows import RunningFetch

_BAR = 20


def status_line(result: Result) -> Content:
    """Status, time, size and request id in a line."""
    if isinstance(result, ResultWindow):
        return _set_line(result)
    failure = result.failure
    then = f"◷ as of {local_moment(result.at)} · " if isinstance(result, RecordedResult) else ""
    status = str(result.status) if result.status is not None else "no answer"
    parts = [Content.styled(then, "bold $text-warning")] if then else []
    parts += [Content.styled(f"{'✗' if failure else '✓'} {status}", "bold $text-error" if failure else "bold $text-success")]
    facts = [_duration(result.elapsed), size(result.size) if result.size else "no body"]
    if len(result.exchanges) > 1:
        facts.append(f"{len(result.exchanges)} requests")
    if result.request_id:
        facts.append(visible_line(result.request_id))
    facts.append(result.connection)
    parts.append(Content.styled(" · " + " · ".join(facts), "$foreground-muted"))
    return Content.assemble(*parts)


def _set_line(window: ResultWindow) -> Content:
    """How much of its list a fetched set is, always in full; then what that took."""
    gathered = window.fetched_list
    mark, colour = (
        ("✗", "$text-error") if gathered.failure else ("✓", "$text-success") if gathered.complete else ("◐", "$text-warning")
    )
    pages = "1 page" if gathered.pages == 1 else f"{gathered.pages:,} pages"
    facts = [pages, _duration(gathered.elapsed), window.connection, f"{gathered.rate:,.0f}/s"]
    return Content.assemble(
        Content.styled(f"{mark} {visible_line(gathered.share)}", f"bold {colour}"),
        Content.styled(" · " + " · ".join(facts), "$foreground-muted"),
    )


def fetch_line(frame: str, fetch: RunningFetch) -> Content:
    """How a fetch is getting on: a bar where it is known how many there are, the count, the rate, and what it waits for."""
    gathered, gathering = fetch.so_far, fetch.list_fetch
    parts = [Content.styled(f"{frame} Fetching ", "bold $text-accent")]
    if gathered.total:
        end = min(gathered.total, gathering.most or gathered.total)
        full = min(round(_BAR * gathered.count / end), _BAR) if end else _BAR
        parts += [Content.styled("━" * full, "$text-accent"), Content.styled("─" * (_BAR - full) + " ", "$foreground-muted")]
    of = f" of {gathered.total:,}" if gathered.total is not None else ""
    parts.append(Content(f"{gathered.count:,}{of}"))
    pages = "1 page" if gathered.pages == 1 else f"{gathered.pages:,} pages"
    parts.append(Content.styled(f"\n{pages} · {gathered.rate:,.0f}/s", "$foreground-muted"))
    if gathering.waiting is not None:
        words = f" · {visible_line(gathering.reason)}: goes on in {gathering.waiting:.1f} s"
        parts.append(Content.styled(words, "$text-warning"))
    parts.append(Content.styled(" · Esc stops", "$foreground-muted"))
    return Content.assemble(*parts)


def card(result: Result, unreadable: str) -> Content | None:
    """A failure as title, cause and way out; or the notes that come with an answer; or neither."""
    if result.failure is not None:
        return _failure_card(result.failure, unreadable)
    words = [*result.notes, *result.unusual]
    if isinstance(result, ResultWindow) and result.fetched_list.duplicates:
        words.append(f"The list moved while it was fetched: {result.fetched_list.twice}.")
    if not result.body and not words and not (isinstance(result, RecordedResult) and not result.kept):
        words.append("Done. The service answers without a body.")
    if unreadable:
        words.append("The answer is not JSON: " + unreadable[:500])
    return Content(visible("\n".join(words))) if words else None


def _failure_card(failure: Failure, text: str) -> Content:
    parts = [
        Content.styled(failure.title, "bold $text-error"),
        Content("\n" + visible_line(failure.cause)),
    ]
    parts += [Content("\n" + visible_line(detail)) for detail in failure.details]
    parts.append(Content.styled("\n→ " + visible(failure.next_step), "$text-accent"))
    facts = [("type", failure.type), ("code", failure.code), ("parameter", failure.parameter)]
    told = " · ".join(f"{name} {visible_line(value)}" for name, value in facts if value)
    if told:
        parts.append(Content.styled("\n" + told, "$foreground-muted"))
    if failure.documentation:
        parts.append(Content.styled("\n" + visible_line(failure.documentation), "$foreground-muted"))
    if text:
        parts.append(Content.styled("\n\n" + visible(text), "$foreground-muted"))
    return Content.assemble(*parts)


def _duration(elapsed: float) -> str:
    return f"{elapsed * 1000:.0f} ms" if elapsed < 1 else f"{elapsed:.2f} s"
