"""The rows of a CSV file as inputs of runs: a column for each input, with its name or a given one."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from registry.playbooks.playbook import Playbook, PlaybookError
from registry.playbooks.running import MOST_ROWS
from registry.text.safe_text import shortened, visible_line

MOST_BYTES = 10_000_000
_MOST_COLUMNS = 500


def csv_rows(
    content: bytes, playbook: Playbook, columns: Mapping[str, str], given: Mapping[str, object]
) -> tuple[list[dict[str, object]], list[str]]:
    """The inputs of each row, and the columns that no input uses. Empty cells are not set; empty lines are skipped.

    Args:
        content: the file; UTF-8, with names in its first line, commas or semicolons between cells.
        playbook: whose inputs they are.
        columns: input → column, if the names differ.
        given: values for all rows; a cell that is not empty overrides them.

    Raises:
        PlaybookError: it cannot be read, or has no column for an input.
    """
    if len(content) > MOST_BYTES:
        raise PlaybookError(f"The CSV file is too large: at most {MOST_BYTES // 1_000_000} MB.", "Split it.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlaybookError(f"The CSV file is not valid UTF-8 (byte {error.start + 1}).", "Save it as UTF-8.") from None
    lines = io.StringIO(text, newline="")
    head = text.split("\n", 1)[0]
    reader = csv.reader(lines, delimiter=";" if head.count(";") > head.count(",") else ",", strict=True)
    try:
        names = [name.strip() for name in next(reader, [])]
        places = _places(names, playbook, columns)
        rows: list[dict[str, object]] = []
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(names):
                problem = f"has {len(cells)} cells; its first line names {len(names)} columns."
                raise PlaybookError(
                    f"Line {reader.line_num} of the CSV file {problem}", "Quote cells that contain the separator."
                )
            if len(rows) == MOST_ROWS:
                raise PlaybookError(f"The CSV file has more than {MOST_ROWS:,} rows.", "Split it.")
            own = {name: cells[place].strip() for name, place in places.items() if place < len(cells) and cells[place].strip()}
            rows.append({**given, **own})
    except csv.Error as error:
        raise PlaybookError(f"Line {reader.line_num} of the CSV file cannot be read: {error}.") from None
    if not rows:
        raise PlaybookError("The CSV file has no rows.", "Put names in the first line, and a line for each run below it.")
    used = set(places.values())
    return rows, [visible_line(name) for place, name in enumerate(names) if place not in used and name]


def _places(names: list[str], playbook: Playbook, columns: Mapping[str, str]) -> dict[str, int]:
    """Input → the index of its column."""
    shown = ", ".join(visible_line(name) for name in names[:20])
    if not any(names):
        raise PlaybookError("The CSV file is empty.", "Put the names of the columns in its first line.")
    if len(names) > _MOST_COLUMNS:
        raise PlaybookError(f"The CSV file has {len(names)} columns; at most {_MOST_COLUMNS} are allowed.")
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise PlaybookError(f"The CSV file has two columns named “{shortened(visible_line(twice), 40)}”.", "Rename one.")
    found: dict[str, int] = {}
    for name, column in columns.items():
        if playbook.input(name) is None:
            known = ", ".join(one.name for one in playbook.inputs)
            raise PlaybookError(f"The playbook has no input “{visible_line(name)}”.", f"Its inputs: {known or 'none'}.")
        if column not in names:
            raise PlaybookError(f"The CSV file has no column “{visible_line(column)}”.", f"Its columns: {shown}.")
        found[name] = names.index(column)
    for one in playbook.inputs:
        if one.name not in found and one.name in names:
            found[one.name] = names.index(one.name)
    if not found:
        wanted = ", ".join(one.name for one in playbook.inputs) or "none"
        way_out = f"Rename a column, or add --column INPUT=COLUMN. Inputs: {wanted}."
        raise PlaybookError(f"No column of the CSV file is an input; its columns: {shown}.", way_out)
    return found
