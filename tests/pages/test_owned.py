"""From an owner to what it owns, also where only a search's query holds the link."""

from __future__ import annotations

from registry.pages.page import ObjectLink
from registry.pages.subjects import related_tools
from registry.references.pasted import pasted
from registry.sandbox.server import application
from tests.opened import opened


async def test_what_a_customer_owns_is_offered_with_its_query() -> None:
    async with opened(sandbox=application) as engine:
        found = {one.tool: one for one in related_tools(ObjectLink("PaymentsApi", "customer", 'cus_"A\\1'), engine.routes)}
        names = list(found)
        by_paste = pasted("cus_4R5QLgZDZXPlou", engine.routes)
        tools = engine.catalog.tools
    for tool in ("PaymentsSearchCharges", "SearchPaymentsInvoices", "SearchPaymentsPaymentIntents"):
        assert found[tool].arguments == {"search_query_string": 'customer:"cus_A1"'}, "an id cannot leave its quotes"
        assert not found[tool].missing
    assert "GetCustomerSubscriptions" in names
    first_change = next(place for place, name in enumerate(names) if tools[name].effect != "read")
    assert all(tools[name].effect != "read" for name in names[first_change:])
    assert by_paste is not None
    assert {"PaymentsSearchCharges", "SearchPaymentsInvoices"} <= {one.tool for one in by_paste.targets}
