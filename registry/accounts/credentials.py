"""Makes connections from accounts. Each secret is read for its first request, and then kept in memory.

A client that acts for itself (RFC 6749, 4.4) gets its token for the client's id and secret.

The tokens of signed-in accounts are kept valid: one process refreshes at a time, into a store that was just written to. Under a
lock between processes: read the store; if it has valid tokens, another process refreshed them; else write its contents once
more, so that a store that cannot be written fails before the refresh token is used up; request new tokens; write them.

All of this happens in a separate thread, which always finishes: if the call that needed a token is cancelled, or the program
ends, a refresh under way still reaches the store.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial

from msgspec.structs import replace as with_fields

from registry.accounts.account import Account, AccountError, SecretPlace, address_of, checked, client_place
from registry.accounts.connection import Connection, ConnectionSettingsError, CredentialProblem, Endpoint, mode_of, refuse_odd
from registry.accounts.oauth import (
    EARLY,
    AuthorizationServer,
    GrantRefused,
    NotReached,
    OAuthClient,
    SignInFailed,
    TokenEndpoint,
    Tokens,
    authorization_server,
    store_failed,
)
from registry.accounts.renewed import Ending, RenewedSecret
from registry.accounts.secrets import Secret
from registry.accounts.stores import Secrets, SecretUnavailable
from registry.catalog.service import Authentication, Service, SignIn, SignInAddresses
from registry.files.folders import file_lock
from registry.files.threads import in_daemon

_LOCKED = 60.0
"""Seconds for which another process may hold the lock while it refreshes."""


class AccountTokens:
    """The tokens of one account in its store. Its methods block, and raise a `CredentialProblem`."""

    def __init__(self, place: SecretPlace, secrets: Secrets, patience: float = _LOCKED) -> None:
        self._store = secrets.store(place)
        self._at = place.at
        self._lock = secrets.folder / f"{place.at}.tokens"
        self._patience = patience

    def read(self) -> Tokens | None:
        """The tokens that were written last, by any process; None if there are none."""
        text = self._store.read(self._at)
        return Tokens.from_json(text) if text is not None else None

    def write(self, tokens: Tokens) -> None:
        """Replace the tokens in one step: a reader sees the old ones or the new ones."""
        self._store.write(self._at, tokens.as_json())

    def lock(self) -> AbstractContextManager[None]:
        """A lock for one process at a time while it refreshes; raises OSError."""
        return file_lock(self._lock, patience=self._patience)


def server_of(account: Account, service: Service) -> AuthorizationServer:
    """The authorization server for an account's service; `AccountError` if there is none."""
    address = address_of(account, service)
    if (server := authorization_server(service, address)) is None:
        raise AccountError(f"way: nobody can sign in to {service.title} at {address}; paste a credential", "way")
    return server


def client_of(account: Account, secrets: Secrets) -> OAuthClient:
    """The OAuth client of an account; `SecretUnavailable` if its secret cannot be read. Blocks."""
    place = client_place(account.secret)
    text = secrets.store(place).read(place.at)
    return OAuthClient(account.client_id, Secret(text) if text else None)


