"""The past on screen: it is clearly marked, it steps, and it does not change the present; and several accounts."""

import json
import re
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace as with_fields
from starlette.types import ASGIApp

from registry.accounts.connection import sandbox
from registry.oncall.alarms import AlarmCommand
from registry.oncall.recording import NoRecording, read_file
from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.oncall.watch import MINUTE, NOW
from tests.sampled import further
from tests.tui.app import Desk
from tests.tui.test_oncall import Board, board
from tui.app import CallboardApp
from tui.oncall.screen import OncallScreen
from tui.oncall.verdict_bar import MomentDialog
from tui.session import Session


def shown(one: Board) -> list[str]:
    """The text of the current screen."""
    return [strip.text.rstrip() for strip in one.desk.app.screen._compositor.render_strips()]


async def go_to_past(one: Board, recorded: int) -> None:
    """Press p once so many refreshes are recorded: frames are written in a thread, after the screen shows them."""

    def kept() -> bool:
        try:
            return len(one.screen.live.account.recorder.replay()) == recorded
        except NoRecording:
            return False

    await one.until(kept, "the recording")
    await one.desk.press("p")


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40), (200, 50))])
async def test_the_past_cannot_be_taken_for_the_present(size: tuple[int, int], tmp_path: Path) -> None:
    async with board(size, state=tmp_path) as one:
        for seconds in (15, MINUTE, MINUTE + 15):
            await one.after(seconds)
        live = one.text()
        assert "PAST" not in live
        await go_to_past(one, 4)
        await one.until(lambda: one.screen.in_past is not None and one.screen.in_past.number == 3, "the last refresh")
        await one.desk.press("[", "[", "[")  # faster than frames are read
        await one.until(lambda: one.screen.in_past is not None and one.screen.in_past.number == 0, "the first one")
        lines = one.text().splitlines()
        assert re.match(r" PAST (Mon 1 Dec 2025 )?03:14:00 CET, 1m ago · 1 of 4 · ", lines[0])
        assert "Esc live" in lines[0]
        parts = (
            "#verdict",
            "#counts",
            "#duty",
            *(f"#{name} Heading" for name in ("incidents", "policies", "services", "feed")),
        )
        assert all("PAST" in one.text(part) for part in parts)
        assert "not live" in one.text("#counts")
        assert not re.search(r"\blive \d", one.text())
        assert "PAST 03:14:00 CET  #4062" in one.text("IncidentDetail")
        for line in one.text("#incident-list").splitlines():
            assert not line.strip() or "PAST" in line or re.search(r"^(NEW|DONE|ACK|L\d|YOU|BACK)", line), line
        # Everything has stood still, clocks included, while the present went on.
        calls = one.screen.live.refresher.calls
        await one.after(2 * MINUTE)
        assert one.screen.live.refresher.calls > calls
        assert one.text().splitlines()[1:] == lines[1:]
        await one.desk.press("[")
        await one.until(lambda: "This is the oldest refresh." in one.text())
        await one.desk.press("]")
        await one.until(lambda: one.screen.in_past is not None and one.screen.in_past.number == 1)
        await one.desk.press("escape")
        await one.until(lambda: one.screen.in_past is None and "PAST" not in one.text(), "the present")
        assert one.desk.app.screen is one.screen
        assert "03:16" in one.text()


async def test_what_changed_then_is_marked_and_a_time_can_be_typed(tmp_path: Path) -> None:
    async with board(state=tmp_path) as one:
        for seconds in (15, MINUTE, MINUTE + 15):
            await one.after(seconds)
        await go_to_past(one, 4)
        await one.until(lambda: one.screen.in_past is not None, "the past")
        await one.desk.press("p")
        await one.until(lambda: isinstance(one.desk.app.screen, MomentDialog))
        await one.desk.type("soon")
        await one.desk.press("enter")
        await one.until(lambda: "Not a time" in "\n".join(shown(one)))
        await one.desk.press("ctrl+u")
        await one.desk.type("03:15:10")
        await one.desk.press("enter")
        await one.until(lambda: one.screen.in_past is not None and one.screen.in_past.number == 2, "the moment")
        past = one.screen.in_past
        assert past is not None
        assert past.past == NOW + MINUTE
        assert "NEW" in past.marks.values()


async def test_the_alarm_rings_while_the_past_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bells: list[str] = []
    async with board(state=tmp_path) as one:
        monkeypatch.setattr(one.desk.app, "bell", lambda: bells.append("bell"))
        await one.after(15)
        await one.desk.press("A", "p")
        await one.until(lambda: one.screen.in_past is not None)
        await one.after(MINUTE)
        await one.until(lambda: bells, "the alarm")
        assert one.screen.in_past is not None


