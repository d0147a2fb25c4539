"""The ASGI application: the page, its assets, the files that a tab has saved, and the page's WebSocket.

On the WebSocket binary messages are bytes of the terminal, in both directions; text is JSON. The page sends
``{"size": [columns, lines]}``; it gets ``{"tab": ID, "found": BOOL}`` first, ``{"saved": {"name", "bytes"}}`` for each file
that it may download, and ``{"ended": WORDS}`` at the end.
"""

import asyncio
import hashlib
import json
import os
import secrets
import stat
import time
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from registry.doors.listening import gate
from registry.doors.serve.tab import Shows, Tab, Tabs, TooMany
from registry.text.shown import whole

_LONGEST_STAY = 12 * 3600.0
_MOST = 10_000


class Visitors:
    """The authenticated visitors, known by the cookie of that name. `once`: a link works for one visitor only."""

    def __init__(self, cookie: str, *, once: bool = True) -> None:
        self.cookie, self._once = cookie, once
        self._tokens: set[str] = set()
        self._seen: dict[str, float] = {}
        """When each visitor was last here, by the digest of the cookie."""

    def token(self) -> str:
        """A new token for a link."""
        token = secrets.token_urlsafe(32)
        self._tokens.add(_digest(token))
        return token

    def enter(self, token: str) -> str | None:
        """The value of a new visitor's cookie; None if the token is not valid, or not any more."""
        digest, value, now = _digest(token), secrets.token_urlsafe(32), time.monotonic()
        if digest not in self._tokens:
            return None
        if self._once:
            self._tokens.discard(digest)
        here = [(known, seen) for known, seen in self._seen.items() if now - seen <= _LONGEST_STAY]
        self._seen = dict([*here, (_digest(value), now)][-_MOST:])
        return value

    def of(self, cookies: Mapping[str, str]) -> str | None:
        """The visitor of a request with these cookies, a text that is not secret; None without access."""
        digest, now = _digest(cookies.get(self.cookie, "")), time.monotonic()
        if digest not in self._seen or now - self._seen[digest] > _LONGEST_STAY:
            return None
        self._seen[digest] = now
        return digest


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


ENTRANCE = "/in/"
ENDED, TAKEN = 4000, 4001
"""Close codes of the WebSocket: the program has ended; another page shows the tab."""

_PAGE = Path(__file__).with_name("page")
_UNKNOWN = "Open the link that callboard serve printed: each lets in one browser, once. Press Enter there for another link.\n"
_GREETING = '<!doctype html><meta charset="utf-8"><title>Callboard</title><meta http-equiv="refresh" content="0;url=/">'
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; connect-src 'self' {sockets}; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_LOOK_FOR_FILES = 1.0


def application(
    visitors: Visitors, tabs: Tabs, hosts: Collection[str], origins: Collection[str], *, secure: bool = False
) -> ASGIApp:
    """The ASGI application that serves pages to visitors, under these host names with ports and these origins."""
    known_hosts, known_origins = ({one.lower() for one in some} for some in (hosts, origins))
    parts = {name: _PAGE / name for name in ("page.js", "page.css")} | terminal_files()
    sockets = " ".join(sorted(one.replace("http", "ws", 1) for one in origins))

    def refusal(connection: HTTPConnection) -> Response | None:
        asked = [one.lower() for one in connection.headers.getlist("host")]
        if len(asked) != 1 or asked[0] not in known_hosts:
            words = "This server does not answer to that name. Open the link that callboard serve printed.\n"
            return PlainTextResponse(words, 421)
        given = [one.lower() for one in connection.headers.getlist("origin")]
        needed = connection.scope["type"] == "websocket" or connection.scope["method"] != "GET"
        if not known_origins.issuperset(given) or len(given) > 1 or (needed and not given):
            return PlainTextResponse("Only the page of this server may connect to it.\n", 403)
        return None

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with tabs.running():
            yield

    async def enter(request: Request) -> Response:
        """Log in a visitor with a token.

        The page loads the next one by itself, because a redirect would not send the SameSite=Strict cookie.
        """
        response = HTMLResponse(_GREETING)
        if visitors.of(request.cookies) is None:
            value = visitors.enter(request.path_params["token"])
            if value is None:
                return PlainTextResponse(_UNKNOWN, 401)
            response.set_cookie(visitors.cookie, value, path="/", httponly=True, samesite="strict", secure=secure)
        return response

    async def page(request: Request) -> Response:
        """The page with the terminal."""
        if visitors.of(request.cookies) is None:
            return PlainTextResponse(_UNKNOWN, 401)
        nonce = secrets.token_urlsafe(16)
        text = (_PAGE / "index.html").read_text("utf-8").replace("NONCE", nonce)
        return HTMLResponse(text, headers={"Content-Security-Policy": _POLICY.format(nonce=nonce, sockets=sockets)})

    async def part(request: Request) -> Response:
        """An asset of the page."""
        file = parts.get(request.path_params["name"])
        if file is None:
            return PlainTextResponse("There is no such file.\n", 404)
        kind = "text/css" if file.suffix == ".css" else "text/javascript"
        return FileResponse(file, media_type=kind, headers={"Cache-Control": "no-cache"})

    async def saved(request: Request) -> Response:
        """A file that a tab of this visitor has saved."""
        visitor = visitors.of(request.cookies)
        if visitor is None:
            return PlainTextResponse(_UNKNOWN, 401)
        tab, name = tabs.find(request.path_params["tab"], visitor), request.path_params["name"]
        if tab is None or name not in await asyncio.to_thread(_files, tab):
            return PlainTextResponse("There is no such file any more.\n", 404)
        return FileResponse(tab.files / name, media_type="application/octet-stream", filename=name)

    async def show(socket: WebSocket) -> None:
        """Connect a page to its tab, or to a new one. Nothing is started for a visitor without access."""
        visitor = visitors.of(socket.cookies)
        if visitor is None:
            await socket.send_denial_response(PlainTextResponse(_UNKNOWN, 401))
            return
        query = socket.query_params
        columns, lines = whole(query.get("columns", "")) or 80, whole(query.get("lines", "")) or 24
        tab = tabs.find(query.get("tab", ""), visitor)
        found = tab is not None
        if tab is None:
            shows: Shows = "oncall" if query.get("shows") == "oncall" else "explore"
            try:
                tab = await tabs.open(visitor, shows, columns, lines)
            except (TooMany, OSError) as error:
                words = str(error) if isinstance(error, TooMany) else f"The program cannot be started: {error.strerror}."
                code = 503 if isinstance(error, TooMany) else 500
                await socket.send_denial_response(PlainTextResponse(f"{words}\n", code))
                return
        await socket.accept()
        await _tell(socket, {"tab": tab.id, "found": found})
        if await _talk(socket, tab, columns, lines):
            tabs.close(tab)

    routes = [
        Route("/", page),
        Route("/oncall", page),
        Route(ENTRANCE + "{token}", enter),
        Route("/page/{name}", part),
        Route("/saved/{tab}/{name}", saved),
        WebSocketRoute("/tab", show),
    ]
    return gate(Starlette(routes=routes, lifespan=lifespan), refusal)


