"""The connection to a team's PostgreSQL server, and the table with the copies of audit logs.

Every method opens and closes its own connection, takes a limited time, and may be cancelled. All errors become
`ServerUnavailable`, with a text without a password.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from registry.files.threads import in_daemon
from registry.journal.chain import Link
from registry.team.schema import AUDIT, AUDIT_COLUMNS, script
from registry.team.setting import TeamSetting
from registry.text.safe_text import shortened, visible_line

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from psycopg.abc import Query

    from registry.accounts.account import SecretPlace

_CONNECT = 5
"""Seconds for a connection."""

_STEP = 20.0
"""Seconds for one step of work."""

_AT_ONCE = 200


class ServerUnavailable(Exception):
    """The server cannot be used; the text says which one and why, and what to do. Safe to show.

    Attributes:
        refused: the message of the team's rules on the server, if these refused it; empty otherwise.
    """

    def __init__(self, words: str, refused: str = "") -> None:
        super().__init__(words)
        self.refused = refused


def library() -> Any:
    """The library for PostgreSQL.

    Raises:
        ServerUnavailable: it is not installed; says how to get it.
    """
    try:
        import psycopg  # imported late: only needed if a server is set
    except ImportError:
        from registry.files.extras import how_to_install

        words = f"The team's server needs psycopg, which is not installed. Install {how_to_install('postgres')}"
        raise ServerUnavailable(words) from None
    return psycopg


class Server:
    """A team's server.

    Args:
        setting: the setting, with an address.
        secret: returns the secret at a place; blocks.
        patience: seconds for a connection.
    """

    def __init__(self, setting: TeamSetting, secret: Callable[[SecretPlace], str], patience: float = _CONNECT) -> None:
        self.setting = setting
        self._secret = secret
        self._patience = patience

    async def probe(self) -> int:
        """Check that the table can be read and written; returns the number of chains.

        Raises:
            ServerUnavailable: it cannot be reached, read or written.
        """
        async with self.opened() as database:
            may = await _one(database, f"SELECT has_any_column_privilege('{AUDIT}', 'INSERT')")
            if not may[0]:
                raise ServerUnavailable(f"{self.setting.shown}: this login may not add rows; see callboard audit server --sql")
            return int((await _one(database, f"SELECT count(*) FROM (SELECT DISTINCT chain FROM {AUDIT}) AS chains"))[0])

    async def create(self, role: str = "") -> None:
        """Create the tables, and let a role use them; existing ones stay."""
        async with self.opened() as database:
            await database.execute(script(role).encode())

    async def last(self, chain: str) -> tuple[int, str]:
        """The number and the hash of the last row of a chain; 0 and an empty hash without rows."""
        async with self.opened() as database:
            what = f"SELECT sequence, hash FROM {AUDIT} WHERE chain = %s ORDER BY sequence DESC LIMIT 1"
            row = await (await database.execute(what.encode(), (chain,))).fetchone()
            return (row[0], row[1]) if row is not None else (0, "")

    async def put(self, links: Sequence[Link]) -> None:
        """Add rows of a chain, all or none; existing ones are not changed."""
        places = ", ".join(["%s"] * len(AUDIT_COLUMNS))
        what = f"INSERT INTO {AUDIT} ({', '.join(AUDIT_COLUMNS)}) VALUES ({places}) ON CONFLICT (chain, sequence) DO NOTHING"
        async with self.opened() as database, database.cursor() as cursor:
            await cursor.executemany(what.encode(), [_row(link) for link in links])

    async def copy(self, chain: str) -> AsyncIterator[Sequence[Link]]:
        """The rows of a chain in order, some at a time."""
        after, what = 0, f"SELECT chain, sequence, previous, content, hash, at, person, machine, entry, event FROM {AUDIT}"
        what += f" WHERE chain = %s AND sequence > %s ORDER BY sequence LIMIT {_AT_ONCE}"
        async with self.opened(limited=False) as database:
            while True:
                async with self._limited():
                    rows = await (await database.execute(what.encode(), (chain, after))).fetchall()
                if not rows:
                    return
                yield [_link(row) for row in rows]
                after = rows[-1][1]

    async def chains(self) -> list[str]:
        """The ids of all chains."""
        async with self.opened() as database:
            rows = await (await database.execute(f"SELECT DISTINCT chain FROM {AUDIT} ORDER BY chain".encode())).fetchall()
            return [row[0] for row in rows]

    async def newest(self, most: int) -> list[Link]:
        """All rows of the latest entries of every chain, in the order of each chain."""
        what = (
            f"WITH newest AS (SELECT chain, entry FROM {AUDIT} WHERE event IN ('sent', 'kept') "
            "ORDER BY at DESC, chain LIMIT %s) "
            f"SELECT chain, sequence, previous, content, hash FROM {AUDIT} JOIN newest USING (chain, entry) "
            "ORDER BY chain, sequence"
        )
        async with self.opened() as database:
            return [Link(*row) for row in await (await database.execute(what.encode(), (most,))).fetchall()]

    @asynccontextmanager
    async def opened(self, *, limited: bool = True) -> AsyncIterator[AsyncConnection[Any]]:
        """A connection, in a transaction that ends with it; `limited`: whether the whole transaction has a time limit.

        Raises:
            ServerUnavailable: it cannot be reached, or its password cannot be read.
        """
        psycopg = await asyncio.to_thread(library)
        try:
            place = self.setting.password
            more = {"password": await in_daemon(partial(self._secret, place), "password")} if place else {}
        except Exception as error:
            raise ServerUnavailable(f"{self.setting.shown}: {error}") from None
        try:
            async with self._limited():
                database = await psycopg.AsyncConnection.connect(
                    self.setting.address,
                    connect_timeout=max(int(self._patience), 2),  # of libpq, for each address of a host
                    application_name="callboard",
                    prepare_threshold=None,  # a pooler may give each transaction another session
                    **more,
                )
            try:
                async with database, self._limited() if limited else nullcontext():
                    yield database
            finally:
                await database.close()  # still open if it was cancelled while the transaction ended
        except psycopg.Error as error:
            raise ServerUnavailable(self._words(error), _refusal(error)) from None
        except (OSError, UnicodeError) as error:
            raise ServerUnavailable(f"{self.setting.shown}: {self.setting.hide(str(error))}") from None

    @asynccontextmanager
    async def _limited(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._patience + _STEP):
                yield
        except TimeoutError:
            raise ServerUnavailable(f"{self.setting.shown}: no response in time") from None

    def _words(self, error: Exception) -> str:
        """PostgreSQL's message in one line, without a password."""
        state = getattr(error, "sqlstate", None)
        if state == "42P01":
            return f"{self.setting.shown}: the table is not there yet. callboard audit server --create makes it."
        words = " ".join(str(error).split()) or type(error).__name__
        if type(error).__name__ == "ProgrammingError" and state is None:
            words = "the address cannot be understood"  # libpq's message would quote the invalid address
        return f"{self.setting.shown}: {shortened(visible_line(self.setting.hide(words)), 300)}"


