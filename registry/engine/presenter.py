"""The interface between the engine and a front end: consent to a change, questions of MCP servers, and progress.

For a change the engine asks the presenter once:

- The explorer opens a dialog, shows the check as it grows, may stop it, and takes the id that the user types.
- The command line waits for the check, prints it, and consents as ``--yes`` and ``--confirm`` say.
- The MCP server waits for the check, puts its facts into a question of its protocol, and returns the person's answer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from registry.accounts.connection import Connection, Mode
from registry.accounts.policy import Consent, Decision
from registry.calling.arguments import Arguments, check
from registry.calling.request import Preview, plan
from registry.calling.sending import Observer, Progress
from registry.catalog.model import Tool
from registry.changes.check_result import CheckResult
from registry.changes.checked import ChangeCheck
from registry.json_text.values import dumps
from registry.mcp_client.values import Answered, Asked, Elicit
from registry.text.safe_text import visible_line

_LAST = 6


def _size(path: str) -> str:
    try:
        return f"{os.stat(os.path.expanduser(path)).st_size:,} bytes"
    except OSError as error:
        return error.strerror or "cannot be read"


class Question(msgspec.Struct, frozen=True):
    """A change that needs consent, with its check.

    Attributes:
        tool: the tool that deletes or changes something.
        arguments: its checked arguments.
        connection: the account.
        decision: what the policy requires, and why.
        given: how far the caller of `Engine.run` has already agreed.
        preview: the request as it will be sent, secrets redacted.
        checking: its check; front ends use `check`, `stop_checking` and `names`.
    """

    tool: Tool
    arguments: Arguments
    connection: Connection
    decision: Decision
    given: Consent
    preview: Preview
    checking: ChangeCheck

    async def check(self, observer: Callable[[CheckResult], None] | None = None) -> CheckResult:
        """Check what will change; calls `observer` with the result so far, as it grows. Later calls return the same result."""
        return await self.checking.run(observer)

    def stop_checking(self) -> CheckResult:
        """End the check now; everything that is not known yet is reported as unknown."""
        return self.checking.stop()

    @property
    def subject(self) -> str:
        """The ids that the call names and the files that it sends, with their sizes; empty for something new."""
        values = self.arguments.values
        named = [str(values[one.name]) for one in self.tool.parameters if one.place == "path" and one.name in values]
        sent = (values.get(one.name) for one in self.tool.parameters if one.takes_files)
        files = [file for value in sent if value for file in (value if isinstance(value, tuple) else (value,))]
        return ", ".join(named + [f"the file {file} ({_size(str(file))})" for file in files])

    @property
    def mode(self) -> Mode:
        """Which data the connection reaches: the sandbox, test data or live data."""
        return self.connection.endpoint(self.tool.toolkit).mode

    @property
    def where(self) -> str:
        """The account's title, and which data it reaches if the title does not say so."""
        title = self.connection.title
        return self.mode if self.mode == title.lower() else f"{title}, {self.mode}"

    @property
    def typed(self) -> bool:
        """Whether the user has to type one of `names`."""
        return self.decision.kind == "type"

    @property
    def names(self) -> tuple[str, ...]:
        """The texts that may be typed: the whole id, and those that the account's policy also accepts; safe to show."""
        result = self.checking.result
        ids = [visible_line(id_) for id_ in (result.id, self.subject) if id_]
        if self.decision.typing == "last six":
            ids += [id_[-_LAST:] for id_ in ids[:1]]
        elif self.decision.typing == "name":
            ids += result.names[:1]
        return tuple(dict.fromkeys(ids))


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
        body = plan(self.form, self.check(raw)).body
        values: dict[str, Any] = json.loads(dumps(body)) if body else {}
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


def eliciting(ask: Callable[[Elicitation], Awaitable[Answered]], tool: Tool, server: str, clock: Callable[[], float]) -> Elicit:
    """A function that asks the user a server's questions.

    Args:
        ask: asks a person, in the way of the front end.
        tool: the tool whose call is running.
        server: the server's title.
        clock: returns the current time in Unix seconds.
    """

    async def elicit(asked: Asked) -> Answered:
        from registry.openapi.mcp_server import form_of

        form = form_of(asked.schema, tool.toolkit)
        start = _proposed(form, asked.schema)
        return await ask(Elicitation(server, tool, asked.message, form, asked.url, clock, start))

    return elicit


def _proposed(form: Tool, schema: Mapping[str, Any]) -> dict[str, object]:
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
