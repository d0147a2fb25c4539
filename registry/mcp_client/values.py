"""The inputs and results of a session with an MCP server, as plain values. Does not load the protocol's library."""

import hashlib
import importlib.util
import json
import os
import re
import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from registry.files.folders import how_to_install, open_plain
from registry.text.shown import shortened, visible_line

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


# Servers in the settings of other MCP clients: ``mcpServers`` of Claude, Cursor and others, ``servers`` of VS Code.
# The file stays the place of the server's secrets: its environment and headers are read from it for each session, never copied.

_LARGEST = 1_000_000
_LISTS = (("mcpServers",), ("servers",), ("mcp", "servers"), ("context_servers",))
_COMMENTS = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL)
_VARIABLE = re.compile(r"\$\{(?:(\w+):)?([^}:]*)(?::-([^}]*))?\}")


def server_in(file: str, name: str) -> Server:
    """A server as a file names it: its variables are not filled in.

    Raises:
        ServerProblem: there is no such server, or the file cannot be read.
    """
    try:
        with open_plain(Path(file)) as opened:
            content = opened.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise _problem(file, f"has more than {_LARGEST:,} bytes")
        text = _COMMENTS.sub(lambda found: found[1] or "", content.decode("utf-8-sig"))  # VS Code allows comments and commas
        settings = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise _problem(file, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    found = {str(key): one for path in _LISTS for key, one in _object(settings, path).items() if isinstance(one, dict)}
    if name not in found:
        raise _problem(file, f"names no server {name!r}; it has {', '.join(found) or 'none'}")
    one, place = found[name], f"{file} · {name}"
    words: list[Any] = [one.get("command", ""), *(one.get("args") or ())] if isinstance(one.get("args") or [], list) else [None]
    url = next((one[key] for key in ("url", "serverUrl", "httpUrl") if key in one), "")
    texts = {key: {k: str(v) for k, v in _object(one, (key,)).items() if v is not None} for key in ("env", "headers")}
    if not all(isinstance(text, str) for text in (*words, url, one.get("cwd") or "")) or bool(words[0]) == bool(url):
        raise _problem(place, "needs a command with args, or a url, as texts")
    if url and str(one.get("type", "")).lower() == "sse":
        raise _problem(place, "speaks SSE, which MCP gave up; many of these servers have /mcp beside /sse")
    folder = one.get("cwd") or ("" if url else str(_workspace(file)))
    return Server(tuple(words) if words[0] else (), folder, texts["env"], url, texts["headers"], config=file, entry=name)


def filled_in(server: Server) -> Server:
    """The same with the values of its variables: ``${env:NAME}``, ``${NAME}``, ``${NAME:-other}``, ``${workspaceFolder}``.

    Raises:
        ServerProblem: one has no value, or is asked for by the other client (``${input:…}``).
    """
    file = server.config
    own = {"workspaceFolder": str(_workspace(file)), "userHome": str(Path.home()), "pathSeparator": os.sep, "/": os.sep}

    def value(found: re.Match[str]) -> str:
        kind, name, otherwise = found[1] or "", found[2], found[3]
        if not kind and name in own:
            return own[name]
        if kind in ("", "env") and (known := os.environ.get(name, otherwise)) is not None:
            return known
        way = "write ${env:…} there, and set that variable" if kind not in ("", "env") else "set that variable"
        raise _problem(file, f"has {found[0]}, which has no value here; {way}")

    def fill(text: str) -> str:
        return _VARIABLE.sub(value, text)

    return replace(
        server,
        command=tuple(map(fill, server.command)),
        folder=fill(server.folder),
        environment={name: fill(text) for name, text in server.environment.items()},
        url=fill(server.url),
        headers={name: fill(text) for name, text in (server.headers or {}).items()},
    )


def address_of(server: Server) -> Server:
    """A server that was added, with the variables of the environment that are passed to it, and what a file names for it now.

    Raises:
        ServerProblem: MCP is not installed, or the file cannot be read, or names another program or address.
    """
    if importlib.util.find_spec("mcp") is None:
        raise ServerProblem("missing", f"MCP servers need the library mcp. Install {how_to_install('mcp')}")
    if not server.config:
        return replace(server, environment={name: os.environ[name] for name in server.passed if name in os.environ})
    found = server_in(server.config, server.entry)
    now = filled_in(found)
    if server.command != found.command or (not server.command and server.url.rstrip("/") != now.url.rstrip("/")):
        raise _problem(
            f"{server.config} · {server.entry}",
            "names another server than when it was added; callboard toolkit refresh accepts it",
        )
    return replace(now, url=server.url, headers={**(now.headers or {}), **(server.headers or {})})


def _workspace(file: str) -> Path:
    folder = Path(file).parent
    return folder.parent if folder.name in (".vscode", ".cursor") else folder


def _object(value: Any, path: tuple[str, ...]) -> Mapping[str, Any]:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _problem(place: str, words: str) -> ServerProblem:
    return ServerProblem("not found", visible_line(f"{shortened(place, 300)} {shortened(words, 300)}."))
