"""Whatever is damaged on the way: no false all-clear, no false DONE, and nobody is named whom the sandbox does not page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any, NamedTuple

import httpx
import pytest

from registry.accounts.connection import connections
from registry.doors.oncall_print import exit_code, watch
from registry.oncall.account import Account
from registry.oncall.as_json import as_json
from registry.oncall.board import DONE, Board, marks
from registry.oncall.forecast import forecast
from registry.oncall.headline import headline
from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.calling.network import ScriptedNetwork
from tests.oncall.oracle import Truth, oracle
from tests.oncall.watch import NOW
from tests.opened import opened

Body = dict[str, Any]
Change = Callable[[Body, str], Any]
"""Gives what is sent in place of a body, whose list has that name: JSON values, bytes, a response, an exception to raise."""
Kept = dict[tuple[int, str], httpx.Response]

LATER, PARTS = 15, 8
FIELDS = {
    "incidents": "id status created_at urgency assignments pending_actions assigned_via escalation_policy service "
    "last_status_change_at title acknowledgements priority teams incident_number",
    "oncalls": "escalation_policy escalation_level user start end schedule",
    "escalation_policies": "id escalation_rules num_loops services name",
    "services": "id status name acknowledgement_timeout",
    "log_entries": "id type created_at incident assignees",
    "users": "id name time_zone",
    "teams": "",
}
OTHER: dict[str, Any] = {"missing": ..., "null": None, "a number": 7, "a text": "odd", "an object": {"odd": 1}, "a list": [1]}
STILL_RIGHT = {("num_loops", "a number"), ("escalation_level", "a number")}  # damage that nobody could see

WHOLE: dict[str, Change] = {
    **{f"{status}": lambda *_, status=status: httpx.Response(status, json={}) for status in (400, 401, 403, 404, 429, 500)},
    "no connection": lambda *_: httpx.ConnectError("refused"),
    "no response in time": lambda *_: httpx.ReadTimeout("late"),
    "an error inside 200": lambda *_: {"error": {"message": "Internal", "code": 2}},
    "null": lambda *_: None,
    "a list": lambda *_: [],
    "an empty object": lambda *_: {},
    "cut": lambda body, _: json.dumps(body).encode()[: max(len(json.dumps(body)) // 2, 1)],
    "no JSON": lambda *_: b"<html>Bad gateway</html>",
}
OF_LISTS: dict[str, Change] = {
    "the list is null": lambda body, name: {**body, name: None},
    "the list is an object": lambda body, name: {**body, name: {"0": body[name]}},
    "the list is empty": lambda body, name: {**body, name: [], "more": False},
    "the list is empty and goes on": lambda body, name: {**body, name: [], "more": True},
    "more is missing": lambda body, _: {key: value for key, value in body.items() if key != "more"},
    "more is a text": lambda body, _: {**body, "more": "false"},
    "wrong order": lambda body, name: {**body, name: body[name][::-1]},
    "the same page for ever": lambda body, _: {**body, "more": True},
    "every item twice": lambda body, name: {**body, name: body[name] * 2},
    "half of the items": lambda body, name: {**body, name: body[name][: len(body[name]) // 2], "more": False},
    "one item is null": lambda body, name: {**body, name: [None, *body[name][1:]]},
    "every item is null": lambda body, name: {**body, name: [None] * len(body[name])},
    "every item is empty": lambda body, name: {**body, name: [{}] * len(body[name])},
}
CORE = (
    "incidents triggered: an error inside 200", "incidents triggered: the list is null",
    "incidents triggered: the list is an object", "incidents triggered: every item is null",
    "incidents triggered: half of the items; and incident: 404", "incidents triggered: half of the items; and incident: null",
    "incidents: pending_actions null in every", "incidents: created_at null in every", "incidents: assignments null in every",
    "oncalls: an empty object", "oncalls: end null in every", "escalation_policies: 500", "log_entries: the list is null",
    "log_entries: type a text in every", "services: 500", "incident: an empty object", "users/me: 500",
)  # fmt: skip
"""The beginnings of the names of those that every run tries."""


class Damage(NamedTuple):
    """What is done to which responses, by the path's end and the status that is asked for; `looked_up`: also to incidents."""

    name: str
    part: str
    change: Change
    status: str = ""
    looked_up: Change | None = None

    def change_of(self, request: httpx.Request) -> Change | None:
        path = request.url.path.strip("/")
        if path.startswith("incidents/"):
            return self.change if self.part == "incident" else self.looked_up
        wanted = request.url.params.get("statuses[]")
        return self.change if path == self.part and self.status in ("", wanted) else None


def field(name: str, value: Any, *, every: bool) -> Change:
    def change(body: Body, part: str) -> Any:
        items = [dict(one) for one in body[part]]
        for one in items if every else items[:1]:
            one.pop(name, None)
            one |= {} if value is ... else {name: value}
        return {**body, part: items}

    return change


def damages() -> Iterator[Damage]:
    """Of whole responses, of lists, of each property of one item or all, of lists and of what is looked up at once."""
    for part in (*FIELDS, "users/me", "incident"):
        for status in ("triggered", "acknowledged") if part == "incidents" else ("",):
            for name, change in (WHOLE | (OF_LISTS if part in FIELDS else {})).items():
                yield Damage(f"{part} {status}".strip() + f": {name}", part, change, status)
    for part, fields in FIELDS.items():
        for one in fields.split():
            for name, value in OTHER.items():
                for many in ("one", "every") if (one, name) not in STILL_RIGHT else ():
                    yield Damage(f"{part}: {one} {name} in {many} item", part, field(one, value, every=many == "every"))
    for name, change in WHOLE.items():
        for status in ("triggered", "acknowledged"):
            for loses in ("the list is empty", "half of the items"):
                what = f"incidents {status}: {loses}; and incident: {name}"
                yield Damage(what, "incidents", OF_LISTS[loses], status, change)


