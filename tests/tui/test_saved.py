"""Saved calls in the explorer: a form saved, calls recorded, run for one object and for marked rows."""

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from registry.pages.subjects import PageRequest
from registry.saved.saved_call import Input, SavedCall, Step
from tests.saved.team import preset, put
from tests.tui.app import Desk, desk
from tests.tui.test_out import closed, said
from tui.dialogs.choose import ChooseDialog
from tui.dialogs.confirm import ConfirmDelete, ConfirmRun
from tui.dialogs.deliberate import DeliberateButton
from tui.dialogs.dialog import RowsBelow
from tui.dialogs.questions import Prompt, Reader
from tui.dialogs.saved_calls import RecordDialog, SavedCallsDialog, SavedRunDialog
from tui.pages.screen import PageScreen
from tui.widgets.texts import Line

ADA = "cus_4R5QLgZDZXPlou"


async def opened(one: Desk, kind: type[Any], *keys: str) -> Any:
    await one.press(*keys)
    await one.until(lambda: isinstance(one.app.screen, kind), kind.__name__)
    await one.pilot.pause()
    return one.app.screen


def about(one: Desk) -> str:
    found = one.app.screen.query("#said")
    return str(found.first(Static).render())


def rows(one: Desk) -> list[str]:
    listed = one.app.screen.query_one(RowsBelow)
    return [str(listed.get_option_at_index(place).prompt) for place in range(listed.option_count)]


async def saved_as(one: Desk, name: str, *, closes: bool = True) -> Any:
    dialog = await opened(one, SavedCallsDialog, "ctrl+s")
    dialog.query_one(Line).value = name
    await one.press("enter")
    if closes:
        await closed(one)
    return dialog


async def test_what_was_done_is_recorded_edited_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk((120, 40), remembered=tmp_path) as one:
        await one.open("RetrieveCustomerDetails")
        one.screen.form.fill({"customer_id": ADA})
        await one.run()
        await one.open("SearchPaymentsInvoices")
        one.screen.form.fill({"search_query_string": f'customer:"{ADA}"'})
        await one.run()

        await opened(one, SavedCallsDialog, "ctrl+s")
        await one.until(lambda: "n records the last calls" in about(one))
        await opened(one, RecordDialog, "down", "n")
        assert "2 calls marked" in about(one)
        asked = await opened(one, Prompt, "enter")
        asked.query_one(Line).value = "Invoices of"
        await opened(one, SavedCallsDialog, "enter")
        await one.until(lambda: "RetrieveCustomerDetails → SearchPaymentsInvoices" in about(one))
        texts = list[str]()

        async def edited(_: object, text: str, ending: str) -> str:
            texts.append(text)
            outputs = '"{#invoices}", "name": "{@customer.name}"'
            return text[1:] if len(texts) == 1 else "{" + text.replace('"{#invoices}"', outputs)

        monkeypatch.setattr("tui.explorer.past_calls.edit", edited)
        await opened(one, ChooseDialog, "e")
        await opened(one, SavedCallsDialog, "enter")
        assert [texts[0][1:] == text for text in texts] == [False, True], "what was typed is not lost"

        run = await opened(one, SavedRunDialog, "enter")
        await one.press("f5")
        await one.until(lambda: "`customer` is required" in about(one))
        run.query_one(Line).value = ADA
        await one.press("enter")
        await one.until(lambda: "1 of 1 row done" in about(one))
        assert "✓ done" in rows(one)[0]
        assert "name Ada Romero" in rows(one)[0]
        await opened(one, Reader, "enter")
        assert "✓ invoices (SearchPaymentsInvoices): done" in str(one.app.screen.query_one("#text", Static).render())
        await one.press("escape", "escape")
        await one.until(lambda: one.app.screen is one.screen)


