"""The responses of each service's token endpoint, and its information about itself and its tokens."""

from __future__ import annotations

import hashlib
import uuid
from typing import Any, NamedTuple, Protocol

from registry.sandbox.company import DOMAIN, PEOPLE
from registry.sandbox.crm import people as crm_people
from registry.sandbox.incidents import SUBDOMAIN, identifier
from registry.sandbox.signin.profiles import INCIDENTS, PROFILES
from registry.sandbox.signin.signer import Signer, base64url
from registry.sandbox.signin.tokens import Grant, Token
from registry.sandbox.world import HOUR, World

Record = dict[str, Any]

INCIDENTS_PLACE = "/identity/incidents"
ISSUER_PATH = "/global/oauth/anonymous"
ACCOUNT_SCOPE = f"as_account-us.{SUBDOMAIN}"


class Given(NamedTuple):
    """Tokens that were given. `refresh` is None for an application's own; `signed_in` is false when they were refreshed."""

    access: Token
    refresh: Token | None
    signed_in: bool


class TokenResponses(Protocol):
    """How a service writes down tokens."""

    def tokens(self, base: str, given: Given, now: int) -> Record:
        """The response of the token endpoint. `base` is the sandbox's own address without a final slash, `now` Unix seconds."""


class IncidentsResponses:
    """The incident service's responses: the first tokens of a sign-in come with a signed identity token."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._signer = Signer(world)

    def tokens(self, base: str, given: Given, now: int) -> Record:
        """The response of the token endpoint."""
        access, refresh = given.access, given.refresh
        response: Record = {"token_type": "bearer", "access_token": access.text}
        if refresh is not None:
            response["refresh_token"] = refresh.text
        if given.signed_in and access.grant.person is not None:
            response["id_token"] = self._signer.token(self._claims(base, access, access.grant.person, now))
        return response | {"scope": " ".join(access.scopes), "expires_in": _left(access, now)}

    def configuration(self, base: str) -> Record:
        """The OpenID configuration: where everything is, and what it can do."""
        profile, place = PROFILES[INCIDENTS], base + INCIDENTS_PLACE
        scopes = {scope for client in profile.clients.values() for scope in client.scopes}
        return {
            "issuer": place + ISSUER_PATH,
            "authorization_endpoint": f"{place}/oauth/authorize",
            "token_endpoint": f"{place}/oauth/token",
            "jwks_uri": f"{place}{ISSUER_PATH}/jwks",
            "scopes_supported": [*profile.always, *sorted(scopes)],
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "none"],
            "code_challenge_methods_supported": ["S256"],
        }

    def public_keys(self) -> Record:
        """The keys that identity tokens are checked by."""
        return self._signer.public_keys()

    def _claims(self, base: str, access: Token, person: str, now: int) -> Record:
        grant = access.grant
        user = identifier(self._world, "user", person)
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
            "account_id": identifier(self._world, "account", SUBDOMAIN),
            "user_id": user,
            "azp": grant.client.id,
            "subdomain": SUBDOMAIN,
            "region": "UnitedStates",
        }
        return claims if grant.nonce is None else claims | {"nonce": grant.nonce}


class CrmResponses:
    """The CRM's responses."""

    def __init__(self, world: World) -> None:
        self._world = world

    def tokens(self, base: str, given: Given, now: int) -> Record:
        """The response of the token endpoint."""
        response: Record = {"token_type": "bearer", "access_token": given.access.text}
        if given.refresh is not None:
            response["refresh_token"] = given.refresh.text
        response |= {"expires_in": _left(given.access, now), "scopes": list(given.access.scopes)}
        return response | self._whose(given.access.grant) | {"token_use": "access_token"}

    def about(self, token: Token | None, now: int) -> Record:
        """What introspection says about a token; None for one that is good for nothing (RFC 7662, section 2.2)."""
        if token is None:
            return {"active": False}
        response: Record = {
            "active": True,
            "token": token.text,
            "token_use": "refresh_token" if token.refreshes else "access_token",
            "token_type": "bearer",
            "client_id": token.grant.client.id,
            "scopes": list(token.scopes),
            **self._whose(token.grant),
            "user": _email(token.grant),
            "hub_domain": DOMAIN,
        }
        return response if token.ends is None else response | {"expires_in": _left(token, now)}

    def _whose(self, grant: Grant) -> Record:
        address = _email(grant)
        user = next(id_ for id_, _, body in crm_people.users(self._world) if body["email"] == address)
        return {"hub_id": crm_people.portal(self._world), "user_id": int(user)}


def _email(grant: Grant) -> str:
    return next(person.email for person in PEOPLE if person.key == grant.person)


def _left(token: Token, now: int) -> int:
    return 0 if token.ends is None else token.ends - now
