"""Keeps tokens valid: one process refreshes at a time, and no token is lost.

Under a lock between processes: read the store; if it has valid tokens, another process refreshed them; else write its contents
once more, so that a store that cannot be written fails before the refresh token is used up; request new tokens; write them.

All of this happens in a separate thread, which always finishes: if the call that needed a token is cancelled, or the program
ends, a refresh under way still reaches the store.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from typing import Protocol

from registry.accounts.ending import Ending
from registry.accounts.oauth import AuthorizationServer, GrantRefused, OAuthClient, TokenEndpoint, Tokens
from registry.accounts.problems import CredentialProblem, NotReached, NotSignedIn, SignInEnded, StoreFailed
from registry.accounts.secrets import RenewedSecret, Secret
from registry.files.threads import in_daemon

EARLY = 60.0
"""Seconds before a token's expiry at which it is refreshed."""


class TokenStore(Protocol):
    """Keeps the tokens of one account. Its methods block, and raise `StoreFailed` or another `CredentialProblem`."""

    def read(self) -> Tokens | None:
        """The tokens that were written last, by any process; None if there are none."""

    def write(self, tokens: Tokens) -> None:
        """Replace the tokens in one step: a reader sees the old ones or the new ones."""

    def lock(self) -> AbstractContextManager[None]:
        """A lock for one process at a time while it refreshes, such as `file_lock`; raises OSError."""


