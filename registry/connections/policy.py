"""Whether a call may be sent: the one place that every door asks before anything is changed.

What a tool does and what its connection reaches decide. Reading is always allowed. Deleting asks everywhere. Live data can be
changed only while somebody has switched that on, for a limited time; what is not known to be test data counts as live. A
program that was started read-only changes nothing, whatever else is said.

==========  =========  ===================================  =============================================
effect      sandbox    test data                            live data
==========  =========  ===================================  =============================================
read        allowed    allowed                              allowed
write       allowed    confirmed                            refused; while switched on: confirmed
delete      confirmed  confirmed                            refused; while switched on: confirmed by typing
==========  =========  ===================================  =============================================
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from registry.catalog.model import Tool
from registry.connections.consent import WINDOW, Consent, Decision, Kind, NotAllowed
from registry.connections.profiles import Connection


class Policy:
    """The rules of one run of the program.

    Args:
        read_only: refuse every change.
        typed: ask for typing in test data as well.
        clock: monotonic seconds.
    """

    def __init__(self, *, read_only: bool = False, typed: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self.read_only = read_only
        self._typed = typed
        self._clock = clock
        self._open_until: dict[tuple[str, str], float] = {}

    @classmethod
    def of(cls, environment: Mapping[str, str], *, read_only: bool = False) -> Policy:
        """The rules of a run: what its options say, and what a user has put into the environment for every run and door.

        ``CALLBOARD_READ_ONLY`` refuses every change; ``CALLBOARD_TYPE_TO_DELETE`` asks for typing in test data as well.
        """
        return cls(
            read_only=read_only or bool(environment.get("CALLBOARD_READ_ONLY")),
            typed=bool(environment.get("CALLBOARD_TYPE_TO_DELETE")),
        )

    def decide(self, tool: Tool, connection: Connection) -> Decision:
        """What a call needs."""
        if tool.effect == "read":
            return Decision("allow")
        endpoint = connection.endpoint(tool.toolkit)
        if endpoint.needs:
            reason = f"There is no account for {endpoint.service.title}."
            return Decision("refuse", reason, f"Set {endpoint.needs}, then start Callboard again.")
        if self.read_only:
            return Decision("refuse", "Callboard is read-only in this run.", "Start it without --read-only.")
        mode = endpoint.mode
        deletes = tool.effect == "delete"
        what = "deletes" if deletes else "changes something"
        if mode == "sandbox":
            return Decision("confirm", f"It {what} in the sandbox.", "Confirm it.") if deletes else Decision("allow")
        if mode == "test":
            kind: Kind = "type" if deletes and self._typed else "confirm"
            return Decision(kind, f"It {what} in test data.", "Type the id to go on." if kind == "type" else "Confirm it.")
        if self.writing_left(connection, tool.toolkit) is None:
            return Decision(
                "switch",
                f"It {what} in live data, and {connection.title} is read-only until that is switched on.",
                "Switch on changes for a limited time first.",
            )
        if deletes:
            return Decision("type", "It deletes in live data.", "Type the id to go on.")
        return Decision("confirm", "It changes something in live data.", "Confirm it.")

    def check(self, tool: Tool, connection: Connection, consent: Consent) -> None:
        """Let a call through, or not.

        Raises:
            NotAllowed: it needs more consent than there is, or is refused.
        """
        decision = self.decide(tool, connection)
        if not decision.allows(consent):
            raise NotAllowed(tool.name, decision)

    def open_writing(self, connection: Connection, toolkit: str, seconds: float = WINDOW) -> None:
        """Switch on changes to what a connection reaches, for so many seconds."""
        self._open_until[connection.name, toolkit] = self._clock() + seconds

    def close_writing(self, connection: Connection, toolkit: str) -> None:
        """Switch them off again."""
        self._open_until.pop((connection.name, toolkit), None)

    def writing_left(self, connection: Connection, toolkit: str) -> float | None:
        """Seconds for which changes are still switched on; None when they are not."""
        left = self._open_until.get((connection.name, toolkit), 0.0) - self._clock()
        return left if left > 0 else None
