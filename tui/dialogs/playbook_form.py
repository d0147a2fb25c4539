"""Edits a playbook: a line for its name and each argument, default and output; problems are shown while the user types."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from registry.catalog.loader import Catalog
from registry.playbooks.checking import problems_of
from registry.playbooks.editing import EditField, edited, fields_of, without_step
from registry.playbooks.playbook import Playbook, PlaybookError
from registry.playbooks.store import PlaybookStore
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.dialog import Dialog
from tui.widgets.text_line import Line

_LABEL = 26
_AROUND = 9


class FieldLine(Line):
    """The line of one field."""

    def __init__(self, field: EditField) -> None:
        super().__init__(field.text, placeholder=field.hint, compact=True)
        self.place = field.place


class PlaybookForm(Dialog["Playbook | None"]):
    """Returns the saved playbook.

    Args:
        playbook: the playbook to edit.
        store: where it is saved.
        catalog: the tools.
        notes: what the user should look at first.
        is_new: whether it is new, so that it cannot replace one of the same name.
    """

    DEFAULT_CSS = """
    PlaybookForm {
        #box { width: 110; }
        #fields { height: auto; scrollbar-size-vertical: 1; }
        .section { color: $foreground-muted; text-style: bold; margin: 1 0 0 0; }
        .field { height: 1; }
        .label { width: 27; color: $foreground-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        FieldLine { width: 1fr; padding: 0 1; background: $background; }
        FieldLine:focus { background: $panel; }
        #state { height: 2; margin: 1 0 0 0; }
        .keys-here { margin: 0; }
    }
    """

    BINDINGS = [
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
        Binding("ctrl+s", "save", show=False, priority=True),
        Binding("ctrl+d", "remove_step", show=False, priority=True),
    ]

    def __init__(
        self, playbook: Playbook, store: PlaybookStore, catalog: Catalog, notes: Sequence[str] = (), *, is_new: bool
    ) -> None:
        super().__init__()
        self._playbook = playbook
        self._store = store
        self._catalog = catalog
        self._notes = notes
        self._named = "" if is_new or playbook.shared else playbook.name

    def compose(self) -> ComposeResult:
        """The fields by section, what is wrong, and the keys."""
        with Vertical(id="box"):
            shared = self._playbook.shared
            title = f"Edit a copy of a playbook from {shared}" if shared else "Edit playbook"
            yield Static(Content.styled(title, "bold"), id="title")
            yield VerticalScroll(*self._rows(), id="fields", can_focus=False)
            yield Static(id="state")
            yield self.keys_line(("^S", "Save"), ("↑ ↓", "Move"), ("^D", "Remove this step"), ("Esc", "Close"))

    def on_mount(self) -> None:
        """Focus the name, and show the notes."""
        self._fit()
        next(iter(self.query(FieldLine))).focus()
        self._tell("\n".join(self._notes[:2]), "$text-warning") if self._notes else self._check()

    def on_resize(self) -> None:
        """Give the fields the height that the rest of the box leaves."""
        self._fit()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        line = event.input
        if isinstance(line, FieldLine) and line.has_focus:
            self._check()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        """Update the form on Enter: a new argument gets a line, a new input a line for its default."""
        event.stop()
        self._rebuild(self._edited)

    def action_remove_step(self) -> None:
        """Remove the step of the focused field."""
        place = self._place.split(".")
        if place[0] != "steps":
            self._tell("Go to a field of the step to remove it.", "$text-warning")
        else:
            self._rebuild(without_step(self._edited, place[1], self._catalog))

    @work(group="playbook", exclusive=True, exit_on_error=False)
    async def action_save(self) -> None:
        """Save it and close, or show what is wrong."""
        playbook = self._edited
        try:
            await asyncio.to_thread(lambda: self._store.save(playbook, replaces=playbook.name == self._named))
            if self._named and self._named != playbook.name:
                await asyncio.to_thread(self._store.delete, self._named)
        except PlaybookError as error:
            self._tell(f"Not saved. {error.problems[0]}." if error.problems else f"Not saved. {error}", "$text-error")
        else:
            self.dismiss(playbook)

    @work(group="playbook", exclusive=True, exit_on_error=False)
    async def _rebuild(self, playbook: Playbook) -> None:
        place = self._place
        self._playbook = playbook
        fields = self.query_one("#fields")
        async with fields.batch():
            await fields.remove_children()
            await fields.mount(*self._rows())
        lines = list(self.query(FieldLine))
        next((line for line in lines if line.place == place), lines[0]).focus()
        self._fit()
        self._check()

    def _rows(self) -> list[Static | Horizontal]:
        rows: list[Static | Horizontal] = []
        section = "Playbook"
        for field in fields_of(self._playbook):
            if field.section != section:
                section = field.section
                rows.append(Static(Content(shortened(visible_line(section), 100)), classes="section"))
            label = Static(Content(shortened(visible_line(field.label), _LABEL)), classes="label")
            rows.append(Horizontal(label, FieldLine(field), classes="field"))
        return rows

    @property
    def _edited(self) -> Playbook:
        return edited(self._playbook, {line.place: line.value for line in self.query(FieldLine)}, self._catalog)

    @property
    def _place(self) -> str:
        return self.focused.place if isinstance(self.focused, FieldLine) else ""

    def _check(self) -> None:
        problems = problems_of(self._edited, self._catalog)
        if problems:
            more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
            self._tell(f"{problems[0]}{more}", "$text-warning")
        else:
            self._tell("Ready to save. {name} is an input, {@step.path} a value of an earlier response.", "$foreground-muted")

    def _tell(self, words: str, style: str) -> None:
        self.query_one("#state", Static).update(Content.styled("\n".join(map(visible_line, words.split("\n"))), style))

    def _fit(self) -> None:
        self.query_one("#fields").styles.max_height = max(self.app.size.height * 92 // 100 - _AROUND, 3)
