"""Pages of the sandbox's own objects: of every type, and with figures that an independent computation gives as well."""

import re
import time
from collections.abc import Iterator
from datetime import UTC
from typing import Any

import pytest

from registry.calling.times import InvalidValue, instant
from registry.catalog.model import Tool
from registry.engine import Engine
from registry.finding.find import Finder
from registry.finding.slots import slots_in
from registry.pages.definition import pages_of
from registry.pages.loading import PageLoad
from registry.pages.page import ObjectLink, ObjectPage, as_json
from registry.pages.subjects import NoPage, related_tools, subject_of_link, subjects_of
from registry.references.routes import Routes
from registry.references.targets import pasted
from registry.sandbox.server import application
from registry.text.shown import money
from tests.opened import opened
from tests.pages.reading import page_of
from tests.test_every_tool import READS, reading

_DAY = r"\d{1,2} [A-Z][a-z]{2}(?: \d{4})?"
SHOWN_AMOUNT = re.compile(r"(?<![\w:,.])-?\d[\d,]*(?:\.\d+)? [A-Z]{3}\b")
SHOWN_TIME = re.compile(
    rf"(?:[A-Z][a-z]{{2}} )?\b{_DAY}(?: \d\d:\d\d(?: [A-Z]{{3,4}})?)?\b|\b\d+ (?:day|hour|minute|month|year)s? ago|in \d+ days?"
)
OUT_OF_REACH = {"discount", "capability", "customer_balance_transaction"}
"""Types whose ids only their owner's page leads to: a discount has no id of its own in any call, a capability an account, and
the ids of two kinds of balance transaction look alike."""


