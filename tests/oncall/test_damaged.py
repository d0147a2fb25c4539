"""Each property of a busy night damaged in each way: no false all-clear or DONE, and nobody is named whom the sandbox does not
page. The table of `tests.oncall.damages` says what is said; this finds what nobody has thought of.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC
from typing import Any

import httpx
import pytest

from registry.doors.oncall_print import exit_code, watch
from registry.oncall.board import DONE, Board, marks
from registry.oncall.forecast import forecast
from registry.oncall.formats import as_json
from registry.oncall.headline import headline
from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.calling.network import ScriptedNetwork
from tests.oncall.oracle import Truth, oracle
from tests.oncall.watch import NOW, Watch

Body = dict[str, Any]
Change = Callable[[Body, str], Any]
"""Gives what is sent in place of a body, whose list has that name."""

LATER, PARTS = 15, 8
FIELDS = {
    "incidents": "id status created_at urgency assignments pending_actions assigned_via escalation_policy service "
    "last_status_change_at title acknowledgements priority teams incident_number",
    "oncalls": "escalation_policy escalation_level user start end schedule",
    "escalation_policies": "id escalation_rules num_loops services name",
    "services": "id status name acknowledgement_timeout",
    "log_entries": "id type created_at incident assignees",
    "users": "id name time_zone",
}
OTHER: dict[str, Any] = {"missing": ..., "null": None, "a number": 7, "a text": "odd", "an object": {"odd": 1}, "a list": [1]}
STILL_RIGHT = {("num_loops", "a number"), ("escalation_level", "a number")}  # damage that nobody could see

CORE = ("pending_actions null", "created_at null", "assignments null", "end null", "type a text", "escalation_rules missing")


def field(name: str, value: Any, *, every: bool) -> Change:
    def change(body: Body, part: str) -> Any:
        items = [dict(one) for one in body[part]]
        for one in items if every else items[:1]:
            one.pop(name, None)
            one |= {} if value is ... else {name: value}
        return {**body, part: items}

    return change


ALL = {
    f"{part}: {one} {name} in {'every' if every else 'one'} item": (part, field(one, value, every=every))
    for part, fields in FIELDS.items()
    for one in fields.split()
    for name, value in OTHER.items()
    for every in (False, True)
    if (one, name) not in STILL_RIGHT
}


class Damaging(ScriptedNetwork):
    """The sandbox as a live account, with a damage that can be set. Responses are made once per moment."""

    def __init__(self, kept: dict[tuple[int, str], httpx.Response]) -> None:
        super().__init__(self._through)
        self.part, self.change = "", field("", ..., every=False)
        self.clock, self._kept = Clock(NOW), kept
        self._app = application(now=self.clock, scenario="busy-night")

    async def _through(self, request: httpx.Request) -> httpx.Response:
        key, name = (self.clock.now(), str(request.url)), request.url.path.strip("/")
        if key not in self._kept:
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(self._app), base_url="http://sandbox/incidents"
            ) as whole:
                self._kept[key] = await whole.get(name, params=request.url.params, headers={"Authorization": "Token token=x"})
        body = self._kept[key].json()
        return httpx.Response(self._kept[key].status_code, json=self.change(body, name) if name == self.part else body)


def wrongs(made: Board, before: Board | None, truth: Mapping[str, Truth]) -> Iterable[str]:
    """What a board says that is not so."""
    said, code, values = headline(made, made.now, 15, UTC), exit_code(made), as_json(made)
    if said.level == "clear" or code == 0 or values["verdict"]["state"] == "clear":
        yield f"all clear: {said.words} (exit code {code})"
    burning = {id_ for id_, one in truth.items() if one.status == "triggered"}
    read = {row.incident.id for row in made.rows if row.incident.burning}
    if read and code != 10:
        yield f"exit code {code} although {len(read)} were read"
    if values["verdict"]["trusted"] and not burning <= read:
        yield f"complete without {burning - read}"
    yield from (f"DONE: {id_}" for id_, mark in marks(before, made).items() if mark == DONE and id_ in truth)
    me = made.mine.me.id if made.mine.me else ""
    everybody = {who for one in truth.values() for who in one.people}
    named = [(row.incident, row.next.people) for row in made.rows if row.next.pages and row.next.one_of is False]
    named += [(page.row.incident, page.people) for page in forecast(made).pages if page.one_of is False]
    for one, people in named:
        if not {ref.id for ref in people} <= (truth[one.id].people if one.id in truth else everybody):
            yield f"{one.title}: names {[ref.name for ref in people]}"
    for row in made.rows:
        if row.mine and row.incident.id in truth and me not in truth[row.incident.id].assigned:
            yield f"{row.incident.title} is not mine"
    mine = sum(me in one.assigned for one in truth.values())
    if not made.verdict.mine_more and made.mine.me is not None and made.verdict.mine != mine and said.evidence.trusted:
        yield f"{made.verdict.mine} mine for certain, and there are {mine}"


@pytest.mark.parametrize(
    "chosen",
    [
        [name for name in ALL if any(f"{words} in every" in name for words in CORE)],
        *(pytest.param([*ALL][part::PARTS], marks=pytest.mark.long) for part in range(PARTS)),
    ],
    ids=["core", *(f"all, part {part}" for part in range(PARTS))],
)
async def test_no_damage_makes_the_board_say_what_is_not_so(chosen: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """From the start, and after a good refresh; on the board and line by line."""
    found: list[str] = []
    kept: dict[tuple[int, str], httpx.Response] = {}
    with oracle() as one:
        for name in chosen:
            network = Damaging(kept)
            async with Watch(network=network, clock=network.clock) as later:
                before: list[Board] = []

                async def sleep(_: float, to: Watch = later, through: Damaging = network, damage: str = name) -> None:
                    before.append(to.board())  # noqa: B023
                    through.clock.advance(LATER)
                    through.part, through.change = ALL[damage]

                code = await watch(later.account, sleep, as_json=True, rounds=2)
                said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
                found += [f"{name}: {words}" for words in wrongs(later.board(), before[0], one.truth(NOW + LATER))]
                found += [f"{name}: --watch: {line}" for line in said if line["mark"] == DONE]
                found += [f"{name}: --watch: exit code {code}"] if code != 10 else []
            network = Damaging(kept)
            network.clock.advance(LATER)
            network.part, network.change = ALL[name]
            async with Watch(network=network, clock=network.clock) as fresh:
                made = await fresh.refreshed()
                found += [f"{name}: at the start: {words}" for words in wrongs(made, None, one.truth(NOW + LATER))]
    assert not found, f"{len(found)}:\n" + "\n".join(found[:60])
