"""The keys of commands in a browser, which uses some default keys itself: tabs, reloading, its history, full screen.

The first key of each works in every browser. The others work if the browser passes them on, as in a window without tabs.
Ctrl+W, which deletes a word, has an alternative in every text input anyway: Alt+Backspace.
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
"""The keys by the commands' ids."""

KEPT = ("f5", "f11", "f12", "ctrl+r")
"""The keys that the page leaves to the browser: reloading, full screen, its tools for developers."""
