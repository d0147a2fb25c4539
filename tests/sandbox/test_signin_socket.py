"""Signing in over real sockets with the official clients."""

from collections.abc import Iterator

import httpx
import hubspot
import pagerduty
import pytest
from hubspot.oauth import ApiException
from hubspot.settings.users.exceptions import UnauthorizedException

from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.sandbox.serving import served
from tests.sandbox.signing_in import (
    CRM_APP,
    DESK,
    NOW,
    REGISTERED,
    REPORTS,
    SECRETS,
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
