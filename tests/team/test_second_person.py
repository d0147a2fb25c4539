"""A deletion of live data under the rule ``approve``: never sent without another person's approval of exactly it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace

from registry.accounts.account import account_of
from registry.accounts.connection import connections
from registry.accounts.consent import Consent, NotAllowed
from registry.accounts.policy import Policy
from registry.calling.result import Result
from registry.calling.sending import Progress
from registry.catalog.model import Tool
from registry.changes.check_result import check
from registry.changes.checked import ChangeCheck
from registry.doors.cli import main
from registry.doors.cli_elicit import AtTerminal
from registry.engine import Question, Unattended, Waiting
from registry.engine.second_person import digest_of
from registry.team.approvals import ApprovalRefused, Approvals
from registry.team.schema import CONSENT
from tests.changes.world import TOOLS as ALL
from tests.changes.world import Place, place
from tests.team.conftest import as_role, server
from tests.team.test_copies import NOWHERE
from tui.explorer.confirmed_change import ConfirmedChange

DELETE = ALL["DeletePaymentsCoupon"]
MEI = "41759806"
COUPON, OTHER = {"coupon_id": "PARTNER15"}, {"coupon_id": "FRIENDS10"}


class Asking(Unattended):
    """Tells which request waits; with `back` the user does not want to wait."""

    def __init__(self, *, back: bool = False) -> None:
        super().__init__()
        self.asked: asyncio.Queue[Waiting] = asyncio.Queue()
        self._back = back

    async def wait(self, waiting: Waiting) -> None:
        self.asked.put_nowait(waiting)
        if not self._back:
            await super().wait(waiting)


@asynccontextmanager
async def anna(address: str, folder: Path) -> AsyncIterator[Place]:
    """Her engine on live data of a sandbox, where an account has the rule; all requests are counted."""
    environment = {"CALLBOARD_TEAM_AUDIT": address and as_role(address, "anna"), "CALLBOARD_TEAM_PERSON": "anna"}
    async with place(mode="live", environment=environment, state=folder) as one:
        one.connection = replace(one.connection, rule="approve")
        one.engine.policy.open_writing(one.connection, DELETE.toolkit)
        one.engine.second_person._sleep = lambda _: asyncio.sleep(0.01)
        yield one


def ben(address: str, person: str = "ben", chain: str = "bens-log", role: str = "ben") -> Approvals:
    return Approvals(server(as_role(address, role), person), chain)


def asking(
    one: Place, presenter: Asking, raw: dict[str, Any] = COUPON, *, tool: Tool = DELETE, **more: Any
) -> asyncio.Task[Result]:
    run = one.engine.run(tool, raw, one.connection, consent=Consent.TYPED, presenter=presenter, **more)
    return asyncio.create_task(run)


async def request_of(presenter: Asking, call: asyncio.Task[Result]) -> str:
    got = asyncio.create_task(presenter.asked.get())
    await asyncio.wait({got, call}, return_when=asyncio.FIRST_COMPLETED, timeout=20)
    assert got.done(), call.result()
    return got.result().id


async def test_it_is_sent_once_another_person_has_approved_it(address: str, tmp_path: Path) -> None:
    async with anna(address, tmp_path) as one:
        presenter = Asking()
        call = asking(one, presenter)
        request = await request_of(presenter, call)
        assert one.wire.changes == []
        (waiting,) = await ben(address).waiting()
        assert (waiting.id, waiting.person, waiting.login, waiting.state) == (request, "anna", "anna", "waiting")
        assert waiting.change["subject"] == "PARTNER15"
        assert any("Partner discount" in line for line in waiting.change["found"])
        await ben(address).answer(request, approved=True)
        result = await call
        assert (result.ok, one.wire.changes) == (True, ["DELETE"])
        assert (await ben(address).find(request)).state == "used"
        # The approval is used up: the same call again waits for another one.
        call = asking(one, presenter, OTHER)
        other = await request_of(presenter, call)
        assert other != request
        await ben(address).answer(other, approved=False)
        result = await call
        assert result.failure is not None
        assert result.failure.cause == "ben has refused it."
        assert one.wire.changes == ["DELETE"]
        assert await ben(address).waiting() == []


@pytest.mark.parametrize(
    ("person", "chain", "role"),
    [("anna", "annas-log", "anna"), ("Ben", "x", "anna"), (" ANNA ", "x", "ben"), ("anna", "x", "ben")],
)
async def test_nobody_approves_their_own(address: str, tmp_path: Path, person: str, chain: str, role: str) -> None:
    async with anna(address, tmp_path) as one:
        presenter = Asking()
        call = asking(one, presenter)
        request = await request_of(presenter, call)
        with pytest.raises(ApprovalRefused, match="another person"):
            await ben(address, person, chain, role).answer(request, approved=True)
        with pytest.raises(ApprovalRefused, match="another person"):
            await ben(address, "ben", one.engine.audit.chain(), "ben").answer(request, approved=True)
        await ben(address, person, chain, role).answer(request, approved=False)  # whoever asks may take it back
        assert (await call).became == "refused"
        with pytest.raises(ApprovalRefused, match="already"):
            await ben(address).answer(request, approved=True)
        assert one.wire.changes == []


async def test_an_object_that_changed_meanwhile_is_not_deleted(address: str, tmp_path: Path) -> None:
    async with anna(address, tmp_path) as one:
        presenter, update = Asking(), ALL["UpdateCrmUserInfo"]
        one.engine.policy.open_writing(one.connection, update.toolkit)
        call = asking(one, presenter, {"user_identifier": MEI}, tool=ALL["RemoveCrmUser"])
        request = await request_of(presenter, call)
        changed = {"user_identifier": MEI, "first_name": "Maya"}
        assert (await one.engine.run(update, changed, one.connection, consent=Consent.CONFIRMED)).ok
        before = list(one.wire.changes)
        await ben(address).answer(request, approved=True)
        result = await call
        assert result.failure is not None
        assert "it or its object may have changed" in result.failure.cause
        assert one.wire.changes == before
        assert (await ben(address).find(request)).state == "approved", "and it is not used up by another call"


async def test_an_approval_is_for_one_call_and_one_time(address: str, tmp_path: Path) -> None:
    async with anna(address, tmp_path) as one:
        second = one.engine.second_person
        approvals = one.engine.approvals()
        proof = await one.checked(DELETE, OTHER)
        presenter = Asking()
        call = asking(one, presenter)
        request = await request_of(presenter, call)
        call.cancel()
        await asyncio.wait({call})
        assert (await ben(address).find(request)).state == "withdrawn"
        # Whatever this program believes, the server knows what was approved.
        for forged in (request, "nothing"):
            checking_digest = digest_of(await planned(one, OTHER))
            second._approved[checking_digest] = forged
            with pytest.raises(NotAllowed, match="could not be used"):
                await one.engine._client.change(proof, Consent.TYPED)
            proof = await one.checked(DELETE, OTHER)
        asked = await approvals.ask("of another call", {})
        await ben(address).answer(asked, approved=True)
        second._approved[digest_of(await planned(one, OTHER))] = asked
        with pytest.raises(NotAllowed, match="has changed since"):
            await one.engine._client.change(proof, Consent.TYPED)
        await approvals.end(asked, "of another call", used=True)
        with pytest.raises(ApprovalRefused, match="already"):
            await approvals.end(asked, "of another call", used=True)
        assert one.wire.changes == []


async def planned(one: Place, raw: dict[str, Any]) -> Any:
    checking = ChangeCheck(one.reads(DELETE), DELETE, one.engine.validate(DELETE, raw))
    await checking.run()
    return checking.planned


async def test_there_is_no_way_around(address: str, tmp_path: Path) -> None:
    async with anna(address, tmp_path) as one:
        client = one.engine._client
        with pytest.raises(NotAllowed, match="second person"):
            await client.change(await one.checked(DELETE, COUPON), Consent.TYPED)
        with pytest.raises(NotAllowed, match="second person"):
            await one.carry_out(DELETE, COUPON)
        several = await one.engine.delete_many(DELETE, [COUPON, OTHER], one.connection, Consent.TYPED, on_surprise="go on")
        assert [each.outcome and each.outcome.became for each in several] == ["refused", "refused"]
        with pytest.raises(NotAllowed, match="second person"):
            await one.unchecked(DELETE, COUPON)
        assert one.wire.changes == []


@pytest.mark.parametrize("at", ["", NOWHERE])
async def test_without_the_server_nothing_is_sent(tmp_path: Path, at: str) -> None:
    async with anna("", tmp_path) as one:
        one.engine.settings.environment["CALLBOARD_TEAM_AUDIT"] = at  # type: ignore[index]
        result = await asking(one, Asking())
        assert result.failure is not None
        assert "second person" in result.failure.cause
        assert "MARKED" not in result.failure.cause
        assert one.wire.changes == []


@pytest.mark.parametrize("way", ["back", "stop"])
async def test_whoever_waits_can_take_it_back(address: str, tmp_path: Path, way: str) -> None:
    async with anna(address, tmp_path) as one:
        presenter, stop = Asking(back=way == "back"), asyncio.Event()
        call = asking(one, presenter, stop=stop)
        request = await request_of(presenter, call)
        if way == "stop":
            stop.set()
        result = await call
        assert result.failure is not None
        assert "withdrawn" in result.failure.cause
        assert (await ben(address).find(request)).state == "withdrawn"
        with pytest.raises(ApprovalRefused, match="already"):
            await ben(address).answer(request, approved=True)
        assert one.wire.changes == []


async def test_the_check_after_the_approval_can_be_stopped(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.changes.checked.check", partial(check, patience=3600))  # it does not end by itself
    async with anna(address, tmp_path) as one:
        presenter, stop, read = Asking(), asyncio.Event(), asyncio.Event()
        call = asking(one, presenter, stop=stop)
        request = await request_of(presenter, call)

        async def silent(*_: object) -> None:
            read.set()
            await asyncio.Event().wait()

        one.wire._app = silent
        await ben(address).answer(request, approved=True)
        await asyncio.wait_for(read.wait(), 20)
        stop.set()
        result = await asyncio.wait_for(call, 20)
        assert (result.became, one.wire.changes) == ("not done", [])
        assert result.failure is not None
        assert "stopped while the object was read" in result.failure.cause


async def test_a_request_expires(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("registry.team.approvals.LASTS", 1)  # second, of the server's own clock
    mine = ben(address, "anna", "annas-log", "anna")
    asked, approved = await mine.ask("d", {}), await mine.ask("d", {})
    await ben(address).answer(approved, approved=True)
    async with asyncio.timeout(20):
        while (await mine.find(approved)).state != "expired":
            pass
    assert (await mine.find(asked)).state == "expired"
    assert await mine.waiting() == []
    with pytest.raises(ApprovalRefused, match="expired"):
        await ben(address).answer(asked, approved=True)
    with pytest.raises(ApprovalRefused, match="expired"):
        await mine.end(approved, "d", used=True)


async def test_what_waits_is_listed_whatever_others_have_put_down(address: str) -> None:
    """Requests that are over take no place in the list, and one that says odd things ends no program."""
    mine = ben(address, "anna", "annas-log", "anna")
    names = "(request, step, event, person, machine, chain, digest, lasts, content)"
    with psycopg.connect(as_role(address, "anna")) as database:
        for step, event in (("asked", "asked"), ("ended", "withdrawn")):
            database.execute(
                f"INSERT INTO {CONSENT} {names} SELECT 'o' || n, '{step}', '{event}', 'anna', 'x', 'annas-log', '', 900, '{{}}'"
                " FROM generate_series(1, 501) AS n".encode()
            )
        for number, content in enumerate(("[" * 50_000, '{"found": 5}', "5")):
            row = (f"odd{number}", "asked", "asked", "anna", "x", "annas-log", "", 900, content)
            database.execute(f"INSERT INTO {CONSENT} {names} VALUES ({', '.join(['%s'] * len(row))})".encode(), row)
    last = await mine.ask("d", {"found": ["name: Ada"]})
    waiting = await ben(address).waiting()
    assert {one.id: one.change.get("found", []) for one in waiting} == {"odd0": [], "odd1": [], "odd2": [], last: ["name: Ada"]}


async def test_rows_of_consent_are_neither_changed_nor_removed(address: str) -> None:
    mine = ben(address, "anna", "annas-log", "anna")
    asked = await mine.ask("d", {})
    with pytest.raises(ApprovalRefused, match="somebody else"):
        await ben(address).end(asked, "d", used=False)
    with pytest.raises(ApprovalRefused, match="nobody has approved"):
        await mine.end(asked, "d", used=True)
    for statement in (f"UPDATE {CONSENT} SET person = 'x'", f"DELETE FROM {CONSENT}"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), psycopg.connect(as_role(address, "anna")) as database:
            database.execute(statement.encode())
        with pytest.raises(psycopg.errors.RaiseException), psycopg.connect(address) as database:
            database.execute(statement.encode())


async def test_whoever_waits_in_the_explorer_is_told_and_can_stop(address: str, tmp_path: Path) -> None:
    async def agree(_: Question) -> Consent:
        return Consent.TYPED

    async with anna(address, tmp_path) as one:
        session: Any = SimpleNamespace(engine=one.engine, deleted_ids=SimpleNamespace(note=lambda *_: None))
        for stopped in (True, False):
            told, progress = asyncio.Queue[str](), list[Progress]()
            change = ConfirmedChange(session, DELETE, dict(COUPON), one.connection, agree, told.put_nowait)
            assert await change.agreed()
            call = asyncio.create_task(change.run(progress.append))
            words = await asyncio.wait_for(told.get(), 20)
            (waiting,) = await ben(address).waiting()
            assert f"callboard audit approve {waiting.id}, or in their explorer." in words
            await asyncio.sleep(0)
            assert progress[-1].words == f"waits for a second person ({waiting.id})"
            if stopped:
                change.stop()
            else:
                await ben(address).answer(waiting.id, approved=True)
            assert (await call).ok is not stopped
        assert one.wire.changes == ["DELETE"]


def test_the_commands_of_a_second_person(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*words: str) -> tuple[int, str, str]:
        try:
            code = main(list(words))
        except SystemExit as ended:
            code = int(str(ended.code))
        return code, *capsys.readouterr()

    mine = ben(address, "anna", "annas-log", "anna")
    told = {"summary": "Delete a coupon", "subject": "X\x1b[2J", "account": "US", "mode": "live", "found": ["name: Ada"]}
    first, second = (asyncio.run(mine.ask("d", told | {"request": "DELETE https://h/c"})) for _ in range(2))
    monkeypatch.setenv("CALLBOARD_TEAM_AUDIT", as_role(address, "anna"))
    monkeypatch.setenv("CALLBOARD_TEAM_PERSON", "Anna")
    code, _, err = run("audit", "approve", first)
    assert (code, "another person has to approve it" in err) == (1, True)
    monkeypatch.setenv("CALLBOARD_TEAM_AUDIT", as_role(address, "ben"))
    monkeypatch.setenv("CALLBOARD_TEAM_PERSON", "Ben")
    code, out, _ = run("audit", "requests")
    assert (code, first in out, second in out, "\x1b" in out) == (0, True, True, False)
    assert json.loads(run("audit", "requests", "--json")[1].splitlines()[0])["change"]["account"] == "US"
    assert run("--read-only", "audit", "approve", first)[0] == 2
    code, out, err = run("audit", "approve", first)
    assert (code, out, "name: Ada" in err) == (0, f"Approved, once: {first}\n", True)
    assert run("audit", "refuse", first)[0] == 1
    assert run("audit", "refuse", second)[:2] == (0, f"Refused: {second}\n")
    assert "there is no request 'nothing'" in run("audit", "approve", "nothing")[2]
    assert "Nothing waits" in run("audit", "requests")[2]
    monkeypatch.setenv("CALLBOARD_TEAM_AUDIT", NOWHERE)
    assert run("audit", "requests")[0] == 3


async def test_the_command_line_says_that_it_waits(address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with anna(address, tmp_path) as one:
        task = one.engine.run(DELETE, COUPON, one.connection, consent=Consent.TYPED, presenter=AtTerminal())
        call = asyncio.create_task(task)
        async with asyncio.timeout(20):
            while not (waiting := await ben(address).waiting()):
                pass
        await ben(address).answer(waiting[0].id, approved=True)
        assert (await call).ok
    assert f"second person: callboard audit approve {waiting[0].id}. Ctrl+C withdraws it." in capsys.readouterr().err


def test_an_account_has_the_rule(tmp_path: Path) -> None:
    """And only deletions of live data need a second person."""
    policy, live = Policy(), connections({"PAYMENTS_API_KEY": "sk_live_1"})["payments"]
    policy.open_writing(live, DELETE.toolkit)
    assert policy.decide(DELETE, replace(live, rule="approve")).approval
    assert not policy.decide(DELETE, live).approval
    test = replace(connections({"PAYMENTS_API_KEY": "sk_test_1"})["payments"], rule="approve")
    assert not policy.decide(DELETE, test).approval
    assert account_of("x", {"service": "payments", "secret": "env:X", "rule": "approve"}).rule == "approve"
