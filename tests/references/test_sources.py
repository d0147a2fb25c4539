"""Where an id for a parameter is found, and what is offered for an id or an address that was pasted."""

import pytest

from registry.calling.arguments import check
from registry.catalog.loader import load
from registry.references.routes import IdSource, Routes, sources_of
from registry.references.targets import pasted
from tests.cases import cases_beside
from tests.hostile import STRINGS

CASES = cases_beside(__file__)

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
    # A name is searched as it is typed; what would end the quotes is escaped.
    asked = customers.asking('ro"s\\si')
    assert asked == {"customer_result_limit": 100, "search_query_string": r'name~"ro\"s\\si" OR email~"ro\"s\\si"'}
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


def offered(text: str) -> list[tuple[str, dict[str, object]]]:
    found = pasted(text, WAYS)
    return [(target.tool, dict(target.arguments)) for target in found.targets] if found is not None else []


@pytest.mark.parametrize(("text", "tool", "arguments"), CASES["what shows an id"])
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
    "text", ["", "cust", "PAYMENT", "cus_", "card_payments", "1", "#", "#40-62", "#1234567890", "a@b", "@", "x" * 300, *STRINGS]
)
def test_what_is_no_id_is_left_to_the_search(text: str) -> None:
    assert pasted(text, WAYS) is None


def test_every_call_that_is_offered_and_lacks_nothing_is_accepted() -> None:
    for text in ("cus_4R5QLgZDZXPlou", "sam.ode@fernway.example", "QH1Y0P88L40VMQ", "41758793"):
        found = pasted(text, WAYS)
        assert found is not None
        for target in found.targets:
            assert bool(check(TOOLS[target.tool], target.arguments).errors) == bool(target.missing), target
