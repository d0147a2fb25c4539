"""What a front end is asked before a change: the change with its check."""

import os
from collections.abc import Callable

import msgspec

from registry.accounts.connection import Connection, Mode
from registry.accounts.policy import Consent, Decision
from registry.calling.arguments import Arguments
from registry.calling.request import Preview
from registry.catalog.model import Tool
from registry.changes.check_result import CheckResult
from registry.changes.checked import ChangeCheck
from registry.text.shown import visible_line

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
