"""What following knows: which object an id is of, which tool shows it, where the further ids come from."""

from typing import Any

import pytest

from registry.catalog.loader import load
from registry.references.knowledge import knowledge
from registry.references.naming import expand_at, expansions
from registry.references.routes import Routes
from registry.references.targets import Target, offers, pages_of, targets
from tests.hostile import STRINGS
from tests.references.locations import at, locations

TOOLS = load().tools
WAYS = Routes(load())

CARD = "card_1MvoiELkdIwHu7ixOeFGbN9D"
CHARGE = "ch_3MmlLrLkdIwHu7ix0snN0B15"
INVOICE = {
    "object": "invoice",
    "id": "in_1",
    "lines": {"object": "list", "data": [{"object": "line_item", "discounts": ["di_1"]}]},
}
CHARGED = {"object": "charge", "id": "ch_1", "customer": "cus_1", "payment_method": "pm_1"}


def follow(response: Any, *path: str | int, tool: str = "RetrieveCustomerDetails", **arguments: object) -> list[Target]:
    """Where a location in a response leads."""
    return targets(at(response, *path), TOOLS[tool], arguments, WAYS)


def calls(found: list[Target]) -> list[tuple[str, dict[str, object]]]:
    return [(target.tool, dict(target.arguments)) for target in found if not target.missing]


CUSTOMER = {"object": "customer", "id": "cus_1"}
SERVICE = {"id": "PIJ90N7", "type": "service_reference", "summary": "Checkout", "self": None}
INCIDENT = {"incident": {"id": "Q1", "type": "incident", "title": "Down", "service": SERVICE}}
FOREIGN = {"incident": {"id": "Q1", "type": "incident", "body": {"id": "acct_1", "type": "account"}}}
DAYS = {"id": "PS1", "type": "schedule_reference", "summary": "Days"}
ONCALLS = {"oncalls": [{"user": {"id": "PU1", "type": "user_reference", "summary": "Ada Byron"}, "schedule": DAYS}]}
USERS = {"results": [{"id": "7", "email": "a@b.example", "roleIds": ["3"], "primaryTeamId": "5", "superAdmin": False}]}
TEAMS = {"results": [{"id": "5", "name": "East", "userIds": ["7"], "secondaryUserIds": []}]}
FEATURES = {"object": "list", "data": [{"object": "product_feature", "id": "prodft_1"}]}
SCHEDULE = "sub_sched_1Mr3YcLkdIwHu7ixjop3qtff"
OF_ACCOUNT = {"object": "card", "id": CARD, "account": "acct_1", "customer": None}
OF_CUSTOMER = {"object": "card", "id": CARD, "account": None, "customer": CUSTOMER}
CASH = {**CUSTOMER, "cash_balance": {"object": "cash_balance", "customer": "cus_1"}}
READ_CARD = ("RetrieveCustomerPaymentSource", {"source_id": CARD, "customer_id": "cus_1"})
SHOWN = "RetrieveCustomerDetails"


def noted(text: str) -> dict[str, object]:
    return {**CUSTOMER, "metadata": {"note": text}}


