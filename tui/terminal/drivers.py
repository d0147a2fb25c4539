"""Chooses the driver for the terminal."""

from __future__ import annotations

import sys

from textual.driver import Driver

from registry.files.served import served_folder


def driver_class(usual: type[Driver]) -> type[Driver]:
    """The driver class for this terminal: one that handles signals on POSIX; in a browser, one that can draw again."""
    if sys.platform == "win32":
        return usual
    if served_folder() is not None:
        from tui.terminal.browser_driver import BrowserDriver

        return BrowserDriver
    from tui.terminal.driver import TerminalDriver

    return TerminalDriver
