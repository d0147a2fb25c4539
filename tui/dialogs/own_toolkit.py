"""A toolkit that the user added: its source, the changes of a refresh, and removing it.

Every change is shown first: a refresh is read, then stored with a second key, and removing asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from registry.accounts.problems import ConnectionSettingsError
from registry.openapi.document import DocumentRefused
from registry.openapi.store import Change, Kept, Prepared, keep_prepared, look_again, remove
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.dialog import Dialog
from tui.dialogs.questions import YesNo
from tui.widgets.scrolling import Scroll

_WIDE, _MOST_NAMES, _MOST_LINES = 400, 12, 3


class Done(NamedTuple):
    """What was done to a toolkit: how it is stored now, and what has changed; None as `change` means it was removed."""

    kept: Kept
    change: Change | None


class OwnToolkit(Dialog["Done | None"]):
    """Returns what was done.

    Args:
        kept: the toolkit.
        headers: returns the headers for requests to an MCP server. It may block, and raise `ConnectionSettingsError`.
        form: the name of its tool whose form is open; empty if none is.
    """

    DEFAULT_CSS = """
    OwnToolkit { #said { margin: 1 0 0 0; min-height: 2; } }
    """

    BINDINGS = [
        Binding("r", "look", "Read again"),
        Binding("enter", "keep", "Keep"),
        Binding("d", "remove", "Remove"),
    ]
    AUTO_FOCUS = "#box"

    box = Scroll

    def __init__(self, kept: Kept, headers: Callable[[], Mapping[str, str] | None], form: str = "") -> None:
        super().__init__()
        self._kept, self._headers, self._form = kept, headers, form
        self.heading = shortened(visible_line(kept.source.title), 70)
        self._renewed: Prepared | None = None
        self._busy = False

    def _body(self) -> ComposeResult:
        yield Static(facts_of(self._kept))
        yield Static(id="said")

    def on_mount(self) -> None:
        """Say what can be done."""
        what = "asks the server" if self._kept.source.mcp is not None else "reads the document"
        self._tell(f"r {what} again and shows what that would change.", "$foreground-muted")

    def action_look(self) -> None:
        """Read the source again, and show what would change."""
        if not self._busy:
            self._renewed = None
            self._tell("Reading …", "$foreground-muted")
            self._work(lambda: look_again(self._kept, self._headers()), "The source cannot be read")

    def action_keep(self) -> None:
        """Keep what was read."""
        if (renewed := self._renewed) is not None and not self._busy:
            self._work(lambda: Done(keep_prepared(renewed), renewed.change), "The toolkit cannot be kept")

    @work(group="remove", exclusive=True, exit_on_error=False)
    async def action_remove(self) -> None:
        """Remove the toolkit, after asking."""
        toolkit, lost = self._kept.source.toolkit, [Content("It goes with its overlay. Its accounts and the history stay.")]
        lost += [Content(f"The open form of {self._form} goes with it.")] if self._form else []
        if not self._busy and await self.app.push_screen_wait(YesNo(f"Remove {toolkit}?", lost, "Remove", danger=True)):
            self._work(self._removed, "The toolkit cannot be removed")

    def _removed(self) -> Done:
        remove(self._kept)
        return Done(self._kept, None)

    @work(group="toolkit", exit_on_error=False)
    async def _work(self, do: Callable[[], Prepared | Done], problem: str) -> None:
        """Do something in a thread: show the changes that were read, or close with what was done."""
        self._busy = True
        try:
            found = await asyncio.to_thread(do)
        except (DocumentRefused, ConnectionSettingsError) as refusal:
            self._tell(f"{refusal} The toolkit stays as it is.", "$text-error")
        except OSError as error:
            self._tell(f"{problem}: {error.strerror or error}.", "$text-error")
        else:
            if isinstance(found, Done):
                self.dismiss(found)
            else:
                self._renewed = found
                self._tell(changes_of(found.change, self._form))
        finally:
            self._busy = False

    def _tell(self, words: str | Content, style: str = "") -> None:
        """Show a message, and the keys that work now."""
        self.say(shortened(words, _WIDE) if isinstance(words, str) else words, style)
        keeps = [("Enter", "Keep what was read")] if self._renewed is not None else []
        self.show_keys(("r", "Read again"), *keeps, ("d", "Remove"), ("Esc", "Close"))


def facts_of(kept: Kept) -> Content:
    """A toolkit's source in a few lines."""
    source = kept.source
    lines = [
        Content(visible_line(f"{source.toolkit} · {count(source.tools, 'tool')} from {source.kind}")),
        Content(shortened(visible_line(f"From {source.source}"), _WIDE)),
        Content.styled(visible_line(f"Read {source.added}"), "$foreground-muted"),
    ]
    if kept.guesses:
        first = "; ".join(one.what for one in kept.guesses[:_MOST_LINES])
        words = f"{count(len(kept.guesses), 'guess', 'guesses')}: {first}"
        lines.append(Content(shortened(visible_line(words), _WIDE)))
    if source.left_out:
        words = f"{count(len(source.left_out), 'operation')} left out; the first: {source.left_out[0]}"
        lines.append(Content.styled(shortened(visible_line(words), _WIDE), "$text-warning"))
    return Content("\n").join(lines)


def changes_of(change: Change, form: str) -> Content:
    """The changes of a refresh, and the keys."""
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
    lines.append(Content.styled("Enter keeps this, Esc leaves the toolkit as it is.", "$text-success"))
    return Content("\n").join(lines)


def count(number: int, one: str, several: str = "") -> str:
    """A number of things in words."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"
