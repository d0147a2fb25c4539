"""Where an id for a parameter is found, and what must be known before."""

from __future__ import annotations

from registry.calling.arguments import check
from registry.catalog.loader import load
from registry.references.routes import IdSource, Routes, sources_of

CATALOG = load()
TOOLS = CATALOG.tools
WAYS = Routes(CATALOG)


def sources(tool: str, name: str, **raw: object) -> list[IdSource]:
    parameter = TOOLS[tool].parameter(name)
    assert parameter is not None
    return sources_of(TOOLS[tool], parameter, raw, WAYS)


def test_a_list_that_needs_nothing() -> None:
    first = sources("ListIncidents", "team_ids")[0]
    assert (first.tool.name, first.missing, first.known) == ("ListTeams", (), {"limit": 50})
    assert sources("GetIncident", "incident_id")[0].tool.name == "ListIncidents"
    assert sources("RetrieveCrmUserById", "user_identifier")[0].tool.name == "FetchCrmUsersList"


def test_whose_list_it_is_comes_from_the_other_fields() -> None:
    known = sources("RetrieveCustomerPaymentSource", "source_id", customer_id="cus_1")[0]
    assert (known.tool.name, known.missing) == ("ListCustomerPaymentSources", ())
    assert known.known["customer_id"] == "cus_1"
    unknown = sources("GetCustomerCardDetails", "card_id")[0]
    assert (unknown.tool.name, [one.name for one in unknown.missing]) == ("GetCustomerCards", ["customer_id"])


def test_what_is_searched_and_not_listed() -> None:
    customers = sources("GetCustomerCards", "customer_id")[0]
    assert customers.tool.name == "SearchPaymentsCustomers"
    assert customers.asking("") == {"customer_result_limit": 100, "search_query_string": "created>0"}
    # What would end the quotes has no place in them.
    asked = customers.asking('ro"s\\si')
    assert asked == {"customer_result_limit": 100, "search_query_string": 'name~"rossi" OR email~"rossi"'}
    assert customers.asking("ro") is None
    assert sources("ListIncidents", "team_ids")[0].asking("web") is None
    assert sources("ListIncidents", "service_ids")[0].asking("web") == {"limit": 50, "query": "web"}


def test_nothing_lists_mandates() -> None:
    assert sources("RetrieveMandateInfo", "mandate_id") == []


def test_a_mixed_list_holds_what_is_wanted_and_more() -> None:
    source = sources("GetCustomerCardDetails", "card_id", customer_id="cus_1")
    mixed = next(one for one in source if one.tool.name == "ListCustomerPaymentSources")
    assert mixed.holds({"object": "card"})
    assert not mixed.holds({"object": "bank_account"})
    assert not mixed.holds(7)


def test_every_source_can_be_asked() -> None:
    """Whatever the catalogue says, the arguments of a source are right, owners aside."""
    count = 0
    for tool in TOOLS.values():
        for parameter in tool.parameters:
            for source in sources_of(tool, parameter, {}, WAYS):
                owners = {one.name: "x_1" for one in source.missing}
                assert not check(source.tool, {**source.known, **owners}).errors, (tool.name, parameter.name)
                words = source.asking("abc")
                assert words is None or not check(source.tool, {**words, **owners}).errors
                count += 1
    assert count > 100
