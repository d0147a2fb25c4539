"""What services leave out of lists without saying so is declared for every list and said; which period a list covers."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from registry.calling.arguments import check
from registry.calling.sending import composition
from registry.catalog.folders import read_file
from registry.catalog.loader import load
from registry.doors.mcp.agent_tools import AgentTools
from registry.pages.page import as_json, as_lines
from registry.results.coverage import coverage_of, narrowed
from tests.calling.network import call
from tests.cases import cases_beside
from tests.command_line import ROOT, Run
from tests.opened import opened
from tests.pages.reading import page_of, reading

CASES = cases_beside(__file__)

TOOLS = load().tools
WHOLE = {toolkit: read_file(one.path / "coverage.json").get("whole", ()) for toolkit, one in load().folders.items()}
LISTS = [one for one in TOOLS.values() if one.effect == "read" and one.is_list]


def test_every_list_says_what_it_leaves_out_or_that_it_leaves_out_nothing() -> None:
    assert len(LISTS) == 79
    for tool in LISTS:
        declared = coverage_of(tool.toolkit)[tool.own_name]
        assert bool(declared) != (tool.own_name in WHOLE[tool.toolkit]), tool.name
        for said in (said for one in declared for said in (*one.unless, *one.when)):
            assert tool.parameter(said.partition("=")[0]) is not None, (tool.name, said)
    for toolkit in load().toolkits:
        assert set(coverage_of(toolkit)) == {one.own_name for one in LISTS if one.toolkit == toolkit}


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


NOW = datetime.fromisoformat("2026-11-28T15:00:00Z")
SIX_MONTHS = timedelta(days=180)


@pytest.mark.parametrize(
    ("given", "since", "until"),
    [
        ({"since": "-90d"}, NOW - timedelta(days=90), NOW),
        ({"until": "-90d"}, NOW - timedelta(days=90) - SIX_MONTHS, NOW - timedelta(days=90)),
        ({"since": "-90d", "until": "-60d"}, NOW - timedelta(days=90), NOW - timedelta(days=60)),
    ],
    ids=["since", "until", "both"],
)
def test_s1_both_ends_are_sent(given: dict[str, str], since: datetime, until: datetime) -> None:
    tool = load().tools["ListIncidents"]
    checked = check(tool, given, NOW.timestamp())
    assert composition(tool, checked) is None, "in one request"
    sent = [datetime.fromisoformat(str(checked.values[name])) for name in ("since", "until")]
    assert (sent, checked.errors) == ([since, until], ())


def test_s1_a_list_without_an_end_is_the_one_until_now(run: Run) -> None:
    listed = [run("call", "ListIncidents", "--since=-90d", *more, "--all", "--json") for more in ((), ("--until=now",))]
    ids = [[one["id"] for one in answer.json] for answer in listed]
    assert len(ids[0]) > 50
    assert ids[0] == ids[1]
    assert "added: without it the service would cover less" in listed[0].err


async def test_s1_more_than_six_months_are_listed_in_windows() -> None:
    """Each item once, wherever a page begins; `more` and `total` are those of the whole."""
    moments = [NOW - timedelta(days=day, minutes=1) for day in range(400, 0, -8)]

    def answer(request: httpx.Request) -> httpx.Response:
        since, until = (datetime.fromisoformat(request.url.params[name]) for name in ("since", "until"))
        assert until - since <= SIX_MONTHS
        listed = [{"id": one.isoformat(), "type": "incident"} for one in moments if since <= one <= until]
        offset, limit = (int(request.url.params.get(name, 0)) for name in ("offset", "limit"))
        page = listed[offset : offset + limit]
        about = {"more": offset + len(page) < len(listed), "total": len(listed), "limit": limit, "offset": offset}
        return httpx.Response(200, json={"incidents": page, **about})

    found: list[str] = []
    window: dict[str, Any] = {"since": "2025-10-24T00:00Z", "until": "2026-11-28T15:00Z"}
    for offset in range(0, len(moments), 12):
        result, network = await call("ListIncidents", answer, offset=offset, limit=12, **window)
        assert (len(network.requests), result.json["total"]) == (3, len(moments))
        found += [one["id"] for one in result.json["incidents"]]
        assert result.json["more"] is (len(found) < len(moments))
    assert found == [one.isoformat() for one in moments]


@pytest.mark.parametrize("span", ["last year", "2025", "ytd", "last 3 years", "last 14 months", "since 3 March 2024"])
def test_s1_what_ask_proposes_can_be_run(span: str, run: Run) -> None:
    commands = [line.split() for line in run("find", f"incidents {span}").out.splitlines() if "callboard call" in line]
    dated = [words[1:] for words in commands if "--since" in words]
    assert dated
    for words in dated:
        assert run(*words, "--limit=1").code == 0, words


def test_s1_a_list_that_the_service_narrows_says_so(run: Run) -> None:
    assert "ListIncidents lists only those of the last month; set since or until for others" in run("call", "ListIncidents").err
    assert "lists only" not in run("call", "ListIncidents", "--since=-7d").err
