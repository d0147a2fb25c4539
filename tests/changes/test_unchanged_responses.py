"""A success whose body shows that nothing happened is no proof: reading decides, and the account says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.journal.audit import Audit
from registry.sandbox.server import application
from tests.changes.world import TOOLS, place
from tests.test_every_tool import examples

COUPON = TOOLS["DeletePaymentsCoupon"]
USER = TOOLS["UpdateCrmUserInfo"]
Change = Callable[[dict[str, Any]], Any]


class Answering:
    """The sandbox, but a change is answered with the object as it was, altered by a function.

    Args:
        altered: makes the response of the object as it was.
        passed: whether the change reaches the service, which then carries it out.
        left: what reading shows of the object after the change, made of the object as it was; None for what the service says.
    """

    def __init__(self, altered: Change, *, passed: bool, left: Change | None = None) -> None:
        self._app: ASGIApp = application(limits=False)
        self._altered, self._passed, self._left = altered, passed, left
        self._was: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith("/sandbox"):
            await self._app(scope, receive, send)
        elif scope["method"] == "GET":
            if self._was is not None and self._left is not None:
                await _answer(send, self._left(dict(self._was)))
            else:
                await self._app(scope, receive, send)
        else:
            self._was = json.loads(await _got(self._app, {**scope, "method": "GET"}))
            if self._passed:
                await _got(self._app, scope, receive)
            await _answer(send, self._altered(dict(self._was)))


async def _got(app: ASGIApp, scope: Scope, receive: Receive | None = None) -> bytes:
    parts = []

    async def nothing() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def keep(message: Message) -> None:
        parts.append(message.get("body", b""))

    await app(scope, receive or nothing, keep)
    return b"".join(parts)


async def _answer(send: Send, value: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": json.dumps(value).encode()})


UNCHANGED: dict[str, Change] = {
    "as it was": lambda was: was,
    "in another order": lambda was: dict(reversed(was.items())),
    "with more": lambda was: was | {"request": "req_1"},
    "not deleted": lambda was: {"id": was["id"], "deleted": False},
}


@pytest.mark.parametrize("how", UNCHANGED)
@pytest.mark.parametrize("passed", [True, False], ids=["carried out", "not carried out"])
async def test_a_deletion_answered_with_the_object_is_looked_up(how: str, passed: bool, tmp_path: Path) -> None:
    audit = Audit(tmp_path / "changes")
    async with place(Answering(UNCHANGED[how], passed=passed), audit=audit) as one:
        outcome = await one.carry_out(COUPON, examples(COUPON))
        assert (outcome.became, outcome.by_reading) == ("done" if passed else "not done", True), outcome.words
        assert one.wire.changes == ["DELETE"]
        assert "HTTP 200" in outcome.words
        assert "lost" not in outcome.words, "a response came"
        told = outcome.result_to_show
        assert told is not None
        assert told.ok == passed
        if passed:
            assert json.loads(told.body)["id"] == "PARTNER15", "what the service returned is still shown"
    assert audit.changes()[0].state == ("done" if passed else "not done")


@pytest.mark.parametrize(
    "mark", [{"deleted": True}, {"archived": True}, {"deleted_at": 1}, {"status": "deleted"}, {"state": "ARCHIVED"}], ids=str
)
async def test_an_object_that_stays_with_a_mark_is_deleted(mark: dict[str, Any]) -> None:
    marked = Answering(lambda was: was, passed=False, left=lambda was: was | mark)
    async with place(marked) as one:
        outcome = await one.carry_out(COUPON, examples(COUPON))
        assert (outcome.became, outcome.by_reading) == ("done", True), outcome.words
    async with place(Answering(lambda was: was | mark, passed=False)) as one:
        outcome = await one.carry_out(COUPON, examples(COUPON))
        assert (outcome.became, outcome.by_reading) == ("done", False), "the response says so itself"


@pytest.mark.parametrize("passed", [True, False], ids=["carried out", "not carried out"])
async def test_an_update_answered_with_the_old_values_is_looked_up(passed: bool) -> None:
    values = examples(USER) | {"first_name": "Somebody else"}
    async with place(Answering(lambda was: was, passed=passed)) as one:
        outcome = await one.carry_out(USER, values)
        assert (outcome.became, outcome.by_reading) == ("done" if passed else "not done", True), outcome.words
        assert one.wire.changes == ["PUT"]


async def test_an_update_that_changes_nothing_is_done() -> None:
    async with place(Answering(lambda was: was, passed=False)) as one:
        was = await one.json("RetrieveCrmUserById", user_identifier=examples(USER)["user_identifier"])
        outcome = await one.carry_out(USER, examples(USER) | {"first_name": was["firstName"]})
        assert (outcome.became, outcome.by_reading) == ("done", False)


async def test_a_note_of_a_deletion_is_proof_enough() -> None:
    for note in ({}, {"id": "PARTNER15"}, {"message": "ok"}, {"id": "PARTNER15", "object": "coupon", "deleted": True}):
        async with place(Answering(lambda _, note=note: note, passed=True)) as one:  # type: ignore[misc]
            outcome = await one.carry_out(COUPON, examples(COUPON))
            assert (outcome.became, outcome.by_reading) == ("done", False), note
