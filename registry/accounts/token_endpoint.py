"""Requests for tokens: exchanging a code, refreshing, and revoking. No request is retried."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from registry import __version__
from registry.accounts.addresses import is_this_machine
from registry.accounts.problems import ClientRefused, CodeRefused, NotReached, ScopeRefused, ServiceRefused, SignInFailed
from registry.accounts.secrets import Secret, basic_proof, redacted
from registry.accounts.server import AuthorizationServer, OAuthClient
from registry.accounts.tokens import Tokens, token_text
from registry.text.safe_text import shortened, visible_line

_SILENCE, _CONNECTING, _WHOLE = 20.0, 10.0, 40.0
"""Seconds without data, to connect, and for a whole response."""

_LARGEST = 262_144
_LONGEST_LIFE = 10 * 365 * 86_400


class GrantRefused(Exception):
    """``invalid_grant``: the code or the refresh token is not valid; with the service's message."""


class TokenEndpoint:
    """Requests tokens from a service, as a client.

    Args:
        server: the service's server.
        client: the client.
        clock: the current time in Unix seconds.
        learn: called with each received secret, before anything else is done with it.
    """

    def __init__(
        self,
        server: AuthorizationServer,
        client: OAuthClient,
        clock: Callable[[], float] = time.time,
        learn: Callable[[Sequence[Secret]], None] = lambda _: None,
    ) -> None:
        self.server = server
        self.client = client
        self.clock = clock
        self._learn = learn

    async def exchange(self, code: Secret, redirect_uri: str, verifier: Secret | None, asked: Sequence[str]) -> Tokens:
        """The tokens for a code.

        Raises:
            CodeRefused: the service refused the code, for example because it is too old.
            SignInFailed: it gave none.
        """
        form = {"grant_type": "authorization_code", "code": code.reveal(), "redirect_uri": redirect_uri}
        if verifier is not None:
            form["code_verifier"] = verifier.reveal()
        try:
            values = await self._post(self.server.addresses.token, form, [code, *([verifier] if verifier else [])])
        except GrantRefused as refused:
            declared = self.server.declared
            raise CodeRefused(self.server.title, declared.code_lifetime, str(refused)) from None
        return self._tokens(values, asked, None)

    async def refresh(self, tokens: Tokens) -> Tokens:
        """New tokens for a refresh token; the refresh token stays if the service returns no new one.

        Raises:
            GrantRefused: the sign-in has ended.
            SignInFailed: the service returned none for another reason.
        """
        assert tokens.refresh is not None
        form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh.reveal()}
        values = await self._post(self.server.addresses.token, form, [tokens.refresh, tokens.access])
        return self._tokens(values, tokens.scopes, tokens.refresh)

    async def revoke(self, tokens: Tokens) -> bool:
        """Revoke the tokens at the service; False if it cannot do that.

        Raises:
            SignInFailed: it did not work.
        """
        if self.server.addresses.revoke is None:
            return False
        token = tokens.refresh or tokens.access
        with suppress(GrantRefused):  # it is already invalid
            await self._post(self.server.addresses.revoke, {"token": token.reveal()}, [token], empty=True)
        return True

    def _tokens(self, values: dict[str, Any], asked: Sequence[str], before: Secret | None) -> Tokens:
        texts = [values[name] for name in ("access_token", "refresh_token", "id_token") if isinstance(values.get(name), str)]
        self._learn([Secret(text) for text in texts])
        now = self.clock()
        try:
            access = Secret(token_text(values.get("access_token")))
            refresh = before if values.get("refresh_token") is None else Secret(token_text(values["refresh_token"]))
            kind = values.get("token_type", "bearer")
            if not isinstance(kind, str) or kind.lower() != "bearer":
                raise ValueError("the token is of a kind that is not known")
        except ValueError:
            raise NotReached(self._host, "Its response contains no bearer token.") from None
        return Tokens(access, refresh, _end(values.get("expires_in"), now), _scopes(values, asked), now)

    async def _post(self, url: str, form: dict[str, str], secrets: list[Secret], *, empty: bool = False) -> dict[str, Any]:
        """The JSON object of a response; `empty`: a successful response may have any body."""
        headers = {
            "User-Agent": f"callboard/{__version__}",
            "Accept": "application/json",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        form = {**form, "client_id": self.client.id}
        if (secret := self.client.secret) is not None:
            secrets = [*secrets, secret]
            if self.server.declared.secret_in == "body":
                form["client_secret"] = secret.reveal()
            else:
                proof = basic_proof(quote(self.client.id, safe=""), quote(secret.reveal(), safe=""))
                headers["Authorization"] = f"Basic {proof}"
        why, parts = "", urlsplit(url)
        if parts.scheme != "https" and not is_this_machine(parts.hostname or ""):
            raise NotReached(self._host, f"{parts.hostname} uses plain http: anyone on the network could read the credential.")
        try:
            timeout = httpx.Timeout(_SILENCE, connect=_CONNECTING)
            async with (
                asyncio.timeout(_WHOLE),
                httpx.AsyncClient(timeout=timeout, **_network(url)) as http,
                http.stream("POST", url, headers=headers, content=urlencode(form).encode()) as response,
            ):
                body = await _read(response)
        except TimeoutError:
            why = f"It did not respond within {_WHOLE:g} s."
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, ImportError, _TooLarge) as error:
            why = f"It could not be reached, or the connection broke ({type(error).__name__})."
        if why:  # outside the handlers: their exception holds the request, and with it the secrets
            raise NotReached(self._host, why)
        return self._understood(response, body, secrets, empty=empty)

    def _understood(self, response: httpx.Response, body: bytes, secrets: Sequence[Secret], *, empty: bool) -> dict[str, Any]:
        status = response.status_code
        if 200 <= status < 300 and empty:
            return {}
        try:
            values = json.loads(body)
        except (ValueError, RecursionError):
            values = None
        if 200 <= status < 300:
            if not isinstance(values, dict):
                raise NotReached(self._host, "Its response is not JSON: a proxy may have sent it.")
            return values
        if 300 <= status < 400:
            raise NotReached(self._host, f"It responded with {status}, a redirect, which is not followed with a secret.")
        if status >= 500 or status in (408, 425, 429):
            raise NotReached(self._host, f"It responded with {status}.")
        raise self._refusal(status, values if isinstance(values, dict) else {}, secrets)

    def _refusal(self, status: int, values: dict[str, Any], secrets: Sequence[Secret]) -> SignInFailed | GrantRefused:
        code = values.get("error")
        parts = [one for one in (code, values.get("error_description") or values.get("message")) if isinstance(one, str)]
        words = safe(": ".join(parts), secrets) or f"HTTP {status}"
        match code:
            case "invalid_grant":
                return GrantRefused(words)
            case "invalid_client" | "unauthorized_client":
                return ClientRefused(self.server.title, words)
            case "invalid_scope":
                return ScopeRefused(self.server.title, words)
        return ServiceRefused(self.server.title, words)

    @property
    def _host(self) -> str:
        return urlsplit(self.server.addresses.token).netloc


