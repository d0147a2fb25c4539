"""How a page is loaded: the object first, sections side by side, each honest by itself."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from registry.accounts.connection import ConnectionSettingsError
from registry.calling.result import Result
from registry.calling.sending import Observer
from registry.catalog.model import Tool
from registry.pages.charts import charts_of
from registry.pages.definition import ChartDefinition, SectionDefinition, pages_of
from registry.pages.home import home_of
from registry.pages.loading import MOST_AT_ONCE, PageLoad
from registry.pages.page import ObjectPage, Subject, as_lines
from registry.pages.subjects import subjects_of
from registry.sandbox.server import application
from tests.cases import cases_beside
from tests.opened import opened
from tests.pages.reading import NOW, answered, failed, page_of, reading

CASES = cases_beside(__file__)

CUSTOMER: dict[str, Any] = {"id": "cus_A1b2C3d4", "object": "customer", "name": "Ada & Söhne", "email": "ada@example.org"}
CUSTOMER["created"] = 1_790_000_000
DAY = 86_400


def charge(number: int, amount: int, currency: str, status: str = "succeeded", **more: Any) -> dict[str, Any]:
    known = {"id": f"ch_A1b2C3d{number}", "object": "charge", "created": int(NOW) - number * DAY}
    return {**known, "amount": amount, "currency": currency, "status": status, **more}


@pytest.mark.skipif(not hasattr(asyncio, "eager_task_factory"), reason="in this Python no task runs before it is returned")
async def test_sections_wait_for_others_also_where_tasks_run_at_once() -> None:
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)  # type: ignore[attr-defined,unused-ignore]
    async with opened() as engine:
        load = PageLoad(engine.reading(engine.usual), engine.catalog, engine.routes, engine.settings.clock)
        page = await load.load_home("Incidents", home_of("Incidents").sections)
    assert {one.id: one.count for one in page.sections}["mine"] == 1


async def test_the_head_comes_after_one_round_trip_and_the_sections_side_by_side() -> None:
    """Nothing of the sections has come, and yet the object is shown; those that need no other section were all asked for."""
    seen: list[ObjectPage] = []
    go_on, all_asked = asyncio.Event(), asyncio.Event()
    under_way = most = 0
    # All of them fit side by side, so that the page takes no longer than its slowest chain of calls.
    sections = pages_of("PaymentsApi").objects["customer"].sections
    independent = sum(not one.after for one in sections)
    assert independent <= MOST_AT_ONCE
    quick = reading({"RetrieveCustomerDetails": CUSTOMER})

    async def read(tool: Tool, arguments: Mapping[str, object], observer: Observer) -> Result:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if most == independent:
            all_asked.set()
        if tool.own_name != "RetrieveCustomerDetails":
            await go_on.wait()
        under_way -= 1
        return await quick(tool, arguments, observer)

    async with opened(sandbox=application) as engine:
        task = asyncio.create_task(page_of(engine, "cus_A1b2C3d4", read, seen.append))
        await all_asked.wait()
        early = seen[-1]
        assert (early.title, early.headline, early.loaded) == ("Ada & Söhne", "Ada & Söhne", False)
        assert {one.state for one in early.sections} == {"loading", "waiting"}
        go_on.set()
        page = await task
    assert most == independent
    assert page.loaded
    assert page.complete
    assert page.headline == "Ada & Söhne is well: nothing overdue"


async def test_what_the_credential_may_not_expand_is_named_and_the_rest_is_shown() -> None:
    invoice = {"id": "in_A1b2C3d4", "object": "invoice", "number": "A-1", "status": "draft", "customer": "cus_A1b2C3d4"}
    plain = reading({"RetrieveInvoiceById": invoice})
    sent: list[Mapping[str, object]] = []

    async def read(tool: Tool, arguments: Mapping[str, object], observer: Observer) -> Result:
        if tool.own_name != "RetrieveInvoiceById":
            return await plain(tool, arguments, observer)
        sent.append(arguments)
        return await plain(tool, arguments, observer) if len(sent) > 1 else failed(tool, 403, "Not payments.")

    async with opened(sandbox=application) as engine:
        page = await page_of(engine, "in_A1b2C3d4", read)
    assert (page.failure, page.title, page.facts[-1]) == (None, "A-1", "not permitted: payments")
    assert [sorted(one) for one in sent] == [["expand_fields_in_response", "invoice_id"], ["invoice_id"]]


@pytest.mark.parametrize("is_there", [True, False])
async def test_a_type_that_may_not_be_read_does_not_hide_others(is_there: bool) -> None:
    """On a plan without teams, an id may still be that of a user, whom only a list has."""
    users = [{"id": "PX1AB2C", "type": "user", "name": "Ada"}] if is_there else []

    async def read(tool: Tool, arguments: Mapping[str, object], observer: Observer) -> Result:
        if tool.own_name == "ListUsers":
            return replace(answered(tool, {"users": users, "more": False}), items_at="users")
        return failed(tool, 402, "No teams.") if tool.own_name == "GetTeam" else failed(tool, 404, "Not found.")

    async with opened(sandbox=application) as engine:
        page = await page_of(engine, "PX1AB2C", read)
    cause = page.failure.cause if page.failure is not None else ""
    assert (page.title, cause) == (("Ada", "") if is_there else ("", "No teams."))


async def test_a_section_that_fails_says_why_and_the_others_stand() -> None:
    async with opened(sandbox=application) as engine:
        bodies: dict[str, Any] = {
            "RetrieveCustomerDetails": CUSTOMER,
            "SearchPaymentsInvoices": failed(engine.tool("SearchPaymentsInvoices"), 429, "Too many requests."),
            "PaymentsSearchCharges": {"data": [charge(1, 4200, "usd")]},
        }
        page = await page_of(engine, "cus_A1b2C3d4", reading(bodies))
    sections = {one.id: one for one in page.sections}
    assert (sections["invoices"].state, sections["invoices"].reason) == ("failed", "429: Too many requests.")
    assert sections["invoices"].counted == "not known"
    assert (sections["charges"].state, sections["charges"].count) == ("complete", 1)
    assert page.loaded
    assert not page.complete
    assert "well" not in page.headline, "what could not be read is not well"


async def test_amounts_are_in_their_own_currency_and_never_added_across_currencies() -> None:
    charges = [charge(1, 500, "jpy"), charge(2, 1500, "kwd"), charge(3, 250, "jpy"), charge(4, 9_999, "usd", "failed")]
    async with opened(sandbox=application) as engine:
        bodies = {"RetrieveCustomerDetails": CUSTOMER, "PaymentsSearchCharges": {"data": charges}}
        page = await page_of(engine, "cus_A1b2C3d4", reading(bodies))
    section = next(one for one in page.sections if one.id == "charges")
    assert section.sums == {"kwd": 1500, "jpy": 750}
    assert section.by_state == {"succeeded": 3, "failed": 1}
    assert section.summary == "3 succeeded, 1 failed · 750 JPY · 1.500 KWD gross"
    assert [row.cells[0] for row in section.rows] == ["500 JPY", "1.500 KWD", "250 JPY", "99.99 USD"]


async def test_credentials_and_control_characters_of_a_response_are_not_shown() -> None:
    intent = {"id": "pi_A1b2C3d4", "object": "payment_intent", "status": "requires_action", "amount": 100, "currency": "usd"}
    hostile = {**intent, "created": int(NOW), "description": "x\x1b[31m{id}", "client_secret": "pi_A1b2C3d4_secret_Zz9"}
    async with opened(sandbox=application) as engine:
        page = await page_of(engine, "pi_A1b2C3d4", reading({"RetrievePaymentIntentDetails": hostile}))
    assert "Zz9" not in repr(page.object)
    assert page.facts[1] == "x\\u001b[31m{id}", "values are never templates, and what a terminal would obey is visible"


async def test_the_timeline_crosses_services_where_the_email_is_the_same() -> None:
    """An incident user, a CRM user and a customer with one address: the customer's page has the incidents and the duty."""
    user = {"id": "PABC123", "type": "user", "name": "Ada", "email": "ada@example.org"}
    at = datetime.fromtimestamp(NOW - 3 * DAY, UTC).isoformat()
    incident = {"type": "incident", "status": "triggered", "created_at": at}
    assigned = [{"assignee": {"id": "PABC123", "type": "user_reference"}}]
    mine = incident | {"id": "Q1ABCDEF", "title": "Checkout down", "assignments": assigned}
    other = incident | {"id": "Q2ABCDEF", "title": "Not hers", "assignments": [{"assignee": {"id": "POTHER1"}}]}
    async with opened(sandbox=application) as engine:
        body = json.dumps({"incidents": [mine, other]}).encode()
        listed = Result("ListIncidents", "sandbox", 200, body=body, items_at="incidents")
        bodies: dict[str, Any] = {
            "RetrieveCustomerDetails": CUSTOMER,
            "PaymentsSearchCharges": {"data": [charge(2, 4200, "usd")]},
            "SearchUsers": {"matches": [{"confidence": 0.4, "user": {**user, "email": "eve@example.org"}}, {"user": user}]},
            "ListIncidents": listed,
            "RetrieveCrmUserById": {"id": "12345", "email": "ada@example.org", "firstName": "Ada"},
        }
        page = await page_of(engine, "cus_A1b2C3d4", reading(bodies))
    assert [one.words for one in page.timeline] == [
        "payment succeeded, 42.00 USD",
        "incident: Checkout down",
        "customer created",
    ]
    moment = page.timeline[1]
    assert moment.toolkit != page.toolkit
    assert moment.link is not None
    assert (moment.link.type, moment.link.id) == ("incident", "Q1ABCDEF")
    sections = {one.id: one for one in page.sections}
    assert [sections[name].count for name in ("responder", "incidents", "crm_user")] == [1, 1, 1]


