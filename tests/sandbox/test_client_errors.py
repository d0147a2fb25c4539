"""The services' official clients meet faults of the sandbox as they would meet those of a real service: by their own errors."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import hubspot.settings.users as crm
import pagerduty
import pytest
import stripe

from registry.sandbox.server import application
from tests.sandbox import test_crm_client, test_incidents_client, test_payments_client
from tests.sandbox.serving import served

NOW = 1764555240


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(application(seed=1, now=NOW)) as found:
        yield found


@contextmanager
def fault(address: str, text: str) -> Iterator[None]:
    """A fault in force for a while, set as any user sets it."""
    httpx.post(f"{address}/sandbox/faults", json={"fault": text}, verify=False).raise_for_status()
    try:
        yield
    finally:
        httpx.delete(f"{address}/sandbox/faults", verify=False).raise_for_status()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("payments 401", stripe.AuthenticationError),
        ("payments 402", stripe.CardError),
        ("payments 429", stripe.RateLimitError),
        ("payments 500", stripe.APIError),
        ("payments 503", stripe.APIError),
        ("payments cut", stripe.APIError),
        ("payments html", stripe.APIError),
        ("payments drop before", stripe.APIConnectionError),
        ("payments drop after 10 bytes", stripe.APIConnectionError),
    ],
)
def test_payments(address: str, text: str, kind: type[stripe.StripeError]) -> None:
    vendor = test_payments_client.connected(address)
    with fault(address, text), pytest.raises(kind):
        vendor.v1.balance.retrieve()
    assert vendor.v1.balance.retrieve().object == "balance"


@pytest.mark.parametrize(
    ("text", "status"),
    [("crm 401", 401), ("crm 409", 409), ("crm 429", 429), ("crm 500", 500), ("crm html 502", 502)],
)
def test_crm(address: str, text: str, status: int) -> None:
    vendor = test_crm_client.connected(f"{address}/crm")
    with fault(address, text), pytest.raises(crm.ApiException) as caught:
        vendor.roles_api.get_all()
    assert caught.value.status == status
    assert vendor.roles_api.get_all().results


@pytest.mark.parametrize(("text", "status"), [("incidents 401", 401), ("incidents 402", 402), ("incidents 408", 408)])
def test_incidents(address: str, text: str, status: int) -> None:
    secure = address.replace("http://", "https://") + "/incidents"
    with test_incidents_client.connected(secure) as vendor:
        with fault(address, text), pytest.raises(pagerduty.Error) as caught:
            vendor.rget("/services")
        assert caught.value.response is not None
        assert caught.value.response.status_code == status
        assert vendor.rget("/services")


def test_incidents_after_a_failure(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client waits and asks again, which is what it does with too many requests and with failures of the service."""
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    secure = address.replace("http://", "https://") + "/incidents"
    with test_incidents_client.connected(secure) as vendor:
        with fault(address, "incidents 429 x2"):
            assert vendor.rget("/teams")
        assert len(waits) == 2
