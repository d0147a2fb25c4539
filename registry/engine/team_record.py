"""The audit log and its copy on a team's server: sending rows, reading the entries of all logs, and comparing the two."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

from registry.team.server import ServerUnavailable, ordered
from registry.text.safe_text import shortened, visible_line

if TYPE_CHECKING:
    from registry.journal.audit import Audit, Change
    from registry.journal.verifying import Fault, Verified
    from registry.team.server import Server

_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class TeamChange:
    """An entry of a person's audit log: who, on which machine, in which chain, and the entry."""

    person: str
    machine: str
    chain: str
    change: Change

    def as_line(self) -> str:
        """The entry as a line of NDJSON."""
        from registry.calling.exact_json import dumps

        whose = {"person": self.person, "machine": self.machine, "chain": self.chain}
        return dumps(whose | self.change.as_values)


async def push(audit: Audit, server: Server) -> int:
    """Send the rows of the log that the server does not have, each once; returns how many.

    Raises:
        ServerUnavailable: the server cannot be used, or has other rows of this chain. The log is not changed.
        sqlite3.Error, OSError: the log cannot be read.
    """
    first = await asyncio.to_thread(audit.links, 0, 1)
    if not first:
        return 0
    last, hash_ = await server.last(first[0].chain)
    if last:
        here = await asyncio.to_thread(audit.links, last - 1, 2)
        fits = any(one.sequence == last and one.hash == hash_ for one in here)
        follows = any(one.sequence == last + 1 and one.previous == hash_ for one in here) or first[0].sequence > last + 1
        if not (fits or follows):
            raise ServerUnavailable(
                f"{server.setting.shown} has other rows of this log from row {last} on or before it; callboard audit verify "
                "says which. Where the log is an old copy, move changes.db away: a new chain begins."
            )
    sent = 0
    while links := await asyncio.to_thread(audit.links, last, _AT_ONCE):
        await server.put(links)
        sent, last = sent + len(links), links[-1].sequence
        await asyncio.to_thread(audit.note_sent, last)
    return sent


async def team_changes(server: Server, most: int) -> list[TeamChange]:
    """The last changes of all logs, newest first.

    Raises:
        ServerUnavailable: the server cannot be used, or its rows are not a valid entry.
    """
    from registry.journal.audit import change_of

    found = []
    for (chain, entry), links in ordered(await server.newest(most)).items():
        person, machine = (str(links[0].fields.get(name, "")) for name in ("person", "machine"))
        try:
            change = change_of(entry, links)
        except sqlite3.DatabaseError as error:
            words = f"{server.setting.shown}: of {person} on {machine}, chain {chain}: {error}"
            raise ServerUnavailable(shortened(visible_line(words), 300)) from None
        found.append(TeamChange(person, machine, chain, change))
    return sorted(found, key=lambda one: (one.change.at, one.chain, one.change.id), reverse=True)


async def verify_copy(server: Server, here: Verified) -> tuple[Verified, list[Fault]]:
    """What checking the server's copy of a chain found: by itself, and compared with the log here.

    Raises:
        ServerUnavailable: the server cannot be used.
    """
    from registry.journal.verifying import compare_copies

    there = await _verified(server, here.chain)
    return there, [*there.faults, *compare_copies(here, there)]


async def verify_others(server: Server, own: str) -> dict[str, Verified]:
    """What checking the server's copies of all other chains found, each by itself.

    Raises:
        ServerUnavailable: the server cannot be used.
    """
    return {chain: await _verified(server, chain) for chain in await server.chains() if chain != own}


async def _verified(server: Server, chain: str) -> Verified:
    """What checking the server's copy of a chain found, by itself."""
    from registry.journal.verifying import Reading

    reading = Reading("server")
    async for links in server.copy(chain):
        for link in links:
            reading.take(link)
    return reading.end()


__all__ = ("ServerUnavailable", "TeamChange", "push", "team_changes", "verify_copy", "verify_others")