async def every(engine: Engine, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """All items of a list, page by page, read without any of the code under test."""
    raw, items = dict(arguments), []
    while True:
        result = await engine.run(tool, raw, remember=False)
        assert result.ok
        assert result.page is not None
        assert result.items_at is not None
        items += result.json[result.items_at]
        if not result.page.next:
            return items
        raw |= dict(result.page.next)


def misread(page: ObjectPage, finder: Finder, routes: Routes) -> list[str]:
    """The amounts, times and ids in a page's texts that are something else, or nothing, when they are typed as shown."""
    cells = [text for section in page.sections for row in section.rows for text in row.cells]
    texts = [page.headline, *page.facts, *cells, *(one.words for one in page.timeline)]
    wrong = []
    for amount in {one[0] for text in texts for one in SHOWN_AMOUNT.finditer(text)}:
        said = slots_in(amount, page.now).values
        meant = money(int(said["amount"]), said["currency"]) if "amount" in said else ""
        if meant != amount and (meant or len(amount.partition(".")[2]) <= len("00 USD")):  # parts of a cent are not searched
            wrong.append(f"{amount} is {said}")
    for time_ in {one[0] for text in texts for one in SHOWN_TIME.finditer(text)}:
        try:
            instant(time_, page.now, UTC)
            if ":" in time_ and slots_in(time_, page.now, UTC).span is None:
                wrong.append(f"{time_} is not found")
        except InvalidValue as error:
            wrong.append(f"{time_}: {error}")
    ids = {page.subject.id, *(row.link.id for section in page.sections for row in section.rows[:1] if row.link is not None)}
    for id_ in {one for one in ids if any(one in text for text in texts)}:
        types = [(kit, one) for kit in routes.toolkits.values() for one in kit.known.types_by_id(id_)]
        reached = any(one in kit.retrieving for kit, one in types)  # an invoice's line is read with its invoice alone
        if reached and not any(id_ in str(one.arguments) for one in finder.find(id_, page.now)):
            wrong.append(f"{id_} is not found")
    return wrong


@pytest.mark.parametrize("rough", [False, pytest.param(True, marks=pytest.mark.long)])
async def test_a_page_opens_from_an_id_of_every_type_and_s13_what_it_says_finds_itself(rough: bool) -> None:
    """Ids from what the tools answer with. No page fails, and none of its sections."""
    async with opened(sandbox=lambda: application(rough=rough)) as engine:
        found, finder = await _first_of_each_type(engine), Finder(engine.catalog)
        read_by = {type_ for tool in engine.catalog.tools.values() for type_ in tool.returns.objects}
        problems, opened_types = [], set()
        for type_ in sorted((found.keys() & read_by) - {"billing.meter_event_summary"}):  # a sum, made for each call
            link = found[type_]
            try:
                subjects = subjects_of(link.id, engine.routes)
            except NoPage:
                subjects = subject_of_link(link, engine.routes)
            page = await PageLoad(engine.reading(engine.usual), engine.catalog, engine.routes).load(subjects)
            if page.failure is not None and type_ not in OUT_OF_REACH:
                problems.append((type_, link.id, page.failure.cause))
            elif page.failure is None:
                opened_types.add(type_)
                problems += [(type_, link.id, one.reason) for one in page.sections if one.state == "failed"]
                problems += [(type_, link.id, words) for words in misread(page, finder, engine.routes)]
                assert page.headline, type_
    assert problems == []
    assert len(opened_types) > 60
    defined = {type_ for toolkit in engine.catalog.toolkits for type_ in pages_of(toolkit).objects}
    assert defined - opened_types <= {
        *("payout", "issuing.card", "issuing.cardholder", "dispute", "log_entry", "crm_team", "crm_role", "oncall")
    }


async def _first_of_each_type(engine: Engine) -> dict[str, ObjectLink]:
    """Objects that the documented calls answer with, with the ids around them."""
    found: dict[str, ObjectLink] = {}
    for tool in READS:
        arguments = reading(tool, time.time())
        result = await engine.run(tool, arguments, remember=False) if tool.returns.kind != "file" else None
        if result is not None and result.ok:
            asked = [(kind, arguments[one.name]) for one in tool.parameters if one.name in arguments for kind in one.refers_to]
            for link in _links(result.json, tool, dict(asked)):
                found.setdefault(link.type, link)
    return found


def _links(value: Any, tool: Tool, around: dict[str, str]) -> Iterator[ObjectLink]:
    if isinstance(value, list):
        for one in value:
            yield from _links(one, tool, around)
    elif isinstance(value, dict):
        if isinstance(value.get("id"), str):
            type_ = value.get("object") or str(value.get("type", tool.returns.objects[0])).removesuffix("_reference")
            own = {name: one["id"] if isinstance(one, dict) and "id" in one else one for name, one in value.items()}
            texts = {name: one for name, one in own.items() if isinstance(one, str)}
            yield ObjectLink(tool.toolkit, type_, value["id"], tuple((around | texts).items()))
            around = around | {type_: value["id"]}
        for one in value.values():
            yield from _links(one, tool, around)


async def test_a_customer_in_trouble_an_invoice_and_its_lines() -> None:
    async with opened(sandbox=application) as engine:
        open_ones = await every(engine, "SearchPaymentsInvoices", search_query_string='status:"open"', result_limit=100)
        unpaid = next(one for one in open_ones if one["customer_name"] == "Padaria Aurora Ltda")
        by_mail = await page_of(engine, "accounts@aurora.example")
        page = await page_of(engine, unpaid["customer"])
        invoice = await page_of(engine, unpaid["id"])
    assert (by_mail.subject.id, by_mail.headline) == (page.subject.id, page.headline)
    assert page.headline.startswith("Padaria Aurora Ltda is past due: 130.00 BRL since ")
    first = page.attention[0]
    assert first.words.startswith(f"Invoice {unpaid['number']} is unpaid, 130.00 BRL")
    assert first.link is not None
    assert first.link.id == unpaid["id"]
    assert "insufficient funds" in page.attention[1].words
    lines = next(one for one in invoice.sections if one.id == "lines")
    assert lines.sums == {"brl": unpaid["total"]}
    told = as_json(page)
    assert list(told) == ["object", "id", "title", "head", "attention", "sections", "timeline", "complete"]
    section = next(one for one in told["sections"] if one["title"] == "Invoices")
    told_of = [section[name] for name in ("tool", "state", "count", "complete")]
    assert told_of == ["SearchPaymentsInvoices", "complete", 4, True]
    assert {"object": "invoice", "id": unpaid["id"]}.items() <= section["rows"][0].items()
    invoices = next(one for one in page.sections if one.id == "invoices")
    assert [(row.state, row.tone) for row in invoices.rows[:2]] == [("open", "warn"), ("paid", "good")], "as in tables"
    assert told["timeline"] == sorted(told["timeline"], key=lambda one: one["at"], reverse=True)


async def test_what_a_customer_owns_is_offered_with_its_query() -> None:
    async with opened(sandbox=application) as engine:
        found = {one.tool: one for one in related_tools(ObjectLink("PaymentsApi", "customer", 'cus_"A\\1'), engine.routes)}
        names = list(found)
        by_paste = pasted("cus_4R5QLgZDZXPlou", engine.routes)
        tools = engine.catalog.tools
    for tool in ("PaymentsSearchCharges", "SearchPaymentsInvoices", "SearchPaymentsPaymentIntents"):
        assert found[tool].arguments == {"search_query_string": 'customer:"cus_\\"A\\\\1"'}, "an id cannot leave its quotes"
        assert not found[tool].missing
    assert "GetCustomerSubscriptions" in names
    first_change = next(place for place, name in enumerate(names) if tools[name].effect != "read")
    assert all(tools[name].effect != "read" for name in names[first_change:])
    assert by_paste is not None
    assert {"PaymentsSearchCharges", "SearchPaymentsInvoices"} <= {one.tool for one in by_paste.targets}


async def test_entries_of_a_log_that_say_the_same_have_no_ids_behind_them() -> None:
    async with opened(sandbox=application) as engine:
        incidents = await every(engine, "ListIncidents")
        worst = max(incidents, key=lambda one: (one["status"] == "triggered", -one["incident_number"]))
        log = next(one for one in (await page_of(engine, worst["id"])).sections if one.id == "log")
        said = [row.cells[0] for row in log.rows]
        assert any(one.startswith("Notified ") for one in said)
        assert [one for one in said if "(" in one] == []
