"""Decides whether a call may be sent: every change is checked here before it is sent.

The tool's effect and the connection's mode decide. Reading is always allowed. Deleting always needs consent. Live data can be
changed only after the user has allowed that for a limited time; data that is not known to be test data counts as live. A
program that was started read-only changes nothing, whatever other options say.

==========  =========  ===================================  =============================================
effect      sandbox    test data                            live data
==========  =========  ===================================  =============================================
read        allowed    allowed                              allowed
write       allowed    confirmed                            refused; while switched on: confirmed
delete      confirmed  confirmed                            refused; while switched on: confirmed by typing
==========  =========  ===================================  =============================================

The whole id must be typed. ``CALLBOARD_CONFIRM_BY`` lets an account accept less:
``last-six`` (characters of the id) or ``name``, for all accounts or for some of them, as in ``payments=last-six,crm=name``.
"""

import time
from collections.abc import Callable, Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Literal

import msgspec

from registry.accounts.connection import Connection, Typing, typings
from registry.catalog.model import Tool

Kind = Literal["allow", "confirm", "type", "switch", "refuse"]

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


def seconds_since_start() -> float:
    """Seconds since the computer was started, with those that it slept: a permission must not outlast a closed lid.

    Python's monotonic clock stops meanwhile on Linux and macOS.
    """
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Policy:
    """The rules of one run of the program.

    Args:
        environment: has ``CALLBOARD_READ_ONLY``, ``CALLBOARD_TYPE_TO_DELETE`` (in test data as well), ``CALLBOARD_CONFIRM_BY``;
            `ConnectionSettingsError` if the last is invalid.
        read_only: refuse every change.
        clock: returns seconds that never go back.
    """

    def __init__(
        self,
        environment: Mapping[str, str] = MappingProxyType({}),
        *,
        read_only: bool = False,
        clock: Callable[[], float] = seconds_since_start,
    ) -> None:
        self.read_only = read_only or bool(environment.get("CALLBOARD_READ_ONLY"))
        self._typed = bool(environment.get("CALLBOARD_TYPE_TO_DELETE"))
        self._typing = typings(environment)
        self._clock = clock
        self._open_until: dict[tuple[str, str], float] = {}

    def decide(self, tool: Tool, connection: Connection) -> Decision:
        """What a call needs."""
        if tool.effect == "read":
            return Decision("allow")
        endpoint = connection.endpoint_for(tool)
        if endpoint.needs:
            reason = f"No account for {endpoint.service.title}."
            return Decision("refuse", reason, f"Set {endpoint.needs}, then start Callboard again.")
        if self.read_only:
            return Decision("refuse", "Callboard is running read-only.", "Start it without --read-only.")
        if connection.rule == "read-only":
            return Decision("refuse", f"{connection.title} is set to read-only.", "Change its rule, or use another account.")
        mode = endpoint.mode
        deletes = tool.effect == "delete"
        what = "deletes data" if deletes else "changes data"
        typing = self._typing.get(connection.name, self._typing.get("", "id"))
        if mode == "sandbox":
            return Decision("confirm", f"This {what} in the sandbox.", "Confirm it.") if deletes else Decision("allow")
        if mode == "test":
            kind: Kind = "type" if deletes and (self._typed or connection.rule == "typed-id") else "confirm"
            way_out = "Type the id to confirm." if kind == "type" else "Confirm it."
            return Decision(kind, f"This {what} in test mode.", way_out, typing)
        if self.writing_left(connection, tool.toolkit) is None:
            named = connection.title == connection.name  # the user named it, not its service
            whose = connection.title if named else f"the {connection.title}"
            return Decision(
                "switch",
                f"This {what} in live mode, and {whose} is read-only until you allow changes.",
                "Allow changes for a limited time first.",
            )
        if deletes:
            return Decision("type", "This deletes live data.", "Type the id to confirm.", typing)
        return Decision("confirm", "This changes live data.", "Confirm it.")

    def check(self, tool: Tool, connection: Connection, consent: Consent) -> None:
        """Raise `NotAllowed` if the call needs more consent, or is refused."""
        decision = self.decide(tool, connection)
        if not decision.allows(consent):
            raise NotAllowed(tool.name, decision)

    def open_writing(self, connection: Connection, toolkit: str, seconds: float = WINDOW) -> None:
        """Allow changes to the data of a connection for this many seconds."""
        self._open_until[connection.name, toolkit] = self._clock() + seconds

    def close_writing(self, connection: Connection, toolkit: str) -> None:
        """Stop allowing changes."""
        self._open_until.pop((connection.name, toolkit), None)

    def writing_left(self, connection: Connection, toolkit: str) -> float | None:
        """Seconds for which changes are still allowed; None if they are not."""
        left = self._open_until.get((connection.name, toolkit), 0.0) - self._clock()
        return left if left > 0 else None
