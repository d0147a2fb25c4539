"""What is told about a result in words: its status in a line, and a failure or notes as a card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from registry.text import visible, visible_line

if TYPE_CHECKING:
    from registry.calling.result import Failure, Result


def status_line(result: Result) -> Content:
    """Status, time, size and request id in a line."""
    failure = result.failure
    status = str(result.status) if result.status is not None else "no answer"
    parts = [Content.styled(f"{'✗' if failure else '✓'} {status}", "bold $text-error" if failure else "bold $text-success")]
    facts = [_duration(result.elapsed), size(result.size) if result.size else "no body"]
    if len(result.exchanges) > 1:
        facts.append(f"{len(result.exchanges)} requests")
    if result.request_id:
        facts.append(visible_line(result.request_id))
    facts.append(result.connection)
    parts.append(Content.styled(" · " + " · ".join(facts), "$foreground-muted"))
    return Content.assemble(*parts)


def card(result: Result, unreadable: str) -> Content | None:
    """A failure as title, cause and way out; or the notes that come with an answer; or neither."""
    if result.failure is not None:
        return _failure_card(result.failure, unreadable)
    words = [*result.notes]
    if not result.body:
        words.append("Done. The service answers without a body.")
    if unreadable:
        words.append("The answer is not JSON: " + unreadable[:500])
    return Content(visible("\n".join(words))) if words else None


def _failure_card(failure: Failure, text: str) -> Content:
    parts = [
        Content.styled(failure.title, "bold $text-error"),
        Content("\n" + visible(failure.cause)),
    ]
    parts += [Content("\n" + visible(detail)) for detail in failure.details]
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


def size(count: int) -> str:
    """A number of bytes as people write it."""
    for unit, amount in (("MB", 1_000_000), ("kB", 1_000)):
        if count >= amount:
            return f"{count / amount:.1f} {unit}"
    return f"{count} B"
