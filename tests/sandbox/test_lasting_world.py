"""A kept world: its state outlives the program, also one that is killed; files of others stay as they are."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from registry.sandbox.keeping import VERSION, Kept, NotKept, in_file, in_passing, remove
from registry.sandbox.server import application
from tests.sampled import further
from tests.terminal import ROOT

USERS = "/crm/settings/v3/users"
CRM = {"Authorization": "Bearer kept"}
PAYMENTS = {"Authorization": "Bearer sk_test_kept"}


def silent(part: float) -> None:
    """Hears nothing."""


def reopened(path: Path, seed: int | None = None, customers: int | None = None) -> Kept:
    return in_file(path, seed, customers, 1, silent)


class Sandbox:
    """One run of a sandbox that keeps its state in a file."""

    def __init__(self, path: Path) -> None:
        self.kept = reopened(path)
        transport = httpx.ASGITransport(application(kept=self.kept))
        self.client = httpx.AsyncClient(transport=transport, base_url="http://sandbox")

    async def get(self, path: str) -> Any:
        return await self.client.get(path, headers=CRM if path.startswith("/crm") else PAYMENTS)

    async def add(self, email: str) -> str:
        body = {"email": email, "sendWelcomeEmail": False}
        response = await self.client.post(USERS, json=body, headers=CRM)
        assert response.status_code == 201
        return str(response.json()["id"])

    async def delete(self, path: str) -> int:
        headers = CRM if path.startswith("/crm") else PAYMENTS
        return (await self.client.delete(path, headers=headers)).status_code

    def stop(self) -> None:
        self.kept.database.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept.db"


async def customers(sandbox: Sandbox) -> list[str]:
    found = await sandbox.get("/payments/v1/customers/search?query=created>0&limit=100")
    return [one["id"] for one in found.json()["data"]]


async def test_what_was_made_changed_and_deleted_is_there_again(path: Path) -> None:
    first = Sandbox(path)
    ids = await customers(first)
    assert await first.delete(f"/payments/v1/customers/{ids[0]}") == 200
    stayed = (await first.get(f"/payments/v1/customers/{ids[1]}")).json()
    new = await first.add("new@fernway.example")
    gone = await first.add("gone@fernway.example")
    await first.client.put(f"{USERS}/{new}", json={"firstName": "Nia"}, headers=CRM)
    assert await first.delete(f"{USERS}/{gone}") == 204
    first.stop()

    second = Sandbox(path)
    assert await customers(second) == ids[1:]
    assert (await second.get(f"/payments/v1/customers/{ids[0]}")).json() == {
        "id": ids[0], "object": "customer", "deleted": True,
    }  # fmt: skip
    assert (await second.get(f"/payments/v1/customers/{ids[1]}")).json() == stayed
    assert (await second.get(f"{USERS}/{new}")).json()["firstName"] == "Nia"
    assert (await second.get(f"{USERS}/{gone}")).status_code == 404
    assert int(await second.add("third@fernway.example")) > int(gone)
    second.stop()


async def test_datasets_are_written_once_and_only_when_needed(path: Path) -> None:
    first = Sandbox(path)
    coupons = (await first.get("/payments/v1/coupons/SPRING5")).json()
    tables = set(first.kept.database.tables())
    assert "payments/coupon" in tables
    assert "payments/charge" not in tables
    assert await first.delete("/payments/v1/coupons/SPRING5") == 200
    first.stop()
    second = Sandbox(path)
    assert coupons["id"] == "SPRING5"
    assert (await second.get("/payments/v1/coupons/SPRING5")).status_code == 404
    found = await customers(second)
    charges = (await second.get("/payments/v1/charges/search?query=amount>0&limit=100")).json()["data"]
    assert {one["customer"] for one in charges if one["customer"]} <= set(found)
    second.stop()


def test_a_damaged_file(path: Path) -> None:
    reopened(path).database.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"x" * (len(whole) - 100))
    with pytest.raises(NotKept, match=r"cannot be used: .*malformed"):
        reopened(path)


def test_no_room(path: Path) -> None:
    """A full disk is said in words, and leaves nothing behind."""

    def full(part: float) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with pytest.raises(NotKept, match="cannot be used: database or disk is full"):
        in_file(path, None, 200, 1, full)
    assert list(path.parent.iterdir()) == []
    with pytest.raises(NotKept, match="database or disk is full"):
        in_passing(1, 200, full)


def test_the_file_is_ours_alone_and_marked(path: Path) -> None:
    reopened(path / "deeper" / "w.db").database.close()
    file = path / "deeper" / "w.db"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in file.parent.iterdir()] == ["w.db"]
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert database.execute("PRAGMA application_id").fetchone() == (0x43414C4C,)


def strange(kind: str, path: Path) -> None:
    match kind:
        case "text":
            path.write_text("my notes, all of them, for the last twenty years\n" * 9)
        case "empty":
            path.touch()
        case "database":
            with closing(sqlite3.connect(path)) as database, database:
                database.execute("CREATE TABLE mine (x)")
        case "other version":
            reopened(path).database.close()
            with closing(sqlite3.connect(path)) as database:
                database.execute(f"PRAGMA user_version = {VERSION + 1}")


@pytest.mark.parametrize("kind", ["text", "empty", "database", "other version"])
def test_what_is_not_ours_is_not_touched(kind: str, path: Path) -> None:
    strange(kind, path)
    before = path.read_bytes(), path.stat().st_mtime_ns, os.listdir(path.parent)
    with pytest.raises(NotKept, match=str(path)) as refused:
        reopened(path)
    assert "use another" in str(refused.value)
    assert (path.read_bytes(), path.stat().st_mtime_ns, os.listdir(path.parent)) == before
    if kind != "other version":
        with pytest.raises(NotKept):
            remove(path)
        assert path.read_bytes() == before[0]


def test_two_at_once(path: Path) -> None:
    first = reopened(path)
    for use in (reopened, remove):
        with pytest.raises(NotKept, match="another sandbox uses"):
            use(path)
    first.database.close()
    reopened(path).database.close()
    assert remove(path)
    assert not remove(path)
    assert list(path.parent.iterdir()) == []


def test_a_making_that_was_killed_is_begun_again(path: Path) -> None:
    reopened(path).database.close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 0")
    path.write_bytes(path.read_bytes()[:5_000])
    reopened(path).database.close()
    assert [one.name for one in path.parent.iterdir()] == [path.name]


_WRITER = """
import asyncio, sys
from pathlib import Path
from tests.sandbox.test_lasting_world import Sandbox

async def main():
    sandbox = Sandbox(Path(sys.argv[1]))
    for number in range(10**6):
        user = await sandbox.add(f"user{number}@fernway.example")
        print(user, flush=True)
        await sandbox.client.get("/payments/v1/balance", headers={"Authorization": "Bearer sk_test_kept"})

asyncio.run(main())
"""


def killed(path: Path, name: str) -> list[str]:
    """The ids of users that a program which was killed while it added more had told of."""
    command = [sys.executable, "-c", _WRITER.replace("user{", f"{name}{{"), str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = [process.stdout.readline().strip() for _ in range(40)]
        process.kill()
    assert process.returncode == -signal.SIGKILL
    return told


@pytest.mark.parametrize("times", [1, *further(2)])
async def test_killed_in_the_middle_of_writing(path: Path, times: int) -> None:
    acknowledged = [user for name in ("first", "second")[:times] for user in killed(path, name)]
    sandbox = Sandbox(path)
    assert sandbox.kept.database.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert len(set(acknowledged)) == 40 * times
    for user in acknowledged:
        assert (await sandbox.get(f"{USERS}/{user}")).status_code == 200
    sandbox.stop()