async def test_made_up_data_is_never_put_beside_that_of_an_account() -> None:
    """Payments are on an account and incidents and the CRM are not: their sandbox is not asked about a real customer."""
    async with opened(sandbox=application) as engine:
        read = reading({"RetrieveCustomerDetails": CUSTOMER})
        accounts: dict[str, str] = {}
        found = []
        for toolkit in ("", "PaymentsApi", "CrmUsersApi"):
            if toolkit:
                accounts[toolkit] = "account"
            load = PageLoad(read, engine.catalog, engine.routes, connection=lambda name: accounts.get(name, "sandbox"))
            page = await load.load(subjects_of("cus_A1b2C3d4", engine.routes))
            found.append({one.id for one in page.sections} & {"responder", "incidents", "crm_user"})
    assert found == [{"responder", "incidents", "crm_user"}, set(), {"crm_user"}]


async def refused(tool: Tool, arguments: Mapping[str, object], observer: Observer) -> Result:
    raise ConnectionSettingsError("Set ACME_TOKEN.")


async def test_a_toolkit_without_a_credential_does_not_change_what_the_others_say_of_an_id() -> None:
    async with opened(sandbox=application) as engine:
        none = reading({})

        async def read(tool: Tool, arguments: Mapping[str, object], observer: Observer) -> Result:
            if tool.own_name == first.tool.rpartition(".")[2]:
                return await refused(tool, arguments, observer)
            return await none(tool, arguments, observer)

        first, *_ = subjects_of("zzz9", engine.routes)
        failure = (await page_of(engine, "zzz9", read)).failure
        assert failure is not None
        assert "with the id zzz9" in failure.cause
        assert "ACME_TOKEN" not in failure.cause
        # If no service was called at all, the id is not called unknown.
        failure = (await page_of(engine, "zzz9", refused)).failure
    assert failure is not None
    assert (failure.title, failure.cause) == ("Nothing was sent", "Set ACME_TOKEN.")


