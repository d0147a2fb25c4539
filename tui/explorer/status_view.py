"""What is said beside the title of a result, and the card that shows its failure or notes."""

from collections.abc import Sequence

from textual.content import Content

from registry.calling.result import Result
from registry.calling.sending import Progress
from registry.calling.several_accounts import SeveralAccounts
from registry.journal.entries import RecordedResult
from registry.text.shown import counted, local_moment, shortened, size, visible, visible_line
from tui.explorer.running_call import ResultWindow, RunningCall

_BAR, _SHORT_WORDS, _LARGE = 20, 40, 100_000

_MOST_TEXT = 2_000


def chips(result: Result, share: str = "", complete: bool | None = None) -> tuple[Content, ...]:
    """What is said beside the title of a result: status, time, how many of how many, account; in full, and shorter.

    How complete a list is stays longest, and is never grey if something is missing.
    """
    failure, status, requests = result.failure, str(result.status or ""), f"{len(result.exchanges)} requests"
    elapsed = f"{result.elapsed * 1000:.0f} ms" if result.elapsed < 1 else f"{result.elapsed:.2f} s"
    facts = [status, elapsed, size(result.size) if result.size >= _LARGE else ""]
    facts.append(requests if len(result.exchanges) > 1 else "")
    account = [result.connection]
    style = "$text-muted" if complete else "bold $text-warning"
    if isinstance(result, ResultWindow):
        fetched = result.list_fetch
        mark, colour = ("✗", "error") if fetched.failure else ("✓", "success") if fetched.complete else ("◐", "warning")
        share, style = f"{mark} {fetched.share}", f"bold $text-{colour}"
        facts = [counted(fetched.pages, "page"), facts[1], f"{fetched.rate:,.0f}/s"]
    elif isinstance(result, SeveralAccounts) and failure is None:
        share, style, facts, account = "✓ complete", "$text-success", [facts[1], requests], []
        if result.failed:
            names = ", ".join(part.connection for part in result.failed)
            share, style = f"✗ incomplete: without {names}", "bold $text-error"
        elif result.partial:
            share, style = "◐ one page of each account", "$text-warning"
    elif failure is not None:
        share, style, facts[0] = status or "no response", "bold $text-error", ""
        if failure.kind == "service" and (result.status or 0) < 300:
            share = "error"  # from an MCP server, which has no HTTP status
        account.append(result.request_id or "")
    core = Content.styled(visible_line(share), style)
    before = Content.styled(
        f"◷ from history, {local_moment(result.at)}" if isinstance(result, RecordedResult) else "", "bold $text-warning"
    )
    said, whose = _faint(*filter(None, facts)), [_faint(visible_line(one)) for one in account if one]
    first = [before, core, said] if failure is not None else [before, said, core]
    return _chip([*first, *whose]), _chip([before, core, *whose[:1]]), _chip([before, core])


def _chip(parts: Sequence[Content]) -> Content:
    return Content.styled(" · ", "$text-muted").join([one for one in parts if one])


def _faint(*facts: str) -> Content:
    return Content.styled(" · ".join(facts), "$text-muted")


def running_line(running: RunningCall, cancel: str) -> Content:
    """The progress of a call: its seconds, what it waits for, and the key that cancels it."""
    if running.fetch is not None:
        # A bar if the total is known, the count, the rate, and what it waits for.
        fetched, parts = running.fetch.list_fetch, [Content.styled("Fetching ", "bold $text")]
        if fetched.total:
            end = min(fetched.total, fetched.most or fetched.total)
            full = min(round(_BAR * fetched.count / end), _BAR) if end else _BAR
            parts += [
                Content.styled("━" * full, "$text-primary"),
                Content.styled("─" * (_BAR - full) + " ", "$foreground-muted"),
            ]
        of = f" of {fetched.total:,}" if fetched.total is not None else ""
        parts += [Content(f"{fetched.count:,}{of}"), _faint("", counted(fetched.pages, "page"), f"{fetched.rate:,.0f}/s")]
        if fetched.waiting is not None:
            words = f" · {visible_line(fetched.reason)}: retry in {fetched.waiting:.0f} s"
            parts.append(Content.styled(words, "$text-warning"))
        return Content.assemble(*parts, _faint("", "Esc stops"))
    elapsed = f"{running.elapsed:.1f} s"
    if running.change is not None and running.change.dropped.is_set():
        words = f"Stopped · checking whether the change was made · {elapsed}"
        return Content.assemble((words, "$text-warning"), _faint("", f"{cancel} skips the check"))
    progress = running.progress or Progress(1, 1)
    style, state = "$text-muted", shortened(visible_line(progress.words), _SHORT_WORDS)
    if progress.waiting is not None:
        state = f"{progress.reason}: retry in {progress.waiting:.0f} s (attempt {progress.attempt + 1})"
        style = "$text-warning"
    elif progress.done is not None:
        of = f" of {progress.total:g}" if progress.total else ""
        state = " · ".join(filter(None, [f"{progress.done:g}{of}", state]))
    elif progress.received:
        state = size(progress.received) + (f" of {size(progress.expected)}" if progress.expected else "")
    elif progress.request > 1 or progress.attempt > 1:
        state = f"request {progress.request}, attempt {progress.attempt}"
    elif state:
        style = "$text-warning"
    shown = Content.styled(f" · {state}", style) if state else Content()
    return Content.assemble((f"Running {elapsed}", "bold $text"), shown, _faint("", f"{cancel} cancels"))


def card(result: Result, unreadable: str) -> Content | None:
    """The card of a result: a failure's cause, details and next step, or notes and text; None if there are none."""
    if (failure := result.failure) is not None:
        named = [("type", failure.type), ("code", failure.code), ("parameter", failure.parameter)]
        facts = " · ".join(f"{name} {visible_line(value)}" for name, value in named if value)
        below = [facts, visible_line(failure.documentation or ""), "\n" + visible(unreadable) if unreadable else ""]
        return Content.assemble(
            Content("\n".join(map(visible_line, [failure.cause, *failure.details]))),  # its title is above the card
            ("\n→ " + visible(failure.next_step), "$text-accent"),
            *(Content.styled(f"\n{words}", "$foreground-muted") for words in below if words),
        )
    words = list(result.notes)
    if isinstance(result, SeveralAccounts):
        failed = ((one.connection, one.failure) for one in result.failed)
        words[:0] = [f"✗ {name}: {why.title}. {why.cause} {why.next_step}" for name, why in failed if why is not None]
    if isinstance(result, ResultWindow) and result.list_fetch.duplicates:
        words.append(f"The service returned the same id more than once: {result.list_fetch.twice}.")
    if not result.body and not words and not (isinstance(result, RecordedResult) and not result.kept):
        words.append("Done. The response has no body.")
    if (text := result.text) is not None:
        more = f"\n… {len(text) - _MOST_TEXT:,} characters more: View value" if len(text) > _MOST_TEXT else ""
        words.append(text[:_MOST_TEXT].rstrip("\n") + more)
    if unreadable:
        words.append("The response is not JSON: " + unreadable[:500])
    return Content(visible("\n".join(words))) if words else None
