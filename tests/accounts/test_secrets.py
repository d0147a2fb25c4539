"""Secrets show themselves nowhere, and are masked in the four spellings of `docs/security.md`; which addresses are opened."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from itertools import product
from urllib.parse import quote, urlsplit

import pytest

from registry.accounts.connection import Endpoint, connections, sandbox
from registry.accounts.links import LinkRefused, host_of
from registry.accounts.secrets import MASK, Secret, redacted
from registry.text.shown import visible_line
from tests.hostile import STRINGS

SECRETS = ["sk_live_51HabcDEF", "p&ss/\"w\\o'rd <x>", "pässwörd東京😀x", "Basic QWxh==+/"]
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as itself": str,
    "JSON": lambda secret: json.dumps(secret)[1:-1],
    "JSON without escapes for letters": lambda secret: json.dumps(secret, ensure_ascii=False)[1:-1],
    "JSON with \\/": lambda secret: json.dumps(secret)[1:-1].replace("/", "\\/"),
    "JSON in HTML": lambda secret: (
        json.dumps(secret)[1:-1].replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    ),
    "percent-encoded": lambda secret: quote(secret, safe=""),
    "percent-encoded in a path": quote,
    "percent-encoded by JavaScript": lambda secret: quote(secret, safe="!'()*"),
    "percent-encoded in a form": lambda secret: quote(secret, safe="").replace("%20", "+"),
}


def test_a_secret_is_masked() -> None:
    for (spelling, spelled), secret in product(SPELLINGS.items(), SECRETS):
        told = f'{{"a":"{spelled(secret)}"}}'.encode()
        assert redacted(told, [secret]).decode() == f'{{"a":"{MASK}"}}', spelling


@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_a_secret_is_masked_in_base64(encode: Callable[[bytes], bytes]) -> None:
    befores, afters = ("", "ada:", "u:", "us:", "Bearer "), ("", ":", "@x")
    for secret, before, after in product(SECRETS, befores, afters):
        told = encode(f"{before}{secret}{after}".encode())
        left = redacted(told, [secret]).decode()
        assert MASK in left, (before, secret, after)
        start, _, end = left.partition(MASK)
        known = [*before.encode(), *after.encode()]  # what is left tells nothing but what is around it
        assert len(start) + len(end.rstrip("=")) <= len(known) * 8 / 6 + 3, (before, secret, after)


def test_a_secret_that_begins_like_another_leaves_nothing_of_it() -> None:
    assert redacted(b"key-12345678-and-more", ["key-12345678", "key-12345678-and-more"]).decode() == MASK


def test_a_short_text_is_no_secret() -> None:
    assert redacted(b"abcdefg", ["abcdefg"]) == b"abcdefg"


def test_printing_a_secret_shows_a_mask() -> None:
    secret = Secret("sk_live_MARKED")
    assert {str(secret), repr(secret), f"{secret}"} == {f"Secret({MASK})"}
    assert secret == Secret("sk_live_MARKED") != Secret("sk_live_OTHER")


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
