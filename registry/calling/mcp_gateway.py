"""Carries calls to MCP servers.

A planned request's path says which MCP method is called (``/tools/call/NAME``, ``/prompts/get/NAME``, ``/resources/list``,
``/resources/templates/list``, ``/resources/read``), its JSON body contains the arguments. Sessions are opened on first use and
kept until the network is closed. If a session's server has ended, the next call opens a new one; no call is repeated.
"""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx
from msgspec.structs import replace

from registry.accounts.connection import Endpoint
from registry.accounts.secrets import redacted
from registry.calling.failures import CallFailed
from registry.calling.receiving import ResponseLimits, redacted_text
from registry.calling.result import Failure, FailureKind
from registry.catalog.model import Tool
from registry.catalog.service import McpServer
from registry.mcp_client.values import Answer, Elicit, Listing, McpResult, Progressed, Server, ServerProblem, address_of
from registry.text.shown import visible_line

if TYPE_CHECKING:
    from registry.mcp_client.session import McpSession

_MAYBE_DONE = "The tool may have done its work. Check before you run it again."
_ARGUMENTS_WRONG, _UNKNOWN_METHOD = -32602, -32601


class McpGateway:
    """Holds the sessions of one network."""

    def __init__(self, bounds: ResponseLimits, client: Callable[[], httpx.AsyncClient]) -> None:
        self._bounds = bounds
        self._client = client
        self._sessions: dict[str, McpSession] = {}
        self._opening: dict[str, asyncio.Lock] = {}

    async def aclose(self) -> None:
        """End every session, and with it each server that is a local program."""
        sessions, self._sessions = list(self._sessions.values()), {}
        await asyncio.gather(*(session.aclose() for session in sessions), return_exceptions=True)

    async def call(
        self, tool: Tool, endpoint: Endpoint, request: httpx.Request, progressed: Progressed, elicit: Elicit | None
    ) -> tuple[bytes, McpResult]:
        """Call a server; returns its result also as JSON, with the secrets of its environment redacted.

        `elicit` asks the user what the server wants to know; None if there is no user to ask.

        Raises:
            CallFailed: there is no result.
        """
        server = endpoint.service.mcp
        assert server is not None
        secrets: list[str] = []  # filled below
        hide = partial(redacted, secrets=secrets)

        def told(done: float | None, total: float | None, words: str) -> None:
            progressed(done, total, redacted_text(words, hide))

        try:
            url, headers = "", None
            if not server.command:
                url, headers = endpoint.base_url, {"User-Agent": request.headers.get("user-agent", ""), **endpoint.headers()}
            usual = Server(server.command, server.folder, {}, url, headers, server.environment, server.config, server.entry)
            address = await asyncio.to_thread(address_of, usual)
            # A server may repeat the variables and headers that it gets.
            own = (address.headers or {}).values() if server.config else ()
            values = [*address.environment.values(), *(word for value in own for word in value.split())]
            secrets += [value for value in values if len(value) >= 8]
            arguments = json.loads(request.content) if request.content else {}
            if not isinstance(arguments, dict):
                raise ServerProblem("said no", "An MCP tool takes an object as its arguments.", code=_ARGUMENTS_WRONG)
            try:
                session = await self._session(endpoint, address)
                result = await self._call(session, tool, endpoint, arguments, told, elicit)
                content = _encoded(result.content)
                if len(content) > self._bounds.size:
                    raise ServerProblem("too large", "The server’s response is too large.", sent=True)
            except TimeoutError:
                words = f"The server did not answer within {self._bounds.silence:g} s."
                raise ServerProblem("silent", words, sent=True) from None
        except ServerProblem as problem:
            raise CallFailed(_failure_of(problem, tool, endpoint, hide)) from None
        notes = tuple(redacted_text(note, hide) for note in result.notes)
        return hide(content), replace(result, error=redacted_text(result.error, hide), notes=notes)

    async def _session(self, endpoint: Endpoint, address: Server) -> McpSession:
        """The open session of a server; opens one if there is none.

        Raises:
            ServerProblem: it cannot be opened.
            TimeoutError: the server does not respond.
        """
        # Importing the MCP library takes longer than the screen may freeze.
        await asyncio.to_thread(importlib.import_module, "registry.mcp_client.session")
        from registry.mcp_client.session import McpSession

        name = f"{endpoint.service.toolkit} {endpoint.base_url} {hash(endpoint.identity)} {hash(repr(address.environment))}"
        async with self._opening.setdefault(name, asyncio.Lock()):
            found = self._sessions.get(name)
            if found is not None and found.closed:
                del self._sessions[name]
                await found.aclose()
                found = None
            if found is None:
                found = McpSession(address, self._client, self._bounds.size)
                async with asyncio.timeout(self._bounds.silence):
                    await found.open()
                self._sessions[name] = found
            found.address = address  # with the current credential
        return found

    async def _call(
        self,
        session: McpSession,
        tool: Tool,
        endpoint: Endpoint,
        arguments: Mapping[str, Any],
        progressed: Progressed,
        ask: Elicit | None,
    ) -> McpResult:
        silence, server = self._bounds.silence, endpoint.service.mcp
        assert server is not None
        async with asyncio.timeout(silence) as clock:

            def wait(seconds: float | None) -> None:
                if not clock.expired():
                    clock.reschedule(None if seconds is None else asyncio.get_running_loop().time() + seconds)

            async def elicit(message: str, schema: Mapping[str, Any], url: str) -> Answer:
                wait(None)
                try:
                    return await ask(message, schema, url) if ask is not None else ("decline", {})
                finally:
                    wait(silence)

            def tell(done: float | None, total: float | None, words: str) -> None:
                wait(silence)
                progressed(done, total, visible_line(words))

            asks = elicit if ask else None
            if not tool.path.startswith("/tools/call/"):
                method = "prompts/get" if tool.path.startswith("/prompts/get/") else tool.path[1:]
                return await session.call(method, arguments, tell, asks, tool.operation)
            listing = await session.listing()
            _refuse_other(listing, tool, endpoint, server)
            result = await session.call("tools/call", arguments, tell, asks, tool.operation)
        if listing.sha256 != server.sha256:
            name = endpoint.service.name
            words = f"The server’s tools have changed since they were added: callboard toolkit check {name} tells how."
            return replace(result, notes=(*result.notes, words))
        return result


