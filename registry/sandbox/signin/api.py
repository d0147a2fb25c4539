"""Signing in as ASGI applications: the paths of both services' authorization servers, and how responses are sent.

==================================================================  ==========================================
below the sandbox's own address                                     what it is
==================================================================  ==========================================
``/identity/incidents/oauth/authorize``, ``/oauth/token``           the incident service's
``/identity/incidents/global/oauth/anonymous/jwks``                 the keys of its identity tokens
``…/anonymous/.well-known/openid-configuration``                    what it says about itself
``/identity/crm/oauth/authorize``                                   the CRM's page
``/crm/oauth/v1/token``, ``/crm/oauth/v3/token``                    the CRM's token endpoints
``/crm/oauth/v3/token/introspect``, ``/crm/oauth/v3/token/revoke``  what a token is good for, and its end
==================================================================  ==========================================
"""

import hashlib
import hmac
import re
from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router

from registry.sandbox.incidents import SUBDOMAIN
from registry.sandbox.requests import endpoint as threaded
from registry.sandbox.requests import in_thread
from registry.sandbox.signin.authorize import AuthorizePage, refusal
from registry.sandbox.signin.profiles import (
    CRM,
    INCIDENTS,
    PROFILES,
    OAuthClient,
    Parameters,
    Profile,
    SignInError,
    of_application,
)
from registry.sandbox.signin.responses import (
    ACCOUNT_SCOPE,
    ISSUER_PATH,
    Record,
    about_token_of_crm,
    base64url,
    configuration_of_incidents,
    public_keys,
    tokens_of_crm,
    tokens_of_incidents,
)
from registry.sandbox.signin.tokens import Code, Grant, Token, TokenStore
from registry.sandbox.world import World

_VERIFIER = re.compile(r"[A-Za-z0-9\-._~]{43,128}")


class TokenEndpoint:
    """One service's token endpoint. Safe to use from several threads.

    Args:
        profile: the service.
        tokens: the store of tokens.
        respond: writes tokens down, for the sandbox's own address without a final slash.
    """

    def __init__(self, profile: Profile, tokens: TokenStore, respond: Callable[..., Record]) -> None:
        self._profile, self._tokens, self._respond = profile, tokens, respond

    def give(self, base: str, form: Parameters) -> Record:
        """The response to a request for tokens. `base` is the sandbox's own address without a final slash.

        Raises:
            SignInError: what is wrong with it.
        """
        client, tokens = self.client(form), self._tokens
        match form.need("grant_type"):
            case "authorization_code":
                grant = self._by_code(form, client)
                refresh: Token | None = tokens.mint(grant, grant.scopes, refreshes=True)
                return self._respond(base, tokens.mint(grant, grant.scopes), refresh, True)
            case "refresh_token":
                text, scope = form.need("refresh_token"), form.get("scope")
                refresh, scopes = tokens.use_refresh_token(text, client, scope)
                access = tokens.mint(refresh.grant, scopes)
                if self._profile.rotates:
                    refresh = tokens.mint(refresh.grant, refresh.grant.scopes, refreshes=True)
                return self._respond(base, access, refresh, False)
            case "client_credentials" if client.acts_alone:
                scopes = of_application(client, ACCOUNT_SCOPE, form.get("scope"))
                grant = Grant(self._profile, client, None, scopes, tokens.now)
                return self._respond(base, tokens.mint(grant, scopes), None, False)
            case "client_credentials" if any(one.acts_alone for one in self._profile.clients.values()):
                raise SignInError("unauthorized_client", "This application gets no tokens of its own.")
        raise SignInError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.")

    def client(self, form: Parameters) -> OAuthClient:
        """The application that sent a form; one with a secret must send it, one without must not send any.

        Raises:
            SignInError: invalid_client, it is not known, or its secret is wrong.
        """
        id_, secret = form.get("client_id"), form.get("client_secret")
        client, wrong = self._profile.clients.get(id_ or ""), ""
        if id_ is None:
            wrong = "client_id is missing. It belongs in the body, as the secret does."
        elif client is None:
            wrong = "No application is registered by this client_id."
        elif client.secret is None:
            wrong = "" if secret is None else "This application is public and has no secret. Send none."
        elif secret is None:
            wrong = "client_secret is missing. This application must send its secret in the body."
        elif not hmac.compare_digest(secret.encode(errors="surrogateescape"), client.secret.encode()):
            wrong = "client_secret is wrong."
        if client is None or wrong:
            raise SignInError("invalid_client", wrong)
        return client

    def _by_code(self, form: Parameters, client: OAuthClient) -> Grant:
        text, redirect_uri, verifier = form.need("code"), form.need("redirect_uri"), form.get("code_verifier")
        if verifier is not None and not _VERIFIER.fullmatch(verifier):
            raise SignInError("invalid_request", "code_verifier must be 43 to 128 letters, digits or any of - . _ ~")
        code = self._tokens.use_code(text, client)
        if redirect_uri != code.redirect_uri:
            raise SignInError("invalid_grant", "redirect_uri is not the one that the code was sent to.")
        _prove(code, verifier)
        return code.grant


