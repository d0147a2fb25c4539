"""The status line of a result, and the card that shows its failure or notes."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from registry.calling.result import Failure, Result
from registry.calling.several_accounts import SeveralAccounts
from registry.journal.schema import RecordedResult
from registry.text.local_time import local_moment
from registry.text.readings import size as size
from registry.text.safe_text import shortened, visible, visible_line
from tui.explorer.fetch_windows import ResultWindow, RunningFetch
from tui.explorer.running_call import RunningCall

_BAR, _SHORT_CRUMB, _SHORT_WORDS, _LARGE = 20, 20, 40, 100_000


def status_line(result: Result, complete: bool | None = None) -> Content:
    """The status of a result in a line: whether a list is complete, time and account; for a failure status and request id."""
    if isinstance(result, ResultWindow):
        return _set_line(result)
    if isinstance(result, SeveralAccounts) and result.failure is None:
        return _several_line(result)
    failure = result.failure
    then = f"◷ from history, {local_moment(result.at)} · " if isinstance(result, RecordedResult) else ""
    parts = [Content.styled(then, "bold $text-warning")] if then else []
    if failure is not None:
        status = str(result.status) if result.status is not None else "no response"
        if failure.kind == "service" and (result.status or 0) < 300:
            status = "error"  # from an MCP server, which has no HTTP status
        parts.append(Content.styled(f"{status} · ", "$text-error"))
    facts = [_duration(result.elapsed)]
    if complete is not None:
        facts.insert(0, "complete" if complete else "one page")
    if result.size >= _LARGE:
        facts.append(size(result.size))
    if len(result.exchanges) > 1:
        facts.append(f"{len(result.exchanges)} requests")
    facts.append(result.connection)
    if failure is not None and result.request_id:
        facts.append(visible_line(result.request_id))
    parts.append(Content.styled(" · ".join(facts), "$text-muted"))
    return Content.assemble(*parts)


def _several_line(result: SeveralAccounts) -> Content:
    """How complete the lists of several accounts are, always in full; then the time and requests it took."""
    facts = [_duration(result.elapsed), f"{len(result.exchanges)} requests"]
    if result.failed:
        names = ", ".join(visible_line(part.connection) for part in result.failed)
        mark = Content.styled(f"✗ incomplete: without {names}", "bold $text-error")
    elif result.partial:
        mark = Content.styled("◐ one page of each account", "$text-warning")
    else:
        mark = Content.styled("✓ complete", "$text-success")
    return Content.assemble(mark, Content.styled(" · " + " · ".join(facts), "$text-muted"))


def _set_line(window: ResultWindow) -> Content:
    """How complete a fetched list is, always in full; then the pages and time it took."""
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


def running_line(running: RunningCall, cancel: str) -> Content:
    """The progress of a call: its seconds, what it waits for, and the key that cancels it."""
    elapsed, progress = running.elapsed, running.progress
    if running.fetch is not None:
        return fetch_line(running.fetch)
    if running.change is not None and running.change.stopping:
        words = f"Stopped · checking whether the change was made · {elapsed:.1f} s"
        return Content.assemble(
            Content.styled(words, "$text-warning"), Content.styled(f" · {cancel} skips the check", "$text-muted")
        )
    parts = [Content.styled(f"Running {elapsed:.1f} s", "bold $text")]
    if progress is not None and progress.waiting is not None:
        words = f" · {progress.reason}: retry in {progress.waiting:.0f} s (attempt {progress.attempt + 1})"
        parts.append(Content.styled(words, "$text-warning"))
    elif progress is not None and progress.done is not None:
        of = f" of {progress.total:g}" if progress.total else ""
        words = f" · {shortened(visible_line(progress.words), _SHORT_WORDS)}" if progress.words else ""
        parts.append(Content.styled(f" · {progress.done:g}{of}{words}", "$text-muted"))
    elif progress is not None and progress.received:
        of = f" of {size(progress.expected)}" if progress.expected else ""
        parts.append(Content.styled(f" · {size(progress.received)}{of}", "$text-muted"))
    elif progress is not None and (progress.request > 1 or progress.attempt > 1):
        parts.append(Content.styled(f" · request {progress.request}, attempt {progress.attempt}", "$text-muted"))
    elif progress is not None and progress.words:
        parts.append(Content.styled(f" · {shortened(visible_line(progress.words), _SHORT_WORDS)}", "$text-warning"))
    parts.append(Content.styled(f" · {cancel} cancels", "$text-muted"))
    return Content.assemble(*parts)


def fitted_way(crumbs: Sequence[str], room: int) -> str:
    """The breadcrumbs in so many cells: all of them, shortened, or only the last ones."""
    short = [shortened(crumb, _SHORT_CRUMB) for crumb in crumbs]
    ways = [[*crumbs], *(["…"] * (start > 0) + short[start:] for start in range(len(short)))]
    return next((text for way in ways if len(text := " › ".join(way)) <= room), "".join(short[-1:]))


def fetch_line(fetch: RunningFetch) -> Content:
    """The progress of a fetch: a bar if the total is known, the count, the rate, and what it waits for."""
    gathered, gathering = fetch.so_far, fetch.list_fetch
    parts = [Content.styled("Fetching ", "bold $text")]
    if gathered.total:
        end = min(gathered.total, gathering.most or gathered.total)
        full = min(round(_BAR * gathered.count / end), _BAR) if end else _BAR
        parts += [Content.styled("━" * full, "$text-primary"), Content.styled("─" * (_BAR - full) + " ", "$foreground-muted")]
    of = f" of {gathered.total:,}" if gathered.total is not None else ""
    parts.append(Content(f"{gathered.count:,}{of}"))
    pages = "1 page" if gathered.pages == 1 else f"{gathered.pages:,} pages"
    parts.append(Content.styled(f"\n{pages} · {gathered.rate:,.0f}/s", "$foreground-muted"))
    if gathering.waiting is not None:
        words = f" · {visible_line(gathering.reason)}: retry in {gathering.waiting:.0f} s"
        parts.append(Content.styled(words, "$text-warning"))
    parts.append(Content.styled(" · Esc stops", "$foreground-muted"))
    return Content.assemble(*parts)


def card(result: Result, unreadable: str) -> Content | None:
    """The card of a result: a failure's cause, details and next step, or the result's notes; None if there are none."""
    if result.failure is not None:
        return _failure_card(result.failure, unreadable)
    words = list(result.notes)
    if isinstance(result, SeveralAccounts):
        words = [*map(_failed_account, result.failed), *words]
    if isinstance(result, ResultWindow) and result.fetched_list.duplicates:
        words.append(f"The service returned the same id more than once: {result.fetched_list.twice}.")
    if not result.body and not words and not (isinstance(result, RecordedResult) and not result.kept):
        words.append("Done. The response has no body.")
    if unreadable:
        words.append("The response is not JSON: " + unreadable[:500])
    return Content(visible("\n".join(words))) if words else None


def _failed_account(part: Result) -> str:
    failure = part.failure
    assert failure is not None
    return f"✗ {part.connection}: {failure.title}. {failure.cause} {failure.next_step}"


def _failure_card(failure: Failure, text: str) -> Content:
    parts = [
        Content(visible_line(failure.cause)),  # its title is above the card
    ]
    parts += [Content("\n" + visible_line(detail)) for detail in failure.details]
    parts.append(Content.styled("\n→ " + visible(failure.next_step), "$text-accent"))
    facts = [("type", failure.type), ("code", failure.code), ("parameter", failure.parameter)]
    words = " · ".join(f"{name} {visible_line(value)}" for name, value in facts if value)
    if words:
        parts.append(Content.styled("\n" + words, "$foreground-muted"))
    if failure.documentation:
        parts.append(Content.styled("\n" + visible_line(failure.documentation), "$foreground-muted"))
    if text:
        parts.append(Content.styled("\n\n" + visible(text), "$foreground-muted"))
    return Content.assemble(*parts)


def _duration(elapsed: float) -> str:
    return f"{elapsed * 1000:.0f} ms" if elapsed < 1 else f"{elapsed:.2f} s"
