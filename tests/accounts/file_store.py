"""A store in a file, and where people sign in."""

from pathlib import Path
from typing import Any

from msgspec.structs import replace
from msgspec.structs import replace as with_fields

from registry.accounts.account import SecretPlace
from registry.accounts.credentials import AccountTokens
from registry.accounts.oauth import AuthorizationServer, Tokens, authorization_server
from registry.accounts.stores import Secrets
from registry.catalog.loader import load

INCIDENTS = "Incidents"


class FileStore(AccountTokens):
    """Tokens in a file, and those that were written by this object."""

    def __init__(self, folder: Path, patience: float = 30) -> None:
        super().__init__(SecretPlace("file", "tokens"), Secrets({}, folder), patience)
        self.folder = folder
        self.written: list[Tokens] = []

    def write(self, tokens: Tokens) -> None:
        self.written.append(tokens)
        super().write(tokens)


def server_at(address: str, toolkit: str = INCIDENTS, **changes: Any) -> AuthorizationServer:
    """Where people sign in to a sandbox that is served at an address; with other declared facts."""
    found = authorization_server(load().toolkits[toolkit], f"{address}/any")
    assert found is not None
    return replace(found, declared=with_fields(found.declared, **changes))
