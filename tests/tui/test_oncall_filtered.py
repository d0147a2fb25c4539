"""Filters change what is listed, not what a responder must know: what is mine, and what is new."""

from datetime import UTC

import pytest

from registry.oncall.alarms import Alarms
from registry.oncall.clocks import MINUTE
from registry.oncall.headline import headline
from registry.oncall.scope import Scope
from tests.oncall.watch import NOW, incident, scripted
from tests.tui.test_oncall import board

OTHERS = [{"at": "2025-12-01T02:10:00Z", "assignee": {"id": "U2", "summary": "Bo"}}]
DATABASE = {"service": {"id": "S2", "type": "service_reference", "summary": "db"}, "assignments": OTHERS}


@pytest.mark.parametrize("room", [1_000, 76, 58])
async def test_the_first_line_tells_of_mine_that_a_filter_hides(room: int) -> None:
    async with scripted(incidents=[incident("A"), incident("B", **DATABASE)]) as watch:
        made = headline(await watch.refreshed(Scope(text="db")), NOW, 15, UTC, room)
        assert made.level == "mine"
        assert made.words.startswith("▲ 1 OF YOURS HIDDEN. ")
        assert "none yours" not in made.words.lower()
        shown = headline(watch.board(Scope(text="api")), NOW, 15, UTC, room)
        assert shown.words.startswith("▲ 1 ")
        assert "HIDDEN" not in shown.words


async def test_the_alarm_rings_for_what_a_filter_hides(monkeypatch: pytest.MonkeyPatch) -> None:
    bells: list[str] = []
    async with board() as one:
        monkeypatch.setattr(one.desk.app, "bell", lambda: bells.append("bell"))
        await one.after(15)
        assert bells == [], "off until it is switched on"
        await one.desk.press("A", "slash", *"mailer", "enter")
        await one.until(lambda: len(one.screen.watching.rows) == 1, "the filter")
        await one.after(MINUTE)
        await one.until(lambda: bells, "the alarm")
        assert any("New: payment-gateway: Card declines doubled" in note.message for note in one.desk.app._notifications)
        assert not any("payment-gateway" in row.incident.service.name for row in one.screen.watching.board.rows)
        count = len(bells)
        await one.desk.do("board_reset")
        await one.until(lambda: len(one.screen.watching.rows) > 16, "everything")
        assert len(bells) == count, "what rang does not ring again"


async def test_other_teams_ring_only_for_mine() -> None:
    team = {"teams": [{"id": "T2", "type": "team_reference", "summary": "Other"}]}
    async with scripted(incidents=[incident("OLD", **team)]) as watch:
        alarms, scope = Alarms(), Scope(teams=frozenset({"T1"}))
        assert alarms.look(await watch.refreshed(), NOW, scope) == []
        later = "2025-12-01T02:12:00Z"
        mine = [{"at": later, "assignee": {"id": "U1", "summary": "Ann"}}]
        rows = [
            incident("OLD", **team),
            incident("THEIRS", **team, assignments=OTHERS),
            incident("MINE", **team, assignments=mine),
        ]
        async with scripted(incidents=rows) as second:
            keys = {one.key.partition(" ")[0] for one in alarms.look(await second.refreshed(), NOW, scope)}
        assert keys == {"new", "mine"}
        assert alarms.look(second.board(), NOW + 1, Scope()) == [], "another choice of teams makes nothing new"
