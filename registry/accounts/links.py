"""Which addresses in responses may be opened in a browser: https, on hosts of the service that sent the response.

Other people can write texts into an account, so responses may contain any address; an address elsewhere is never
offered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from registry.accounts.connection import Endpoint
from registry.text.safe_text import shortened, visible_line

# The characters of an address; a well-meant address percent-encodes all others.
_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]*)?")
_LONGEST = 8_000


@dataclass(frozen=True, slots=True)
class Link:
    """An address that may be opened, and its host."""

    url: str
    host: str


class LinkRefused(ValueError):
    """A text that is not opened; says why, in words that are safe to show."""


def link_in(text: str, endpoint: Endpoint) -> Link:
    """The link in a text.

    Args:
        text: a value from a response.
        endpoint: the endpoint of the service that sent it; the service declares its other domains.

    Raises:
        LinkRefused: the text is not an https address, or leads elsewhere.
    """
    if not text.startswith("https://"):
        raise LinkRefused("No https link at the cursor.")
    if not _ADDRESS.fullmatch(text) or len(text) > _LONGEST:
        raise LinkRefused("This link is not safe to open. Copy it to inspect it.")
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise LinkRefused("This link is not safe to open. Copy it to inspect it.") from None
    own = urlsplit(endpoint.base_url)
    if own.scheme == "https" and host == own.hostname and (port or 443) == (own.port or 443):
        return Link(text, host)
    if port in (None, 443) and any(host == domain or host.endswith("." + domain) for domain in endpoint.service.links):
        return Link(text, host)
    if endpoint.mode == "sandbox" and host.endswith(".example"):
        raise LinkRefused("Sandbox links do not open: their hosts do not exist.")
    raise LinkRefused(
        f"{shortened(visible_line(host), 60)} is not a host of this service, so the link was not opened. Copy it instead."
    )
