"""Lists: pages in both directions, filters, and what a list refuses."""

from __future__ import annotations

from typing import Any

import pytest

from registry.sandbox.payments.operations import LISTS
from tests.sandbox.payments_fakes import NOW, id_of, reader

AMY = id_of("customer", "amy")

WHOLE_LISTS = [
    f"/v1/charges/{id_of('charge', '7')}/refunds",
    f"/v1/customers/{AMY}/sources",
    f"/v1/customers/{AMY}/payment_methods",
    f"/v1/quotes/{id_of('quote', 'open')}/line_items",
    f"/v1/invoices/{id_of('invoice', 'draft')}/lines",
    f"/v1/subscription_items?subscription={id_of('subscription', 'running')}",
    f"/v1/accounts/{id_of('account', 'reseller')}/external_accounts",
    "/v1/entitlements/features",
    "/v1/country_specs",
]


async def get(api: Any, path: str, **params: Any) -> Any:
    response = await api.get(path, params=params or None)
    assert response.status_code == 200, response.text
    return response.json()


def joined(path: str, **params: Any) -> str:
    return path + ("&" if "?" in path else "?") + "&".join(f"{name}={value}" for name, value in params.items())


@pytest.mark.parametrize("path", WHOLE_LISTS)
async def test_pages_in_both_directions_give_the_whole_list(path: str) -> None:
    async with reader() as api:
        whole = await get(api, joined(path, limit=100))
        ids = [one["id"] for one in whole["data"]]
        assert not whole["has_more"]
        assert len(set(ids)) == len(ids) > 1

        forward: list[str] = []
        more, cursor = True, ""
        while more:
            page = await get(api, joined(path, limit=2, **({"starting_after": cursor} if cursor else {})))
            forward += [one["id"] for one in page["data"]]
            more, cursor = page["has_more"], forward[-1]
        assert forward == ids

        backward: list[str] = [ids[-1]]
        more = True
        while more:
            page = await get(api, joined(path, limit=2, ending_before=backward[0]))
            backward = [one["id"] for one in page["data"]] + backward
            more = page["has_more"]
        assert backward == ids


async def test_a_page_holds_ten_unless_asked_otherwise() -> None:
    async with reader() as api:
        page = await get(api, f"/v1/charges/{id_of('charge', '7')}/refunds")
        assert (page["object"], page["url"]) == ("list", f"/v1/charges/{id_of('charge', '7')}/refunds")
        assert len(page["data"]) == 10
        assert page["has_more"]
        created = [one["created"] for one in page["data"]]
        assert created == sorted(created, reverse=True)


async def test_lines_run_from_the_oldest_on() -> None:
    async with reader() as api:
        page = await get(api, f"/v1/quotes/{id_of('quote', 'open')}/line_items", limit=3)
        assert [one["description"].split()[1] for one in page["data"]] == ["0", "1", "2"]
        upfront = await get(api, f"/v1/quotes/{id_of('quote', 'open')}/computed_upfront_line_items", limit=3)
        assert [one["description"].split()[1] for one in upfront["data"]] == ["0", "2", "4"]


async def test_beyond_the_end_a_page_is_empty() -> None:
    async with reader() as api:
        whole = await get(api, "/v1/country_specs")
        after = await get(api, "/v1/country_specs", starting_after=whole["data"][-1]["id"])
        before = await get(api, "/v1/country_specs", ending_before=whole["data"][0]["id"])
        assert (after["data"], after["has_more"]) == ([], False)
        assert (before["data"], before["has_more"]) == ([], False)


async def test_exchange_rates_come_all_at_once_by_currency() -> None:
    async with reader() as api:
        rates = await get(api, "/v1/exchange_rates")
        assert [one["id"] for one in rates["data"]] == ["aud", "eur", "gbp", "jpy", "usd"]
        page = await get(api, "/v1/exchange_rates", starting_after="eur", limit=2)
        assert [one["id"] for one in page["data"]] == ["gbp", "jpy"]


FILTERED: list[tuple[str, list[str]]] = [
    ("/v1/entitlements/features?archived=true", ["fax"]),
    ("/v1/entitlements/features?archived=false", ["sso"]),
    ("/v1/entitlements/features?lookup_key=fax", ["fax"]),
    ("/v1/entitlements/features?lookup_key=none", []),
]


