"""The consent that a user has given to a call, and the consent that a call needs. `registry.connections.policy` decides."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

if TYPE_CHECKING:
    from registry.catalog.model import Tool
    from registry.connections.profiles import Connection

Kind = Literal["allow", "confirm", "type", "switch", "refuse"]

Typing = Literal["id", "last six", "name"]
"""What is typed to confirm a deletion: the whole id, or as well its last six letters, or the object's name."""

WINDOW = 15 * 60.0
"""Seconds for which changing live data is switched on."""


class Consent(IntEnum):
    """How far a user has agreed to a call."""

    NONE = 0
    CONFIRMED = 1
    TYPED = 2


class Decision(msgspec.Struct, frozen=True):
    """What a call needs before it may be sent, why, and what to do about it.

    ``switch`` refuses until changes to live data are switched on; ``refuse`` refuses for the whole run. `typing` says what is
    typed where the kind is ``type``. `approval` says whether a second person has to approve exactly this call, besides.
    """

    kind: Kind
    reason: str = ""
    way_out: str = ""
    typing: Typing = "id"
    approval: bool = False

    def allows(self, consent: Consent) -> bool:
        """Whether this consent is enough."""
        needed = {"allow": Consent.NONE, "confirm": Consent.CONFIRMED, "type": Consent.TYPED}.get(self.kind)
        return needed is not None and consent >= needed


class NotAllowed(Exception):
    """A call that the policy does not let through; nothing was sent."""

    def __init__(self, tool: str, decision: Decision) -> None:
        super().__init__(f"{tool}: {decision.reason} {decision.way_out}".rstrip())
        self.tool = tool
        self.decision = decision


class Gate(Protocol):
    """Decides which calls may be sent."""

    def decide(self, tool: Tool, connection: Connection) -> Decision:
        """What a call needs."""

    def check(self, tool: Tool, connection: Connection, consent: Consent) -> None:
        """Let a call through, or raise `NotAllowed`."""
