"""The presets of one tool: save the form as one, load, rename, delete, export and import them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
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

from registry.calling.arguments import FieldError, check
from registry.catalog.model import Tool
from registry.presets.preset import Preset, PresetError, new_preset
from registry.presets.sharing import proposed_name, write_shared
from registry.presets.store import NameTaken, StoredPresets, shared_file
from registry.results.export.formats import NotExported
from registry.text.local_time import local_moment
from registry.text.safe_text import shortened
from tui.dialogs.rows_below import RowsBelow, RowsDialog, lines_left
from tui.dialogs.show_as import ShowAs
from tui.session import Session
from tui.widgets.text_line import Line

Job = Literal["save", "rename", "export", "import"]

_LABELS: dict[Job, tuple[str, str]] = {
    "save": ("Save as", "Name for this preset; ↓ for saved presets"),
    "rename": ("Rename to", "New name"),
    "export": ("Export to", "File path"),
    "import": ("Import from", "Path of a preset file"),
}
_TIME = 13
_WARNS = "$text-warning"


def _words_of(one: Preset) -> str:
    """A preset's values, and its folder if it is shared."""
    return f"from {one.shared} · {one.summary}" if one.shared else one.summary


def _lacks(errors: Sequence[FieldError]) -> str:
    """The fields that keep a call from being sent: ``required: customer_id · invalid: limit, since``."""
    missing = dict.fromkeys(one.path for one in errors if one.message == "is required")
    invalid = dict.fromkeys(one.path for one in errors if one.message != "is required")
    named = (("required", missing), ("invalid", invalid))
    return " · ".join(f"{what}: {', '.join(paths)}" for what, paths in named if paths)


@dataclass(frozen=True, slots=True)
class PresetAction:
    """What was done, in words, and the preset to load. `incomplete`: it was saved, but cannot run as it is."""

    words: str
    loaded: Preset | None = None
    incomplete: bool = False


class PresetRows(RowsBelow):
    """The presets, and the keys that work on them."""

    BINDINGS = [
        Binding("r", "wanted('rename')", show=False),
        Binding("e", "wanted('export')", show=False),
        Binding("i", "wanted('import')", show=False),
        Binding("c", "wanted('command')", show=False),
        Binding("delete", "wanted('delete')", show=False),
        Binding("y", "wanted('yes')", show=False),
    ]


