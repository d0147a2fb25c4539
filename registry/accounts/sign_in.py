"""Signing in: the address for the browser, the redirect back, and the exchange for tokens (RFC 6749, section 4.1).

The order makes sure that nothing is lost: the store is checked first, then the browser opens, and the page in the browser is
shown before the code is exchanged, because a code may be valid for only seconds.
"""

import asyncio
import errno
import hmac
import secrets as dice
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from registry.accounts.account import Account
from registry.accounts.credentials import AccountTokens, client_of, server_of
from registry.accounts.oauth import AuthorizationServer, OAuthClient, SignInFailed, TokenEndpoint, Tokens, refused, safe
from registry.accounts.secrets import Secret
from registry.accounts.stores import Secrets
from registry.catalog.model import Tool
from registry.catalog.service import Service
from registry.files.threads import in_daemon

_PATIENCE = 10.0
"""Seconds in which a request must arrive."""

_LARGEST = 32_768

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Callboard</title></head>
<body style="font: 1.1rem/1.5 sans-serif; margin: 4rem auto; max-width: 32rem">
<h1 style="font-size: 1.3rem">{title}</h1>
<p>{text} You can close this page.</p>
</body>
</html>
"""
_TAKEN = _PAGE.format(title="Callboard is signing you in", text="See the terminal for the result.")
_REFUSED = _PAGE.format(title="The sign-in failed", text="See the terminal for the reason.")
_HEADERS = (
    "Content-Type: text/html; charset=utf-8",
    "Connection: close",
    "Cache-Control: no-store",
    "Referrer-Policy: no-referrer",
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options: nosniff",
)


PATIENCE = 300.0
"""Seconds to wait for the browser."""

_OPENING = 3.0
"""Seconds to wait for a browser that does not report whether it has started."""

_PASTES = 3
_LONGEST = 16_384
_MOST_NAMES = 5

Show = Callable[[str], Awaitable[None]]
"""Takes the user to an address: opens a browser, or prints it."""

Paste = Callable[[str], Awaitable[str]]
"""Asks the user for the address that the browser was sent to. Its argument is what was wrong with the last one, or empty."""


class SignedIn(NamedTuple):
    """The tokens of a sign-in, to store; and a sentence for the user if fewer scopes were granted than requested."""

    tokens: Tokens
    reduced: str = ""


async def signed_in(
    account: Account,
    service: Service,
    secrets: Secrets,
    client_secret: str,
    *,
    show: Show,
    paste: Paste | None,
    tools: Iterable[Tool],
) -> SignedIn:
    """Sign in to an account with a browser; see `sign_in`. Stores nothing yet, but probes the store first.

    Raises a `CredentialProblem`, with a class for each reason, or `AccountError` if users cannot sign in to the service there.
    """
    client = OAuthClient(account.client_id, Secret(client_secret) if client_secret else None)
    probe = secrets.store(account.secret).probe
    return await sign_in(server_of(account, service), client, probe=probe, show=show, paste=paste, tools=tools)


async def signed_in_again(
    account: Account, service: Service, secrets: Secrets, *, show: Show, paste: Paste | None, tools: Iterable[Tool]
) -> SignedIn:
    """Sign in again to an account with a known client, and store its tokens; see `signed_in`."""
    client = await in_daemon(partial(client_of, account, secrets), "credential store")
    secret = client.secret.reveal() if client.secret is not None else ""
    done = await signed_in(account, service, secrets, secret, show=show, paste=paste, tools=tools)
    await in_daemon(partial(AccountTokens(account.secret, secrets).write, done.tokens), "credential store")
    return done


async def signed_out(account: Account, service: Service, secrets: Secrets) -> bool:
    """Revoke an account's tokens at its service and delete them here; returns whether the service revoked them.

    Raises:
        CredentialProblem: the store or the service failed.
    """
    tokens = await in_daemon(AccountTokens(account.secret, secrets).read, "credential store")
    if tokens is None:
        return False
    client = await in_daemon(partial(client_of, account, secrets), "credential store")
    try:
        return await TokenEndpoint(server_of(account, service), client).revoke(tokens)
    finally:
        await in_daemon(partial(secrets.store(account.secret).delete, account.secret.at), "credential store")


async def sign_in(
    server: AuthorizationServer,
    client: OAuthClient,
    *,
    probe: Callable[[], None],
    show: Show,
    paste: Paste | None = None,
    tools: Iterable[Tool] = (),
    patience: float = PATIENCE,
) -> SignedIn:
    """Sign a person in with a browser. Cancelling the task ends it and closes the port.

    Args:
        server: where to sign in.
        client: the client that the user registered there.
        probe: raises a `CredentialProblem` if tokens could not be stored; called in a thread, before the browser opens.
        show: takes the user to the page that asks them.
        paste: asks for the address that the browser was sent to, if the browser is on another machine. Then no port is opened.
        tools: the tools whose scopes are compared with the granted ones.
        patience: seconds to wait for the browser; a paste has no time limit.

    Raises:
        SignInFailed: it did not work.
    """
    asked = client.scopes(server)
    await asyncio.to_thread(probe)
    attempt = _Attempt(server, client, asked)
    code = await attempt.received(show, patience) if paste is None else await attempt.pasted(show, paste)
    tokens = await TokenEndpoint(server, client).exchange(code, attempt.redirect_uri, attempt.verifier, asked)
    declared = server.declared
    held = set(tokens.scopes).union(*(declared.includes.get(scope, ()) for scope in tokens.scopes))
    missing = [scope for scope in dict.fromkeys(asked) if scope not in held and scope not in declared.always]
    if not missing:
        return SignedIn(tokens)
    without = [tool.name for tool in tools if tool.scopes and held.isdisjoint(tool.scopes)]  # it needs one of its scopes
    cannot = f" {_several(without)} cannot be run." if without else ""
    way_out = "Add the permissions where the client is registered and sign in again, or go on with less."
    return SignedIn(tokens, f"{server.title} did not grant {_several(missing)}.{cannot} {way_out}")


class _Attempt:
    """One attempt to sign in: the address for the browser, and the code that comes back.

    It comes with the browser's redirect to a port of this machine (RFC 8252, section 7.3), or is pasted. Browsers open
    connections without sending anything, and request icons: only the first GET of the redirect address counts. A page that
    resolves its own host name to this machine (DNS rebinding) names the wrong host, and is refused.
    """

    def __init__(self, server: AuthorizationServer, client: OAuthClient, asked: Sequence[str]) -> None:
        from oauthlib.oauth2 import WebApplicationClient  # slow to import, and few accounts sign in

        self._server, self._asked = server, asked
        self._state = dice.token_urlsafe(32)
        self._oauth = WebApplicationClient(client.id)
        self.verifier = Secret(self._oauth.create_code_verifier(64)) if server.declared.pkce else None
        self._port = server.declared.ports[0]
        self._taken: asyncio.Future[Secret] = asyncio.get_running_loop().create_future()

    @property
    def redirect_uri(self) -> str:
        """Where the service sends the browser."""
        return f"http://{self._server.declared.redirect_host}:{self._port}{self._server.declared.redirect_path}"

    @property
    def address(self) -> str:
        """The address of the page that asks the user. It has no secret: only a digest of the verifier."""
        query = {
            **self._server.declared.parameters,
            "response_type": "code",
            "client_id": self._oauth.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": " ".join(self._asked),
            "state": self._state,
        }
        if self.verifier is not None:
            challenge = self._oauth.create_code_challenge(self.verifier.reveal(), "S256")
            query |= {"code_challenge": challenge, "code_challenge_method": "S256"}
        return f"{self._server.addresses.authorize}?{urlencode(query)}"

    async def received(self, show: Show, patience: float) -> Secret:
        """The code from the browser's redirect to this machine."""
        listening = await self._listening()
        try:
            # Some $BROWSER commands end only when their window is closed: do not wait for that.
            opening = asyncio.ensure_future(show(self.address))
            done, _ = await asyncio.wait({opening}, timeout=_OPENING)
            if done:
                opening.result()
            async with asyncio.timeout(patience):
                return await self._taken
        except TimeoutError:
            cause = f"The browser did not come back within {patience:g} s."
            way_out = "Sign in again; use --no-browser where no browser opens."
            raise SignInFailed("The sign-in timed out", cause, way_out) from None
        finally:
            listening.close()
            self._taken.cancel()

    async def _listening(self) -> asyncio.Server:
        """Listens on the first free port; `SignInFailed` if there is none."""
        why, ports = "", self._server.declared.ports
        for port in ports:
            try:
                opened = socket.create_server(("127.0.0.1", port))
            except OSError as error:
                why = "" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
                continue
            self._port = opened.getsockname()[1]
            return await asyncio.start_server(self._connected, sock=opened, limit=_LARGEST)
        named = f"Port {', '.join(map(str, ports))} of this machine"
        cause = f"{named} cannot be opened: {why}." if why else f"{named} is in use by another program."
        raise SignInFailed("Cannot listen for the browser", cause, "End that program, or sign in with --no-browser.")

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        try:
            async with asyncio.timeout(_PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                # From here to the written page nothing waits: a second redirect finds the first one taken.
                status, page = self._answer(head.decode("latin-1"))
                lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(page.encode())}", *_HEADERS)
                writer.write("\r\n".join((*lines, "", page)).encode())
                writer.close()
                await writer.wait_closed()
        except (TimeoutError, asyncio.CancelledError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            writer.transport.abort()

    def _answer(self, head: str) -> tuple[str, str]:
        """The status and the page for a request; takes the query of the expected redirect."""
        first, *lines = head.split("\r\n")
        method, _, rest = first.partition(" ")
        path, _, query = rest.partition(" ")[0].partition("?")
        hosts = [line.partition(":")[2].strip().lower() for line in lines if line.lower().startswith("host:")]
        declared = self._server.declared
        if hosts not in ([f"{declared.redirect_host}:{self._port}"], [f"127.0.0.1:{self._port}"]):
            return "421 Misdirected Request", ""
        if path != declared.redirect_path:
            return "404 Not Found", ""
        if method != "GET":
            return "405 Method Not Allowed", ""
        if self._taken.done():  # also if nobody waits for it any more
            return "410 Gone", ""
        try:
            self._taken.set_result(self._code(query))
        except SignInFailed as error:
            self._taken.set_exception(error)
            return "200 OK", _REFUSED
        return "200 OK", _TAKEN

    async def pasted(self, show: Show, paste: Paste) -> Secret:
        """The code in the address that the user pastes."""
        await show(self.address)
        wrong = SignInFailed(
            "This is not the address that the browser was sent to",
            f"It begins with {self.redirect_uri}? and contains code= and state=.",
            "Copy the whole address from the browser's address bar; the page itself may fail to load.",
        )
        for problem in ("", *[f"{wrong.title}. {wrong.cause}"] * (_PASTES - 1)):
            text = (await paste(problem)).strip()
            start, mark, query = text.partition("?")
            address = start if start.startswith("http") else f"http://{start}"  # some browsers hide the scheme
            if mark and address == self.redirect_uri and len(text) < _LONGEST:
                return self._code(query.partition("#")[0])
        raise wrong

    def _code(self, query: str) -> Secret:
        """The code in a redirect of this attempt and this service; `SignInFailed` if it is another, or denies access."""
        title, issuer = self._server.title, self._server.declared.issuer
        pairs = parse_qsl(query, keep_blank_values=True, errors="replace")
        parameters = dict(pairs)
        secret = Secret(parameters.get("code", ""))
        if not hmac.compare_digest(parameters.get("state", "").encode(), self._state.encode()) or len(parameters) < len(pairs):
            raise SignInFailed(
                "The redirect does not belong to this sign-in",
                "Its state is missing, or is that of another attempt.",
                "Close other sign-in pages and sign in again. If it happens again, another program may be sending it.",
            )
        if issuer is not None and (got := parameters.get("iss")) != issuer:
            message = "It names no issuer (iss)" if got is None else f"Its issuer (iss) is {safe(got, [secret])}"
            raise SignInFailed(
                f"The redirect does not come from {title}",
                f"{message}; it must be {issuer}.",
                "Sign in again. If it happens again, do not allow access: another server may be posing as the service.",
            )
        if error := parameters.get("error"):
            words = safe(": ".join(filter(None, (error, parameters.get("error_description")))), [secret])
            raise refused(title, error, words, self._asked)
        if not secret.reveal():
            raise refused(title, "", "nothing; the redirect contains no code")
        return secret


def _several(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"
