"""Servers in the settings of other MCP clients: ``mcpServers`` of Claude, Cursor and others, ``servers`` of VS Code.

The file stays the place of the server's secrets: its environment and headers are read from it for each session, never copied.
"""

import importlib.util
import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from registry.files.folders import how_to_install, open_plain
from registry.mcp_client.values import Server, ServerProblem
from registry.text.shown import shortened, visible_line

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
