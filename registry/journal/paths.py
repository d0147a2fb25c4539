"""Paths of the files in which the program stores its history and audit log."""

from __future__ import annotations

from pathlib import Path


def audit_file() -> Path:
    """The account of changes, in the folder that the system has for what programs remember of their runs."""
    from platformdirs import user_state_path

    return user_state_path("callboard") / "changes.db"


def history_file() -> Path:
    """The journal of calls, in the same folder."""
    from platformdirs import user_state_path

    return user_state_path("callboard") / "journal.db"
