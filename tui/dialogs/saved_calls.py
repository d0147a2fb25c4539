"""The saved calls, own and shared: save the form as one, open or run one, record, edit, copy, export, import, delete."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from registry.catalog.model import Tool
from registry.files.atomic_file import file_name
from registry.results.formats import NotExported
from registry.saved.file import checked_name
from registry.saved.from_form import saved_form
from registry.saved.saved_call import SavedCall, SavedCallError
from registry.saved.store import NameTaken, SavedStore
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.rows_below import RowsBelow, RowsDialog, lines_left
from tui.terminal.clipboard import copy
from tui.widgets.text_line import Line

Job = Literal["save", "export", "import"]
Way = Literal["open", "edit", "record", "saved"]

_LABELS: dict[Job, tuple[str, str]] = {
    "save": ("Save as", "Name for this call; ↓ for saved calls"),
    "export": ("Export to", "File path"),
    "import": ("Import from", "File path"),
}
_WARNS = "$text-warning"


@dataclass(frozen=True, slots=True)
class FormCall:
    """The tool and the values of a form."""

    tool: Tool
    raw: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SavedAction:
    """What to do with a saved call, or that it was saved; recording has none."""

    way: Way
    call: SavedCall | None = None


class SavedRows(RowsBelow):
    """The saved calls, and the keys that work on them."""

    BINDINGS = [
        Binding("n", "wanted('record')", show=False),
        Binding("e", "wanted('edit')", show=False),
        Binding("c", "wanted('copy')", show=False),
        Binding("x", "wanted('export')", show=False),
        Binding("i", "wanted('import')", show=False),
        Binding("delete", "wanted('delete')", show=False),
        Binding("y", "wanted('yes')", show=False),
    ]


class SavedCallsDialog(RowsDialog["SavedAction | None"]):
    """Returns the action and its saved call.

    Args:
        store: the saved calls.
        form: the form that can be saved; None without one.
        title: the title, for instance with the objects for which one is run.
        folder: where files go unless another path is typed.
        at: the name of the call that has the cursor at first.
    """

    DEFAULT_CSS = """
    SavedCallsDialog {
        #box { width: 96; }
        #row { height: 1; margin: 0 0 1 0; display: none; }
        &.-typing #row { display: block; }
        #label { width: 13; color: $foreground-muted; }
        Line { width: 1fr; padding: 0 1; background: $background; }
        Line:focus { background: $panel; }
        SavedRows { height: auto; min-height: 1; }
    }
    """

    BINDINGS = [Binding("ctrl+o", "replace", show=False, priority=True)]

    widest = 96
    line_keys = (("Enter", "Confirm"), ("↓", "Saved calls"), ("Esc", "Back"))
    list_keys = (
        ("Enter", "Open"),
        ("n", "Record"),
        ("e", "Edit"),
        ("c", "Copy"),
        ("x", "Export"),
        ("i", "Import"),
        ("Del", "Delete"),
    )

    def __init__(self, store: SavedStore, form: FormCall | None, title: str, folder: Path, at: str = "") -> None:
        super().__init__()
        self._store = store
        self._form = form
        self._title = title
        self._folder = folder
        self._at = at
        self._kept: tuple[SavedCall, ...] = ()
        self._job: Job = "save"
        self._doubtful: SavedCall | None = None
        self._described: SavedCall | None = None
        self._taken = False

    def compose(self) -> ComposeResult:
        """A line to type into, the saved calls, a message, and the keys."""
        with Vertical(id="box"):
            yield Static(Content.styled(shortened(self._title, self._room), "bold"), id="title")
            with Horizontal(id="row"):
                yield Static(id="label")
                yield Line(compact=True)
            yield SavedRows(compact=True)
            yield Static(id="about")
            yield self.keys_line(*self.list_keys)

    def on_mount(self) -> None:
        """Focus the line for a name, or without a form the list; read the saved calls."""
        if self._form is not None and not self._at:
            self._begin("save", "")
        else:
            self._list.focus()
        self._read()

    def on_resize(self) -> None:
        """Give the list the height that the rest of the box leaves."""
        self._list.styles.max_height = lines_left(self.app.size.height)
        self._show()

    def action_enter_list(self) -> None:
        """Go from the line into the list."""
        if not self._list.has_focus:
            self._list.focus()
            self._tell()

    def action_leave(self) -> None:
        """Go back from a file's path; from there, close."""
        if self._job != "save":
            self._done("")
        else:
            self.dismiss(None)

    def action_replace(self) -> None:
        """Replace what has the name already."""
        if self._taken:
            self._carry_out(replaces=True)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self._taken:
            self._taken = False
            self._tell()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._carry_out(replaces=False)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if (one := self._at_cursor(self._kept)) is not None:
            self.dismiss(SavedAction("open", one))

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        # Filling the list posts this as well: that must not replace the message about the last action.
        if self._at_cursor(self._kept) is not self._described:
            self._doubtful = None
            self._tell()

    @on(RowsBelow.ActionRequested)
    def _action_requested(self, event: RowsBelow.ActionRequested) -> None:
        event.stop()
        one, doubtful = self._at_cursor(self._kept), self._doubtful
        self._doubtful = None
        if event.what == "type" and self._form is not None:
            self._begin("save", "")
        elif event.what == "record":
            self.dismiss(SavedAction("record"))
        elif event.what == "import":
            self._begin("import", "")
        elif one is None:
            self._tell()
        elif event.what == "edit":
            self.dismiss(SavedAction("edit", one))
        elif event.what == "copy":
            self._copy(one)
        elif event.what == "export":
            self._begin("export", str(self._folder / f"{file_name(one.name, 'saved')}.json"))
        elif event.what == "delete" and one.shared:
            self._say(
                f"“{one.name}” is shared from {one.shared} and cannot be deleted here. e makes a copy of your own.", _WARNS
            )
        elif event.what == "delete":
            self._doubtful = one
            self._say(f"Delete “{one.name}”? Press y to delete, any other key to cancel.", "$text-error")
        elif event.what == "yes" and doubtful is one:
            self._delete(one)
        else:
            self._tell()

    def _begin(self, job: Job, value: str) -> None:
        """Set the purpose of the line, and go there."""
        self._job, self._taken = job, False
        self.add_class("-typing")
        label, hint = _LABELS[job]
        self.query_one("#label", Static).update(label)
        line = self.query_one(Line)
        line.placeholder, line.value, line.cursor_position = hint, value, len(value)
        line.focus()
        self._say("")

    @work(group="saved", exclusive=True, exit_on_error=False)
    async def _carry_out(self, *, replaces: bool) -> None:
        """Do what the line is for."""
        text, one = self.query_one(Line).value.strip(), self._at_cursor(self._kept)
        try:
            if self._job == "save" and self._form is not None:
                call = saved_form(self._form.tool, checked_name(text), self._form.raw)
                await asyncio.to_thread(lambda: self._store.save(call, replaces=replaces))
                self.dismiss(SavedAction("saved", call))
            elif self._job == "import":
                call = await asyncio.to_thread(self._store.read, text, self._folder)
                await asyncio.to_thread(lambda: self._store.save(call, replaces=replaces))
                await self._reread(f"✓ Imported “{call.name}”", call.name)
            elif one is not None:
                file = await asyncio.to_thread(lambda: self._store.export(one, text, self._folder, replaces=replaces))
                await self._reread(f"✓ Saved {file}", one.name)
        except NameTaken as error:
            self._taken = True
            self._say(f"{error.cause} Choose another name, or press ^O to replace it.", _WARNS)
        except SavedCallError as error:
            self._say("\n".join(map(str, error.problems[:2])) or str(error), "$text-error")
        except NotExported as error:
            self._taken = error.concern == "taken"
            way = "Choose another name, or press ^O to replace it." if self._taken else error.next_step
            self._say(f"{error.cause} {way}", _WARNS)

    @work(group="saved", exclusive=True, exit_on_error=False)
    async def _delete(self, one: SavedCall) -> None:
        try:
            await asyncio.to_thread(self._store.delete, one)
        except SavedCallError as error:
            self._say(str(error), "$text-error")
        else:
            await self._reread(f"✓ Deleted “{one.name}”", "")

    @work(group="copy", exclusive=True, exit_on_error=False)
    async def _copy(self, one: SavedCall) -> None:
        needs = [f"--with {given.name}=VALUE" for given in one.inputs if given.default is None and given.required]
        outcome = await copy(self.app, " ".join(["callboard run", quote(one.reference), *needs]))
        self._say(outcome.about("the command"), "$text-success" if outcome.done else "$text-error")

    @work(group="read", exclusive=True, exit_on_error=False)
    async def _read(self) -> None:
        await self._reread("", self._at, goes_to_list=False)

    async def _reread(self, words: str, name: str, *, goes_to_list: bool = True) -> None:
        """Show all saved calls again, with the cursor at a name, and a message."""
        found = await asyncio.to_thread(self._store.all)
        self._kept = found.calls
        place = next((number for number, one in enumerate(self._kept) if one.name == name), self._list.highlighted or 0)
        self._show(place)
        self._tell()
        if goes_to_list:
            self._done(words)
        elif found.notices:
            self._say("\n".join(found.notices[:2]), _WARNS)

    def _done(self, words: str) -> None:
        """Leave the line, and show a message."""
        self._job = "save"
        self.set_class(False, "-typing")
        self._list.focus()
        self._say(words, "$text-success") if words else self._tell()

    def _show(self, place: int | None = None) -> None:
        """Show the saved calls, with the cursor at an index."""
        width = min(max((len(one.name) for one in self._kept), default=0), self._room * 2 // 5)
        wanted = place if place is not None else self._list.highlighted or 0
        self._list.clear_options()
        self._list.add_options([Option(self._row(one, width)) for one in self._kept])
        self._list.highlighted = min(wanted, len(self._kept) - 1) if self._kept else None
        if not self._kept:
            self._tell()

    def _row(self, one: SavedCall, width: int) -> Content:
        words = shortened(one.summary, max(self._room - width - 2, 8))
        return Content.assemble(shortened(one.name, width).ljust(width + 2), Content.styled(words, "$foreground-muted"))

    def _tell(self) -> None:
        """Show what the call at the cursor does, or what to do without one."""
        one = self._described = self._at_cursor(self._kept)
        if one is not None:
            chain = one.summary if len(one.steps) == 1 else " → ".join(step.tool for step in one.steps)
            self._say(shortened(visible_line(f"{one.about} {chain}".strip()), 2 * self._room))
        elif self._form is not None:
            self._say("No saved calls yet. Type a name and press Enter to save this form; ↓, then n records the last calls.")
        else:
            self._say("No saved calls yet. n records the last calls; ^S in a form saves it.")
