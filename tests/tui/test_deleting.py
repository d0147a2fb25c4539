"""The confirmation of a change: the check, what enables the button, protection from accidents, and the message afterwards."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as with_fields
from textual import events
from textual.widgets import Button, OptionList, Static

from registry.accounts.connection import Mode
from registry.accounts.policy import Consent
from registry.sandbox.server import application
from tests.changes.world import Counting
from tests.sampled import further
from tests.tui.app import Desk
from tui.app import CallboardApp
from tui.dialogs import deliberate
from tui.dialogs.confirm import ConfirmDelete, DeleteMany
from tui.dialogs.deliberate import DeliberateButton
from tui.explorer.top_bar import PaneHead
from tui.keyboard.key_bar import KeyBar
from tui.session import Session
from tui.widgets.texts import Line

COUPON = {"coupon_id": "PARTNER15"}


@asynccontextmanager
async def wired(
    *faults: str,
    mode: Mode = "sandbox",
    size: tuple[int, int] = (120, 40),
    read_only: bool = False,
    opened: bool = True,
    environment: Mapping[str, str] | None = None,
) -> AsyncIterator[tuple[Desk, Counting]]:
    """The program on a sandbox that counts its requests and can be treated as another kind of account."""
    wire = Counting(application(faults=faults, limits=False))
    app = CallboardApp(Session(environment or {}, sandbox=lambda: wire, read_only=read_only))
    async with app.run_test(size=size) as pilot:
        one = Desk(app, pilot)
        await one.until(lambda: one.screen.panes_mounted, "the panes")
        session = app.session
        plain = session.connection("PaymentsApi")
        endpoints = {name: replace(endpoint, mode=mode) for name, endpoint in plain.endpoints.items()}
        session.engine._found = {"sandbox": with_fields(plain, endpoints=endpoints)}, ""
        if mode == "live" and opened:
            for toolkit in endpoints:
                session.engine.policy.open_writing(session.connection(toolkit), toolkit)
        yield one, wire


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Stops the button's clock. Each call lets a minute pass."""
    now = [100.0]
    monkeypatch.setattr(deliberate, "monotonic", lambda: now[0])

    def tick() -> None:
        now[0] += 60

    return tick


async def ask(one: Desk, tool: str, raw: dict[str, Any], *, looked: bool = True) -> ConfirmDelete:
    await one.open(tool)
    one.screen.form.fill(raw)
    await one.pilot.pause()
    await one.press("f5")
    await one.until(lambda: isinstance(one.app.screen, ConfirmDelete))
    dialog = one.app.screen
    assert isinstance(dialog, ConfirmDelete)
    if looked:
        await one.until(lambda: dialog._result.complete)
    await one.pilot.pause()
    return dialog


def told(dialog: ConfirmDelete | DeleteMany) -> str:
    return "\n".join(str(widget.render()) for widget in dialog.query(Static))


def said(dialog: ConfirmDelete) -> str:
    return str(dialog.query_one("#said", Static).render())


def button(dialog: ConfirmDelete | DeleteMany) -> DeliberateButton:
    return dialog.query_one(DeliberateButton)


async def agreed(one: Desk, clock: Callable[[], None]) -> None:
    """Press the button after a pause, like somebody who reads first."""
    clock()
    await one.press("right")
    clock()
    await one.press("enter")


async def result(one: Desk, tool: str) -> Any:
    await one.until(lambda: one.app.session.results.of(tool))
    await one.until(lambda: not one.screen.result.has_class("-running"))
    await one.pilot.pause()
    return one.app.session.results.of(tool)[0]