FOLLOWED: list[tuple[Any, Any, str, Any]] = [
    # A field knows what it refers to; the object around an id, and the call, give the further id.
    (
        {"object": "refund", "charge": "any name"},
        ("charge",),
        SHOWN,
        ("RetrievePaymentsChargeDetails", {"charge_id": "any name"}),
    ),
    ({**CUSTOMER, "default_source": CARD}, ("default_source",), SHOWN, READ_CARD),
    (
        {"object": "fee_refund", "id": "fr_1", "fee": "fee_1"},
        (),
        SHOWN,
        ("RetrieveApplicationFeeRefundDetail", {"refund_id": "fr_1", "application_fee_id": "fee_1"}),
    ),
    (
        FEATURES,
        ("data", 0),
        "GetProductFeatures",
        ("GetProductFeatureDetails", {"product_feature_id": "prodft_1", "product_id": "prod_1"}),
    ),
    # No id of another kind is taken for the owner's: the call is made again with the object in the id's place.
    (
        {"object": "payment_intent", "id": "pi_1", "source": CARD, "on_behalf_of": "acct_1", "customer": None},
        ("source",),
        "RetrievePaymentIntentDetails",
        ("RetrievePaymentIntentDetails", {"product_id": "prod_1", "fields_to_expand": ["source"]}),
    ),
    # A card is asked for where it belongs.
    (
        OF_ACCOUNT,
        ("id",),
        SHOWN,
        ("GetPaymentsExternalAccountDetails", {"external_account_id": CARD, "payments_account_id": "acct_1"}),
    ),
    (OF_CUSTOMER, ("id",), SHOWN, READ_CARD),
    # A text that looks like an id is one.
    (noted(SCHEDULE), ("metadata", "note"), SHOWN, ("RetrieveSubscriptionSchedule", {"subscription_schedule_id": SCHEDULE})),
    *(
        (noted(text), ("metadata", "note"), SHOWN, None)
        for text in ("card_payments", "tax_rate_percentage", "pi_3MtweELk_secret_YrKJUKri", "cus_", "see cus_9s6XKzkNRiz8i3")
    ),
    # What has no id is the one of its owner.
    ({"object": "balance", "livemode": False}, (), SHOWN, ("GetCurrentAccountBalance", {})),
    (CASH, ("cash_balance",), SHOWN, ("GetCustomerCashBalance", {"customer_id": "cus_1"})),
    # Incidents say the type beside the id; a type of one service is none of another.
    *(
        (INCIDENT, ("incident", *path), "GetIncident", ("GetService", {"service_id": "PIJ90N7"}))
        for path in (("service",), ("service", "id"), ("service", "summary"))
    ),
    (INCIDENT, ("incident", "title"), "GetIncident", None),
    (INCIDENT, ("incident", "service", "type"), "GetIncident", None),
    (FOREIGN, ("incident", "body"), "GetIncident", None),
    # People are found by name, schedules in their list, and CRM ids by their fields.
    (ONCALLS, ("oncalls", 0, "user"), "ListOncalls", ("SearchUsers", {"query": "Ada Byron"})),
    (ONCALLS, ("oncalls", 0, "schedule", "id"), "ListOncalls", ("ListSchedules", {"limit": 50})),
    (USERS, ("results", 0, "roleIds", 0), "FetchCrmUsersList", ("GetAccountRoles", {})),
    (USERS, ("results", 0, "primaryTeamId"), "FetchCrmUsersList", ("ViewAccountTeams", {})),
    (USERS, ("results", 0), "FetchCrmUsersList", ("RetrieveCrmUserById", {"user_identifier": "7"})),
    (USERS["results"], (0,), "FetchCrmUsersList", ("RetrieveCrmUserById", {"user_identifier": "7"})),
    (USERS, ("results", 0, "email"), "FetchCrmUsersList", None),
    (TEAMS, ("results", 0, "userIds", 0), "ViewAccountTeams", ("RetrieveCrmUserById", {"user_identifier": "7"})),
]


@pytest.mark.parametrize(("response", "path", "tool", "expected"), FOLLOWED)
def test_where_it_leads(
    response: Any, path: tuple[str | int, ...], tool: str, expected: tuple[str, dict[str, object]] | None
) -> None:
    found = follow(response, *path, tool=tool, product_id="prod_1")
    assert calls(found) == ([] if expected is None else [expected])
    assert all((one.reach == "expanded") is ("fields_to_expand" in one.arguments) for one in found)


def test_ids_that_nothing_names_are_told() -> None:
    response = {"object": "token", "id": "tok_1", "card": {"object": "card", "id": CARD}}
    [found] = follow(response, "card", "id", tool="RetrievePaymentsToken", payments_token_id="tok_1")
    assert found.arguments == {"source_id": CARD} or found.arguments == {"external_account_id": CARD}
    assert len(found.missing) == 1


def test_two_types_of_one_prefix_are_both_given() -> None:
    response = {"object": "customer", "id": "cus_1", "metadata": {"note": "cbtxn_1MrUn9LkdIwHu7ix1LM2YI9d"}}
    assert {target.tool for target in follow(response, "metadata", "note")} == {
        "GetCreditBalanceTransaction",
        "GetCustomerBalanceTransaction",
    }


def test_older_tools_come_last() -> None:
    assert [way.tool.name for way in WAYS.of(TOOLS["GetSubscriptionDetails"]).retrieving["subscription"]] == [
        "GetSubscriptionDetails",
        "RetrievePaymentsSubscriptionById",
    ]
    for name in knowledge("PaymentsApi").older:
        assert TOOLS[name].effect == "read"


def test_a_discount_is_shown_where_it_belongs() -> None:
    def discount(**owners: str) -> dict[str, object]:
        return {"object": "discount", "id": "di_1", "customer": "cus_1", **owners}

    assert [one.tool for one in follow(discount())] == ["RetrieveCustomerDiscount"]
    assert [one.tool for one in follow(discount(subscription="sub_1"))] == ["GetSubscriptionDiscount"]
    assert follow(discount(invoice="in_1")) == []


def test_the_call_on_screen_is_known() -> None:
    response = {"object": "charge", "id": CHARGE}
    [found] = follow(response, "id", tool="RetrievePaymentsChargeDetails", charge_id=CHARGE)
    assert found.is_shown_by(TOOLS["RetrievePaymentsChargeDetails"], {"charge_id": CHARGE, "fields_to_expand": ["customer"]})
    assert not found.is_shown_by(TOOLS["RetrievePaymentsChargeDetails"], {"charge_id": "ch_2"})
    assert not found.is_shown_by(TOOLS["PaymentsSearchCharges"], {"charge_id": CHARGE})


# What else, pages, expanding


