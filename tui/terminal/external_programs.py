"""The programs around this one: the clipboard, notifications, and the user's pager and editor, which get the terminal.

There are three clipboards: the desktop's, through its own program; the terminal's clipboard, by an escape sequence
(OSC 52) that also works through SSH, tmux and GNU screen but gets no confirmation; and a file that only its owner may read.
Callers pass texts that are safe to paste; nothing is changed here.

Data from a service is never passed to a shell.

Notifications are shown by the desktop's own service, or by the terminal's escape sequences. The library for the desktop is an
extra (``callboard[desktop]``): most terminals show notifications by themselves, and over SSH nobody sees the desktop of the
remote machine. It never raises and may fail silently, so only what it reports as shown counts.
"""

import asyncio
import base64
import logging
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from msgspec import Struct
from platformdirs import user_cache_path
from textual.app import App, SuspendNotSupported
from textual.dom import DOMNode

from registry.files.folders import private_folder, put_in_place, served_folder, unnamed_file
from registry.text.shown import shortened, visible_line
from tui.terminal.drivers import OnTerminal

_MOST_BY_SEQUENCE = 74_994
"""With more bytes of Base64 than these, common terminals drop the sequence."""

_PIECE_FOR_SCREEN = 250
_TMUX_KEEPS = "tmux blocks it (tmux set -s set-clipboard on)"
_PATIENCE = 3.0
_DEAF_TERMINALS = {"dumb", "linux", "unknown"}

# Programs that read a text from standard input, each with the variable that must be set.
_PROGRAMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("WAYLAND_DISPLAY", ("wl-copy", "--type", "text/plain;charset=utf-8")),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
)


class Outcome(Struct, frozen=True):
    """The outcome of copying: whether the text can be pasted or read, a text about it, and the file if there is one."""

    done: bool
    words: str
    path: Path | None = None

    @property
    def style(self) -> str:
        """The colour of the sentence about it."""
        return "$text-success" if self.done else "$text-error"

    def about(self, what: str) -> str:
        """A sentence about the outcome; `what` says what was copied, in a few words that are safe to show."""
        if not self.done:
            return f"Not copied: {self.words}"
        if self.path is not None:  # the path first: it must be read, and lines are cut at their end
            return f"✓ Saved {what} to {short_path(self.path)} · {self.words}"
        return f"✓ Copied {what}" + (f" · {self.words}" if self.words else "")


class Clipboard:
    """Copies texts.

    Args:
        write: writes to the terminal.
        environment: the environment variables.
        folder: the folder for the file; None for the cache folder.
        platform: the value of `sys.platform`.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        environment: Mapping[str, str] = os.environ,
        folder: Path | None = None,
        platform: str = sys.platform,
    ) -> None:
        self._write, self._environment, self._folder, self._platform = write, environment, folder, platform

    async def copy(self, text: str) -> Outcome:
        """Copy a text by the first method that works."""
        reason, environment = "no clipboard found", self._environment
        remote = any(environment.get(name) for name in ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"))
        if not remote and served_folder(environment) is None and (program := self.program) is not None:
            # The Windows program guesses the encoding unless it is UTF-16 with a byte order mark.
            given = text.encode("utf-16" if program[0] == "clip.exe" else "utf-8", "replace")
            if await self._run(*program, given=given) is not None:
                return Outcome(True, "")
            reason = f"{program[0]} failed"
        if (len(text.encode("utf-8", "replace")) + 2) // 3 * 4 > _MOST_BY_SEQUENCE:
            reason = "too large for the terminal"
        elif environment.get("TMUX") and not await self._tmux_passes_on():
            reason = _TMUX_KEEPS
        elif environment.get("TERM", "") not in _DEAF_TERMINALS:
            self._write(sequence(text, environment))
            return Outcome(True, "through the terminal")
        try:
            return Outcome(True, reason, await asyncio.to_thread(_keep, text, self._folder))
        except OSError as error:
            return Outcome(False, f"{reason} and could not write a file ({error.strerror})")

    @property
    def program(self) -> tuple[str, ...] | None:
        """The desktop's program for its clipboard; None if there is no desktop, or no program."""
        windows = "WSL_DISTRO_NAME" in self._environment
        known = (("", ("pbcopy",)),) if self._platform == "darwin" else (("", ("clip.exe",)),) if windows else _PROGRAMS
        path = self._environment.get("PATH")
        usable = (words for needed, words in known if not needed or self._environment.get(needed))
        return next((words for words in usable if shutil.which(words[0], path=path)), None)

    async def _tmux_passes_on(self) -> bool:
        """Whether the tmux around the program passes copied text on to its terminal, which its options may prevent."""
        takes = await self._run("tmux", "show-options", "-sv", "set-clipboard", answers=True)
        passes = await self._run("tmux", "show-options", "-Apv", "allow-passthrough", answers=True)
        # One on another machine cannot be asked, and one too old for the second option passes everything on.
        return takes == "on" or passes is None or passes in ("on", "all")

    async def _run(self, *words: str, given: bytes = b"", answers: bool = False) -> str | None:
        """Run a program; returns what it says, or None if it failed. What keeps the clipboard stays, and must hold no pipe."""
        quiet, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *words, stdin=pipe, stdout=pipe if answers else quiet, stderr=quiet, env=dict(self._environment)
            )
        except OSError:
            return None
        try:
            output, _ = await asyncio.wait_for(process.communicate(given), _PATIENCE)
        except TimeoutError:
            process.kill()
            await process.wait()
            return None
        return (output or b"").decode("utf-8", "replace").strip() if process.returncode == 0 else None


def sequence(text: str, environment: Mapping[str, str]) -> str:
    """The escape sequence that makes the terminal copy a text, also through tmux or GNU screen."""
    plain = f"\x1b]52;c;{base64.b64encode(text.encode('utf-8', 'replace')).decode()}\x07"
    if environment.get("TMUX"):
        # The first is for tmux itself, the second for the terminal around it; tmux has an option to switch off each.
        return plain + through_tmux(plain, environment)
    if environment.get("STY") or environment.get("TERM", "").startswith("screen"):
        pieces = [plain[start : start + _PIECE_FOR_SCREEN] for start in range(0, len(plain), _PIECE_FOR_SCREEN)]
        return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
    return plain


async def copy(app: App[Any], text: str) -> Outcome:
    """Copy a text; Textual's own inputs can paste it too."""
    terminal = cast(OnTerminal, app)
    terminal.copied = text
    return await Clipboard(terminal.write_to_terminal).copy(text)


def copy_out(node: DOMNode, text: str, what: str) -> None:
    """Copy a text in a worker of a widget or screen, and say so on its screen; `what` says what it is."""

    async def copy_and_say() -> None:
        outcome = await copy(node.app, text)
        cast(Any, node.screen).say(outcome.about(what), outcome.style)

    node.run_worker(copy_and_say(), group="clipboard", exclusive=True)


def short_path(path: Path) -> str:
    """A path as people write it, with ~ for the home folder; of a file that a browser downloads, its name."""
    home, served = Path.home(), served_folder()
    if served is not None and path.is_relative_to(served):
        return path.name
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _keep(text: str, folder: Path | None) -> Path:
    if folder is None and (folder := served_folder()) is None:
        folder = user_cache_path("callboard", appauthor=False)
    path = private_folder(folder) / "clipboard.txt"
    with unnamed_file(folder, path.name) as one:
        one.write(text.encode("utf-8", "replace"))
        put_in_place(one, path, replace=True)
    return path


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


_LONGEST = 200
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
