"""``callboard audit requests|approve|refuse``: a second person's consent to deletions of live data."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING, Any

from registry.doors.audit_table import in_columns
from registry.doors.cli_audit_team import with_server
from registry.doors.output import ExitCode, fail, remark, say, say_json
from registry.text.safe_text import visible_line

if TYPE_CHECKING:
    from registry.engine import Engine
    from registry.team.approvals import Asked
    from registry.team.server import Server


def add_requests(actions: argparse._SubParsersAction[Any]) -> None:
    """The actions and their options."""
    listing = actions.add_parser(
        "requests",
        help="list deletions that wait for a second person",
        description="List the deletions of live data that wait for a second person, oldest first.",
    )
    listing.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object per line")
    for name, what in (("approve", "Approve"), ("refuse", "Refuse")):
        action = actions.add_parser(
            name,
            help=f"{name} a deletion that somebody else asks for",
            description=f"{what} a deletion that somebody else asks for. It prints what would be deleted first. Exit codes: "
            "0 it counts, 1 it does not (too late, answered already, or your own request), 3 the server cannot be used.",
        )
        action.add_argument("id", metavar="ID", help="the request, as callboard audit requests lists it")


def list_requests(*, as_json: bool) -> int:
    """Print the pending requests."""
    from registry.calling.exact_json import dumps

    found: list[Asked] = with_server(lambda engine, _: engine.approvals().waiting())
    for one in found if as_json else ():
        row = {"id": one.id, "person": one.person, "machine": one.machine, "login": one.login, "seconds_left": int(one.left)}
        say_json(dumps(row | {"change": one.change}))
    if found and not as_json:
        rows = [
            (one.id, *map(visible_line, (_what(one), _account(one), _who(one))), f"{one.left / 60:.0f} min") for one in found
        ]
        say("\n".join(in_columns(rows)))
    if not found:
        remark("Nothing waits for a second person.")
    return ExitCode.OK


def answer(request: str, *, approved: bool, read_only: bool) -> int:
    """Approve or refuse a request."""
    from registry.team.approvals import ApprovalRefused

    if approved and read_only:
        fail("Callboard is running read-only, so nothing can be approved", way_out="start it without --read-only")

    async def decide(engine: Engine, _: Server) -> None:
        if approved and engine.policy.read_only:
            fail("Callboard is running read-only, so nothing can be approved", way_out="unset CALLBOARD_READ_ONLY")
        approvals = await asyncio.to_thread(engine.approvals)
        one = await approvals.find(request)
        remark(f"{_what(one)} ({_account(one)}), asked by {_who(one)}")
        for line in one.change.get("found", ()):
            remark(f"  {line}")
        remark(f"  {one.change.get('request', '')}")
        await approvals.answer(one.id, approved=approved)

    try:
        with_server(decide)
    except ApprovalRefused as refusal:
        fail(f"not {'approved' if approved else 'refused'}: {refusal}", ExitCode.SERVICE)
    say(f"{'Approved, once' if approved else 'Refused'}: {request}")
    return ExitCode.OK


def _what(one: Asked) -> str:
    return f"{one.change.get('summary', '')}: {one.change.get('subject', '')}"


def _account(one: Asked) -> str:
    return f"{one.change.get('account', '')}, {one.change.get('mode', '')}"


def _who(one: Asked) -> str:
    return f"{one.person} on {one.machine} (database login {one.login})"
