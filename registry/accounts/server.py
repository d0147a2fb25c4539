"""Where people sign in to a service, and with which client."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from registry.accounts.addresses import is_this_machine
from registry.accounts.connection import SANDBOX_URL
from registry.accounts.problems import SecretNeeded
from registry.accounts.secrets import Secret
from registry.catalog.service import Service, SignIn, SignInAddresses


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
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
        ports: the ports of the registered redirect addresses; empty for those that the service declares.
    """

    id: str
    secret: Secret | None = field(default=None, repr=False)
    ports: tuple[int, ...] = ()

    def scopes(self, server: AuthorizationServer) -> tuple[str, ...]:
        """The scopes that it requests by default.

        Raises:
            SecretNeeded: the service accepts no client without a secret.
        """
        if self.secret is not None:
            return server.declared.scopes
        if not server.declared.scopes_without_secret:
            raise SecretNeeded(server.title, server.declared.register)
        return server.declared.scopes_without_secret


def authorization_server(service: Service, base_url: str) -> AuthorizationServer | None:
    """Where people sign in to a service at a base URL; None if they cannot.

    A base URL of this machine counts as a sandbox on a port, and people sign in there as well, even if another program listens
    on it. The alternative would be worse: a token from the real service's own address would be sent to any program that has the
    port. So no token of the real service is ever requested for, or sent to, an address of this machine; a tunnel to the real
    service needs a pasted credential.
    """
    declared = next((way.sign_in for way in service.authentication if way.sign_in is not None), None)
    if declared is None:
        return None
    if base_url.startswith(SANDBOX_URL):
        return None  # no account is needed there
    parts = urlsplit(base_url)
    if not is_this_machine(parts.hostname or ""):
        return AuthorizationServer(service.title, declared, declared.addresses)
    if declared.sandbox is None:
        return None
    origin, paths = f"{parts.scheme}://{parts.netloc}", declared.sandbox
    revoke = f"{origin}{paths.revoke}" if paths.revoke else None
    return AuthorizationServer(
        service.title, declared, SignInAddresses(authorize=origin + paths.authorize, token=origin + paths.token, revoke=revoke)
    )
