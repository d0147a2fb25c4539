"""A watch over the sandbox on a clock that the test moves, and over services that a test scripts."""

import json
from typing import Any
from zoneinfo import ZoneInfo

import httpx

from registry.accounts.connection import connections, sandbox
from registry.calling.network import Network
from registry.oncall.account import Account
from registry.oncall.board import Board, IncidentRow, board
from registry.oncall.headline import counts_line, headline
from registry.oncall.refresh import Refresher
from registry.oncall.scope import Scope
from registry.oncall.words import plain
from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.calling.network import ScriptedNetwork
from tests.opened import opened

NOW = 1764555240
MINUTE, HOUR, DAY = 60, 3600, 86_400


async def _no_wait(_: float) -> None:
    return None


class Watch:
    """The sandbox's account as the dashboard sees it."""

    def __init__(self, scenario: str = "busy-night", network: Network | None = None, clock: Clock | None = None) -> None:
        self.clock = clock or Clock(NOW)
        self.app = application(now=self.clock, scenario=scenario)
        self.engine = opened(network, sandbox=lambda: self.app, sleep=_no_wait)
        connection = sandbox() if network is None else connections({"INCIDENTS_API_TOKEN": "t"})["incidents"]
        self.account = Account(connection.name, "live", self.engine.reading(lambda _: connection), 15, machine=self.clock.now)

    async def __aenter__(self) -> "Watch":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.engine.aclose()

    @property
    def refresher(self) -> Refresher:
        return self.account.refresher

    def board(self, scope: Scope | None = None) -> Board:
        return board(self.refresher.facts, self.clock.now(), scope)

    async def refreshed(self, scope: Scope | None = None) -> Board:
        await self.account.refresh()
        return self.board(scope)

    async def after(self, seconds: int) -> Board:
        """The board so many seconds after the beginning, read at that moment."""
        self.clock.advance(NOW + seconds - self.clock.now())
        return await self.refreshed()

    def verdict(self) -> str:
        """The first line at this moment, without reading anything."""
        made = self.board()
        return headline(made, self.clock.now(), self.refresher.interval, ZoneInfo("Europe/Berlin")).words

    def counts(self) -> str:
        """The second line, likewise."""
        return plain(counts_line(self.board()))


def titled(made: Board, words: str) -> IncidentRow:
    """The row whose title holds some words."""
    (row,) = [row for row in made.rows if words in row.incident.title]
    return row


class Service(ScriptedNetwork):
    """A scripted incident service: what it lists by the last part of the path; an int is a status without a body.

    What is not scripted is an empty list. Every list is served in pages as the service does it, unless it is a whole answer.
    """

    def __init__(self, **listed: Any) -> None:
        super().__init__(self._serve)
        self.listed = listed
        self.paths: list[str] = []

    def _serve(self, request: httpx.Request) -> httpx.Response | Exception:
        path = request.url.path.strip("/")
        self.paths.append(path)
        name = path.rpartition("/")[2] if path != "users/me" else "me"
        asked = request.url.params
        found = self.listed.get(name, self.listed.get("anything", []))
        if callable(found):
            found = found(request)
        if isinstance(found, Exception | httpx.Response):
            return found
        if isinstance(found, int):
            return httpx.Response(found, json={"error": {"message": "no", "code": 1}})
        if isinstance(found, list):
            limit, offset = int(asked.get("limit", "25")), int(asked.get("offset", "0"))
            status = asked.get("statuses[]")
            items = [one for one in found if status is None or one.get("status") == status]
            if name == "incidents":
                since, until = asked["since"], asked["until"]
                items = [one for one in items if since <= one["created_at"] <= until]
            page = items[offset : offset + limit]
            found = {name: page, "limit": limit, "offset": offset, "more": offset + len(page) < len(items)}
        elif name == "me":
            found = {"user": found}
        return httpx.Response(200, content=json.dumps(found).encode("utf-8", "surrogatepass"))


def incident(id_: str, **changes: Any) -> dict[str, Any]:
    """An open incident of a scripted service."""
    return {
        "id": id_,
        "type": "incident",
        "incident_number": 1,
        "title": f"Title of {id_}",
        "created_at": "2025-12-01T02:10:00Z",
        "last_status_change_at": "2025-12-01T02:10:00Z",
        "status": "triggered",
        "urgency": "high",
        "service": {"id": "S1", "type": "service_reference", "summary": "api"},
        "escalation_policy": {"id": "E1", "type": "escalation_policy_reference", "summary": "Policy"},
        "assigned_via": "escalation_policy",
        "assignments": [{"at": "2025-12-01T02:10:00Z", "assignee": user("U1")}],
        "pending_actions": [{"type": "escalate", "at": "2025-12-01T02:15:00Z"}],
        "acknowledgements": [],
        "teams": [],
        "priority": None,
        "html_url": f"https://own.incidents.example/incidents/{id_}",
        **changes,
    }


def user(id_: str) -> dict[str, str]:
    """A reference to a user."""
    return {"id": id_, "type": "user_reference", "summary": f"Name {id_}"}


def oncall(
    level: int, who: str, start: str | None = None, end: str | None = None, schedule: str | None = None
) -> dict[str, Any]:
    """An on-call entry of a scripted service's only policy."""
    return {
        "escalation_policy": {"id": "E1", "type": "escalation_policy_reference", "summary": "Policy"},
        "escalation_level": level,
        "schedule": None if schedule is None else {"id": schedule, "type": "schedule_reference", "summary": schedule},
        "user": user(who),
        "start": start,
        "end": end,
    }


def policy(*delays: int, loops: int = 0) -> dict[str, Any]:
    """A scripted service's only policy: a level for each delay in minutes."""
    rules = [
        {"id": f"R{n}", "escalation_delay_in_minutes": delay, "targets": [{"id": f"S{n}", "type": "schedule_reference"}]}
        for n, delay in enumerate(delays, start=1)
    ]
    return {"id": "E1", "name": "Policy", "num_loops": loops, "escalation_rules": rules, "services": [], "teams": []}


ME = {
    "id": "U1",
    "name": "Ann",
    "time_zone": "Europe/Berlin",
    "teams": [],
    "html_url": "https://own.incidents.example/users/U1",
}


def scripted(**listed: Any) -> Watch:
    """A watch over a scripted service."""
    return Watch(network=Service(me=ME, **listed))
