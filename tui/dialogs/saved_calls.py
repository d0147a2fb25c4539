"""The saved calls, own and shared: save the form as one, open or run one, record, edit, copy or delete."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from shlex import quote
from typing import Literal

from textual import work
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input

from registry.catalog.model import Tool
from registry.journal.schema import Entry
from registry.saved.file import checked_name
from registry.saved.from_form import saved_form
from registry.saved.saved_call import SavedCall, SavedCallError
from registry.saved.store import NameTaken, SavedStore
from registry.text.readings import local_moment
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.choose import MarkingDialog
from tui.dialogs.dialog import Keys, RowsDialog
from tui.dialogs.questions import YesNo
from tui.terminal.clipboard import copy_out
from tui.widgets.text_line import Line

_USUAL = 3
_WARNS = "$text-warning"


FormCall = tuple[Tool, Mapping[str, object]]
"""The tool and the values of a form."""

SavedAction = tuple[Literal["open", "edit", "record", "saved"], SavedCall | None]
"""What to do with a saved call, or that it was saved; recording has none."""


class SavedCallsDialog(RowsDialog[SavedAction | None]):
    """Returns the action and its saved call.

    Args:
        store: the saved calls.
        form: the form that can be saved; None without one.
        title: the title, for instance with the objects for which one is run.
        at: the name of the call that has the cursor at first.
    """

    BINDINGS = [
        Binding("n", "record", show=False),
        Binding("e", "edit", show=False),
        Binding("y", "copy", show=False),
        Binding("delete,D", "delete", show=False),
    ]

    widest = 96
    line_keys = (("Enter", "Save"), ("↓", "Saved calls"), ("Esc", "Close"))
    keys: Keys = (("Enter", "Open"), ("n", "Record"), ("e", "Edit"), ("y", "Copy"), ("Del", "Delete"), ("Esc", "Close"))

    def __init__(self, store: SavedStore, form: FormCall | None, title: str, at: str = "") -> None:
        super().__init__()
        self._store, self._form, self.heading, self._at = store, form, title, at
        self.hint = "Name for this call; ↓ for saved calls" if form is not None else ""
        self._kept: tuple[SavedCall, ...] = ()

    def on_mount(self) -> None:
        """Focus the line for a name, or without a form the list; read the saved calls."""
        (self.rows if self._at or self._form is None else self.query_one(Line)).focus()
        self._read()

    def action_record(self) -> None:
        self.dismiss(("record", None))

    def action_edit(self) -> None:
        if (one := self._here) is not None:
            self.dismiss(("edit", one))

    @work(group="saved", exclusive=True)
    async def action_delete(self) -> None:
        if (one := self._here) is None:
            return
        if one.shared:
            words = f"“{one.name}” is shared from {one.shared} and cannot be deleted here. e makes a copy of your own."
            self.say(words, _WARNS)
        elif await self.app.push_screen_wait(YesNo(f"Delete “{one.name}”?", [Content(one.summary)], "Delete", danger=True)):
            try:
                await asyncio.to_thread(self._store.delete, one)
            except SavedCallError as error:
                self.say(str(error), "$text-error")
            else:
                await self._reread()
                self.say(f"✓ Deleted “{one.name}”", "$text-success")

    def _submit(self, line: Input) -> None:
        self._save(line.value.strip())

    def _take(self) -> None:
        if (one := self._here) is not None:
            self.dismiss(("open", one))

    @work(group="saved", exclusive=True)
    async def _save(self, name: str) -> None:
        """Save the form under a name; one that has it already is replaced if the user says so."""
        assert self._form is not None
        (tool, raw), replaces = self._form, False
        while True:
            try:
                call = saved_form(tool, checked_name(name), raw)
                await asyncio.to_thread(partial(self._store.save, call, replaces=replaces))
            except NameTaken as error:
                asks = YesNo(f"Replace “{name}”?", [Content(error.cause)], "Replace", danger=True)
                if replaces := await self.app.push_screen_wait(asks) is not None:
                    continue
            except SavedCallError as error:
                self.say("\n".join(map(str, error.problems[:2])) or str(error), "$text-error")
            else:
                self.dismiss(("saved", call))
            return

    def action_copy(self) -> None:
        if (one := self._here) is not None:
            needs = [f"--with {given.name}=VALUE" for given in one.inputs if given.default is None and given.required]
            copy_out(self, " ".join(["callboard run", quote(one.reference), *needs]), "the command")

    @work(group="read", exclusive=True)
    async def _read(self) -> None:
        await self._reread()

    async def _reread(self) -> None:
        found = await asyncio.to_thread(self._store.all)
        self._kept = found.calls
        self._refill(next((number for number, one in enumerate(self._kept) if one.name == self._at), None))
        if found.notices:
            self.say("\n".join(found.notices[:2]), _WARNS)

    def _refill(self, at: int | None = None) -> None:
        width = min(max((len(one.name) for one in self._kept), default=0), self.room * 2 // 5)
        self.fill((self._row(one, width) for one in self._kept), at)
        self._tell()

    def _row(self, one: SavedCall, width: int) -> Content:
        words = shortened(one.summary, max(self.room - width - 2, 8))
        return Content.assemble(shortened(one.name, width).ljust(width + 2), Content.styled(words, "$foreground-muted"))

    def _tell(self) -> None:
        """Show what the call at the cursor does, or what to do without one."""
        one = self._here
        if one is not None:
            chain = one.summary if len(one.steps) == 1 else " → ".join(step.tool for step in one.steps)
            self.say(shortened(visible_line(f"{one.about} {chain}".strip()), 2 * self.room))
        elif self._form is not None:
            self.say("No saved calls yet. Type a name and press Enter to save this form; ↓, then n records the last calls.")
        else:
            self.say("No saved calls yet. n records the last calls; ^S in a form saves it.")

    @property
    def _here(self) -> SavedCall | None:
        return self.at_cursor(self._kept)


class RecordDialog(MarkingDialog):
    """Returns the ids of the calls to record; the last few are marked.

    Args:
        entries: calls from the history that worked, newest first.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        lines = {str(one.id): f"{local_moment(one.at)}  {one.tool}  {visible_line(one.subject)}" for one in entries}
        rows = {id_: shortened(line, 74) for id_, line in lines.items()}
        super().__init__("Record calls as one saved call", rows, list(rows)[:_USUAL], "Record", self._told, least=1)

    def _told(self, count: int) -> str:
        calls = f"{count} {'call' if count == 1 else 'calls'}"
        words = f"{calls} marked, recorded oldest first. Ids that one gave become references."
        return words if self._rows else "No calls yet. Run the calls first."
