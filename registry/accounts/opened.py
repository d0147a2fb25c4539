"""Makes connections from accounts. Each secret is read for its first request, and then kept in memory."""

from __future__ import annotations

import threading
from functools import partial

from registry.accounts.account import Account, AccountError, address_of, checked
from registry.accounts.connection import Connection, Endpoint, mode_of, refuse_odd
from registry.accounts.problems import ConnectionSettingsError
from registry.accounts.refreshing import access_token
from registry.accounts.secrets import RenewedSecret, Secret
from registry.accounts.stores import Secrets, SecretUnavailable
from registry.catalog.service import Authentication, Service
from registry.files.threads import in_daemon


def opened(account: Account, service: Service, secrets: Secrets) -> Connection:
    """The connection of an account; `AccountError` if it does not fit its service. Reads and sends nothing."""
    checked(account, service)
    way = account.authentication(service)
    made = access_token if account.signs_in else StoredSecret
    credential: RenewedSecret = made(account, service, secrets)
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

    async def ready(self) -> None:
        """Read it, once."""
        if self._kept is None:
            await in_daemon(partial(self._read, None), "credential store")

    async def renewed(self, refused: str) -> bool:
        """Read it again: it may have been replaced, and some commands print credentials that are valid for minutes only."""
        if self._account.secret.kind in ("env", "none"):
            return False
        return await in_daemon(partial(self._read, refused), "credential store")

    def _read(self, refused: str | None) -> bool:
        """Read it, unless another call has done so since it was refused (None: not read yet); whether there is another one."""
        with self._lock:
            if self._kept == refused:
                text = self._secrets.read(self._account.secret)
                try:
                    fits(self._account, self._service, text)
                except AccountError as error:
                    way_out = f'Correct it: callboard account edit "{self._account.name}".'
                    raise SecretUnavailable(f"{self._account.name}: {error}.", way_out) from None
                way = self._account.authentication(self._service)
                self.becomes(Secret(text, *(text.split(" ") if way.beside else ())))
                self._kept = text
            return self._kept != refused


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
    if way.beside and (len(parts := secret.split(" ")) != len(way.carriers) or "" in parts):
        wanted = f"{len(way.carriers)} credentials with a space between: {', '.join(way.carriers)}"
        raise AccountError(f"secret must be {wanted}", "secret")
    modes = service.modes
    says = "live" if secret.startswith(modes.live) else "test" if secret.startswith(modes.test) else ""
    if account.mode == "sandbox":
        if mode_of(service, address_of(account, service), secret) != "sandbox":
            raise AccountError("mode is sandbox, but this is not the sandbox's public credential", "mode")
    elif says and says != account.mode:
        raise AccountError(f"mode is {account.mode}, but the credential says that it is for {says} data", "mode")