@pytest.mark.parametrize(("path", "keys"), FILTERED)
async def test_features_by_filter(path: str, keys: list[str]) -> None:
    async with reader() as api:
        assert [one["lookup_key"] for one in (await get(api, path))["data"]] == keys


async def test_a_flag_that_is_not_set_counts_as_false() -> None:
    async with reader() as api:
        ids = {value: [one["id"] for one in (await get(api, path))["data"]] for value, path in (
            ("all", "/v1/terminal/configurations"),
            ("true", "/v1/terminal/configurations?is_account_default=true"),
            ("false", "/v1/terminal/configurations?is_account_default=false"),
        )}  # fmt: skip
        kind = "terminal.configuration"
        assert ids["true"] == [id_of(kind, "default")]
        assert sorted(ids["false"]) == sorted([id_of(kind, "other"), id_of(kind, "silent")])
        assert len(ids["all"]) == 3


async def test_quotes_on_clocks_show_only_when_the_clock_or_customer_is_named() -> None:
    async with reader() as api:
        clocked = id_of("quote", "clocked")
        clock = id_of("test_helpers.test_clock", "spring")
        assert clocked not in [one["id"] for one in (await get(api, "/v1/quotes"))["data"]]
        for named in (f"test_clock={clock}", f"customer={id_of('customer', 'clocked')}"):
            assert [one["id"] for one in (await get(api, f"/v1/quotes?{named}"))["data"]] == [clocked]
        drafts = await get(api, f"/v1/quotes?status=draft&customer={AMY}")
        assert [one["id"] for one in drafts["data"]] == [id_of("quote", "draft")]


async def test_ended_subscriptions_are_not_on_the_customers_list() -> None:
    async with reader() as api:
        listed = await get(api, f"/v1/customers/{AMY}/subscriptions")
        assert {one["status"] for one in listed["data"]} == {"active", "trialing"}
        single = await get(api, f"/v1/customers/{AMY}/subscriptions/{id_of('subscription', 'ended')}")
        assert single["status"] == "canceled"


async def test_sources_by_object() -> None:
    async with reader() as api:
        for kind, number in (("card", 4), ("bank_account", 3), ("source", 1), ("account", 0)):
            found = await get(api, f"/v1/customers/{AMY}/sources?object={kind}")
            assert [one["object"] for one in found["data"]] == [kind] * number
        refused = await api.get(f"/v1/customers/{AMY}/sources?object=boat")
        assert refused.json()["error"]["param"] == "object"
        cards = await get(api, f"/v1/customers/{AMY}/cards")
        assert len(cards["data"]) == 4


async def test_payment_methods_by_type_and_redisplay() -> None:
    async with reader() as api:
        cards = await get(api, f"/v1/payment_methods?customer={AMY}&type=card")
        assert {one["type"] for one in cards["data"]} == {"card"}
        assert len(cards["data"]) == 6
        none = await get(api, f"/v1/customers/{AMY}/payment_methods?allow_redisplay=limited")
        assert none["data"] == []


async def test_debit_reversals_by_what_the_filters_call_their_outcome() -> None:
    async with reader() as api:
        path = f"/v1/treasury/debit_reversals?financial_account={id_of('treasury.financial_account', 'main')}"
        for given, status in (
            ("status=completed", "succeeded"),
            ("status=canceled", "failed"),
            ("status=processing", "processing"),
            ("resolution=won", "succeeded"),
            ("resolution=lost", "failed"),
        ):
            assert [one["status"] for one in (await get(api, f"{path}&{given}"))["data"]] == [status]


async def test_credit_balance_transactions_are_those_of_the_customers_grants() -> None:
    async with reader() as api:
        grant = id_of("billing.credit_grant", "amy")
        listed = await get(api, f"/v1/billing/credit_balance_transactions?customer={AMY}")
        assert [one["credit_grant"] for one in listed["data"]] == [grant, grant]
        none = await get(api, f"/v1/billing/credit_balance_transactions?customer={id_of('customer', 'plain')}")
        assert none["data"] == []


async def test_capabilities_and_report_types_have_no_pages() -> None:
    async with reader() as api:
        listed = await get(api, f"/v1/accounts/{id_of('account', 'reseller')}/capabilities")
        assert sorted(one["id"] for one in listed["data"]) == ["card_payments", "transfers"]
        refused = await api.get("/v1/reporting/report_types?limit=3")
        assert refused.json()["error"]["code"] == "parameter_unknown"


