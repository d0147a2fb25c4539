"""The token of an OAuth client that acts for itself (RFC 6749, 4.4): the service gives it for the client's id and secret."""

import time
from dataclasses import replace

from msgspec.structs import replace as with_fields

from registry.accounts.connection import Connection, Endpoint
from registry.accounts.oauth import EARLY, AuthorizationServer, GrantRefused, OAuthClient, SignInFailed, TokenEndpoint, Tokens
from registry.accounts.secrets import Ending, RenewedSecret, Secret
from registry.catalog.service import Authentication, Service, SignIn, SignInAddresses


class ClientToken(RenewedSecret):
    """The credential of an endpoint whose way to authenticate is a client: its token, and any further credentials beside it.

    Args:
        service: the service.
        way: its way to authenticate, which has a `token_url`.
        client: the client's id.
        secret: the client's secret, and any further credentials, as the account keeps them.
    """

    __slots__ = ("_client", "_held", "_secret", "_server", "_way")

    def __init__(self, service: Service, way: Authentication, client: str, secret: Secret) -> None:
        super().__init__(f"{way.token_url} {client}")
        self.also([secret])
        addresses = SignInAddresses(authorize="", token=way.token_url or "")
        declared = SignIn(addresses=addresses, scopes=way.scopes, secret_in="header")  # noqa: S106  (a place, not a secret)
        self._server = AuthorizationServer(service.title, declared, addresses)
        self._way, self._client, self._secret = way, client, secret
        self._held: Tokens | None = None

    @property
    def travels_to(self) -> tuple[str, ...]:
        """See `RenewedSecret.travels_to`."""
        return (self._server.addresses.token,)

    @property
    def ending(self) -> Ending | None:
        """See `RenewedSecret.ending`."""
        held = self._held
        return Ending(held.expires_at, True) if held is not None and held.expires_at is not None else None

    async def ready(self) -> None:
        """See `RenewedSecret.ready`."""
        if self._held is None or self._held.ends_within(EARLY, time.time()):
            await self._ask()

    async def renewed(self, refused: str) -> bool:
        """See `RenewedSecret.renewed`."""
        if self.reveal() == refused:
            await self._ask()
        return self.reveal() != refused

    async def _ask(self) -> None:
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
        self._held = held
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
