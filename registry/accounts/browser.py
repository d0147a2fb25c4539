"""Opens an address in the user's browser."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping

from registry.accounts.problems import BrowserNotOpened
from registry.files.served import served_folder

_IN_THE_TERMINAL = frozenset({"www-browser", "links", "elinks", "lynx", "w3m", "browsh", "links2"})


async def open_in_browser(address: str, environment: Mapping[str, str] = os.environ) -> None:
    """Open an address in a graphical browser.

    Raises:
        BrowserNotOpened: there is no browser, or it did not start.
    """
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
    return platform in ("darwin", "win32") or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
