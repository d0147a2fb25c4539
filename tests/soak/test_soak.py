"""A short run of `make soak`: three programs work on one home at the same time, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak.soaking import soak


@pytest.mark.long
def test_nothing_is_lost(tmp_path: Path) -> None:
    account = soak(tmp_path, 40)
    assert account.wrong == []
    assert account.integrity == {"history": "ok", "audit log": "ok"}
    assert account.lost == 0
    assert account.read > 10
    assert account.deleted > 3
