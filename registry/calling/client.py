"""Runs one tool: a read by its tool and arguments, a change by the proof that it was checked.

The engine (`registry.engine`) makes the only client of a run, and every door calls tools through the engine.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from registry.accounts.connection import Connection
from registry.accounts.consent import Consent, Gate
from registry.calling.arguments import ArgumentError, Arguments, check
from registry.calling.composed import composed
from registry.calling.failures import CallFailed, no_account, not_a_file, not_json
from registry.calling.items import Listing
from registry.calling.paging import ReadPage, items_at, page_of, read_page
from registry.calling.receiving import Response
from registry.calling.recording import AuditRecorder, FinishedCall, HistoryRecorder
from registry.calling.request import plan
from registry.calling.result import Failure, Result
from registry.calling.saving import save
from registry.calling.sending import HttpClients, Observer, Sender, Sleep
from registry.calling.tracing import Traces
from registry.catalog.model import Tool
from registry.json_text.reading import NotJson, read_json
from registry.mcp_client.values import Elicit


class NotChecked(Exception):
    """A change that was not checked, that the check found to fail, or whose proof was used before; nothing was sent."""


class PlannedChange(msgspec.Struct, frozen=True):
    """A checked change: the tool, its checked arguments, and the connection."""

    tool: Tool
    arguments: Arguments
    connection: Connection


Redeem = Callable[[object, object], PlannedChange]
"""Takes a proof and the client that sends; returns the change and uses up the proof. Raises `NotChecked`."""

_LARGE = 200_000
"""Size in bytes above which parsing would block the screen noticeably."""


def _understood(body: bytes, tool: Tool) -> ReadPage | None:
    """The page in a response; None if it is other JSON.

    Raises:
        NotJson: it is not JSON.
    """
    if (paging := tool.returns.paging) is not None and (found := read_page(body, paging)) is not None:
        return found
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        read_json(body)  # says what is wrong, and takes halves of surrogate pairs
    return None


def _without_account(tool: Tool, arguments: Arguments, connection: Connection) -> Result | None:
    """The failure of a call to a service without an account; None if there is an account.

    Raises:
        ConnectionSettingsError: the connection does not serve the tool's toolkit.
    """
    endpoint = connection.endpoint(tool.toolkit)
    if not endpoint.needs:
        return None
    failure = no_account(endpoint.service, endpoint.needs)
    return Result(tool.name, connection.name, None, failure=failure, arguments=dict(arguments.values), at=time.time())


class ToolClient:
    """Runs tools. One instance shares its connections, and its sandbox, between all calls. Only the engine makes one.

    Args:
        downloads: the folder for results that are files.
        network: the HTTP clients that requests go through.
        policy: decides what may be sent.
        sleep: how to wait between attempts.
        recorder: writes the audit log of changes.
        journal: writes the history of calls.
        clock: the current time in Unix seconds, the base for relative times.
        traces: keeps the last requests, to show why a call is slow.
        redeem: returns the change that a proof is for; without it, this client only reads.
    """

    def __init__(
        self,
        downloads: Path,
        network: HttpClients,
        policy: Gate,
        *,
        sleep: Sleep = asyncio.sleep,
        recorder: AuditRecorder | None = None,
        journal: HistoryRecorder | None = None,
        clock: Callable[[], float] = time.time,
        traces: Traces,
        redeem: Redeem | None = None,
    ) -> None:
        self._downloads = downloads
        self._network = network
        self._sleep = sleep
        self.policy = policy
        self._recorder = recorder
        self._journal = journal
        self.clock = clock
        self._traces = traces
        self._redeem = redeem

    async def read(
        self,
        tool: Tool,
        raw: Mapping[str, object],
        connection: Connection,
        *,
        observer: Observer | None = None,
        elicit: Elicit | None = None,
        items: bool = False,
        remember: bool = True,
    ) -> Result:
        """Run a tool that reads. Cancelling the task cancels the request.

        Args:
            tool: what to call.
            raw: argument values by parameter name, as text or typed.
            connection: the account, with its credentials.
            observer: called with the progress of the call.
            elicit: asks the user what an MCP server wants to know.
            items: keep the items of a page as raw JSON, as `Result.items`, and do not decode them.
            remember: write it to the history; False for calls that the program repeats by itself.

        Returns:
            The result or a failure; both with every request that was made.

        Raises:
            ArgumentError: the arguments are invalid; nothing was sent.
            ConnectionSettingsError: the connection does not serve the tool's toolkit; nothing was sent.
            NotAllowed: the policy does not allow it; nothing was sent.
            NotChecked: the tool changes something; nothing was sent.
        """
        if tool.effect != "read":
            raise NotChecked(f"{tool.name} changes data. Check the change first; the check returns what sends it.")
        arguments = check(tool, raw, self.clock())
        if arguments.errors:
            raise ArgumentError(tool.name, arguments.errors)
        if (missing := _without_account(tool, arguments, connection)) is not None:
            return missing
        self.policy.check(tool, connection, Consent.NONE)
        async with self._journaled(tool, arguments, connection, items=items, remember=remember) as ended:
            sender = self._sender(tool, connection, observer, elicit, remember=remember)
            ended.append(await self._send(sender, arguments, items=items))
        return ended[0]

    async def change(
        self,
        proof: object,
        consent: Consent,
        *,
        observer: Observer | None = None,
        elicit: Elicit | None = None,
        before: bytes | None = None,
        noted: Callable[[int], None] | None = None,
        lookup: tuple[str, Mapping[str, object]] | None = None,
    ) -> Result:
        """Send a checked change, once. Cancelling the task cancels the request.

        Args:
            proof: the result of checking this change. It says what is sent, and can be used only once.
            consent: how far the user has agreed.
            observer: called with the progress of the call.
            elicit: asks the user what an MCP server wants to know.
            before: the object as it is now, as JSON, for the audit log.
            noted: called with the number of the audit log entry, before anything is sent.
            lookup: how the object can be read, for the audit log.

        Raises:
            NotChecked: not a proof, a used one, or one for another client; nothing was sent.
            NotAllowed: the policy does not allow it; nothing was sent.
        """
        if self._redeem is None:
            raise NotChecked("This client only reads.")
        planned = self._redeem(proof, self)
        tool, arguments, connection = planned.tool, planned.arguments, planned.connection
        if (missing := _without_account(tool, arguments, connection)) is not None:
            return missing
        self.policy.check(tool, connection, consent)
        async with self._journaled(tool, arguments, connection) as ended:
            sender = self._sender(tool, connection, observer, elicit)
            ended.append(await self._recorded(sender, arguments, before=before, noted=noted, lookup=lookup))
        return ended[0]

    def _sender(
        self, tool: Tool, connection: Connection, observer: Observer | None, elicit: Elicit | None, *, remember: bool = True
    ) -> Sender:
        return Sender(self._network, tool, connection, observer, self._sleep, self._traces, not remember, elicit)

    @asynccontextmanager
    async def _journaled(
        self, tool: Tool, arguments: Arguments, connection: Connection, *, items: bool = False, remember: bool = True
    ) -> AsyncIterator[list[Result]]:
        """Writes the call to the history, however it ends; takes its result from the list."""
        ended: list[Result] = []
        at, started = time.time(), time.perf_counter()
        try:
            yield ended
        finally:
            if self._journal is not None and remember:
                took = time.perf_counter() - started
                result = ended[0] if ended else None
                self._journal.note(FinishedCall(tool, arguments, connection, result, at, took, is_part=items))

    async def _recorded(
        self,
        sender: Sender,
        arguments: Arguments,
        *,
        before: bytes | None,
        noted: Callable[[int], None] | None,
        lookup: tuple[str, Mapping[str, object]] | None,
    ) -> Result:
        if self._recorder is None:
            return await self._send(sender, arguments, items=False)
        entry = await asyncio.to_thread(self._recorder.begin, sender.tool, arguments, sender.connection, before, lookup)
        if noted is not None and entry is not None:
            noted(entry)
        result = None
        try:
            result = await self._send(sender, arguments, items=False)
            return result
        finally:
            # A cancelled call is recorded as well, so recording must not be cancelled.
            await asyncio.shield(asyncio.to_thread(self._recorder.finish, entry, result))

    async def settle(self, entry: int, became: str, words: str, final: bool) -> None:
        """Record the outcome of a change whose response was lost: ``done``, ``not done`` or ``unknown``, with the reason."""
        if self._recorder is not None:
            await asyncio.to_thread(self._recorder.settle, entry, became, words, final)

    async def _send(self, sender: Sender, arguments: Arguments, *, items: bool) -> Result:
        tool, connection = sender.tool, sender.connection
        at, started = time.time(), time.perf_counter()
        status, headers, body = None, dict[str, str](), b""
        found: ReadPage | None = None
        notes: list[str] = []
        failure: Failure | None = None
        try:
            if tool.composed is not None:
                parsed, notes = await composed(tool)(arguments, sender)
                # Lone surrogates, which UTF-8 cannot encode, are written as their escapes.
                body = json.dumps(parsed, ensure_ascii=False).encode("utf-8", "backslashreplace")
                status = sender.exchanges[-1].status
                found = _understood(body, tool)
            else:
                came = await sender.send(plan(tool, arguments))
                status, headers, body = came.status, dict(came.headers), came.body
                found, body = await self._understand(tool, arguments, came)
        except CallFailed as failed:
            failure = failed.failure
            if failed.response is not None:
                status, headers, body = failed.response.status, dict(failed.response.headers), failed.response.body
        page = page_of(tool, arguments.values, found, headers) if failure is None else None
        result = Result(
            tool=tool.name,
            connection=connection.name,
            status=status,
            headers=headers,
            body=body,
            elapsed=time.perf_counter() - started,
            exchanges=tuple(sender.exchanges),
            failure=failure,
            page=page,
            items=[bytes(one) for one in found.items] if items and page is not None and found is not None else None,
            items_at=items_at(tool),
            notes=(*notes, *sender.notes),
            files=tuple(sender.files),
            arguments=dict(arguments.values),
            at=at,
        )
        if failure is None and found is not None and not isinstance(found.items, list):  # a large page, taken apart already
            path = items_at(tool)
            result.is_about(Listing((path,) if path else (), found.items))
        return result

    async def _understand(self, tool: Tool, arguments: Arguments, came: Response) -> tuple[ReadPage | None, bytes]:
        """The page in a response, and its JSON text. A file is saved; its JSON holds the path."""
        content_type = came.headers.get("content-type", "")
        if tool.returns.kind == "file":
            return None, await self._keep(tool, arguments, came, content_type)
        if not came.body:
            if came.unreadable:
                raise CallFailed(not_json(tool, came, came.unreadable), came)
            if tool.returns.kind in ("list", "search_result"):  # it would pass for a list without items
                raise CallFailed(not_json(tool, came, "it is empty"), came)
            return None, b""
        try:
            if came.unreadable:
                raise NotJson(came.unreadable)
            if len(came.body) > _LARGE:
                return await asyncio.to_thread(_understood, came.body, tool), came.body
            return _understood(came.body, tool), came.body
        except NotJson as error:
            raise CallFailed(not_json(tool, came, str(error)), came) from None

    async def _keep(self, tool: Tool, arguments: Arguments, came: Response, content_type: str) -> bytes:
        if failure := not_a_file(came):
            raise CallFailed(failure, came)
        subject = tool.with_role("id")
        name = f"{tool.returns.objects[0]}-{arguments.values[subject.name]}" if subject else tool.name
        try:
            record = await asyncio.to_thread(save, came.body, content_type, name, self._downloads)
        except OSError as error:
            cause = f"{self._downloads}: {error.strerror or error}"
            failure = Failure(
                "local",
                "Cannot write the file",
                cause,
                "Check free space and permissions of the folder, or choose another one.",
            )
            raise CallFailed(failure, came) from None
        return json.dumps(record).encode()
