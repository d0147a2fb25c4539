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
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from registry.connections.secrets import MASK, Secret

Mode = Literal["sandbox", "test", "live"]

SANDBOX = "sandbox"
SANDBOX_URL = "http://sandbox.callboard"

_USERS_PATH = "/settings/v3/users"
_TEST_KEY = re.compile(r"[sr]k_test_|pk_test_")
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
    """

    base_url: str
    files_url: str
    authorization: str
    credential: Secret
    accept: str
    mode: Mode
    moved: tuple[str, str] | None = None

    def headers(self, *, masked: bool = False) -> dict[str, str]:
        """The headers that every request to this service carries; the credential masked for showing."""
        credential = MASK if masked else self.credential.reveal()
        return {"Accept": self.accept, "Authorization": self.authorization + credential}


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
            "PaymentsApi": _payments(f"{SANDBOX_URL}/payments", f"{SANDBOX_URL}/files", "sk_test_sandbox", "sandbox"),
            "Incidents": _incidents(f"{SANDBOX_URL}/incidents", "Token token=", "sandbox", "sandbox"),
            "CrmUsersApi": _crm(f"{SANDBOX_URL}/crm", "sandbox", "sandbox", None),
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
        found["payments"] = Connection("payments", "Payments account", {"PaymentsApi": _payments(base, files, key, mode)})
    token, scheme = environment.get("INCIDENTS_API_TOKEN", "").strip(), "Token token="
    if not token:
        token, scheme = environment.get("INCIDENTS_ACCESS_TOKEN", "").strip(), "Bearer "
    if token:
        base = _address(environment, "INCIDENTS_BASE_URL", "https://api.pagerduty.com")
        found["incidents"] = Connection(
            "incidents", "Incidents account", {"Incidents": _incidents(base, scheme, token, _mode(base, token, "live"))}
        )
    if token := environment.get("CRM_ACCESS_TOKEN", "").strip():
        base = _address(environment, "CRM_BASE_URL", "https://api.hubapi.com")
        path = environment.get("CRM_USERS_PATH", "").strip().rstrip("/")
        if path and not re.fullmatch(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+", path):
            raise ConnectionSettingsError(f"CRM_USERS_PATH takes a path such as /settings/users/v3; got {path!r}")
        found["crm"] = Connection(
            "crm", "CRM account", {"CrmUsersApi": _crm(base, token, _mode(base, token, "live"), path or None)}
        )
    return found


def _payments(base: str, files: str, key: str, mode: Mode) -> Endpoint:
    return Endpoint(base, files, "Bearer ", _secret("PAYMENTS_API_KEY", key), "application/json", mode)


def _incidents(base: str, scheme: str, token: str, mode: Mode) -> Endpoint:
    credential = _secret("the incidents token", token)
    return Endpoint(base, base, scheme, credential, "application/vnd.pagerduty+json;version=2", mode)


def _crm(base: str, token: str, mode: Mode, path: str | None) -> Endpoint:
    moved = (_USERS_PATH, path) if path else None
    return Endpoint(base, base, "Bearer ", _secret("CRM_ACCESS_TOKEN", token), "application/json", mode, moved)


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
        raise ConnectionSettingsError(f"{name} takes an address such as {default}; got {text!r}")
    if parts.scheme == "http" and not loopback:
        raise ConnectionSettingsError(f"{name} must start with https:// (plain http is for this machine only); got {text!r}")
    return text
