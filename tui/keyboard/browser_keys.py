"""The keys of commands in a browser, which keeps some of the usual ones for itself: tabs, reloading, its history, full screen.

The first key of each works in every browser. Those behind it work where the browser lets them through, as in a window without
tabs. Ctrl+W, which deletes a word, has a twin in every line of text anyway: Alt+Backspace.
"""

from __future__ import annotations

from collections.abc import Mapping

BROWSER_KEYS: Mapping[str, tuple[str, ...]] = {
    "run": ("alt+r",),
    "empty": ("alt+n", "ctrl+n"),
    "raw": ("alt+j", "ctrl+t"),
    "writing": ("alt+w",),
    "oncall": ("alt+o",),
    "back": ("alt+b", "alt+left"),
    "forward": ("alt+f", "alt+right"),
    "quit": ("alt+q", "ctrl+q"),
}
"""By the commands' ids."""

KEPT = ("f5", "f11", "f12", "ctrl+r")
"""The keys that the page leaves to the browser: reloading, full screen, its tools for developers."""
