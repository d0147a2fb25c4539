"""OAuth 2 with a service that users sign in to: the server, the client, the tokens, and the requests for them (RFC 6749).

No request is retried, no redirect is followed, and nothing is sent over plain http to another machine. oauthlib writes the
forms, and PKCE's proof in `registry.accounts.sign_in`.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx
from msgspec import Struct

from registry import __version__
from registry.accounts.connection import SANDBOX_URL, CredentialProblem, is_loopback
from registry.accounts.secrets import Secret, basic_proof, redacted
from registry.catalog.service import Service, SignIn, SignInAddresses
from registry.text.shown import shortened, visible_line

_SILENCE, _CONNECTING, _WHOLE = 20.0, 10.0, 40.0
"""Seconds without data, to connect, and for a whole response."""

_LARGEST = 262_144
_LONGEST_LIFE = 10 * 365 * 86_400

EARLY = 60.0
"""Seconds before a token's expiry at which it is refreshed, or another one is asked for."""


class SignInFailed(CredentialProblem):
    """Signing in, or refreshing, did not work."""


class NotReached(SignInFailed):
    """The token endpoint returned no valid response; trying again may help."""

    def __init__(self, host: str, why: str) -> None:
        super().__init__(f"No tokens from {host}", why, "Check the network and the proxy, then try again in a moment.")


def store_failed(cause: str, way_out: str = "Unlock the store, or choose another one.") -> SignInFailed:
    """The error of a store that cannot be read or written, or cannot be locked."""
    return SignInFailed("Cannot use the credential store", cause, way_out)


class AuthorizationServer(Struct, frozen=True):
    """Where people sign in to a service.

    Attributes:
        title: the service's title.
        declared: how it signs people in.
        addresses: the service's own addresses, or those of a sandbox on a port of this machine.
    """

    title: str
    declared: SignIn
    addresses: SignInAddresses


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """A client that the user registered at the service.

    Attributes:
        id: the client id; not a secret.
        secret: the client secret; None for a client without one.
    """

    id: str
    secret: Secret | None = field(default=None, repr=False)

    def scopes(self, server: AuthorizationServer) -> tuple[str, ...]:
        """The scopes that it requests by default; `SignInFailed` if the service accepts no client without a secret."""
        declared = server.declared
        if self.secret is not None:
            return declared.scopes
        if declared.scopes_without_secret:
            return declared.scopes_without_secret
        where = f" The service shows it where the client is registered: {declared.register}" if declared.register else ""
        cause = f"{server.title} requires the client's secret."
        raise SignInFailed("The client secret is missing", cause, f"Add the client secret.{where}")


def authorization_server(service: Service, base_url: str) -> AuthorizationServer | None:
    """Where people sign in to a service at a base URL; None if they cannot.

    A base URL of this machine counts as a sandbox on a port, and people sign in there as well, even if another program listens
    on it. The alternative would be worse: a token from the real service's own address would be sent to any program that has the
    port. So no token of the real service is ever requested for, or sent to, an address of this machine; a tunnel to the real
    service needs a pasted credential.
    """
    declared = service.sign_in
    if declared is None or base_url.startswith(SANDBOX_URL):  # the embedded sandbox needs no account
        return None
    if not is_loopback(base_url):
        return AuthorizationServer(service.title, declared, declared.addresses)
    if declared.sandbox is None:
        return None
    parts, paths = urlsplit(base_url), declared.sandbox
    origin = f"{parts.scheme}://{parts.netloc}"
    revoke = f"{origin}{paths.revoke}" if paths.revoke else None
    addresses = SignInAddresses(authorize=origin + paths.authorize, token=origin + paths.token, revoke=revoke)
    return AuthorizationServer(service.title, declared, addresses)


class Tokens(Struct, frozen=True):
    """An access token with its data. Printing it shows no secret.

    Attributes:
        access: the token that requests carry.
        refresh: the refresh token; None if the service returned none.
        expires_at: when the access token expires, in Unix seconds; None if the service does not say.
        scopes: the granted scopes.
    """

    access: Secret
    refresh: Secret | None
    expires_at: float | None
    scopes: tuple[str, ...]

    def as_json(self) -> str:
        """The form for a store: a JSON object with the secrets in it."""
        held = {"access_token": self.access.reveal(), "refresh_token": self.refresh.reveal() if self.refresh else None}
        return json.dumps({**held, "expires_at": self.expires_at, "scope": " ".join(self.scopes)})

    @classmethod
    def from_json(cls, text: str) -> "Tokens":
        """The tokens from that form; `SignInFailed` if it is invalid."""
        try:
            held = json.loads(text)
            expires_at, refresh = held["expires_at"], held["refresh_token"]
            return cls(
                _token(held["access_token"]),
                None if refresh is None else _token(refresh),
                None if expires_at is None else float(expires_at),
                tuple(held["scope"].split()),
            )
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            raise store_failed("What it contains is not a sign-in.", "Sign in again.") from None

    def ends_within(self, seconds: float, now: float) -> bool:
        """Whether the access token expires within `seconds` of a time in Unix seconds."""
        return self.expires_at is not None and self.expires_at - seconds <= now