def terminal_files() -> dict[str, Path]:
    """The page's terminal, xterm.js, by the names in the page; empty if the package textual-serve is not installed.

    None of its Python code is run.
    """
    found = find_spec("textual_serve")
    if found is None or not found.submodule_search_locations:
        return {}
    static = Path(next(iter(found.submodule_search_locations))) / "static"
    files = {"textual.js": static / "js" / "textual.js", "xterm.css": static / "css" / "xterm.css"}
    return files if all(file.is_file() for file in files.values()) else {}


async def _talk(socket: WebSocket, tab: Tab, columns: int, lines: int) -> bool:
    """Pass bytes between a page and its tab until one of them ends; whether it was the tab's program."""
    shown = asyncio.create_task(tab.show(socket.send_bytes, columns, lines))
    works = [shown, *map(asyncio.create_task, (_listen(socket, tab), _offer_files(socket, tab)))]
    try:
        await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in works:
            one.cancel()
    await asyncio.wait(works)
    if shown.cancelled() or shown.exception() is not None:
        return False
    with suppress(WebSocketDisconnect, RuntimeError, OSError):
        if not shown.result():
            await socket.close(TAKEN)
        else:
            why = f" with exit code {tab.code}" if tab.code and not tab.why else ""
            await _tell(socket, {"ended": f"Callboard has ended{why}. {tab.why}".strip()})
            await socket.close(ENDED)
            return True
    return False


async def _listen(socket: WebSocket, tab: Tab) -> None:
    """Pass on a page's messages until it disconnects."""
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        if (keys := message.get("bytes")) is not None:
            await tab.type(keys)
        elif (size := _size_in(message.get("text") or "")) is not None:
            tab.resize(*size)


async def _offer_files(socket: WebSocket, tab: Tab) -> None:
    """Report each complete file to a page."""
    while True:
        await asyncio.sleep(_LOOK_FOR_FILES)
        for name, what in (await asyncio.to_thread(_files, tab)).items():
            if tab.offered.get(name) != what:
                tab.offered[name] = what
                await _tell(socket, {"saved": {"name": name, "bytes": what[0]}})


def _files(tab: Tab) -> dict[str, tuple[int, int]]:
    """The files of a tab by name, each with its size and time of writing. A file that starts with a dot is unfinished."""
    found = {}
    with suppress(OSError), os.scandir(tab.files) as entries:
        for entry in entries:
            about = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(about.st_mode) and not entry.name.startswith("."):
                found[entry.name] = (about.st_size, about.st_mtime_ns)
    return found


def _size_in(text: str) -> tuple[int, int] | None:
    """Columns and lines in a message; None for any other message."""
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    size = content.get("size") if isinstance(content, dict) else None
    if isinstance(size, list) and len(size) == 2 and all(type(one) is int and 0 < one < 10_000 for one in size):
        return size[0], size[1]
    return None


async def _tell(socket: WebSocket, content: dict[str, Any]) -> None:
    await socket.send_text(json.dumps(content))
