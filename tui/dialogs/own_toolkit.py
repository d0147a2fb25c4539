"""A toolkit that the user added: its source, the changes of a refresh, and removing it.

Every change is shown first: what a refresh would change is asked about, and so is removing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from textual.app import App
from textual.content import Content

from registry.accounts.connection import ConnectionSettingsError
from registry.openapi.document import DocumentRefused
from registry.openapi.store import Change, Kept, keep_prepared, look_again, remove
from registry.text.readings import counted
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.questions import Question, YesNo

_WIDE, _MOST_NAMES, _MOST_LINES = 400, 12, 3
_Found = TypeVar("_Found")


class Done(NamedTuple):
    """What was done to a toolkit: how it is stored now, and what has changed; None as `change` means it was removed."""

    kept: Kept
    change: Change | None


async def own_toolkit(
    app: App[Any], kept: Kept, headers: Callable[[], Mapping[str, str] | None], form: str = ""
) -> Done | None:
    """Show a toolkit, and refresh or remove it as the user chooses; returns what was done. Call it in a worker.

    Args:
        app: shows the questions, and what goes wrong.
        kept: the toolkit.
        headers: returns the headers for requests to an MCP server. It may block, and raise `ConnectionSettingsError`.
        form: the name of its tool whose form is open; empty if none is.
    """

    async def tried(do: Callable[[], _Found], problem: str) -> _Found | None:
        try:
            return await asyncio.to_thread(do)
        except (DocumentRefused, ConnectionSettingsError) as refusal:
            words = f"{refusal} The toolkit stays as it is."
        except OSError as error:
            words = f"{problem}: {error.strerror or error}."
        app.notify(words, title="Toolkits", severity="error", timeout=12)
        return None

    def removed() -> Done:
        remove(kept)
        return Done(kept, None)

    source = kept.source
    again = "Ask the server again" if source.mcp is not None else "Read the document again"
    ways = {"look": again, "delete": "Remove"}
    way = await app.push_screen_wait(Question(shortened(visible_line(source.title), 70), facts_of(kept), ways))
    if way == "delete":
        lost = [Content("It goes with its overlay. Its accounts and the history stay.")]
        lost += [Content(f"The open form of {form} goes with it.")] if form else []
        if await app.push_screen_wait(YesNo(f"Remove {source.toolkit}?", lost, "Remove", danger=True)):
            return await tried(removed, "The toolkit cannot be removed")
    elif way == "look":
        app.notify("Reading …", title="Toolkits", timeout=2)
        renewed = await tried(lambda: look_again(kept, headers()), "The source cannot be read")
        if renewed is not None:
            changes = changes_of(renewed.change, form)
            if await app.push_screen_wait(YesNo("Keep what was read?", changes, "Keep")):
                return await tried(lambda: Done(keep_prepared(renewed), renewed.change), "The toolkit cannot be kept")
    return None


def facts_of(kept: Kept) -> list[Content]:
    """A toolkit's source in a few lines."""
    source = kept.source
    lines = [
        Content(visible_line(f"{source.toolkit} · {counted(source.tools, 'tool')} from {source.kind}")),
        Content(shortened(visible_line(f"From {source.source}"), _WIDE)),
        Content.styled(visible_line(f"Read {source.added}"), "$foreground-muted"),
    ]
    if kept.guesses:
        first = "; ".join(one.what for one in kept.guesses[:_MOST_LINES])
        words = f"{counted(len(kept.guesses), 'guess', 'guesses')}: {first}"
        lines.append(Content(shortened(visible_line(words), _WIDE)))
    if source.left_out:
        words = f"{counted(len(source.left_out), 'operation')} left out; the first: {source.left_out[0]}"
        lines.append(Content.styled(shortened(visible_line(words), _WIDE), "$text-warning"))
    return lines


def changes_of(change: Change, form: str) -> list[Content]:
    """The changes of a refresh."""
    groups = (("+ New", change.added, ""), ("× Gone", change.removed, "$text-error"), ("~ Changed", change.changed, ""))
    lines = []
    for word, names, style in groups:
        if names:
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            lines.append(Content.styled(visible_line(f"{word} {len(names)}: {', '.join(names[:_MOST_NAMES])}{more}"), style))
    if not lines:
        lines.append(Content("The same tools." if change.same else "The source is another one; the tools are the same."))
    if form in change.removed:
        lines.append(Content.styled(visible_line(f"{form} is open; its form goes with it."), "$text-warning"))
    elif form in change.changed:
        lines.append(Content(visible_line(f"{form} is open; its form keeps what still fits.")))
    return lines
