"""Saved calls are recorded from the history and run through the engine; changes are checked, agreed to, and made once."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from registry.accounts.policy import Consent
from registry.accounts.secrets import MASK
from registry.engine import Presenter
from registry.journal.entries import parse_search
from registry.journal.history import History
from registry.saved.making import PastCall, calls_of, inputs_from, recorded
from registry.saved.running import SavedRun, as_json, as_record, as_table, half_done, summary
from registry.saved.saved_call import Input, SavedCall, SavedCallError, Step
from registry.saved.store import file_text, read_file
from tests.changes.world import CATALOG, TOOLS, Place, place

ADA = "cus_4R5QLgZDZXPlou"

COUPON = SavedCall(
    "Delete a coupon",
    "",
    (Input("coupon"),),
    (
        Step("coupon", "GetCouponDetails", {"coupon_id": "{coupon}"}),
        Step("delete_coupon", "DeletePaymentsCoupon", {"coupon_id": "{@coupon.id}"}),
    ),
    {"name": "{@coupon.name}", "deleted": "{@delete_coupon.deleted}"},
)
CODES = ["PARTNER15", "FRIENDS10"]


def run_of(one: Place, call: SavedCall, rows: list[dict[str, object]], **options: Any) -> SavedRun:
    return SavedRun(one.engine, call, rows, lambda _: one.connection, **options)


async def test_what_was_done_is_recorded_and_runs_for_others(tmp_path: Path) -> None:
    history = History(tmp_path / "history.db")
    async with place(history=history) as one:
        found = await one.json("SearchPaymentsCustomers", search_query_string='email:"accounts@ada-romero.example"')
        await one.json("RetrieveCustomerDetails", customer_id=found["data"][0]["id"])
        charges = await one.json("PaymentsSearchCharges", search_query_string=f'customer:"{ADA}"', result_limit=3)
        await one.json("RetrievePaymentsChargeDetails", charge_id=charges["data"][1]["id"])
        await one.json("RetrieveCustomerDetails", customer_id="cus_missing0001")
        await asyncio.to_thread(history.flush)
        calls, left_out = calls_of(history.search(parse_search("", 0.0), 5), history, TOOLS)
        call, notes = recorded("Second charge", calls)
        assert [dict(step.arguments) for step in call.steps] == [
            {"search_query_string": 'email:"{email}"'},
            {"customer_id": "{@customers.data[0].id}"},
            {"search_query_string": 'customer:"{@customer.id}"', "result_limit": 3},
            {"charge_id": "{@charges.data[1].id}"},
        ]
        assert [(given.name, given.example, given.default) for given in call.inputs] == [
            ("email", "accounts@ada-romero.example", None)
        ]
        assert notes == ["{@charges.data[1].id} always takes item 2 of its list. Change it if that is not what you mean."]
        assert len(left_out) == 1
        assert "RetrieveCustomerDetails) was left out: it failed" in left_out[0]
        assert read_file(file_text(call).encode(), CATALOG) == call, "a file gives what was written"

        told = list[str]()
        run = run_of(
            one,
            call,
            [{"email": "accounts@ada-romero.example"}, {"email": 'nobody@example.com" OR email:"accounts@ada-romero.example'}],
            observer=lambda row: told.append(row.state) if row.number == 1 else None,
        )
        assert run.ahead == []
        first, second = await run.run()
        assert (first.state, first.outputs["id"]) == ("done", charges["data"][1]["id"])
        assert (second.state, second.steps[-1].id) == ("failed", "customer"), "a value cannot end its quotes in a query"
        assert "needs {@customers.data[0].id}, but the response of customers has no data[0].id" in second.words
        assert told[0] == "running"
        assert told[-1] == "done"
        table = as_table(call, run.rows)
        assert table[0] == ["row", "state", "email", "id", "status", ""]
        assert table[1][:2] == ["  1", "✓ done"]
        assert summary(run.rows) == "1 of 2 rows done · 1 failed"
        assert as_json(call, second)["not_run"] == ["charges", "charge"]
        assert as_record(call, first).keys() == as_record(call, second).keys()
        assert run.left == 1


def test_what_is_recorded_holds_no_secret_and_braces_become_inputs() -> None:
    intent = next(one for one in TOOLS.values() if one.with_role("secret") is not None)
    secret = intent.with_role("secret")
    assert secret is not None
    id_ = intent.parameters[0].name
    found, _ = recorded("x", [PastCall(intent, {id_: "pi_3ABCDEFGHIJKLM00", secret.name: MASK})])
    assert next(one for one in found.inputs if one.name == secret.name).secret
    assert MASK not in file_text(found)
    search = PastCall(TOOLS["SearchPaymentsCustomers"], {"search_query_string": 'name:"{odd}"'})
    odd, _ = recorded("y", [search, search])
    assert len(odd.steps) == 1, "the same call twice in a row counts once"
    assert odd.inputs[0].default == 'name:"{odd}"'
    with pytest.raises(SavedCallError, match="There is no call to record"):
        recorded("z", [])


async def test_a_deletion_needs_consent_is_checked_and_is_made_once() -> None:
    async with place() as one:
        rows: list[dict[str, object]] = [{"coupon": code} for code in (CODES[0], "gone-long-ago", CODES[1])]
        run = run_of(one, COUPON, rows)
        assert [(ahead.step.id, ahead.decision.kind) for ahead in run.ahead] == [("delete_coupon", "confirm")]
        await run.run()
        assert [row.state for row in run.rows] == ["refused", "waiting", "waiting"]
        assert "Nothing was sent" in run.rows[0].words
        assert one.wire.changes == []

        run = run_of(one, COUPON, rows, consent=Consent.CONFIRMED)
        await run.run()
        assert [row.state for row in run.rows] == ["done", "failed", "waiting"], "it stops at the first surprise"
        assert run.rows[0].outputs == {"name": run.rows[0].outputs["name"], "deleted": "yes"}
        assert one.wire.changes == ["DELETE"]
        await run.run()
        assert one.wire.changes == ["DELETE"], "what was done is not done again"
        run = run_of(one, COUPON, rows[1:], consent=Consent.CONFIRMED, on_surprise="go on", first=2)
        await run.run()
        assert [(row.number, row.state) for row in run.rows] == [(2, "failed"), (3, "done")]
        assert one.wire.changes == ["DELETE", "DELETE"]
        assert summary(run.rows) == "1 of 2 rows done · 1 failed · 1 change made"


async def test_a_change_whose_response_was_lost_is_never_sent_again() -> None:
    alone = SavedCall("a", "", COUPON.inputs, (Step("gone", "DeletePaymentsCoupon", {"coupon_id": "{coupon}"}),))
    async with place(faults=["payments drop after"]) as one:
        run = run_of(one, alone, [{"coupon": CODES[0]}], consent=Consent.CONFIRMED)
        row = (await run.run())[0]
        assert (row.state, run.left, one.wire.changes) == ("unknown", 0, ["DELETE"])
        await run.run()
        assert one.wire.changes == ["DELETE"]


async def test_a_row_that_ended_after_a_change_says_what_was_done() -> None:
    chain = SavedCall(
        "c",
        "",
        (*COUPON.inputs, Input("customer", object_type="customer")),
        (*COUPON.steps, Step("late", "RetrieveCustomerDetails", {"customer_id": "{customer}"}), Step("never", "ListTeams")),
    )
    async with place() as one:
        run = run_of(one, chain, [{"coupon": CODES[0], "customer": "cus_missing0001"}], consent=Consent.CONFIRMED)
        row = (await run.run())[0]
        assert (row.state, row.changes, run.left) == ("failed", 1, 1)
        assert half_done(chain, row) == (
            "Row 1 changed something before it ended: delete_coupon (DeletePaymentsCoupon). Not run: never. "
            "Running it again repeats these changes."
        )
        await run.run()
        assert one.wire.changes == ["DELETE"], "it goes on at the step that failed"
        assert [step.id for step in run.rows[0].steps] == ["coupon", "delete_coupon", "late"]


async def test_a_run_is_stopped_between_and_within_steps() -> None:
    slow = SavedCall("s", steps=(Step("a", "RetrieveCustomerDetails", {"customer_id": ADA}),))
    arrived = asyncio.Event()

    async def silent(*_: Any) -> None:
        arrived.set()
        await asyncio.Event().wait()

    async with place(silent) as one:
        run = run_of(one, slow, [{}, {}])
        task = asyncio.create_task(run.run())
        await arrived.wait()
        run.stop.set()
        await task
        assert [row.state for row in run.rows] == ["cancelled", "waiting"]

    class Stopping(Presenter):
        async def consent(self, question: Any) -> Consent | None:
            run.stop.set()
            return Consent.CONFIRMED

    async with place() as one:
        run = run_of(one, COUPON, [{"coupon": CODES[0]}, {"coupon": CODES[1]}], presenter=Stopping())
        await run.run()
        assert run.rows[1].state == "waiting"
        assert run.rows[0].state in ("failed", "done"), "what became of it was found out"
        assert one.wire.changes.count("DELETE") <= 1


async def test_wrong_inputs_are_told_before_anything_is_sent() -> None:
    inputs = (Input("most", "integer"), Input("mode", values=("x", "y")))
    async with place() as one:
        parameter = next(parameter.name for parameter in TOOLS["ListTeams"].parameters if parameter.role == "limit")
        limited = SavedCall("l", "", inputs, (Step("a", "ListTeams", {parameter: "{most}"}),))
        with pytest.raises(SavedCallError) as caught:
            run_of(one, limited, [{"most": "3", "mode": "x"}, {"most": "many", "mode": "z", "other": "1"}])
        assert [problem.place for problem in caught.value.problems] == ["row 2, other", "row 2, most", "row 2, mode"]
        with pytest.raises(SavedCallError, match="1 to 10,000"):
            run_of(one, limited, [])
        row = (await run_of(one, limited, [{"most": "100000", "mode": "x"}]).run())[0]
        assert row.state == "failed"
        assert "Nothing was sent" in row.words
        assert one.wire.seen == []


def test_objects_on_screen_fill_inputs() -> None:
    charge = {"id": "ch_1ABCDEFGH", "object": "charge", "customer": ADA, "amount": 100, "note": None}
    wanted = SavedCall(
        "w", "", (Input("who", object_type="customer"), Input("it", object_type="charge"), Input("amount"), Input("note"))
    )
    assert inputs_from(wanted, charge, TOOLS["PaymentsSearchCharges"]) == {"who": ADA, "it": "ch_1ABCDEFGH", "amount": 100}


async def test_outputs_show_no_secrets() -> None:
    name = next(tool.name for tool in TOOLS.values() if "payment_intent" in tool.returns.objects and tool.effect == "read"
                and tool.returns.kind == "search_result")  # fmt: skip
    call = SavedCall(
        "o",
        "",
        (Input("key", secret=True),),
        (Step("found", name, {"search_query_string": 'status:"succeeded"'}),),
        {"secret": "{@found.data[0].client_secret}", "id": "{@found.data[0].id}", "key": "{key}", "many": "{#found}"},
    )
    async with place() as one:
        row = (await run_of(one, call, [{"key": "sk_live_zzz"}]).run())[0]
        assert row.outputs["id"].startswith("pi_")
        assert row.outputs["many"].isdecimal()
        text = json.dumps([as_json(call, row), as_record(call, row), as_table(call, [row])])
        assert "_secret_" not in text
        assert "sk_live_zzz" not in text
        assert "sk_live_zzz" not in repr(row)
