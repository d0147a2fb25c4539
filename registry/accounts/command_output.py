"""A secret from the output of a command, such as ``op read op://team/key/credential`` or ``pass show callboard``.

The command is an argument vector and not a shell line. It has no input, a time limit, and its own process group, which is ended
with it, so that no child process keeps running.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
from contextlib import suppress

from registry.accounts.problems import SecretUnavailable

_MOST_BYTES = 64_000


def output_of(command: str, patience: float) -> str:
    """The output of a command, without the line break at its end. Blocks.

    Args:
        command: its words, quoted as in a shell.
        patience: seconds after which it is ended.

    Raises:
        SecretUnavailable: it cannot be started, fails, takes too long, or prints no credential.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SecretUnavailable(f"The command for the secret cannot be read: {error}.", "Correct its quotes.") from None
    if not words:
        raise SecretUnavailable("The command for the secret is empty.", "Write command: and the command.")
    try:
        # Its errors may repeat its arguments, so they are not shown; its exit code says that it failed.
        started = subprocess.Popen(  # noqa: S603 - the user has written this command into the settings
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "it is not a command"
        raise SecretUnavailable(f"{words[0]} cannot be run: {why}.", "Check the command, and that it is installed.") from None
    assert started.stdout is not None
    took_too_long = threading.Event()

    def give_up() -> None:
        took_too_long.set()
        _end(started)

    timer = threading.Timer(patience, give_up)
    timer.start()
    with started:
        output = started.stdout.read(_MOST_BYTES + 1)
        if len(output) > _MOST_BYTES:
            _end(started)
    timer.cancel()
    if took_too_long.is_set():
        cause = f"{words[0]} did not print the secret within {patience:g} s."
        raise SecretUnavailable(cause, "Run it by hand to see what it waits for.")
    if started.returncode and len(output) <= _MOST_BYTES:
        cause = f"{words[0]} failed with exit code {started.returncode}."
        raise SecretUnavailable(cause, "Run it by hand to see why.")
    text = output.decode("utf-8", "replace").strip("\r\n")
    if not text or len(output) > _MOST_BYTES or "\n" in text:
        raise SecretUnavailable(f"{words[0]} printed no secret.", "It must print the secret alone, in one line.")
    return text


def _end(started: subprocess.Popen[bytes]) -> None:
    """End a command and its process group."""
    if sys.platform == "win32":
        started.kill()
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(started.pid, signal.SIGKILL)
