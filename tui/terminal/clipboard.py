"""Copies a text to where the user can paste it, and reports the outcome.

There are three methods: the desktop's clipboard, through its own program; the terminal's clipboard, by an escape sequence
(OSC 52) that also works through SSH, tmux and GNU screen but gets no confirmation; and a file that only its owner may read.
Callers pass texts that are safe to paste; nothing is changed here.
"""

import asyncio
import base64
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from msgspec import Struct
from platformdirs import user_cache_path
from textual.app import App
from textual.dom import DOMNode

from registry.files.folders import private_folder, unnamed_file
from registry.files.served import served_folder
from tui.terminal.drivers import OnTerminal
from tui.terminal.notifications import through_tmux

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
        one.file.write(text.encode("utf-8", "replace"))
        one.place(path, replace=True)
    return path