class GrantRefused(Exception):
    """``invalid_grant``: the code or the refresh token is not valid; with the service's message."""


class TokenEndpoint:
    """Requests tokens from a service, as a client.

    Args:
        server: the service's server.
        client: the client.
        clock: the current time in Unix seconds.
        learn: called with the client's secret and what was received, before anything else is done with it.
    """

    def __init__(
        self,
        server: AuthorizationServer,
        client: OAuthClient,
        clock: Callable[[], float] = time.time,
        learn: Callable[[Sequence[Secret]], None] = lambda _: None,
    ) -> None:
        from oauthlib.oauth2 import WebApplicationClient  # slow to import, and few accounts sign in

        self.server, self.client = server, client
        self._clock, self._learn = clock, learn
        self._host = urlsplit(server.addresses.token).netloc
        self._oauth = WebApplicationClient(client.id)

    async def exchange(self, code: Secret, redirect_uri: str, verifier: Secret | None, asked: Sequence[str]) -> Tokens:
        """The tokens for a code; `SignInFailed` if the service gives none, for example because the code is too old."""
        own: dict[str, Any] = self._in_form() | ({"code_verifier": verifier.reveal()} if verifier else {})
        form = self._oauth.prepare_request_body(code.reveal(), redirect_uri=redirect_uri, **own)
        try:
            text = await self._post(self.server.addresses.token, form, [code, *([verifier] if verifier else [])])
        except GrantRefused as refused:
            seconds = self.server.declared.code_lifetime
            good = f"for {seconds} s" if seconds else "for a short time"
            raise SignInFailed(
                "The sign-in code has expired or was used before",
                f"{self.server.title} refused it ({refused}). A code is valid once, {good}.",
                "Sign in again; with --no-browser, paste the address at once.",
            ) from None
        return self._tokens(text, asked, None)

    async def refresh(self, tokens: Tokens) -> Tokens:
        """New tokens for a refresh token; the refresh token stays if the service returns no new one.

        Raises:
            GrantRefused: the sign-in has ended.
            SignInFailed: the service returned none for another reason.
        """
        assert tokens.refresh is not None
        own = {"client_id": self.client.id, **self._in_form()}
        form = self._oauth.prepare_refresh_body(refresh_token=tokens.refresh.reveal(), **own)
        text = await self._post(self.server.addresses.token, form, [tokens.refresh, tokens.access])
        return self._tokens(text, tokens.scopes, tokens.refresh)

    async def own_token(self) -> Tokens:
        """A token for the client itself, without a user; raises as `refresh`."""
        scopes = self.server.declared.scopes
        form = {"grant_type": "client_credentials"} | ({"scope": " ".join(scopes)} if scopes else {})
        return self._tokens(await self._post(self.server.addresses.token, urlencode(form), []), scopes, None)

    async def revoke(self, tokens: Tokens) -> bool:
        """Revoke the tokens at the service; False if it cannot do that, `SignInFailed` if it did not."""
        if self.server.addresses.revoke is None:
            return False
        token = tokens.refresh or tokens.access
        form = urlencode({"token": token.reveal(), "client_id": self.client.id, **self._in_form()})
        with suppress(GrantRefused):  # it is already invalid
            await self._post(self.server.addresses.revoke, form, [token])
        return True

    def _in_form(self) -> dict[str, str]:
        """The client's secret, where the service takes it in the form."""
        if self.client.secret is None or self.server.declared.secret_in != "body":
            return {}
        return {"client_secret": self.client.secret.reveal()}

    def _tokens(self, text: str, asked: Sequence[str], before: Secret | None) -> Tokens:
        values = _object(text)
        if values is None:
            raise NotReached(self._host, "Its response is not JSON: a proxy may have sent it.")
        given = [values.get(name) for name in ("access_token", "refresh_token", "id_token")]
        own = [self.client.secret] if self.client.secret is not None else []
        self._learn([*own, *(Secret(one) for one in given if isinstance(one, str))])
        try:
            if str(values.get("token_type", "bearer")).lower() != "bearer":
                raise ValueError("another kind of token")
            access = _token(given[0])
            refresh = before if given[1] is None else _token(given[1])
        except ValueError:
            raise NotReached(self._host, "Its response contains no bearer token.") from None
        seconds, expires_at = values.get("expires_in"), None
        if isinstance(seconds, str) and seconds.isdecimal() and len(seconds) < 12:
            seconds = int(seconds)
        if isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds <= _LONGEST_LIFE:
            expires_at = self._clock() + seconds
        return Tokens(access, refresh, expires_at, _scopes(values, asked))

    async def _post(self, url: str, form: str, secrets: list[Secret]) -> str:
        """The text of a successful response."""
        headers = {
            "User-Agent": f"callboard/{__version__}",
            "Accept": "application/json",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        if (secret := self.client.secret) is not None:
            secrets = [*secrets, secret]
            if self.server.declared.secret_in != "body":
                proof = basic_proof(quote(self.client.id, safe=""), quote(secret.reveal(), safe=""))
                headers["Authorization"] = f"Basic {proof}"
        why, here = "", is_loopback(url)
        if not url.startswith("https:") and not here:
            raise NotReached(
                self._host, f"{urlsplit(url).hostname} uses plain http: anyone on the network could read the credential."
            )
        body, timeout = bytearray(), httpx.Timeout(_SILENCE, connect=_CONNECTING)
        try:
            # The environment names certificates and a proxy, which is not for this machine.
            async with (
                asyncio.timeout(_WHOLE),
                httpx.AsyncClient(timeout=timeout, verify=httpx.create_ssl_context(), trust_env=not here) as http,
                http.stream("POST", url, headers=headers, content=form.encode()) as response,
            ):
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > _LARGEST:
                        why = "Its response is too large for one with tokens."
                        break
        except TimeoutError:
            why = f"It did not respond within {_WHOLE:g} s."
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, ImportError) as error:
            why = f"It could not be reached, or the connection broke ({type(error).__name__})."
        if why:  # outside the handlers: their exception holds the request, and with it the secrets
            raise NotReached(self._host, why)
        status, text = response.status_code, body.decode("utf-8", "surrogateescape")
        if 300 <= status < 400:
            raise NotReached(self._host, f"It responded with {status}, a redirect, which is not followed with a secret.")
        if status >= 500 or status in (408, 425, 429):
            raise NotReached(self._host, f"It responded with {status}.")
        if status >= 400:
            raise self._refusal(status, text, secrets)
        return text

    def _refusal(self, status: int, text: str, secrets: Sequence[Secret]) -> SignInFailed | GrantRefused:
        values = _object(text) or {}
        parts = [values.get("error"), values.get("error_description") or values.get("message")]
        words = safe(": ".join(one for one in parts if isinstance(one, str)), secrets) or f"HTTP {status}"
        if values.get("error") == "invalid_grant":
            return GrantRefused(words)
        return refused(self.server.title, str(values.get("error")), words)


