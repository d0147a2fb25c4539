"""Where secrets are stored: the keyring, a file of mode 0600, a variable, a command's output, another program's settings.

A reference names the file and a JMESPath expression: ``~/.config/tool/config.toml#"default".key``. Which programs have such
files is in ``registry/toolkits/profiles.json``: toolkits from elsewhere must not name files to read credentials from. Nothing
is read before the user asks for it.

All of these block, up to a time limit, because a keyring and a password manager may ask their user first: use a thread.
"""

import os
import re
import shlex
import signal
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from platformdirs import user_data_path

from registry.accounts.account import Account, SecretPlace
from registry.accounts.connection import CredentialProblem, mode_of
from registry.catalog.folders import BUILT_IN
from registry.catalog.service import Service
from registry.files.folders import how_to_install, open_plain, private_folder, reason, replace_text
from registry.files.threads import started
from registry.files.toml_text import parsed

_MOST_SETTINGS_BYTES = 1_000_000
_NAME = re.compile(r"[\w.@ -]{1,30}")


class Program(msgspec.Struct, frozen=True):
    """A program that keeps profiles with credentials in a file.

    Attributes:
        service: the name of the service that they are for; `way` is how they authenticate, empty for the service's first way.
        program: its name in a sentence.
        file: its file with TOML, YAML or JSON.
        names: the JMESPath expression for the names of its profiles.
        secret: the expression for the credential of the profile ``{name}``; profiles that have none are left out.
    """

    service: str
    program: str
    file: str
    names: str
    secret: str
    way: str = ""

    @property
    def place(self) -> str:
        """The file: programs that keep it in ``~/.config`` follow ``XDG_CONFIG_HOME``."""
        own = os.environ.get("XDG_CONFIG_HOME", "")
        return self.file.replace("~/.config", own, 1) if os.path.isabs(own) else self.file


def programs() -> Sequence[Program]:
    """The programs whose file is there. Reads none of them."""
    known = msgspec.json.decode((BUILT_IN / "profiles.json").read_bytes(), type=tuple[Program, ...])
    return [one for one in known if Path(one.place).expanduser().is_file()]


def profiles(services: Mapping[str, Service]) -> Iterator[tuple[Program, Account]]:
    """Every profile with a credential, as the account that it would be; by name of the service. Blocks; never raises."""
    for one in programs():
        content, service = _content(one.place), services[one.service]
        names = _searched(content, one.names)
        for name in filter(_NAME.fullmatch, map(str, names if isinstance(names, list) else ())):
            expression = one.secret.replace("{name}", name)
            secret = _searched(content, expression)
            if isinstance(secret, str) and secret:
                mode = mode_of(service, service.hosts["api"].usual, secret)
                place = SecretPlace("value", f"{one.place}#{expression}")
                yield one, Account(name=f"{one.service} {name}", service=one.service, secret=place, way=one.way, mode=mode)


def value_at(reference: str) -> str:
    """The text that a reference leads to; empty if there is none. Blocks."""
    file, _, expression = reference.partition("#")
    found = _searched(_content(file), expression)
    return found if isinstance(found, str) else ""


def _content(file: str) -> Any:
    """What a file says; None if it cannot be read."""
    import yaml  # slow to import, and few accounts need it

    try:
        with open_plain(Path(file).expanduser()) as opened:
            text = opened.read(_MOST_SETTINGS_BYTES).decode("utf-8")
        return parsed(text) if file.endswith(".toml") else yaml.safe_load(text)
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return None


def _searched(content: Any, expression: str) -> Any:
    import jmespath  # as above

    try:
        return jmespath.search(expression, content)
    except jmespath.exceptions.JMESPathError:
        return None


PATIENCE = 60.0
"""Seconds that a keyring, or a command, may ask its user before the program gives up."""

_IN_KEYRING = "callboard"
_PROBE = "callboard-probe"
_MOST_BYTES = 64_000
_OTHER_PLACES = (
    "Unlock or install a system keyring, or keep the secret elsewhere: --secret env:NAME, --secret command:WORDS, "
    "or --insecure-storage for a file that only you can read."
)


