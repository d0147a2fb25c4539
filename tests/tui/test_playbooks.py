"""Playbooks in the explorer: recorded, edited, run for one object and for marked rows. Deletions ask as everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.command import CommandInput, CommandList
from textual.widgets import Static

from registry.pages.subjects import PageRequest
from registry.playbooks.playbook import Input, Playbook, Step
from tests.tui.app import Desk, desk
from tui.dialogs.confirm_delete import ConfirmDelete
from tui.dialogs.confirm_run import ConfirmRun
from tui.dialogs.deliberate import DeliberateButton
from tui.dialogs.playbook_form import FieldLine, PlaybookForm
from tui.dialogs.playbook_run import InputLine, PlaybookRunDialog, RunRows
from tui.dialogs.playbooks import PlaybooksDialog, RecordDialog
from tui.dialogs.reader import Reader
from tui.explorer.palette import Palette
from tui.pages.screen import PageScreen
from tui.widgets.text_line import Line

ADA = "cus_4R5QLgZDZXPlou"


async def opened(one: Desk, kind: type[Any], *keys: str) -> Any:
    await one.press(*keys)
    await one.until(lambda: isinstance(one.app.screen, kind), kind.__name__)
    await one.pilot.pause()
    return one.app.screen


def about(one: Desk) -> str:
    found = one.app.screen.query("#about, #state")
    return str(found.first(Static).render())


def rows(one: Desk) -> list[str]:
    listed = one.app.screen.query_one(RunRows)
    return [str(listed.get_option_at_index(place).prompt) for place in range(listed.option_count)]


async def test_what_was_done_is_recorded_edited_and_run(tmp_path: Path) -> None:
    async with desk((120, 40), remembered=tmp_path) as one:
        await one.open("RetrieveCustomerDetails")
        one.screen.form.fill({"customer_id": ADA})
        await one.run()
        await one.open("SearchPaymentsInvoices")
        one.screen.form.fill({"search_query_string": f'customer:"{ADA}"'})
        await one.run()

        await opened(one, PlaybooksDialog, "alt+p")
        await one.until(lambda: "Press r to record" in about(one))
        record = await opened(one, RecordDialog, "r")
        assert "2 calls marked" in about(one)
        record.query_one(Line).value = "Invoices of"
        form = await opened(one, PlaybookForm, "enter")
        lines = {line.place: line for line in form.query(FieldLine)}
        assert lines["steps.invoices.search_query_string"].value == 'customer:"{customer}"'

        lines["outputs.+"].focus()
        lines["outputs.+"].value = "name: {@customr.name}"
        await one.until(lambda: "the step “customr” does not exist; did you mean customer?" in about(one))
        await one.press("ctrl+s")
        await one.until(lambda: "Not saved." in about(one))
        lines["outputs.+"].value = "name: {@customer.name}"
        await one.pilot.pause()
        await opened(one, PlaybooksDialog, "ctrl+s")
        await one.until(lambda: "RetrieveCustomerDetails → SearchPaymentsInvoices" in about(one))

        run = await opened(one, PlaybookRunDialog, "enter")
        await one.press("f5")
        await one.until(lambda: "`customer` is required" in about(one))
        run.query_one(InputLine).value = ADA
        await one.press("enter")
        await one.until(lambda: "1 of 1 row done" in about(one))
        assert "✓ done" in rows(one)[0]
        assert "name Ada Romero" in rows(one)[0]
        await opened(one, Reader, "enter")
        assert "✓ invoices (SearchPaymentsInvoices): done" in str(one.app.screen.query_one("#text", Static).render())
        await one.press("escape", "escape")
        await one.until(lambda: one.app.screen is one.screen)

        palette = await opened(one, Palette, "ctrl+p")
        palette.query_one(CommandInput).value = "playbook: invoices"
        hits = palette.query_one(CommandList)
        await one.until(lambda: hits.option_count and "Run playbook: Invoices of" in str(hits.get_option_at_index(0).prompt))
        await opened(one, PlaybookRunDialog, "enter")


async def test_marked_rows_and_the_object_at_the_cursor_fill_the_inputs(tmp_path: Path) -> None:
    coupon = Playbook(
        "Delete a coupon",
        (Step("gone", "DeletePaymentsCoupon", {"coupon_id": "{coupon}"}),),
        (Input("coupon", object_type="coupon"),),
    )
    steps = (Step("c", "RetrieveCustomerDetails", {"customer_id": "{customer}"}),)
    customer = Playbook("Who", steps, (Input("customer", object_type="customer"),), {"name": "{@c.name}"})
    async with desk((80, 24), remembered=tmp_path, lists="table") as one:
        for playbook in (coupon, customer):
            one.app.session.playbooks.save(playbook)
        await one.open("PaymentsSearchCharges")
        one.screen.form.fill({"search_query_string": 'status:"failed"'})
        await one.run()
        await one.until(lambda: one.screen.result.views.shows_table)
        await one.press("f4", "space", "down", "space")
        await one.until(lambda: len(one.screen.result.table.marked) == 2)
        dialog = await opened(one, PlaybooksDialog, "p")
        await one.until(lambda: dialog._kept)
        assert "for 2 marked rows" in str(dialog.query_one("#title", Static).render())
        run = await opened(one, PlaybookRunDialog, "down", "enter")
        assert not run.query(InputLine), "the rows say everything"
        await one.press("f5")
        await one.until(lambda: "2 of 2 rows done" in about(one))
        assert all("✓ done" in row for row in rows(one))
        await one.press("y")
        await one.until(lambda: "2 rows as CSV" in about(one))
        await one.press("escape")

        await one.until(lambda: one.app.screen is one.screen)
        one.screen.result.table.action_unmark()
        dialog = await opened(one, PlaybooksDialog, "p")
        await one.until(lambda: dialog._kept)
        run = await opened(one, PlaybookRunDialog, "enter")
        line = run.query_one(InputLine)
        assert line.value == "", "a charge has no coupon"
        line.value = "PARTNER15"
        ask = await opened(one, ConfirmDelete, "enter")
        assert ask.query_one("#cancel").has_focus
        await one.press("escape")
        await one.until(lambda: isinstance(one.app.screen, PlaybookRunDialog) and "1 refused" in about(one))


async def test_several_deletions_are_asked_for_once_and_go_on_where_they_ended(tmp_path: Path) -> None:
    who = Step("who", "RetrieveCustomerDetails", {"customer_id": ADA})
    gone = Step("gone", "DeletePaymentsCoupon", {"coupon_id": "{coupon}"})
    playbook = Playbook("Delete coupons", (gone, who), (Input("coupon"),))
    async with desk((80, 24), remembered=tmp_path) as one:
        one.app.session.playbooks.save(Playbook("Who", (Step("c", who.tool, {"customer_id": "{customer}"}),),
                                                (Input("customer", object_type="customer"),)))  # fmt: skip
        one.app.open_page(PageRequest(ADA))
        await one.until(lambda: isinstance(one.app.screen, PageScreen) and one.app.screen.page and one.app.screen.page.object)
        dialog = await opened(one, PlaybooksDialog, "alt+p")
        await one.until(lambda: dialog._kept)
        run = await opened(one, PlaybookRunDialog, "enter")
        assert run.query_one(InputLine).value == ADA, "the page's object"
        await one.press("escape")
        await one.until(lambda: isinstance(one.app.screen, PageScreen))
        await one.press("escape")
        codes: list[dict[str, object]] = [{"coupon": code} for code in ("PARTNER15", "gone-long-ago", "FRIENDS10")]
        one.app.push_screen(PlaybookRunDialog(one.app.session, playbook, codes, " · for 3 marked rows"))
        await opened(one, PlaybookRunDialog)
        ask = await opened(one, ConfirmRun, "f5")
        assert "× deletes: DeletePaymentsCoupon" in str(ask.query_one("#summary Static", Static).render())
        assert ask.query_one("#cancel").has_focus
        await one.press("escape")
        await one.until(lambda: isinstance(one.app.screen, PlaybookRunDialog))
        assert rows(one) == [], "nothing was run"
        ask = await opened(one, ConfirmRun, "f5")
        button = ask.query_one(DeliberateButton)
        button._touched = 0.0
        button.press()
        await one.until(lambda: isinstance(one.app.screen, PlaybookRunDialog) and "1 of 3 rows done" in about(one))
        assert "1 refused · 1 not begun · 1 change made · c continues with 2" in about(one)
        await one.press("c")
        await one.until(lambda: "1 refused" in about(one) and not one.app.screen._busy)  # type: ignore[attr-defined]
        assert "✓ done" in rows(one)[0]
