"""What is offered for an id or an address that was pasted where a tool is looked for."""

from __future__ import annotations

import pytest

from registry.calling.arguments import check
from registry.catalog.loader import load
from registry.references.pasted import pasted
from registry.references.routes import Routes
from tests.hostile import STRINGS

TOOLS = load().tools
WAYS = Routes(load())


def offered(text: str) -> list[tuple[str, dict[str, object]]]:
    found = pasted(text, WAYS)
    return [(target.tool, dict(target.arguments)) for target in found.targets] if found is not None else []


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("cus_4R5QLgZDZXPlou", "RetrieveCustomerDetails", {"customer_id": "cus_4R5QLgZDZXPlou"}),
        ("in_1MtHbELkdIwHu7ix", "RetrieveInvoiceById", {"invoice_id": "in_1MtHbELkdIwHu7ix"}),
        ("  'cus_4R5QLgZDZXPlou', ", "RetrieveCustomerDetails", {"customer_id": "cus_4R5QLgZDZXPlou"}),
        ("QH1Y0P88L40VMQ", "GetIncident", {"incident_id": "QH1Y0P88L40VMQ"}),
        ("#4062", "GetIncident", {"incident_id": "4062"}),
        ("(#7)", "GetIncident", {"incident_id": "7"}),
        ("41758793", "RetrieveCrmUserById", {"user_identifier": "41758793"}),
        ("ada@shop.example", "SearchPaymentsCustomers", {"search_query_string": 'email:"ada@shop.example"'}),
        ("<o'@shop.example>", "", {}),
    ],
)
def test_what_shows_it_comes_first(text: str, tool: str, arguments: dict[str, object]) -> None:
    found = offered(text)
    assert found[:1] == ([(tool, arguments)] if tool else [])


def test_then_what_reads_then_what_changes_then_what_deletes() -> None:
    effects = [TOOLS[name].effect for name, _ in offered("cus_4R5QLgZDZXPlou")]
    assert effects == sorted(effects, key=["read", "write", "delete"].index)
    assert {"GetCustomerCards", "DeletePaymentsCustomer"} <= {name for name, _ in offered("cus_4R5QLgZDZXPlou")}
    found = pasted("cards of cus_4R5QLgZDZXPlou", WAYS)
    assert found is not None
    assert (found.id, found.words) == ("cus_4R5QLgZDZXPlou", "cards of")
    assert [name for name, _ in offered("PSU8L93")[:4]] == ["GetIncident", "GetService", "GetEscalationPolicy", "GetTeam"]
    assert [name for name, _ in offered("41758793")] == ["RetrieveCrmUserById", "UpdateCrmUserInfo", "RemoveCrmUser"]


def test_an_address_is_looked_for_everywhere() -> None:
    found = dict(offered("sam.ode@fernway.example"))
    assert list(found)[:3] == ["SearchPaymentsCustomers", "SearchUsers", "RetrieveCrmUserById"]
    assert found["SearchUsers"] == {"query": "sam.ode@fernway.example"}
    assert found["RetrieveCrmUserById"] == {"user_identifier": "sam.ode@fernway.example", "user_identifier_property": "EMAIL"}


@pytest.mark.parametrize(
    "text",
    ["", "cust", "PAYMENT", "cus_", "card_payments", "1", "#", "#40-62", "#1234567890", "a@b", "@", "x" * 300, *STRINGS],
)
def test_what_is_no_id_is_left_to_the_search(text: str) -> None:
    assert pasted(text, WAYS) is None


def test_every_call_that_is_offered_and_lacks_nothing_is_accepted() -> None:
    for text in ("cus_4R5QLgZDZXPlou", "sam.ode@fernway.example", "QH1Y0P88L40VMQ", "41758793"):
        found = pasted(text, WAYS)
        assert found is not None
        for target in found.targets:
            assert bool(check(TOOLS[target.tool], target.arguments).errors) == bool(target.missing), target
