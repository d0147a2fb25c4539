"""Programs outside: the user's pager, which is lent the terminal, and the browser. No shell sees what came from a service."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App

_PAGERS = ("less", "more")
_BROWSERS_IN_THE_TERMINAL = {"w3m", "lynx", "links", "elinks", "links2", "www-browser", "browsh"}


class NotOpened(Exception):
    """A program outside could not be used; says why."""


def pager(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The pager's words: ``$PAGER``, or one that is there.

    Raises:
        NotOpened: there is none, or it cannot be understood.
    """
    try:
        words = shlex.split(environment.get("PAGER", ""))
    except ValueError:
        raise NotOpened("$PAGER has a quote that does not end.") from None
    words = words or next(([name] for name in _PAGERS if shutil.which(name, path=environment.get("PATH"))), [])
    if not words:
        raise NotOpened("There is no pager; name one in $PAGER.")
    return words


async def show_in_pager(app: App[Any], text: str) -> None:
    """Lend the terminal to the pager until it ends. It reads the text from its standard input.

    Args:
        app: the program that steps back.
        text: fit for a terminal.

    Raises:
        NotOpened: there is no pager, it cannot be started, or the terminal cannot be lent.
    """
    from textual.app import SuspendNotSupported

    words = pager()
    with tempfile.TemporaryFile() as file:
        await asyncio.to_thread(file.write, text.encode("utf-8", "replace"))
        file.seek(0)
        try:
            # Nothing may be drawn while the pager has the terminal, so everything waits for its end.
            with app.suspend(), _deaf_to_interrupts():
                problem = _run(words, file.fileno())
        except SuspendNotSupported:
            raise NotOpened("This terminal cannot be lent to a pager.") from None
    if problem:
        raise NotOpened(problem)


def _run(words: list[str], text: int) -> str:
    try:
        subprocess.run(words, stdin=text, check=False)  # noqa: S603  (the user's own program)
    except OSError as error:
        return f"{words[0]} cannot be started: {error.strerror}."
    return ""


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Ctrl+C in the pager is the pager's. A handler, unlike ignoring it, is not passed on to a program that is started."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


async def open_in_browser(url: str, environment: Mapping[str, str] = os.environ) -> None:
    """Open an address that was checked and agreed to.

    Raises:
        NotOpened: there is no browser, or it could not be started.
    """
    if not has_browser(environment):
        raise NotOpened("There is no browser on this machine.")
    import webbrowser

    if not await asyncio.to_thread(webbrowser.open, url):
        raise NotOpened("The browser could not be started.")


def has_browser(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether there is a browser with a window of its own; one that draws in the terminal would draw over this program."""
    if named := environment.get("BROWSER", "").split(os.pathsep)[0].strip():
        return os.path.basename(named.split()[0]) not in _BROWSERS_IN_THE_TERMINAL
    return platform in ("darwin", "win32") or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