class SecretUnavailable(CredentialProblem):
    """A secret that cannot be read or stored. The message contains no part of it.

    Args:
        cause: why, in a sentence.
        way_out: what to do now, in a sentence.
    """

    def __init__(self, cause: str, way_out: str) -> None:
        super().__init__("The credential cannot be used", cause, way_out)


class KeyringStore:
    """The system keyring, through the extra ``keyring``. Each method raises `SecretUnavailable` if it fails.

    Args:
        patience: seconds after which a call that does not return is abandoned.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience

    def probe(self) -> None:
        """Check that a secret can be stored here, by writing and deleting a test value."""
        self.write(_PROBE, "probe")
        kept = self.read(_PROBE)
        self.delete(_PROBE)
        if kept != "probe":
            raise SecretUnavailable("The system keyring does not keep what it is given.", _OTHER_PLACES)

    def read(self, at: str) -> str | None:
        """The secret of an entry; None if there is none."""
        found = self._asked(lambda keyring: keyring.get_password(_IN_KEYRING, at))
        return found if isinstance(found, str) else None

    def write(self, at: str, secret: str) -> None:
        """Store a secret; replaces the entry's present one."""
        self._asked(lambda keyring: keyring.set_password(_IN_KEYRING, at, secret))

    def delete(self, at: str) -> None:
        """Delete an entry, if it exists."""
        if self.read(at) is not None:
            self._asked(lambda keyring: keyring.delete_password(_IN_KEYRING, at))

    def _asked(self, call: Callable[[Any], object]) -> object:
        """The result of a keyring call, made in its own thread, because it may wait for a prompt forever."""
        try:
            import keyring
            from keyring.errors import KeyringError, NoKeyringError
        except ImportError:
            words = "The system keyring needs the package keyring, which is not installed."
            raise SecretUnavailable(words, f"Keep the secret elsewhere, or install {how_to_install('keyring')}") from None
        asking = started(lambda: call(keyring), "keyring")
        try:
            error = asking.exception(self._patience)
        except TimeoutError:
            words = f"The system keyring did not respond within {self._patience:g} s. It may be waiting for its password."
            raise SecretUnavailable(words, "Unlock it, then run it again.") from None
        if isinstance(error, NoKeyringError):
            raise SecretUnavailable("No system keyring was found.", _OTHER_PLACES)
        if isinstance(error, KeyringError | OSError | RuntimeError):
            # Keyrings' messages are about themselves, never about what they store; the type of the error says enough.
            words = f"The system keyring refused ({type(error).__name__}). It may be locked."
            raise SecretUnavailable(words, _OTHER_PLACES)
        return asking.result()


