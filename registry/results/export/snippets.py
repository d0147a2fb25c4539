"""A call as text that others can run: callboard, curl or Python, each with notes on how to run it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from registry.accounts.connection import SANDBOX, Connection, Mode
from registry.calling.arguments import Arguments
from registry.catalog.model import Tool
from registry.files.atomic_file import file_name
from registry.results.export.callboard_command import command
from registry.results.export.curl_command import curl
from registry.results.export.python_program import program
from registry.results.export.request_template import request_template

SnippetKind = Literal["curl", "httpx", "callboard"]


@dataclass(frozen=True, slots=True)
class Snippet:
    """One form: the text, safe for screens and the clipboard, and notes on what it needs or does not do."""

    kind: SnippetKind
    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AllPagesOption:
    """The command's option ``--all``: the call fetches its whole list, up to `most` items if that is set."""

    most: int | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The words of the command line."""
        return ("--all",) if self.most is None else ("--all", f"--most={self.most}")


def snippets(
    tool: Tool, arguments: Arguments, connection: Connection, pages: AllPagesOption | None = None
) -> tuple[Snippet, ...]:
    """A call as curl, as a Python program and as a command; for an MCP server only as a command. None contains a secret.

    Args:
        tool: the tool to call.
        arguments: its checked arguments, as they are sent.
        connection: the account.
        pages: set if the call fetches a whole list, of which these arguments request the first page.

    Raises:
        ArgumentError: the arguments are invalid.
        ConnectionSettingsError: the connection does not serve the tool's toolkit.
    """
    service, mode = connection.endpoint(tool.toolkit).service, connection.endpoint(tool.toolkit).mode
    as_command = command(tool, arguments, connection.name, options=pages.options if pages is not None else ())
    if service.mcp is not None:
        return (Snippet("callboard", as_command, tuple(_agreement(tool, mode))),)
    request = request_template(tool, arguments, connection.endpoint(tool.toolkit))
    variables = [*request.proof.variables, *request.secrets.values(), *request.secret_headers.values()]
    file = None
    if tool.returns.kind == "file":
        subject = tool.with_role("id")
        stem = f"{tool.returns.objects[0]}-{arguments.values[subject.name]}" if subject else tool.name
        file = file_name(stem, "answer") + ".pdf"
    outside: list[str] = [f"Replace <{name}> with the value of {name}." for name in request.by_hand]
    if connection.name == SANDBOX:
        outside.append("`callboard sandbox` must be running.")
    if pages is not None:
        outside.append("Asks for the first page only; the callboard command fetches all of them.")
    if tool.composed is not None:
        outside.append("Shows the first request only; the tool sends more, based on the response.")
    needs = [f"Reads {' and '.join(variables)} from the environment."] if variables else []
    inside = [*needs, *_agreement(tool, mode)]
    if tool.effect != "read":
        outside.append("Deletes without confirmation." if tool.effect == "delete" else "Changes data each time it runs.")
    return (
        Snippet("curl", curl(request, file), (*needs, *outside)),
        Snippet("httpx", program(request, file), (*needs, *outside)),
        Snippet("callboard", as_command, tuple(inside)),
    )


def _agreement(tool: Tool, mode: Mode) -> list[str]:
    """The options that the command line needs before it changes something."""
    if tool.effect == "read" or (tool.effect == "write" and mode == "sandbox"):
        return []
    if mode != "live":
        return ["Add --yes to run it."]
    return [f"Add --allow-writes and {'--confirm ID' if tool.effect == 'delete' else '--yes'} to run it."]
