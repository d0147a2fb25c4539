"""Damaged responses on the dashboard: no all-clear, no DONE, and no name that the sandbox does not page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial

import pytest

import registry.engine
import tui.session
from registry.oncall.marks import DONE
from registry.sandbox.clock import Clock
from tests.oncall.damage import Damage, Damaging
from tests.oncall.oracle import Truth, oracle
from tests.oncall.test_damaged import ALL, CORE, LATER, PARTS, wrongs
from tests.oncall.watch import NOW
from tests.sampled import further
from tests.tui.app import Desk
from tests.tui.test_oncall import Board
from tui.app import CallboardApp
from tui.oncall.incidents_panel import IncidentList
from tui.oncall.screen import OncallScreen
from tui.session import Session

Size = tuple[int, int]


class Damaged(Board):
    """The dashboard of a live account behind a proxy that damages responses."""

    def __init__(self, desk: Desk, clock: Clock, proxy: Damaging) -> None:
        super().__init__(desk, clock)
        self.proxy = proxy
        self.names: dict[str, str] = {}

    async def begin(self, damage: Damage | None) -> None:
        """Start the dashboard again, and read once."""
        self.proxy.damage = damage
        self.clock._ahead = 0.0  # a sandbox's time does not go back; what it said then is kept
        before = self.screen.live
        self.screen.begin()
        await self.until(lambda: self.screen.live is not before, "another watch")
        await self.read()

    async def later(self, damage: Damage) -> None:
        """Read again, with damage."""
        self.proxy.damage = damage
        self.clock.advance(LATER)
        self.screen.tick()
        await self.until(lambda: self.screen.live.refresher.ended == self.clock.now(), "the next refresh")
        await self.read()

    async def read(self) -> None:
        """Wait until the data is shown."""
        live = self.screen.live
        await self.until(lambda: live.refresher.ended is not None and not live.refresher.under_way, "the refresh")
        await self.until(lambda: live.board.facts is live.refresher.facts and not self.screen._finished, "the board")
        self.screen.show()
        await self.desk.pilot.pause()

    def named(self, words: str) -> set[str]:
        """The ids of the people whose first names are in a text."""
        return {id_ for id_, name in self.names.items() if name.partition(" ")[0] in words}

    def wrong(self, truth: Mapping[str, Truth]) -> Iterable[str]:
        """The statements on screen that are not true."""
        text = self.text()
        if "All clear" in text or self.screen.query_one("#verdict").has_class("-clear"):
            yield f"all clear: {self.text('#verdict')}"
        everybody = {who for one in truth.values() for who in one.people}
        first = {self.names[who].partition(" ")[0] for who in everybody if who in self.names}
        said = self.text("#verdict").partition("→" if "→" in self.text("#verdict") else "pages")[2]
        yield from self._strangers("the verdict", said, everybody)
        for line in self.text("#hour-list").splitlines():
            name = line.strip().partition(" ")[0]
            if name in {one.partition(" ")[0] for one in self.names.values()} - first:
                yield f"the next hour names {line.strip()}"
        incidents = self.screen.query_one(IncidentList)
        for number, shown in enumerate(incidents._lines):
            if not shown.id:
                continue
            words = "".join(piece.words for piece in incidents.line(number, incidents.size.width))
            if (DONE in words.split() or incidents.struck(number)) and shown.id in truth:
                yield f"{DONE}: {words}"
            paged = truth[shown.id].people if shown.id in truth else everybody
            yield from self._strangers(f"the row {words.strip()!r}", words.partition("→")[2], paged)
        if (row := incidents.row) is not None and row.incident.id in truth:
            coming = self.text("IncidentDetail").partition("→")[2].partition("notified")[0]
            yield from self._strangers("the line below", coming, truth[row.incident.id].people)

    def _strangers(self, where: str, words: str, paged: Iterable[str]) -> Iterable[str]:
        allowed = {self.names[who].partition(" ")[0] for who in paged if who in self.names}
        for id_ in self.named(words):
            if self.names[id_].partition(" ")[0] not in allowed:
                yield f"{where} names {self.names[id_]}"


@asynccontextmanager
async def damaged(monkeypatch: pytest.MonkeyPatch, size: Size = (120, 40)) -> AsyncIterator[Damaged]:
    """The program on that account, with its dashboard open and loaded without damage."""
    clock = Clock(NOW)
    proxy = Damaging(clock, "busy-night", {})
    open_engine = partial(registry.engine.open_engine, network=proxy, sleep=proxy.sleep)
    monkeypatch.setattr(tui.session, "open_engine", open_engine)
    session = Session({"INCIDENTS_API_TOKEN": "t"}, clock=clock.now)
    session.chosen["Incidents"] = "incidents"
    app = CallboardApp(session, oncall=True)
    async with app.run_test(size=size) as pilot:
        one = Damaged(Desk(app, pilot), clock, proxy)
        await one.until(lambda: isinstance(app.screen, OncallScreen) and one.screen.live.account.name, "the dashboard")
        await one.read()
        facts = one.screen.live.board.facts
        one.names = {duty.user.id: duty.user.name for duty in (*facts.duties, *facts.later)}
        yield one


async def tried(chosen: Sequence[Damage], monkeypatch: pytest.MonkeyPatch, *, start: bool) -> list[str]:
    """The wrong statements on screen in these situations: after a good refresh and, if asked for, from the start."""
    found: list[str] = []
    with oracle() as knowing:
        async with damaged(monkeypatch) as one:
            truth = knowing.truth(NOW), knowing.truth(NOW + LATER)
            assert not [*one.wrong(truth[0])]
            assert "In 0:48" in one.text("#verdict")
            for damage in chosen:
                if start:
                    await one.begin(damage)
                    said = [*one.wrong(truth[0]), *wrongs(one.screen.live.board, None, truth[0])]
                    found += [f"{damage.name}: at the start: {words}" for words in said]
                await one.begin(None)
                before = one.screen.live.board
                await one.later(damage)
                said = [*one.wrong(truth[1]), *wrongs(one.screen.live.board, before, truth[1])]
                found += [f"{damage.name}: later: {words}" for words in said]
    return found


@pytest.mark.parametrize("part", [0, *further(*range(1, 6))])
async def test_what_matters_most_on_screen(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [one for one in ALL if one.name.startswith(CORE)]
    assert len(chosen) >= 15
    found = await tried(chosen[part::6], monkeypatch, start=False)
    assert not found, "\n".join(found[:30])


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
async def test_every_third_damage_on_screen(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = ALL[::3]
    assert len(chosen) >= 200
    found = await tried(chosen[part::PARTS], monkeypatch, start=True)
    assert not found, f"{len(found)}:\n" + "\n".join(found[:60])
