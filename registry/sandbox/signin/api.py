"""Signing in as ASGI applications: the paths of both services' authorization servers, and their responses.

In all of them `base` is the sandbox's own address without a final slash.

Identity tokens are signed with RS256. The key is derived from the world's seed, so that anybody can work it out: it shows an
application whether it checks signatures rightly, and guards nothing.

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

import base64
import hashlib
import hmac
import json
import random
import re
import uuid
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router

from registry.sandbox.crm import administration as crm_people
from registry.sandbox.incidents import SUBDOMAIN, identifier
from registry.sandbox.requests import endpoint, in_thread
from registry.sandbox.signin.authorize import AuthorizePage, refusal
from registry.sandbox.signin.tokens import (
    CRM,
    INCIDENTS,
    PROFILES,
    Grant,
    OAuthClient,
    Parameters,
    Profile,
    SignInError,
    Token,
    TokenStore,
    of_application,
)
from registry.sandbox.world import DOMAIN, HOUR, PEOPLE, World

_BITS = 2_048
_EXPONENT = 65_537
# How PKCS #1 v1.5 (RFC 8017, section 9.2) marks a SHA-256 digest.
_SHA256_MARK = bytes.fromhex("3031300d060960864801650304020105000420")
_SMALL_PRIMES = tuple(number for number in range(3, 1_000) if all(number % other for other in range(2, int(number**0.5) + 1)))


def public_keys(world: World) -> dict[str, Any]:
    """The key set (RFC 7517) that signatures of a world are checked by."""
    modulus, _ = _key(world.seed)
    key = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": _key_id(world)}
    return {"keys": [{**key, "n": base64url(modulus.to_bytes(_BITS // 8, "big")), "e": "AQAB"}]}


def signed(world: World, claims: Mapping[str, Any]) -> str:
    """A signed JWT (RFC 7519) with these claims."""
    content = f"{_json({'alg': 'RS256', 'kid': _key_id(world), 'typ': 'JWT'})}.{_json(claims)}"
    digest = _SHA256_MARK + hashlib.sha256(content.encode()).digest()
    size = _BITS // 8
    padded = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
    modulus, private = _key(world.seed)
    signature = pow(int.from_bytes(padded, "big"), private, modulus)
    return f"{content}.{base64url(signature.to_bytes(size, 'big'))}"


def _key_id(world: World) -> str:
    return world.digits("signin/key", 10)


@lru_cache(maxsize=8)
def _key(seed: int) -> tuple[int, int]:
    """The modulus and private exponent of all worlds with a seed, kept because finding its primes takes about 0.2 s."""
    dice = World(seed, 0).dice("signin/key")
    one, other = _prime(dice), _prime(dice)
    return one * other, pow(_EXPONENT, -1, (one - 1) * (other - 1))


def base64url(content: bytes) -> str:
    """Base64url without padding, as JWTs are written."""
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _prime(dice: random.Random) -> int:
    """A prime of half the key's length, whose two highest bits are set so that the product has all of it."""
    bits = _BITS // 2
    while True:
        number = dice.getrandbits(bits) | 3 << (bits - 2) | 1
        if number % _EXPONENT != 1 and all(number % small for small in _SMALL_PRIMES) and pow(2, number - 1, number) == 1:
            return number


def _json(value: Mapping[str, Any]) -> str:
    return base64url(json.dumps(value, separators=(",", ":")).encode())


Record = dict[str, Any]

INCIDENTS_PLACE = "/identity/incidents"
ISSUER_PATH = "/global/oauth/anonymous"
ACCOUNT_SCOPE = f"as_account-us.{SUBDOMAIN}"


def tokens_of_incidents(world: World, base: str, access: Token, refresh: Token | None, signed_in: bool) -> Record:
    """The incident service's token response: the first tokens of a sign-in come with a signed identity token.

    `refresh` is None for an application's own tokens; `signed_in` is false when they were refreshed.
    """
    person = access.grant.person
    response = _tokens(access, refresh) | {"scope": " ".join(access.scopes), "expires_in": _left(access, world)}
    if signed_in and person is not None:
        grant, now = access.grant, world.present
        user = identifier(world, "user", person)
        claims: Record = {
            "exp": now + HOUR,
            "nbf": now,
            "jti": str(uuid.uuid4()),
            "iss": base + INCIDENTS_PLACE + ISSUER_PATH,
            "aud": [f"{base}/incidents", grant.client.id],
            "sub": user,
            "auth_time": grant.began,
            "iat": now,
            "purpose": "id",
            "at_hash": base64url(hashlib.sha256(access.text.encode()).digest()[:16]),
            "delegation_id": grant.id,
            "account_id": identifier(world, "account", SUBDOMAIN),
            "user_id": user,
            "azp": grant.client.id,
            "subdomain": SUBDOMAIN,
            "region": "UnitedStates",
        }
        response["id_token"] = signed(world, claims if grant.nonce is None else claims | {"nonce": grant.nonce})
    return response


