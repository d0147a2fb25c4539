"""The interface between the engine and a front end: consent to a change, questions of MCP servers, and progress.

For a change the engine asks the presenter once:

- The explorer opens a dialog, shows the check as it grows, may stop it, and takes the id that the user types.
- The command line waits for the check, prints it, and consents as ``--yes`` and ``--confirm`` say.
- The MCP server waits for the check, puts its facts into a question of its protocol, and returns the person's answer.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from registry.accounts.policy import Consent
from registry.calling.arguments import Arguments, check, checked
from registry.calling.request import plan
from registry.calling.sending import Answered, Observer, Progress
from registry.catalog.model import Tool

if TYPE_CHECKING:  # a presenter of a read is asked nothing
    from registry.engine.changing import Question


class Elicitation(Struct, frozen=True):
    """A question from a server.

    Attributes:
        server: the server's title.
        tool: the tool whose call is running.
        message: the question, in the server's words; not trusted.
        form: the values that are asked for, as the parameters of a tool that is never called.
        url: the address that the server wants the user to open; empty if it asks for values.
        clock: returns the current time in Unix seconds.
        start: the values that the server suggests, by parameter.
    """

    server: str
    tool: Tool
    message: str
    form: Tool
    url: str
    clock: Callable[[], float]
    start: Mapping[str, object]

    def check(self, raw: Mapping[str, object]) -> Arguments:
        """Check raw values against the form; never raises."""
        return check(self.form, raw, self.clock())

    def accepted(self, raw: Mapping[str, object]) -> Answered:
        """The answer with these values.

        Raises:
            ArgumentError: the values are invalid.
        """
        arguments = checked(self.form, raw, self.clock())
        body = plan(self.form, arguments).body
        values: dict[str, Any] = json.loads(body.text()) if body is not None else {}
        return Answered("accept", values)


class Presenter:
    """How a front end asks the user and shows progress; this one asks nobody: the caller has agreed beforehand, or not.

    Args:
        observer: called with the progress of a call.
        elicit: asks the user what an MCP server wants to know; without it, such questions are declined.
    """

    def __init__(
        self,
        observer: Observer | None = None,
        elicit: Callable[[Elicitation], Awaitable[Answered]] | None = None,
    ) -> None:
        self._observer = observer
        self._elicited = elicit

    async def consent(self, question: Question) -> Consent | None:
        """How far the user agrees to a change; None if the user does not.

        A change that would fail according to the check is not sent, whatever this returns. It may return before the check is
        finished: the rest is checked before anything is sent.
        """
        return question.given

    def progress(self, progress: Progress) -> None:
        """A request is running, or waits for its next attempt."""
        if self._observer is not None:
            self._observer(progress)

    async def elicit(self, elicitation: Elicitation) -> Answered:
        """The user's answer to a question of an MCP server during a call. Cancelled if the call ends first."""
        return await self._elicited(elicitation) if self._elicited is not None else Answered("decline")


def proposed(form: Tool, schema: Mapping[str, Any]) -> dict[str, object]:
    """The valid default values in a schema, by parameter."""
    properties = schema.get("properties")
    declared = properties if isinstance(properties, dict) else {}
    raw: dict[str, object] = {}
    for parameter in form.parameters:
        entry = declared.get(parameter.wire_name or "")
        value = entry.get("default") if isinstance(entry, dict) else None
        if value is not None and not check(form, {parameter.name: value}).errors_of(parameter.name):
            raw[parameter.name] = value
    return raw
