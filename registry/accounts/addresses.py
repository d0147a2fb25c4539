"""Addresses that credentials are sent to: which can be a base URL, which are on this machine, and how errors name them."""

from __future__ import annotations

import re
import socket
from ipaddress import IPv6Address, ip_address
from unicodedata import normalize
from urllib.parse import urlsplit

from registry.accounts.problems import ConnectionSettingsError
from registry.accounts.secrets import MASK

NOT_FOLLOWED = "location-not-followed"
"""The header that holds where a redirect leads: the HTTP client renames ``Location``, and nothing follows it by itself."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]{2,45}\]|[\w.-]{1,253})(?::(?P<port>[0-9]{1,5}))?(?:/[\w.~!$&'()*+,;=:@%/-]*)?",
    re.IGNORECASE,
)


def is_loopback(base: str) -> bool:
    """Whether an address is on this machine."""
    return (urlsplit(base).hostname or "") in LOOPBACK


def is_this_machine(host: str) -> bool:
    """Whether a host is this machine, in any notation: ``127.1``, ``0x7f000001``, ``localhost.``, ``::``."""
    name = normalize("NFKC", host).casefold().strip("[]").partition("%")[0].rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        # The system's own resolver also accepts fewer than four numbers, and other bases than ten.
        address = ip_address(name) if ":" in name else ip_address(socket.inet_aton(name))
    except (OSError, ValueError):
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return any(one.is_loopback or one.is_unspecified for one in (address, mapped) if one is not None)


def base_url(name: str, text: str, default: str) -> str:
    """A base URL from a setting. Credentials are sent only over https, or stay on this machine.

    Raises:
        ConnectionSettingsError: it is not a base URL; the text names the setting.
    """
    text = text.strip().rstrip("/")
    if not text:
        return default
    if not is_base_url(text):
        raise ConnectionSettingsError(f"{name} must be a URL such as {default}; got {without_secrets(text)}")
    found = _ADDRESS.fullmatch(text)
    if found is not None and found["scheme"].lower() == "http" and found["host"].strip("[]").lower() not in LOOPBACK:
        got = without_secrets(text)
        raise ConnectionSettingsError(f"{name} must start with https:// (plain http is for localhost only); got {got}")
    return text


def is_base_url(text: str) -> bool:
    """Whether requests can be sent to an address: http or https, a host, a valid port; no user, no query."""
    found = _ADDRESS.fullmatch(text)
    return found is not None and _is_host(found["host"]) and 0 < int(found["port"] or 443) < 65_536


def _is_host(text: str) -> bool:
    """Whether a text can be the name or the address of a host."""
    if text.startswith("["):
        try:
            return bool(IPv6Address(text[1:-1]))
        except ValueError:
            return False
    labels = text.removesuffix(".").split(".")
    return all(0 < len(label) < 64 and not label.startswith("-") and not label.endswith("-") for label in labels)


def without_secrets(address: str) -> str:
    """An address for an error message: user name and password, query and fragment are masked."""
    start, at, rest = address.rpartition("@")
    if at:
        scheme, slashes, _ = start.partition("//")
        address = f"{scheme}{slashes}{MASK}@{rest}" if slashes else f"{MASK}@{rest}"
    for sign in "?#":
        address, found, _ = address.partition(sign)
        address += f"{found}{MASK}" if found else ""
    return repr(address)