def refused(title: str, code: str, words: str, asked: Sequence[str] = ()) -> SignInFailed:
    """The error for an OAuth error code of a service, with its message."""
    client = f"{title} does not accept the client", "Check the client id and the client secret where the client is registered."
    scope = "Add the permissions where the client is registered, then sign in again."
    denied = "Sign in again and allow access, or ask an administrator of the account."
    heading, way_out = {
        "invalid_client": client,
        "unauthorized_client": client,
        "invalid_scope": (f"{title} does not grant these permissions to the client", scope),
        "access_denied": ("Access denied", denied),
    }.get(code, (f"{title} refused the sign-in", "Check how the client is registered, then sign in again."))
    requested = f"Requested: {', '.join(asked)}. " if code == "invalid_scope" and asked else ""
    return SignInFailed(heading, f"{requested}{title if code == 'access_denied' else 'It'} says: {words}.", way_out)


def safe(text: str, secrets: Sequence[Secret]) -> str:
    """A service's message, safe to show in a sentence: no secret, no control characters, one line of limited length."""
    hidden = redacted(text.encode("utf-8", "replace"), [secret.reveal() for secret in secrets]).decode("utf-8", "replace")
    return shortened(visible_line(hidden), 200).strip().rstrip(".")


def _object(text: str) -> dict[str, Any] | None:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, dict) else None


def _token(value: object) -> Secret:
    """A token that may be sent in a header; `ValueError` if it is none."""
    if not isinstance(value, str) or not re.fullmatch(r"[!-~]{1,16384}", value):
        raise ValueError("no token")
    return Secret(value)


def _scopes(values: dict[str, Any], asked: Sequence[str]) -> tuple[str, ...]:
    """The granted scopes: those in the response, or the requested ones if it has none (RFC 6749, section 5.1)."""
    for name in ("scope", "scopes"):
        value = values.get(name)
        if isinstance(value, str):
            return tuple(value.split())
        if isinstance(value, list):
            return tuple(one for one in value if isinstance(one, str))
    return tuple(asked)
