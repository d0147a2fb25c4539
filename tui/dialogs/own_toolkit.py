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
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from registry.accounts.problems import ConnectionSettingsError
from registry.openapi.remarks import DocumentRefused
from registry.openapi.store import Change, Kept, Renewed, keep_renewed, look_again, remove
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.dialog import Dialog

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
    OwnToolkit { #summary { margin: 1 0 0 0; min-height: 2; } }
    """

    BINDINGS = [
        Binding("r", "look", "Read again"),
        Binding("enter", "keep", "Keep"),
        Binding("d", "ask", "Remove"),
        Binding("y", "remove", show=False),
        Binding("n", "stay", show=False),
    ]

    def __init__(self, kept: Kept, headers: Callable[[], Mapping[str, str] | None], form: str = "") -> None:
        super().__init__()
        self._kept = kept
        self._headers = headers
        self._form = form
        self._renewed: Renewed | None = None
        self._asks = self._busy = False

    def compose(self) -> ComposeResult:
        """Its details, the pending action, and the keys."""
        with VerticalScroll(id="box"):
            yield Static(facts_of(self._kept))
            yield Static(id="summary")
            yield self.keys_line(*self._keys)

    @property
    def _keys(self) -> list[tuple[str, str]]:
        """The keys that work now."""
        if self._asks:
            return [("y", "Remove it"), ("n", "Keep it")]
        keeps = [("Enter", "Keep what was read")] if self._renewed is not None else []
        return [("r", "Read again"), *keeps, ("d", "Remove"), ("Esc", "Close")]

    def on_mount(self) -> None:
        """Focus the text, which scrolls."""
        self.query_one("#box").focus()
        what = "asks the server" if self._kept.source.mcp is not None else "reads the document"
        self._say(f"r {what} again and shows what that would change.", "$foreground-muted")

    def action_look(self) -> None:
        """Read the source again, and show what would change."""
        if not self._busy and not self._asks:
            self._renewed, self._busy = None, True
            self._say("Reading …", "$foreground-muted")
            self._look()

    @work(group="toolkit", exclusive=True, exit_on_error=False)
    async def _look(self) -> None:
        def read() -> Renewed:
            return look_again(self._kept, self._headers())

        try:
            self._renewed = await asyncio.to_thread(read)
        except (DocumentRefused, ConnectionSettingsError) as refusal:
            self._say(f"{refusal} The toolkit stays as it is.", "$text-error")
        else:
            self._tell(changes_of(self._renewed.change, self._form))
        finally:
            self._busy = False

    def action_keep(self) -> None:
        """Keep what was read."""
        if self._renewed is not None and not self._busy:
            self._busy = True
            self._keep(self._renewed)

    @work(group="toolkit keep", exit_on_error=False)
    async def _keep(self, renewed: Renewed) -> None:
        try:
            kept = await asyncio.to_thread(keep_renewed, self._kept, renewed)
            self.dismiss(Done(kept, renewed.change))
        except OSError as error:
            self._say(f"The toolkit cannot be kept: {error.strerror or error}.", "$text-error")
        finally:
            self._busy = False

    def action_ask(self) -> None:
        """Ask before the toolkit is removed."""
        if self._busy:
            return
        self._asks, self._renewed = True, None
        words = f"Remove {self._kept.source.toolkit} with its overlay? Its accounts and the history stay."
        lost = f" The open form of {self._form} goes with it." if self._form else ""
        self._say(f"{words}{lost} y removes it, n keeps it.", "$text-warning")

    def action_stay(self) -> None:
        """Do not remove it."""
        if self._asks:
            self._asks = False
            self._say("Not removed.", "$foreground-muted")

    def action_remove(self) -> None:
        """Remove the toolkit, if the question is on screen."""
        if self._asks and not self._busy:
            self._busy = True
            self._remove()

    @work(group="toolkit keep", exit_on_error=False)
    async def _remove(self) -> None:
        try:
            await asyncio.to_thread(remove, self._kept)
            self.dismiss(Done(self._kept, None))
        except OSError as error:
            self._say(f"The toolkit cannot be removed: {error.strerror or error}.", "$text-error")
        finally:
            self._busy = False

    def _say(self, words: str, style: str) -> None:
        self._tell(Content.styled(shortened(visible_line(words), _WIDE), style))

    def _tell(self, words: Content) -> None:
        """Show a message, with the keys for it."""
        self.query_one("#summary", Static).update(words)
        self.query_one(".keys-here", Static).update(self.keys_text(*self._keys))


def facts_of(kept: Kept) -> Content:
    """A toolkit's source in a few lines."""
    source = kept.source
    lines = [
        Content.styled(shortened(visible_line(source.title), 70), "bold"),
        Content(visible_line(f"{source.toolkit} · {_count(source.tools, 'tool')} from {source.kind}")),
        Content(shortened(visible_line(f"From {source.source}"), _WIDE)),
        Content.styled(visible_line(f"Read {source.added}"), "$foreground-muted"),
    ]
    if kept.guesses:
        first = "; ".join(one.what for one in kept.guesses[:_MOST_LINES])
        words = f"{_count(len(kept.guesses), 'guess', 'guesses')}: {first}"
        lines.append(Content(shortened(visible_line(words), _WIDE)))
    if source.left_out:
        words = f"{_count(len(source.left_out), 'operation')} left out; the first: {source.left_out[0]}"
        lines.append(Content.styled(shortened(visible_line(words), _WIDE), "$text-warning"))
    return Content("\n").join(lines)


def changes_of(change: Change, form: str) -> Content:
    """The changes of a refresh, and the keys."""
    groups = (("+ New", change.added, ""), ("× Gone", change.removed, "$text-error"), ("~ Changed", change.changed, ""))
    lines = []
    for word, names, style in groups:
        if names:
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            words = visible_line(f"{word} {len(names)}: {', '.join(names[:_MOST_NAMES])}{more}")
            lines.append(Content.styled(words, style) if style else Content(words))
    if not lines:
        lines.append(Content("The same tools." if change.same else "The source is another one; the tools are the same."))
    if form in change.removed:
        lines.append(Content.styled(visible_line(f"{form} is open; its form goes with it."), "$text-warning"))
    elif form in change.changed:
        lines.append(Content(visible_line(f"{form} is open; its form keeps what still fits.")))
    lines.append(Content.styled("Enter keeps this, Esc leaves the toolkit as it is.", "$text-success"))
    return Content("\n").join(lines)


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
