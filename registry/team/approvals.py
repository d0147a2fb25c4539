"""Requests for a second person's consent, and their answers, in a table of the team's server.

A request has up to three rows, each written once: ``asked``; ``answered`` (approved or refused); ``ended`` (used or withdrawn).
The server itself enforces the rules, for every program. It refuses an answer by the same person, log or database login, a
second answer, and a use of a request that was not approved, was used, has expired, or was approved for another call.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import Any

from registry.team.schema import CONSENT
from registry.team.server import Server, ServerUnavailable

LASTS = 15 * 60
"""Seconds for which a request waits, and an approval is valid."""


class ApprovalRefused(Exception):
    """The server did not accept an answer or a use; the text says why. Safe to show."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request.

    Attributes:
        id: its id.
        person, machine, login: who asks, by the setting and the server.
        left: seconds until it expires.
        state: ``waiting``, ``approved``, ``refused``, ``used``, ``withdrawn`` or ``expired``.
        by: who answered; empty before that.
        change: the change as shown to the other person; text from outside. Only ``found`` is certain to be a list.
    """

    id: str
    person: str
    machine: str
    login: str
    left: float
    state: str
    by: str
    change: dict[str, Any]


_ASKED = f"""
    SELECT asked.request, asked.person, asked.machine, asked.login,
        asked.lasts - extract(epoch FROM clock_timestamp() - asked.received),
        coalesce(ended.event, answered.event, 'waiting'), coalesce(answered.person, ''), asked.content
    FROM {CONSENT} AS asked
    LEFT JOIN {CONSENT} AS answered ON answered.request = asked.request AND answered.step = 'answered'
    LEFT JOIN {CONSENT} AS ended ON ended.request = asked.request AND ended.step = 'ended'
    WHERE asked.step = 'asked'"""


class Approvals:
    """The requests of a team.

    Args:
        server: the team's server.
        chain: the id of this home's log.
    """

    def __init__(self, server: Server, chain: str) -> None:
        self._server = server
        self._chain = chain

    async def ask(self, digest: str, change: dict[str, Any]) -> str:
        """Store a request for a call with this digest; returns its id.

        Raises:
            ServerUnavailable, ApprovalRefused: it could not be stored.
        """
        request = secrets.token_hex(5)
        await self._add(request, "asked", "asked", digest, json.dumps(change))
        return request

    async def answer(self, request: str, *, approved: bool) -> None:
        """Answer a request.

        Raises:
            ServerUnavailable: the server cannot be used.
            ApprovalRefused: the server did not accept the answer.
        """
        await self._add(request, "answered", "approved" if approved else "refused", "", "")

    async def end(self, request: str, digest: str, *, used: bool) -> None:
        """Use an approval, for the call with this digest, once; or withdraw a request.

        Raises:
            ServerUnavailable: the server cannot be used.
            ApprovalRefused: there is no approval for this call.
        """
        await self._add(request, "ended", "used" if used else "withdrawn", digest, "")

    async def find(self, request: str) -> Asked:
        """A request.

        Raises:
            ServerUnavailable: the server cannot be used.
            ApprovalRefused: there is none with that id.
        """
        found = await self._read(f"{_ASKED} AND asked.request = %s", (request,))
        if not found:
            raise ApprovalRefused(f"there is no request {request!r}")
        return found[0]

    async def waiting(self) -> list[Asked]:
        """The requests that wait for an answer, oldest first.

        Raises:
            ServerUnavailable: the server cannot be used.
        """
        found = await self._read(
            f"{_ASKED} AND answered.request IS NULL AND ended.request IS NULL "
            "AND asked.received > now() - interval '1 hour' ORDER BY asked.received LIMIT 500",  # no request lasts longer
            (),
        )
        return [one for one in found if one.state == "waiting"]

    async def _read(self, what: str, values: tuple[str, ...]) -> list[Asked]:
        async with self._server.opened() as database:
            rows = await (await database.execute(what.encode(), values)).fetchall()
        return [_asked(row) for row in rows]

    async def _add(self, request: str, step: str, event: str, digest: str, content: str) -> None:
        who = self._server.setting.who
        row = (request, step, event, who.person, who.machine, self._chain, digest, LASTS, content)
        names = "request, step, event, person, machine, chain, digest, lasts, content"
        what = f"INSERT INTO {CONSENT} ({names}) VALUES ({', '.join(['%s'] * len(row))})"
        try:
            async with self._server.opened() as database:
                await database.execute(what.encode(), row)
        except ServerUnavailable as error:
            if error.refused:
                raise ApprovalRefused(error.refused) from None
            raise


def _asked(row: tuple[Any, ...]) -> Asked:
    request, person, machine, login, left, state, by, content = row
    left = float(left)
    state = "expired" if left <= 0 and state in ("waiting", "approved") else state
    return Asked(request, person, machine, login, max(left, 0.0), state, by, _change(content))


def _change(content: str) -> dict[str, Any]:
    """The content of a request, which any program may have written."""
    try:
        values = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(values, dict):
        return {}
    found = values.get("found")
    return values | {"found": found if isinstance(found, list) else []}
