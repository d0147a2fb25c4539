"""Paths of the files in which the program stores its history and audit log, and of those that the MCP server uses."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_state_path


def audit_file(folder: Path | None = None) -> Path:
    """The audit log, in a folder; by default in the user's state folder."""
    return (folder or _usual()) / "changes.db"


def history_file(folder: Path | None = None) -> Path:
    """The history of calls, in the same folder."""
    return (folder or _usual()) / "journal.db"


def agents_token_file(folder: Path | None = None) -> Path:
    """The token of the MCP server over HTTP, in the same folder."""
    return (folder or _usual()) / "mcp-token"


def agent_requests_file(folder: Path | None = None) -> Path:
    """Changes that agents request and a person must answer, in the same folder."""
    return (folder or _usual()) / "agents.db"


def _usual() -> Path:
    return user_state_path("callboard")