def configuration_of_incidents(base: str) -> Record:
    """The incident service's OpenID configuration: where everything is, and what it can do."""
    profile, place = PROFILES[INCIDENTS], base + INCIDENTS_PLACE
    scopes = {scope for client in profile.clients.values() for scope in client.scopes}
    return {
        "issuer": place + ISSUER_PATH,
        "authorization_endpoint": f"{place}/oauth/authorize",
        "token_endpoint": f"{place}/oauth/token",
        "jwks_uri": f"{place}{ISSUER_PATH}/jwks",
        "scopes_supported": [*profile.always, *sorted(scopes)],
        **{f"{name}_supported": values for name, values in profile.supported.items()},
    }


def tokens_of_crm(world: World, _base: str, access: Token, refresh: Token | None, _signed_in: bool) -> Record:
    """The CRM's token response."""
    response = _tokens(access, refresh) | {"expires_in": _left(access, world), "scopes": list(access.scopes)}
    return response | _whose(world, access.grant) | {"token_use": "access_token"}


def about_token_of_crm(world: World, token: Token | None) -> Record:
    """What the CRM's introspection says about a token; None for one that is good for nothing (RFC 7662, section 2.2)."""
    if token is None:
        return {"active": False}
    response: Record = {
        "active": True,
        "token": token.text,
        "token_use": "refresh_token" if token.refreshes else "access_token",
        "token_type": "bearer",
        "client_id": token.grant.client.id,
        "scopes": list(token.scopes),
        **_whose(world, token.grant),
        "user": _email(token.grant),
        "hub_domain": DOMAIN,
    }
    return response if token.ends is None else response | {"expires_in": _left(token, world)}


def _tokens(access: Token, refresh: Token | None) -> Record:
    more = {} if refresh is None else {"refresh_token": refresh.text}
    return {"token_type": "bearer", "access_token": access.text} | more


def _whose(world: World, grant: Grant) -> Record:
    address = _email(grant)
    user = next(id_ for id_, _, body in crm_people.users(world) if body["email"] == address)
    return {"hub_id": crm_people.portal(world), "user_id": int(user)}


def _email(grant: Grant) -> str:
    return next(person.email for person in PEOPLE if person.key == grant.person)


def _left(token: Token, world: World) -> int:
    return 0 if token.ends is None else token.ends - world.present


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
        # That the client that sends the code is the one that requested it (PKCE).
        if code.challenge is None:
            if verifier is not None:
                raise SignInError("invalid_grant", "code_verifier was sent, but the code was asked for without code_challenge.")
        elif verifier is None:
            raise SignInError("invalid_grant", "code_verifier is missing. The code was asked for with code_challenge.")
        elif not hmac.compare_digest(base64url(hashlib.sha256(verifier.encode()).digest()), code.challenge):
            raise SignInError("invalid_grant", "code_verifier does not belong to the code_challenge.")
        return code.grant


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
            endpoint(lambda request: JSONResponse(configuration_of_incidents(str(request.base_url).rstrip("/")))),
        ),
        Route(f"/incidents{ISSUER_PATH}/jwks", endpoint(lambda _: JSONResponse(public_keys(world)))),
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
    async def page(request: Request) -> Response:
        if request.method != "POST":
            return behind.ask(request.scope["query_string"])
        content = await _form_of(request)
        return refusal("The answer was not sent by the page's form.") if content is None else behind.answer(content)

    return Route(path, page, methods=["GET", "POST"])


def _form(path: str, handler: Callable[[str, Parameters], Record]) -> Route:
    """An endpoint that takes a form as its body and responds with JSON that must not be cached."""

    def respond(request: Request, content: bytes | None) -> Response:
        try:
            if request.scope["query_string"]:
                raise SignInError("invalid_request", "Parameters belong in the body, never in the address.")
            if content is None:
                raise SignInError("invalid_request", f"The body must be {_FORM} and at most {_LARGEST} bytes.")
            return JSONResponse(handler(str(request.base_url).rstrip("/"), Parameters(content)), headers=_NO_STORE)
        except SignInError as error:
            return JSONResponse(error.body, error.status, _NO_STORE)

    async def form(request: Request) -> Response:
        return await in_thread(respond, request, await _form_of(request))

    return Route(path, form, methods=["POST"])


async def _form_of(request: Request) -> bytes | None:
    """The form that a request's body is; None when it is none, or larger than any of ours."""
    content = await request.body()
    type_ = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return content if type_ == _FORM and len(content) <= _LARGEST else None
