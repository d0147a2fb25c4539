"""One sandbox on a port for all tests of accounts, and settings of each test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.accounts.book import AccountBook
from registry.accounts.stores import Secrets
from registry.catalog.loader import services
from registry.sandbox.server import application
from tests.sandbox.serving import served


@pytest.fixture(scope="package")
def sandbox() -> Iterator[str]:
    """The address of a sandbox."""
    with served(application(seed=1)) as address:
        yield address


@pytest.fixture
def book(tmp_path: Path) -> AccountBook:
    """Accounts in an empty file; secrets in files are beside it."""
    return AccountBook(tmp_path / "config.toml", services(), Secrets({"FERNWAY_KEY": "rk_test_1234567"}, tmp_path / "secrets"))
