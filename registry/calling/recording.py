"""What a client tells whoever keeps an account of changes, or a journal of all calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from registry.calling.arguments import Arguments
    from registry.calling.result import Result
    from registry.catalog.model import Tool
    from registry.connections.profiles import Connection


class AuditRecorder(Protocol):
    """Keeps an account of every change. Its methods may block, and are called in a thread; they never raise."""

    def begin(self, tool: Tool, arguments: Arguments, connection: Connection, before: bytes | None) -> int | None:
        """A change is about to be sent; `before` is the object as it was, as JSON. Gives the number of the entry."""

    def finish(self, entry: int | None, result: Result | None) -> None:
        """It has come to its end; without a result it was cut off, and nobody knows what became of it."""

    def settle(self, entry: int, became: str, words: str) -> None:
        """What became of a change whose answer was lost was found out by reading: ``done``, ``not done`` or ``unknown``."""


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """A call that came to its end.

    Attributes:
        tool: what was called.
        arguments: what it was called with, secrets among them.
        connection: what it went through.
        result: what came of it; None when it was cut off.
        at: when it began, in Unix seconds.
        elapsed: seconds that it took.
        is_part: it is one of the calls for a whole list, which are too many to keep all their answers.
    """

    tool: Tool
    arguments: Arguments
    connection: Connection
    result: Result | None
    at: float
    elapsed: float
    is_part: bool = False


class HistoryRecorder(Protocol):
    """Remembers every call."""

    def note(self, call: FinishedCall) -> None:
        """A call has ended. Must neither block nor raise: whoever made the call is waiting for its answer."""
