"""What a client tells whoever keeps an account of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from registry.calling.arguments import Arguments
    from registry.calling.result import Result
    from registry.catalog.model import Tool
    from registry.connections.profiles import Connection


class Recorder(Protocol):
    """Keeps an account of every change. Its methods may block, and are called in a thread; they never raise."""

    def begin(self, tool: Tool, arguments: Arguments, connection: Connection, before: bytes | None) -> int | None:
        """A change is about to be sent; `before` is the object as it was, as JSON. Gives the number of the entry."""

    def finish(self, entry: int | None, result: Result | None) -> None:
        """It has come to its end; without a result it was cut off, and nobody knows what became of it."""

    def settle(self, entry: int, became: str, words: str) -> None:
        """What became of a change whose answer was lost was found out by reading: ``done``, ``not done`` or ``unknown``."""
