"""A sandbox on a port for each module, settings of each test's own, and a token endpoint that answers as it is told."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from registry.accounts.book import AccountBook
from registry.accounts.oauth import AuthorizationServer
from registry.accounts.stores import Secrets
from registry.catalog.loader import load
from registry.catalog.service import SignInAddresses
from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.accounts.file_store import FileStore, server_at
from tests.accounts.token_server import TokenServer, token_server
from tests.sandbox.serving import served


@pytest.fixture(scope="module")
def clock() -> Clock:
    """The sandbox's time, which runs, and which a test may move on."""
    return Clock()


@pytest.fixture(scope="module")
def sandbox(clock: Clock) -> Iterator[str]:
    """The address of a sandbox."""
    with served(application(seed=1, now=clock)) as address:
        yield address


@pytest.fixture
def book(tmp_path: Path) -> AccountBook:
    """Accounts in an empty file; secrets in files are beside it."""
    secrets = Secrets({"FERNWAY_KEY": "rk_test_1234567"}, tmp_path / "secrets")
    return AccountBook(tmp_path / "config.toml", load().toolkits, secrets)


@pytest.fixture
def tokens_at() -> Iterator[TokenServer]:
    """A token endpoint that answers as it is told."""
    with token_server() as server:
        yield server


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    """A store of the test's own."""
    return FileStore(tmp_path)


@pytest.fixture
def scripted(tokens_at: TokenServer) -> AuthorizationServer:
    """A service whose token endpoint answers as it is told, and whose page nobody opens."""
    return asked_at(tokens_at.address, rotates=True, issuer="https://identity.example", ports=(0,))


def asked_at(token: str, **changes: Any) -> AuthorizationServer:
    """The incident service with another token endpoint, and with other facts."""
    addresses = SignInAddresses(authorize="https://identity.example/authorize", token=token, revoke=token)
    return replace(server_at("http://127.0.0.1:1", **changes), addresses=addresses)