ALL = list(damages())


class Damaging(ScriptedNetwork):
    """The sandbox as a live account, with a damage that can be set and taken away. Responses are made once per moment."""

    def __init__(self, clock: Clock, kept: Kept) -> None:
        super().__init__(self._through)
        self.damage: Damage | None = None
        self._clock, self._kept = clock, kept
        transport = httpx.ASGITransport(application(now=clock, scenario="busy-night"))
        headers = {"Authorization": "Token token=sandbox"}
        self._whole = httpx.AsyncClient(transport=transport, base_url="http://sandbox/incidents", headers=headers)

    async def _through(self, request: httpx.Request) -> httpx.Response | Exception:
        key = self._clock.now(), f"{request.url.path}?{request.url.query.decode()}"
        if key not in self._kept:
            self._kept[key] = await self._whole.get(request.url.path, params=request.url.params)
        whole = self._kept[key]
        change = self.damage.change_of(request) if self.damage is not None else None
        made = whole.content if change is None else change(json.loads(whole.content), request.url.path.strip("/"))
        if isinstance(made, httpx.Response | Exception):
            return made
        return httpx.Response(
            whole.status_code if change is None else 200,
            content=made if isinstance(made, bytes) else json.dumps(made).encode(),
            headers={"content-type": "application/json"},
        )

    async def aclose(self) -> None:
        await self._whole.aclose()
        await super().aclose()


class Proxied:
    """A watch over a busy night through a damaging proxy."""

    def __init__(self, kept: Kept) -> None:
        self.clock = Clock(NOW)
        self.proxy = Damaging(self.clock, kept)
        self.engine = opened(self.proxy)
        connection = connections({"INCIDENTS_API_TOKEN": "t"})["incidents"]
        self.account = Account("incidents", "live", self.engine.reading(lambda _: connection), 15, machine=self.clock.now)

    def board(self) -> Board:
        return self.account.view().board


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
    paged = {id_: one.people for id_, one in truth.items()}
    for row in made.rows:
        one = row.incident
        if row.next.pages and not row.next.one_of and not {ref.id for ref in row.next.people} <= paged.get(one.id, everybody):
            yield f"{one.title}: names {[ref.name for ref in row.next.people]}"
        if row.mine and one.id in truth and me not in truth[one.id].assigned:
            yield f"{one.title} is not mine"
    for page in forecast(made).pages:
        one = page.row.incident
        if not page.one_of and not {ref.id for ref in page.people} <= paged.get(one.id, everybody):
            yield f"next hour: {one.title} at {page.at - made.now:.0f} s: {[ref.name for ref in page.people]}"
    mine = sum(me in one.assigned for one in truth.values())
    if not made.verdict.mine_more and made.mine.me is not None and made.verdict.mine != mine and said.evidence.trusted:
        yield f"{made.verdict.mine} mine for certain, and there are {mine}"


async def tried(chosen: Sequence[Damage], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What was wrong in these situations: from the start, and after a good refresh, on the board and line by line."""
    found: list[str] = []
    kept: Kept = {}
    with oracle() as one:
        whole = Proxied(kept)
        await whole.account.refresh()
        assert headline(whole.board(), NOW, 15, UTC).level == "mine"
        await whole.engine.aclose()
        truth = one.truth(NOW), one.truth(NOW + LATER)
        for damage in chosen:
            fresh = Proxied(kept)
            fresh.proxy.damage = damage
            await fresh.account.refresh()
            found += [f"{damage.name}: at the start: {words}" for words in wrongs(fresh.board(), None, truth[0])]
            await fresh.engine.aclose()
            found += [f"{damage.name}: later: {words}" for words in await _later(damage, kept, truth[1], capsys)]
    return found


async def _later(damage: Damage, kept: Kept, truth: Mapping[str, Truth], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What is not so once there was a good refresh: of the board, and of the lines that ``--watch`` prints."""
    one, before = Proxied(kept), list[Board]()

    async def sleep(_: float) -> None:
        before.append(one.board())
        one.clock.advance(LATER)
        one.proxy.damage = damage

    capsys.readouterr()
    code = await watch(one.account, sleep, as_json=True, rounds=2)
    await one.engine.aclose()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = [*wrongs(one.board(), before[0], truth), *(f"--watch: {line}" for line in lines if line["mark"] == DONE)]
    return found + ([f"--watch: exit code {code}"] if code != 10 else [])


@pytest.mark.parametrize(
    "chosen",
    [
        [one for one in ALL if one.name.startswith(CORE)][::2],
        *(pytest.param(ALL[part::PARTS], marks=pytest.mark.long) for part in range(PARTS)),
    ],
    ids=["core", *(f"all, part {part}" for part in range(PARTS))],
)
async def test_no_damage_makes_the_board_say_what_is_not_so(chosen: list[Damage], capsys: pytest.CaptureFixture[str]) -> None:
    found = await tried(chosen, capsys)
    assert not found, f"{len(found)}:\n" + "\n".join(found[:60])
