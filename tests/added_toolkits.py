"""A place for the toolkits that a test adds."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from registry.catalog.folders import forget


@contextmanager
def added_toolkits(patch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """Inside the context, toolkits and accounts are added below a folder. The catalogue is read again before and after it."""
    patch.setenv("XDG_DATA_HOME", str(folder / "data"))
    patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))  # an account of a toolkit would stay for one of the same name
    forget()
    try:
        yield
    finally:
        forget()