def safe(text: str, secrets: Sequence[Secret]) -> str:
    """A service's message, safe to show in a sentence: no secret, no control characters, one line of limited length."""
    hidden = redacted(text.encode("utf-8", "replace"), [secret.reveal() for secret in secrets]).decode("utf-8", "replace")
    return shortened(visible_line(hidden), 200).strip().rstrip(".")


def _network(url: str) -> dict[str, Any]:
    """The options of a client for an address: the environment's certificates and proxy; no proxy for this machine."""
    parts, named = urlsplit(url), getproxies()
    direct = is_this_machine(parts.hostname or "") or proxy_bypass(parts.hostname or "")
    proxy = None if direct else named.get(parts.scheme) or named.get("all")
    return {"verify": httpx.create_ssl_context(), "proxy": proxy, "trust_env": False, "follow_redirects": False}


async def _read(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _LARGEST:
            raise _TooLarge
    return bytes(body)


class _TooLarge(Exception):
    """A response is too large for one with tokens."""


def _end(seconds: Any, now: float) -> float | None:
    """When a token with this lifetime in seconds expires; None if it is missing or invalid."""
    if isinstance(seconds, str) and seconds.isdecimal() and len(seconds) < 12:
        seconds = int(seconds)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= _LONGEST_LIFE:
        return None
    return now + seconds


def _scopes(values: dict[str, Any], asked: Sequence[str]) -> tuple[str, ...]:
    """The granted scopes: those in the response, or the requested ones if it has none (RFC 6749, section 5.1)."""
    for name in ("scope", "scopes"):
        value = values.get(name)
        if isinstance(value, str):
            return tuple(value.split())
        if isinstance(value, list):
            return tuple(one for one in value if isinstance(one, str))
    return tuple(asked)
