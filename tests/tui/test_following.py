"""Following ids, choosing between several tools, and expanding in place."""

from textual.widgets import OptionList, Static

from tests.tui.app import Desk, desk
from tests.tui.test_out import said as keys
from tui.dialogs.choose import ChooseDialog
from tui.explorer.fields.field import Field
from tui.json_view.view import JsonView
from tui.pages.screen import PageScreen


def view(one: Desk) -> JsonView:
    return one.screen.result.view


def go_to(one: Desk, member: str, depth: int = 0) -> None:
    """Put the cursor on the first member with a name, at this depth or deeper."""
    document = view(one).document
    assert document is not None
    rows = document.rows
    view(one).go_to(next(row for row in range(len(rows)) if rows.row(row, 0).key == f'"{member}"' and rows.depth(row) >= depth))


async def ask(one: Desk, name: str, *values: str) -> None:
    await one.open(name)
    for value in values:
        await one.type(value)
        await one.press("tab")
    await one.run()
    one.screen.result.views.focus()
    await one.pilot.pause()


async def arrive(one: Desk, name: str) -> None:
    await one.until(lambda: one.screen.tool is not None and one.screen.tool.name == name, name)
    await one.until(lambda: one.screen.result.result is not None and one.screen.result.result.tool == name, "the answer")
    await one.until(lambda: not one.screen.result.has_class("-running"), "the end of the call")
    await one.pilot.pause()


async def charges(one: Desk) -> None:
    await one.open("PaymentsSearchCharges")
    one.screen.form.fill({"search_query_string": 'status:"succeeded"'})
    await one.run()
    one.screen.result.views.focus()
    await one.pilot.pause()


async def opened_page(one: Desk) -> PageScreen:
    await one.until(lambda: isinstance(one.app.screen, PageScreen), "the page")
    page = one.app.screen
    assert isinstance(page, PageScreen)
    await one.until(lambda: page.page is not None and page.page.loaded, "the page's object")
    return page


async def test_enter_opens_a_page_and_back_comes_back_folds_a_branch_and_says_why_a_row_names_nothing() -> None:
    async with desk() as one:
        await charges(one)
        first = one.result.json["data"][0]
        for member, subject in (("customer", ("customer", first["customer"])), ("status", ("charge", first["id"]))):
            go_to(one, member)
            row = view(one).row
            await one.press("enter")
            page = await opened_page(one)
            assert page.page is not None
            assert (page.page.subject.type, page.page.subject.id) == subject
            await one.press("escape")
            await one.until(lambda: one.app.screen is one.screen)
            assert view(one).row == row
        lines = view(one).line_count
        view(one).go_to(0)
        await one.press("enter")
        assert view(one).line_count == 1
        await one.press("enter")
        assert view(one).line_count == lines
        go_to(one, "has_more")
        await one.press("enter")
        await one.until(lambda: "is not an id" in keys(one))


async def ask_for_first_charge(one: Desk) -> None:
    response = one.screen.result.result
    assert response is not None
    one.screen.visit("RetrievePaymentsChargeDetails", {"charge_id": response.json["data"][0]["id"]})
    await arrive(one, "RetrievePaymentsChargeDetails")


async def test_what_else_never_deletes_and_missing_ids_are_asked_for() -> None:
    async with desk() as one:
        await charges(one)
        go_to(one, "customer")
        await one.press("w")
        await one.until(lambda: isinstance(one.app.screen, ChooseDialog))
        await one.type("deletepaymentscustomer")
        await one.until(lambda: one.app.screen.query_one(OptionList).option_count == 1)
        await one.press("enter")
        await one.until(lambda: one.tool == "DeletePaymentsCustomer")
        await one.until(lambda: one.screen.here == "form")
        assert one.screen.form.raw["customer_id"].startswith("cus_")  # type: ignore[attr-defined]
        assert not one.app.session.results.of("DeletePaymentsCustomer")

        await ask(one, "GetCurrentAccountBalance")
        go_to(one, "destination")
        await one.press("enter")
        await one.until(lambda: one.screen.here == "form" and one.screen.tool is not None)
        await one.until(lambda: one.app.focused is not None and one.screen.here == "form")
        assert one.screen.tool is not None
        missing = [parameter.name for parameter in one.screen.tool.parameters if parameter.required]
        empty = [name for name in missing if name not in one.screen.form.raw]
        assert len(empty) == 1
        assert one.app.focused is not None
        field = next(parent for parent in one.app.focused.ancestors if isinstance(parent, Field))
        assert field.parameter.name == empty[0]


async def test_an_id_is_expanded_where_the_cursor_stands_and_elsewhere_every_field_is_offered() -> None:
    async with desk() as one:
        await charges(one)
        await ask_for_first_charge(one)
        go_to(one, "customer")
        row, before = view(one).row, one.screen.result.result
        await one.press("e")
        await one.until(lambda: one.screen.result.result is not before and not one.screen.result.has_class("-running"))
        await one.pilot.pause()
        assert one.result.json["customer"]["object"] == "customer"
        assert view(one).row == row
        assert one.screen.form.raw["fields_to_expand"] == ["customer"]
        crumbs = one.screen.result.query_one("#crumbs", Static)
        assert str(crumbs.render()).count("›") == 1, "expanding is the same visit"

        await charges(one)
        await ask_for_first_charge(one)
        go_to(one, "status")
        before = one.screen.result.result
        await one.press("e")
        await one.until(lambda: isinstance(one.app.screen, ChooseDialog))
        await one.type("refunds")
        await one.until(lambda: one.app.screen.query_one(OptionList).option_count == 1)
        await one.press("enter")
        await one.until(lambda: one.screen.result.result is not before and not one.screen.result.has_class("-running"))
        assert one.result.json["refunds"]["object"] == "list"
