"""One sandbox for all tests of signing in, and a token endpoint that answers as it is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as with_fields

from registry.catalog.loader import services
from registry.catalog.service import SignIn, SignInAddresses
from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from registry.signing_in.server import AuthorizationServer, authorization_server
from tests.sandbox.serving import served
from tests.signing_in.file_store import INCIDENTS, FileStore
from tests.signing_in.token_server import TokenServer, token_server


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
def tokens_at() -> Iterator[TokenServer]:
    """A token endpoint that answers as it is told."""
    with token_server() as server:
        yield server


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    """A store of the test's own."""
    return FileStore(tmp_path / "tokens.json")


@pytest.fixture
def scripted(tokens_at: TokenServer) -> AuthorizationServer:
    """A service whose token endpoint answers as it is told, and whose page nobody opens."""
    return asked_at(tokens_at.address, rotates=True, issuer="https://identity.example")


def asked_at(token: str, **changes: object) -> AuthorizationServer:
    """The incident service with another token endpoint, and with other facts."""
    found = authorization_server(services()[INCIDENTS], "https://api.vendor.example")
    assert found is not None
    declared: SignIn = with_fields(found.declared, **changes)
    return replace(
        found,
        declared=declared,
        addresses=SignInAddresses(authorize="https://identity.example/authorize", token=token, revoke=token),
    )