class AccessToken(RenewedSecret):
    """The access token of an account, as the credential of its endpoint; threads and processes may share its store.

    Args:
        server: the server that issues tokens.
        client: reads the client that signed in; called once.
        store: the store of the tokens.
        identity: its name in the audit log, the same after every refresh; not a secret.
        way_out: how to sign in again, in a sentence.
        clock: the current time in Unix seconds.
    """

    __slots__ = ("_client", "_clock", "_ended", "_endpoint", "_lock", "_pool", "_server", "_store", "_tokens", "_way_out")

    def __init__(
        self,
        server: AuthorizationServer,
        client: Callable[[], OAuthClient],
        store: AccountTokens,
        identity: str,
        way_out: str = "Sign in again.",
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(identity, server.addresses.token, server.addresses.revoke)
        self._server, self._client, self._store, self._way_out, self._clock = server, client, store, way_out, clock
        self._lock = threading.Lock()
        # One thread: many calls that wait for the same refresh must not use up the program's other threads.
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="refresh")
        self._endpoint: TokenEndpoint | None = None
        self._tokens: Tokens | None = None
        self._ended: tuple[Secret, SignInFailed] | None = None

    async def ready(self, refused: str | None = None) -> None:
        """See `Secret.ready`."""
        if (tokens := self.usable()) is None or refused is not None:
            tokens = await asyncio.wrap_future(self._pool.submit(self.fresh, refused))
        self.ending = Ending(tokens.expires_at, tokens.refresh is not None) if tokens.expires_at is not None else None
        self.becomes(tokens.access)

    def usable(self) -> Tokens | None:
        """The latest tokens, if they are valid for a while; never waits."""
        tokens = self._tokens
        return tokens if tokens is not None and not tokens.ends_within(EARLY, self._clock()) else None

    def fresh(self, refused: str | None = None) -> Tokens:
        """Tokens that are valid for a while; refreshed if they are about to expire. Blocks.

        Args:
            refused: an access token that the service refused: others are returned, or the same if there are no others.

        Raises:
            CredentialProblem: there are none; `SignInFailed` if the user must sign in again.
        """
        with self._lock:
            tokens = self.usable()
            if tokens is not None and tokens.access.reveal() != refused:
                return tokens
            try:
                with self._store.lock():
                    self._tokens = self._under_lock(refused)
                    return self._tokens
            except TimeoutError:
                way_out = "Continue or end that program, then try again."
                raise store_failed("Another Callboard has held its lock for too long.", way_out) from None
            except OSError as error:
                raise store_failed(f"Cannot lock it: {error.strerror or error}.", "Make its folder writable.") from None

    def _under_lock(self, refused: str | None) -> Tokens:
        title = self._server.title
        if self._endpoint is None:
            self._endpoint = TokenEndpoint(self._server, self._client(), self._clock, self.also)
        held = self._store.read()
        if held is None:
            raise SignInFailed(f"Not signed in to {title}", "The store contains no tokens for it.", self._way_out)
        self.also(one for one in (self._endpoint.client.secret, held.access, held.refresh) if one is not None)
        now = self._clock()
        if not held.ends_within(EARLY, now) and held.access.reveal() != refused:
            return held
        if self._ended is not None and held.refresh == self._ended[0]:
            raise self._ended[1]
        if held.refresh is None:
            raise sign_in_ended(title, held.expires_at or now, "", self._way_out)
        try:
            self._store.write(held)
            given = asyncio.run(self._ask(self._endpoint, held))
        except GrantRefused as error:
            ended = sign_in_ended(title, now, str(error), self._way_out)
            self._ended = held.refresh, ended
            raise ended from None
        except CredentialProblem:
            if held.ends_within(0.0, now) or held.access.reveal() == refused:
                raise
            return held  # still valid: the next request can try again
        with suppress(CredentialProblem):  # it was writable a moment ago, and these tokens are valid in this process
            self._store.write(given)
        return given

    async def _ask(self, endpoint: TokenEndpoint, held: Tokens) -> Tokens:
        try:
            return await endpoint.refresh(held)
        except NotReached:
            if self._server.declared.rotates:  # it may be used up: a second use would end the sign-in at once
                raise
            return await endpoint.refresh(held)


def sign_in_ended(service: str, at: float, message: str, way_out: str) -> SignInFailed:
    """The error of a refresh token that the service no longer accepts: the user must sign in again.

    `at` is when that was noticed, in Unix seconds; `message` is the service's, empty if there was no refresh token.
    """
    moment = datetime.fromtimestamp(at).astimezone()
    when = f"{moment.day} {moment:%b %H:%M %Z}"
    refused = f"{service} refused the refresh token at {when} ({message})."
    cause = refused if message else f"The access token ended at {when}, and {service} gave no refresh token."
    return SignInFailed(f"The sign-in to {service} has ended", cause, way_out)


def opened(account: Account, service: Service, secrets: Secrets) -> Connection:
    """The connection of an account; `AccountError` if it does not fit its service. Reads and sends nothing."""
    checked(account, service)
    way = account.authentication(service)
    credential: RenewedSecret
    if account.signs_in:
        way_out = f'Sign in again: callboard account sign-in "{account.name}", or s in the list of accounts.'
        tokens, client = AccountTokens(account.secret, secrets), partial(client_of, account, secrets)
        credential = AccessToken(server_of(account, service), client, tokens, str(account.secret), way_out)
    else:
        credential = StoredSecret(account, service, secrets)
    if way.token_url is not None:
        credential = ClientToken(service, way, account.user, credential)
    headers = {service.request.version_header: account.version, service.request.account_header: account.on_behalf_of}
    endpoint = Endpoint(
        service,
        {host: address_of(account, service, host) for host in service.hosts},
        way,
        credential,
        account.mode,
        user=account.user,
        own_headers=tuple((name, value) for name, value in headers.items() if name is not None and value),
        source=account.secret.words,
    )
    return Connection(account.name, account.name, {service.toolkit: endpoint}, account.rule, account.default, account.colour)