async def test_without_a_place_there_is_no_past_and_keys_that_do_nothing_are_not_offered() -> None:
    async with board() as one:
        await one.after(15)
        assert one.screen.check_action("past_step", (1,)) is False
        assert one.screen.check_action("next_account", ()) is False
        await one.desk.press("p")
        await one.until(lambda: "Nothing recorded to show: nothing is recorded yet." in one.text())
        assert one.screen.in_past is None


async def test_export_and_replay_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(tmp_path / "downloads"))
    async with board(state=tmp_path) as one:
        await one.after(MINUTE)
        await go_to_past(one, 2)
        await one.until(lambda: one.screen.in_past is not None, "the past")
        await one.desk.press("x")
        await one.until(lambda: list((tmp_path / "downloads").glob("*.jsonl")), "the file")
        await one.until(lambda: "Saved" in one.text())
    (file,) = (tmp_path / "downloads").iterdir()
    assert file.name == "oncall-2025-12-01-031500.jsonl"
    assert file.stat().st_mode & 0o077 == 0
    replay = read_file(file)

    clock, left = Clock(NOW + 9 * 3600), list[bool]()

    def made() -> ASGIApp:
        assert left, "nothing is read for a replay"
        return application(now=clock)  # the explorer behind it may read its home

    session = Session({}, sandbox=made, clock=clock.now)
    app = CallboardApp(session, oncall=True, replay=replay)
    async with app.run_test(size=(80, 24)) as pilot:
        two = Board(Desk(app, pilot), clock)
        await two.until(lambda: isinstance(app.screen, OncallScreen) and two.screen.in_past is not None, "the replay")
        await two.until(lambda: "PAST" in two.text("#verdict"))
        assert two.text().splitlines()[0].startswith(" PAST Mon 1 Dec 2025 03:14:00 CET, 9h00m ago · 1 of 2")
        await two.desk.press("enter")
        await two.until(lambda: "Incidents of a recording cannot be opened." in two.text())
        await two.desk.press("]")
        await two.until(lambda: two.screen.in_past is not None and two.screen.in_past.number == 1)
        await two.desk.press("y")
        await two.until(lambda: "This incident has no link to your account." in two.text())
        two.screen.tick()
        await two.desk.press("p")
        await two.until(lambda: isinstance(app.screen, MomentDialog))
        left.append(True)
        assert not two.desk.screen.panes_mounted, "behind the dashboard, the explorer loads nothing"
        await two.desk.press("escape", "escape")
        await two.until(lambda: app.screen is two.desk.screen and two.desk.screen.panes_mounted, "the explorer")


async def test_several_accounts_on_one_dashboard(tmp_path: Path) -> None:
    out = tmp_path / "rang.jsonl"
    script = tmp_path / "ring.py"
    script.write_text(f"import sys\nopen({str(out)!r}, 'a').write(sys.stdin.read())\n")
    clock = Clock(NOW)
    session = Session({}, sandbox=lambda: application(now=clock, scenario="busy-night"), clock=clock.now)
    app = CallboardApp(session, accounts=["sandbox", "other"], on_alarm=AlarmCommand(f"{sys.executable} {script}", {}))
    async with app.run_test(size=(80, 24)) as pilot:
        one = Board(Desk(app, pilot), clock)
        await one.until(lambda: one.desk.screen.panes_mounted)
        session.engine._found = {"sandbox": sandbox(), "other": with_fields(sandbox(), name="other")}, ""
        await one.desk.press("f11")
        await one.until(lambda: isinstance(app.screen, OncallScreen) and one.screen.watching.rows, "the dashboard")

        def bar() -> str:
            one.screen.tick()
            return one.text("AccountsBar")

        await one.until(lambda: bar().count("yours") == 2, "both accounts")
        lines = bar().splitlines()
        assert lines[0].startswith(" › WORST of 2 sandbox  ▲ ")
        assert lines[1].startswith("   other  ▲ ")
        assert lines[2] == "   ^P Next account shows another"
        await one.after(15)
        await one.after(MINUTE)
        await one.until(out.exists, "the alarm's command")
        assert json.loads(out.read_text().splitlines()[0])["account"] == "sandbox"
        await one.desk.do("board_account")
        await one.until(lambda: one.screen.live.account.name == "other" and one.screen.watching.rows, "the other account")
        await one.until(lambda: any(line.startswith(" › ") and "other" in line for line in bar().splitlines()), "its mark")
