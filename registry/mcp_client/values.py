"""What goes in and out of a session with an MCP server, as plain values. Loads nothing of the protocol's library."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

Problem = Literal["missing", "not found", "not reached", "refused", "no MCP", "silent", "ended", "too large", "said no"]
"""Why a server gives nothing: the extra is not installed; there is no such program; no connection; the credential is refused;
it speaks something else; it does not answer; it ended or broke the connection; it sent too much; it answered with an error."""


class ServerProblem(Exception):
    """A server that gives no result; the text says what happened, as a sentence.

    Attributes:
        kind: what kind of problem.
        code: the JSON-RPC error's code, where the server gave one.
        sent: whether the call may have reached the server.
    """

    def __init__(self, kind: Problem, words: str, *, code: int | None = None, sent: bool = False) -> None:
        super().__init__(words)
        self.kind = kind
        self.code = code
        self.sent = sent


@dataclass(frozen=True, slots=True)
class Program:
    """A server that is a program.

    Attributes:
        command: the program and its arguments.
        folder: where it is started; empty for the present folder.
        environment: the variables that it gets besides the usual few.
    """

    command: tuple[str, ...]
    folder: str = ""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Remote:
    """A server over HTTP: its address, and the headers of every request."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


class Listing(msgspec.Struct, frozen=True):
    """What a server says of itself.

    Attributes:
        name: its name; empty where it says none.
        title: what people call it; may be empty.
        version: its version; may be empty.
        instructions: how it is used, in its words.
        protocol: the version of the protocol that is spoken.
        tools: its tools, as the protocol has them (``name``, ``description``, ``inputSchema``, ``annotations`` …).
        resources: whether it has resources.
    """

    name: str
    title: str
    version: str
    instructions: str
    protocol: str
    tools: Sequence[Mapping[str, Any]]
    resources: bool = False

    @property
    def content(self) -> bytes:
        """The tools as JSON, the same for the same tools, whatever their order."""
        return canonical(sorted(self.tools, key=lambda tool: str(tool.get("name"))))

    @property
    def sha256(self) -> str:
        """Tells whether the list is the same as before."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def schemas(self) -> dict[str, str]:
        """By a tool's name what tells whether its parameters are the same as before."""
        return {str(tool.get("name")): schema_hash(tool.get("inputSchema")) for tool in self.tools}


def canonical(value: object) -> bytes:
    """JSON that is the same for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def schema_hash(schema: object) -> str:
    """What tells whether a schema is the same as before."""
    return hashlib.sha256(canonical(schema)).hexdigest()


class Answer(msgspec.Struct, frozen=True):
    """What a server answered to a call.

    Attributes:
        content: JSON values.
        error: why the tool failed, in its words; empty when it did not.
        notes: what the reader should know of it.
        files: media type and bytes of the images, sounds and other bytes in it, in order.
    """

    content: Any
    error: str = ""
    notes: tuple[str, ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()


class Asked(msgspec.Struct, frozen=True):
    """What a server asks the user during a call (an elicitation).

    Attributes:
        message: the question, in the server's words.
        schema: what the answer must be, as a JSON schema; empty where an address is to be opened.
        url: the address to be opened; empty where a form is to be filled.
    """

    message: str
    schema: Mapping[str, Any] = msgspec.field(default_factory=dict)
    url: str = ""


class Answered(msgspec.Struct, frozen=True):
    """What the user says to it: ``accept`` with values, ``decline``, or ``cancel`` for no answer at all."""

    action: Literal["accept", "decline", "cancel"]
    values: Mapping[str, Any] = msgspec.field(default_factory=dict)


Elicit = Callable[[Asked], Awaitable[Answered]]
"""Asks the user; cancelled when the call ends first."""


Progressed = Callable[[float, "float | None", str], None]
"""Is called with how far a server is: so much, of how much where that is known, and in words."""


class CallContext(msgspec.Struct):
    """One call, as a session reports on it.

    Attributes:
        progressed: is called with how far the server is.
        elicit: asks the user; without it, questions are declined.
    """

    progressed: Progressed
    elicit: Elicit | None = None
