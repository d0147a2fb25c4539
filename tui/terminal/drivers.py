"""Which driver the terminal gets."""

from __future__ import annotations

import sys

from textual.driver import Driver

from registry.storage.served import served_folder


def driver_class(usual: type[Driver]) -> type[Driver]:
    """The class for the terminal here: where there are signals, one that hears of them; in a browser, one that draws anew."""
    if sys.platform == "win32":
        return usual
    if served_folder() is not None:
        from tui.terminal.browser_driver import BrowserDriver

        return BrowserDriver
    from tui.terminal.driver import TerminalDriver

    return TerminalDriver
