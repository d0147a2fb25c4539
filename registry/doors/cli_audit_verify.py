"""``callboard audit verify``: checks that the audit log was not altered."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from registry.doors.output import ExitCode, remark, say, say_json

if TYPE_CHECKING:
    from registry.engine import Engine
    from registry.journal.verifying import Fault, Verified

_MOST_PRINTED = 50


def add_verify(actions: argparse._SubParsersAction[Any]) -> None:
    """The options of the action."""
    verifying = actions.add_parser(
        "verify",
        help="check that no entry of the log was edited, removed or inserted",
        description="Check the hash chain of the audit log, each entry against it, and its copy on the team's server where one "
        "is set; with --team in front of it, the copies of everybody's logs. Exit codes: 0 nothing was found, "
        "1 something was edited, removed, inserted or exchanged, 3 the team's server cannot be used, 5 the log cannot be read.",
    )
    verifying.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object")


def verify(*, as_json: bool, team: bool) -> int:
    """Check the log, and its copy if a server is set, and print the result.

    Args:
        as_json: print one JSON object.
        team: check the copies of everybody's logs as well.

    Raises:
        sqlite3.Error, OSError: the log cannot be read.
    """
    from registry.doors import ending
    from registry.engine import Settings, open_engine

    async def run() -> tuple[Verified, _Copies]:
        async with open_engine(Settings(journal=False)) as engine:
            here = await asyncio.to_thread(engine.audit.verify)
            return here, await _copies(engine, here, team=team)

    here, copies = ending.run(run())
    faults = [*here.faults, *copies.faults]
    if as_json:
        from registry.calling.exact_json import dumps

        log = {"chain": here.chain, "rows": here.rows, "entries": here.entries, "faults": [asdict(one) for one in faults]}
        server = {
            "address": copies.address,
            "rows": copies.rows,
            "unreachable": copies.problem or None,
            "others": copies.others,
        }
        say_json(dumps(log | {"server": server if copies.address or copies.problem else None}))
        return copies.code(faults)
    say(f"Chain {here.chain or 'not begun'}: {_count(here.rows, 'row')}, {_count(here.entries, 'entry', 'entries')}")
    if copies.address and not copies.problem:
        say(f"Server {copies.address}: {_count(copies.rows, 'row')} of it")
    if copies.others:
        say(f"Other logs there: {len(copies.others)}, {_count(sum(copies.others.values()), 'row')}")
    _tell(faults)
    if copies.problem:
        remark(f"The server's copy was not checked: {copies.problem}")
    elif not copies.address:
        remark("Without a copy on a server, nothing shows whether the end was cut off or the whole chain was rewritten.")
    elif copies.rows < here.rows:
        remark(f"{_count(here.rows - copies.rows, 'row')} not sent yet; callboard audit push sends them.")
    return copies.code(faults)


@dataclass(slots=True)
class _Copies:
    """What the server has: its address, empty if none is set; the rows of this log and of others; why it was not read."""

    address: str = ""
    rows: int = 0
    others: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    problem: str = ""

    def code(self, faults: list[Fault]) -> int:
        """The exit code of the command."""
        return ExitCode.SERVICE if faults else ExitCode.CONNECTION if self.problem else ExitCode.OK


async def _copies(engine: Engine, here: Verified, *, team: bool) -> _Copies:
    found = _Copies(problem=engine.team.problem)
    if (server := engine.team_server) is None:
        return found
    from registry.engine.team_record import ServerUnavailable, verify_copy, verify_others

    found.address = server.setting.shown
    try:
        there, found.faults = await verify_copy(server, here)
        found.rows = there.rows
        for chain, other in (await verify_others(server, here.chain)).items() if team else ():
            found.others[chain] = other.rows
            found.faults += [replace(one, words=f"chain {chain}: {one.words}") for one in other.faults]
    except ServerUnavailable as error:
        found.problem = str(error)
    return found


def _tell(faults: list[Fault]) -> None:
    """Print what is wrong, one line each."""
    for fault in faults[:_MOST_PRINTED]:
        say(f"  ✗ {'on the server: ' if fault.where == 'server' else ''}{fault.words}")
    if len(faults) > _MOST_PRINTED:
        say(f"  ✗ and {len(faults) - _MOST_PRINTED} more; --json prints all")
    if not faults:
        say("  ✓ Nothing was edited, removed, inserted or exchanged.")


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
