"""Results of account tests and refused calls: who owns a credential, and which permissions are missing. Contains no secret.

It is a small JSON file in the state folder. An unreadable file counts as empty; if it cannot be written, results are kept
for this run only.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from registry.accounts.renewed import Ending
from registry.files.folders import file_lock, open_plain, put_aside, replace_text
from registry.text.shown import short_distance

_MOST_BYTES = 1_000_000

A_NIGHT = 12 * 3_600.0
"""Seconds: the dashboard warns if a credential that is not renewed automatically expires within this time."""


def ending_words(ending: Ending | None, now: float) -> str:
    """``expires in 23 min``, ``expired``; for an automatically renewed one, when that happens. Empty if not known.

    Args:
        ending: when it expires.
        now: the current time in Unix seconds.
    """
    if ending is None:
        return ""
    if ending.at <= now:
        return "token renewed with the next call" if ending.renews else "expired"
    return f"{'token renewed' if ending.renews else 'expires'} {short_distance(ending.at, now)}"


def soon(ending: Ending | None, now: float) -> str:
    """The same if it expires within `A_NIGHT` and is not renewed automatically; otherwise empty."""
    if ending is None or ending.renews or ending.at - now > A_NIGHT:
        return ""
    return f"sign-in {ending_words(ending, now)}"


class Known(msgspec.Struct, frozen=True):
    """The facts known about an account.

    Attributes:
        at: when it was last tested, in Unix seconds; 0 for never.
        who: the person or application that owns the credential; empty if not known.
        where: the id or address of the account at the service; empty if not known.
        problem: why the last test failed, in a sentence; empty if it did not.
        lacking: the permissions that the credential lacks, by tool name.
        live_shown: whether its user was told that it reaches live data.
        home: whether its user agreed that home reads it at each start.
        ends: when its token expires, in Unix seconds; None if not known.
        renews: whether the token is renewed automatically.
    """

    at: float = 0.0
    who: str = ""
    where: str = ""
    problem: str = ""
    lacking: dict[str, str] = {}
    live_shown: bool = False
    home: bool = False
    ends: float | None = None
    renews: bool = False

    @property
    def ending(self) -> Ending | None:
        """When its token expires, according to the last test."""
        return Ending(self.ends, self.renews) if self.ends is not None else None


class AccountMemory:
    """The facts known about accounts, by name. Reading and writing block.

    Args:
        folder: the folder of the file.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "accounts.json"
        self._known: dict[str, Known] | None = None

    def of(self, name: str) -> Known:
        """The facts known about an account."""
        return self.load().get(name, Known())

    def note(self, name: str, known: Known) -> None:
        """Store the result of a test. The owner of the credential stays known even if the service could not be reached."""
        shown = ("at", "problem") if known.problem else ("at", "who", "where", "problem", "lacking", "ends", "renews")
        self.learn(name, **{one: getattr(known, one) for one in shown})

    def learn(self, name: str, **facts: Any) -> None:
        """Store some facts about an account; its others stay."""
        self._change(lambda all_: {**all_, name: replace(all_.get(name, Known()), **facts)})

    def rename(self, name: str, new: str) -> None:
        """Move the facts to an account's new name."""
        self._change(lambda all_: {(new if key == name else key): one for key, one in all_.items()})

    def forget(self, name: str) -> None:
        """Remove the facts: the account was removed, or has a new credential."""
        self._change(lambda all_: {key: one for key, one in all_.items() if key != name})

    def load(self) -> dict[str, Known]:
        """The facts about all accounts; from then on no method waits for the file to be read."""
        if self._known is None:
            self._known = self._read()
        return self._known

    def _change(self, change: Callable[[dict[str, Known]], dict[str, Known]]) -> None:
        self._known = change(self.load())
        with suppress(OSError), file_lock(self._file):
            self._known = change(self._read(replacing=True))
            replace_text(self._file, msgspec.json.encode(self._known).decode())

    def _read(self, *, replacing: bool = False) -> dict[str, Known]:
        """The file's content; with `replacing`, an unreadable file is an error, and a damaged one is renamed first."""
        try:
            with open_plain(self._file) as file:
                return msgspec.json.decode(file.read(_MOST_BYTES), type=dict[str, Known])
        except OSError as error:
            if replacing and not isinstance(error, FileNotFoundError):
                raise
        except msgspec.MsgspecError:
            if replacing:
                put_aside(self._file)
        return {}
