"""A change without a look: every way to write one that was found, each refused before anything is sent."""

import asyncio
from typing import Any

import pytest

from registry.accounts.policy import Consent, NotAllowed
from registry.calling.arguments import ArgumentError
from registry.calling.client import NotChecked
from registry.changes.checked import ChangeCheck
from registry.engine import Presenter, Question
from registry.results.spool import Spool
from tests.changes.world import TOOLS, Place, place
from tests.test_every_tool import examples

DELETE, WRITE = TOOLS["DeletePaymentsCoupon"], TOOLS["CreateCrmUser"]
COUPON, OTHER = {"coupon_id": "PARTNER15"}, {"coupon_id": "FRIENDS10"}
CHANGES = [tool for tool in TOOLS.values() if tool.effect != "read"]
YES = Consent.TYPED


async def refused(one: Place, call: Any, error: type[Exception] = NotChecked) -> None:
    """Refused, and nothing has reached the sandbox because of it, not even a read."""
    before = list(one.wire.seen)
    with pytest.raises(error):
        await call
    assert one.wire.seen == before


@pytest.mark.parametrize("tool", CHANGES, ids=lambda tool: tool.name)
async def test_what_reads_takes_no_change(tool: Any) -> None:
    async with place() as one:
        client = one.engine._client
        await refused(one, client.read(tool, examples(tool), one.connection))
        await refused(one, one.reads(tool).read(tool, examples(tool)))
        with Spool() as spool:
            await refused(one, one.engine.fetch_all(tool, examples(tool), one.connection, spool).run())
        await refused(one, one.engine.reading(lambda _: one.connection)(tool.name, examples(tool), lambda _: None))
        assert one.wire.seen == []


async def test_a_check_is_good_once_and_for_what_was_checked() -> None:
    async with place() as one:
        arguments = one.engine.validate(DELETE, COUPON)
        checking = ChangeCheck(one.reads(DELETE), DELETE, arguments)
        await checking.run()
        # What the caller still holds changes afterwards.
        arguments.values["coupon_id"] = OTHER["coupon_id"]  # type: ignore[index]
        ended = await asyncio.gather(*(one.send(checking) for _ in range(3)), return_exceptions=True)
        assert sorted(type(one).__name__ for one in ended) == ["NotChecked", "NotChecked", "Outcome"]
        await refused(one, one.send(checking))
        assert [path for method, path in one.wire.seen if method == "DELETE"] == ["/payments/v1/coupons/PARTNER15"]


async def test_what_was_not_checked_to_its_end_or_would_fail_is_not_sent() -> None:
    async with place() as one:
        checking = ChangeCheck(one.reads(DELETE), DELETE, one.engine.validate(DELETE, COUPON))
        with pytest.raises(NotChecked):
            checking.stop()
        await refused(one, one.send(checking))
        begun = asyncio.create_task(checking.run())
        await refused(one, one.send(checking))
        await begun
        for tool, raw in ((DELETE, {"coupon_id": "NOBODY"}), (WRITE, {"user_email": "mei.tan@fernway.example"})):
            vain = ChangeCheck(one.reads(tool), tool, one.engine.validate(tool, raw))
            assert (await vain.run()).verdict == "refuse"
            await refused(one, one.send(vain))
        with pytest.raises(ArgumentError):
            ChangeCheck(one.reads(DELETE), DELETE, one.engine.validate(DELETE, {}))
        assert one.wire.changes == []


async def test_the_policy_has_the_last_word() -> None:
    async with place(read_only=True) as one:
        await refused(one, one.send(await one.checked(DELETE, COUPON)), NotAllowed)
        assert one.wire.changes == []
    async with place() as one:
        for tool in CHANGES:
            if tool.effect == "delete":
                await refused(one, one.engine.run(tool, examples(tool), one.connection), NotAllowed)
        assert one.wire.seen == [], "nobody agreed, so nobody looks"


class Answering(Presenter):
    """Answers at once, without a look."""

    def __init__(self, consent: Consent | None) -> None:
        super().__init__()
        self.answer = consent
        self.asked: list[Question] = []

    async def consent(self, question: Question) -> Consent | None:
        self.asked.append(question)
        return self.answer


async def test_a_presenter_that_does_not_look_changes_nothing_unlooked() -> None:
    async with place() as one:
        result = await one.engine.run(DELETE, COUPON, one.connection, presenter=Answering(YES))
        assert (result.ok, result.became) == (True, "done")
        assert ("GET", "/payments/v1/coupons/PARTNER15") in one.wire.seen[
            : one.wire.seen.index(("DELETE", "/payments/v1/coupons/PARTNER15"))
        ]
        one.wire.seen.clear()
        gone = await one.engine.run(DELETE, COUPON, one.connection, presenter=Answering(YES))
        assert (gone.ok, gone.became, gone.status, gone.failure and gone.failure.kind) == (False, "gone", None, "refused")
        declining = Answering(None)
        left = await one.engine.run(DELETE, OTHER, one.connection, presenter=declining)
        assert (left.ok, left.became) == (False, "refused")
        with pytest.raises(NotAllowed):
            await one.engine.run(DELETE, OTHER, one.connection, presenter=Answering(Consent.NONE))
        assert [question.names[0] for question in declining.asked] == ["FRIENDS10"]
        assert one.wire.changes == []
