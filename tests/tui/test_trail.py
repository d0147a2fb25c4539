"""Following, and going back and forward."""

from textual.widgets import Static

from tests.tui.app import Desk, desk
from tui.explorer.trail import Trail, Visit
from tui.json_view.view import JsonView
from tui.keyboard.key_bar import KeyBar


def crumbs(one: Desk) -> str:
    line = one.screen.result.query_one("#crumbs", Static)
    return str(line.render()) if line.display else ""


def shown(one: Desk) -> str:
    result = one.screen.result.result
    return f"{one.screen.form.tool.name if one.screen.form.tool else ''} {result.json.get('id', '') if result else ''}".strip()


async def follow(one: Desk, tool: str, **raw: object) -> None:
    before = one.screen.result.result
    one.screen.visit(tool, raw)
    await one.until(lambda: one.screen.result.result not in (before, None) and one.screen.form.raw == raw)
    await one.until(lambda: not one.screen.result.has_class("-running"))
    await one.pilot.pause()


async def back(one: Desk, key: str, tool: str) -> None:
    await one.press(key)
    await one.until(lambda: one.screen.form.tool is not None and one.screen.form.tool.name == tool)
    await one.pilot.pause()


async def test_there_and_back_again_and_another_question_is_another_visit() -> None:
    async with desk() as one:
        name = "SearchPaymentsCustomers"
        await one.open(name)
        await one.type("created>0")
        await one.run()
        view = one.screen.result.query_one(JsonView)
        customer = one.result.json["data"][1]["id"]
        await one.press("down", "down", "down", "space", "down")
        row, lines = view.row, view.line_count
        assert crumbs(one) == ""
        await follow(one, "RetrieveCustomerDetails", customer_id=customer)
        assert shown(one) == f"RetrieveCustomerDetails {customer}"
        assert crumbs(one) == f"Customers · search › {one.app.session.names.of(customer)}"
        await back(one, "alt+left", name)
        assert (view.row, view.line_count, crumbs(one)) == (row, lines, ""), "the cursor and what was folded are as before"
        await back(one, "alt+right", "RetrieveCustomerDetails")
        assert shown(one) == f"RetrieveCustomerDetails {customer}"
        await one.press("alt+right")
        await one.until(lambda: "No next result" in str(one.screen.query_one(KeyBar).render()))

        await one.open("ListIncidents")
        await one.run()
        first = one.screen.result.result
        one.screen.form.fill({"urgency": "low"})
        await one.run()
        await one.press("alt+left")
        await one.until(lambda: one.screen.result.result is first and one.screen.form.raw == {})
        await one.press("alt+right")
        await one.until(lambda: one.screen.form.raw == {"urgency": "low"})


def test_another_way_forgets_everything_that_lay_ahead() -> None:
    trail = Trail()
    first, second, third, other = (Visit(name, {}) for name in ("first", "second", "third", "other"))
    for visit in (first, second, third):
        trail.go(visit)
    trail.move(-2)
    assert trail.here is first
    trail.go(other)
    assert (trail.here, trail.around(-1), trail.around(1)) == (other, first, None)
