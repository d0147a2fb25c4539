"""Notifications: by the desktop's own service, and by the terminal's escape sequences.

The library for the desktop is an extra (``callboard[desktop]``): most terminals show notifications by themselves, and over SSH
nobody sees the desktop of the remote machine. It never raises and may fail silently, so only what it reports as shown counts.
"""

import asyncio
import logging
import sys
from collections.abc import Mapping
from typing import Any

from registry.files.folders import served_folder
from registry.text.shown import shortened, visible_line

_LONGEST = 200
_PATIENCE = 3.0
_TITLED = ("rxvt", "foot")


def has_desktop(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether the user sees this machine's desktop."""
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY") or served_folder() is not None:
        return False
    return platform == "darwin" or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


async def shown_by_desktop(words: str) -> bool:
    """Show a notification; False if the library is missing, or does not report within 3 seconds that it was shown.

    The words go into its title, which no desktop reads as markup.
    """
    notifier = await asyncio.to_thread(_notifier)
    if notifier is None:
        return False
    shown = asyncio.Event()
    title = f"Callboard: {shortened(visible_line(words), _LONGEST)}"
    try:
        async with asyncio.timeout(_PATIENCE):
            await notifier.send(title=title, message="", on_dispatched=shown.set)
            await shown.wait()
    except (TimeoutError, OSError):
        return False
    return True


def _notifier() -> Any:
    try:
        from desktop_notifier import DesktopNotifier
    except ImportError:
        return None
    # Its log messages must not be written over the screen.
    logging.getLogger("desktop_notifier").addHandler(logging.NullHandler())
    return DesktopNotifier(app_name="Callboard", app_icon=None)


def notification(words: str, environment: Mapping[str, str]) -> str:
    """The sequence that makes the terminal of this environment show a notification.

    The rxvt family and foot know ``OSC 777``, most others ``OSC 9``; a terminal that knows neither ignores both. The text has
    no control character, and nothing that ends the sequence.
    """
    text = shortened(visible_line(words).replace(";", ","), _LONGEST)
    titled = environment.get("TERM", "").startswith(_TITLED)
    return through_tmux(f"\x1b]777;notify;Callboard;{text}\x07" if titled else f"\x1b]9;{text}\x07", environment)


def through_tmux(sequence: str, environment: Mapping[str, str]) -> str:
    """A sequence as tmux passes it on to the terminal around it."""
    return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\" if environment.get("TMUX") else sequence
