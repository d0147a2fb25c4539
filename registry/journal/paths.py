"""Paths of the files in which the program stores its history and audit log, and of those that the door for agents uses."""

from __future__ import annotations

from pathlib import Path


def audit_file(folder: Path | None = None) -> Path:
    """The audit log of changes, in a folder; without one, in that which the system has for what programs remember."""
    return (folder or _usual()) / "changes.db"


def history_file(folder: Path | None = None) -> Path:
    """The history of calls, in the same folder."""
    return (folder or _usual()) / "journal.db"


def agents_token_file(folder: Path | None = None) -> Path:
    """The token of the door for agents over HTTP, in the same folder."""
    return (folder or _usual()) / "mcp-token"


def agent_requests_file(folder: Path | None = None) -> Path:
    """Changes that agents want and that wait for a person's word, in the same folder."""
    return (folder or _usual()) / "agents.db"


def _usual() -> Path:
    from platformdirs import user_state_path

    return user_state_path("callboard")
