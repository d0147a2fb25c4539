"""The inputs and results of a session with an MCP server, as plain values. Does not load the protocol's library."""

import hashlib
import json
import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import msgspec

Problem = Literal["missing", "not found", "not reached", "refused", "no MCP", "silent", "ended", "too large", "said no"]
"""Why a server returned no result: the extra is not installed; there is no such program; no connection; the credential was
refused; it does not speak MCP; it does not respond; it ended or broke the connection; it sent too much; it returned an
error."""


class ServerProblem(Exception):
    """A server returned no result; the text is a sentence that says what happened.

    Attributes:
        kind: the kind of problem.
        code: the JSON-RPC error's code, if the server sent one.
        sent: whether the call may have reached the server.
    """

    def __init__(self, kind: Problem, words: str, *, code: int | None = None, sent: bool = False) -> None:
        super().__init__(words)
        self.kind = kind
        self.code = code
        self.sent = sent


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server is: a program with its arguments and folder, or a service over HTTP.

    `passed` are the variables that a program gets beside the usual ones, by name, and `environment` with their values;
    `headers` are for every request, with the current credential. `config` is a file that has the server as `entry`.
    """

    command: tuple[str, ...] = ()
    folder: str = ""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    url: str = ""
    headers: Mapping[str, str] | None = field(default=None, repr=False)
    passed: tuple[str, ...] = ()
    config: str = ""
    entry: str = ""

    @property
    def name(self) -> str:
        """The address or command as typed."""
        return self.url or shlex.join(self.command)

    @property
    def without_secrets(self) -> "Server":
        """The same as it may be stored."""
        return replace(self, environment={}, headers=None)


class Listing(msgspec.Struct, frozen=True):
    """What a server says about itself; texts may be empty.

    `protocol` is the version in use. Tools and prompts are as the protocol has them (``name``, ``inputSchema``, ``annotations``
    …); `left_out` are those that cannot be used, each with its name, or its place in the list, and the reason.
    """

    name: str
    title: str
    version: str
    instructions: str
    protocol: str
    tools: Sequence[Mapping[str, Any]]
    resources: bool = False
    prompts: Sequence[Mapping[str, Any]] = ()
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def content(self) -> bytes:
        """The tools as JSON, equal for equal tools in any order."""
        return canonical(sorted(self.tools, key=lambda tool: str(tool.get("name"))))

    @property
    def sha256(self) -> str:
        """A hash that shows whether the list has changed."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def schemas(self) -> dict[str, str]:
        """By a tool's name, a hash that shows whether its parameters have changed."""
        return {str(tool.get("name")): hashlib.sha256(canonical(tool.get("inputSchema"))).hexdigest() for tool in self.tools}


def items_of(result: Mapping[str, Any], name: str) -> list[Any]:
    """The list under a name in a result; empty if there is none."""
    found = result.get(name)
    return found if isinstance(found, list) else []


def fault_of(tool: object) -> str:
    """Why an item of a list of tools, or of prompts, cannot be used; empty if it can."""
    if not isinstance(tool, dict):
        return "is not an object"
    if not isinstance(tool.get("name"), str):
        return "has no name"
    return "" if isinstance(tool.get("inputSchema", {}), dict) else "has an inputSchema that is not an object"


def canonical(value: object) -> bytes:
    """JSON that is equal for equal values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


class McpResult(msgspec.Struct, frozen=True):
    """A server's result of a call as JSON values, and why the tool failed, in its words; empty if it did not.

    `files` are media type and bytes of its images, sounds and other binary parts, in order.
    """

    content: Any
    error: str = ""
    notes: tuple[str, ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()


Answer = tuple[Literal["accept", "decline", "cancel"], Mapping[str, Any]]
"""The user's answer: ``accept`` with values, ``decline``, or ``cancel`` for no answer."""

Elicit = Callable[[str, Mapping[str, Any], str], Awaitable[Answer]]
"""Asks the user a server's question: its message, the JSON schema of the answer, or an address to open.

It is cancelled if the call ends first."""

Progressed = Callable[["float | None", "float | None", str], None]
"""Called with a server's progress: the amount done and the total, if they are known, and a description."""
