"""The two things that other packages may do with a client: read, and send a change that was checked.

A read takes a tool that reads. A change takes no tool and no arguments, but a proof that only a check returns
(`registry.changes.checked`), so that code cannot send an unchecked change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from registry.accounts.connection import Connection
from registry.accounts.consent import Consent, Gate
from registry.calling.arguments import Arguments
from registry.calling.failures import Contradiction
from registry.calling.result import Result
from registry.calling.sending import Observer
from registry.catalog.model import Tool
from registry.mcp_client.values import Elicit


class NotChecked(Exception):
    """A change that was not checked, that the check found to fail, or whose proof was used before; nothing was sent."""


class PlannedChange(msgspec.Struct, frozen=True):
    """A checked change: the tool, its checked arguments, the connection, and a fingerprint of what the check read."""

    tool: Tool
    arguments: Arguments
    connection: Connection
    seen: str = ""


Redeem = Callable[[object, object], PlannedChange]
"""Takes a proof and the client that sends; returns the change and uses up the proof. Raises `NotChecked`."""


class Reader(Protocol):
    """Runs tools that read."""

    @property
    def clock(self) -> Callable[[], float]:
        """The current time in Unix seconds, the base for relative times."""

    async def read(
        self,
        tool: Tool,
        raw: Mapping[str, object],
        connection: Connection,
        *,
        observer: Observer | None = None,
        items: bool = False,
        remember: bool = True,
    ) -> Result:
        """Run a tool that reads; raises `NotChecked` for any other. See `registry.calling.client.ToolClient.read`."""


class Changer(Reader, Protocol):
    """Runs tools that read, and sends changes that were checked."""

    @property
    def policy(self) -> Gate:
        """Decides what may be sent."""

    async def change(
        self,
        proof: object,
        consent: Consent,
        *,
        observer: Observer | None = None,
        elicit: Elicit | None = None,
        before: bytes | None = None,
        noted: Callable[[int], None] | None = None,
        lookup: tuple[str, Mapping[str, object]] | None = None,
        contradiction: Contradiction | None = None,
    ) -> Result:
        """Send a change, once. See `registry.calling.client.ToolClient.change`."""

    async def settle(self, entry: int, became: str, words: str, evidence: Sequence[Mapping[str, object]] = ()) -> None:
        """Record the outcome of a change whose response was lost."""
