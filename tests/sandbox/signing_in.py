"""A browser and an application that sign in to the sandbox: what the tests of signing in have in common."""

import base64
import hashlib
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from registry.sandbox.clock import Clock
from registry.sandbox.server import application

NOW = 1764555240
HOST = "http://sandbox"
VERIFIER = "a-verifier-of-at-least-forty-three-letters-0123456789"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}

TERMINAL, DESK, REPORTS, CRM_APP = "callboard-terminal", "fernway-desk", "fernway-reports", "callboard-crm"
SECRETS = {name: {"client_secret": f"sandbox-secret-of-{name}"} for name in (DESK, REPORTS, CRM_APP)}
LOOPBACK = "http://127.0.0.1:54321/callback"
REGISTERED = "http://127.0.0.1:8211/callback"

CRM_READS = "crm.objects.users.read settings.users.teams.read"


@dataclass
class ParsedPage(HTMLParser):
    """What a browser would see and send of a page."""

    text: str
    fields: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    tags: set[str] = field(default_factory=set)
    methods: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.methods.append(given.get("method", "get"))
        if tag in ("input", "button"):
            if tag == "button" or given.get("type") == "radio":
                self.choices.setdefault(given["name"], []).append(given["value"])
            if given.get("type") == "hidden" or "checked" in given:
                self.fields[given["name"]] = given["value"]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def shown(self) -> str:
        return "".join(self.words)


class Sandbox:
    """A sandbox with a standing clock, and one client of it."""

    def __init__(self) -> None:
        self.clock = Clock(NOW)
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(application(seed=1, now=self.clock, scenario="quiet")), base_url=HOST
        )

    async def ask(self, service: str = "incidents", **params: Any) -> httpx.Response:
        """A request for the authorize page; a parameter that is None is left out."""
        base: dict[str, Any] = (
            {"client_id": TERMINAL, "redirect_uri": LOOPBACK, "response_type": "code", "scope": "read", **PKCE}
            if service == "incidents"
            else {"client_id": CRM_APP, "redirect_uri": REGISTERED, "scope": CRM_READS}
        )
        sent = {name: value for name, value in {**base, **params}.items() if value is not None}
        return await self.http.get(f"/identity/{service}/oauth/authorize", params=sent)

    async def answer(self, page: httpx.Response, service: str = "incidents", **changes: str) -> httpx.Response:
        """The page's form, sent with Allow unless told otherwise."""
        assert page.status_code == 200, page.text
        form = {**ParsedPage(page.text).fields, "decision": "allow", **changes}
        return await self.http.post(f"/identity/{service}/oauth/authorize", data=form)

    async def code(self, service: str = "incidents", person: str = "sam.ode", **params: Any) -> str:
        """The code that a person who allows everything sends an application."""
        response = await self.answer(await self.ask(service, **params), service, person=person)
        return returned(response)["code"]

    async def post(self, path: str, **form: str | None) -> httpx.Response:
        return await self.http.post(path, data={name: value for name, value in form.items() if value is not None})

    async def tokens(self, service: str, **form: str | None) -> httpx.Response:
        """A service's token endpoint, asked by the terminal program or the CRM's application."""
        if service == "crm":
            return await self.post("/crm/oauth/v3/token", **{"client_id": CRM_APP, **SECRETS[CRM_APP], **form})
        return await self.post("/identity/incidents/oauth/token", **{"client_id": TERMINAL, **form})

    async def exchange(self, code: str, /, service: str = "incidents", **changes: str | None) -> httpx.Response:
        """A code for tokens."""
        own = {"redirect_uri": REGISTERED} if service == "crm" else {"redirect_uri": LOOPBACK, "code_verifier": VERIFIER}
        return await self.tokens(service, **{"grant_type": "authorization_code", "code": code, **own, **changes})

    async def refresh(self, token: str, /, service: str = "incidents", **changes: str | None) -> httpx.Response:
        return await self.tokens(service, **{"grant_type": "refresh_token", "refresh_token": token, **changes})

    async def signed_in(self, person: str = "sam.ode", service: str = "incidents", **params: Any) -> dict[str, Any]:
        """The token response of the terminal program, or of the CRM's application."""
        return given(await self.exchange(await self.code(service, person, **params), service))

    async def call(self, path: str, token: str, method: str = "GET", **options: Any) -> httpx.Response:
        """A call of a service with a token."""
        return await self.http.request(method, path, headers={"Authorization": f"Bearer {token}"}, **options)


def returned(response: httpx.Response) -> dict[str, str]:
    """The parameters that an application is sent, each once."""
    assert response.status_code == 303, response.text
    pairs = parse_qsl(urlsplit(response.headers["location"]).query, keep_blank_values=True)
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def given(response: httpx.Response) -> dict[str, Any]:
    """The body of a token response."""
    assert response.status_code == 200, response.text
    assert response.headers["cache-control"] == "no-store"
    body: dict[str, Any] = response.json()
    return body


def refused(response: httpx.Response, error: str, status: int = 400) -> str:
    """The description of a token endpoint's error."""
    assert (response.status_code, response.json()["error"]) == (status, error), response.text
    assert set(response.json()) == {"error", "error_description"}
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["content-type"] == "application/json"
    description: str = response.json()["error_description"]
    return description