def _refusal(error: Exception) -> str:
    """The message of the tables' rules; a row that exists already is a refusal too."""
    state = getattr(error, "sqlstate", None)
    if state == "23505":
        return "it was answered, used or withdrawn already"
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    return visible_line(primary) if state == "CB001" and primary else ""


async def _one(database: AsyncConnection[Any], what: str) -> Any:
    query: Query = what.encode()
    return await (await database.execute(query)).fetchone()


def _row(link: Link) -> tuple[Any, ...]:
    content = link.fields
    try:
        at = float(content["at"]) if isinstance(content.get("at"), int | float) else 0.0
    except OverflowError:
        at = 0.0
    who = (str(content.get("person", "")), str(content.get("machine", "")))
    return (link.chain, link.sequence, at, *who, link.entry, link.event, link.previous, link.content, link.hash)


def _link(row: Sequence[Any]) -> Link:
    """A row as a link. If its other columns differ from its content, it counts as edited."""
    link = Link(*row[:5])
    expected = (*_row(link)[2:5], link.entry, link.event)
    return link if expected == tuple(row[5:]) else Link(link.chain, link.sequence, link.previous, link.content, "")


def ordered(links: Iterable[Link]) -> dict[tuple[str, int], list[Link]]:
    """Rows by chain and entry."""
    found: dict[tuple[str, int], list[Link]] = {}
    for link in links:
        found.setdefault((link.chain, link.entry), []).append(link)
    return found