class StoredSecret(RenewedSecret):
    """A secret from the place that an account names. It is empty before the first request."""

    __slots__ = ("_account", "_kept", "_lock", "_secrets", "_service")

    def __init__(self, account: Account, service: Service, secrets: Secrets) -> None:
        super().__init__(f"{account.secret} {account.user}")
        self._account = account
        self._service = service
        self._secrets = secrets
        self._lock = threading.Lock()
        self._kept: str | None = None

    async def ready(self, refused: str | None = None) -> None:
        """See `Secret.ready`."""
        # Once refused, it may have been replaced, and some commands print credentials that are valid for minutes only.
        may_change = refused is not None and self._account.secret.kind not in ("env", "none")
        if self._kept is None or may_change:
            await in_daemon(partial(self._read, refused), "credential store")

    def _read(self, refused: str | None) -> None:
        """Read it, unless another call has done so meanwhile."""
        with self._lock:
            if self._kept not in (None, refused):
                return
            text = self._secrets.read(self._account.secret)
            try:
                fits(self._account, self._service, text)
            except AccountError as error:
                way_out = f'Correct it: callboard account edit "{self._account.name}".'
                raise SecretUnavailable(f"{self._account.name}: {error}.", way_out) from None
            way = self._account.authentication(self._service)
            self.becomes(Secret(text, *way.parts(text)))
            self._kept = text


def fits(account: Account, service: Service, secret: str) -> None:
    """Check that a secret can be this account's credential: its characters, and its mode.

    Raises:
        AccountError: it cannot. The message contains no part of the secret.
    """
    way: Authentication = account.authentication(service)
    if way.kind == "none" or account.signs_in:
        return
    try:
        refuse_odd("secret", secret, blanks=way.kind == "basic" or bool(way.beside))
    except ConnectionSettingsError as error:
        raise AccountError(str(error), "secret") from None
    if not secret:
        raise AccountError("secret is empty", "secret")
    if len(parts := way.parts(secret)) != len(way.carriers) or "" in parts:
        wanted = f"{len(way.carriers)} credentials with a space between: {', '.join(way.carriers)}"
        raise AccountError(f"secret must be {wanted}", "secret")
    modes = service.modes
    says = "live" if secret.startswith(modes.live) else "test" if secret.startswith(modes.test) else ""
    if account.mode == "sandbox":
        if mode_of(service, address_of(account, service), secret) != "sandbox":
            raise AccountError("mode is sandbox, but this is not the sandbox's public credential", "mode")
    elif says and says != account.mode:
        raise AccountError(f"mode is {account.mode}, but the credential says that it is for {says} data", "mode")


class ClientToken(RenewedSecret):
    """The credential of an endpoint whose way to authenticate is a client: its token, and any further credentials beside it.

    Args:
        service: the service.
        way: its way to authenticate, which has a `token_url`.
        client: the client's id.
        secret: the client's secret, and any further credentials, as the account keeps them.
    """

    __slots__ = ("_client", "_secret", "_server", "_way")

    def __init__(self, service: Service, way: Authentication, client: str, secret: Secret) -> None:
        super().__init__(f"{way.token_url} {client}", way.token_url)
        self.also([secret])
        addresses = SignInAddresses(authorize="", token=way.token_url or "")
        declared = SignIn(addresses=addresses, scopes=way.scopes, secret_in="header")  # noqa: S106  (a place, not a secret)
        self._server = AuthorizationServer(service.title, declared, addresses)
        self._way, self._client, self._secret = way, client, secret

    async def ready(self, refused: str | None = None) -> None:
        """See `Secret.ready`."""
        is_over = self.ending is not None and self.ending.at - EARLY <= time.time()
        if self.reveal() not in ("", refused) and not is_over:
            return
        if isinstance(self._secret, RenewedSecret):
            await self._secret.ready()
            self.also([self._secret])
        secret, *beside = self._way.parts(self._secret.reveal())
        endpoint = TokenEndpoint(self._server, OAuthClient(self._client, Secret(secret)), learn=self.also)
        try:
            held = await endpoint.own_token()
        except GrantRefused as error:
            title, cause = f"No token from {self._server.title}", f"It says: {error}."
            raise SignInFailed(title, cause, "Check the client's id and secret.") from None
        self.ending = Ending(held.expires_at, True) if held.expires_at is not None else None
        self.becomes(Secret(" ".join([held.access.reveal(), *beside]), held.access.reveal(), *beside))


def with_client_tokens(connection: Connection) -> Connection:
    """A connection whose clients get tokens for their secrets."""

    def made(one: Endpoint) -> Endpoint:
        if one.authentication.token_url is None or isinstance(one.credential, ClientToken):
            return one
        return replace(one, credential=ClientToken(one.service, one.authentication, one.user, one.credential))

    endpoints = {
        toolkit: replace(made(one), others=tuple(map(made, one.others))) for toolkit, one in connection.endpoints.items()
    }
    return with_fields(connection, endpoints=endpoints)