async def test_looking_then_deleting_then_the_sign(clock: Callable[[], None]) -> None:
    async with wired() as (one, wire):
        await one.open("GetCouponDetails")
        one.screen.form.fill(COUPON)
        await one.run()
        dialog = await ask(one, "DeletePaymentsCoupon", COUPON)
        words = told(dialog)
        for part in ("PARTNER15", "sandbox", "Cannot be undone.", "Partner discount", "1 redemption", "DELETE"):
            assert part in words, part
        assert one.app.focused is dialog.query_one("#cancel", Button)
        assert wire.changes == []
        await agreed(one, clock)
        assert (await result(one, "DeletePaymentsCoupon")).json["deleted"] is True
        assert wire.changes == ["DELETE"]
        await one.press("alt+left")
        await one.until(lambda: one.tool == "GetCouponDetails")
        view = one.screen.result.view
        await one.until(lambda: "✗ deleted" in "".join(part.text for part in view.draw(1, 100)))
        await one.press("f4", "home", "left")
        assert "✗ deleted {…}" in "".join(part.text for part in view.draw(0, 100)), "also where it is folded"
        one.screen.visit("GetCouponDetails", COUPON)
        await one.until(lambda: one.screen.result.result is not None and one.screen.result.result.status == 404)
        assert str(one.screen.result.query_one("#crumbs", Static).render()) == "✗ Partner discount"
        tool = one.app.session.catalog.tools["GetCouponDetails"]
        parameter = tool.parameter("coupon_id")
        assert parameter is not None
        await one.until(
            lambda: (
                dict(one.app.session.seen_ids(tool.toolkit, parameter.refers_to, "PARTN"))
                .get("PARTNER15", "")
                .startswith("✗ deleted")
            )
        )
        await one.open("DeletePaymentsCoupon")
        assert one.screen.form.raw == {}, "what is deleted is not asked for again"
        await one.press("ctrl+y")
        await one.until(lambda: "✗ PARTNER15" in str(one.app.screen.query(OptionList).first().get_option_at_index(0).prompt))


@pytest.mark.parametrize("times", [6, *further(60)])
async def test_a_key_held_down_deletes_nothing(times: int, clock: Callable[[], None]) -> None:
    async with wired() as (one, wire):
        dialog = await ask(one, "DeletePaymentsCoupon", COUPON)
        clock()
        await one.press("right", *["enter"] * times)
        assert one.app.screen is dialog
        assert "Pressed too fast. Choose Delete again" in told(dialog)
        await one.press("escape")
        await ask(one, "DeletePaymentsCoupon", COUPON, looked=False)
        await one.press(*["enter"] * times)
        assert wire.changes == []


async def test_a_key_that_comes_at_once_does_not_count_however_late_it_is_handled(clock: Callable[[], None]) -> None:
    """Keys wait for each other, on a busy computer longer than the pause: a key held down deleted something."""
    async with wired() as (one, wire):
        dialog = await ask(one, "DeletePaymentsCoupon", COUPON)
        button(dialog).focus()
        await one.pilot.pause()
        for late in (60.0, 60.0, 0.0):
            assert wire.changes == []
            clock()
            event = events.Key("enter", "\r")
            event.time -= late
            one.app.post_message(event)
            await one.pilot.pause()
            if late:
                await one.until(lambda: "Pressed too fast. Choose Delete again" in told(dialog))
        await result(one, "DeletePaymentsCoupon")
        assert wire.changes == ["DELETE"]


async def test_clicks_right_behind_something_else_do_not_count(clock: Callable[[], None]) -> None:
    async with wired() as (one, wire):
        dialog = await ask(one, "DeletePaymentsCoupon", COUPON)
        await one.pilot.click("#delete", times=2)
        assert one.app.screen is dialog, "it has only just become ready"
        clock()
        await one.pilot.click("#delete", times=3)
        await result(one, "DeletePaymentsCoupon")
        assert wire.changes == ["DELETE"]


@pytest.mark.parametrize(("rule", "also"), [("last-six", "TNER15"), ("name, payments=id", "Partner discount")])
async def test_live_data_takes_the_whole_id_and_what_the_policy_says(
    rule: str, also: str | None, clock: Callable[[], None]
) -> None:
    async with wired(mode="live", environment={"CALLBOARD_CONFIRM_BY": rule}) as (one, wire):
        dialog = await ask(one, "DeletePaymentsCoupon", COUPON)
        line = dialog.query_one(Line)
        for text in ("TNER15", "Partner discount", "partner15", "PARTNER1", "ARTNER15"):
            line.value = text
            await one.pilot.pause()
            assert button(dialog).disabled is (text != also), text
        assert ("Partner discount" in said(dialog)) is (also == "Partner discount")
        line.value = "PARTNER15"
        await one.pilot.pause()
        assert not button(dialog).disabled
        assert wire.changes == []


