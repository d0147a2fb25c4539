"""Opening an address in the user's browser."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping

from registry.signing_in.problems import BrowserNotOpened
from registry.storage.served import served_folder

_IN_THE_TERMINAL = frozenset({"www-browser", "links", "elinks", "lynx", "w3m", "browsh", "links2"})


async def open_in_browser(address: str, environment: Mapping[str, str] = os.environ) -> None:
    """Open an address in a browser with a window of its own.

    Raises:
        BrowserNotOpened: there is none, or it did not start.
    """
    if not has_browser(environment):
        raise BrowserNotOpened("No browser found. Set $BROWSER.")
    import webbrowser

    if not await asyncio.to_thread(webbrowser.open, address):
        raise BrowserNotOpened("Cannot start the browser.")


def has_browser(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether there is a browser with a window of its own; one that draws in the terminal would draw over this program."""
    if served_folder() is not None:
        return False  # those of this machine are not in front of the user
    if named := environment.get("BROWSER", "").split(os.pathsep)[0].strip():
        return os.path.basename(named.split()[0]) not in _IN_THE_TERMINAL
    return platform in ("darwin", "win32") or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
