"""The official client of the payments platform reads the sandbox over a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import stripe

from tests.sandbox.payments_fakes import SECRET_KEY, application, id_of
from tests.sandbox.serving import served

AMY = id_of("customer", "amy")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(application()) as found:
        yield found


@pytest.fixture
def vendor(address: str) -> stripe.StripeClient:
    return connected(address)


def connected(address: str, key: str = SECRET_KEY) -> stripe.StripeClient:
    bases: Any = {"api": f"{address}/payments", "files": f"{address}/files"}
    return stripe.StripeClient(key, base_addresses=bases, max_network_retries=0)


def test_retrieve(vendor: stripe.StripeClient) -> None:
    customer = vendor.v1.customers.retrieve(AMY, {"expand": ["default_source", "subscriptions.data.latest_invoice"]})
    assert (customer.id, customer.name) == (AMY, "Amy Ştefănescu")
    assert isinstance(customer.default_source, stripe.Card)
    assert customer.subscriptions is not None
    assert isinstance(customer.subscriptions.data[0].latest_invoice, stripe.Invoice)


def test_lists_page_by_themselves(vendor: stripe.StripeClient) -> None:
    lines = vendor.v1.quotes.line_items.list(id_of("quote", "open"), {"limit": 7})
    assert len(lines.data) == 7
    assert len([line.id for line in lines.auto_paging_iter()]) == 40
    methods = vendor.v1.customers.payment_methods.list(AMY, {"limit": 3})
    assert len({method.id for method in methods.auto_paging_iter()}) == 13
    items = vendor.v1.subscription_items.list({"subscription": id_of("subscription", "running"), "limit": 5})
    assert len(list(items.auto_paging_iter())) == 12


def test_searches_page_by_themselves(vendor: stripe.StripeClient) -> None:
    found = vendor.v1.charges.search({"query": "amount>0", "limit": 10})
    assert len({charge.id for charge in found.auto_paging_iter()}) == 36


def test_delete(vendor: stripe.StripeClient) -> None:
    endpoint = id_of("webhook_endpoint", "billing")
    assert vendor.v1.webhook_endpoints.delete(endpoint).deleted
    with pytest.raises(stripe.InvalidRequestError) as caught:
        vendor.v1.webhook_endpoints.delete(endpoint)
    assert (caught.value.http_status, caught.value.code) == (404, "resource_missing")
    assert (caught.value.request_id or "").startswith("req_")


def test_pdf(vendor: stripe.StripeClient) -> None:
    response = vendor.v1.quotes.pdf(id_of("quote", "open"))
    assert response.io.read().startswith(b"%PDF-")


def test_errors(vendor: stripe.StripeClient, address: str) -> None:
    with pytest.raises(stripe.InvalidRequestError) as missing:
        vendor.v1.customers.retrieve("cus_x")
    assert (missing.value.param, missing.value.user_message) == ("customer", "No such customer: 'cus_x'")
    with pytest.raises(stripe.InvalidRequestError) as unexpandable:
        vendor.v1.customers.retrieve(AMY, {"expand": ["metadata"]})
    assert unexpandable.value.http_status == 400
    for key in ("nonsense", "sk_other_1"):
        with pytest.raises(stripe.AuthenticationError) as refused:
            connected(address, key).v1.customers.retrieve(AMY)
        assert refused.value.http_status == 401
    with pytest.raises(stripe.AuthenticationError) as publishable:
        connected(address, "pk_test_1").v1.customers.retrieve(AMY)
    assert publishable.value.error is not None
    assert publishable.value.error.code == "secret_key_required"
