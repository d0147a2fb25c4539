"""What services leave out of lists without saying so is declared for every list, and said wherever a list is shown."""

import asyncio
from typing import Any

import pytest

from registry.catalog.loader import load
from registry.doors.mcp.agent_tools import AgentTools
from registry.pages.written import as_json, as_lines
from registry.results.coverage import coverage_of, narrowed
from tests.cases import cases_beside
from tests.command_line import ROOT, Run
from tests.opened import opened
from tests.pages.reading import page_of, reading

CASES = cases_beside(__file__)

TOOLS = load().tools
LISTS = [one for one in TOOLS.values() if one.effect == "read" and one.is_list]


def test_every_list_says_what_it_leaves_out_or_that_it_leaves_out_nothing() -> None:
    assert len(LISTS) == 79
    for tool in LISTS:
        declared = coverage_of(tool.toolkit)
        assert (tool.own_name in declared.narrowed) != (tool.own_name in declared.whole), tool.name
        for one in declared.narrowed.get(tool.own_name, ()):
            for said in (*one.unless, *one.when):
                assert tool.parameter(said.partition("=")[0]) is not None, (tool.name, said)
    for toolkit in load().toolkits:
        declared = coverage_of(toolkit)
        assert {*declared.narrowed, *declared.whole} == {one.own_name for one in LISTS if one.toolkit == toolkit}


@pytest.mark.parametrize(("tool", "given", "says"), CASES["what is left out"])
def test_what_is_left_out_depends_on_what_is_asked(tool: str, given: dict[str, Any], says: str) -> None:
    found = narrowed(TOOLS[tool], given)
    assert (found.says if found is not None else "") == says


def test_a_list_that_leaves_something_out_says_so_at_every_door(run: Run) -> None:
    said = "ListLogEntries lists only those of the most important changes; set is_overview=false for others"
    assert said in run("call", "ListLogEntries", "--all", "--json", "--since=-2h").err
    page = run("page", "cus_4R5QLgZDZXPlou", "--json").json
    covers = {one["title"]: one["covers"] for one in page["sections"]}
    assert (covers["Subscriptions"], covers["Invoices"]) == ("not canceled", None)
    assert "Subscriptions 1 not canceled" in run("page", "cus_4R5QLgZDZXPlou").out

    async def asked(given: dict[str, Any]) -> object:
        async with opened() as engine:
            call = {"tool": "ListIncidents", "arguments": given}
            return (await AgentTools(engine).call("call_read_tool", call, None)).values.get("covers")  # type: ignore[arg-type]

    assert asyncio.run(asked({"limit": 1})) == "only those of the last month"
    assert asyncio.run(asked({"limit": 1, "since": "-7d"})) is None


def test_s2_no_call_of_ours_asks_for_a_count() -> None:
    """Accounts refuse to expand it; where counts are told, they come from what was read."""
    files = (ROOT / "registry" / "toolkits").glob("**/*.json")
    assert [one.name for one in files if "total_count" in one.read_text("utf-8")] == ["service.json"], "it is read where it is"


@pytest.mark.parametrize(("more", "count"), [(True, "1+"), (False, "1")])
async def test_s11_a_list_inside_an_object_that_goes_on_is_not_complete(more: bool, count: str) -> None:
    """Services put the first ten objects of a list into the object that it belongs to."""
    inside = {"object": "list", "data": [{"object": "invoice_payment", "id": "inpay_1", "status": "paid"}], "has_more": more}
    invoice = {"object": "invoice", "id": "in_1a2b3c4d", "status": "paid", "payments": inside}
    async with opened() as engine:
        page = await page_of(engine, "in_1a2b3c4d", reading({"RetrieveInvoiceById": invoice}))
    section = next(one for one in as_json(page)["sections"] if one["title"] == "Payments of this invoice")
    assert section["complete"] is not more
    assert f"Payments of this invoice {count}" in "\n".join(as_lines(page))
