"""The forms in which a call can be handed on, each with what one must know to run it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from registry.calling.arguments import Arguments
from registry.catalog.model import Tool
from registry.connections.profiles import SANDBOX, Connection
from registry.files import name_of
from registry.sharing.command import command
from registry.sharing.curl import curl
from registry.sharing.python import program
from registry.sharing.sendable import sendable

Kind = Literal["curl", "httpx", "callboard"]


@dataclass(frozen=True, slots=True)
class Form:
    """One form: the text, fit for any screen and clipboard, and in words what it needs or does not do."""

    kind: Kind
    text: str
    notes: tuple[str, ...]


def forms(tool: Tool, arguments: Arguments, connection: Connection) -> tuple[Form, ...]:
    """A call as curl, as a Python program and as a command. No secret is in any of them.

    Raises:
        ArgumentError: something is wrong with the arguments.
        ConnectionSettingsError: the connection does not serve the tool's toolkit.
    """
    request = sendable(tool, arguments, connection.endpoint(tool.toolkit))
    variables = [request.variable] if request.credential is None else []
    variables += request.secrets.values()
    file = None
    if tool.returns.kind == "file":
        subject = tool.with_role("id")
        stem = f"{tool.returns.objects[0]}-{arguments.values[subject.name]}" if subject else tool.name
        file = name_of(stem, "answer") + ".pdf"
    outside: list[str] = []
    if connection.name == SANDBOX:
        outside.append("`callboard sandbox` must be running.")
    if tool.composed is not None:
        outside.append("The tool makes further requests from the answer of this one.")
    needs = [f"Reads {' and '.join(variables)} from the environment."] if variables else []
    inside = list(needs)
    if tool.effect == "delete":
        outside.append("Deletes without asking.")
        inside.append("Asks for --yes before it deletes.")
    return (
        Form("curl", curl(request, file), (*needs, *outside)),
        Form("httpx", program(request, file), (*needs, *outside)),
        Form("callboard", command(tool, arguments, connection.name), tuple(inside)),
    )
