"""The check of a change, and its proof: sending a change takes such a proof, and only a check returns one.

A proof is an empty object. Its evidence is kept here, by the object's identity: the tool, the arguments, the connection and
the client that read. So it cannot be built, copied, unpickled or turned into the proof of another change. It works once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, NoReturn
from weakref import WeakKeyDictionary

from registry.accounts.connection import Connection
from registry.calling.arguments import ArgumentError, Arguments, Value
from registry.calling.client import NotChecked, PlannedChange
from registry.catalog.model import Tool
from registry.changes.check_result import CheckResult, check
from registry.changes.reads import Reads

_KEY = object()


class Checked:
    """Proof that one change was checked. Only `ChangeCheck.checked` makes one."""

    __slots__ = ("__weakref__",)

    def __init__(self, key: object = None) -> None:
        if key is not _KEY:
            raise NotChecked("Only the check of a change makes this.")

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("A proof cannot be subclassed.")

    def _not_copied(self, *_: object, **__: object) -> NoReturn:
        raise NotChecked("A proof works once and cannot be copied.")

    __copy__ = __deepcopy__ = __replace__ = __reduce_ex__ = _not_copied


class Evidence(NamedTuple):
    """The evidence of a proof: the client, the connection, the tool, its arguments, and what the check found."""

    reads: Reads
    client: object
    connection: Connection
    tool: Tool
    values: Mapping[str, Value]
    result: CheckResult


_EVIDENCE: WeakKeyDictionary[Checked, Evidence] = WeakKeyDictionary()


def evidence(proof: object) -> Evidence:
    """The evidence of a proof.

    Raises:
        NotChecked: it is not a proof, or was used before.
    """
    found = _EVIDENCE.get(proof) if type(proof) is Checked else None
    if found is None:
        raise NotChecked("This change was not checked, or its proof was already used.")
    return found


def redeem(proof: object, client: object) -> PlannedChange:
    """The change that a proof allows; the proof cannot be used again.

    Args:
        proof: the result of `ChangeCheck.checked`.
        client: the client that sends the change; it must be the one that checked.

    Raises:
        NotChecked: it is not a proof, was used before, or another client checked.
    """
    seen = evidence(proof)
    if seen.client is not client:
        raise NotChecked("Another client checked this change.")
    assert isinstance(proof, Checked)
    del _EVIDENCE[proof]
    return PlannedChange(seen.tool, Arguments(seen.values), seen.connection, fingerprint(seen.result))


def fingerprint(result: CheckResult) -> str:
    """A fingerprint of what a check found: the object, whether its rule holds, and the counts of its companions."""
    seen = [result.type, result.id, result.gone, [one.holds for one in result.checks], [one.count for one in result.companions]]
    return hashlib.sha256(json.dumps(seen).encode() + b"\0" + result.body).hexdigest()


class ChangeCheck:
    """Checks a change before it is sent. Reads only.

    Args:
        reads: the reads, on the connection of the change.
        tool: the tool that deletes or changes something.
        arguments: its checked arguments.

    Raises:
        ArgumentError: the arguments are invalid.
    """

    def __init__(self, reads: Reads, tool: Tool, arguments: Arguments) -> None:
        if arguments.errors:
            raise ArgumentError(tool.name, arguments.errors)
        # Copies, so that no other code can change what was checked and is then sent.
        self._reads = Reads(reads.client, reads.catalog, reads.routes, reads.connection, reads.sleep)
        self._tool = tool
        self._values = MappingProxyType(dict(arguments.values))
        subject = str(arguments.values[tool.subject.name]) if tool.subject is not None else ""
        self._result = CheckResult(tool.returns.objects[0], subject)
        self._begun = self._stopped = self._given = False

    @property
    def result(self) -> CheckResult:
        """The result so far."""
        return self._result

    async def run(self, observer: Callable[[CheckResult], None] | None = None) -> CheckResult:
        """Check, unless that was done; returns the result. Can be cancelled, and then run again.

        Args:
            observer: called with the result so far, as it grows.
        """
        if self._result.complete:
            return self._result
        self._begun = True

        def grown(so_far: CheckResult) -> None:
            if not self._stopped:
                self._result = so_far
                if observer is not None:
                    observer(so_far)

        await check(self._reads, self._tool, self._values, grown)
        return self._result

    @property
    def planned(self) -> PlannedChange:
        """What would be sent, as known so far; sends nothing."""
        return PlannedChange(self._tool, Arguments(self._values), self._reads.connection, fingerprint(self._result))

    def stop(self) -> CheckResult:
        """End the check now, because the user does not want to wait; returns the result so far.

        Raises:
            NotChecked: the check has not begun.
        """
        if not self._begun:
            raise NotChecked("The check has not begun.")
        if not self._result.complete:
            self._stopped = True
            self._result = self._result.stopped("Check stopped. Some conditions were not checked.")
        return self._result

    def checked(self) -> Checked:
        """The proof that this change was checked; returned once.

        Raises:
            NotChecked: the check has not ended, the proof was returned before, or the check shows that the change would fail.
        """
        if not self._result.complete:
            raise NotChecked("The check has not ended.")
        if self._result.verdict == "refuse":
            raise NotChecked(f"This would fail: {self._result.in_the_way}")
        if self._given:
            raise NotChecked("One check allows one change.")
        self._given = True
        proof = Checked(_KEY)
        reads = self._reads
        _EVIDENCE[proof] = Evidence(reads, reads.client, reads.connection, self._tool, self._values, self._result)
        return proof
