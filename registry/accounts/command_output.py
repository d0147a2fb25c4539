"""A secret from the output of a command, such as ``op read op://team/key/credential`` or ``pass show callboard``.

The command is an argument vector and not a shell line. It has no input and no terminal, a time limit, and its own process
group, which is ended with it, so that no child process keeps running.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from threading import Thread

from registry.accounts.problems import SecretUnavailable
from registry.accounts.reading import STEP, nobody_waits

_MOST_BYTES = 64_000
_GRACE = 2.0


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
    try:
        output = _printed(started, patience)
    except subprocess.TimeoutExpired:
        words_ = f"{words[0]} did not print the secret within {patience:g} s."
        raise SecretUnavailable(words_, "Run it by hand to see what it waits for.") from None
    if started.returncode and len(output) <= _MOST_BYTES:
        words_ = f"{words[0]} failed with exit code {started.returncode}."
        raise SecretUnavailable(words_, "Run it by hand to see why.")
    text = output.decode("utf-8", "replace").strip("\r\n")
    if not text or len(output) > _MOST_BYTES or "\n" in text:
        raise SecretUnavailable(f"{words[0]} printed no secret.", "It must print the secret alone, in one line.")
    return text


def _printed(started: subprocess.Popen[bytes], patience: float) -> bytes:
    """The output of a command; a command that prints more than a secret can have is ended.

    Raises:
        subprocess.TimeoutExpired: it takes too long, or nobody waits for it any more.
    """
    assert started.stdout is not None
    stream, held, end = started.stdout, bytearray(), time.monotonic() + patience
    reader = Thread(target=lambda: held.extend(stream.read(_MOST_BYTES + 1)), daemon=True)
    reader.start()
    try:
        while reader.is_alive() or (len(held) <= _MOST_BYTES and started.returncode is None):
            if time.monotonic() > end or nobody_waits():
                raise subprocess.TimeoutExpired(started.args, patience)
            if reader.is_alive():
                reader.join(STEP)
            else:
                with suppress(subprocess.TimeoutExpired):
                    started.wait(STEP)
        return bytes(held)
    finally:
        if started.returncode is None:
            _end(started)
        reader.join(_GRACE)
        if not reader.is_alive():  # a process that left the group may still hold the pipe
            stream.close()


def _end(started: subprocess.Popen[bytes]) -> None:
    """End a command and its process group."""
    if sys.platform == "win32":
        started.kill()
        return
    for number, patience in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, None)):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(started.pid, number)
        with suppress(subprocess.TimeoutExpired):
            started.wait(patience)
            break
