"""External programs: the user's pager and editor, which use the terminal meanwhile, and the browser.

Data of a service is never passed to a shell.
"""

from __future__ import annotations

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
from typing import TYPE_CHECKING, Any

from registry.signing_in import browser
from registry.signing_in.problems import BrowserNotOpened
from registry.storage.served import served_folder

if TYPE_CHECKING:
    from textual.app import App

IN_EXPLORER = "CALLBOARD_WALKS_IN_EXPLORER"
"""Is set for walks behind which an explorer waits: to leave them is to go back to it."""

_PAGERS, _EDITORS = ("less", "more"), ("nano", "vim", "vi")
_MOST_EDITED = 1_000_000


class NotOpened(Exception):
    """A program outside could not be used; says why."""


def pager(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The pager's words: ``$PAGER``, or one that is there.

    Raises:
        NotOpened: there is none, or it cannot be understood.
    """
    return _program(environment, ("PAGER",), _PAGERS, "pager")


def editor(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The editor's words: ``$VISUAL``, ``$EDITOR``, or one that is there.

    Raises:
        NotOpened: there is none, or it cannot be understood.
    """
    return _program(environment, ("VISUAL", "EDITOR"), _EDITORS, "editor")


def _program(environment: Mapping[str, str], variables: Sequence[str], usual: Sequence[str], kind: str) -> list[str]:
    if served_folder() is not None:
        # It would run on the machine that serves, and most of them open a shell when asked.
        raise NotOpened(f"In a browser there is no ${variables[-1]}. Callboard in a terminal has it.")
    for variable in variables:
        try:
            words = shlex.split(environment.get(variable, ""))
        except ValueError:
            raise NotOpened(f"${variable} has an unclosed quote.") from None
        if words:
            return words
    for name in usual:
        if shutil.which(name, path=environment.get("PATH")):
            return [name]
    raise NotOpened(f"No {kind} found. Set ${variables[-1]}.")


async def show_in_pager(app: App[Any], text: str) -> None:
    """Lend the terminal to the pager until it ends. It reads the text from its standard input.

    Args:
        app: the program that steps back.
        text: fit for a terminal.

    Raises:
        NotOpened: there is no pager, it cannot be started, or the terminal cannot be lent.
    """
    words = pager()
    with tempfile.TemporaryFile() as file:
        await asyncio.to_thread(file.write, text.encode("utf-8", "replace"))
        file.seek(0)
        _lend(app, words, "a pager", file.fileno())


async def edit(app: App[Any], text: str, ending: str) -> str:
    """Lend the terminal to the editor until it ends, and give the text as it was saved.

    The file is readable by its owner only, in a folder of its own: it goes with whatever the editor has put beside it.

    Args:
        app: the program that steps back.
        text: what is to be edited.
        ending: of the file, with its dot, by which editors know what it is.

    Raises:
        NotOpened: there is no editor, it cannot be started or ended with a failure, or what it left is no text.
    """
    words = editor()
    try:
        with tempfile.TemporaryDirectory(prefix="callboard-", ignore_cleanup_errors=True) as folder:
            file = Path(folder) / f"arguments{ending}"
            await asyncio.to_thread(_write_alone, file, text)
            status = _lend(app, [*words, str(file)], "an editor")
            if status:
                raise NotOpened(f"{words[0]} exited with status {status}. Nothing was changed.")
            return await asyncio.to_thread(_read_edited, file)
    except OSError as error:
        raise NotOpened(f"Could not create a temporary file: {error.strerror}.") from None


async def show_walks(app: App[Any]) -> None:
    """Lend the terminal to another run of this program, which plays walks.

    Raises:
        NotOpened: it cannot be started, or the terminal cannot be lent.
    """
    # -P: no module of the folder that the user happens to be in.
    words = [sys.executable, "-P", "-m", "tui", "demo"]
    _lend(app, words, "another explorer", says="Opening the walks …", variables={IN_EXPLORER: "1"})


def _write_alone(file: Path, text: str) -> None:
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
        opened.write(text.encode("utf-8", "replace"))


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


def _lend(
    app: App[Any],
    words: list[str],
    kind: str,
    stdin: int | None = None,
    says: str = "",
    variables: Mapping[str, str] = {},
) -> int:
    """Let a program have the terminal until it ends; its exit status. Raises NotOpened.

    Args:
        app: the program that steps back.
        words: what is started.
        kind: what that is, in words.
        stdin: what it reads from; the terminal where it is not given.
        says: is written at once where the program takes its time to draw.
        variables: what it finds in its environment besides.
    """
    from textual.app import SuspendNotSupported

    try:
        # Nothing may be drawn while it has the terminal, so everything waits for its end.
        with app.suspend(), _deaf_to_interrupts():
            try:
                if says:
                    sys.stderr.write(f"{says}\n")
                return subprocess.run(words, stdin=stdin, check=False, env={**os.environ, **variables}).returncode  # noqa: S603  (the user's own program)
            except OSError as error:
                problem = f"Cannot start {words[0]}: {error.strerror}."
    except SuspendNotSupported:
        raise NotOpened(f"This terminal cannot run {kind} inside Callboard.") from None
    raise NotOpened(problem)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Ctrl+C in another program is that program's. A handler, unlike ignoring it, is not passed on to it."""
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
    try:
        await browser.open_in_browser(url, environment)
    except BrowserNotOpened as problem:
        raise NotOpened(problem.cause) from None
