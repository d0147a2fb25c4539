"""The one way to run a tool. The form, the palette, the dashboard, the command line and the tests all come through here."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from registry.calling.arguments import ArgumentError, Arguments, check
from registry.calling.composed import COMPOSED
from registry.calling.failures import no_account, not_a_file, not_json
from registry.calling.paging import items_at, page_of, texts_of
from registry.calling.recording import Ended, Journal, Recorder
from registry.calling.request import plan
from registry.calling.result import Failure, Result
from registry.calling.saving import save
from registry.calling.sending import Answer, CallFailed, Network, Observer, Sender, Sleep
from registry.calling.tracing import Tracer, Traces
from registry.catalog.model import Tool
from registry.connections.policy import Consent, Policy
from registry.connections.profiles import Connection

_LARGE = 200_000
"""Bytes from which on parsing takes so long that the screen would stand still."""


def _outline(body: bytes, tool: Tool) -> Any:
    from registry.calling.outline import outline  # the command line's first calls do without

    return outline(body, tool.returns.paging)


def _encoded(answer: Any) -> bytes:
    """JSON values as JSON text; halves of surrogate pairs, which have no bytes, stay the escapes that they were."""
    try:
        return json.dumps(answer, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(answer).encode()


class Client:
    """Runs tools. One instance shares its connections, and its sandbox, between all calls.

    Args:
        downloads: the folder for answers that are files.
        network: the connections; a network of its own when not given.
        sleep: how to wait between attempts.
        policy: what may be sent; the rules as they are from the start when not given.
        recorder: keeps an account of changes.
        journal: remembers every call.
        clock: the present in Unix seconds, from which times in words are counted.
        traces: keeps the last requests, for whoever asks why a call is slow.
    """

    def __init__(
        self,
        downloads: Path,
        *,
        network: Network | None = None,
        sleep: Sleep = asyncio.sleep,
        policy: Policy | None = None,
        recorder: Recorder | None = None,
        journal: Journal | None = None,
        clock: Callable[[], float] = time.time,
        traces: Traces | None = None,
    ) -> None:
        self._downloads = downloads
        self._network = network if network is not None else Network()
        self._sleep = sleep
        self.policy = policy if policy is not None else Policy()
        self._recorder = recorder
        self._journal = journal
        self.clock = clock
        self._traces = traces

    def warm_up(self) -> None:
        """Load what the first call would have to wait for. May take a while; safe in a thread."""
        import httpx  # noqa: F401

    async def aclose(self) -> None:
        """Close every connection."""
        await self._network.aclose()

    async def call(
        self,
        tool: Tool,
        raw: Mapping[str, object],
        connection: Connection,
        *,
        observer: Observer | None = None,
        items: bool = False,
        consent: Consent = Consent.NONE,
        before: bytes | None = None,
        noted: Callable[[int], None] | None = None,
        remember: bool = True,
    ) -> Result:
        """Run a tool to its end. Cancelling the task that runs this drops the request.

        Args:
            tool: what to call.
            raw: argument values by parameter name, as text or typed.
            connection: where, and with what credentials.
            observer: is told how the call gets on.
            items: cut the items of a page from the answer, as `Result.items`, and make no values of them.
            consent: how far a user has agreed to a call that changes something.
            before: the object that is to be changed, as it is now, for the account of changes.
            noted: is told the number under which it is put down there, before it is sent.
            remember: note it in the journal; not wanted for what the program asks again and again by itself.

        Returns:
            The answer or a failure; both with every request that was made.

        Raises:
            ArgumentError: something is wrong with the arguments; nothing was sent.
            ConnectionSettingsError: the connection does not serve the tool's toolkit; nothing was sent.
            NotAllowed: the policy does not let it through; nothing was sent.
        """
        arguments = check(tool, raw, self.clock())
        if arguments.errors:
            raise ArgumentError(tool.name, arguments.errors)
        endpoint = connection.endpoint(tool.toolkit)
        if endpoint.needs:
            failure = no_account(endpoint.service, endpoint.needs)
            return Result(tool.name, connection.name, None, failure=failure, arguments=dict(arguments.values), at=time.time())
        self.policy.check(tool, connection, consent)
        at, started, result = time.time(), time.perf_counter(), None
        try:
            sender = Sender(self._network, tool, connection, observer, self._sleep, self._tracer(tool, connection, remember))
            result = await self._recorded(sender, arguments, items=items, before=before, noted=noted)
            return result
        finally:
            if self._journal is not None and remember:
                took = time.perf_counter() - started
                self._journal.note(Ended(tool, arguments, connection, result, at, took, is_part=items))

    def _tracer(self, tool: Tool, connection: Connection, asked: bool) -> Tracer | None:
        return Tracer(self._traces, tool.name, connection.name, unasked=not asked) if self._traces is not None else None

    async def _recorded(
        self,
        sender: Sender,
        arguments: Arguments,
        *,
        items: bool,
        before: bytes | None,
        noted: Callable[[int], None] | None,
    ) -> Result:
        if sender.tool.effect == "read" or self._recorder is None:
            return await self._send(sender, arguments, items=items)
        entry = await asyncio.to_thread(self._recorder.begin, sender.tool, arguments, sender.connection, before)
        if noted is not None and entry is not None:
            noted(entry)
        result = None
        try:
            result = await self._send(sender, arguments, items=items)
            return result
        finally:
            # A call that is cut off is put down as well, so this may not be cut off itself.
            await asyncio.shield(asyncio.to_thread(self._recorder.finish, entry, result))

    async def settle(self, entry: int, became: str, words: str) -> None:
        """Put down what became of a change whose answer was lost: ``done``, ``not done`` or ``unknown``, and that in words."""
        if self._recorder is not None:
            await asyncio.to_thread(self._recorder.settle, entry, became, words)

    async def _send(self, sender: Sender, arguments: Arguments, *, items: bool) -> Result:
        tool, connection = sender.tool, sender.connection
        at, started = time.time(), time.perf_counter()
        status, headers, body = None, dict[str, str](), b""
        answer: Any = None
        notes: list[str] = []
        failure: Failure | None = None
        try:
            if tool.composed is not None:
                answer, notes = await COMPOSED[tool.composed](arguments, sender)
                body = _encoded(answer)
                status = sender.exchanges[-1].status
                answer = _outline(body, tool) if items else answer
            else:
                came = await sender.send(plan(tool, arguments))
                status, headers, body = came.status, came.headers, came.body
                answer, body = await self._understand(tool, arguments, came, items=items)
        except CallFailed as failed:
            failure = failed.failure
            if failed.answer is not None:
                status, headers, body = failed.answer.status, failed.answer.headers, failed.answer.body
        page = page_of(tool, arguments.values, answer, headers) if failure is None else None
        return Result(
            tool=tool.name,
            connection=connection.name,
            status=status,
            headers=headers,
            body=body,
            elapsed=time.perf_counter() - started,
            exchanges=tuple(sender.exchanges),
            failure=failure,
            page=page,
            items=texts_of(tool, answer) if items and page is not None else None,
            items_at=items_at(tool),
            notes=tuple(notes),
            arguments=dict(arguments.values),
            at=at,
        )

    async def _understand(self, tool: Tool, arguments: Arguments, came: Answer, *, items: bool) -> tuple[Any, bytes]:
        """An answer as values and as JSON text. A file is saved, and its JSON tells where."""
        content_type = came.headers.get("content-type", "")
        if tool.returns.kind == "file":
            return await self._keep(tool, arguments, came, content_type)
        if not came.body:
            return None, b""
        try:
            if len(came.body) > _LARGE:
                answer = await asyncio.to_thread(_outline, came.body, tool)
            else:
                answer = _outline(came.body, tool) if items else json.loads(came.body)
        except (ValueError, RecursionError):
            raise CallFailed(not_json(tool, came.status, came.headers, came.body), came) from None
        return answer, came.body

    async def _keep(self, tool: Tool, arguments: Arguments, came: Answer, content_type: str) -> tuple[Any, bytes]:
        if failure := not_a_file(came.status, came.headers):
            raise CallFailed(failure, came)
        subject = tool.with_role("id")
        name = f"{tool.returns.objects[0]}-{arguments.values[subject.name]}" if subject else tool.name
        try:
            record = await asyncio.to_thread(save, came.body, content_type, name, self._downloads)
        except OSError as error:
            cause = f"{self._downloads}: {error.strerror or error}"
            failure = Failure("refused", "The file could not be written", cause, "Free the folder or choose another one.")
            raise CallFailed(failure, came) from None
        return record, json.dumps(record).encode()
