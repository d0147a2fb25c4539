"""Runs ``git``: bounded in time and size, without prompts, hooks, submodules or unwanted protocols."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from registry.text.safe_text import shortened, visible_line

PROTOCOLS = "https:ssh:file"
LONGEST = 60.0
"""Seconds that one command may take."""
MOST_BYTES = 50_000_000
"""The most bytes of a fetched repository, and of a command's output."""

_SAFE = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false", "-c", "core.fsmonitor=false", "-c", "core.askPass="),
    *("-c", "submodule.recurse=false", "-c", "fetch.recurseSubmodules=no", "-c", "gc.auto=0", "-c", "maintenance.auto=false"),
)
_KEPT = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
_BETWEEN_LOOKS = 0.05
_running: set[subprocess.Popen[bytes]] = set()


class GitFailed(Exception):
    """A command failed; the text says why and is safe to show."""


def git(*arguments: str, folder: Path, fed: bytes = b"") -> bytes:
    """The output of a git command.

    Args:
        arguments: its words; text from a setting must come after ``--``.
        folder: where it runs; the folder's size is limited.
        fed: its standard input.

    Raises:
        GitFailed: git is not installed, failed, or took too much time or space.
    """
    program = shutil.which("git")
    if program is None:
        raise GitFailed("git is not installed")
    with (
        tempfile.TemporaryFile(dir=folder) as out,
        tempfile.TemporaryFile(dir=folder) as said,
        tempfile.TemporaryFile() as into,
    ):
        into.write(fed)
        into.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 # a list of words without a shell; addresses come after --
                [program, *_SAFE, *arguments],
                stdin=into,
                stdout=out,
                stderr=said,
                cwd=folder,
                env=_environment(),
                start_new_session=True,  # no terminal: neither git nor ssh can ask anything
            )
        except OSError as error:
            raise GitFailed(f"git cannot be run: {error.strerror}") from None
        _running.add(process)
        try:
            _wait(process, folder, out.fileno())
        finally:
            _end(process)
            _running.discard(process)
        out.seek(0)
        said.seek(0)
        if process.returncode != 0:
            raise GitFailed(_words(said.read(20_000).decode("utf-8", "replace")))
        return out.read()


def _environment() -> dict[str, str]:
    """The program's environment without the variables that would redirect git, or let it prompt."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or not name.startswith(("GIT_", "SSH_ASKPASS"))}
    return kept | {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": PROTOCOLS, "SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"}


def _wait(process: subprocess.Popen[bytes], folder: Path, out: int) -> None:
    """Wait for the end of a command, within the limits on time and size."""
    until, looked = time.monotonic() + LONGEST, 0.0
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_BETWEEN_LOOKS)
            looked = 0.0
        now = time.monotonic()
        if now - looked >= 1 or process.returncode is not None:
            looked = now
            if os.fstat(out).st_size > MOST_BYTES or _size(folder) > MOST_BYTES:
                raise GitFailed(f"the repository is too large: at most {MOST_BYTES // 1_000_000} MB")
        if process.returncode is not None:
            return
        if now > until:
            raise GitFailed(f"git took longer than {LONGEST:.0f} s")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a command and the processes it started, if it still runs."""
    if process.poll() is None:
        with suppress(OSError):
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@atexit.register
def _end_all() -> None:
    for process in list(_running):
        _end(process)


def _size(folder: Path) -> int:
    """The bytes below a folder."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # git may remove its files at the same time
                size += os.lstat(os.path.join(place, name)).st_size
    return size


def _words(said: str) -> str:
    """The sentence of git's output that says why it failed."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    found = next(
        (line for line in lines if line.startswith(("fatal:", "ERROR:", "error:"))), lines[-1] if lines else "git failed"
    )
    return shortened(visible_line(found), 200)
