"""The responses of each service's token endpoint, and its information about itself and its tokens.

In all of them `base` is the sandbox's own address without a final slash.
"""

from __future__ import annotations

import hashlib
import uuid
from typing import Any, NamedTuple

from registry.sandbox.company import DOMAIN, PEOPLE
from registry.sandbox.crm import people as crm_people
from registry.sandbox.incidents import SUBDOMAIN, identifier
from registry.sandbox.signin.profiles import INCIDENTS, PROFILES
from registry.sandbox.signin.signer import base64url, signed
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


def tokens_of_incidents(world: World, base: str, given: Given) -> Record:
    """The incident service's token response: the first tokens of a sign-in come with a signed identity token."""
    access, person = given.access, given.access.grant.person
    response = _tokens(given)
    if given.signed_in and person is not None:
        response["id_token"] = signed(world, _claims(world, base, access, person))
    return response | {"scope": " ".join(access.scopes), "expires_in": _left(access, world)}


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
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "token_endpoint_auth_methods_supported": ["client_secret_post", "none"],
        "code_challenge_methods_supported": ["S256"],
    }


def tokens_of_crm(world: World, _base: str, given: Given) -> Record:
    """The CRM's token response."""
    access = given.access
    response = _tokens(given) | {"expires_in": _left(access, world), "scopes": list(access.scopes)}
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


def _tokens(given: Given) -> Record:
    response: Record = {"token_type": "bearer", "access_token": given.access.text}
    return response if given.refresh is None else response | {"refresh_token": given.refresh.text}


def _claims(world: World, base: str, access: Token, person: str) -> Record:
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
    return claims if grant.nonce is None else claims | {"nonce": grant.nonce}


def _whose(world: World, grant: Grant) -> Record:
    address = _email(grant)
    user = next(id_ for id_, _, body in crm_people.users(world) if body["email"] == address)
    return {"hub_id": crm_people.portal(world), "user_id": int(user)}


def _email(grant: Grant) -> str:
    return next(person.email for person in PEOPLE if person.key == grant.person)


def _left(token: Token, world: World) -> int:
    return 0 if token.ends is None else token.ends - world.present
