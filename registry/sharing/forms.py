"""The forms in which a call can be handed on, each with what one must know to run it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from registry.calling.arguments import Arguments
from registry.catalog.model import Tool
from registry.connections.profiles import SANDBOX, Connection, Mode
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
    variables = [*request.proof.variables, *request.secrets.values(), *request.secret_headers.values()]
    file = None
    if tool.returns.kind == "file":
        subject = tool.with_role("id")
        stem = f"{tool.returns.objects[0]}-{arguments.values[subject.name]}" if subject else tool.name
        file = name_of(stem, "answer") + ".pdf"
    outside: list[str] = [f"Put the value of {name} in place of <{name}>." for name in request.by_hand]
    if connection.name == SANDBOX:
        outside.append("`callboard sandbox` must be running.")
    if tool.composed is not None:
        outside.append("The tool makes further requests from the answer of this one.")
    needs = [f"Reads {' and '.join(variables)} from the environment."] if variables else []
    mode = connection.endpoint(tool.toolkit).mode
    inside = [*needs, *_agreement(tool, mode)]
    if tool.effect != "read":
        outside.append("Deletes without asking." if tool.effect == "delete" else "Changes something each time it runs.")
    return (
        Form("curl", curl(request, file), (*needs, *outside)),
        Form("httpx", program(request, file), (*needs, *outside)),
        Form("callboard", command(tool, arguments, connection.name), tuple(inside)),
    )


def _agreement(tool: Tool, mode: Mode) -> list[str]:
    """What the command line wants to hear before it changes something."""
    if tool.effect == "read" or (tool.effect == "write" and mode == "sandbox"):
        return []
    if mode != "live":
        return ["Needs --yes, too."]
    return [f"Needs --allow-writes and {'--confirm with the id' if tool.effect == 'delete' else '--yes'}, too."]
