"""Whatever is damaged on the way: no false all-clear, no false DONE, and nobody is named whom the sandbox does not page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

import httpx
import pytest

from registry.accounts.connection import connections
from registry.doors.oncall_print import exit_code, watch
from registry.oncall.as_json import as_json
from registry.oncall.board import DONE, Board, board, marks
from registry.oncall.forecast import forecast
from registry.oncall.headline import headline
from registry.oncall.refresh import Refresher
from registry.oncall.words import zone_of
from registry.sandbox.clock import Clock
from tests.oncall.damage import Damage, Damaging, damages
from tests.oncall.oracle import Truth, oracle
from tests.oncall.watch import NOW
from tests.opened import opened
from tests.sampled import further

LATER, PARTS = 15, 8
ALL = list(damages())
CORE = (
    "incidents triggered: an error inside 200", "incidents triggered: the list is null",
    "incidents triggered: the list is an object", "incidents triggered: every item is null",
    "incidents triggered: half of the items; and incident: 404", "incidents triggered: half of the items; and incident: null",
    "incidents: pending_actions null in every", "incidents: created_at null in every", "incidents: assignments null in every",
    "oncalls: an empty object", "oncalls: end null in every", "escalation_policies: 500", "log_entries: the list is null",
    "log_entries: type a text in every", "services: 500", "incident: an empty object", "users/me: 500",
)  # fmt: skip
"""The beginnings of the names of those that every run tries."""

Kept = dict[tuple[int, str], httpx.Response]


class Proxied:
    """A watch over a busy night through a damaging proxy."""

    def __init__(self, kept: Kept) -> None:
        self.clock = Clock(NOW)
        self.proxy = Damaging(self.clock, "busy-night", kept)
        self.engine = opened(self.proxy)
        connection = connections({"INCIDENTS_API_TOKEN": "t"})["incidents"]
        self.refresher = Refresher(self.engine.refreshing(lambda: connection), self.clock.now)

    async def refreshed(self, damage: Damage | None) -> Board:
        self.proxy.damage = damage
        await self.refresher.refresh()
        return board(self.refresher.facts, self.clock.now())


def wrongs(made: Board, before: Board | None, truth: Mapping[str, Truth]) -> Iterable[str]:
    """What a board says that is not so."""
    said, code = headline(made, made.now, 15, zone_of("UTC")), exit_code(made)  # type: ignore[arg-type]
    values = as_json(made)
    if said.level == "clear" or code == 0 or values["verdict"]["state"] == "clear":
        yield f"all clear: {said.words} (exit code {code})"
    burning = {id_ for id_, one in truth.items() if one.status == "triggered"}
    read = {row.incident.id for row in made.rows if row.incident.burning}
    if read and code != 10:
        yield f"exit code {code} although {len(read)} were read"
    if values["verdict"]["complete"] and not values["verdict"]["contradictions"] and not burning <= read:
        yield f"complete without {burning - read}"
    if before is not None:
        for id_, mark in marks(before, made).items():
            if mark == DONE and id_ in truth:
                yield f"DONE: {id_}"
    me = made.mine.me.id if made.mine.me else ""
    everybody = {who for one in truth.values() for who in one.people}
    for row in made.rows:
        paged = truth[row.incident.id].people if row.incident.id in truth else everybody
        if row.next.pages and not row.next.one_of and not {ref.id for ref in row.next.people} <= paged:
            yield f"{row.incident.title}: names {[ref.name for ref in row.next.people]}"
        if row.mine and row.incident.id in truth and me not in truth[row.incident.id].assigned:
            yield f"{row.incident.title} is not mine"
    for page in forecast(made).pages:
        id_ = page.row.incident.id
        paged = truth[id_].people if id_ in truth else everybody
        if not page.one_of and not {ref.id for ref in page.people} <= paged:
            yield f"next hour: {page.row.incident.title} at {page.at - made.now:.0f} s: {[ref.name for ref in page.people]}"
    if not made.verdict.mine_more and made.mine.me is not None:
        mine = {id_ for id_, one in truth.items() if me in one.assigned}
        if made.verdict.mine != len(mine) and said.evidence.trusted:
            yield f"{made.verdict.mine} mine for certain, and there are {len(mine)}"


async def tried(chosen: Sequence[Damage], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What was wrong in these situations: from the start, and after a good refresh, on the board and line by line."""
    found: list[str] = []
    kept: Kept = {}
    with oracle() as one:
        whole = Proxied(kept)
        assert headline(await whole.refreshed(None), NOW, 15, zone_of("UTC")).level == "mine"  # type: ignore[arg-type]
        await whole.engine.aclose()
        truth = one.truth(NOW), one.truth(NOW + LATER)
        for damage in chosen:
            fresh = Proxied(kept)
            made = await fresh.refreshed(damage)
            await fresh.engine.aclose()
            found += [f"{damage.name}: at the start: {words}" for words in wrongs(made, None, truth[0])]
            found += [f"{damage.name}: later: {words}" for words in await _later(damage, kept, truth[1], capsys)]
    return found


async def _later(damage: Damage, kept: Kept, truth: Mapping[str, Truth], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What is not so once there was a good refresh: of the board, and of the lines that ``--watch`` prints."""
    one, before = Proxied(kept), list[Board]()

    async def sleep(_: float) -> None:
        before.append(board(one.refresher.facts, one.clock.now()))
        one.clock.advance(LATER)
        one.proxy.damage = damage

    capsys.readouterr()
    code = await watch(one.refresher, one.clock.now, sleep, as_json=True, rounds=2)
    await one.engine.aclose()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = list(wrongs(board(one.refresher.facts, one.clock.now()), before[0], truth))
    found += [f"--watch: {line}" for line in lines if line["mark"] == DONE]
    return found + ([f"--watch: exit code {code}"] if code != 10 else [])


@pytest.mark.parametrize("part", [0, *further(1)])
async def test_what_matters_most(part: int, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = [one for one in ALL if one.name.startswith(CORE)]
    assert len(chosen) >= 16
    found = await tried(chosen[part::2], capsys)
    assert not found, "\n".join(found[:30])


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
async def test_every_damage(part: int, capsys: pytest.CaptureFixture[str]) -> None:
    """An eighth of all situations, so that several processes may share them."""
    assert len(ALL) >= 200
    found = await tried(ALL[part::PARTS], capsys)
    assert not found, f"{len(found)}:\n" + "\n".join(found[:60])
