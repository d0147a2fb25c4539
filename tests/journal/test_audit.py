"""The account of changes."""

import asyncio
import json
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from registry.accounts.policy import Consent, NotAllowed
from registry.calling.result import Result
from registry.engine import Settings, open_engine
from registry.files.toml_text import gone_settings
from registry.journal.audit import Audit
from registry.journal.entries import SearchQuery
from registry.journal.history import History
from registry.journal.store import AUDIT_VARIABLE as VARIABLE
from tests.calling.network import LIVE, TOOLS, ScriptedNetwork
from tests.opened import open_writing, opened, unchecked

DELETE, CREATE = TOOLS["DeletePaymentsCustomer"], TOOLS["CreateCrmUser"]


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return Audit(tmp_path / "state" / "changes.db")


async def delete(audit: Audit, network: ScriptedNetwork, before: bytes = b"") -> Result:
    async with opened(network, audit=audit) as engine:
        open_writing(engine, LIVE["payments"])
        return await unchecked(engine, DELETE, {"customer_id": "cus_1"}, LIVE["payments"], before=before)


async def test_it_is_put_down_before_it_is_sent_and_completed_afterwards(audit: Audit, tmp_path: Path) -> None:
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(audit.changes()[0])
        return httpx.Response(200, json={"id": "cus_1", "deleted": True}, headers={"Request-Id": "req_7"})

    await delete(audit, ScriptedNetwork(answer), b'{"id":"cus_1","name":"Ada","client_secret":"pi_1_secret_MARKED"}')
    assert (seen[0].state, seen[0].ended, seen[0].tool) == ("sent", None, "DeletePaymentsCustomer")
    change = audit.changes()[0]
    assert (change.state, change.status, change.request_id, change.mode) == ("done", 200, "req_7", "live")
    assert change.arguments == {"customer_id": "cus_1"}
    assert change.object["name"] == "Ada"
    assert change.answer == {"id": "cus_1", "deleted": True}
    assert change.ended is not None
    assert change.ended >= change.at
    file = tmp_path / "state" / "changes.db"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"MARKED" not in b"".join(one.read_bytes() for one in file.parent.iterdir())
    assert "MARKED" not in change.as_line()


async def test_a_refusal_and_an_answer_that_never_came(audit: Audit, tmp_path: Path) -> None:
    await delete(audit, ScriptedNetwork(lambda request: httpx.Response(404, json={"error": {"message": "No such customer"}})))

    def broken(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("late", request=request)

    await delete(audit, ScriptedNetwork(broken))
    assert [change.state for change in audit.changes()] == ["unknown", "refused"]
    assert all(change.failure for change in audit.changes())
    with closing(sqlite3.connect(tmp_path / "state" / "changes.db")) as database, database:
        database.execute("CREATE TABLE chain (id INTEGER)")
        database.execute("PRAGMA user_version = 4")
    assert len(audit.changes()) == 2, "the former version's file is read, whatever else is in it"


async def test_what_is_cut_off_is_unknown(audit: Audit, tmp_path: Path) -> None:
    reached, history = asyncio.Event(), History(tmp_path / "journal.db")

    async def never(_: httpx.Request) -> httpx.Response:
        reached.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with opened(ScriptedNetwork(never), audit=audit, history=history) as engine:
        open_writing(engine, LIVE["payments"])
        call = asyncio.create_task(unchecked(engine, DELETE, {"customer_id": "cus_1"}, LIVE["payments"]))
        await reached.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert [change.state for change in audit.changes()] == ["unknown"]
    assert [entry.outcome for entry in history.search(SearchQuery())] == ["cancelled"]


async def test_what_is_not_sent_is_not_put_down(audit: Audit) -> None:
    engine = opened(ScriptedNetwork(lambda request: httpx.Response(200)), audit=audit)
    with pytest.raises(NotAllowed):
        await engine.run(DELETE, {"customer_id": "cus_1"}, LIVE["payments"], consent=Consent.TYPED)
    assert audit.changes() == []


async def test_a_disk_that_fails_breaks_no_call(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    audit = Audit(tmp_path / "state" / "changes.db")
    result = await delete(audit, ScriptedNetwork(lambda request: httpx.Response(200, json={"deleted": True})))
    assert result.ok
    assert "no longer recorded" in audit.notice


@pytest.mark.parametrize("depth", [60, 70, 3_000, 200_000])
async def test_an_object_may_be_as_deep_or_as_large_as_it_likes(audit: Audit, depth: int) -> None:
    deep = '{"id":"cus_1","x":' + "[" * depth + "1.10" + "]" * depth + "}"
    await delete(audit, ScriptedNetwork(lambda _: httpx.Response(200, content=deep)), deep.encode())
    line = json.loads(audit.changes()[0].as_line())
    if depth > 64:
        assert line["object"].keys() == line["answer"].keys() == {"left_out"}
    else:
        assert line["object"]["id"] == line["answer"]["id"] == "cus_1"


def environment(tmp_path: Path, settings: str) -> dict[str, str]:
    file = tmp_path / "callboard" / "config.toml"
    file.parent.mkdir()
    file.write_text(settings)
    return {"XDG_CONFIG_HOME": str(tmp_path), "CALLBOARD_CONFIG": str(file)}


@pytest.mark.parametrize("where", ["settings", "variable", "a folder"])
async def test_each_change_is_a_line(tmp_path: Path, where: str) -> None:
    told, file = list[str](), tmp_path / "audit.ndjson" if where != "a folder" else tmp_path
    if file != tmp_path:
        file.write_text("a line of before\n")
    variables = environment(tmp_path, f'[audit]\nfile = "{file}"\n' if where == "settings" else "")
    variables |= {VARIABLE: str(file)} if where != "settings" else {}
    async with open_engine(Settings(variables, state=tmp_path / "state", tell=told.append)) as engine:
        for name in ("Ada", "Lin"):
            assert (await engine.run(CREATE, {"user_email": f"{name}@shop.example"}, consent=Consent.CONFIRMED)).ok
        kept = engine.audit.changes()
    if file == tmp_path:
        assert [words.partition(":")[0] for words in told] == ["The audit file cannot be written"], "once, and it stops nothing"
        return
    first, *lines = file.read_text().splitlines()
    assert first == "a line of before"
    assert [json.loads(line) for line in lines] == [json.loads(one.as_line()) for one in reversed(kept)]
    assert [json.loads(line)["arguments"]["user_email"] for line in lines] == ["Ada@shop.example", "Lin@shop.example"]


def test_settings_that_are_gone_are_told_once(tmp_path: Path) -> None:
    variables = environment(
        tmp_path,
        '[team]\naudit = "postgresql://h/d"\n[accounts.live]\nservice = "payments"\nsecret = "env:A"\nrule = "approve"\n',
    )
    told = gone_settings(variables, tmp_path / "state")
    assert [words.partition(": ")[2].partition(":")[0] for words in told] == ["[team] audit", '[accounts."live"] rule']
    assert gone_settings(variables, tmp_path / "state") == []
