"""The authorize page: checks an application's request, and takes the person's answer.

Until it is certain which application asks and that its redirect address is allowed, nothing is redirected: the person sees the
error instead. From then on every response goes to that address, with the `state` of the request.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.responses import Response

from registry.sandbox.company import PEOPLE
from registry.sandbox.signin import page
from registry.sandbox.signin.parameters import Parameters, SignInError, invalid_request, with_parameters
from registry.sandbox.signin.profiles import OAuthClient, Profile, granted
from registry.sandbox.signin.tokens import TokenStore
from registry.sandbox.world import MINUTE

CHOICE = tuple(person for person in PEOPLE if person.key in ("sam.ode", "dana.wu", "zoe.martin"))

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_PATIENCE = 10 * MINUTE


@dataclass(frozen=True, slots=True)
class _Asked:
    """An application's request, checked. `until`: after this time (Unix seconds) the person's answer is too late."""

    client: OAuthClient
    redirect_uri: str
    state: str | None
    scopes: tuple[str, ...]
    challenge: str | None
    nonce: str | None
    until: int


class AuthorizePage:
    """One service's page: asks the person, and takes the answer. Safe to use from several threads.

    Args:
        profile: the service.
        tokens: issues the codes.
        besides: further parameters that the application gets with a code.
    """

    def __init__(self, profile: Profile, tokens: TokenStore, besides: Mapping[str, str]) -> None:
        self._profile = profile
        self._besides = besides
        self._tokens = tokens
        self._lock = threading.Lock()
        self._waiting: dict[str, _Asked] = {}

    def ask(self, query: bytes) -> Response:
        """The response to a request for the page: the page, a redirect with an error, or a page with an error."""
        try:
            parameters = Parameters(query)
            id_ = parameters.need("client_id")
            client = self._profile.clients.get(id_)
            if client is None:
                return page.refusal("No application is registered by this client_id.", about=id_)
            redirect_uri = parameters.need("redirect_uri")
            if not client.allows(redirect_uri):
                where = "an address of this machine (http://127.0.0.1, any port)" if client.public else "a registered address"
                reason = f"{client.name} may not be answered at this redirect_uri. It takes {where}."
                return page.refusal(reason, about=redirect_uri)
            state = parameters.get("state")
        except SignInError as error:
            return page.refusal(error.description)
        try:
            asked = self._read(parameters, client, redirect_uri, state)
        except SignInError as error:
            return _back(redirect_uri, error.body, state)
        ticket = secrets.token_urlsafe(32)
        with self._lock:
            self._waiting[ticket] = asked
        return page.consent(self._profile, client, asked.scopes, CHOICE, redirect_uri, ticket)

    def answer(self, content: bytes) -> Response:
        """The response to the page's form: a redirect to the application. Each page takes one answer."""
        try:
            form = Parameters(content)
            ticket, decision, person = form.need("ticket"), form.need("decision"), form.need("person")
        except SignInError as error:
            return page.refusal(error.description)
        with self._lock:
            asked = self._waiting.pop(ticket, None)
        if asked is None or asked.until <= self._tokens.now:
            return page.refusal("This page was answered before, or has waited for too long. Start again from the application.")
        if decision == "deny":
            denied = SignInError("access_denied", "The resource owner or authorization server denied the request.")
            return _back(asked.redirect_uri, denied.body, asked.state)
        if decision != "allow" or person not in {one.key for one in CHOICE}:
            return page.refusal("This answer is not one that the page offers. Start again from the application.")
        grant = self._tokens.grant(self._profile, asked.client, person, asked.scopes, asked.nonce)
        code = {"code": self._tokens.code(grant, asked.redirect_uri, asked.challenge)}
        return _back(asked.redirect_uri, {**code, **self._besides}, asked.state)

    def _read(self, parameters: Parameters, client: OAuthClient, redirect_uri: str, state: str | None) -> _Asked:
        kind = parameters.get("response_type") or self._profile.default_response_type
        if kind is None:
            raise invalid_request("response_type is missing.")
        if kind != "code":
            raise SignInError("unsupported_response_type", "response_type must be code.")
        scopes = granted(self._profile, client, parameters.get("scope"), parameters.get("optional_scope"))
        challenge = _challenge(parameters, client)
        until = self._tokens.now + _PATIENCE
        return _Asked(client, redirect_uri, state, scopes, challenge, parameters.get("nonce"), until)


def _challenge(parameters: Parameters, client: OAuthClient) -> str | None:
    challenge, method = parameters.get("code_challenge"), parameters.get("code_challenge_method")
    if challenge is None:
        if client.needs_pkce:
            raise invalid_request("code_challenge is missing. This application must use PKCE with S256.")
        if method is not None:
            raise invalid_request("code_challenge_method was sent without code_challenge.")
        return None
    if method != "S256":
        raise invalid_request("code_challenge_method must be S256.")
    if not _CHALLENGE.fullmatch(challenge):
        raise invalid_request("code_challenge must be 43 characters of base64url.")
    return challenge


def _back(address: str, parameters: dict[str, str], state: str | None) -> Response:
    """To the application. 303, so that a browser does not send the form on."""
    if state is not None:
        parameters = {**parameters, "state": state}
    location = with_parameters(address, parameters)
    return Response(None, 303, {"Location": location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})
