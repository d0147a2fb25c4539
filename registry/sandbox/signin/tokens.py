"""The store of sign-ins: codes, access tokens, refresh tokens, and their grants.

Everything is in memory and expires by the world's clock. All tokens from one sign-in belong to one grant: if a code or a
refresh token is used twice, one of the two users has stolen it, and the whole grant is revoked (RFC 6749, section 4.1.2;
RFC 9700, section 4.14).
"""

import secrets
import threading
import uuid

from msgspec import Struct, field
from msgspec.structs import astuple

from registry.sandbox.requests import KNOWN, Access, TokenExpired, TokenRefused
from registry.sandbox.signin.profiles import PROFILES, OAuthClient, Profile, SignInError, narrowed
from registry.sandbox.world import World


class Grant(Struct):
    """What one sign-in allowed an application. `began` is in Unix seconds; `person` is None for the account itself."""

    profile: Profile
    client: OAuthClient
    person: str | None
    scopes: tuple[str, ...]
    began: int
    nonce: str | None = None
    revoked: bool = False
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


class Code(Struct):
    """An authorization code. `challenge` is that of PKCE (S256)."""

    grant: Grant
    redirect_uri: str
    challenge: str | None
    ends: int
    used: bool = False


class Token(Struct):
    """A token: its text, its grant, its scopes and when it expires (Unix seconds; None: never)."""

    text: str
    grant: Grant
    scopes: tuple[str, ...]
    ends: int | None
    refreshes: bool
    used: bool = False
    revoked: bool = False


class TokenStore:
    """Issues codes and tokens, and keeps their state; `strict_keys` refuses plain tokens. Safe to use from several threads."""

    def __init__(self, world: World, *, strict_keys: bool = False) -> None:
        self._world, self._strict = world, strict_keys
        self._lock = threading.Lock()
        self._codes: dict[str, Code] = {}
        self._tokens: dict[str, Token] = {}

    @property
    def now(self) -> int:
        """The present moment, in Unix seconds."""
        return self._world.present

    def code(self, grant: Grant, redirect_uri: str, challenge: str | None) -> str:
        """A code that an application exchanges for tokens, once."""
        text = secrets.token_urlsafe(32)
        with self._lock:
            self._codes[text] = Code(grant, redirect_uri, challenge, self.now + grant.profile.code_lifetime)
        return text

    def use_code(self, text: str, client: OAuthClient) -> Code:
        """The data of a code. The code is used up, even if the request then fails.

        Raises:
            SignInError: invalid_grant, it is not this application's, too old, or was used before.
        """
        with self._lock:
            code = self._codes.get(text)
            if code is None or code.grant.client is not client:
                raise SignInError("invalid_grant", "The code is not known.")
            _refuse_used(code, "The code was used before. What it gave is revoked.")
            code.used = True
            if code.ends <= self.now:
                raise SignInError("invalid_grant", "The code has expired.")
            return code

    def mint(self, grant: Grant, scopes: tuple[str, ...], *, refreshes: bool = False) -> Token:
        """A new access token with these scopes of a grant, or a refresh token."""
        profile, (access, refresh, whole) = grant.profile, astuple(grant.client.lifetimes)
        lifetime, prefix = (refresh, profile.refresh_prefix) if refreshes else (access, profile.access_prefix)
        ends = [start + length for start, length in ((self.now, lifetime), (grant.began, whole)) if length is not None]
        token = Token(f"{prefix}{uuid.uuid4()}", grant, scopes, min(ends, default=None), refreshes)
        with self._lock:
            self._tokens[token.text] = token
        return token

    def use_refresh_token(self, text: str, client: OAuthClient, scope: str | None) -> tuple[Token, tuple[str, ...]]:
        """A valid refresh token of an application, and the scopes it gives. If refresh tokens rotate, it is used up.

        Args:
            text: the token.
            client: its application.
            scope: the requested part of its scopes, separated by spaces; None for all of them.

        Raises:
            SignInError: invalid_grant, it is not this application's, revoked, too old, or was used before;
                invalid_scope, it lacks a requested scope.
        """
        with self._lock:
            token = self._tokens.get(text)
            if token is None or not token.refreshes or token.grant.client is not client or _is_revoked(token):
                raise SignInError("invalid_grant", "The refresh token is not known or was revoked.")
            _refuse_used(token, "The refresh token was used before. What came from it is revoked.")
            if self._is_over(token):
                raise SignInError("invalid_grant", "The refresh token has expired.")
            scopes = narrowed(token.scopes, scope)
            token.used = token.grant.profile.rotates
            return token, scopes

    def valid(self, text: str, client: OAuthClient) -> Token | None:
        """An application's token, access or refresh, if it is valid now; None otherwise."""
        with self._lock:
            token = self._tokens.get(text)
            if token is None or token.grant.client is not client or token.used:
                return None
            return None if _is_revoked(token) or self._is_over(token) else token

    def revoke(self, text: str, client: OAuthClient) -> None:
        """End an application's token. A refresh token takes with it everything that came from it."""
        with self._lock:
            token = self._tokens.get(text)
            if token is not None and token.grant.client is client:
                token.revoked = True
                token.grant.revoked |= token.refreshes

    def access(self, service: str, token: str) -> Access | None:
        """What an access token permits at a service; None for a plain one. See `registry.sandbox.requests.Tokens`."""
        if not token.startswith(_PREFIXES):
            if self._strict and not token.endswith(KNOWN):
                raise TokenRefused
            return None
        with self._lock:
            found = self._tokens.get(token)
            if found is None or found.refreshes or found.grant.profile.key != service or _is_revoked(found):
                raise TokenRefused
            if self._is_over(found):
                ended = found.ends or self.now
                raise TokenExpired(ended, self.now - ended)
            return Access(found.grant.person, frozenset(found.scopes))

    def _is_over(self, token: Token) -> bool:
        return token.ends is not None and token.ends <= self.now


_PREFIXES = tuple(prefix for profile in PROFILES.values() for prefix in (profile.access_prefix, profile.refresh_prefix))


def _refuse_used(one: Code | Token, why: str) -> None:
    if one.used:
        one.grant.revoked = True
        raise SignInError("invalid_grant", why)


def _is_revoked(token: Token) -> bool:
    return token.revoked or token.grant.revoked
