"""The official client of the payments platform goes through the sandbox's own world over a real socket."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import stripe

from registry.sandbox.payments.routes.deletions import DELETIONS
from registry.sandbox.server import application
from tests.sampled import chosen
from tests.sandbox.direct import Direct
from tests.sandbox.payments_addresses import deletable
from tests.sandbox.payments_fakes import SECRET_KEY
from tests.sandbox.serving import served
from tests.sandbox.test_payments_client import connected
from tests.sandbox.test_world_references import NOW, WORLD, written

Client = stripe.StripeClient


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(application(seed=WORLD.seed, now=NOW)) as found:
        yield found


@pytest.fixture
def vendor(address: str) -> Client:
    return connected(address)


def ids(found: Any) -> list[str]:
    return [one.id for one in found]


CUSTOMER = max(
    (row.id for row in written(WORLD)["customer"]),
    key=lambda id_: sum(row.body.get("customer") == id_ for row in written(WORLD)["payment_method"]),
)
INVOICE = max(
    (row.id for row in written(WORLD)["invoice"]),
    key=lambda id_: sum(row.body["invoice"] == id_ for row in written(WORLD)["line_item"]),
)

PAGED: dict[str, Callable[[Client, Any], Any]] = {
    "payment methods": lambda vendor, params: vendor.v1.customers.payment_methods.list(CUSTOMER, params),
    "sources": lambda vendor, params: vendor.v1.customers.payment_sources.list(CUSTOMER, params),
    "invoice lines": lambda vendor, params: vendor.v1.invoices.line_items.list(INVOICE, params),
    "quotes": lambda vendor, params: vendor.v1.quotes.list(params),
    "tax codes": lambda vendor, params: vendor.v1.tax_codes.list(params),
    "country specs": lambda vendor, params: vendor.v1.country_specs.list(params),
    "exchange rates": lambda vendor, params: vendor.v1.exchange_rates.list(params),
    "features": lambda vendor, params: vendor.v1.entitlements.features.list(params),
    "readers": lambda vendor, params: vendor.v1.terminal.readers.list(params),
}


@pytest.mark.parametrize("what", PAGED)
def test_lists_page_by_themselves_in_both_directions(vendor: Client, what: str) -> None:
    listed = PAGED[what]
    whole = ids(listed(vendor, {"limit": 20}).auto_paging_iter())
    assert len(whole) == len(set(whole)) > 1
    behind = ids(listed(vendor, {"limit": 5, "starting_after": whole[1]}).auto_paging_iter())
    assert behind == whole[2:]
    backwards = ids(listed(vendor, {"limit": 5, "ending_before": whole[-1]}).auto_paging_iter())
    assert backwards == whole[-2::-1]


SEARCHED = ("charges", "customers", "invoices", "payment_intents", "prices", "products", "subscriptions")


@pytest.mark.parametrize("what", chosen(SEARCHED, ["customers", "subscriptions"].__contains__))
def test_searches_page_by_themselves(vendor: Client, what: str) -> None:
    service = getattr(vendor.v1, what)
    found = service.search({"query": "-metadata['no such key']:'x'", "limit": 45})
    whole = ids(found.auto_paging_iter())
    assert len(set(whole)) == len(whole) == len(written(WORLD)[what.removesuffix("s")])


def test_whole_objects_are_asked_for_across_four_levels(vendor: Client) -> None:
    intent = next(
        row for row in written(WORLD)["payment_intent"] if row.body["status"] == "succeeded" and row.body.get("customer")
    )
    shown = vendor.v1.payment_intents.retrieve(
        intent.id, {"expand": ["latest_charge.balance_transaction.source", "customer.subscriptions.data.latest_invoice"]}
    )
    charge: Any = shown.latest_charge
    assert isinstance(charge, stripe.Charge)
    assert isinstance(charge.balance_transaction, stripe.BalanceTransaction)
    assert isinstance(charge.balance_transaction.source, stripe.Charge)
    assert charge.balance_transaction.source.id == charge.id
    assert isinstance(shown.customer, stripe.Customer)
    for path in ("latest_charge.balance_transaction.source.customer.default_source", "amount", "nothing"):
        with pytest.raises(stripe.InvalidRequestError) as caught:
            vendor.v1.payment_intents.retrieve(intent.id, {"expand": [path]})
        assert (caught.value.http_status, caught.value.code) == (400, None)


DELETES: dict[str, Callable[[Any, list[str]], Any]] = {
    "/v1/accounts/{account}": lambda vendor, at: vendor.v1.accounts.delete(*at),
    "/v1/accounts/{account}/external_accounts/{id}": lambda vendor, at: vendor.v1.accounts.external_accounts.delete(*at),
    "/v1/accounts/{account}/persons/{person}": lambda vendor, at: vendor.v1.accounts.persons.delete(*at),
    "/v1/apple_pay/domains/{domain}": lambda vendor, at: vendor.v1.apple_pay_domains.delete(*at),
    "/v1/coupons/{coupon}": lambda vendor, at: vendor.v1.coupons.delete(*at),
    "/v1/customers/{customer}": lambda vendor, at: vendor.v1.customers.delete(*at),
    "/v1/customers/{customer}/discount": lambda vendor, at: vendor.v1.customers.delete_discount(*at),
    "/v1/customers/{customer}/tax_ids/{id}": lambda vendor, at: vendor.v1.customers.tax_ids.delete(*at),
    "/v1/invoiceitems/{invoiceitem}": lambda vendor, at: vendor.v1.invoice_items.delete(*at),
    "/v1/invoices/{invoice}": lambda vendor, at: vendor.v1.invoices.delete(*at),
    "/v1/plans/{plan}": lambda vendor, at: vendor.v1.plans.delete(*at),
    "/v1/products/{id}": lambda vendor, at: vendor.v1.products.delete(*at),
    "/v1/products/{product}/features/{id}": lambda vendor, at: vendor.v1.products.features.delete(*at),
    "/v1/radar/value_list_items/{item}": lambda vendor, at: vendor.v1.radar.value_list_items.delete(*at),
    "/v1/radar/value_lists/{value_list}": lambda vendor, at: vendor.v1.radar.value_lists.delete(*at),
    "/v1/subscriptions/{subscription_exposed_id}/discount": lambda vendor, at: vendor.v1.subscriptions.delete_discount(*at),
    "/v1/tax_ids/{id}": lambda vendor, at: vendor.v1.tax_ids.delete(*at),
    "/v1/terminal/configurations/{configuration}": lambda vendor, at: vendor.v1.terminal.configurations.delete(*at),
    "/v1/terminal/locations/{location}": lambda vendor, at: vendor.v1.terminal.locations.delete(*at),
    "/v1/terminal/readers/{reader}": lambda vendor, at: vendor.v1.terminal.readers.delete(*at),
    "/v1/test_helpers/test_clocks/{test_clock}": lambda vendor, at: vendor.v1.test_helpers.test_clocks.delete(*at),
    "/v1/webhook_endpoints/{webhook_endpoint}": lambda vendor, at: vendor.v1.webhook_endpoints.delete(*at),
}
"""Those that the client has a method for; the older paths are sent as they are."""


def allowed() -> dict[str, str]:
    """For each path an object that can be deleted, one after the other."""
    found = {}
    with Direct(application(seed=WORLD.seed, now=NOW), "http://sandbox/payments", Authorization=f"Bearer {SECRET_KEY}") as api:
        for path in sorted(DELETIONS, key=lambda path: (-path.count("/"), path)):
            candidates = deletable(path, DELETIONS[path], written(WORLD))
            found[path] = next(one for one in candidates if api.send("DELETE", one).status_code == 200)
    return found


def test_every_deletion_works_once() -> None:
    with served(application(seed=WORLD.seed, now=NOW)) as found:
        vendor = connected(found)
        for path, address in allowed().items():
            assert _delete(vendor, path, address)["deleted"] is True
            with pytest.raises(stripe.InvalidRequestError) as caught:
                _delete(vendor, path, address)
            assert (caught.value.http_status, caught.value.code) == (404, "resource_missing")
    assert len(DELETIONS) == 25
    assert len(DELETES) == 22


def _delete(vendor: Client, path: str, address: str) -> Any:
    if path in DELETES:
        at = [part for part, name in zip(address.split("/"), path.split("/"), strict=True) if name.startswith("{")]
        return DELETES[path](vendor, at)
    return vendor.deserialize(vendor.raw_request("delete", address), api_mode="V1")


def test_the_pdf_of_a_quote_is_streamed(vendor: Client) -> None:
    quote = next(row for row in written(WORLD)["quote"] if row.body["status"] == "open")
    stream = vendor.v1.quotes.pdf(quote.id).io
    first = stream.read(5)
    rest = b"".join(iter(lambda: stream.read(100), b""))
    assert first == b"%PDF-"
    assert rest.rstrip().endswith(b"%%EOF")
    draft = next(row for row in written(WORLD)["quote"] if row.body["status"] == "draft")
    with pytest.raises(stripe.InvalidRequestError) as caught:
        vendor.v1.quotes.pdf(draft.id)
    assert caught.value.http_status == 400


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
    account = next(row.id for row in written(WORLD)["account"] if not row.body.get("_own"))
    invalid, denied, unknown = stripe.InvalidRequestError, stripe.PermissionError, stripe.AuthenticationError
    assert raised(invalid, lambda: get("cus_x")) == (404, "resource_missing", "customer")
    assert raised(invalid, lambda: get(CUSTOMER, {"x": 1})) == (400, "parameter_unknown", "x")
    assert raised(invalid, lambda: vendor.v1.charges.search({"query": "x:1"})) == (400, None, "query")
    live = connected(address, "sk_live_1").v1
    assert raised(invalid, lambda: live.customers.retrieve(CUSTOMER)) == (404, "resource_missing", "customer")
    assert raised(invalid, lambda: live.accounts.retrieve(account)) == (400, None, None)
    assert raised(unknown, lambda: connected(address, "nonsense").v1.customers.retrieve(CUSTOMER)) == (401, None, None)
    public = connected(address, "pk_test_1").v1
    assert raised(unknown, lambda: public.customers.retrieve(CUSTOMER)) == (401, "secret_key_required", None)
    some = connected(address, "rk_test_charge_read").v1
    assert raised(denied, lambda: some.customers.retrieve(CUSTOMER)) == (403, None, None)
    other: Any = {"stripe_account": "acct_nobody"}
    assert raised(denied, lambda: vendor.v1.balance.retrieve(options=other)) == (403, "account_invalid", None)
    old: Any = {"stripe_version": "2025-09-30"}
    assert raised(invalid, lambda: vendor.v1.balance.retrieve(options=old)) == (400, None, None)
    assert get(CUSTOMER).id == CUSTOMER


def test_a_connected_account_is_acted_for(vendor: Client) -> None:
    account = next(row.id for row in written(WORLD)["account"] if not row.body.get("_own"))
    options: Any = {"stripe_account": account}
    assert vendor.v1.accounts.retrieve_current(options=options).id == account
    assert vendor.v1.balance.retrieve(options=options) != vendor.v1.balance.retrieve()


def test_a_service_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(stripe.APIConnectionError):
        connected(f"http://127.0.0.1:{port}").v1.balance.retrieve()
