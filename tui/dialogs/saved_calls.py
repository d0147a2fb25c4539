"""The saved calls, own and shared: save, open, record, edit; and runs of one, with its inputs as a form."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from functools import partial
from shlex import quote
from typing import Any, Literal

from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from registry.accounts.connection import ConnectionSettingsError
from registry.catalog.model import Tool
from registry.engine import Consent, Presenter, Question
from registry.journal.entries import Entry
from registry.results.formats import ExportOptions
from registry.results.saving import as_text
from registry.saved.making import saved_form
from registry.saved.running import SIGNS, RowRun, RowState, SavedRun, as_record, half_done, shown_inputs, summary
from registry.saved.saved_call import SavedCall, SavedCallError, checked_name
from registry.saved.store import NameTaken, SavedStore
from registry.text.shown import local_moment, shortened, visible_line
from tui.dialogs.choose import MarkingDialog
from tui.dialogs.confirm import ConfirmDelete, ConfirmRun
from tui.dialogs.dialog import Keys, RowsDialog
from tui.dialogs.questions import Reader, YesNo
from tui.session import Session
from tui.state.settings import refused_words
from tui.terminal.external_programs import copy_out
from tui.widgets.texts import Line

_COLOURS: Mapping[RowState, str] = {
    "done": "$text-success",
    "failed": "$text-error",
    "refused": "$text-error",
    "unknown": "$text-warning",
    "cancelled": "$text-warning",
    "running": "$text-accent",
    "waiting": "$foreground-muted",
}
_STATE = 12


class SavedRunDialog(RowsDialog[dict[str, object] | None]):
    """Runs a saved call and stays open with its outcome; or, with `opens`, returns its inputs, with which it is opened.

    Args:
        session: has the engine and the accounts.
        call: the saved call.
        rows: the known inputs of each run; one empty row asks for all of them.
        about: what it is run for, in words.
        opens: whether only the inputs are asked for.
    """

    DEFAULT_CSS = """
    SavedRunDialog {
        .field { height: 1; }
        .label { width: 27; color: $foreground-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        Line { margin: 0; }
        RowsBelow { margin: 1 0 0 0; display: none; }
        &.-begun RowsBelow { display: block; }
        #said { height: 3; }
    }
    """

    BINDINGS = [
        Binding("f5", "run", show=False, priority=True),
        Binding("up", "app.focus_previous", show=False),
        Binding("r", "continue", show=False),
        Binding("y", "copy", show=False),
    ]

    keys: Keys = (("F5", "Run"), ("Enter", "Details"), ("r", "Continue"), ("y", "Copy as CSV"), ("Esc", "Stop, close"))
    widest = 110
    beside = 18

    def __init__(
        self, session: Session, call: SavedCall, rows: Sequence[Mapping[str, object]], about: str, *, opens: bool = False
    ) -> None:
        super().__init__()
        self._session, self._call, self._given, self._opens = session, call, rows, opens
        self.heading = f"Run “{call.name}”{about}"
        self._current: SavedRun | None = None
        self._busy = False

    def _body(self) -> ComposeResult:
        several = len(self._given) > 1
        for one in self._call.inputs:
            if several and all(one.name in row for row in self._given):
                continue
            text = str(self._given[0].get(one.name, one.default if one.default is not None else "")) if not several else ""
            hint = one.example and f"for example {one.example}"
            label = f"{one.name}{'' if one.required or one.default is not None else ' (optional)'}"
            with Horizontal(classes="field"):
                yield Static(Content(visible_line(label)), classes="label")
                hint = visible_line(hint or one.help or one.type)
                yield Line(text, placeholder=hint, name=one.name, password=one.secret, compact=True)
        yield from super()._body()

    def on_mount(self) -> None:
        if lines := self._lines:
            lines[0].focus()
        else:
            self.rows.display = True
            self.rows.focus()
        chain = " → ".join(step.tool for step in self._call.steps)
        self.say(f"{self._call.about}\n{shortened(chain, self.room)}".strip())

    def action_enter_list(self) -> None:
        """Go to the next input, or from the last one into the list."""
        lines = self._lines
        place = next((number for number, line in enumerate(lines) if line.has_focus), len(lines))
        if place + 1 < len(lines):
            lines[place + 1].focus()
        elif self._current is not None:
            self.rows.focus()

    def action_type(self) -> None:
        if lines := self._lines:
            lines[-1].focus()

    def action_leave(self) -> None:
        if self._busy and self._current is not None:
            self._current.stop.set()
            self.say("Stopping. A change under way is checked first…", "$text-warning")
        else:
            self.dismiss(None)

    def _submit(self, line: Input) -> None:
        if line is self._lines[-1]:
            self.action_run()
        else:
            self.focus_next()

    def _take(self) -> None:
        if (row := self.at_cursor(self._runs)) is not None:
            lines = [f"{name}: {visible_line(str(value))}" for name, value in shown_inputs(self._call, row).items()]
            lines += ["", *(f"{SIGNS[one.state]} {one.id} ({one.tool}): {one.state} {one.words}".rstrip() for one in row.steps)]
            lines += [f"· {step.id} ({step.tool}): not run" for step in self._call.steps[len(row.steps) :]]
            lines += ["", *(f"{name}: {value}" for name, value in row.outputs.items())]
            self.app.push_screen(Reader(f"Row {row.number}", "\n".join(lines)))

    def on_option_list_option_highlighted(self) -> None:
        if not self._busy:
            self._tell()

    def action_run(self) -> None:
        if self._busy:
            return
        typed: dict[str, object] = {str(line.name): line.value for line in self._lines if line.value.strip()}
        rows = [{**typed, **row} for row in self._given] if len(self._given) > 1 else [typed]
        asking = _Asking(self.app) if len(rows) == 1 else None
        session = self._session
        try:
            run = SavedRun(session.engine, self._call, rows, session.connection, presenter=asking, observer=self._changed)
        except SavedCallError as error:
            self.say("\n".join(str(problem) for problem in error.problems[:3]) or str(error), "$text-error")
        except ConnectionSettingsError as error:
            self.say(str(error), "$text-error")
        else:
            refused = next((one for one in run.ahead if one.decision.kind in ("switch", "refuse")), None)
            if self._opens:
                self.dismiss(typed)
            elif refused is not None:
                self.say(f"{refused.tool.name}: {refused_words(self.app, refused.decision)}", "$text-error")
            else:
                self._go(run)

    def action_continue(self) -> None:
        if not self._busy and self._current is not None:
            if self._current.left:
                self._go(self._current)
            else:
                self.say("Nothing is left to continue.", "$text-warning")

    @work(group="saved run")
    async def _go(self, run: SavedRun) -> None:
        if run is not self._current and len(run.rows) > 1 and any(tool.effect != "read" for tool in run.tools):
            consent = await self.app.push_screen_wait(ConfirmRun(run))
            if consent is None:
                return
            run.consent = consent
        self._current, self._busy = run, True
        self.add_class("-begun")
        self.rows.focus()
        self._refill()
        try:
            await run.run()
        finally:
            self._busy = False
        self._tell()

    def action_copy(self) -> None:
        if self._current is not None:
            records = [json.dumps(as_record(self._call, row)).encode() for row in self._current.rows]
            copy_out(self, as_text(records, ExportOptions("csv"), most=None)[0], f"{len(records)} rows as CSV")

    @property
    def _lines(self) -> list[Line]:
        """The lines of the inputs."""
        return list(self.query(Line))

    @property
    def _runs(self) -> list[RowRun]:
        return self._current.rows if self._current is not None else []

    def _refill(self) -> None:
        self.fill(self._row(row) for row in self._runs)

    def _changed(self, row: RowRun) -> None:
        if self.is_mounted:
            self.rows.replace_option_prompt_at_index(row.number - 1, self._row(row))
            steps = len(self._call.steps)
            step = min(len(row.steps) + 1, steps)
            self.say(f"Row {row.number} of {len(self._runs)} · step {step} of {steps} · Esc stops", "$text-accent")

    def _row(self, row: RowRun) -> Content:
        state = Content.styled(f"{SIGNS[row.state]} {row.state}".ljust(_STATE), _COLOURS[row.state])
        given = " · ".join(visible_line(str(value)) for value in shown_inputs(self._call, row).values())
        said = " · ".join(f"{name} {value}" for name, value in row.outputs.items()) or row.words
        room = max(self.room - _STATE - 6, 20)
        words = f"{shortened(given, room // 2)}  {said}" if said else given
        return Content.assemble(Content(f"{row.number:>3}  "), state, Content(shortened(words, room)))

    def _tell(self) -> None:
        if self._current is None:
            return
        left, row = self._current.left, self.at_cursor(self._runs)
        words = summary(self._current.rows) + (f" · r continues with {left}" if left else "")
        why = (half_done(self._call, row) or row.words) if row is not None else ""
        done = all(one.state == "done" for one in self._current.rows)
        self.say(f"{words}\n{shortened(why, 2 * self.room)}" if why else words, "$text-success" if done else "$text-warning")


class _Asking(Presenter):
    """Asks before each change, in a dialog with its check."""

    def __init__(self, app: App[Any]) -> None:
        super().__init__()
        self._app = app

    async def consent(self, question: Question) -> Consent | None:
        return await self._app.push_screen_wait(ConfirmDelete(question))


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
        if (one := self.at_cursor(self._kept)) is not None:
            self.dismiss(("edit", one))

    @work(group="saved", exclusive=True)
    async def action_delete(self) -> None:
        if (one := self.at_cursor(self._kept)) is None:
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
        if (one := self.at_cursor(self._kept)) is not None:
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
        if (one := self.at_cursor(self._kept)) is not None:
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
        one = self.at_cursor(self._kept)
        if one is not None:
            chain = one.summary if len(one.steps) == 1 else " → ".join(step.tool for step in one.steps)
            self.say(shortened(visible_line(f"{one.about} {chain}".strip()), 2 * self.room))
        elif self._form is not None:
            self.say("No saved calls yet. Type a name and press Enter to save this form; ↓, then n records the last calls.")
        else:
            self.say("No saved calls yet. n records the last calls; ^S in a form saves it.")


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
