"""Signing in: the address for the browser, the redirect back, and the exchange for tokens (RFC 6749, section 4.1).

The order makes sure that nothing is lost: the store is checked first, then the browser opens, and the page in the browser is
shown before the code is exchanged, because a code may be valid for only seconds.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Iterable, Sequence
from urllib.parse import parse_qsl, urlencode

from registry.accounts.loopback import Listener, redirect_uri
from registry.accounts.permissions import ReducedScope, lacking, not_granted
from registry.accounts.problems import (
    Denied,
    NotTheAddress,
    ScopeRefused,
    ServiceRefused,
    TimedOut,
    WrongIssuer,
    WrongState,
)
from registry.accounts.secrets import Secret
from registry.accounts.server import AuthorizationServer, OAuthClient
from registry.accounts.token_endpoint import TokenEndpoint, safe
from registry.accounts.tokens import Tokens
from registry.catalog.model import Tool

PATIENCE = 300.0
"""Seconds to wait for the browser."""

_PASTES = 3
_LONGEST = 16_384

Show = Callable[[str], Awaitable[None]]
"""Takes the user to an address: opens a browser, or prints it."""

Paste = Callable[[str], Awaitable[str]]
"""Asks the user for the address that the browser was sent to. Its argument is what was wrong with the last one, or empty."""


async def sign_in(
    server: AuthorizationServer,
    client: OAuthClient,
    *,
    probe: Callable[[], None],
    show: Show,
    paste: Paste | None = None,
    scopes: Sequence[str] = (),
    tools: Iterable[Tool] = (),
    patience: float = PATIENCE,
    clock: Callable[[], float] = time.time,
) -> Tokens:
    """Sign a person in with a browser. Cancelling the task ends it and closes the port.

    Args:
        server: where to sign in.
        client: the client that the user registered there.
        probe: raises a `CredentialProblem` if tokens could not be stored; called in a thread, before the browser opens.
        show: takes the user to the page that asks them.
        paste: asks for the address that the browser was sent to, if the browser is on another machine. Then no port is opened.
        scopes: the scopes to request; by default the client's usual ones.
        tools: the tools whose scopes are compared with the granted ones.
        patience: seconds to wait for the browser; a paste has no time limit.
        clock: the current time in Unix seconds.

    Returns:
        The tokens, which are not stored yet.

    Raises:
        SignInFailed: with a class for each reason. `ReducedScope` holds tokens with fewer scopes than requested.
    """
    asked = tuple(scopes) or client.scopes(server)
    await asyncio.to_thread(probe)
    attempt = _Attempt(server, client, asked)
    if paste is not None:
        code = await attempt.pasted(show, paste)
    else:
        code = await attempt.received(show, patience)
    tokens = await TokenEndpoint(server, client, clock).exchange(code, attempt.redirect_uri, attempt.verifier, asked)
    missing = not_granted(asked, tokens.scopes, server.declared)
    if missing:
        raise ReducedScope(server.title, tokens, missing, lacking(tools, tokens.scopes, server.declared))
    return tokens


class _Attempt:
    """One attempt to sign in: the parameters for the browser, and those expected back."""

    def __init__(self, server: AuthorizationServer, client: OAuthClient, asked: Sequence[str]) -> None:
        declared = server.declared
        self._server = server
        self._client = client
        self._asked = asked
        self._ports = client.ports or declared.ports
        self._state = secrets.token_urlsafe(32)
        self.verifier = Secret(secrets.token_urlsafe(48)) if declared.pkce else None
        self.redirect_uri = redirect_uri(declared.redirect_host, self._ports[0] or declared.ports[0], declared.redirect_path)

    @property
    def address(self) -> str:
        """The address of the page that asks the user. It has no secret: only a digest of the verifier."""
        query = {
            **self._server.declared.parameters,
            "response_type": "code",
            "client_id": self._client.id,
            "redirect_uri": self.redirect_uri,
            "scope": " ".join(self._asked),
            "state": self._state,
        }
        if self.verifier is not None:
            digest = hashlib.sha256(self.verifier.reveal().encode()).digest()
            query |= {"code_challenge": urlsafe_b64encode(digest).decode().rstrip("="), "code_challenge_method": "S256"}
        return f"{self._server.addresses.authorize}?{urlencode(query)}"

    async def received(self, show: Show, patience: float) -> Secret:
        """The code from the browser's redirect to this machine."""
        declared = self._server.declared
        async with Listener(declared.redirect_host, self._ports, declared.redirect_path) as listener:
            self.redirect_uri = listener.redirect_uri
            await show(self.address)
            try:
                async with asyncio.timeout(patience):
                    query = await listener.query()
            except TimeoutError:
                raise TimedOut(patience) from None
            code = self._code(query)  # if it is refused, leaving the context shows that in the browser
            await listener.reply(taken=True)
            return code

    async def pasted(self, show: Show, paste: Paste) -> Secret:
        """The code in the address that the user pastes."""
        await show(self.address)
        wrong = NotTheAddress(self.redirect_uri)
        for problem in ("", *[f"{wrong.title}. {wrong.cause}"] * (_PASTES - 1)):
            text = (await paste(problem)).strip()
            start, mark, query = text.partition("?")
            address = start if start.startswith("http") else f"http://{start}"  # some browsers hide the scheme
            if mark and address == self.redirect_uri and len(text) < _LONGEST:
                return self._code(query.partition("#")[0])
        raise wrong

    def _code(self, query: str) -> Secret:
        """The code in a redirect, after checking that the redirect belongs to this attempt and this service.

        Raises:
            SignInFailed: it does not, or it denies access.
        """
        title, issuer = self._server.title, self._server.declared.issuer
        pairs = parse_qsl(query, keep_blank_values=True, errors="replace")
        parameters = dict(pairs)
        secret = Secret(parameters.get("code", ""))
        if not hmac.compare_digest(parameters.get("state", "").encode(), self._state.encode()) or len(parameters) < len(pairs):
            raise WrongState
        if issuer is not None and parameters.get("iss") != issuer:
            got = parameters.get("iss")
            raise WrongIssuer(title, issuer, None if got is None else safe(got, [secret]))
        if error := parameters.get("error"):
            words = safe(": ".join(filter(None, (error, parameters.get("error_description")))), [secret])
            if error == "access_denied":
                raise Denied(title, words)
            if error == "invalid_scope":
                raise ScopeRefused(title, words, self._asked)
            raise ServiceRefused(title, words)
        if not secret.reveal():
            raise ServiceRefused(title, "nothing; the redirect contains no code")
        return secret