async def test_a_paste_confirms_nothing(clock: Callable[[], None]) -> None:
    """As the terminal tells it, and from the clipboard."""
    async with wired(mode="live") as (one, wire):
        dialog = await ask(one, "DeletePaymentsCoupon", COUPON)
        line = dialog.query_one(Line)
        line.focus()
        await one.pilot.pause()
        one.app.copy_to_clipboard("PARTNER15")
        for paste in ("terminal", "clipboard"):
            if paste == "terminal":
                one.app.post_message(events.Paste("PARTNER15"))
            else:
                await one.press("ctrl+v")
            await one.until(lambda: "Pasting is blocked here" in said(dialog), paste)
            assert (line.value, button(dialog).disabled) == ("", True), paste
            await one.press("P", "backspace")
            await one.until(lambda: "Type PARTNER15 to confirm." in said(dialog))
        clock()
        await one.press("enter")
        assert one.app.screen is dialog
        assert wire.changes == []


async def test_what_is_in_vain_is_not_offered() -> None:
    async with wired() as (one, wire):
        dialog = await ask(one, "DeletePaymentsCoupon", {"coupon_id": "NOBODY"})
        assert not button(dialog).display
        assert "Not found" in told(dialog)
        await one.press("escape")
        dialog = await ask(one, "DeletePaymentsProduct", {"product_id_to_delete": "prod_R5V05W6LYwHLz9"})
        assert not button(dialog).display
        assert "products with prices cannot be deleted" in told(dialog)
        button(dialog).press()
        await one.pilot.pause()
        assert one.app.screen is dialog
        assert wire.changes == []


@pytest.mark.parametrize("size", [(80, 24), *further((60, 20))])
async def test_consequences_are_in_sight_where_not_all_of_it_is(size: tuple[int, int]) -> None:
    async with wired(mode="live", size=size) as (one, _):
        dialog = await ask(one, "DeletePaymentsCustomer", {"customer_id": "cus_4R5QLgZDZXPlou"})
        room, seen = dialog.query_one("#summary").size.height, dialog.query_one("#seen", Static)
        assert room < seen.size.height
        assert "1 active subscription" in "\n".join(seen.render_line(y).text for y in range(room))
        # With room for all of it, the object comes first.
        await one.pilot.resize_terminal(120, 40)
        await one.until(lambda: seen.render_line(0).text.startswith("name"))


async def test_looking_can_be_stopped_and_blocks_nothing(clock: Callable[[], None]) -> None:
    async with wired("payments GET latency 10m") as (one, wire):
        dialog = await ask(one, "DeletePaymentsCoupon", COUPON, looked=False)
        assert "Checking the object" in told(dialog)
        assert button(dialog).disabled
        await one.pilot.click("#stop")
        await one.until(lambda: not button(dialog).disabled)
        assert "Check stopped" in told(dialog)
        assert one.app.focused is dialog.query_one("#cancel", Button)
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        assert wire.changes == []


async def marked(one: Desk, tool: str, rows: int) -> list[str]:
    """The answer of a tool as a table with its first rows marked; gives their ids."""
    await one.open(tool)
    await one.run()
    if not one.screen.result.views.shows_table:
        await one.press("t")
        await one.until(lambda: one.screen.result.views.shows_table)
    one.screen.result.views.focus()
    await one.pilot.pause()
    await one.press(*["space"] * rows)
    table = one.screen.result.table
    await one.until(lambda: len(table.marked) == rows)
    return [json.loads(table.items[place])["id"] for place in table.marked]


async def several(one: Desk) -> DeleteMany:
    await one.press("D")
    await one.until(lambda: isinstance(one.app.screen, DeleteMany))
    await one.pilot.pause()
    assert isinstance(one.app.screen, DeleteMany)
    return one.app.screen


