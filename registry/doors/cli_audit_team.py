"""``callboard audit push|server`` and ``callboard audit --team``: the copies of audit logs on a team's server."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from registry.doors.audit_table import columns_of, in_columns
from registry.doors.output import ExitCode, fail, remark, say, say_json
from registry.text.safe_text import shortened, visible_line

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from registry.engine import Engine
    from registry.team.server import Server


def add_team_actions(command: argparse.ArgumentParser, actions: argparse._SubParsersAction[Any]) -> None:
    """The options and actions for a team's server."""
    command.add_argument("--team", action="store_true", help="use the team's server: print the entries of everybody")
    pushing = actions.add_parser(
        "push",
        help="send entries that the team's server does not have yet",
        description="Send the rows of the audit log that the team's server does not have yet, each once. "
        "Exit codes: 0 all are there, 3 the server cannot be used; nothing is lost, and they are sent the next time.",
    )
    pushing.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object")
    server = actions.add_parser(
        "server",
        help="check the team's server, or make its tables",
        description="Check whether the team's server can be used, or make its tables: rows can be added there, and nothing "
        "can be changed or removed.",
    )
    server.add_argument("--create", action="store_true", help="make the tables")
    server.add_argument("--sql", action="store_true", help="print the SQL that makes the tables; nothing is sent")
    server.add_argument("--role", metavar="NAME", default="", help="also let this role of the database add and read rows")


def push_log(*, as_json: bool) -> int:
    """Send the rows that the server does not have."""

    async def send(engine: Engine, server: Server) -> int:
        from registry.engine.team_record import push

        return await push(engine.audit, server)

    count = with_server(send, "nothing is lost; the next change, or callboard audit push, sends it")
    if as_json:
        say_json(f'{{"sent": {count}}}')
    else:
        remark(f"Sent {count} {'row' if count == 1 else 'rows'}." if count else "The server has all rows.")
    return ExitCode.OK


def use_server(*, create: bool, role: str, sql: bool) -> int:
    """Create the tables, print their SQL, or say whether the server can be used."""
    if role and not (create or sql):
        fail("--role needs --create or --sql", field="--role")
    if sql:
        from registry.team.schema import script

        say(script(role).rstrip())
        return ExitCode.OK

    async def look(_: Engine, server: Server) -> tuple[int, str]:
        if create:
            await server.create(role)
        return await server.probe(), server.setting.shown

    chains, address = with_server(look)
    say(f"{address}: {chains} {'log' if chains == 1 else 'logs'}")
    return ExitCode.OK


def print_team(most: int, *, as_json: bool) -> int:
    """Print the last entries of all logs, newest first."""

    async def read(_: Engine, server: Server) -> list[Any]:
        from registry.engine.team_record import team_changes

        return await team_changes(server, most)

    found = with_server(read)
    if as_json:
        for one in found:
            say_json(one.as_line())
    elif found:
        whose = [shortened(visible_line(f"{one.person} on {one.machine}"), 40) for one in found]
        rows = [(*columns_of(one.change), who) for one, who in zip(found, whose, strict=True)]
        say("\n".join(in_columns(rows)))
    else:
        remark("The team's audit log is empty.")
    return ExitCode.OK


def with_server(work: Callable[[Engine, Server], Awaitable[Any]], way_out: str = "") -> Any:
    """The result of work with the team's server; ends the command if no server is set or it cannot be used."""
    from registry.doors import ending
    from registry.engine import Settings, open_engine
    from registry.team.server import ServerUnavailable

    async def run() -> Any:
        async with open_engine(Settings(journal=False)) as engine:
            if engine.team.problem:
                fail(engine.team.problem)
            if (server := engine.team_server) is None:
                setting = "set audit in the section [team] of config.toml, or CALLBOARD_TEAM_AUDIT"
                fail("no team's server is set", way_out=setting)
            return await work(engine, server)

    try:
        return ending.run(run())
    except ServerUnavailable as error:
        fail(str(error), ExitCode.CONNECTION, way_out=way_out or None)