def test_what_else_reads_first_and_deletes_last() -> None:
    found = offers(at({"object": "customer", "id": "cus_1", "name": "Ada"}, "name"), TOOLS["RetrieveCustomerDetails"], {}, WAYS)
    effects = [TOOLS[one.tool].effect for one in found]
    assert effects == sorted(effects, reverse=True)
    tools = {one.tool: one for one in found}
    assert dict(tools["GetCustomerCards"].arguments) == {"customer_id": "cus_1"}
    assert dict(tools["DeletePaymentsCustomer"].arguments) == {"customer_id": "cus_1"}
    assert tools["RetrieveCustomerPaymentSource"].missing == ("source_id",)
    assert found[-1].words == TOOLS[found[-1].tool].summary


def test_what_else_of_an_incident_service_fills_lists() -> None:
    response = {"service": {"id": "PS", "type": "service"}}
    found = offers(at(response, "service", "id"), TOOLS["GetService"], {}, WAYS)
    assert {one.tool: dict(one.arguments) for one in found}["ListIncidents"] == {"service_ids": ["PS"]}


def test_a_list_inside_an_object_is_paged_by_its_address() -> None:
    def target(url: object) -> Target | None:
        lines = {"object": "list", "url": url, "has_more": True, "data": []}
        response = {"object": "subscription", "id": "sub_1", "items": lines}
        return pages_of(at(response, "items"), TOOLS["GetSubscriptionDetails"], WAYS)

    found = target("/v1/subscription_items?subscription=sub_1")
    assert found is not None
    assert calls([found]) == [("GetSubscriptionItems", {"subscription_id": "sub_1"})]
    slash = target("/v1/customers/a%2Fb/sources")
    assert slash is not None
    assert slash.arguments == {"customer_id": "a/b"}
    for url in ("http://[", "/v1/subscription_items", "/v1/nowhere", "", None, 7, "/" * 9_000):
        assert target(url) is None, url


def test_the_answer_itself_is_no_list_inside() -> None:
    response = {"object": "list", "url": "/v1/quotes", "data": [{"object": "quote", "id": "qt_1"}]}
    assert pages_of(at(response, "data", 0, "id"), TOOLS["RetrieveQuotesList"], WAYS) is None


@pytest.mark.parametrize(
    ("tool", "response", "path", "given", "expected"),
    [
        ("RetrievePaymentsChargeDetails", CHARGED, ("customer",), None, ["customer"]),
        ("RetrievePaymentsChargeDetails", CHARGED, ("customer",), "review, transfer", ["review", "transfer", "customer"]),
        ("RetrievePaymentsChargeDetails", CHARGED, ("customer",), ["customer"], None),
        ("RetrievePaymentsChargeDetails", CHARGED, ("payment_method",), None, None),
        ("PaymentsSearchCharges", {"object": "list", "data": [CHARGED]}, ("data", 0, "customer"), None, ["data.customer"]),
        ("RetrieveInvoiceById", INVOICE, ("lines", "data", 0, "discounts", 0), None, ["lines.data.discounts"]),
        (
            "RetrievePaymentsEventDetails",
            {"object": "event", "id": "evt_1", "data": {"object": CHARGED}}, ("data", "object", "customer"), None, None,
        ),
    ],
)  # fmt: skip
def test_expanding_where_the_cursor_stands(
    tool: str, response: Any, path: tuple[str | int, ...], given: object, expected: list[str] | None
) -> None:
    parameter = TOOLS[tool].with_role("expand")
    assert parameter is not None
    arguments = {"charge_id": "ch_1"} | ({} if given is None else {parameter.name: given})
    found = expand_at(at(response, *path), TOOLS[tool], arguments)
    assert found == (None if expected is None else arguments | {parameter.name: expected})


def test_expanding_offers_what_comes_in_the_place_of_the_chosen() -> None:
    tool = TOOLS["RetrievePaymentsChargeDetails"]
    assert "customer" in expansions(tool)
    assert "customer.default_source" not in expansions(tool)
    assert {"customer.default_source", "customer.invoice_settings.default_payment_method"} <= set(
        expansions(tool, ["customer"])
    )
    assert "refunds.data.balance_transaction" in expansions(tool, ["refunds"])
    assert "data.applies_to" not in expansions(TOOLS["GetCouponDetails"])
    assert "applies_to" in expansions(TOOLS["GetCouponDetails"])
    assert expansions(TOOLS["GetIncident"]) == []


# Hostile responses


@pytest.mark.parametrize("tool", ["RetrieveCustomerDetails", "GetIncident", "FetchCrmUsersList"])
def test_no_text_breaks_following(tool: str) -> None:
    for text in STRINGS:
        inner = {"object": text, "type": text, "id": text, "url": text, "charge": text, "data": [text]}
        response: dict[str, Any] = {"object": text, "type": text, "id": text, text: text, "results": [inner]}
        response["sources"] = {**inner, "object": "list"}
        for place in locations(response):
            targets(place, TOOLS[tool], {}, WAYS)
            offers(place, TOOLS[tool], {}, WAYS)
            pages_of(place, TOOLS[tool], WAYS)
            expand_at(place, TOOLS[tool], {})
