"""The rows of a CSV file as inputs of runs: a column for each input, with its name or a given one."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from registry.saved.saved_call import SavedCall, SavedCallError
from registry.text.safe_text import visible_line

MOST_BYTES = 10_000_000


def csv_rows(
    content: bytes, call: SavedCall, columns: Mapping[str, str], given: Mapping[str, object]
) -> tuple[list[dict[str, object]], list[str]]:
    """The inputs of each row, and the columns that no input uses. Empty cells are not set; empty lines are skipped.

    The file is UTF-8, with names in its first line, and commas or semicolons between cells. `columns` names those of inputs
    with other names; `given` values are for all rows, and a cell that is not empty overrides them.

    Raises:
        SavedCallError: it cannot be read, or has no column for an input.
    """
    if len(content) > MOST_BYTES:
        raise SavedCallError(f"The CSV file is too large: at most {MOST_BYTES // 1_000_000} MB.", "Split it.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SavedCallError(f"The CSV file is not valid UTF-8 (byte {error.start + 1}).", "Save it as UTF-8.") from None
    head = text.split("\n", 1)[0]
    separator = ";" if head.count(";") > head.count(",") else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True, restkey="")
    rows: list[dict[str, object]] = []
    try:
        reader.fieldnames = names = [name.strip() for name in reader.fieldnames or ()]
        column_of = _columns(names, call, columns)
        for cells in reader:
            if "" in cells and "" not in names:
                cause = f"Line {reader.line_num} of the CSV file has more cells than the first, which names {len(names)}."
                raise SavedCallError(cause, "Quote cells that contain the separator.")
            own = {name: text.strip() for name, column in column_of.items() if (text := cells.get(column) or "").strip()}
            rows += [{**given, **own}] if any(str(text or "").strip() for text in cells.values()) else []
    except csv.Error as error:
        raise SavedCallError(f"Line {reader.line_num} of the CSV file cannot be read: {error}.") from None
    if not rows:
        raise SavedCallError("The CSV file has no rows.", "Put names in the first line, and a line for each run below it.")
    return rows, [visible_line(name) for name in names if name and name not in column_of.values()]


def _columns(names: list[str], call: SavedCall, given: Mapping[str, str]) -> dict[str, str]:
    """Input → its column."""
    known = ", ".join(one.name for one in call.inputs) or "none"
    shown = ", ".join(visible_line(name) for name in names[:20])
    for name, column in given.items():
        if call.input(name) is None:
            raise SavedCallError(f"The saved call has no input “{visible_line(name)}”.", f"Its inputs: {known}.")
        if column not in names:
            raise SavedCallError(f"The CSV file has no column “{visible_line(column)}”.", f"Its columns: {shown}.")
    if twice := next((name for name in names if name and names.count(name) > 1), ""):
        raise SavedCallError(f"The CSV file has two columns named “{visible_line(twice)[:40]}”.", "Rename one.")
    found = {one.name: one.name for one in call.inputs if one.name in names} | dict(given)
    if not found:
        way_out = f"Rename a column, or add --column INPUT=COLUMN. Inputs: {known}."
        raise SavedCallError(f"No column of the CSV file is an input; its columns: {shown or 'none'}.", way_out)
    return found