async def test_marked_rows_and_the_object_at_the_cursor_fill_the_inputs(tmp_path: Path) -> None:
    coupon = SavedCall(
        "Delete a coupon",
        "",
        (Input("coupon", object_type="coupon"),),
        (Step("gone", "DeletePaymentsCoupon", {"coupon_id": "{coupon}"}),),
    )
    steps = (Step("c", "RetrieveCustomerDetails", {"customer_id": "{customer}"}),)
    customer = SavedCall("Who", "", (Input("customer", object_type="customer"),), steps, {"name": "{@c.name}"})
    async with desk((80, 24), remembered=tmp_path, lists="table") as one:
        for call in (coupon, customer):
            one.app.session.saved.save(call)
        await one.open("PaymentsSearchCharges")
        one.screen.form.fill({"search_query_string": 'status:"failed"'})
        await one.run()
        await one.until(lambda: one.screen.result.views.shows_table)
        await one.press("f4", "space", "down", "space")
        await one.until(lambda: len(one.screen.result.table.marked) == 2)
        await one.do("run_saved")
        dialog = await opened(one, SavedCallsDialog)
        await one.until(lambda: dialog._kept)
        assert "for 2 marked rows" in str(dialog.query_one("#title", Static).render())
        run = await opened(one, SavedRunDialog, "down", "enter")
        assert not run.query(Line), "the rows say everything"
        await one.press("f5")
        await one.until(lambda: "2 of 2 rows done" in about(one))
        assert all("✓ done" in row for row in rows(one))
        await one.press("y")
        await one.until(lambda: "2 rows as CSV" in about(one))
        await one.press("escape")

        await one.until(lambda: one.app.screen is one.screen)
        one.screen.result.table.action_unmark()
        await one.do("run_saved")
        dialog = await opened(one, SavedCallsDialog)
        await one.until(lambda: dialog._kept)
        run = await opened(one, SavedRunDialog, "enter")
        line = run.query_one(Line)
        assert line.value == "", "a charge has no coupon"
        line.value = "PARTNER15"
        ask = await opened(one, ConfirmDelete, "enter")
        assert ask.query_one("#cancel").has_focus
        await one.press("escape")
        await one.until(lambda: isinstance(one.app.screen, SavedRunDialog) and "1 refused" in about(one))


async def test_several_deletions_are_asked_for_once_and_go_on_where_they_ended(tmp_path: Path) -> None:
    who = Step("who", "RetrieveCustomerDetails", {"customer_id": ADA})
    gone = Step("gone", "DeletePaymentsCoupon", {"coupon_id": "{coupon}"})
    call = SavedCall("Delete coupons", "", (Input("coupon"),), (gone, who))
    async with desk((80, 24), remembered=tmp_path) as one:
        inputs = (Input("customer", object_type="customer"),)
        one.app.session.saved.save(SavedCall("Who", "", inputs, (Step("c", who.tool, {"customer_id": "{customer}"}),)))
        one.app.open_page(PageRequest(ADA))
        await one.until(lambda: isinstance(one.app.screen, PageScreen) and one.app.screen.page and one.app.screen.page.object)
        dialog = await opened(one, SavedCallsDialog, "ctrl+s")
        await one.until(lambda: dialog._kept)
        run = await opened(one, SavedRunDialog, "enter")
        assert run.query_one(Line).value == ADA, "the page's object"
        await one.press("escape")
        await one.until(lambda: isinstance(one.app.screen, PageScreen))
        await one.press("escape")
        codes: list[dict[str, object]] = [{"coupon": code} for code in ("PARTNER15", "gone-long-ago", "FRIENDS10")]
        one.app.push_screen(SavedRunDialog(one.app.session, call, codes, " · for 3 marked rows"))
        await opened(one, SavedRunDialog)
        ask = await opened(one, ConfirmRun, "f5")
        assert "× deletes: DeletePaymentsCoupon" in str(ask.query_one("#summary Static", Static).render())
        assert ask.query_one("#cancel").has_focus
        await one.press("escape")
        await one.until(lambda: isinstance(one.app.screen, SavedRunDialog))
        assert rows(one) == [], "nothing was run"
        ask = await opened(one, ConfirmRun, "f5")
        button = ask.query_one(DeliberateButton)
        button._touched = 0.0
        button.press()
        await one.until(lambda: isinstance(one.app.screen, SavedRunDialog) and "1 of 3 rows done" in about(one))
        assert "1 refused · 1 not begun · 1 change made · r continues with 2" in about(one)
        await one.press("r")
        await one.until(lambda: "1 refused" in about(one) and not one.app.screen._busy)  # type: ignore[attr-defined]
        assert "✓ done" in rows(one)[0]


