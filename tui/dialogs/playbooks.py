"""The saved playbooks: run one, record the last calls as one, edit, share, delete."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from registry.files.atomic_file import file_name
from registry.journal.schema import Entry
from registry.playbooks.playbook import Playbook, PlaybookError
from registry.playbooks.store import NameTaken, PlaybookStore
from registry.results.export.formats import NotExported
from registry.text.local_time import local_moment
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.rows_below import RowsBelow, RowsDialog, lines_left
from tui.widgets.text_line import Line

Way = Literal["run", "edit", "record"]
_USUAL = 3


@dataclass(frozen=True, slots=True)
class PlaybookAction:
    """An action on a playbook; recording has no playbook."""

    way: Way
    playbook: Playbook | None = None


class PlaybookRows(RowsBelow):
    """The playbooks, and the keys that work on them."""

    BINDINGS = [
        Binding("r", "wanted('record')", show=False),
        Binding("e", "wanted('edit')", show=False),
        Binding("x", "wanted('export')", show=False),
        Binding("i", "wanted('import')", show=False),
        Binding("delete", "wanted('delete')", show=False),
        Binding("y", "wanted('yes')", show=False),
    ]


class PlaybooksDialog(RowsDialog["PlaybookAction | None"]):
    """Returns the action and its playbook.

    Args:
        store: the playbooks.
        title: the title, for instance with the rows for which one is run.
        folder: where files go unless another path is typed.
    """

    DEFAULT_CSS = """
    PlaybooksDialog {
        #box { width: 96; }
        #row { height: 1; margin: 0 0 1 0; display: none; }
        &.-typing #row { display: block; }
        #label { width: 13; color: $foreground-muted; }
        Line { width: 1fr; padding: 0 1; background: $background; }
        Line:focus { background: $panel; }
        PlaybookRows { height: auto; min-height: 1; }
    }
    """

    widest = 96

    def __init__(self, store: PlaybookStore, title: str, folder: Path) -> None:
        super().__init__()
        self._store = store
        self._title = title
        self._folder = folder
        self._kept: tuple[Playbook, ...] = ()
        self._job: Literal["export", "import"] = "import"
        self._doubtful: Playbook | None = None

    def compose(self) -> ComposeResult:
        """The playbooks, a line for the path of a file, a message, and the keys."""
        with Vertical(id="box"):
            yield Static(Content.styled(shortened(self._title, self._room), "bold"), id="title")
            with Horizontal(id="row"):
                yield Static(id="label")
                yield Line(compact=True, placeholder="File path")
            yield PlaybookRows(compact=True)
            yield Static(id="about")
            yield self.keys_line(
                ("Enter", "Run"), ("r", "Record"), ("e", "Edit"), ("x", "Export"), ("i", "Import"), ("Del", "Delete")
            )

    def on_mount(self) -> None:
        """Focus the list, and read the playbooks."""
        self._list.focus()
        self._read()

    def on_resize(self) -> None:
        """Give the list the height that the rest of the box leaves."""
        self._list.styles.max_height = lines_left(self.app.size.height)
        self._show()

    def action_enter_list(self) -> None:
        """Go from the line into the list."""
        self._list.focus()

    def action_leave(self) -> None:
        """Close the line if it is open, else the dialog."""
        if self.has_class("-typing"):
            self.remove_class("-typing")
            self._list.focus()
            self._tell()
        else:
            self.dismiss(None)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if (one := self._at_cursor(self._kept)) is not None:
            self.dismiss(PlaybookAction("run", one))

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._doubtful = None
        self._tell()

    @on(RowsBelow.ActionRequested)
    def _action_requested(self, event: RowsBelow.ActionRequested) -> None:
        event.stop()
        one, doubtful = self._at_cursor(self._kept), self._doubtful
        self._doubtful = None
        if event.what == "record":
            self.dismiss(PlaybookAction("record"))
        elif event.what == "import":
            self._begin("import", "")
        elif one is None:
            self._tell()
        elif event.what == "edit":
            self.dismiss(PlaybookAction("edit", one))
        elif event.what == "export":
            self._begin("export", str(self._folder / f"{file_name(one.name, 'playbook')}.json"))
        elif event.what == "delete" and one.shared:
            words = f"“{one.name}” is shared from {one.shared} and cannot be deleted here. e makes a copy of your own."
            self._say(words, "$text-warning")
        elif event.what == "delete":
            self._doubtful = one
            self._say(f"Delete “{one.name}”? Press y to delete, any other key to cancel.", "$text-error")
        elif event.what == "yes" and doubtful is one:
            self._delete(one)
        else:
            self._tell()

    def _begin(self, job: Literal["export", "import"], value: str) -> None:
        self._job = job
        self.add_class("-typing")
        self.query_one("#label", Static).update("Export to" if job == "export" else "Import from")
        line = self.query_one(Line)
        line.value, line.cursor_position = value, len(value)
        line.focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._carry_out(event.value)

    @work(group="playbooks", exclusive=True, exit_on_error=False)
    async def _carry_out(self, path: str) -> None:
        one = self._at_cursor(self._kept)
        try:
            if self._job == "import":
                found = await asyncio.to_thread(self._store.shared, path.strip(), self._folder)
                await asyncio.to_thread(self._store.save, found)
                await self._done(f"✓ Imported “{found.name}”", found.name)
            elif one is not None:
                file = await asyncio.to_thread(self._store.share, one, path.strip(), self._folder)
                await self._done(f"✓ Saved {file}", one.name)
        except NameTaken as error:
            self._say(f"{error.cause} Rename or delete it first.", "$text-warning")
        except PlaybookError as error:
            self._say("\n".join(str(one) for one in error.problems[:2]) or str(error), "$text-error")
        except NotExported as error:
            self._say(f"{error.cause} {error.next_step}", "$text-warning")

    @work(group="playbooks", exclusive=True, exit_on_error=False)
    async def _delete(self, one: Playbook) -> None:
        try:
            await asyncio.to_thread(self._store.delete, one.reference)
        except PlaybookError as error:
            self._say(str(error), "$text-error")
        else:
            await self._done(f"✓ Deleted “{one.name}”", "")

    @work(group="read", exclusive=True, exit_on_error=False)
    async def _read(self) -> None:
        await self._done("", "")

    async def _done(self, words: str, name: str) -> None:
        found = await asyncio.to_thread(self._store.all)
        self._kept = found.playbooks
        self.remove_class("-typing")
        self._list.focus()
        place = next((number for number, one in enumerate(self._kept) if one.name == name), self._list.highlighted or 0)
        self._show(place)
        if words or found.notices:
            self._say(words or found.notices[0], "$text-success" if words else "$text-warning")

    def _show(self, place: int | None = None) -> None:
        width = min(max((len(one.name) for one in self._kept), default=0), self._room // 2)
        wanted = place if place is not None else self._list.highlighted or 0
        self._list.clear_options()
        self._list.add_options([Option(self._row(one, width)) for one in self._kept])
        self._list.highlighted = min(wanted, len(self._kept) - 1) if self._kept else None
        self._tell()

    def _row(self, one: Playbook, width: int) -> Content:
        takes = f" · takes {', '.join(given.name for given in one.inputs)}" if one.inputs else ""
        whose = f"from {one.shared} · " if one.shared else ""
        steps = f"{len(one.steps)} {'step' if len(one.steps) == 1 else 'steps'}"
        words = shortened(f"{whose}{steps}{takes}", self._room - width - 2)
        name = Content(shortened(one.name, width).ljust(width + 2))
        return Content.assemble(name, Content.styled(words, "$foreground-muted"))

    def _tell(self) -> None:
        one = self._at_cursor(self._kept)
        if one is not None:
            chain = " → ".join(step.tool for step in one.steps)
            self._say(f"{one.about}\n{shortened(chain, self._room)}" if one.about else shortened(chain, 2 * self._room))
        else:
            self._say("No playbooks yet. Press r to record the last calls as one.")


class CallRows(RowsBelow):
    """Calls that can be marked."""

    BINDINGS = [Binding("space", "wanted('mark')", show=False)]


class RecordDialog(RowsDialog["tuple[str, list[Entry]] | None"]):
    """Returns a name and the calls to record; the last few successful ones are marked.

    Args:
        entries: calls from the history, newest first.
    """

    DEFAULT_CSS = """
    RecordDialog {
        #box { width: 96; }
        Line { margin: 0 0 1 0; padding: 0 1; background: $background; }
        Line:focus { background: $panel; }
        CallRows { height: auto; min-height: 1; }
    }
    """

    widest = 96

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._entries = [one for one in entries if one.outcome == "ok"]
        self._marked = {one.id for one in self._entries[:_USUAL]}

    def compose(self) -> ComposeResult:
        """A line for the name, the calls, a message, and the keys."""
        with Vertical(id="box"):
            yield Static(Content.styled("Record calls as a playbook", "bold"), id="title")
            yield Line(compact=True, placeholder="Name for the playbook; ↓ to choose its calls")
            yield CallRows(compact=True)
            yield Static(id="about")
            yield self.keys_line(("Enter", "Record"), ("↓", "Calls"), ("Space", "Mark"), ("Esc", "Close"))

    def on_mount(self) -> None:
        """Focus the line for the name."""
        self.query_one(Line).focus()

    def on_resize(self) -> None:
        """Give the list the height that the rest of the box leaves."""
        self._list.styles.max_height = lines_left(self.app.size.height)
        self._show()

    def action_enter_list(self) -> None:
        """Go from the line into the list."""
        self._list.focus()

    @on(RowsBelow.ActionRequested)
    def _action_requested(self, event: RowsBelow.ActionRequested) -> None:
        event.stop()
        one = self._at_cursor(self._entries)
        if event.what == "type":
            self.query_one(Line).focus()
        elif one is not None:
            self._marked ^= {one.id}
            self._show()

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _record(self, event: Input.Submitted | OptionList.OptionSelected) -> None:
        event.stop()
        name = self.query_one(Line).value.strip()
        chosen = [one for one in self._entries if one.id in self._marked]
        if not name:
            self.query_one(Line).focus()
            self._say("Type a name for the playbook first.", "$text-warning")
        elif not chosen:
            self._say("Mark at least one call with Space.", "$text-warning")
        else:
            self.dismiss((name, chosen))

    def _show(self) -> None:
        place = self._list.highlighted or 0
        self._list.clear_options()
        self._list.add_options([Option(self._row(one)) for one in self._entries])
        self._list.highlighted = min(place, len(self._entries) - 1) if self._entries else None
        count = len(self._marked)
        words = (
            f"{count} {'call' if count == 1 else 'calls'} marked, recorded oldest first. Ids that one gave become references."
        )
        self._say(words if self._entries else "No calls yet. Run the calls first.")

    def _row(self, one: Entry) -> Content:
        sign = Content.styled("• " if one.id in self._marked else "  ", "$text-accent")
        subject = visible_line(one.subject)
        words = f"{local_moment(one.at)}  {one.tool}  {subject}"
        return Content.assemble(sign, Content(shortened(words, self._room - 2)))
