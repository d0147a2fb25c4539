"""External programs: the user's pager and editor, which get the terminal until they end.

Data from a service is never passed to a shell.
"""

import asyncio
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from registry.files.served import served_folder

_MOST_EDITED = 1_000_000


class NotOpened(Exception):
    """An external program could not be used; the message says why."""


def pager(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The pager's command: ``$PAGER``, or an installed one; raises `NotOpened`."""
    return _program(environment, ("PAGER",), ("less", "more"), "pager")


def editor(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The editor's command: ``$VISUAL``, ``$EDITOR``, or an installed one; raises `NotOpened`."""
    return _program(environment, ("VISUAL", "EDITOR"), ("nano", "vim", "vi"), "editor")


def _program(environment: Mapping[str, str], variables: Sequence[str], usual: Sequence[str], kind: str) -> list[str]:
    if served_folder() is not None:
        # It would run on the serving machine, and most pagers and editors can open a shell.
        raise NotOpened(f"In a browser there is no ${variables[-1]}. Callboard in a terminal has it.")
    for variable in variables:
        try:
            words = shlex.split(environment.get(variable, ""))
        except ValueError:
            raise NotOpened(f"${variable} has an unclosed quote.") from None
        if words:
            return words
    found = next((name for name in usual if shutil.which(name, path=environment.get("PATH"))), None)
    if found is None:
        raise NotOpened(f"No {kind} found. Set ${variables[-1]}.")
    return [found]


async def show_in_pager(app: App[Any], text: str) -> None:
    """Give the terminal to the pager until it ends. It reads the text from its standard input.

    Args:
        app: the application, which is suspended.
        text: a text that is safe for a terminal.

    Raises:
        NotOpened: there is no pager, it cannot be started, or the application cannot be suspended.
    """
    words = pager()
    with tempfile.TemporaryFile() as file:
        await asyncio.to_thread(file.write, text.encode("utf-8", "replace"))
        file.seek(0)
        _lend(app, words, "a pager", file.fileno())


async def edit(app: App[Any], text: str, ending: str) -> str:
    """Give the terminal to the editor until it ends; returns the saved text.

    The file is in a folder that only its owner may enter, which is deleted with anything the editor has added.

    Args:
        app: the application, which is suspended.
        text: the text to edit.
        ending: the file name extension with its dot, for the editor's syntax.

    Raises:
        NotOpened: there is no editor, it cannot be started, it failed, or the result is not text.
    """
    words = editor()
    try:
        with tempfile.TemporaryDirectory(prefix="callboard-", ignore_cleanup_errors=True) as folder:
            file = Path(folder) / f"arguments{ending}"
            await asyncio.to_thread(file.write_bytes, text.encode("utf-8", "replace"))
            status = _lend(app, [*words, str(file)], "an editor")
            if status:
                raise NotOpened(f"{words[0]} exited with status {status}. Nothing was changed.")
            return await asyncio.to_thread(_read_edited, file)
    except OSError as error:
        raise NotOpened(f"Could not create a temporary file: {error.strerror}.") from None


async def show_walks(app: App[Any]) -> None:
    """Give the terminal to another run of this program, which plays walks.

    Raises:
        NotOpened: it cannot be started, or the application cannot be suspended.
    """
    # -P: do not import modules from the user's current folder.
    words = [sys.executable, "-P", "-m", "tui", "demo"]
    _lend(app, words, "another explorer", says="Opening the walks …")


def _read_edited(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_EDITED + 1)
    except FileNotFoundError:
        raise NotOpened("The file was deleted. Nothing was changed.") from None
    if len(content) > _MOST_EDITED:
        raise NotOpened(f"The text is too long (limit {_MOST_EDITED:,} bytes). Nothing was changed.")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise NotOpened(f"The text is not valid UTF-8 (byte {error.start + 1}). Nothing was changed.") from None


def _lend(app: App[Any], words: list[str], kind: str, stdin: int | None = None, says: str = "") -> int:
    """Give the terminal to a program until it ends; returns its exit status. Raises `NotOpened`.

    Args:
        app: the application, which is suspended.
        words: the command.
        kind: what kind of program it is, in words.
        stdin: its standard input; None for the terminal.
        says: a text to write at once, for a program that is slow to draw.
    """
    try:
        # Nothing may be drawn while it has the terminal, so this blocks until it ends.
        with app.suspend(), _deaf_to_interrupts():
            if says:
                sys.stderr.write(f"{says}\n")
            return subprocess.run(words, stdin=stdin, check=False).returncode  # noqa: S603  (the user's own program)
    except OSError as error:
        raise NotOpened(f"Cannot start {words[0]}: {error.strerror}.") from None
    except SuspendNotSupported:
        raise NotOpened(f"This terminal cannot run {kind} inside Callboard.") from None


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Leave Ctrl+C to the other program. Unlike an ignored signal, a handler is not inherited by it."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