async def test_owners_of_a_linked_account_need_its_own_ownership() -> None:
    account, ownership = id_of("financial_connections.account", "amy"), id_of("financial_connections.account_ownership", "amy")
    async with reader() as api:
        for start in ("financial_connections/accounts", "linked_accounts"):
            assert len((await get(api, f"/v1/{start}/{account}/owners?ownership={ownership}"))["data"]) == 2
            other = await api.get(f"/v1/{start}/{account}/owners?ownership=fcaowns_other")
            assert (other.status_code, other.json()["error"]["param"]) == (400, "ownership")
        embedded = await get(api, f"/v1/financial_connections/accounts/{account}?expand[]=ownership")
        assert len(embedded["ownership"]["owners"]["data"]) == 2
        assert account in embedded["ownership"]["owners"]["url"]


SUMMARIES = f"/v1/billing/meters/{{meter}}/event_summaries?customer={AMY}"
TWO_DAYS_AGO = NOW - 2 * 86_400


async def summaries(api: Any, formula: str = "sum", **params: Any) -> Any:
    given = {"start_time": TWO_DAYS_AGO, "end_time": NOW} | params
    return await get(api, joined(SUMMARIES.format(meter=id_of("billing.meter", formula)), **given))


@pytest.mark.parametrize(
    ("formula", "whole", "days"),
    [("sum", 190 + 670, [670, 190]), ("count", 40, [20, 20]), ("last", 43, [43, 19])],
)
async def test_usage_is_summed_over_the_window_and_by_day(formula: str, whole: int, days: list[int]) -> None:
    async with reader() as api:
        (one,) = (await summaries(api, formula))["data"]
        assert (one["aggregated_value"], one["start_time"], one["end_time"]) == (whole, TWO_DAYS_AGO, NOW)
        assert one["id"].startswith("mtrusg_")
        by_day = (await summaries(api, formula, value_grouping_window="day"))["data"]
        assert [one["aggregated_value"] for one in by_day] == days
        assert [one["start_time"] for one in by_day] == [NOW - 86_400, TWO_DAYS_AGO]


async def test_usage_by_hour_leaves_out_idle_hours_and_has_pages() -> None:
    async with reader() as api:
        whole = await summaries(api, value_grouping_window="hour", limit=100)
        ids = [one["id"] for one in whole["data"]]
        assert len(ids) == len(set(ids)) == 40
        page = await summaries(api, value_grouping_window="hour", limit=15, starting_after=ids[9])
        assert [one["id"] for one in page["data"]] == ids[10:25]
        assert page["has_more"]
        page = await summaries(api, value_grouping_window="hour", limit=15, ending_before=ids[9])
        assert [one["id"] for one in page["data"]] == ids[:9]
        assert not page["has_more"]


@pytest.mark.parametrize(
    ("params", "param"),
    [
        ({"start_time": TWO_DAYS_AGO + 1}, "start_time"),
        ({"end_time": NOW - 59}, "end_time"),
        ({"start_time": TWO_DAYS_AGO + 60, "value_grouping_window": "hour"}, "start_time"),
        ({"end_time": NOW - 3600, "value_grouping_window": "day"}, "end_time"),
        ({"start_time": NOW}, "end_time"),
        ({"value_grouping_window": "week"}, "value_grouping_window"),
    ],
)
async def test_usage_windows_lie_on_whole_units(params: dict[str, Any], param: str) -> None:
    async with reader() as api:
        given = {"start_time": TWO_DAYS_AGO, "end_time": NOW} | params
        response = await api.get(joined(SUMMARIES.format(meter=id_of("billing.meter", "sum")), **given))
        assert response.status_code == 400
        assert response.json()["error"]["param"] == param


NEWEST_FIRST = (
    "/v1/accounts/{account}/capabilities",
    "/v1/application_fees/{id}/refunds",
    "/v1/charges",
    "/v1/charges/{charge}/refunds",
    "/v1/customers",
    "/v1/invoice_rendering_templates",
    "/v1/issuing/physical_bundles",
    "/v1/transfers/{id}/reversals",
)
"""The lists of which the documentation says so."""


def test_lists_have_the_order_that_is_documented() -> None:
    assert not any(LISTS[path].oldest_first for path in NEWEST_FIRST)
