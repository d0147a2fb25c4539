"""Decides whether a redirect address is allowed, which is critical for security.

An address is compared as text or matched whole against a narrow grammar, never taken apart by a parser whose idea of a host
could differ from the browser's. Everything else is refused: no credentials, no fragment, no control characters, no
host that only begins like this machine.
"""

from __future__ import annotations

import re

from registry.sandbox.signin.parameters import encoded
from registry.sandbox.signin.profiles import OAuthClient

_CHARACTER = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})"
_THIS_MACHINE = re.compile(
    rf"(http://(?:127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{{0,4}}))?)(?:/{_CHARACTER}*)?(?:\?(?:{_CHARACTER}|\?)*)?"
)
_ORIGIN = re.compile(r"https?://[^/?#]+")
_LAST_PORT = 65_535


def allowed(client: OAuthClient, address: str) -> bool:
    """Whether an application may be sent back to this address."""
    return address in client.redirects or (client.public and _on_this_machine(address))


def with_parameters(address: str, parameters: dict[str, str]) -> str:
    """An allowed address with parameters added to its query."""
    return f"{address}{'&' if '?' in address else '?'}{encoded(parameters)}"


def form_source(address: str) -> str:
    """An allowed address as the ``form-action`` of a Content-Security-Policy names it.

    Browsers apply that policy to the redirect after a form, too. The policy cannot name an IPv6 address; the scheme alone
    is used for one.
    """
    found = _ORIGIN.match(address)
    origin = found[0] if found else ""
    return "http:" if "[" in origin else origin


def _on_this_machine(address: str) -> bool:
    found = _THIS_MACHINE.fullmatch(address)
    return found is not None and int(found[2] or 80) <= _LAST_PORT
