"""Closes every history of a test at its end: of databases that stay open Python warns from 3.13 on."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from registry.journal.history import History


@pytest.fixture(autouse=True)
def closed_histories(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have each history that a test makes closed after it."""
    begin = History.__init__
    with ExitStack() as held:

        def made(self: History, *words: object, **more: object) -> None:
            begin(self, *words, **more)  # type: ignore[arg-type]
            held.callback(self.close)

        monkeypatch.setattr(History, "__init__", made)
        yield
