"""The handoff report on screen, to the clipboard, or into a file."""

from __future__ import annotations

import asyncio
from datetime import datetime, tzinfo
from pathlib import Path

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from registry.display.safe_text import visible, visible_line
from registry.storage.atomic_file import unnamed_file
from tui.dialogs.dialog import Dialog
from tui.state.downloads import usual_folder
from tui.widgets.scrolling import Scroll


class ReportDialog(Dialog[str]):
    """Shows the report; answers in words what was done with it.

    Args:
        text: Markdown.
        now: when it was made, Unix seconds.
        zone: the zone in which the file's name tells that.
    """

    DEFAULT_CSS = """
    ReportDialog {
        #box { width: 96%; height: 92%; }
        #text { height: auto; }
    }
    """

    BINDINGS = [
        Binding("y", "copy", "Copy"),
        Binding("x", "save", "Save"),
    ]

    def __init__(self, text: str, now: float, zone: tzinfo) -> None:
        super().__init__()
        self._text = text
        self._file = Path(f"handoff-{datetime.fromtimestamp(now, zone):%Y-%m-%d-%H%M}.md")

    def compose(self) -> ComposeResult:
        """The report and its keys."""
        with Scroll(id="box"):
            yield self.keys_line(("y", "copy"), ("x", f"save as {self._file}"), ("↑ ↓", "scroll"), ("Esc", "close"))
            yield Static(Content("\n" + visible(self._text)), id="text")

    def on_mount(self) -> None:
        """The keyboard scrolls."""
        self.query_one("#box").focus()

    @work(group="oncall report copy", exclusive=True, exit_on_error=False)
    async def action_copy(self) -> None:
        """To the clipboard."""
        from tui.terminal.clipboard import copy

        outcome = await copy(self.app, self._text)
        if outcome.done:
            self.dismiss(outcome.about("the report"))
        else:
            self.notify(outcome.about("the report"), severity="error", markup=False)

    @work(group="oncall report file", exclusive=True, exit_on_error=False)
    async def action_save(self) -> None:
        """Into a file among the downloads; nothing is written over."""
        try:
            file = await asyncio.to_thread(_write, self._file, self._text)
        except FileExistsError:
            self.notify(f"{self._file} is there already; nothing was written.", severity="warning", markup=False)
        except OSError as error:
            self.notify(f"{self._file}: {visible_line(error.strerror or str(error))}", severity="error", markup=False)
        else:
            self.dismiss(f"✓ Saved {visible_line(str(file))}")


def _write(name: Path, text: str) -> Path:
    file = usual_folder() / name
    with unnamed_file(file.parent, file.name) as one:
        one.file.write(text.encode("utf-8", "replace"))
        one.place(file)
    return file