async def test_marked_rows_are_deleted_one_by_one(clock: Callable[[], None]) -> None:
    async with wired() as (one, wire):
        ids = await marked(one, "GetPaymentsWebhookEndpoints", 3)
        await several(one)
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        await one.pilot.pause()
        assert len(one.screen.result.table.marked) == 3, "whoever cancels keeps the marks"
        dialog = await several(one)
        words = told(dialog)
        assert all(id_ in words for id_ in ids)
        assert one.app.focused is dialog.query_one("#cancel", Button)
        await one.press("right", *["enter"] * 20)
        assert wire.changes == []
        gone = {"webhook_endpoint_id": ids[1]}
        await one.app.session.engine.run("DeletePaymentsWebhookEndpoint", gone, consent=Consent.CONFIRMED)
        clock()
        await one.pilot.click("#delete")
        await one.until(lambda: "not tried" in told(dialog))
        assert "1 of 3 deleted · 1 not deleted · 1 not tried." in told(dialog)
        assert wire.changes == ["DELETE", "DELETE"], "the one before, and the first; the surprise was not sent"
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        table = one.screen.result.table
        await one.until(lambda: not table.marked)
        assert ["×" in "".join(part.text for part in table.draw(line, 80)[:2]) for line in range(3)] == [True, True, False]

        await marked(one, "GetBillingMeters", 1)
        await one.press("D")
        await one.until(lambda: "No tool can delete" in str(one.screen.query_one(KeyBar).render()))
        assert one.app.screen is one.screen


async def test_going_on_by_choice_and_typing_in_live_data(clock: Callable[[], None]) -> None:
    async with wired(mode="live", size=(80, 24)) as (one, wire):
        await marked(one, "GetPaymentsWebhookEndpoints", 3)
        dialog = await several(one)
        assert button(dialog).disabled
        assert dialog.query_one("#buttons").region.bottom <= 24
        choice = dialog.query_one("#on", Button)
        assert str(choice.label).startswith("[ ] Continue")
        choice.press()
        await one.until(lambda: str(choice.label).startswith("[×] Continue"))
        dialog.query_one(Line).value = "delete 3"
        await one.pilot.pause()
        clock()
        await one.pilot.click("#delete")
        await one.until(lambda: "3 of 3 deleted." in told(dialog))
        assert wire.changes == ["DELETE"] * 3


async def test_a_declined_deletion_leads_back_to_the_list_and_a_deleted_row_does_not_count(clock: Callable[[], None]) -> None:
    async with wired(size=(80, 24)) as (one, wire):
        one.screen.visit("SearchPaymentsInvoices", {"search_query_string": 'status:"draft"'}, unlinked=True)
        pane = one.screen.result
        await one.until(lambda: pane.result is not None and pane.laid_out)
        if not pane.views.shows_table:
            await one.press("t")
        await one.until(lambda: pane.views.shows_table)
        assert pane.query_one(PaneHead).title == "5 draft invoices", "of drafts nothing is open"
        for row in (0, 1):
            pane.table.go_to(row)
            await one.press("D")
            await one.until(lambda: isinstance(one.app.screen, ConfirmDelete) and one.app.screen._result.complete)
            await one.press("escape")
            await one.until(lambda: one.tool == "SearchPaymentsInvoices")
            await one.pilot.pause()
            assert pane.table.has_focus
        await one.press("D")
        await one.until(lambda: isinstance(one.app.screen, ConfirmDelete) and one.app.screen._result.complete)
        await one.pilot.pause()
        await one.press("right")
        clock()
        await one.press("enter")
        await result(one, "DeleteInvoiceDraft")
        assert wire.changes == ["DELETE"]
        assert str(pane.query_one("#crumbs", Static).render()).count("›") == 1, "not inside the one that was declined"
        await one.press("backspace")
        await one.until(lambda: pane.query_one(PaneHead).title == "4 draft invoices · 1 deleted")
        drawn = "".join(part.text for part in pane.table.draw(1, 80))
        assert "deleted" in drawn
        assert "draft" not in drawn