async def test_s9_two_users_with_one_name_are_told_apart() -> None:
    def duty(id_: str, level: int) -> dict[str, Any]:
        return {"user": {"id": id_, "type": "user_reference", "summary": "Sam Ode"}, "escalation_level": level}

    async with opened(sandbox=application) as engine:
        oncalls = answered(engine.catalog.tools["ListOncalls"], {"data": [duty("PAAAAA1", 1), duty("PBBBBB2", 2)]})
        members = [{"user": {"id": f"P{name}1", "name": "Ada", "email": f"{name}@x.example"}} for name in ("ada.b", "ada.c")]
        team = {"team": {"id": "PTEAM12", "type": "team", "name": "Web"}, "members": members}
        page = await page_of(engine, "PTEAM12", reading({"ListOncalls": oncalls, "GetTeam": team}), type_="team")
    said = "\n".join(as_lines(page))
    assert ("Sam Ode (PAAAAA1)" in said, "Sam Ode (PBBBBB2)" in said) == (True, True)
    assert ("Ada (ada.b)" in said, "Ada (ada.c)" in said) == (True, True), said


@pytest.mark.parametrize(("row", "tool", "item", "said"), CASES["what people ask next"])
async def test_a_page_says_what_people_ask_next(row: str, tool: str, item: dict[str, Any], said: str) -> None:
    async with opened(sandbox=application) as engine:
        charges = answered(engine.catalog.tools["PaymentsSearchCharges"], {"data": [charge(1, 500, "usd")]}, more=True)
        gone = {"id": "cus_gone1", "object": "customer", "deleted": True}
        merged = CASES["what people ask next"][2][2]
        resolved = answered(engine.catalog.tools["ListIncidents"], {"data": [merged]})
        page = await page_of(
            engine,
            item["id"],
            reading({"PaymentsSearchCharges": charges, "RetrieveCustomerDetails": gone, "ListIncidents": resolved, tool: item}),
            type_=engine.catalog.tools[tool].returns.objects[0],
        )
    assert said in "\n".join(as_lines(page))


@pytest.mark.parametrize(("chart", "items", "said"), CASES["charts"])
def test_small_charts_by_time_and_of_lengths_never_add_currencies(
    chart: dict[str, Any], items: list[dict[str, Any]], said: list[str]
) -> None:
    page = ObjectPage(Subject("customer", "cus_1", "", {}), "", now=NOW, zone=UTC)
    section = SectionDefinition("charges", "Payments", at="charges", charts=(ChartDefinition(**chart),))
    assert list(charts_of(items, section, page)) == said
