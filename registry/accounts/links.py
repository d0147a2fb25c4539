"""Opens addresses in the user's browser; of those in responses, only https on hosts of the service that sent the response.

Other people can write texts into an account, so responses may contain any address; an address elsewhere is never
offered.
"""

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from urllib.parse import urlsplit

from registry.accounts.connection import CredentialProblem, Endpoint
from registry.files.folders import served_folder
from registry.text.shown import shortened, visible_line

# The characters of an address; a well-meant address percent-encodes all others.
_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]*)?")
_LONGEST = 8_000


class LinkRefused(ValueError):
    """A text that is not opened; says why, in words that are safe to show."""


def host_of(text: str, endpoint: Endpoint) -> str:
    """The host of an address that may be opened.

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
        return host
    if port in (None, 443) and any(host == domain or host.endswith("." + domain) for domain in endpoint.service.links):
        return host
    if endpoint.mode == "sandbox" and host.endswith(".example"):
        raise LinkRefused("Sandbox links do not open: their hosts do not exist.")
    raise LinkRefused(
        f"{shortened(visible_line(host), 60)} is not a host of this service, so the link was not opened. Copy it instead."
    )


class BrowserNotOpened(CredentialProblem):
    """There is no browser, or it did not start."""

    def __init__(self, cause: str) -> None:
        super().__init__("No browser was opened", cause, "Sign in with --no-browser and open the address on any machine.")


_IN_THE_TERMINAL = frozenset({"www-browser", "links", "elinks", "lynx", "w3m", "browsh", "links2"})


async def open_in_browser(address: str, environment: Mapping[str, str] = os.environ) -> None:
    """Open an address in a graphical browser; `BrowserNotOpened` if there is none, or it did not start."""
    if not has_browser(environment):
        raise BrowserNotOpened("No browser found. Set $BROWSER.")
    import webbrowser

    if not await asyncio.to_thread(webbrowser.open, address):
        raise BrowserNotOpened("Cannot start the browser.")


def has_browser(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether there is a graphical browser; a text browser would draw over this program in the terminal."""
    if served_folder() is not None:
        return False  # the user is at another machine
    if named := environment.get("BROWSER", "").split(os.pathsep)[0].strip():
        return os.path.basename(named.split()[0]) not in _IN_THE_TERMINAL
    return platform == "darwin" or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
