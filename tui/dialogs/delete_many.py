"""Deletes several objects: asks once with the list, deletes one by one, and shows the outcome of each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from registry.accounts.connection import Mode
from registry.catalog.model import Tool
from registry.changes.many import Deleted, OnSurprise, Progress
from registry.engine import Consent, NotAllowed
from registry.text.safe_text import shortened
from tui.dialogs.deliberate import DeliberateButton, DeliberateDialog
from tui.dialogs.typed_line import TypedLine
from tui.widgets.mode_labels import COLOURS, MODES
from tui.widgets.text_line import Line

_AROUND = 13
_LONGEST = 66

Run = Callable[[Consent, OnSurprise, Progress, asyncio.Event], Awaitable[Sequence[Deleted]]]


@dataclass(frozen=True, slots=True)
class Selection:
    """What is deleted: the tool, the objects' names (safe to show), the kind of account, and whether typing is required."""

    tool: Tool
    names: Sequence[str]
    mode: Mode
    typed: bool


class DeleteMany(DeliberateDialog[None]):
    """Asks, deletes, and shows outcomes. While it deletes, Escape stops it before the next object."""

    DEFAULT_CSS = """
    DeleteMany {
        #summary { margin: 1 0; }
        #on { margin: 0; padding: 0; background: $surface; text-align: left; }
        #on:focus { background: $foreground; color: $background; }
    }
    """

    BINDINGS = [
        # Quitting in the middle would leave the outcome unknown.
        Binding("ctrl+q", "leave", show=False, priority=True),
    ]

    def __init__(self, several: Selection, run: Run) -> None:
        super().__init__(several.mode, typed=several.typed)
        self._several = several
        self._run = run
        self._phrase = f"delete {len(several.names)}"
        self._stop = asyncio.Event()
        self._state = "asking"
        self._goes_on = False

    def compose(self) -> ComposeResult:
        """The list, whether to continue after a failure, and the buttons."""
        several, count = self._several, len(self._several.names)
        title = f"Delete {count} {'object' if count == 1 else 'objects'} with {several.tool.name}?"
        with Vertical(id="box"):
            yield Static(Content.styled(title, "bold $text-error"))
            mode = Content.styled(f" {MODES[several.mode]} ", f"{COLOURS[several.mode]} reverse")
            yield Static(Content.assemble(mode, Content(f"  {several.tool.rule or ''}")))
            with VerticalScroll(id="summary", can_focus=False):
                yield Static(id="list")
            yield Button(self._choice, id="on", compact=True)
            yield Static(id="state")
            yield TypedLine(self._phrase)
            with Horizontal(id="buttons"):
                yield Button("Cancel", id="cancel", compact=True)
                yield DeliberateButton(f"Delete {count}", id="delete")
            yield self.keys_line(("↑ ↓", "Scroll"), ("← →", "Choose"), ("Enter", "Press"), ("Esc", "Cancel or stop"), id="keys")

    def on_mount(self) -> None:
        """Focus Cancel."""
        self._fit()
        self._show([])
        self._offer()
        self.query_one("#cancel", Button).focus()

    @property
    def around(self) -> int:
        """Lines that do not scroll."""
        return _AROUND

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "cancel":
            self.action_leave()
        elif event.button.id == "on":
            self._goes_on = not self._goes_on
            event.button.label = self._choice
        elif self._state == "asking" and self._is_typed:
            self._state = "deleting"
            self._go()

    def action_leave(self) -> None:
        """Close; while it deletes, drop the running deletion and stop before the next one."""
        if self._state == "deleting":
            self._stop.set()
            self._say("Stopping. Checking whether the current object was deleted…", "$text-warning")
        else:
            self.dismiss(None)

    @work(group="delete many", exit_on_error=False)
    async def _go(self) -> None:
        cancel, choice = self.query_one("#cancel", Button), self.query_one("#on", Button)
        cancel.label = "Stop"
        cancel.focus()
        self.query_one(DeliberateButton).display = self.query_one(Line).display = choice.display = False
        self._say("Deleting…", "$text-accent")
        consent = Consent.TYPED if self._several.typed else Consent.CONFIRMED
        try:
            account = await self._run(consent, "go on" if self._goes_on else "stop", self._show, self._stop)
        except NotAllowed as refusal:
            self._say(f"{refusal.decision.reason} {refusal.decision.way_out}", "bold $text-error")
        else:
            self._tell(account)
        self._state = "done"
        cancel.label = "Close"
        self.query_one("#keys", Static).update(self.keys_text(("↑ ↓", "Scroll"), ("Enter", "Close")))

    def _tell(self, account: Sequence[Deleted]) -> None:
        self._show(account)
        done = sum(one.outcome is not None and one.outcome.became == "done" for one in account)
        untried = sum(one.outcome is None for one in account)
        words = [f"{done} of {len(account)} deleted"]
        words += [f"{len(account) - done - untried} not deleted"] if done + untried < len(account) else []
        words += [f"{untried} not tried"] if untried else []
        self._say(" · ".join(words) + ".", "bold $text-success" if done == len(account) else "bold $text-warning")

    def _show(self, account: Sequence[Deleted]) -> None:
        parts = []
        outcomes = [one.outcome for one in account] or [None] * len(self._several.names)
        for name, outcome in zip(self._several.names, outcomes, strict=True):
            line = shortened(name, _LONGEST)
            if outcome is None:
                parts.append(Content(f"· {line}"))
            elif outcome.became == "done":
                parts.append(Content.assemble(Content.styled("✓ ", "$text-success"), Content(line)))
            else:
                words = Content.styled(f"\n  {outcome.words}", "$text-error")
                parts.append(Content.assemble(Content.styled("✗ ", "bold $text-error"), Content(line), words))
        self.query_one("#list", Static).update(Content("\n").join(parts))

    def _offer(self) -> None:
        self.query_one(DeliberateButton).offer(f"Delete {len(self._several.names)}", ready=self._is_typed)
        if self._is_typed:
            self._say("Each object is checked before it is deleted.", "$foreground-muted")
        else:
            self._ask_for(f"“{self._phrase}”")

    @property
    def _choice(self) -> Content:
        return Content(f"[{'×' if self._goes_on else ' '}] Continue if one cannot be deleted")

    @property
    def _is_typed(self) -> bool:
        return not self._several.typed or self.query_one(Line).value.strip() == self._phrase
