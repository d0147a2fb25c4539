"""The official client of the payments platform goes through the sandbox's own world over a real socket."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx
import pytest
import stripe

from registry.sandbox.payments.operations import DELETIONS
from registry.sandbox.server import application
from tests.sandbox.payments_addresses import addresses
from tests.sandbox.serving import served
from tests.sandbox.written_worlds import NOW, WORLD, written

Client = stripe.StripeClient


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(application(seed=WORLD.seed, now=NOW, strict_keys=True)) as found:
        yield found


@pytest.fixture
def vendor(address: str) -> Client:
    return connected(address)


SECRET_KEY = "sk_test_sandbox"


def connected(address: str, key: str = SECRET_KEY) -> Client:
    bases: Any = {"api": f"{address}/payments", "files": f"{address}/files"}
    return Client(key, base_addresses=bases, max_network_retries=0)


def most(kind: str, member: str, field: str) -> str:
    """The object of a kind that most members name in a field."""
    named = [row.body.get(field) for row in written(WORLD)[member]]
    return max((row.id for row in written(WORLD)[kind]), key=named.count)


CUSTOMER, INVOICE = most("customer", "payment_method", "customer"), most("invoice", "line_item", "invoice")

PAGED: dict[str, Callable[[Client, Any], Any]] = {
    "payment methods": lambda vendor, params: vendor.v1.customers.payment_methods.list(CUSTOMER, params),
    "sources": lambda vendor, params: vendor.v1.customers.payment_sources.list(CUSTOMER, params),
    "invoice lines": lambda vendor, params: vendor.v1.invoices.line_items.list(INVOICE, params),
    "tax codes": lambda vendor, params: vendor.v1.tax_codes.list(params),
    "exchange rates": lambda vendor, params: vendor.v1.exchange_rates.list(params),
}


@pytest.mark.parametrize("what", PAGED)
def test_lists_page_by_themselves_in_both_directions(vendor: Client, what: str) -> None:
    def ids(**params: Any) -> list[str]:
        return [one.id for one in PAGED[what](vendor, params).auto_paging_iter()]

    whole = ids(limit=20)
    assert len(whole) == len(set(whole)) > 1
    assert ids(limit=5, starting_after=whole[1]) == whole[2:]
    assert ids(limit=5, ending_before=whole[-1]) == whole[-2::-1]


@pytest.mark.parametrize("what", ["customers", "subscriptions"])
def test_searches_page_by_themselves(vendor: Client, what: str) -> None:
    found = getattr(vendor.v1, what).search({"query": "-metadata['no such key']:'x'", "limit": 45})
    whole = [one.id for one in found.auto_paging_iter()]
    assert len(set(whole)) == len(whole) == len(written(WORLD)[what.removesuffix("s")])


def test_every_deletion_works_once() -> None:
    """For each path an object that can be deleted, one after the other: parts before what they belong to."""
    with served(application(seed=WORLD.seed, now=NOW)) as found:
        vendor = connected(found)

        def gone(address: str) -> bool:
            try:
                return vendor.raw_request("delete", address).data["deleted"] is True
            except stripe.InvalidRequestError:
                return False

        for path in sorted(DELETIONS, key=lambda path: (-path.count("/"), path)):
            deleted = next(address for address in addresses(path, DELETIONS[path], written(WORLD)) if gone(address))
            with pytest.raises(stripe.InvalidRequestError) as caught:
                vendor.raw_request("delete", deleted)
            assert (caught.value.http_status, caught.value.code) == (404, "resource_missing")
    assert len(DELETIONS) == 25


def test_of_many_deletions_at_once_one_succeeds() -> None:
    with served(application(seed=WORLD.seed, now=NOW)) as found, ThreadPoolExecutor(8) as threads:
        url, headers = f"{found}/payments/v1/customers/{CUSTOMER}", {"Authorization": f"Bearer {SECRET_KEY}"}
        statuses = threads.map(lambda _: httpx.delete(url, headers=headers).status_code, range(8))
        assert sorted(statuses) == [200] + [404] * 7


def test_every_class_of_error_is_raised(vendor: Client, address: str) -> None:
    def raised(kind: type[stripe.StripeError], call: Callable[[], Any]) -> tuple[int | None, str | None, str | None]:
        with pytest.raises(kind) as caught:
            call()
        error = caught.value
        assert type(error) is kind
        assert (error.request_id or "").startswith("req_")
        return error.http_status, error.error.code if error.error else None, getattr(error, "param", None)

    # What the types of the client forbid is what is tried here.
    get: Callable[..., Any] = vendor.v1.customers.retrieve
    invalid, denied, unknown = stripe.InvalidRequestError, stripe.PermissionError, stripe.AuthenticationError
    assert raised(invalid, lambda: get("cus_x")) == (404, "resource_missing", "customer")
    assert raised(invalid, lambda: get(CUSTOMER, {"x": 1})) == (400, "parameter_unknown", "x")
    assert raised(invalid, lambda: vendor.v1.charges.search({"query": "x:1"})) == (400, None, "query")
    live = connected(address, "sk_live_sandbox").v1
    assert raised(invalid, lambda: live.customers.retrieve(CUSTOMER)) == (404, "resource_missing", "customer")
    for wrong in (connected(address, key).v1 for key in ("nonsense", "sk_test_51Fernway", "rk_test_sandbox_1")):
        assert raised(unknown, partial(wrong.customers.retrieve, CUSTOMER)) == (401, None, None)
    public = connected(address, "pk_test_sandbox").v1
    assert raised(unknown, lambda: public.customers.retrieve(CUSTOMER)) == (401, "secret_key_required", None)
    some = connected(address, "rk_test_charge_read__sandbox").v1
    assert raised(denied, lambda: some.customers.retrieve(CUSTOMER)) == (403, None, None)
    other: Any = {"stripe_account": "acct_nobody"}
    assert raised(denied, lambda: vendor.v1.balance.retrieve(options=other)) == (403, "account_invalid", None)
    assert get(CUSTOMER).id == CUSTOMER