def _prove(code: Code, verifier: str | None) -> None:
    """Check that the client that sends the code is the one that requested it (PKCE).

    Raises:
        SignInError: invalid_grant, the verifier does not match the challenge, is missing, or was sent without a challenge.
    """
    if code.challenge is None:
        if verifier is not None:
            raise SignInError("invalid_grant", "code_verifier was sent, but the code was asked for without code_challenge.")
        return
    if verifier is None:
        raise SignInError("invalid_grant", "code_verifier is missing. The code was asked for with code_challenge.")
    if not hmac.compare_digest(base64url(hashlib.sha256(verifier.encode()).digest()), code.challenge):
        raise SignInError("invalid_grant", "code_verifier does not belong to the code_challenge.")


_FORM = "application/x-www-form-urlencoded"
_LARGEST = 65_536
_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}


def applications(world: World, tokens: TokenStore) -> tuple[Router, Router]:
    """What is mounted at ``/identity``, and at ``/crm/oauth``: both authorization servers over one store of tokens."""
    incidents = TokenEndpoint(PROFILES[INCIDENTS], tokens, partial(tokens_of_incidents, world))
    crm = TokenEndpoint(PROFILES[CRM], tokens, partial(tokens_of_crm, world))

    def introspect(_: str, form: Parameters) -> Record:
        client = crm.client(form)
        return about_token_of_crm(world, tokens.valid(form.need("token"), client))

    def revoke(_: str, form: Parameters) -> Record:
        client = crm.client(form)
        tokens.revoke(form.need("token"), client)
        return {}

    identity = [
        _page("/incidents/oauth/authorize", AuthorizePage(PROFILES[INCIDENTS], tokens, {"subdomain": SUBDOMAIN})),
        _form("/incidents/oauth/token", incidents.give),
        Route(
            f"/incidents{ISSUER_PATH}/.well-known/openid-configuration",
            threaded(lambda request: JSONResponse(configuration_of_incidents(_base(request)))),
        ),
        Route(f"/incidents{ISSUER_PATH}/jwks", threaded(lambda _: JSONResponse(public_keys(world)))),
        _page("/crm/oauth/authorize", AuthorizePage(PROFILES[CRM], tokens, {})),
    ]
    endpoints = [
        _form("/v1/token", crm.give),
        _form("/v3/token", crm.give),
        _form("/v3/token/introspect", introspect),
        _form("/v3/token/revoke", revoke),
    ]
    return Router(identity, redirect_slashes=False), Router(endpoints, redirect_slashes=False)


def _page(path: str, behind: AuthorizePage) -> Route:
    async def endpoint(request: Request) -> Response:
        if request.method != "POST":
            return behind.ask(request.scope["query_string"])
        content = await _form_of(request)
        return refusal("The answer was not sent by the page's form.") if content is None else behind.answer(content)

    return Route(path, endpoint, methods=["GET", "POST"])


def _form(path: str, handler: Callable[[str, Parameters], Record]) -> Route:
    """An endpoint that takes a form as its body and responds with JSON that must not be cached."""

    def respond(request: Request, content: bytes | None) -> Response:
        try:
            if request.scope["query_string"]:
                raise SignInError("invalid_request", "Parameters belong in the body, never in the address.")
            if content is None:
                raise SignInError("invalid_request", f"The body must be {_FORM} and at most {_LARGEST} bytes.")
            return JSONResponse(handler(_base(request), Parameters(content)), headers=_NO_STORE)
        except SignInError as error:
            return JSONResponse(error.body, error.status, _NO_STORE)

    async def endpoint(request: Request) -> Response:
        return await in_thread(respond, request, await _form_of(request))

    return Route(path, endpoint, methods=["POST"])


async def _form_of(request: Request) -> bytes | None:
    """The form that a request's body is; None when it is none, or larger than any of ours."""
    content = await request.body()
    type_ = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return content if type_ == _FORM and len(content) <= _LARGEST else None


def _base(request: Request) -> str:
    return str(request.base_url).rstrip("/")
