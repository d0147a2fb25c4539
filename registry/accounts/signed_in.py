"""Accounts with a browser sign-in: their tokens in the account's store, and the credential that renews itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

from registry.accounts.account import Account, AccountError, SecretPlace, address_of, client_place
from registry.accounts.oauth import AuthorizationServer, OAuthClient, TokenEndpoint, Tokens, authorization_server
from registry.accounts.refreshing import AccessToken, Refresher
from registry.accounts.secrets import Secret
from registry.accounts.sign_in import Paste, ReducedScope, Show, sign_in
from registry.accounts.stores import Secrets
from registry.catalog.model import Tool
from registry.catalog.service import Service
from registry.files.atomic_file import file_lock
from registry.files.threads import in_daemon

_OPENING = 3.0
"""Seconds to wait for a browser that does not report whether it has started."""

_LOCKED = 60.0
"""Seconds for which another process may hold the lock while it refreshes."""


class AccountTokens:
    """The tokens of one account, as `registry.accounts.refreshing.TokenStore`."""

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


def access_token(account: Account, service: Service, secrets: Secrets) -> AccessToken:
    """The credential of a signed-in account; it and the client's secret are read from the store for the first request."""
    server = server_of(account, service)

    def make() -> Refresher:
        way_out = f'Sign in again: callboard account sign-in "{account.name}", or s in the list of accounts.'
        return Refresher(server, client_of(account, secrets), AccountTokens(account.secret, secrets), way_out=way_out)

    places = server.addresses
    return AccessToken(make, f"{account.secret}", tuple(filter(None, (places.token, places.revoke))))


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
    store = secrets.store(account.secret)
    tokens = await in_daemon(AccountTokens(account.secret, secrets).read, "credential store")
    if tokens is None:
        return False
    client = await in_daemon(partial(client_of, account, secrets), "credential store")
    try:
        return await TokenEndpoint(server_of(account, service), client).revoke(tokens)
    finally:
        await in_daemon(partial(store.delete, account.secret.at), "credential store")