async def test_a_form_is_saved_and_opened_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(tmp_path))
    async with desk((80, 24), remembered=tmp_path / "state") as one:
        await opened(one, SavedCallsDialog, "ctrl+s")
        await one.until(lambda: "^S in a form saves it" in about(one))
        await one.press("escape")
        await closed(one)
        await one.open("GetCustomerCards")
        form = one.screen.form
        await saved_as(one, "nothing")
        await one.until(lambda: "each run asks for customer_id" in said(one), said(one))
        form.fill({"customer_id": ADA, "card_retrieval_limit": "2"})
        await saved_as(one, "two cards")
        await one.until(lambda: "✓ Saved “two cards”" in said(one))
        form.fill({"customer_id": "cus_2"})
        dialog = await saved_as(one, "two cards", closes=False)
        await one.answer(yes=False)
        assert one.app.session.saved.find("two cards").steps[0].arguments["customer_id"] == ADA
        await one.press("down", "down")
        assert f"customer_id {ADA}" in about(one)
        await one.press("enter")
        await closed(one)
        await one.until(lambda: form.raw == {"customer_id": ADA, "card_retrieval_limit": "2"})
        dialog = await opened(one, SavedCallsDialog, "ctrl+s")
        await one.until(lambda: dialog._kept)
        await one.press("down", "down")
        await one.press("delete")
        await one.answer(yes=False)
        assert len(dialog._kept) == 2
        await one.press("delete")
        await one.answer(yes=True)
        await one.until(lambda: "Deleted “two cards”" in about(one))


async def test_shared_ones_are_listed_run_and_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = tmp_path / "ops"
    put(shared, presets__a=preset("two cards"), saved__b="{")

    async def same(_: object, text: str, ending: str) -> str:
        return text.replace('"two cards"', '"my cards"')

    monkeypatch.setattr("tui.explorer.past_calls.edit", same)
    async with desk((80, 24), {"CALLBOARD_SHARED": str(shared)}, tmp_path / "own") as one:
        dialog = await opened(one, SavedCallsDialog, "ctrl+s")
        await one.until(lambda: "ops: b.json cannot be used" in about(one))
        await one.press("delete")
        assert "“two cards” is shared from ops and cannot be deleted here. e makes a copy" in about(one)
        await one.press("e")
        await one.until(lambda: one.app.screen is not dialog and isinstance(one.app.screen, SavedCallsDialog))
        await one.until(lambda: [kept.reference for kept in one.app.screen._kept] == ["my cards", "ops/two cards"])  # type: ignore[attr-defined]
    assert [file.name for file in (shared / "presets").iterdir()] == ["a.json"], "nothing that is shared was changed"


async def test_what_a_single_call_needs_is_asked_before_its_form_opens(tmp_path: Path) -> None:
    query = {"search_query_string": 'customer:"{who}"'}
    call = SavedCall("Invoices of", "", (Input("who"),), (Step("found", "SearchPaymentsInvoices", query),))
    async with desk((120, 40), remembered=tmp_path) as one:
        one.app.session.saved.save(call)
        dialog = await opened(one, SavedCallsDialog, "ctrl+s")
        await one.until(lambda: dialog._kept)
        asked = await opened(one, SavedRunDialog, "enter")
        await one.press("f5")
        await one.until(lambda: "`who` is required" in about(one))
        asked.query_one(Line).value = ADA
        await one.press("enter")
        await one.until(lambda: one.screen.result.laid_out and one.screen.result.result is not None)
        assert one.screen.form.raw == {"search_query_string": f'customer:"{ADA}"'}
        assert one.result.ok
