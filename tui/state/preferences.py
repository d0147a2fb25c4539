"""Stores the user's choices of display: for each tool, whether its lists are tables, and their columns.

A small JSON file in the user's state folder, readable by nobody else, written atomically. Two programs may write at the same
time: each changes only the tools that its user changed, and for one tool the last change counts. An invalid file is renamed
and reported; neither it nor a folder that cannot be written to stops the program.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from registry.files.atomic_file import file_lock, replace_text
from registry.files.damaged_file import put_aside
from registry.files.plain_file import open_plain
from registry.files.reasons import reason

ColumnPath = tuple[str, ...]

_FILE, _MOST_BYTES, _MOST_TOOLS, _MOST_COLUMNS, _LONGEST_NAME = "looks.json", 1_000_000, 500, 100, 300


@dataclass(frozen=True, slots=True)
class Appearance:
    """How one tool's lists should look.

    Attributes:
        as_table: whether they show as a table.
        columns: the columns to show, in order; empty for those that the data suggests.
        sorted_by: the column by which rows are sorted; None for the original order.
        descending: whether the greatest come first.
    """

    as_table: bool = True
    columns: tuple[ColumnPath, ...] = ()
    sorted_by: ColumnPath | None = None
    descending: bool = False


def usual_folder() -> Path:
    """The system's folder for the state of programs."""
    return user_state_path("callboard")


class Preferences:
    """The remembered appearance of all tools. Safe to use from any thread; do not read or write the file on the event loop.

    Attributes:
        folder: the folder of the file.
        notice: what the user should know about the file; empty if it is fine.
        as_table: whether lists show as tables for tools without a choice of their own: the last choice for any tool.
        hinted: whether the user has seen the hint that lists are tables.
    """

    def __init__(self, folder: Path) -> None:
        self.notice = ""
        self.folder = folder
        self._file = folder / _FILE
        self._lock = threading.Lock()
        self._tools: dict[str, Appearance] = {}
        self._changed: dict[str, Appearance] = {}
        self.as_table = True
        self.hinted = False

    def load(self) -> None:
        """Read the file."""
        with self._lock:
            self._tools = {**self._read(usual=True), **self._changed}

    def of(self, tool: str) -> Appearance:
        """How a tool's lists should look."""
        return self._changed.get(tool) or self._tools.get(tool) or Appearance(self.as_table)

    def change(self, tool: str, appearance: Appearance) -> None:
        """Set how a tool's lists should look; `save` writes it to the file."""
        self._changed.pop(tool, None)
        self._changed[tool] = appearance

    def save(self) -> None:
        """Write the changes to the file. If that fails, `notice` says so."""
        with self._lock:
            changed = dict(self._changed)
            if not changed and not self.hinted:
                return
            try:
                with file_lock(self._file):
                    known = self._read(replacing=True)
                    for tool, appearance in changed.items():
                        known.pop(tool, None)
                        known[tool] = appearance
                    self._write(list(known.items())[-_MOST_TOOLS:])
                self._tools = {**known, **changed}
                for tool, appearance in changed.items():
                    if self._changed.get(tool) is appearance:
                        del self._changed[tool]
            except OSError as error:
                self.notice = f"Could not save the table layouts: {reason(error)}"

    def _read(self, *, usual: bool = False, replacing: bool = False) -> dict[str, Appearance]:
        """The tools in the file; with `usual`, also take over the settings for all tools."""
        try:
            with open_plain(self._file) as file:
                text = file.read(_MOST_BYTES + 1)
            if len(text) > _MOST_BYTES:
                raise ValueError("it is too large")
            content = json.loads(text)
            tools = {str(tool): _appearance(members) for tool, members in content["tools"].items()}
            if usual:
                self.as_table, self.hinted = content.get("as_table") is not False, content.get("hinted") is True
            return tools
        except FileNotFoundError:
            return {}
        except OSError as error:
            if replacing:  # it may be whole
                raise
            self.notice = f"Could not read the saved table layouts: {reason(error)}. Make it readable, or move it away."
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            aside = put_aside(self._file)
            where = f"; the old file is now {aside}" if aside is not None else f": {self._file}"
            self.notice = f"The saved table layouts were damaged{where}. Using defaults."
        return {}

    def _write(self, tools: Sequence[tuple[str, Appearance]]) -> None:
        members = {tool: _members(appearance) for tool, appearance in tools}
        content = json.dumps({"as_table": self.as_table, "hinted": self.hinted, "tools": members}, indent=1)
        if len(content) > _MOST_BYTES:
            self._write(tools[len(tools) // 2 + 1 :])  # the ones changed last
            return
        replace_text(self._file, content)


def _members(appearance: Appearance) -> dict[str, Any]:
    by = appearance.sorted_by
    return {
        "as_table": appearance.as_table,
        "columns": [list(path) for path in appearance.columns[:_MOST_COLUMNS] if _is_kept(path)],
        "sorted_by": list(by) if by is not None and _is_kept(by) else None,
        "descending": appearance.descending,
    }


def _appearance(members: Mapping[str, Any]) -> Appearance:
    """One tool's appearance from the file.

    Raises:
        ValueError, TypeError, KeyError: they are invalid.
    """
    by = members["sorted_by"]
    columns = tuple(_path(path) for path in members["columns"][:_MOST_COLUMNS])
    return Appearance(bool(members["as_table"]), columns, None if by is None else _path(by), bool(members["descending"]))


def _is_kept(path: ColumnPath) -> bool:
    return all(len(name) <= _LONGEST_NAME for name in path)


def _path(names: Any) -> ColumnPath:
    if not isinstance(names, list) or not all(isinstance(name, str) and len(name) <= _LONGEST_NAME for name in names):
        raise ValueError("a column is a list of names")
    return tuple(names)