class PresetsDialog(RowsDialog["PresetAction | None"]):
    """Returns what was done.

    Args:
        session: has the presets, the tools, and calls as commands.
        tool: the tool of the presets.
        raw: the values of the form; None while its JSON is invalid.
        folder: where files go unless another path is typed.
    """

    DEFAULT_CSS = """
    PresetsDialog {
        #box { width: 96; }
        #row { height: 1; margin: 0 0 1 0; }
        #label { width: 10; color: $foreground-muted; }
        Line { width: 1fr; padding: 0 1; background: $background; }
        Line:focus { background: $panel; }
        PresetRows { height: auto; min-height: 1; }
    }
    """

    BINDINGS = [Binding("ctrl+o", "replace", show=False, priority=True)]

    widest = 96
    line_keys = (("Enter", "Confirm"), ("↓", "Presets, to load, rename, export or delete"), ("Esc", "Back"))
    list_keys = (
        ("Enter", "Load"),
        ("r", "Rename"),
        ("e", "Export"),
        ("i", "Import"),
        ("c", "Copy call"),
        ("Del", "Delete"),
    )

    def __init__(self, session: Session, tool: Tool, raw: Mapping[str, object] | None, folder: Path) -> None:
        super().__init__()
        self._session = session
        self._sets = session.presets
        self._tool = tool
        self._raw = raw
        self._folder = folder
        self._kept: tuple[Preset, ...] = ()
        self._job: Job = "save"
        self._doubtful: Preset | None = None
        self._described: Preset | None = None
        self._taken = False
        self._in_list = False

    def compose(self) -> ComposeResult:
        """The line to type into, the presets, a message, and the keys."""
        with Vertical(id="box"):
            title = shortened(f"Presets · {self._tool.name}", self._room)
            yield Static(Content.styled(title, "bold"), id="title")
            with Horizontal(id="row"):
                yield Static(id="label")
                yield Line(compact=True)
            yield PresetRows(compact=True)
            yield Static(id="about")
            yield self.keys_line(*self.line_keys)

    def on_mount(self) -> None:
        """Focus the line for a name, and read the presets."""
        self._begin("save")
        self._read()

    def on_resize(self) -> None:
        """Give the list the height that the rest of the box leaves."""
        self._list.styles.max_height = lines_left(self.app.size.height)
        self._show()

    def action_enter_list(self) -> None:
        """Go from the line into the list."""
        if not self._in_list:
            self._enter_list()
            self._tell()

    def _enter_list(self) -> None:
        self._in_list = True
        self._list.focus()

    def action_leave(self) -> None:
        """Go back to saving; from there, close."""
        if self._job != "save":
            self._begin("save")
            self._enter_list()
            self._tell()
        else:
            self.dismiss(None)

    def action_replace(self) -> None:
        """Replace the preset or file that exists already."""
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
        one = self._here
        if one is not None:
            self.dismiss(PresetAction(f"✓ Loaded “{one.name}”", one))

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        # Filling the list posts this as well: that must not replace the message about the last action.
        if self._here is not self._described:
            self._doubtful = None
            self._tell()

    @on(RowsBelow.ActionRequested)
    def _action_requested(self, event: RowsBelow.ActionRequested) -> None:
        event.stop()
        one, doubtful = self._here, self._doubtful
        self._doubtful = None
        if event.what == "type":
            self._begin("save")
        elif event.what == "import":
            self._begin("import")
        elif one is None:
            self._tell()
        elif event.what == "rename":
            self._begin("rename", one.name)
        elif event.what == "export":
            self._begin("export", str(self._folder / proposed_name(one)))
        elif event.what == "command":
            self._show_command(one)
        elif event.what == "delete" and one.shared:
            words = f"“{one.name}” is shared from {one.shared} and cannot be deleted here. r makes a copy of your own."
            self._say(words, _WARNS)
        elif event.what == "delete":
            self._doubtful = one
            self._say(f"Delete “{one.name}”? Press y to delete, any other key to cancel.", "$text-error")
        elif event.what == "yes" and doubtful is one:
            self._delete(one)
        else:
            self._tell()

    def _begin(self, job: Job, value: str = "") -> None:
        """Set the purpose of the line."""
        self._job, self._taken, self._in_list = job, False, False
        label, hint = _LABELS[job]
        self.query_one("#label", Static).update(Content(label))
        line = self.query_one(Line)
        line.placeholder = hint
        line.value = value
        line.cursor_position = len(value)
        line.focus()
        self._tell()

    @work(group="arguments", exclusive=True, exit_on_error=False)
    async def _carry_out(self, *, replaces: bool) -> None:
        """Carry out the action of the line."""
        text, one = self.query_one(Line).value, self._here
        try:
            if self._job == "save":
                await self._save(text, replaces)
            elif self._job == "import":
                await self._import(text, replaces)
            elif one is not None and self._job == "rename":
                renamed = await asyncio.to_thread(self._sets.rename, self._tool, one, text)
                words = f"✓ Saved your own copy “{renamed.name}”" if one.shared else f"✓ Renamed to “{renamed.name}”"
                await self._done(words, renamed.name)
            elif one is not None:
                write = lambda: write_shared(self._tool, one, text, self._folder, replaces=replaces)  # noqa: E731
                path = await asyncio.to_thread(write)
                await self._done(f"✓ Saved {path}", one.name)
        except NameTaken as error:
            self._taken = self._job != "rename"
            way = "Choose another name, or press ^O to replace it." if self._taken else "Choose another name."
            self._say(f"{error.cause} {way}", _WARNS)
        except PresetError as error:
            self._say(str(error), "$text-error")
        except NotExported as error:
            self._taken = error.concern == "taken"
            way = "Choose another name, or press ^O to replace it." if self._taken else error.next_step
            self._say(f"{error.cause} {way}", _WARNS)

    async def _save(self, name: str, replaces: bool) -> None:
        if self._raw is None:
            raise PresetError("The JSON is not valid arguments.", "Fix it first.")
        one, left_out = new_preset(self._tool, name, self._raw, self._session.clock())
        await asyncio.to_thread(lambda: self._sets.save(self._tool, one, replaces=replaces))
        lacks = _lacks(check(self._tool, self._raw, self._session.clock()).errors)
        words = f"Saved “{one.name}”"
        if left_out:
            words += f" without {', '.join(left_out)} (secrets are never saved)"
        if lacks:
            self.dismiss(PresetAction(f"{words}, not ready · {lacks}", incomplete=True))
        else:
            way = "" if left_out else f". To run it: callboard call --preset {quote(one.name)}"
            self.dismiss(PresetAction(f"✓ {words}{way}"))

    async def _import(self, path: str, replaces: bool) -> None:
        tools = self._session.catalog.tools
        one = await asyncio.to_thread(lambda: shared_file(Path(path.strip()), tools, self._folder))
        await asyncio.to_thread(lambda: self._sets.save(tools[one.tool], one, replaces=replaces))
        elsewhere = f" for {one.tool}" if one.tool != self._tool.name else ""
        await self._done(f"✓ “{one.name}” is saved{elsewhere}.", one.name)

    @work(group="arguments", exclusive=True, exit_on_error=False)
    async def _delete(self, one: Preset) -> None:
        try:
            await asyncio.to_thread(self._sets.delete, self._tool, one.reference)
        except PresetError as error:
            self._say(str(error), "$text-error")
        else:
            await self._done(f"✓ Deleted “{one.name}”", "")

    @work(group="arguments", exclusive=True, exit_on_error=False)
    async def _show_command(self, one: Preset) -> None:
        forms = [self._session.preset_command(self._tool, one)]
        words = await self.app.push_screen_wait(ShowAs(self._tool.name, forms))
        if words is not None:
            self._say(words, "$text-success")

    @work(group="read", exclusive=True, exit_on_error=False)
    async def _read(self) -> None:
        kept = await asyncio.to_thread(self._sets.of, self._tool)
        notices = kept.notices + await asyncio.to_thread(self._sets.notices)
        self._take(kept, "")
        if notices:
            self._say("\n".join(notices[:2]), _WARNS)

    async def _done(self, words: str, name: str) -> None:
        """After an action, show the presets, with the cursor on a name, and a message."""
        self._begin("save")
        self._take(await asyncio.to_thread(self._sets.of, self._tool), name)
        self._enter_list()
        self._say(words, "$text-success")

    def _take(self, kept: StoredPresets, name: str) -> None:
        self._kept = kept.presets
        place = next((number for number, one in enumerate(self._kept) if one.name == name), self._list.highlighted or 0)
        self._show(place)
        self._tell()

    def _show(self, place: int | None = None) -> None:
        """Show the presets, with the cursor at an index."""
        width = min(max((len(one.name) for one in self._kept), default=0), self._room * 2 // 5)
        wanted = place if place is not None else self._list.highlighted or 0
        self._list.clear_options()
        self._list.add_options([Option(self._row(one, width)) for one in self._kept])
        self._list.highlighted = min(wanted, len(self._kept) - 1) if self._kept else None

    def _row(self, one: Preset, width: int) -> Content:
        room = max(self._room - width - _TIME - 4, 8)
        return Content.assemble(
            Content(shortened(one.name, width).ljust(width + 2)),
            Content.styled(local_moment(one.saved).ljust(_TIME), "$foreground-muted"),
            Content.styled(shortened(_words_of(one), room), "$text-accent"),
        )

    def _tell(self) -> None:
        """Show the values of the preset at the cursor, or a hint."""
        one = self._described = self._here
        if self._in_list and one is not None:
            self._say(_words_of(one), "")
        elif self._job != "save" and one is not None:
            self._say("" if self._job == "import" else f"“{one.name}”: {one.summary}", "")
        elif not self._kept:
            self._say("No presets yet. Type a name and press Enter to save this form; press ↓, then i to import a file.", "")
        else:
            self._say("", "")

    @property
    def _here(self) -> Preset | None:
        """The preset at the cursor."""
        return self._at_cursor(self._kept)
