"""More results in the ask line: objects seen before, counts of ready calls, and editing before running."""

import re
from functools import partial

import pytest

from tests.cases import cases_beside
from tests.tui.app import Desk, desk
from tests.tui.test_out import said as keys
from tui.explorer import found as counting
from tui.explorer.toolkit_tree import ToolkitTree
from tui.pages.screen import PageScreen

CASES = cases_beside(__file__)

ADA = "cus_4R5QLgZDZXPlou"

ANSWERS = CASES["counted answers"]


def shown(one: Desk) -> list[str]:
    tree = one.screen.query_one(ToolkitTree)
    return ["".join(part.text for part in tree.draw(line, 120)).strip() for line in range(tree.line_count)]


async def finished(one: Desk, tool: str) -> None:
    await one.until(lambda: (result := one.screen.result.result) is not None and result.tool == tool, tool)
    await one.until(lambda: not one.screen.result.has_class("-running"))
    await one.pilot.pause()


def is_answered(one: Desk, answer: str) -> bool:
    return re.search(f"{answer}$", shown(one)[0]) is not None


async def ask(one: Desk, text: str) -> None:
    await one.press("ctrl+f")
    await one.type(text)


async def test_calls_are_counted_and_objects_seen_before_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        await ask(one, "past due")
        await one.until(lambda: shown(one)[0].endswith("1 found"), "the count")
        assert "Enter Run  Tab Edit" in keys(one)
        await one.press("tab")
        await one.until(lambda: one.screen.tool is not None and one.screen.here == "form", "the form")
        assert one.screen.form.raw == {"search_query_string": 'status:"past_due"', "expand_fields": ["data.customer"]}
        assert one.screen.result.result is None, "nothing was run"
        await one.press("f5")
        await finished(one, "SearchPaymentsSubscriptions")

        await ask(one, "customers named ada")
        await one.press("enter")
        await finished(one, "SearchPaymentsCustomers")
        await ask(one, "invoices of ada")
        await one.until(lambda: shown(one)[0].startswith("› ■   Ada Romero"), "the object that is named")
        assert "Invoices of Ada Romero" in shown(one)[1], "its id is in the calls below it"
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.screen, PageScreen), "the page")
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)

        await ask(one, "crm users named ingrid rahman")
        await one.until(lambda: "named ingrid rahman" in shown(one)[0], "whom the service cannot search for")
        await one.press("enter")
        await finished(one, "FetchCrmUsersList")
        await one.until(lambda: one.screen.result.table.line_count == 1, "the list, filtered")

        await ask(one, ADA)
        await one.until(lambda: "Ada Romero" in shown(one)[0], "an id is told by its name")
        await one.press("tab")
        await one.until(lambda: one.tool == "RetrieveCustomerDetails")
        assert one.screen.form.raw == {"customer_id": ADA}

        # Who was not seen yet is looked for, and a question is answered before Enter.
        for words, answer, call in ANSWERS:
            await ask(one, words)
            await one.until(partial(is_answered, one, answer), words)
            assert any(call in row for row in shown(one)[1:3]), words

        monkeypatch.setattr(counting, "may_count", lambda *_: False)
        monkeypatch.setattr(counting, "counted", lambda *_: pytest.fail("a count was asked"))
        await ask(one, "past due")
        await one.until(lambda: shown(one)[0].startswith("› ■   Subscriptions that"))
        await one.until(
            lambda: not [worker for worker in one.app.workers if worker.group == "found more" and worker.is_running]
        )
