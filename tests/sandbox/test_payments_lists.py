"""Lists and searches: pages in both directions, filters, and what each refuses."""

from typing import Any

import pytest

from registry.sandbox import store
from registry.sandbox.payments.shapes import Builder
from tests.sandbox.direct import Direct
from tests.sandbox.payments_fakes import NOW, dataset, delete, fresh, get, id_of, ids, new, refusal, small

AMY, RESELLER = id_of("customer", "amy"), id_of("account", "reseller")
REFUNDS, OPEN = f"/v1/charges/{id_of('charge', '7')}/refunds", f"/v1/quotes/{id_of('quote', 'open')}"


@pytest.mark.parametrize(
    "path",
    [
        REFUNDS,
        f"/v1/customers/{AMY}/sources",
        f"{OPEN}/line_items",
        f"/v1/invoices/{id_of('invoice', 'draft')}/lines",
        f"/v1/subscription_items?subscription={id_of('subscription', 'running')}",
        f"/v1/accounts/{RESELLER}/external_accounts",
        "/v1/country_specs",
    ],
)
def test_pages_in_both_directions_give_the_whole_list(path: str) -> None:
    path += "&" if "?" in path else "?"
    whole = ids(f"{path}limit=100")
    assert len(set(whole)) == len(whole) > 1
    forward: list[str] = []
    more, cursor = True, ""
    while more:
        page = get(f"{path}limit=2{cursor}")
        forward += [one["id"] for one in page["data"]]
        more, cursor = page["has_more"], f"&starting_after={forward[-1]}"
    assert forward == whole
    backward, more = whole[-1:], True
    while more:
        page = get(f"{path}limit=2&ending_before={backward[0]}")
        backward, more = [one["id"] for one in page["data"]] + backward, page["has_more"]
    assert backward == whole
    for cursor in (f"starting_after={whole[-1]}", f"ending_before={whole[0]}"):
        page = get(path + cursor)
        assert (page["data"], page["has_more"]) == ([], False), "beyond the end"


REVERSALS = f"/v1/treasury/debit_reversals?financial_account={id_of('treasury.financial_account', 'main')}"
FEATURES, CONFIGURATIONS = "/v1/entitlements/features", "/v1/terminal/configurations"
CLOCKED = {id_of("quote", "clocked")}


def keyed(kind: str, *keys: str) -> set[str]:
    return {id_of(kind, key) for key in keys}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{FEATURES}?archived=true", keyed("entitlements.feature", "fax")),
        (f"{FEATURES}?archived=false", keyed("entitlements.feature", "sso")),
        (f"{FEATURES}?lookup_key=fax", keyed("entitlements.feature", "fax")),
        (f"{FEATURES}?lookup_key=none", set()),
        (CONFIGURATIONS, keyed("terminal.configuration", "default", "other", "silent")),
        (f"{CONFIGURATIONS}?is_account_default=true", keyed("terminal.configuration", "default")),
        (f"{CONFIGURATIONS}?is_account_default=false", keyed("terminal.configuration", "other", "silent")),
        ("/v1/quotes", keyed("quote", "open", "draft")),  # those on clocks only when the clock or the customer is named
        (f"/v1/quotes?test_clock={id_of('test_helpers.test_clock', 'spring')}", CLOCKED),
        (f"/v1/quotes?customer={id_of('customer', 'clocked')}", CLOCKED),
        (f"/v1/quotes?status=draft&customer={AMY}", keyed("quote", "draft")),
        (f"/v1/customers/{AMY}/subscriptions", keyed("subscription", "running", "trial")),  # and none that has ended
        (f"/v1/customers/{AMY}/sources?object=card", keyed("card", *(f"amy-{number}" for number in range(4)))),
        (f"/v1/customers/{AMY}/sources?object=account", set()),
        (f"/v1/payment_methods?customer={AMY}&type=card", keyed("payment_method", *(f"amy-{one}" for one in range(1, 13, 2)))),
        (f"/v1/customers/{AMY}/payment_methods?allow_redisplay=limited", set()),
        (f"{REVERSALS}&status=completed", keyed("treasury.debit_reversal", "succeeded")),
        (f"{REVERSALS}&status=canceled", keyed("treasury.debit_reversal", "failed")),
        (f"{REVERSALS}&resolution=lost", keyed("treasury.debit_reversal", "failed")),
        (f"{REVERSALS}&resolution=lost&status=completed", set()),
        (f"/v1/billing/credit_balance_transactions?customer={AMY}", keyed("billing.credit_balance_transaction", "amy")),
        (f"/v1/billing/credit_balance_transactions?customer={id_of('customer', 'plain')}", set()),
        (
            f"/v1/billing/credit_balance_transactions?customer={id_of('customer', 'plain')}"
            f"&credit_grant={id_of('billing.credit_grant', 'amy')}",
            set(),
        ),
        (f"/v1/accounts/{RESELLER}/capabilities", {"card_payments", "transfers"}),
    ],
)
def test_what_is_on_a_list(path: str, expected: set[str]) -> None:
    assert set(ids(path)) == expected


def search(kind: str, query: str, api: Direct | None = None, **params: Any) -> Any:
    return (api or small()).get(f"/v1/{kind}/search", **{"query": query, "limit": 100} | params)


def test_pages_of_a_search_give_everything_once() -> None:
    whole = search("charges", "amount>0")
    said = [whole[name] for name in ("object", "url", "has_more", "next_page")]
    assert said == ["search_result", "/v1/charges/search", False, None]
    assert "total_count" not in whole
    ids: list[str] = []
    params: dict[str, Any] = {"limit": 7}
    while True:
        page = search("charges", "amount>0", **params)
        ids += [one["id"] for one in page["data"]]
        assert page["has_more"] == (page["next_page"] is not None)
        if not page["has_more"]:
            break
        params["page"] = page["next_page"]
    assert ids == [one["id"] for one in whole["data"]]
    assert len(ids) == len(set(ids)) == 36


def test_what_is_deleted_between_pages_neither_repeats_nor_hides_others() -> None:
    with fresh() as api:
        first = search("customers", "created>0", api, limit=2)
        delete(api, f"/v1/customers/{first['data'][-1]['id']}")
        second = search("customers", "created>0", api, limit=2, page=first["next_page"])
    assert len({one["id"] for one in first["data"] + second["data"]}) == 3


def test_a_page_belongs_to_its_query() -> None:
    token = search("charges", "amount>0", limit=1)["next_page"]
    for query, page in (("amount>1", token), ("amount>0", "x" + token), ("amount>0", "!"), ("amount>0", "é")):
        status, error = refusal(f"/v1/charges/search?query={query}&page={page}")
        assert (status, error["param"]) == (400, "page")


def _many(builder: Builder) -> None:
    for number in range(20_000):
        new(builder, "customer", str(number), NOW - number, name=f"Person Number {number}", email=f"p{number}@many.example")


def test_a_search_among_many_reads_no_object_that_does_not_match(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    decoded = store._row

    def noted(found: tuple[str, int, str]) -> store.StoredRow:
        read.append(found[0])
        return decoded(found)

    monkeypatch.setattr(store, "_row", noted)
    with fresh(dataset(_many, "customer")) as api:
        found = search("customers", "name~'number 19999'", api)
        assert [one["email"] for one in found["data"]] == ["p19999@many.example"]
        assert read == [found["data"][0]["id"]]
        search("customers", "name~'person'", api, limit=1)
        assert len(read) <= 3