class FileStore:
    """A file for each secret, not encrypted, readable only by its owner. It has the methods of `KeyringStore`.

    Args:
        folder: for the files; created with the first one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def probe(self) -> None:
        """See `KeyringStore.probe`."""
        self.write(_PROBE, "probe")
        self.delete(_PROBE)

    def read(self, at: str) -> str | None:
        """See `KeyringStore.read`. Refuses a file that other users may read: they may know its secret."""
        file = self._file(at)
        try:
            with open_plain(file) as opened:
                mode = stat.S_IMODE(os.fstat(opened.fileno()).st_mode)
                content = opened.read(_MOST_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SecretUnavailable(f"The secret cannot be read: {reason(error, file)}.", "Make the file readable.") from None
        if mode & 0o077:
            words = f"The secret's file {file} is open to other users (mode {mode:04o})."
            raise SecretUnavailable(words, f"Replace the credential, since others may have read it; then chmod 600 {file}.")
        return content.decode("utf-8", "replace")

    def write(self, at: str, secret: str) -> None:
        """See `KeyringStore.write`."""
        file = self._file(at)
        try:
            private_folder(self._folder)
            replace_text(file, secret)
        except OSError as error:
            words = f"The secret cannot be written: {reason(error, file)}."
            raise SecretUnavailable(words, "Make the folder writable.") from None

    def delete(self, at: str) -> None:
        """See `KeyringStore.delete`."""
        file = self._file(at)
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise SecretUnavailable(f"The secret cannot be deleted: {reason(error, file)}.", "Delete the file.") from None

    def _file(self, at: str) -> Path:
        return self._folder / f"{at}.secret"


class Secrets:
    """All places for secrets.

    Args:
        environment: the variables for ``env:``.
        folder: for secrets in files, and for the token locks; by default below the program's data folder.
        patience: seconds that a keyring or a command may ask its user.
    """

    def __init__(
        self, environment: Mapping[str, str] = os.environ, folder: Path | None = None, patience: float = PATIENCE
    ) -> None:
        self._environment, self._patience = environment, patience
        self.folder = folder if folder is not None else user_data_path("callboard") / "secrets"

    def store(self, place: SecretPlace) -> KeyringStore | FileStore:
        """The store that the program writes to for a place: the keyring or files."""
        return KeyringStore(self._patience) if place.kind == "keyring" else FileStore(self.folder)

    def read(self, place: SecretPlace) -> str:
        """The secret at a place; `SecretUnavailable` if there is none, or it cannot be read. Blocks."""
        if place.kind == "none":
            return ""
        if place.kind == "command":
            return output_of(place.at, self._patience)
        if place.kind == "value":
            if found := value_at(place.at):
                return found
            raise SecretUnavailable(f"There is no credential in {place.words}.", "Sign in with the program that it belongs to.")
        if place.kind == "env":
            if found := self._environment.get(place.at, "").strip():
                return found
            raise SecretUnavailable(f"The environment variable {place.at} is not set.", f"Set {place.at} and start again.")
        if secret := self.store(place).read(place.at):
            return secret
        words = f"There is no secret for this account in {place.words}."
        raise SecretUnavailable(words, "Give it again with callboard account edit NAME --new-secret.")


def output_of(command: str, patience: float) -> str:
    """The output of a command that prints a secret, such as ``op read op://team/key/credential``, in one line. Blocks.

    The command is an argument vector and not a shell line. It has no input, and its own process group, which is ended with
    it, so that no child process keeps running.

    Args:
        command: its words, quoted as in a shell.
        patience: seconds after which it is ended.

    Raises:
        SecretUnavailable: it cannot be started, fails, takes too long, or prints no credential.
    """
    try:
        words = shlex.split(command)
        # Its errors may repeat its arguments, so they are not shown; its exit code says that it failed.
        started = subprocess.Popen(  # noqa: S603 - the user has written this command into the settings
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except (OSError, ValueError, IndexError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "it is not a command"
        raise SecretUnavailable(f"{command.split()[0]} cannot be run: {why}.", "Check the command and its quotes.") from None
    assert started.stdout is not None
    timed_out = threading.Event()

    def end() -> None:
        timed_out.set()
        _end(started)

    timer = threading.Timer(patience, end)
    timer.start()
    with started:
        output = started.stdout.read(_MOST_BYTES + 1)
        if len(output) > _MOST_BYTES:
            _end(started)
    timer.cancel()
    text, way_out = output.decode("utf-8", "replace").strip("\r\n"), "Run it by hand to see why."
    if timed_out.is_set():
        raise SecretUnavailable(f"{words[0]} did not print the secret within {patience:g} s.", way_out)
    if started.returncode and len(output) <= _MOST_BYTES:
        raise SecretUnavailable(f"{words[0]} failed with exit code {started.returncode}.", way_out)
    if not text or len(output) > _MOST_BYTES or "\n" in text:
        raise SecretUnavailable(f"{words[0]} printed no secret.", "It must print the secret alone, in one line.")
    return text


def _end(started: subprocess.Popen[bytes]) -> None:
    """End a command and its process group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(started.pid, signal.SIGKILL)
