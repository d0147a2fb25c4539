"""A form half filled, the program killed, and everything there again at the next start."""

import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.sampled import further
from tests.terminal import Terminal


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))], ids=str)
def test_type_be_killed_recover_run(size: tuple[int, int], tmp_path: Path) -> None:
    environment = {"XDG_STATE_HOME": str(tmp_path)}
    folder = tmp_path / "callboard" / "drafts"
    with Terminal(columns=size[0], lines=size[1], environment=environment) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.type("retrieve customer details")
        terminal.press("enter")
        terminal.wait_for("customer_id")
        terminal.type("cus_4R5QLgZDZXPlou")
        end = time.monotonic() + 30
        while not any("cus_4R5QLgZDZXPlou" in form for form in _drafts(folder / "drafts.db")):
            assert time.monotonic() < end, "the draft was not written"
            terminal.read(0.05)
        assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    # The terminal kills the program as nothing else can be killed: by SIGKILL.

    with Terminal(columns=size[0], lines=size[1], environment=environment) as terminal:
        terminal.wait_for("Draft: ")
        terminal.press(*["down"] * 9)  # what needs somebody, and four questions
        terminal.wait_for("›Go on")
        terminal.press("enter")
        terminal.wait_for(lambda text: "ready" in text and "cus_4R5QLgZDZXPlou" in text)
        terminal.press("f5")
        terminal.wait_for('object: "customer"')
        terminal.press("ctrl+q")
        terminal.wait_for_end()
    assert _drafts(folder / "drafts.db") == [], "what was run is no draft"


def _drafts(file: Path) -> list[str]:
    """The forms that are committed: bytes are in the file before that, and a program that is killed then leaves none."""
    if not file.exists():
        return []
    with closing(sqlite3.connect(file)) as database, suppress(sqlite3.OperationalError):  # it has no table yet
        return [form.decode() for (form,) in database.execute("SELECT form FROM drafts")]
    return []
