"""Connections: named targets with credentials.

`sandbox` is always there and needs nothing. Each toolkit whose credential is in the environment has a connection of its own;
a base URL of its own may be set as well, for instance that of a sandbox served on a port.

============  ================================================  =========================================================
connection    credential                                        addresses (each may be set)
============  ================================================  =========================================================
`payments`    ``PAYMENTS_API_KEY``                              ``PAYMENTS_BASE_URL``, ``PAYMENTS_FILES_URL``
`incidents`   ``INCIDENTS_API_TOKEN`` (a user's API token) or   ``INCIDENTS_BASE_URL``
              ``INCIDENTS_ACCESS_TOKEN`` (from OAuth)
`crm`         ``CRM_ACCESS_TOKEN``                              ``CRM_BASE_URL``, ``CRM_USERS_PATH``
============  ================================================  =========================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from registry.connections.secrets import MASK, Secret, redacted

Mode = Literal["sandbox", "test", "live"]

SANDBOX = "sandbox"
SANDBOX_URL = "http://sandbox.callboard"

_USERS_PATH = "/settings/v3/users"
_TEST_KEY = re.compile(r"[sr]k_test_|pk_test_")
_LIVE_KEY = re.compile(r"[srp]k_live_")
_PUBLIC = {"sk_test_sandbox", "sandbox"}
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class ConnectionSettingsError(ValueError):
    """Settings that give no usable connection; the text names the setting and the way out."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How one toolkit's service is reached.

    Attributes:
        base_url: address that tools' paths are appended to, without a slash at the end.
        files_url: the same for operations on the files host.
        authorization: scheme in front of the credential, for instance ``Bearer ``.
        credential: what follows it.
        accept: the media type that is asked for.
        mode: what the calls reach: the sandbox, test data or live data.
        moved: (path prefix in the catalogue, path prefix at this address), where the two differ.
        variable: the environment variable that the credential comes from; None where it is public.
        known: every credential of this user, also of other services: people paste them into the wrong places.
    """

    base_url: str
    files_url: str
    authorization: str
    credential: Secret
    accept: str
    mode: Mode
    moved: tuple[str, str] | None = None
    variable: str | None = None
    known: tuple[Secret, ...] = ()

    def headers(self, *, masked: bool = False) -> dict[str, str]:
        """The headers that every request to this service carries; the credential masked for showing."""
        return self.headers_with(MASK if masked else self.credential.reveal())

    def headers_with(self, credential: str) -> dict[str, str]:
        """The same with something else in the credential's place."""
        return {"Accept": self.accept, "Authorization": self.authorization + credential}

    def hide(self, text: bytes, also: Iterable[str] = ()) -> bytes:
        """A text with a mask wherever a credential that is a secret, or another secret, stands in it."""
        own = (self.credential,) if self.variable is not None else ()
        for credential in self.known or own:
            text = credential.redact(text)
        for secret in also:
            text = redacted(text, secret)
        return text

    @property
    def known_live(self) -> bool:
        """Whether the credential itself says that it opens live data; what does not say so counts as live all the same."""
        return self.mode == "live" and bool(_LIVE_KEY.match(self.credential.reveal()))

    @property
    def public_credential(self) -> str | None:
        """The credential where it is public; None where it is a secret."""
        return self.credential.reveal() if self.variable is None else None


@dataclass(frozen=True, slots=True)
class Connection:
    """A named target: which toolkits it serves, and how each is reached."""

    name: str
    title: str
    endpoints: Mapping[str, Endpoint]

    def endpoint(self, toolkit: str) -> Endpoint:
        """How a toolkit's service is reached.

        Raises:
            ConnectionSettingsError: this connection does not serve the toolkit.
        """
        if toolkit not in self.endpoints:
            served = ", ".join(self.endpoints)
            raise ConnectionSettingsError(f"the connection {self.name!r} serves {served}, not {toolkit}")
        return self.endpoints[toolkit]


def sandbox() -> Connection:
    """The embedded services. Their credentials are public: they open nothing but the sandbox."""
    return Connection(
        SANDBOX,
        "Sandbox",
        {
            "PaymentsApi": _payments(f"{SANDBOX_URL}/payments", f"{SANDBOX_URL}/files", "sk_test_sandbox", "sandbox", None),
            "Incidents": _incidents(f"{SANDBOX_URL}/incidents", "Token token=", "sandbox", "sandbox", None),
            "CrmUsersApi": _crm(f"{SANDBOX_URL}/crm", "sandbox", "sandbox", None, None),
        },
    )


