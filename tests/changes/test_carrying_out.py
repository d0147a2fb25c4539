"""A change is one request, also if its response is lost, if two programs make the same change, or if it is interrupted."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from registry.accounts.connection import sandbox
from registry.accounts.policy import Consent, NotAllowed
from registry.catalog.model import Tool
from registry.changes.checked import ChangeCheck
from registry.journal.audit import Audit
from tests.calling.network import ScriptedNetwork
from tests.changes.world import TOOLS, Place, look, place
from tests.hostile import STRINGS
from tests.opened import opened
from tests.sampled import first_of_each
from tests.sandbox.payments_fakes import FAKES, application, dataset, id_of, new
from tests.test_every_tool import examples

DELETIONS = [tool for tool in TOOLS.values() if tool.effect == "delete"]
YES = Consent.TYPED
COUPON = TOOLS["DeletePaymentsCoupon"]


def sort_of(tool: Tool) -> tuple[str, int, bool, bool]:
    """What deletions differ in: the service, how many ids they need, whether a rule forbids some, what becomes of discounts."""
    return tool.toolkit, sum(one.required for one in tool.parameters), bool(tool.rule), "Discount" in tool.name


def service(tool: Any) -> str:
    return "crm" if tool.toolkit == "CrmUsersApi" else "payments"


@pytest.mark.parametrize("tool", first_of_each(DELETIONS, sort_of), ids=lambda tool: tool.name)
async def test_an_answer_is_lost_behind_or_before_the_commit(tool: Any, tmp_path: Path) -> None:
    audit = Audit(tmp_path / "changes")
    async with place(faults=[f"{service(tool)} DELETE drop after"], audit=audit) as one:
        outcome = await one.carry_out(tool, examples(tool))
        assert (outcome.became, outcome.by_reading, one.wire.changes) == ("done", True, ["DELETE"])
        assert "it was deleted" in outcome.words
        assert outcome.result_to_show is not None
        assert outcome.result_to_show.ok
        assert outcome.result_to_show.notes == (outcome.words,)
    entry = audit.changes()[0]
    assert (entry.state, entry.object is not None) == ("done", True)
    assert "A check confirms that it was deleted." in str(entry.failure)
    async with place(faults=[f"{service(tool)} DELETE drop before"]) as one:
        outcome = await one.carry_out(tool, examples(tool))
        assert (outcome.became, outcome.by_reading, one.wire.changes) == ("not done", True, ["DELETE"])
        assert one.waits == [2.0], "what is still there is looked at twice"
        assert "still exists" in outcome.words


async def test_when_looking_fails_as_well_nothing_is_guessed(tmp_path: Path) -> None:
    audit, tool = Audit(tmp_path / "changes"), TOOLS["DeletePaymentsCoupon"]
    async with place(faults=["payments drop after"], audit=audit) as one:
        outcome = await one.carry_out(tool, examples(tool))
        assert (outcome.became, one.wire.changes) == ("unknown", ["DELETE"])
        assert "Check later with GetCouponDetails with coupon_id PARTNER15" in outcome.words
    assert audit.changes()[0].state == "unknown"


async def test_the_first_of_two_discounts() -> None:
    tool = TOOLS["RemoveSubscriptionDiscount"]
    subscription = id_of("subscription", "twice")

    def twice(builder: Any) -> None:
        held = [new(builder, "discount", key, source={"type": "coupon", "coupon": "SPRING10"}) for key in ("one", "two")]
        customer = builder.id("customer", "plain")
        new(builder, "subscription", "twice", customer=customer, status="active", discounts=held)

    service = application(*FAKES, dataset(twice, "subscription", "discount"))

    async def losing(scope: Scope, receive: Receive, send: Send) -> None:
        """Loses the answer to what was carried out."""

        async def nowhere(_: Message) -> None:
            pass

        await service(scope, receive, nowhere if scope["method"] == "DELETE" else send)
        if scope["method"] == "DELETE":
            raise ConnectionError

    async with place(losing) as one:
        seen = await look(one.reads(tool), tool, {"subscription_id": subscription})
        assert seen.body, seen
        outcome = await one.carry_out(tool, {"subscription_id": subscription})
        assert (outcome.became, outcome.by_reading) == ("done", True), "another discount is in its place"
        assert one.wire.changes == ["DELETE"]
        assert (await look(one.reads(tool), tool, {"subscription_id": subscription})).own_id == id_of("discount", "two")


async def test_two_programs_delete_the_same() -> None:
    tool = TOOLS["DeletePaymentsCoupon"]
    async with place() as one:
        looked = [await one.checked(tool, examples(tool)) for _ in range(2)]
        outcomes = await asyncio.gather(*map(one.send, looked))
        assert sorted(outcome.became for outcome in outcomes) == ["done", "gone"]
        assert one.wire.changes == ["DELETE", "DELETE"]


async def test_stopping_drops_the_request_and_finds_out() -> None:
    tool, stop = TOOLS["DeletePaymentsCoupon"], asyncio.Event()
    async with place(faults=["payments DELETE latency 10m"]) as one:
        task = asyncio.create_task(one.carry_out(tool, examples(tool), stop=stop))
        await one.wire.changed.wait()
        stop.set()
        outcome = await task
        assert (outcome.became, outcome.by_reading) == ("not done", True)
        assert outcome.result_to_show is not None
        assert outcome.result_to_show.failure is not None
        assert outcome.result_to_show.failure.title == "Stopped"
        assert one.wire.changes == ["DELETE"]


async def test_nothing_is_read_or_sent_that_the_policy_does_not_let_through() -> None:
    tool = TOOLS["DeletePaymentsCoupon"]
    async with place(read_only=True) as one:
        with pytest.raises(NotAllowed):
            await one.engine.run(tool, examples(tool), one.connection, consent=YES)
        with pytest.raises(NotAllowed):
            await one.engine.delete_many(tool, [examples(tool)], one.connection, YES)
        assert one.wire.seen == []


async def test_a_failed_look_stands_in_nobodys_way() -> None:
    tool = TOOLS["DeletePaymentsCustomer"]
    async with place(faults=["payments:/v1/customers/*/sources GET 500"]) as one:
        seen = await look(one.reads(tool), tool, examples(tool))
        assert seen.verdict == "unknown"
        assert any("Could not count cards and bank accounts" in words for words in seen.unlearned)
    async with place(faults=["payments GET latency 10m"]) as one:
        seen = await look(one.reads(tool), tool, examples(tool), patience=0.2)
        assert (seen.verdict, seen.complete) == ("unknown", True)
        assert "timed out" in seen.unlearned[0]


async def test_hostile_ids_stay_ids() -> None:
    tool = TOOLS["DeletePaymentsProduct"]
    async with place(application()) as one:
        for text in [*STRINGS[:20], '" OR created>0 OR product:"x', "..", "a/b"]:
            seen = await look(one.reads(tool), tool, {"product_id_to_delete": text[:200]})
            assert seen.verdict in ("refuse", "unknown")


async def test_many_stops_at_the_first_surprise() -> None:
    tool = TOOLS["DeletePaymentsPlan"]
    ids = [id_of("price", f"desk-{number}") for number in range(3)]
    items = [{"plan_id": one} for one in (ids[0], "price_nobody", ids[1])]
    async with place(application()) as one:
        told: list[int] = []
        delete = partial(one.engine.delete_many, tool, connection=one.connection, consent=YES)
        account = await delete(items, progress=lambda so_far: told.append(sum(bool(item.outcome) for item in so_far)))
        assert [item.outcome and item.outcome.became for item in account] == ["done", "gone", None]
        assert (told, one.wire.changes) == ([1, 2], ["DELETE"]), "what is not there is not sent"
        account = await delete([*items, {"plan_id": ids[2]}], on_surprise="go on")
        assert [item.outcome and item.outcome.became for item in account] == ["gone", "gone", "done", "done"]
        assert one.wire.changes == ["DELETE"] * 3
    stop = asyncio.Event()
    async with place(application()) as one:
        account = await one.engine.delete_many(tool, items, one.connection, YES, progress=lambda _: stop.set(), stop=stop)
        assert [item.outcome and item.outcome.became for item in account] == ["done", None, None]


async def start(one: Place, *faults: str) -> None:
    """Make the sandbox fail from now on."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=one.wire), base_url="http://sandbox") as control:
        for text in faults:
            assert (await control.post("/sandbox/faults", json={"fault": text})).status_code == 201


