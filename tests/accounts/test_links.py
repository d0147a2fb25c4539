"""Which addresses are opened, and which never."""

from urllib.parse import urlsplit

import pytest

from registry.accounts.connection import Endpoint, connections, sandbox
from registry.accounts.links import LinkRefused, host_of
from registry.text.safe_text import visible_line
from tests.hostile import STRINGS

ENVIRONMENT = {"PAYMENTS_API_KEY": "sk_live_1", "INCIDENTS_API_TOKEN": "t"}
OWN_HOST = {"INCIDENTS_BASE_URL": "https://incidents.corp.example:8443"}
SERVED = connections(ENVIRONMENT | OWN_HOST)
PAYMENTS, INCIDENTS = SERVED["payments"].endpoint("PaymentsApi"), SERVED["incidents"].endpoint("Incidents")

OPENED = """
https://pay.stripe.com/receipts/x?s=ap https://API.STRIPE.COM/v1 https://stripe.com https://dashboard.stripe.com:443/a#b
"""
CLOSED = """
http://pay.stripe.com/x javascript:alert(1) file:///etc/passwd HTTPS://pay.stripe.com https://stripe.com.evil.example/
https://evilstripe.com/ https://stripe.com@evil.example/ https://user:word@pay.stripe.com/
https://evil.example/https://pay.stripe.com https://evil.example#.stripe.com https://evil.example?.stripe.com
https://evil.example\\.stripe.com/ https://stripe.com:8080/ https://stripe.com:99999/ https://strıpe.com/ https://[::1]/
https://./ https:///x https://app.hubspot.com/
"""
ODD = ["https://stripe.com\n/", "https://stripe.com/ --new-window", "https://pay.stripe.com/" + "x" * 10_000, ""]


@pytest.mark.parametrize("url", OPENED.split())
def test_hosts_of_the_service(url: str) -> None:
    assert host_of(url, PAYMENTS) == urlsplit(url).hostname


@pytest.mark.parametrize("url", [*CLOSED.split(), *ODD])
def test_everything_else_stays_closed(url: str) -> None:
    with pytest.raises(LinkRefused):
        host_of(url, PAYMENTS)


def test_the_connections_own_host_with_its_own_port() -> None:
    own = "https://incidents.corp.example:8443/incidents/P1"
    assert host_of(own, INCIDENTS) == "incidents.corp.example"
    for other in ("incidents.corp.example/x", "incidents.corp.example:9/x", "x.incidents.corp.example:8443/"):
        with pytest.raises(LinkRefused, match="not a host of this service"):
            host_of(f"https://{other}", INCIDENTS)


def outcome(url: str, endpoint: Endpoint = PAYMENTS) -> str:
    try:
        host_of(url, endpoint)
    except LinkRefused as error:
        return str(error)
    return url


def test_whatever_comes_of_hostile_text_is_fit_to_be_shown() -> None:
    for text in STRINGS:
        assert not outcome(text).startswith("https")
        assert not outcome(f"https://{text}").startswith("https")
        for told in (outcome(text), outcome(f"https://{text}"), outcome(f"https://stripe.com/{text}")):
            assert told.isascii()
            assert visible_line(told) == told


def test_the_sandboxs_addresses_lead_nowhere() -> None:
    assert "do not open" in outcome("https://fernway.incidents.example/x", sandbox().endpoint("Incidents"))
