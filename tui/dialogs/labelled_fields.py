"""Dialogs with a row for each field: its label, then a choice or a line to type into."""

from __future__ import annotations

from textual.containers import Horizontal
from textual.widgets import Static

from tui.dialogs.dialog import Dialog
from tui.keyboard.dismissed_once import DialogResult
from tui.widgets.option_row import Options
from tui.widgets.text_line import Line


class FieldsDialog(Dialog[DialogResult]):
    """Rows of labelled fields, each with an id."""

    DEFAULT_CSS = """
    FieldsDialog {
        #box { padding: 0 2; }
        .row { height: auto; }
        .label { width: 14; color: $foreground-muted; }
        Options { width: 1fr; height: auto; }
        Options:focus { background: $panel; }
        Line { width: 1fr; padding: 0 1; background: $background; }
        Line:focus { background: $panel; }
    }
    """

    @staticmethod
    def _row(label: str, field: Options | Line) -> Horizontal:
        return Horizontal(Static(label, classes="label"), field, classes="row")

    def _show_row(self, id_: str, shown: bool) -> None:
        """Show or hide the row of a field."""
        row = self.query_one(f"#{id_}").parent
        assert isinstance(row, Horizontal)
        row.display = shown

    def _options(self, id_: str) -> Options:
        return self.query_one(f"#{id_}", Options)

    def _value(self, id_: str) -> str:
        """The text in a line."""
        return self.query_one(f"#{id_}", Line).value.strip()
