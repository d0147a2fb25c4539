"""The copies of audit logs on a team's server: each row once, nothing lost, nothing changed unseen."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from registry.doors.audit_table import columns_of
from registry.engine.team_record import push, team_changes, verify_copy, verify_others
from registry.journal.chain import FIRST, Link, hash_of
from registry.journal.verifying import Fault
from registry.team.audit_uploader import AuditUploader
from registry.team.schema import AUDIT
from registry.team.server import Server, ServerUnavailable
from registry.team.setting import TeamSetting
from tests.journal.test_chain import fill
from tests.team.conftest import Home, as_role, server

NOWHERE = "postgresql://anna:MARKED%20word@127.0.0.1:1/db?sslpassword=MARKED2"


async def faults(home: Home) -> list[tuple[str, str, int, int]]:
    _, found = await verify_copy(home.server, home.audit.verify())
    return [(one.where, one.kind, one.first, one.last) for one in found]


def rows(address: str, what: str = "count(*)") -> list[tuple[object, ...]]:
    with psycopg.connect(address) as database:
        return database.execute(f"SELECT {what} FROM {AUDIT} ORDER BY 1".encode()).fetchall()


def tampered(address: str, *statements: str) -> None:
    """What only the owner of the tables can do, and only by switching the refusal off."""
    with psycopg.connect(address) as database:
        database.execute(f"ALTER TABLE {AUDIT} DISABLE TRIGGER ALL".encode())
        for statement in statements:
            database.execute(statement.encode())


async def test_two_homes_in_one_table(people: tuple[Home, Home], address: str) -> None:
    anna, ben = people
    counts = await asyncio.gather(push(anna.audit, anna.server), push(ben.audit, ben.server))
    assert tuple(counts) == (9, 9)
    assert await push(anna.audit, anna.server) == 0
    fill(anna.audit, 1)
    assert await push(anna.audit, anna.server) == 3
    assert rows(address) == [(21,)]
    assert rows(address, "DISTINCT person || '/' || machine || '/' || login AS who") == [
        ("anna/annas-machine/anna",),
        ("ben/bens-machine/ben",),
    ]
    assert await faults(anna) == []
    others = await verify_others(ben.server, ben.audit.links(0, 1)[0].chain)
    assert [(one.rows, one.faults) for one in others.values()] == [(12, [])]

    told = await team_changes(ben.server, 100)
    assert len(told) == 9
    assert {one.person for one in told} == {"anna", "ben"}
    mine = [one.change for one in told if one.person == "anna"]
    kept = [one.as_line() for one in anna.audit.changes()]
    assert [one.as_line() for one in mine] == kept, "everything of an entry is there"
    assert len(await team_changes(ben.server, 3)) == 3


async def test_an_edited_and_a_removed_row_on_the_server_are_found(people: tuple[Home, Home], address: str) -> None:
    anna, _ = people
    await push(anna.audit, anna.server)
    tampered(address, f"UPDATE {AUDIT} SET content = replace(content, 'cus_1', 'cus_9') WHERE sequence = 3")
    assert await faults(anna) == [("server", "edited", 3, 3)]
    tampered(address, f"DELETE FROM {AUDIT} WHERE sequence = 6")
    assert await faults(anna) == [("server", "edited", 3, 3), ("server", "missing", 6, 6)]
    tampered(address, f"UPDATE {AUDIT} SET person = 'ben' WHERE sequence = 1")
    assert ("server", "edited", 1, 1) in await faults(anna)
    tampered(address, f"DELETE FROM {AUDIT} WHERE sequence > 7")
    assert ("server", "cut off", 8, 9) in await faults(anna)


async def test_an_end_that_was_cut_off_here_is_found(people: tuple[Home, Home]) -> None:
    anna, _ = people
    await push(anna.audit, anna.server)
    with closing(sqlite3.connect(anna.file)) as database, database:
        database.execute("DELETE FROM chain WHERE sequence > 6")
        database.execute("DELETE FROM changes WHERE id = 4")
    assert anna.audit.verify().faults == []
    assert await faults(anna) == [("here", "cut off", 7, 9)]
    # It goes on from there, and its rows are not those that the server has.
    with pytest.raises(ServerUnavailable, match="other rows of this log"):
        await push(anna.audit, anna.server)
    fill(anna.audit)
    assert ("here", "differs", 7, 7) in await faults(anna)
    with pytest.raises(ServerUnavailable, match="other rows of this log"):
        await push(anna.audit, anna.server)


async def test_people_can_add_rows_and_nothing_else(people: tuple[Home, Home], address: str) -> None:
    anna, _ = people
    await push(anna.audit, anna.server)
    mine = as_role(address, "anna")
    statements = [
        f"UPDATE {AUDIT} SET person = 'x'",
        f"DELETE FROM {AUDIT}",
        f"TRUNCATE {AUDIT}",
        f"ALTER TABLE {AUDIT} DISABLE TRIGGER ALL",
        f"INSERT INTO {AUDIT} (chain, sequence, at, person, machine, entry, event, previous, content, hash, login) "
        "VALUES ('x', 1, 0, '', '', 0, '', '', '', '', 'ben')",
    ]
    for statement in statements:
        with pytest.raises(psycopg.errors.InsufficientPrivilege), psycopg.connect(mine) as database:
            database.execute(statement.encode())
    for statement in statements[:3]:  # the owner of the tables has the right, and is refused by the trigger
        with pytest.raises(psycopg.errors.RaiseException, match="only grows"), psycopg.connect(address) as database:
            database.execute(statement.encode())
    assert rows(address) == [(9,)]


async def test_a_row_is_there_once_however_often_it_is_sent(people: tuple[Home, Home], address: str) -> None:
    anna, _ = people
    links = anna.audit.links()
    await anna.server.put(links[:5])  # the answer to these was lost, so they are sent again
    await asyncio.gather(*(anna.server.put(links) for _ in range(3)))
    assert await push(anna.audit, anna.server) == 0
    assert rows(address) == [(9,)]


def made_up(chain: str, *contents: str) -> list[Link]:
    """A chain that somebody has written by hand; its hashes are right."""
    found: list[Link] = []
    for sequence, content in enumerate(contents, 1):
        previous = found[-1].hash if found else FIRST
        found.append(Link(chain, sequence, previous, content, hash_of(chain, sequence, previous, content)))
    return found


async def test_rows_that_somebody_has_made_up_end_no_command(people: tuple[Home, Home]) -> None:
    anna, ben = people
    odd = ['{"at": 1' + "0" * 400 + "}", '{"event": "pruned", "values": {"rows": []}}', "[" * 50_000, '{"at": NaN}']
    await ben.server.put(made_up("odd", *odd))
    await push(anna.audit, anna.server)
    others = await verify_others(anna.server, anna.audit.chain())
    assert [(one.rows, [fault.kind for fault in one.faults]) for one in others.values()] == [(4, ["edited"])]

    entry = anna.audit.links()[0].fields["values"] | {"at": 1e300, "mode": "live\n\x1b[2J"}
    told = {"at": 2e9, "entry": 1, "event": "sent", "machine": "x", "person": "Ben", "values": entry}
    await ben.server.put(made_up("late", json.dumps(told)))
    newest = (await team_changes(anna.server, 100))[0].change
    assert columns_of(newest)[1] == "?"
    assert not any("\x1b" in column or "\n" in column for column in columns_of(newest))
    await ben.server.put(made_up("none", json.dumps(told | {"values": {}})))
    with pytest.raises(ServerUnavailable, match="of Ben on x, chain none: entry 1 is damaged: "):
        await team_changes(anna.server, 100)


@pytest.mark.long
def test_two_programs_send_at_once(people: tuple[Home, Home], address: str) -> None:
    anna, _ = people
    program = (
        "import asyncio, sys; from pathlib import Path; from tests.team.conftest import server; from tests.journal.test_chain"
        " import fill, Audit; from registry.engine.team_record import push\n"
        "log, there = Audit(Path(sys.argv[1])), server(sys.argv[2])\n"
        "for _ in range(5): fill(log, 2); asyncio.run(push(log, there))\n"
    )
    words = [sys.executable, "-c", program, str(anna.file), as_role(address, "anna")]
    others = [subprocess.Popen(words) for _ in range(2)]
    assert [one.wait(60) for one in others] == [0, 0]
    asyncio.run(push(anna.audit, anna.server))
    assert rows(address) == [(9 + 2 * 5 * 5,)]
    assert asyncio.run(faults(anna)) == []


async def test_a_server_that_is_away_loses_nothing(people: tuple[Home, Home], address: str) -> None:
    anna, _ = people
    away = Server(TeamSetting(NOWHERE), str)
    with pytest.raises(ServerUnavailable) as caught:
        await push(anna.audit, away)
    assert "Connection refused" in str(caught.value)
    assert "MARKED" not in str(caught.value)
    assert caught.value.__cause__ is None
    reached = asyncio.Event()
    tries: list[Server] = [away, anna.server]

    async def send() -> None:
        await push(anna.audit, tries.pop(0))
        reached.set()

    audit_uploader = AuditUploader(send, again=0.01)
    audit_uploader.wake()
    await reached.wait()
    await audit_uploader.aclose()
    assert audit_uploader.problem == ""
    assert rows(address) == [(9,)]


async def test_a_log_that_cannot_be_read_is_read_again() -> None:
    errors: list[Exception] = [sqlite3.OperationalError("database is locked"), PermissionError(13, "Permission denied")]
    reached = asyncio.Event()

    async def send() -> None:
        if errors:
            raise errors.pop(0)
        reached.set()

    audit_uploader = AuditUploader(send, again=0.01)
    audit_uploader.wake()
    async with asyncio.timeout(20):
        await reached.wait()
    await audit_uploader.aclose()
    assert audit_uploader.problem == ""


async def test_a_server_that_never_answers_holds_nobody_up(people: tuple[Home, Home], monkeypatch: pytest.MonkeyPatch) -> None:
    anna, _ = people
    heard, left = asyncio.Event(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.set()
        await reader.read()
        writer.close()
        await writer.wait_closed()
        left.set()

    listener = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    slow = Server(TeamSetting(f"postgresql://anna@127.0.0.1:{port}/db"), str, patience=3600)
    audit_uploader = AuditUploader(lambda: push(anna.audit, slow))
    audit_uploader.wake()
    await heard.wait()
    fill(anna.audit, 1)  # changes go on meanwhile
    monkeypatch.setattr("registry.team.audit_uploader.LEAVING", 0.01)
    await audit_uploader.aclose()
    assert len(anna.audit.links()) == 12
    async with asyncio.timeout(20):
        await left.wait()  # the connection is closed, and not left behind
    listener.close()
    await listener.wait_closed()


@pytest.mark.parametrize(
    "address",
    [
        NOWHERE,
        "postgresql://anna:MARKED@/db?host=/nowhere&connect_timeout=MARKED",
        "postgresql://anna:MARKED@[broken/db",
        "postgresql://anna:MARK%2GED@127.0.0.1:1/db",
        "postgresql://anna:MARKED?MARKED#MARKED@127.0.0.1:1/db?connect_timeout=MARKED?MARKED#MARKED",
        "postgresql://anna:MARKED/MARKED@127.0.0.1:1/db",
        "postgresql://anna@127.0.0.1:1/db?password=MARKED&port=MARKED",
    ],
)
async def test_a_password_is_never_told(address: str) -> None:
    setting = TeamSetting(address)
    assert "MARK" not in f"{setting!r}{setting.shown}"
    with pytest.raises(ServerUnavailable) as caught:
        await Server(setting, str).last("x")
    assert "MARK" not in str(caught.value)
    assert caught.value.__suppress_context__


async def test_a_server_without_tables_says_what_to_do(postgres: str) -> None:
    with pytest.raises(ServerUnavailable, match="callboard audit server --create"):
        await server(postgres).last("x")


async def test_a_log_whose_old_rows_were_removed_before_a_server_was_set(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from registry.journal import audit as module

    monkeypatch.setattr(module, "_MOST", 4)
    monkeypatch.setattr(module, "_AT_ONCE", 2)
    home = Home(tmp_path, "anna", address)
    home.audit._sends = bool
    fill(home.audit, 8)
    assert home.audit.links()[0].sequence > 1
    await push(home.audit, home.server)
    assert await faults(home) == []
    assert all(isinstance(one, Fault) for one in home.audit.verify().faults)


async def test_a_connection_is_closed_where_its_end_is_cancelled(address: str) -> None:
    held = asyncio.get_running_loop().create_future()
    ends = asyncio.Event()

    async def work() -> None:
        async with server(address).opened() as database:

            async def never() -> None:
                ends.set()
                await asyncio.Event().wait()

            database.commit = never  # type: ignore[method-assign]
            held.set_result(database)

    task = asyncio.create_task(work())
    await ends.wait()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert held.result().closed
