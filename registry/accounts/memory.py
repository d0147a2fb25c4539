"""Results of account tests and refused calls: whose the credential is, and which permissions are missing. Holds no secret.

A small JSON file in the state folder. A file that cannot be read counts as empty; where it cannot be written, results are kept
for this run only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from registry.connections.renewed_secret import Ending
from registry.storage.atomic_file import file_lock, replace_text
from registry.storage.damaged_file import put_aside
from registry.storage.plain_file import open_plain

_FILE = "accounts.json"
_MOST_BYTES = 1_000_000
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of an account.

    Attributes:
        at: when it was tested last, in Unix seconds; 0 for never.
        who: the person or application that the credential belongs to; empty where that is not known.
        where: the id or address of the account at the service; likewise.
        problem: why the last test failed, in a sentence; empty where it did not.
        lacking: by the name of a tool the permission that the credential lacks for it.
        told: whether its user was told that it reaches live data.
        ends: when its token ends, in Unix seconds; None where nobody knows.
        renews: whether a token that ends is renewed by itself.
    """

    at: float = 0.0
    who: str = ""
    where: str = ""
    problem: str = ""
    lacking: Mapping[str, str] = field(default_factory=dict)
    told: bool = False
    ends: float | None = None
    renews: bool = False

    @property
    def ending(self) -> Ending | None:
        """When its token ended, or ends, as far as the last test has shown."""
        return Ending(self.ends, self.renews) if self.ends is not None else None


class AccountMemory:
    """What is known of accounts, by their names. Reading and writing block.

    Args:
        folder: where the file is.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / _FILE
        self._known: dict[str, Known] | None = None

    def load(self) -> None:
        """Read the file, so that `of` need not."""
        self._all()

    def of(self, name: str) -> Known:
        """What is known of an account."""
        return self._all().get(name, Known())

    def note(self, name: str, known: Known) -> None:
        """Keep what a test has shown."""
        self._change(lambda all_: {**all_, name: known})

    def lacks(self, name: str, tool: str, permission: str) -> None:
        """Keep that an account lacks a permission for a tool."""
        if self.of(name).lacking.get(tool) != permission:
            before = self.of(name)
            self.note(name, replace(before, lacking={**before.lacking, tool: permission}))

    def fails(self, name: str, problem: str, at: float) -> None:
        """Keep that an account's credential is not accepted any more."""
        before = self.of(name)
        if not before.problem:
            self.note(name, replace(before, problem=problem[:_LONGEST], at=at))

    def works(self, name: str, tool: str) -> None:
        """Forget that an account's credential is not accepted, or lacks a permission for a tool: the tool has just run."""
        before = self.of(name)
        lacking = {key: one for key, one in before.lacking.items() if key != tool}
        self.note(name, replace(before, lacking=lacking, problem=""))

    def was_told(self, names: Iterable[str]) -> None:
        """The user was told that accounts reach live data."""
        told = list(names)
        self._change(lambda all_: {**all_, **{name: replace(all_.get(name, Known()), told=True) for name in told}})

    def rename(self, name: str, new: str) -> None:
        """An account has another name."""
        self._change(lambda all_: {(new if key == name else key): one for key, one in all_.items()})

    def forget(self, name: str) -> None:
        """An account is gone, or has another credential."""
        self._change(lambda all_: {key: one for key, one in all_.items() if key != name})

    def _all(self) -> dict[str, Known]:
        if self._known is None:
            self._known = self._read()
        return self._known

    def _change(self, change: Callable[[dict[str, Known]], dict[str, Known]]) -> None:
        self._known = change(self._all())
        with suppress(OSError), file_lock(self._file):
            self._known = change(self._read(replacing=True))
            replace_text(self._file, json.dumps({name: asdict(one) for name, one in self._known.items()}, indent=1))

    def _read(self, *, replacing: bool = False) -> dict[str, Known]:
        """What is in the file; about to be replaced, one that cannot be read is an error, and a damaged one is put aside."""
        try:
            with open_plain(self._file) as file:
                content = json.loads(file.read(_MOST_BYTES))
            return {str(name)[:_LONGEST]: _known(one) for name, one in content.items()}
        except OSError as error:
            if replacing and not isinstance(error, FileNotFoundError):
                raise
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            if replacing:
                put_aside(self._file)
        return {}


def _known(value: Any) -> Known:
    lacking = {str(tool)[:_LONGEST]: str(permission)[:_LONGEST] for tool, permission in value["lacking"].items()}
    who, where, problem = (str(value[name])[:_LONGEST] for name in ("who", "where", "problem"))
    at = float(value["at"])
    if not math.isfinite(at):
        raise ValueError("a time is not finite")
    ends = float(value["ends"]) if value.get("ends") is not None else None
    if ends is not None and not math.isfinite(ends):
        raise ValueError("a time is not finite")
    return Known(at, who, where, problem, lacking, value.get("told") is True, ends, value.get("renews") is True)
