"""A place for the toolkits that a test adds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from registry.catalog.loader import forget


@contextmanager
def added_toolkits(patch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """In here toolkits are added below a folder; before and after it the catalogue is read anew."""
    patch.setenv("XDG_DATA_HOME", str(folder / "data"))
    forget()
    try:
        yield
    finally:
        forget()
