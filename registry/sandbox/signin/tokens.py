"""The registered applications of each service, and the store of sign-ins: codes, tokens, and their grants.

=============================  ===============================  ==========================================
what                           incidents                        CRM
=============================  ===============================  ==========================================
a code is good for             30 s                             10 min, the most that RFC 6749 recommends
an access token is good for    30 days; scoped: 1 day           30 min
a refresh token is good for    210 days; scoped: 30 days        as long as nobody revokes it
all of it ends after           3 years; scoped: 1 year          never
refreshing                     gives a new refresh token        keeps the refresh token
a scope that does not exist    gives a token of ``openid`` only is an error, unless it was optional
=============================  ===============================  ==========================================

The secrets are public: they protect only a sandbox. Applications with a secret are redirected to a registered
address only, exactly as written; a program without one may listen on any port of its own machine (RFC 8252, section 7.3).

Bytes of a form that are not UTF-8 survive (as surrogates), so that a `state` goes back to its sender unchanged. At the token
endpoint an error is a JSON body; at the authorize page it goes back to the application in the redirect, unless it says where
the application is: that is shown to the person instead.

Everything is in memory and expires by the world's clock. All tokens from one sign-in belong to one grant: if a code or a
refresh token is used twice, one of the two users has stolen it, and the whole grant is revoked (RFC 6749, section 4.1.2;
RFC 9700, section 4.14).
"""

import re
import secrets
import threading
import uuid
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl

import msgspec

from registry.sandbox.requests import EXPIRED, KNOWN, UNKNOWN, Access, TokenExpired, TokenRefused
from registry.sandbox.world import MINUTE, World

_MOST = 64
CODEC = "surrogateescape"


class SignInError(Exception):
    """A request that is not carried out.

    Args:
        code: the error code, as RFC 6749 names it.
        description: what is wrong and, where it helps, what to send instead. ASCII without quotes and backslashes.
    """

    def __init__(self, code: str, description: str) -> None:
        super().__init__(description)
        self.status = 401 if code == "invalid_client" else 400
        self.body = {"error": code, "error_description": description}


class Parameters:
    """The parameters of a query or body. An empty value counts as not sent (RFC 6749, section 3.1).

    Args:
        content: ``application/x-www-form-urlencoded``.

    Raises:
        SignInError: invalid_request, there are too many parameters.
    """

    def __init__(self, content: bytes) -> None:
        text = content.decode("ascii", CODEC)
        try:
            self._pairs = parse_qsl(text, keep_blank_values=True, errors=CODEC, max_num_fields=_MOST)
        except ValueError as error:
            raise SignInError("invalid_request", "There are too many parameters.") from error

    def get(self, name: str) -> str | None:
        """A parameter's value, None if it was not sent or is empty.

        Raises:
            SignInError: invalid_request, it was sent more than once.
        """
        values = [value for one, value in self._pairs if one == name]
        if len(values) > 1:
            raise SignInError("invalid_request", f"{name} was sent more than once.")
        return values[0] or None if values else None

    def need(self, name: str) -> str:
        """The value of a required parameter.

        Raises:
            SignInError: invalid_request, it was not sent, or more than once.
        """
        value = self.get(name)
        if value is None:
            raise SignInError("invalid_request", f"{name} is missing.")
        return value


INCIDENTS, CRM = "incidents", "crm"


class OAuthClient(msgspec.Struct, frozen=True):
    """A registered application.

    `secret` is None for a public client. `scopes` are those that it may ask for, each with what it allows in words.
    `acts_alone`: it may also get its own tokens, without anybody signing in. `lifetimes` are in seconds, None for no limit: of
    an access token, of a refresh token, and from the sign-in to the end of the last refreshed token.
    """

    id: str
    name: str
    secret: str | None
    redirects: tuple[str, ...]
    scopes: Mapping[str, str]
    lifetimes: tuple[int, int | None, int | None]
    needs_pkce: bool
    acts_alone: bool = False

    def allows(self, address: str) -> bool:
        """Whether it may be sent back to this address, which is critical for security.

        An address is compared as text or matched whole against a narrow grammar, never taken apart by a parser whose idea of a
        host could differ from the browser's. Everything else is refused: no credentials, no fragment, no control characters, no
        host that only begins like this machine.
        """
        if address in self.redirects:
            return True
        found = _THIS_MACHINE.fullmatch(address) if self.secret is None else None
        return found is not None and int(found[1] or 80) <= 65_535


