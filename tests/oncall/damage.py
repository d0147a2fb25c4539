"""A proxy between the dashboard and the sandbox that damages one part of one kind of response."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import httpx

from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.calling.network import ScriptedNetwork

Body = dict[str, Any]
Change = Callable[[Body, httpx.Request], Any]
"""Gives what is sent in place of a body: JSON values, bytes, a response, or an exception that is raised."""

LISTS = ("incidents", "oncalls", "escalation_policies", "services", "log_entries", "users", "teams")
FIELDS = {
    "incidents": (
        "id", "status", "created_at", "urgency", "assignments", "pending_actions", "assigned_via", "escalation_policy",
        "service", "last_status_change_at", "title", "acknowledgements", "priority", "teams", "incident_number",
    ),
    "oncalls": ("escalation_policy", "escalation_level", "user", "start", "end", "schedule"),
    "escalation_policies": ("id", "escalation_rules", "num_loops", "services", "name"),
    "services": ("id", "status", "name", "acknowledgement_timeout"),
    "log_entries": ("id", "type", "created_at", "incident", "assignees"),
    "users": ("id", "name", "time_zone"),
}  # fmt: skip
_OTHER: tuple[tuple[str, Any], ...] = (
    ("null", None), ("a number", 7), ("a text", "odd"), ("an object", {"odd": 1}), ("a list", [1]),
)  # fmt: skip
_LOSES = {"the list is empty", "half of the items"}
"""Lists after which incidents are looked up one by one."""
_STILL_RIGHT = {("num_loops", "a number"), ("escalation_level", "a number")}
"""Another value of the right type is no damage that anybody could see."""


class Damage(NamedTuple):
    """What is done to which responses: those to paths that end so, of the status asked for where one is given.

    `also`: another damage at the same time, to other responses.
    """

    name: str
    part: str
    change: Change
    status: str = ""
    also: Damage | None = None

    def change_of(self, request: httpx.Request) -> Change | None:
        """What it does to the response to a request."""
        if self._concerns(request):
            return self.change
        return self.also.change_of(request) if self.also is not None else None

    def _concerns(self, request: httpx.Request) -> bool:
        path = request.url.path.rstrip("/").removeprefix("/")
        one = self.part == "incident" and path.startswith("incidents/")
        if not one and path != self.part:
            return False
        return not self.status or request.url.params.get("statuses[]") == self.status


class Damaging(ScriptedNetwork):
    """The sandbox as a live account, with a damage that can be set and taken away. Responses are made once per moment."""

    def __init__(self, clock: Clock, scenario: str, kept: dict[tuple[int, str], httpx.Response]) -> None:
        super().__init__(self._through)
        self.damage: Damage | None = None
        self._clock, self._scenario, self._kept = clock, scenario, kept
        self._sandboxed: httpx.AsyncClient | None = None

    async def _through(self, request: httpx.Request) -> httpx.Response | Exception:
        key = self._clock.now(), f"{request.url.path}?{request.url.query.decode()}"
        if key not in self._kept:
            self._kept[key] = await self._fetched(request)
        whole = self._kept[key]
        change = self.damage.change_of(request) if self.damage is not None else None
        if change is None:
            return httpx.Response(whole.status_code, content=whole.content, headers={"content-type": "application/json"})
        made = change(json.loads(whole.content), request)
        if isinstance(made, httpx.Response | Exception):
            return made
        content = made if isinstance(made, bytes) else json.dumps(made).encode()
        return httpx.Response(200, content=content, headers={"content-type": "application/json"})

    async def _fetched(self, request: httpx.Request) -> httpx.Response:
        if self._sandboxed is None:
            transport = httpx.ASGITransport(application(now=self._clock, scenario=self._scenario))
            headers = {"Authorization": "Token token=sandbox"}
            self._sandboxed = httpx.AsyncClient(transport=transport, base_url="http://sandbox/incidents", headers=headers)
        return await self._sandboxed.get(request.url.path, params=request.url.params)

    async def aclose(self) -> None:
        if self._sandboxed is not None:
            await self._sandboxed.aclose()
        await super().aclose()


def damages() -> Iterator[Damage]:
    """Every damage: of whole responses, of lists, of each property of one item or all, of lists and of looking up at once."""
    parts = [*LISTS, "users/me", "incident"]
    for part in parts:
        statuses = ("triggered", "acknowledged") if part == "incidents" else ("",)
        for status in statuses:
            for name, change in _whole(part):
                yield Damage(f"{part} {status}".strip() + f": {name}", part, change, status)
    for part, fields in FIELDS.items():
        for field in fields:
            for name, value in (("missing", ...), *_OTHER):
                for many in ("one", "every") if (field, name) not in _STILL_RIGHT else ():
                    yield Damage(f"{part}: {field} {name} in {many} item", part, _field(part, field, value, many == "every"))
    for field in ("id", "name", "time_zone", "teams"):
        for name, value in (("missing", ...), *_OTHER):
            yield Damage(f"users/me: {field} {name}", "users/me", _me(field, value))

    lists = [one for one in _whole("incidents") if one[0] in _LOSES]
    for name, change in _whole("incident"):
        other = Damage("", "incident", change)
        for status, (loses, without) in product(("triggered", "acknowledged"), lists):
            yield Damage(f"incidents {status}: {loses}; and incident: {name}", "incidents", without, status, other)


def _whole(part: str) -> Iterator[tuple[str, Change]]:
    """Damages of a whole response."""
    for status in (400, 401, 402, 403, 404, 429, 500, 502, 503):
        yield f"{status}", lambda *_, status=status: httpx.Response(status, json={"error": {"message": "no", "code": 1}})
    yield "no connection", lambda *_: httpx.ConnectError("refused")
    yield "no response in time", lambda *_: httpx.ReadTimeout("late")
    yield "an error inside 200", lambda *_: {"error": {"message": "Internal", "code": 2}}
    yield "null", lambda *_: None
    yield "a list", lambda *_: []
    yield "an empty object", lambda *_: {}
    yield "cut", lambda body, _: json.dumps(body).encode()[: max(len(json.dumps(body)) // 2, 1)]
    yield "no JSON", lambda *_: b"<html>Bad gateway</html>"
    yield "empty", lambda *_: b""
    if part not in LISTS:
        return
    name = part
    yield "the list is null", lambda body, _: {**body, name: None}
    yield "the list is an object", lambda body, _: {**body, name: {"0": body[name]}}
    yield "the list is a text", lambda body, _: {**body, name: "none"}
    yield "the list is empty", lambda body, _: {**body, name: [], "more": False}
    yield "the list is empty and goes on", lambda body, _: {**body, name: [], "more": True}
    yield "more is missing", lambda body, _: {key: value for key, value in body.items() if key != "more"}
    yield "more is null", lambda body, _: {**body, "more": None}
    yield "more is a text", lambda body, _: {**body, "more": "false"}
    yield "empty and more is missing", lambda *_: {name: []}
    yield "wrong order", lambda body, _: {**body, name: body[name][::-1]}
    yield "the same page for ever", lambda body, _: {**body, "more": True}
    yield "every item twice", lambda body, _: {**body, name: body[name] * 2}
    yield "half of the items", lambda body, _: {**body, name: body[name][: len(body[name]) // 2], "more": False}
    yield "one item is null", lambda body, _: {**body, name: [None, *body[name][1:]]}
    yield "every item is null", lambda body, _: {**body, name: [None] * len(body[name])}
    yield "every item is a text", lambda body, _: {**body, name: ["odd"] * len(body[name])}
    yield "every item is empty", lambda body, _: {**body, name: [{}] * len(body[name])}


def _field(part: str, field: str, value: Any, every: bool) -> Change:
    def change(body: Body, _: httpx.Request) -> Any:
        items = [dict(one) for one in body[part]]
        for one in items if every else items[:1]:
            _put(one, field, value)
        return {**body, part: items}

    return change


def _me(field: str, value: Any) -> Change:
    def change(body: Body, _: httpx.Request) -> Any:
        user = dict(body["user"])
        _put(user, field, value)
        return {**body, "user": user}

    return change


def _put(one: Body, field: str, value: Any) -> None:
    if value is ...:
        one.pop(field, None)
    else:
        one[field] = value