def connections(environment: Mapping[str, str]) -> dict[str, Connection]:
    """The sandbox, and a connection for each toolkit whose credential is in the environment, by name.

    Raises:
        ConnectionSettingsError: a setting is there and cannot be used.
    """
    found = {SANDBOX: sandbox()}
    if key := environment.get("PAYMENTS_API_KEY", "").strip():
        base = _address(environment, "PAYMENTS_BASE_URL", "https://api.stripe.com")
        files = _address(environment, "PAYMENTS_FILES_URL", "https://files.stripe.com")
        mode = _mode(base, key, "test" if _TEST_KEY.match(key) else "live")
        found["payments"] = Connection(
            "payments", "Payments account", {"PaymentsApi": _payments(base, files, key, mode, "PAYMENTS_API_KEY")}
        )
    variable, scheme = "INCIDENTS_API_TOKEN", "Token token="
    if not (token := environment.get(variable, "").strip()):
        variable, scheme = "INCIDENTS_ACCESS_TOKEN", "Bearer "
        token = environment.get(variable, "").strip()
    if token:
        base = _address(environment, "INCIDENTS_BASE_URL", "https://api.pagerduty.com")
        endpoint = _incidents(base, scheme, token, _mode(base, token, "live"), variable)
        found["incidents"] = Connection("incidents", "Incidents account", {"Incidents": endpoint})
    if token := environment.get("CRM_ACCESS_TOKEN", "").strip():
        base = _address(environment, "CRM_BASE_URL", "https://api.hubapi.com")
        path = environment.get("CRM_USERS_PATH", "").strip().rstrip("/")
        if path and not re.fullmatch(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+", path):
            raise ConnectionSettingsError(f"CRM_USERS_PATH takes a path such as /settings/users/v3; got {path!r}")
        endpoint = _crm(base, token, _mode(base, token, "live"), path or None, "CRM_ACCESS_TOKEN")
        found["crm"] = Connection("crm", "CRM account", {"CrmUsersApi": endpoint})
    known = tuple(one.credential for each in found.values() for one in each.endpoints.values() if one.variable is not None)
    return {name: _knowing(connection, known) for name, connection in found.items()}


def _knowing(connection: Connection, known: tuple[Secret, ...]) -> Connection:
    endpoints = {toolkit: replace(endpoint, known=known) for toolkit, endpoint in connection.endpoints.items()}
    return replace(connection, endpoints=endpoints)


def _payments(base: str, files: str, key: str, mode: Mode, variable: str | None) -> Endpoint:
    credential = _secret("PAYMENTS_API_KEY", key)
    return Endpoint(base, files, "Bearer ", credential, "application/json", mode, variable=variable)


def _incidents(base: str, scheme: str, token: str, mode: Mode, variable: str | None) -> Endpoint:
    credential = _secret("the incidents token", token)
    accept = "application/vnd.pagerduty+json;version=2"
    return Endpoint(base, base, scheme, credential, accept, mode, variable=variable)


def _crm(base: str, token: str, mode: Mode, path: str | None, variable: str | None) -> Endpoint:
    moved = (_USERS_PATH, path) if path else None
    credential = _secret("CRM_ACCESS_TOKEN", token)
    return Endpoint(base, base, "Bearer ", credential, "application/json", mode, moved, variable)


def _mode(base: str, credential: str, otherwise: Mode) -> Mode:
    """What a connection reaches: a sandbox that is served on this machine goes by the sandbox's public credentials."""
    served = credential in _PUBLIC and urlsplit(base).hostname in _LOOPBACK
    return "sandbox" if served else otherwise


def _secret(name: str, text: str) -> Secret:
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ConnectionSettingsError(f"{name} holds characters that no credential has; copy it again")
    return Secret(text)


def _address(environment: Mapping[str, str], name: str, default: str) -> str:
    """A base URL from the environment. Credentials travel over https only, or stay on this machine."""
    text = environment.get(name, "").strip().rstrip("/") or default
    parts = urlsplit(text)
    loopback = parts.hostname in _LOOPBACK
    if not parts.hostname or parts.username or parts.query or parts.fragment or parts.scheme not in ("http", "https"):
        raise ConnectionSettingsError(f"{name} takes an address such as {default}; got {_without_secrets(text)}")
    if parts.scheme == "http" and not loopback:
        got = _without_secrets(text)
        raise ConnectionSettingsError(f"{name} must start with https:// (plain http is for this machine only); got {got}")
    return text


def _without_secrets(address: str) -> str:
    """An address for an error message: a user's name with a password, and what a query holds, are masked."""
    start, at, rest = address.rpartition("@")
    if at:
        scheme, slashes, _ = start.partition("//")
        address = f"{scheme}{slashes}{MASK}@{rest}" if slashes else f"{MASK}@{rest}"
    for sign in "?#":
        address, found, _ = address.partition(sign)
        address += f"{found}{MASK}" if found else ""
    return repr(address)
