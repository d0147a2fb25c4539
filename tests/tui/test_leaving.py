"""Quitting during a change, and what the next start reports."""

import signal
from collections.abc import Callable

import pytest

from registry.accounts.connection import sandbox
from registry.calling.arguments import check
from registry.catalog.loader import load
from registry.changes import deletion
from registry.journal.audit import Audit
from registry.journal.store import AUDIT, state_file
from tests.tui.test_deleting import agreed, ask, clock, wired
from tui.explorer.status_view import running_line

__all__ = ["clock"]

PERSON = {"user_identifier": "mei.tan@fernway.example"}


async def test_a_signal_settles_the_change_under_way(clock: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion, "_SECOND_LOOK", 0.0)
    async with wired("crm DELETE latency 5m") as (one, wire):
        await ask(one, "RemoveCrmUser", PERSON)
        await agreed(one, clock)
        await one.until(lambda: wire.changes == ["DELETE"])
        (running,) = one.screen.running_calls.changing
        assert "Esc cancels" in running_line(running, "Esc").plain
        running.stop()
        assert running_line(running, "Esc").plain.startswith("Stopped · checking whether the change was made · ")
        one.app.leave(signal.SIGTERM)
        await one.until(lambda: one.app._exit)
        assert one.app.return_code == 128 + signal.SIGTERM
        assert one.app.parting_words == ["RemoveCrmUser mei.tan@fernway.example: The change was not made."]
        assert wire.changes == ["DELETE"], "it is looked up by reading"
        entry = one.app.session.engine.audit.changes()[0]
        assert (entry.state, entry.looked is not None) == ("not done", True)


async def test_leaving_all_the_same_says_that_it_is_not_known(clock: Callable[[], None]) -> None:
    async with wired("crm DELETE latency 5m") as (one, wire):
        await ask(one, "RemoveCrmUser", PERSON)
        await agreed(one, clock)
        await one.until(lambda: wire.changes == ["DELETE"])
        await one.press("ctrl+q")
        await one.press("ctrl+q")
        await one.until(lambda: one.app._exit)
        assert one.app.parting_words[0].endswith("Unknown whether the change was made. callboard audit settle checks it.")


async def test_the_next_start_settles_what_a_killed_one_left() -> None:
    tool = load().tools["RemoveCrmUser"]
    killed = Audit(state_file(AUDIT))
    entry = killed.begin(tool, check(tool, PERSON), sandbox(), None)
    killed.close()  # its mark is gone, as with the process
    async with wired() as (one, wire):
        shown = one.app._notifications
        await one.until(lambda: any("RemoveCrmUser" in note.message for note in shown))
        (words,) = (note.message for note in shown if "RemoveCrmUser" in note.message)
        assert words.endswith("Sent to the sandbox of that run, which no longer exists.")
        assert wire.changes == []
        found = next(one for one in killed.changes() if one.id == entry)
        assert (found.state, found.looked is not None) == ("unknown", True)
        again = await one.app.session.engine.settle()
        assert entry not in [change.id for change, _ in again], "once"


@pytest.mark.parametrize("damage", [b"no database at all" * 99, b"SQLite format 3\0" + b"\xff" * 4_000], ids=["text", "torn"])
async def test_a_damaged_audit_log_is_told_at_the_start(damage: bytes) -> None:
    state_file(AUDIT).parent.mkdir(parents=True, exist_ok=True)
    state_file(AUDIT).write_bytes(damage)
    async with wired() as (one, _):
        shown = one.app._notifications
        await one.until(lambda: any(note.title == "Audit log" for note in shown))
        (words,) = (note.message for note in shown if note.title == "Audit log")
        assert words.startswith(f"Cannot read the audit log: {state_file(AUDIT)}: file is not a database")
        assert words.endswith("move it away, and a new one is made")
        assert not [note for note in shown if note.title == "Unexpected error"]
    assert state_file(AUDIT).read_bytes() == damage
