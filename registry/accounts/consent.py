"""The consent that a user has given to a call, and the consent that a call needs; see `registry.accounts.policy`."""

from __future__ import annotations

from enum import IntEnum
from typing import Literal, Protocol

import msgspec

from registry.accounts.connection import Connection
from registry.catalog.model import Tool

Kind = Literal["allow", "confirm", "type", "switch", "refuse"]

Typing = Literal["id", "last six", "name"]
"""What confirms a deletion when typed: the whole id only, or also its last six characters, or also the object's name."""

WINDOW = 15 * 60.0
"""Seconds for which changes to live data are allowed."""


class Consent(IntEnum):
    """How far a user has agreed to a call."""

    NONE = 0
    CONFIRMED = 1
    TYPED = 2


class Decision(msgspec.Struct, frozen=True):
    """What a call needs before it may be sent, why, and what to do about it.

    ``switch`` refuses until changes to live data are allowed; ``refuse`` refuses for the whole run. `typing` says what to
    type if the kind is ``type``.
    """

    kind: Kind
    reason: str = ""
    way_out: str = ""
    typing: Typing = "id"

    def allows(self, consent: Consent) -> bool:
        """Whether this consent is enough."""
        needed = {"allow": Consent.NONE, "confirm": Consent.CONFIRMED, "type": Consent.TYPED}.get(self.kind)
        return needed is not None and consent >= needed


class NotAllowed(Exception):
    """A call that the policy does not allow; nothing was sent."""

    def __init__(self, tool: str, decision: Decision) -> None:
        super().__init__(f"{tool}: {decision.reason} {decision.way_out}".rstrip())
        self.tool = tool
        self.decision = decision


class Gate(Protocol):
    """Decides which calls may be sent."""

    def decide(self, tool: Tool, connection: Connection) -> Decision:
        """What a call needs."""

    def check(self, tool: Tool, connection: Connection, consent: Consent) -> None:
        """Return if the call is allowed, otherwise raise `NotAllowed`."""
