"""Without the focus, a form shows only the fields that are set, to give the focused pane more room."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Collapsible

from tui.explorer.fields.field import Field
from tui.widgets.words import Words


def show_set(form: Widget, fields: Sequence[Field], *, everything: bool) -> None:
    """Show the fields that are set, required or wrong, and how many more there are; or all of them.

    Args:
        form: has the fields, their folds and titles, and the line ``#left-out``.
        fields: the fields of the tool's own parameters.
        everything: show all fields, as while the form has the focus.
    """
    for field in fields:
        field.display = everything or field.raw is not None or field.parameter.required or field.has_class("-wrong")
    shown = {field for field in fields if field.display}
    folds = [fold for fold in form.walk_children(Collapsible) if not any(isinstance(one, Field) for one in fold.ancestors)]
    folded = {field for fold in folds for field in fold.walk_children(Field)}
    for fold in folds:
        fold.display = everything or not shown.isdisjoint(fold.walk_children(Field))
    for title in form.query(".section"):
        title.display = any(not field.parameter.required for field in shown - folded)
    for line in form.query("#left-out").results(Words):
        line.display = len(shown) < len(fields)
        line.update(Content(f"{len(fields) - len(shown)} more, not set"))