@pytest.mark.parametrize("fault", ["large 1MB", "html 200", "nan"])
async def test_what_is_not_the_object_proves_no_deletion(fault: str) -> None:
    """The object is still there, and reads show something else instead of it."""
    async with place() as one:
        checked = await one.checked(COUPON, examples(COUPON))
        await start(one, "payments DELETE drop before", f"payments GET {fault}")
        outcome = await one.send(checked)
        assert outcome.became == "unknown", outcome.words
        assert "The response was lost, and checking failed too (" in outcome.words
        if fault == "large 1MB":
            assert "a list instead of the object" in outcome.words
            seen = await look(one.reads(COUPON), COUPON, examples(COUPON))
            assert seen.unlearned[0] == "Could not load it: the service returned a list instead of the object"


@pytest.mark.parametrize(
    "mark", [{"deleted": True}, {"archived": True}, {"deleted_at": 1}, {"status": "deleted"}, {"state": "ARCHIVED"}], ids=str
)
async def test_an_object_that_stays_with_a_mark_is_deleted(mark: dict[str, Any]) -> None:
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response | Exception:
        if request.method == "GET":
            return httpx.Response(200, json={"id": "PARTNER15", "object": "coupon"} | (mark if sent else {}))
        sent.append(request)
        return httpx.ReadTimeout("late", request=request)

    async with opened(ScriptedNetwork(answer)) as engine:
        result = await engine.run(COUPON, examples(COUPON), sandbox(), consent=YES)
        assert (result.became, len(sent)) == ("done", 1)


async def test_what_is_stopped_while_its_object_is_read_is_not_sent() -> None:
    asked, stop = asyncio.Event(), asyncio.Event()

    async def silent(scope: Scope, receive: Receive, send: Send) -> None:
        asked.set()
        await asyncio.Event().wait()

    async with place(silent) as one:
        checking = ChangeCheck(one.reads(COUPON), COUPON, one.engine.validate(COUPON, examples(COUPON)))
        check = asyncio.create_task(checking.run())
        await asked.wait()
        checking.stop()
        check.cancel()
        asked.clear()
        change = asyncio.create_task(one.send(checking, stop=stop))
        await asked.wait()
        stop.set()
        outcome = await change
        assert (outcome.became, one.wire.changes) == ("not done", [])
        assert outcome.words == "Nothing was sent: it was stopped while the object was read."
        assert outcome.result_to_show is not None
        assert not outcome.result_to_show.ok
