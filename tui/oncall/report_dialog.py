"""The handoff report on screen, to the clipboard, or into a file."""

import asyncio
import re
from collections.abc import Callable
from datetime import datetime, tzinfo
from pathlib import Path

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, Static

from registry.files.folders import unnamed_file
from registry.text.shown import visible, visible_line
from tui.dialogs.dialog import titled
from tui.dialogs.questions import Reader
from tui.state.settings import downloads_folder
from tui.widgets.scrolling import Scroll
from tui.widgets.texts import Line as TypedLine

_ESCAPED = re.compile(r"\\([^\w\s])")  # Markdown's escapes are for what is copied and saved


class ReportDialog(Reader):
    """Shows the report; returns in words what was done with it.

    Args:
        made: makes the report as Markdown, with the user's note or an empty text.
        now: when it was made, in Unix seconds.
        zone: the zone of the time in the file's name.
        note: the user's note so far.

    Attributes:
        note: the same when it is closed.
    """

    DEFAULT_CSS = """
    ReportDialog {
        #note { display: none; }
        #note.-open { display: block; }
    }
    """

    BINDINGS = [Binding("x", "save", show=False), Binding("n", "note", show=False)]

    beside = 9
    ends_by_copying = True

    def __init__(self, made: Callable[[str], str], now: float, zone: tzinfo, note: str) -> None:
        super().__init__("Handoff report", made(note), copies="the report")
        self._made, self.note = made, note
        self._file = f"handoff-{datetime.fromtimestamp(now, zone):%Y-%m-%d-%H%M}.md"
        self.keys = (("y", "Copy"), ("x", "Save"), ("n", "Note"), ("↑ ↓", "Scroll"), ("Esc", "Close"))

    def _body(self) -> ComposeResult:
        yield TypedLine(self.note, "Note for the next shift", id="note", compact=True, select_on_focus=False)
        yield from super()._body()

    def _drawn(self, text: str) -> Content:
        return Content(visible(_ESCAPED.sub(r"\1", text)))

    def action_note(self) -> None:
        self.query_one("#note").add_class("-open").focus()

    def action_leave(self) -> None:
        """Take the note, which stays also when the report is opened again; then close."""
        if self.query_one("#note").has_focus:
            self.on_input_submitted()
        else:
            super().action_leave()

    def on_input_submitted(self) -> None:
        line = self.query_one("#note", Input)
        self.note = line.value.strip()
        self._text = self._made(self.note)
        self.query_one("#title", Static).update(titled(self._counted()))
        self.query_one("#text", Static).update(self._drawn(self._text))
        line.remove_class("-open")
        self.query_one(Scroll).focus()

    @work(group="oncall report", exclusive=True)
    async def action_save(self) -> None:
        """Save the report into the downloads folder; no file is overwritten."""
        try:
            file = await asyncio.to_thread(self._write)
        except FileExistsError:
            self.notify(f"{self._file} already exists. Nothing was saved.", severity="warning")
        except OSError as error:
            self.notify(f"{self._file}: {visible_line(error.strerror or str(error))}", severity="error")
        else:
            self.dismiss(f"✓ Saved {visible_line(str(file))}")

    def _write(self) -> Path:
        file = downloads_folder() / self._file
        with unnamed_file(file.parent, file.name) as one:
            one.file.write(self._text.encode("utf-8", "replace"))
            one.place(file)
        return file
