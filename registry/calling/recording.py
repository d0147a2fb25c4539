"""What the client reports to the audit log and to the history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from registry.accounts.connection import Connection
from registry.calling.arguments import Arguments
from registry.calling.result import Result
from registry.catalog.model import Tool


class AuditRecorder(Protocol):
    """Writes every change to the audit log. Its methods may block and are called in a thread; they never raise."""

    def begin(
        self,
        tool: Tool,
        arguments: Arguments,
        connection: Connection,
        before: bytes | None,
        lookup: tuple[str, Mapping[str, object]] | None = None,
    ) -> int | None:
        """Record a change before it is sent. Returns the number of the entry.

        Args:
            tool: the tool that changes something.
            arguments: its arguments.
            connection: the account that it runs on.
            before: the object as JSON.
            lookup: how to read the object: a tool's name and its arguments.
        """

    def finish(self, entry: int | None, result: Result | None) -> None:
        """Record the result of a change; None if it was cut off and its outcome is unknown."""

    def settle(self, entry: int, became: str, words: str, final: bool) -> None:
        """Record the outcome of a change whose response was lost, as read later: ``done``, ``not done`` or ``unknown``."""


class FinishedCall(msgspec.Struct, frozen=True):
    """A call that has ended.

    Attributes:
        tool: the tool that was called.
        arguments: its arguments, secrets included.
        connection: the connection it used.
        result: its result; None if it was cut off.
        at: when it started, in Unix seconds.
        elapsed: its duration in seconds.
        is_part: it fetched one page of a whole list; these are too many to keep all their bodies.
    """

    tool: Tool
    arguments: Arguments
    connection: Connection
    result: Result | None
    at: float
    elapsed: float
    is_part: bool = False


class HistoryRecorder(Protocol):
    """Writes every call to the history."""

    def note(self, call: FinishedCall) -> None:
        """Record a call that has ended. Must neither block nor raise: the caller is waiting for the result."""