_CHARACTER = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})"
_THIS_MACHINE = re.compile(
    rf"http://(?:127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{{0,4}}))?(?:/{_CHARACTER}*)?(?:\?(?:{_CHARACTER}|\?)*)?"
)


class Profile(msgspec.Struct, frozen=True):
    """One service's way of signing in.

    `always` are scopes that every token has. `strict` says that a scope that does not exist is an error. `rotates` says that
    a refresh token is good for one use. `default_response_type` is what an application means that names none, None where it
    must name one. `code_lifetime` is in seconds. The prefixes begin every token, so that a minted one is known by its looks.
    Its configuration, where it has one, tells what is `supported`.
    """

    key: str
    title: str
    clients: Mapping[str, OAuthClient]
    always: tuple[str, ...]
    strict: bool
    rotates: bool
    default_response_type: str | None
    code_lifetime: int
    access_prefix: str
    refresh_prefix: str
    supported: Mapping[str, tuple[str, ...]] = {}


PROFILES = msgspec.json.decode(Path(__file__).with_name("profiles.json").read_bytes(), type=dict[str, Profile])


def granted(profile: Profile, client: OAuthClient, scope: str | None, optional: str | None) -> tuple[str, ...]:
    """The scopes that the person is asked for, in order of their names.

    Args:
        profile: the service; if an unknown scope is not an error there, requesting one leaves only what every token has.
        client: who asks.
        scope: the requested scopes, separated by spaces.
        optional: further scopes; unknown ones are ignored.

    Raises:
        SignInError: invalid_scope, if that is an error.
    """
    asked = _read(scope)
    known = set(client.scopes)
    if not profile.strict:
        return tuple(sorted({*profile.always, *(asked if asked <= known else ())}))
    if not asked:
        raise SignInError("invalid_scope", "scope is missing. Name at least one scope.")
    if not asked <= known:
        raise SignInError(
            "invalid_scope", f"scope names what this application cannot have. It can have: {' '.join(sorted(known))}."
        )
    return tuple(sorted(asked | (_read(optional) & known)))


def of_application(client: OAuthClient, account: str, scope: str | None) -> tuple[str, ...]:
    """The scopes of a token that an application gets for itself: `account` must be among them; unknown ones are left out.

    Raises:
        SignInError: invalid_scope, the account was not named.
    """
    asked = _read(scope)
    if account not in asked:
        raise SignInError("invalid_scope", f"scope must name the account: {account}.")
    return tuple(sorted(asked & {account, *client.scopes}))


def _read(text: str | None) -> set[str]:
    return set((text or "").split(" ")) - {""}


class Grant(msgspec.Struct):
    """What one sign-in allowed an application. `began` is in Unix seconds; `person` is None for the account itself."""

    profile: Profile
    client: OAuthClient
    person: str | None
    scopes: tuple[str, ...]
    began: int
    nonce: str | None = None
    revoked: bool = False
    id: str = msgspec.field(default_factory=lambda: str(uuid.uuid4()))


class Code(msgspec.Struct):
    """An authorization code. `challenge` is that of PKCE (S256)."""

    grant: Grant
    redirect_uri: str
    challenge: str | None
    ends: int
    used: bool = False


class Token(msgspec.Struct):
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
        profile, (access, refresh, whole) = grant.profile, grant.client.lifetimes
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
            # As before, or the part of them that is asked for (RFC 6749, section 6).
            scopes = token.scopes
            if scope is not None:
                asked = _read(scope)
                if not asked <= set(scopes):
                    raise SignInError("invalid_scope", "scope names more than was granted.")
                scopes = tuple(sorted(asked))
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
            if token.startswith(EXPIRED):
                raise TokenExpired(self.now - MINUTE, MINUTE)
            if token.startswith(UNKNOWN) or (self._strict and not token.endswith(KNOWN)):
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
