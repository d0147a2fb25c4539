"""The handoff report on screen, to the clipboard, or into a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, tzinfo
from pathlib import Path

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, Static

from registry.files.folders import unnamed_file
from registry.text.safe_text import visible, visible_line
from tui.dialogs.dialog import Dialog
from tui.state.downloads import usual_folder
from tui.terminal.clipboard import copy
from tui.widgets.scrolling import Scroll
from tui.widgets.text_line import Line as TypedLine


class ReportDialog(Dialog[str]):
    """Shows the report; returns in words what was done with it.

    Args:
        made: makes the report as Markdown, with the user's note or an empty text.
        now: when it was made, in Unix seconds.
        zone: the zone of the time in the file's name.
    """

    DEFAULT_CSS = """
    ReportDialog {
        #box { width: 96%; height: 92%; }
        #text { height: auto; }
        #note { display: none; margin: 1 0 0 0; }
        #note.-open { display: block; }
    }
    """

    BINDINGS = [Binding("y", "copy", "Copy"), Binding("x", "save", "Save"), Binding("n", "note", "Note")]

    def __init__(self, made: Callable[[str], str], now: float, zone: tzinfo) -> None:
        super().__init__()
        self._made = made
        self._notes: list[str] = []
        self._text = made("")
        self._file = f"handoff-{datetime.fromtimestamp(now, zone):%Y-%m-%d-%H%M}.md"

    def compose(self) -> ComposeResult:
        """The report and its keys."""
        with Scroll(id="box"):
            keys = (("y", "copy"), ("x", f"save as {self._file}"), ("n", "add a note"), ("↑ ↓", "scroll"), ("Esc", "close"))
            yield self.keys_line(*keys)
            yield TypedLine(placeholder="Note for the next shift; Enter adds it", id="note", compact=True)
            yield Static(Content("\n" + visible(self._text)), id="text")

    def on_mount(self) -> None:
        """Focus the text, which scrolls."""
        self.query_one("#box").focus()

    def action_note(self) -> None:
        """Open the line for a note."""
        self.query_one("#note").add_class("-open").focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Add the note to the report."""
        event.stop()
        if event.value.strip():
            self._notes.append(event.value.strip())
            self._text = self._made("\n".join(self._notes))
            self.query_one("#text", Static).update(Content("\n" + visible(self._text)))
        event.input.value = ""
        event.input.remove_class("-open")
        self.query_one("#box").focus()

    @work(group="oncall report", exclusive=True, exit_on_error=False)
    async def action_copy(self) -> None:
        """Copy the report to the clipboard."""
        outcome = await copy(self.app, self._text)
        if outcome.done:
            self.dismiss(outcome.about("the report"))
        else:
            self.notify(outcome.about("the report"), severity="error", markup=False)

    @work(group="oncall report", exclusive=True, exit_on_error=False)
    async def action_save(self) -> None:
        """Save the report into the downloads folder; no file is overwritten."""
        try:
            file = await asyncio.to_thread(self._write)
        except FileExistsError:
            self.notify(f"{self._file} already exists. Nothing was saved.", severity="warning", markup=False)
        except OSError as error:
            self.notify(f"{self._file}: {visible_line(error.strerror or str(error))}", severity="error", markup=False)
        else:
            self.dismiss(f"✓ Saved {visible_line(str(file))}")

    def _write(self) -> Path:
        file = usual_folder() / self._file
        with unnamed_file(file.parent, file.name) as one:
            one.file.write(self._text.encode("utf-8", "replace"))
            one.place(file)
        return file
