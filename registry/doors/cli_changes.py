"""``callboard changes``: the account of what was changed and deleted."""

from __future__ import annotations

import sqlite3

from registry.doors.output import ExitCode, fail, remark, say_json
from registry.engine import open_engine
from registry.journal.paths import audit_file


def print_changes(most: int) -> int:
    """Print the last changes, newest first, a line of JSON each.

    Args:
        most: how many at most.
    """
    try:
        changes = open_engine().audit.changes(most)
    except (sqlite3.Error, OSError) as error:
        fail(f"the account of changes cannot be read: {audit_file()}: {error}")
    for change in changes:
        say_json(change.as_line())
    if not changes:
        remark("Nothing was changed yet.")
    return ExitCode.OK
