"""The results of a run: as JSON, as flat records for CSV, as a table of text, and in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from registry.accounts.secrets import MASK
from registry.saved.running import RowRun, RowState
from registry.saved.saved_call import SavedCall
from registry.text.safe_text import shortened, visible_line

SIGNS: Mapping[RowState, str] = {
    "done": "✓",
    "failed": "✗",
    "refused": "✗",
    "unknown": "?",
    "cancelled": "◦",
    "running": "…",
    "waiting": "·",
}
"""A sign for each state, shown with the state's name."""

_WIDEST = 40
_REASON = 100


def shown_inputs(call: SavedCall, row: RowRun) -> dict[str, object]:
    """The inputs of a row by name, in the saved call's order, secrets redacted."""
    found = {one.name: one for one in call.inputs}
    return {name: MASK if found[name].secret else row.inputs[name] for name in found if name in row.inputs}


def as_json(call: SavedCall, row: RowRun) -> dict[str, Any]:
    """A row as JSON values: ``row``, ``state``, ``inputs``, ``outputs``, ``steps``, ``why``."""
    return {
        "row": row.number,
        "state": row.state,
        "inputs": shown_inputs(call, row),
        "outputs": dict(row.outputs),
        "steps": [
            {name: getattr(one, name) for name in ("id", "tool", "effect", "state")}
            | {"why": one.words, "seconds": round(one.seconds, 3)}
            for one in row.steps
        ],
        "not_run": [step.id for step in call.steps[len(row.steps) :]],
        "why": row.words,
    }


def as_record(call: SavedCall, row: RowRun) -> dict[str, Any]:
    """A row as a flat record with the same properties for every row of a call."""
    inputs = shown_inputs(call, row)
    names = {one.name for one in call.inputs}
    record: dict[str, Any] = {"row": row.number, "state": row.state}
    record |= {one.name: inputs.get(one.name) for one in call.inputs}
    record |= {f"output_{name}" if name in {*names, *record} else name: row.outputs.get(name) for name in call.outputs}
    return record | {"steps_done": sum(one.state == "done" for one in row.steps), "changes": row.changes, "why": row.words}


def as_lines(call: SavedCall, rows: Sequence[RowRun]) -> list[str]:
    """A table of all rows, safe to show: number, state, the inputs that differ, the outputs, and why one is not done."""
    inputs = [one.name for one in call.inputs if len({str(row.inputs.get(one.name)) for row in rows}) > 1]
    table = [["row", "state", *inputs, *call.outputs]]
    for row in rows:
        shown = shown_inputs(call, row)
        cells = [*(str(shown.get(name, "")) for name in inputs), *(row.outputs.get(name, "") for name in call.outputs)]
        table.append([str(row.number), f"{SIGNS[row.state]} {row.state}", *(_cell(text) for text in cells)])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for (number, *texts), why in zip(table, ["", *(row.words for row in rows)], strict=True):
        cells = [number.rjust(widths[0]), *(text.ljust(width) for text, width in zip(texts, widths[1:], strict=True))]
        lines.append("  ".join([*cells, shortened(why, _REASON)]).rstrip())
    return lines


def summary(rows: Sequence[RowRun]) -> str:
    """The number of rows done, of changes, and of rows left, in one line."""
    done = sum(row.state == "done" for row in rows)
    changes = sum(row.changes for row in rows)
    words = [f"{done:,} of {len(rows):,} {'row' if len(rows) == 1 else 'rows'} done"]
    for state in ("failed", "refused", "unknown", "cancelled", "waiting"):
        count = sum(row.state == state for row in rows)
        words += [f"{count:,} {'not begun' if state == 'waiting' else state}"] if count else []
    words += [f"{changes:,} {'change' if changes == 1 else 'changes'} made"] if changes else []
    return " · ".join(words)


def half_done(call: SavedCall, row: RowRun) -> str:
    """The changes made and not made, for a row that ended between changes; empty for other rows."""
    if row.state in ("done", "waiting", "running") or not row.changes:
        return ""
    made = ", ".join(f"{one.id} ({one.tool})" for one in row.steps if one.state == "done" and one.effect != "read")
    left = ", ".join(step.id for step in call.steps[len(row.steps) :])
    not_run = f" Not run: {left}." if left else ""
    return f"Row {row.number} changed something before it ended: {made}.{not_run} Running it again repeats these changes."


def _cell(text: str) -> str:
    return shortened(visible_line(text), _WIDEST)
