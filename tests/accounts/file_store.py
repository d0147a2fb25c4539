"""A store in a file, and where people sign in: what a process that refreshes needs, and no more."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from registry.accounts.oauth import AuthorizationServer, Tokens, authorization_server
from registry.catalog.loader import services
from registry.files.atomic_file import file_lock, replace_text

INCIDENTS = "Incidents"


class FileStore:
    """Tokens in a file, and those that were written by this object."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.written: list[Tokens] = []

    def read(self) -> Tokens | None:
        return Tokens.from_json(self.file.read_text("utf-8")) if self.file.exists() else None

    def write(self, tokens: Tokens) -> None:
        self.written.append(tokens)
        replace_text(self.file, tokens.as_json())

    def lock(self) -> AbstractContextManager[None]:
        return file_lock(self.file, patience=30)


def server_at(address: str, toolkit: str = INCIDENTS) -> AuthorizationServer:
    """Where people sign in to a sandbox that is served at an address."""
    found = authorization_server(services()[toolkit], f"{address}/any")
    assert found is not None
    return found
