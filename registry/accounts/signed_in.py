"""Accounts with a browser sign-in: their tokens in the account's store, and the credential that renews itself."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

from registry.accounts.account import Account, AccountError, SecretPlace, address_of, client_place
from registry.accounts.ending import Ending
from registry.accounts.permissions import ReducedScope
from registry.accounts.reading import read_in_thread
from registry.accounts.refreshing import AccessToken, Refresher, sign_out
from registry.accounts.secrets import RenewedSecret, Secret
from registry.accounts.server import AuthorizationServer, OAuthClient, authorization_server
from registry.accounts.sign_in import Paste, Show, sign_in
from registry.accounts.stores import Secrets
from registry.accounts.tokens import Tokens
from registry.catalog.model import Tool
from registry.catalog.service import Service
from registry.files.atomic_file import file_lock

_OPENING = 3.0
"""Seconds to wait for a browser that does not report whether it has started."""

_LOCKED = 60.0
"""Seconds for which another process may hold the lock while it refreshes."""


class AccountTokens:
    """The tokens of one account, as `registry.accounts.tokens.TokenStore`."""

    def __init__(self, place: SecretPlace, secrets: Secrets) -> None:
        self._store = secrets.store(place)
        self._at = place.at
        self._lock = secrets.folder / f"{place.at}.tokens"

    def probe(self) -> None:
        """Check that tokens can be stored, before the browser opens."""
        self._store.probe()

    def read(self) -> Tokens | None:
        """See `TokenStore.read`."""
        text = self._store.read(self._at)
        return Tokens.from_json(text) if text is not None else None

    def write(self, tokens: Tokens) -> None:
        """See `TokenStore.write`."""
        self._store.write(self._at, tokens.as_json())

    def lock(self) -> AbstractContextManager[None]:
        """See `TokenStore.lock`."""
        return file_lock(self._lock, patience=_LOCKED)


class SignedInSecret(RenewedSecret):
    """The access token of an account; it and the client's secret are read from the store for the first request."""

    __slots__ = ("_account", "_guard_of_token", "_secrets", "_server", "_token")

    def __init__(self, account: Account, service: Service, secrets: Secrets) -> None:
        super().__init__(f"{account.secret}")
        self._account = account
        self._server = server_of(account, service)
        self._secrets = secrets
        self._guard_of_token = threading.Lock()
        self._token: AccessToken | None = None

    @property
    def travels_to(self) -> tuple[str, ...]:
        """See `RenewedSecret.travels_to`."""
        addresses = self._server.addresses
        return tuple(filter(None, (addresses.token, addresses.revoke)))

    @property
    def ending(self) -> Ending | None:
        """See `RenewedSecret.ending`."""
        return self._token.ending if self._token is not None else None

    async def ready(self) -> None:
        """See `RenewedSecret.ready`."""
        token = await self._made()
        await token.ready()
        self.becomes(Secret(token.reveal()))

    async def renewed(self, refused: str) -> bool:
        """See `RenewedSecret.renewed`."""
        token = await self._made()
        has_another = await token.renewed(refused)
        self.becomes(Secret(token.reveal()))
        return has_another

    async def _made(self) -> AccessToken:
        return self._token if self._token is not None else await read_in_thread(self._make_once)

    def _make_once(self) -> AccessToken:
        with self._guard_of_token:
            if self._token is None:
                self._token = self._make()
            return self._token

    def _make(self) -> AccessToken:
        client = client_of(self._account, self._secrets)
        store = AccountTokens(self._account.secret, self._secrets)
        way_out = f'Sign in again: callboard account sign-in "{self._account.name}", or s in the list of accounts.'
        refresher = Refresher(self._server, client, store, way_out=way_out)
        token = AccessToken(refresher, self.identity)
        refresher.learn = self.also
        self.also(refresher.secrets)
        return token


@dataclass(frozen=True, slots=True)
class SignedIn:
    """The result of a sign-in.

    Attributes:
        tokens: the tokens to store.
        reduced: a sentence for the user if fewer scopes were granted than requested; otherwise empty.
    """

    tokens: Tokens
    reduced: str = ""


def can_sign_in(service: Service) -> bool:
    """Whether users can sign in to a service with a browser."""
    return any(way.sign_in is not None for way in service.authentication)


def server_of(account: Account, service: Service) -> AuthorizationServer:
    """The authorization server for an account's service.

    Raises:
        AccountError: there is none.
    """
    server = authorization_server(service, address_of(account, service))
    if server is None:
        words = f"way: nobody can sign in to {service.title} at {address_of(account, service)}; paste a credential"
        raise AccountError(words, "way")
    return server


def client_of(account: Account, secrets: Secrets) -> OAuthClient:
    """The OAuth client of an account. Blocks.

    Raises:
        SecretUnavailable: its secret cannot be read.
    """
    place = client_place(account.secret)
    text = secrets.store(place).read(place.at)
    return OAuthClient(account.client_id, Secret(text) if text else None)


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
    """Sign in to an account with a browser. Stores nothing yet.

    Args:
        account: the account.
        service: its service.
        secrets: where its tokens will be stored; that is probed before the browser opens.
        client_secret: the secret of the client; empty for a client without one.
        show: opens an address for the user.
        paste: asks for the address that the browser was sent to; for a browser on another machine.
        tools: the tools of the service.

    Raises:
        CredentialProblem: it failed; with a class for each reason.
        AccountError: users cannot sign in to the service there.
    """
    server = server_of(account, service)
    client = OAuthClient(account.client_id, Secret(client_secret) if client_secret else None)

    async def started(address: str) -> None:
        # Some $BROWSER commands end only when their window is closed: do not wait for that.
        opening = asyncio.ensure_future(show(address))
        done, _ = await asyncio.wait({opening}, timeout=_OPENING)
        if done:
            opening.result()

    probe = AccountTokens(account.secret, secrets).probe
    try:
        return SignedIn(await sign_in(server, client, probe=probe, show=started, paste=paste, tools=tools))
    except ReducedScope as problem:
        return SignedIn(problem.tokens, f"{problem.cause} {problem.way_out}")


async def signed_in_again(
    account: Account, service: Service, secrets: Secrets, *, show: Show, paste: Paste | None, tools: Iterable[Tool]
) -> SignedIn:
    """Sign in again to an account with a known client, and store its tokens; see `signed_in`."""
    client = await read_in_thread(partial(client_of, account, secrets))
    secret = client.secret.reveal() if client.secret is not None else ""
    done = await signed_in(account, service, secrets, secret, show=show, paste=paste, tools=tools)
    await read_in_thread(partial(AccountTokens(account.secret, secrets).write, done.tokens))
    return done


async def signed_out(account: Account, service: Service, secrets: Secrets) -> bool:
    """Revoke an account's tokens at its service and delete them here; returns whether the service revoked them.

    Raises:
        CredentialProblem: the store or the service failed.
    """
    store = secrets.store(account.secret)
    tokens = await read_in_thread(AccountTokens(account.secret, secrets).read)
    if tokens is None:
        return False
    client = await read_in_thread(partial(client_of, account, secrets))
    try:
        return await sign_out(server_of(account, service), client, tokens)
    finally:
        await read_in_thread(partial(store.delete, account.secret.at))
