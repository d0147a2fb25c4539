"""The responses of each service's token endpoint, and its information about itself and its tokens.

In all of them `base` is the sandbox's own address without a final slash.

Identity tokens are signed with RS256. The key is derived from the world's seed, so that anybody can work it out: it shows an
application whether it checks signatures rightly, and guards nothing.
"""

import base64
import hashlib
import json
import random
import uuid
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from registry.sandbox.company import DOMAIN, PEOPLE
from registry.sandbox.crm import people as crm_people
from registry.sandbox.incidents import SUBDOMAIN, identifier
from registry.sandbox.signin.profiles import INCIDENTS, PROFILES
from registry.sandbox.signin.tokens import Grant, Token
from registry.sandbox.world import HOUR, World

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
        response["id_token"] = signed(world, _claims(world, base, access, person))
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