def _refuse_other(listing: Listing, tool: Tool, endpoint: Endpoint, server: McpServer) -> None:
    """Check that a tool still has the schema that its form was made for.

    Raises:
        CallFailed: the schema changed, or the tool is gone; nothing was sent.
    """
    name = tool.operation
    now = listing.schemas.get(name)
    if now == server.tools.get(name):
        return
    again = f"callboard toolkit check {endpoint.service.name}, and refresh instead of check takes it over"
    what = "has other parameters than when it was added" if now is not None else "is not there any more"
    cause = f"{visible_line(name)} {what}. Nothing was sent."
    raise CallFailed(Failure("refused", "The tool has changed", cause, f"See what is different: {again}."))


def _failure_of(problem: ServerProblem, tool: Tool, endpoint: Endpoint, hide: Callable[[bytes], bytes]) -> Failure:
    """The failure of a server that gave no result, with the next step."""
    service, reads = endpoint.service, tool.effect == "read"
    again = "Run it again." if reads else _MAYBE_DONE
    by_hand = "Run the server by hand to see why." if service.mcp and service.mcp.command else "Run it again in a moment."
    own_path = "Check the command, or the address: an MCP server often has its own path, such as /mcp."
    arguments = "Fix the arguments and run it again."
    fixable = reads or problem.code in (_ARGUMENTS_WRONG, _UNKNOWN_METHOD)
    table: dict[str, tuple[FailureKind, str, str]] = {
        "missing": ("local", "MCP is not installed", "Install it, then run the tool again."),
        "not found": ("connection", "Cannot start the server", "Install the program, or remove and add the toolkit."),
        "not reached": ("connection", "No response", "Check the network and the server’s address, then run it again."),
        "refused": ("authentication", "Credential rejected", _credential(endpoint)),
        "silent": ("connection", "No response", again),
        "ended": ("connection", "The server ended", by_hand),
        "no MCP": ("protocol", "Invalid response", own_path),
        "too large": ("protocol", "Response too large", "Request less data." if reads else _MAYBE_DONE),
        "said no": ("service", "The server refused the call", arguments if fixable else _MAYBE_DONE),
    }
    kind, title, way_out = table[problem.kind]
    broken = problem.kind in ("not reached", "ended", "no MCP")
    nothing_done = problem.kind in ("not found", "refused") or (broken and not problem.sent)
    return Failure(
        kind,
        title,
        f"{service.title}: {redacted_text(str(problem), hide)}",
        again if broken and problem.sent else way_out,
        type="ConnectError" if nothing_done else None,
        code=str(problem.code) if problem.code is not None else None,
    )


def _credential(endpoint: Endpoint) -> str:
    if endpoint.authentication.kind == "none":
        names = [name for way in endpoint.service.authentication for name in way.variables]
        return f"Set {' or '.join(names)}, or add an account with a token." if names else "The server needs a credential."
    return "Check the account’s credential: it may be missing, mistyped, expired or revoked."


def _encoded(content: object) -> bytes:
    """A server's result as JSON.

    Raises:
        ServerProblem: some value cannot be written as JSON.
    """
    try:
        # Lone surrogates, which UTF-8 cannot encode, are written as their escapes.
        return json.dumps(content, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
    except (ValueError, RecursionError):
        words = "The server sent data that JSON does not have, such as NaN or Infinity."
        raise ServerProblem("no MCP", words, sent=True) from None
