"""An id or an address pasted into the search for tools."""

from textual import events
from textual.widgets import Input, Static

from tests.tui.app import Desk, desk
from tui.explorer.toolkit_tree import ToolkitTree
from tui.pages.screen import PageScreen

CUSTOMER, ADDRESS = "cus_4R5QLgZDZXPlou", "accounts@ada-romero.example"


def shown(one: Desk) -> list[str]:
    tree = one.screen.query_one(ToolkitTree)
    return ["".join(part.text for part in tree.draw(line, 120)).strip() for line in range(tree.line_count)]


def detail(one: Desk) -> str:
    return str(one.screen.query_one("#detail", Static).render())


async def finished(one: Desk, tool: str) -> None:
    await one.until(lambda: (result := one.screen.result.result) is not None and result.tool == tool, tool)
    await one.until(lambda: not one.screen.result.has_class("-running"))
    await one.pilot.pause()


async def test_what_is_pasted_is_found_opened_and_run() -> None:
    async with desk() as one:
        await one.type(ADDRESS)
        await one.press("enter")
        await finished(one, "SearchPaymentsCustomers")
        view = one.screen.result.view
        await one.until(lambda: one.app.focused is view)
        # As a table the cursor stands on the first id.
        await one.press("t")
        await one.until(lambda: one.screen.result.views.shows_table)
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.screen, PageScreen) and one.app.screen.page is not None)
        assert one.app.screen.page.subject.id == CUSTOMER  # type: ignore[attr-defined]
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        await one.press("ctrl+f")

        await one.type(CUSTOMER)
        await one.until(lambda: shown(one)[0].startswith("› ■   Ada Romero") and shown(one)[0].endswith(CUSTOMER))
        await one.until(lambda: f"{CUSTOMER}\nEnter opens its page" in detail(one))
        await one.type(" tax ids")
        await one.until(lambda: "Ada Romero" in shown(one)[0] and "Tax ids of Ada Romero" in shown(one)[1], "below the object")
        await one.press("down", "enter")
        await finished(one, "GetCustomerTaxIds")
        assert one.screen.form.raw["customer_id"] == CUSTOMER
        here = one.screen.trail.here
        assert here is not None
        assert here.parent is None
        await one.press("ctrl+f")

        await one.type(f"{CUSTOMER} delete customer")
        await one.until(lambda: shown(one)[1:] and "Customer · delete" in shown(one)[1])
        await one.press("down")
        assert "Enter opens it" in detail(one)
        await one.press("enter")
        await one.until(lambda: one.screen.tool is not None and one.screen.here == "form")
        assert one.screen.form.raw == {"customer_id": CUSTOMER}
        assert one.screen.result.result is None


async def test_what_is_too_long_for_a_line_is_refused_and_never_cut() -> None:
    async with desk() as one:
        await one.open("RetrieveCustomerDetails")
        line = one.app.focused
        assert isinstance(line, Input)
        fits = "cus 1\n" * 16_000
        line.post_message(events.Paste(fits))
        await one.until(lambda: one.screen.form.raw.get("customer_id") == " ".join(fits.splitlines()))
        before = line.value
        line.post_message(events.Paste("cus 1\n" * 170_000))
        told = "Not pasted: the line would have 1,115,998 characters, and at most 100,000 can be pasted."
        await one.until(lambda: any(note.message == told for note in one.app._notifications))
        assert line.value == before
        line.action_select_all()  # what is replaced does not count
        one.app.copied = "x" * 50_000 + "\n" + "x" * 49_999
        line.action_paste()
        await one.until(lambda: one.screen.form.raw.get("customer_id") == "x" * 50_000 + " " + "x" * 49_999)
        before = line.value
        line.action_paste()
        await one.until(lambda: len(one.app._notifications) == 2)
        assert line.value == before
