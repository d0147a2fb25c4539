"""Signing in over real sockets: a program of this machine, from the page to the last refused token; the official clients."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qsl, urlsplit

import httpx
import hubspot
import pagerduty
import pytest
from hubspot.oauth import ApiException
from hubspot.settings.users.exceptions import UnauthorizedException

from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from registry.sandbox.world import DAY
from tests.loopback import listening
from tests.sandbox.serving import served
from tests.sandbox.signing_in import (
    CRM_APP,
    DESK,
    NOW,
    PKCE,
    REGISTERED,
    REPORTS,
    SECRETS,
    TERMINAL,
    VERIFIER,
    ParsedPage,
    returned,
)
from tests.sandbox.test_incidents_client import EndOfTls


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def address(clock: Clock) -> Iterator[str]:
    with served(application(seed=1, now=clock)) as found:
        yield found


@pytest.fixture
def program() -> Iterator[tuple[str, queue.Queue[dict[str, str]]]]:
    """A program that waits on a port of its own for what the browser brings: its address, and what came."""
    came: queue.Queue[dict[str, str]] = queue.Queue()

    class Callback(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            came.put(dict(parse_qsl(urlsplit(self.path).query)))
            self.send_response(200)
            self.end_headers()

    with listening(Callback) as address:
        yield f"{address}/callback", came


def test_a_program_signs_in(address: str, clock: Clock, program: tuple[str, queue.Queue[dict[str, str]]]) -> None:
    redirect_uri, came = program
    with httpx.Client(follow_redirects=True, timeout=30) as browser, httpx.Client(base_url=address, timeout=30) as client:
        place = "/identity/incidents/global/oauth/anonymous/.well-known/openid-configuration"
        told = client.get(place).json()
        assert told["issuer"].startswith(f"{address}/identity/incidents/")

        asked = {"client_id": TERMINAL, "redirect_uri": redirect_uri, "response_type": "code", "scope": "read", "state": "s1"}
        page = browser.get(told["authorization_endpoint"], params={**asked, **PKCE})
        form = {**ParsedPage(page.text).fields, "person": "dana.wu", "decision": "allow"}
        arrived = browser.post(page.url, data=form)
        assert str(arrived.url).startswith(redirect_uri)
        brought = came.get(timeout=10)
        assert (brought["state"], set(brought)) == ("s1", {"code", "state", "subdomain"})

        exchange = {
            "grant_type": "authorization_code",
            "client_id": TERMINAL,
            "redirect_uri": redirect_uri,
            "code": brought["code"],
            "code_verifier": VERIFIER,
        }
        first = client.post(told["token_endpoint"], data=exchange).json()

        def me(token: str) -> httpx.Response:
            return client.get("/incidents/users/me", headers={"Authorization": f"Bearer {token}"})

        assert me(first["access_token"]).json()["user"]["name"] == "Dana Wu"
        clock.advance(30 * DAY)
        late = me(first["access_token"])
        assert (late.status_code, late.json()["error"]["code"]) == (401, 2006)

        refresh = {"grant_type": "refresh_token", "client_id": TERMINAL, "refresh_token": first["refresh_token"]}
        second = client.post(told["token_endpoint"], data=refresh).json()
        assert me(second["access_token"]).json()["user"]["name"] == "Dana Wu"
        again = client.post(told["token_endpoint"], data=refresh)
        assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
        assert me(second["access_token"]).status_code == 401


def allowed(url: str) -> str:
    """The code that a person sends who opens a page and allows what it asks for."""
    with httpx.Client(timeout=30) as browser:
        page = browser.get(url)
        return returned(browser.post(page.url, data={**ParsedPage(page.text).fields, "decision": "allow"}))["code"]


def test_the_official_client_of_the_incident_service_signs_in(address: str) -> None:
    secure = address.replace("http:", "https:")

    def connected(client_id: str) -> pagerduty.OAuthTokenClient:
        secret, base_url = SECRETS[client_id]["client_secret"], f"{secure}/identity/incidents"
        return pagerduty.OAuthTokenClient(secret, client_id, base_url=base_url, transport=EndOfTls())

    def service(token: str) -> pagerduty.RestApiV2Client:
        return pagerduty.RestApiV2Client(token, auth_type="bearer", base_url=f"{secure}/incidents", transport=EndOfTls())

    with connected(DESK) as desk:
        code = allowed(desk.authorize_url("read", REGISTERED).replace("https:", "http:"))
        first = desk.get_new_token_from_code(code, "read", REGISTERED)
        with service(first["access_token"]) as api:
            assert api.rget("/users/me")["name"] == "Sam Ode"
            assert api.api_key_access == "user"
        second = desk.get_refreshed_token(first["refresh_token"])
        with pytest.raises(pagerduty.Error):
            desk.get_refreshed_token(first["refresh_token"])
        with service(second["access_token"]) as api, pytest.raises(pagerduty.HttpError, match="401"):
            api.rget("/users/me")

    with connected(REPORTS) as reports:
        verifier, challenge = reports.generate_s256_pkce_params()
        asked = {"code_challenge": challenge, "code_challenge_method": "S256"}
        url = httpx.URL(reports.authorize_url("users.read", REGISTERED)).copy_merge_params(asked).copy_with(scheme="http")
        scoped = reports.get_new_token_from_code_with_pkce(allowed(str(url)), "users.read", REGISTERED, verifier)
        own = reports.get_scoped_app_token("as_account-us.fernway users.read")
        for response in (scoped, own):
            with service(response["access_token"]) as api:
                assert len(api.list_all("users")) == 20
                with pytest.raises(pagerduty.HttpError, match="403"):
                    api.list_all("teams")


def test_the_official_client_of_the_crm_signs_in(address: str, clock: Clock) -> None:
    asked = {"client_id": CRM_APP, "redirect_uri": REGISTERED, "scope": "settings.users.read"}
    code = allowed(str(httpx.URL(f"{address}/identity/crm/oauth/authorize", params=asked)))
    tokens = hubspot.Client.create(host=f"{address}/crm").oauth.tokens_api
    secret = SECRETS[CRM_APP]["client_secret"]
    about = {"client_id": CRM_APP, "client_secret": secret}
    first = tokens.create(grant_type="authorization_code", code=code, redirect_uri=REGISTERED, **about)
    assert (first.expires_in, first.token_type) == (1_800, "bearer")
    clock.advance(1_800)

    def users(token: str) -> int:
        api = hubspot.Client.create(access_token=token, host=f"{address}/crm").settings.users.users_api
        return len(api.get_page(limit=5).results)

    with pytest.raises(UnauthorizedException, match="expired 0 second"):
        users(first.access_token)
    second = tokens.create(grant_type="refresh_token", refresh_token=first.refresh_token, **about)
    assert users(second.access_token) == 5
    with pytest.raises(ApiException) as refused:
        tokens.create(grant_type="refresh_token", refresh_token="guessed", **about)
    assert refused.value.status == 400
    with pytest.raises(ApiException) as unknown:
        tokens.create(grant_type="refresh_token", refresh_token=first.refresh_token, client_id=CRM_APP)
    assert unknown.value.status == 401