class Refresher:
    """Returns the tokens of one account. Its methods block; threads and processes may share the store.

    Args:
        server: the server that issues tokens.
        client: the client that signed in.
        store: the store of the tokens.
        way_out: how to sign in again, in a sentence.
        clock: the current time in Unix seconds.
    """

    def __init__(
        self,
        server: AuthorizationServer,
        client: OAuthClient,
        store: TokenStore,
        *,
        way_out: str = "Sign in again.",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._endpoint = TokenEndpoint(server, client, clock, self._learned)
        self._title = server.title
        self._rotates = server.declared.rotates
        self._store = store
        self._way_out = way_out
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens: Tokens | None = None
        self._unsaved: tuple[Tokens, Secret | None] | None = None
        self._ended: tuple[Secret, SignInEnded] | None = None
        self.learn: Callable[[Sequence[Secret]], None] = lambda _: None
        """Called with every secret as soon as it exists, so that it can be redacted."""
        self.secrets: tuple[Secret, ...] = () if client.secret is None else (client.secret,)
        """The secrets that never change: the client's own."""

    @property
    def ending(self) -> Ending | None:
        """When the last access token expires; a refresh token renews it. None if not known."""
        tokens = self._tokens
        return Ending(tokens.expires_at, tokens.refresh is not None) if tokens and tokens.expires_at is not None else None

    def usable(self) -> Tokens | None:
        """The latest tokens, if they are valid for a while; never waits."""
        tokens = self._tokens
        return tokens if tokens is not None and not tokens.ends_within(EARLY, self._clock()) else None

    def fresh(self) -> Tokens:
        """Tokens that are valid for a while; refreshed if they are about to expire.

        Raises:
            CredentialProblem: there are none; `SignInEnded` if the user must sign in again.
        """
        with self._lock:
            return self.usable() or self._renewed(None)

    def renewed(self, refused: str) -> Tokens:
        """Other tokens than those that a service refused; the same if there are no others.

        Args:
            refused: the access token that was refused.

        Raises:
            CredentialProblem: like `fresh`.
        """
        with self._lock:
            tokens = self.usable()
            return tokens if tokens is not None and tokens.access.reveal() != refused else self._renewed(refused)

    def _renewed(self, refused: str | None) -> Tokens:
        """Tokens from the store or the service, under the lock between processes."""
        try:
            with self._store.lock():
                self._tokens = self._under_lock(refused)
                return self._tokens
        except TimeoutError:
            raise StoreFailed(
                "Another Callboard has held its lock for too long.", "Continue or end that program, then try again."
            ) from None
        except OSError as error:
            raise StoreFailed(f"Cannot lock it: {error.strerror or error}.", "Make its folder writable.") from None

    def _under_lock(self, refused: str | None) -> Tokens:
        held = self._held()
        if held is None:
            raise NotSignedIn(self._title, self._way_out)
        self._learned([one for one in (held.access, held.refresh) if one is not None])
        now = self._clock()
        if not held.ends_within(EARLY, now) and held.access.reveal() != refused:
            return held
        if self._ended is not None and held.refresh == self._ended[0]:
            raise self._ended[1]
        if held.refresh is None:
            raise SignInEnded(self._title, held.expires_at or now, "", self._way_out)
        try:
            self._store.write(held)
            given = asyncio.run(self._ask(held))
        except GrantRefused as error:
            ended = SignInEnded(self._title, now, str(error), self._way_out)
            self._ended = held.refresh, ended
            raise ended from None
        except CredentialProblem:
            if held.ends_within(0.0, now) or held.access.reveal() == refused:
                raise
            return held  # still valid: the next request can try again
        self._save(given, held.refresh)
        return given

    def _held(self) -> Tokens | None:
        """The tokens in the store; or those that it failed to store last time, if the refresh token in it is used up."""
        held = self._store.read()
        if self._unsaved is not None:
            unsaved, used_up = self._unsaved
            if held is not None and held.refresh == used_up:
                self._save(unsaved, used_up)
                return unsaved
            self._unsaved = None  # the user has signed in again, or out
        return held

    async def _ask(self, held: Tokens) -> Tokens:
        try:
            return await self._endpoint.refresh(held)
        except NotReached:
            if self._rotates:  # it may be used up: a second use would end the sign-in at once
                raise
            return await self._endpoint.refresh(held)

    def _save(self, tokens: Tokens, used_up: Secret | None) -> None:
        """Write new tokens; if that fails, keep them and write them before anything else."""
        self._unsaved = tokens, used_up
        try:
            self._store.write(tokens)
        except CredentialProblem:
            return  # they are valid in this process, and the store was writable a moment ago
        self._unsaved = None

    def _learned(self, secrets: Sequence[Secret]) -> None:
        self.learn([*self.secrets, *secrets])


class AccessToken(RenewedSecret):
    """The access token of an account, as the credential of its endpoint.

    Args:
        make: makes the refresher, once, for the first request; blocks. Each access token has its own.
        identity: its name in the audit log, the same after every refresh; not a secret.
        travels_to: the addresses that renew it.
    """

    __slots__ = ("_guard_of_making", "_make", "_pool", "_refresher", "_travels_to")

    def __init__(self, make: Callable[[], Refresher], identity: str, travels_to: tuple[str, ...] = ()) -> None:
        super().__init__(identity)
        self._make, self._travels_to = make, travels_to
        self._refresher: Refresher | None = None
        self._guard_of_making = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="refresh")

    @property
    def travels_to(self) -> tuple[str, ...]:
        """See `RenewedSecret.travels_to`."""
        return self._travels_to

    @property
    def ending(self) -> Ending | None:
        """See `RenewedSecret.ending`."""
        return self._refresher.ending if self._refresher is not None else None

    async def ready(self) -> None:
        """See `RenewedSecret.ready`."""
        refresher = await self._made()
        self.becomes((refresher.usable() or await self._in_thread(refresher.fresh)).access)

    async def renewed(self, refused: str) -> bool:
        """See `RenewedSecret.renewed`."""
        refresher = await self._made()
        self.becomes((await self._in_thread(partial(refresher.renewed, refused))).access)
        return self.reveal() != refused

    async def _made(self) -> Refresher:
        return self._refresher if self._refresher is not None else await in_daemon(self._make_once, "client secret")

    def _make_once(self) -> Refresher:
        with self._guard_of_making:
            if self._refresher is None:
                refresher = self._make()
                refresher.learn = self.also
                self.also(refresher.secrets)
                self._refresher = refresher
            return self._refresher

    async def _in_thread(self, work: Callable[[], Tokens]) -> Tokens:
        # One thread: many calls that wait for the same refresh must not use up the program's other threads.
        return await asyncio.wrap_future(self._pool.submit(work))
