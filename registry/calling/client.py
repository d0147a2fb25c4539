"""Runs one tool. The engine (`registry.engine`) makes the only client of a run, and every door calls through the engine."""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path

import msgspec

from registry.accounts.connection import Connection
from registry.calling.arguments import Arguments, checked
from registry.calling.failures import CallFailed, no_account, not_a_file, not_json
from registry.calling.network import Network
from registry.calling.paging import page_of
from registry.calling.receiving import Response, accepted, as_json, endings_of, is_json
from registry.calling.request import plan
from registry.calling.result import Failure, RawItems, Result, ResultPage
from registry.calling.sending import LARGE, Elicit, Observer, Sender, Sleep, composed, composition
from registry.calling.tracing import Traces
from registry.catalog.model import Tool
from registry.files.folders import file_name, put_in_place, unnamed_file
from registry.json_text import NotJson, read_json
from registry.text.shown import bare


class NotChecked(Exception):
    """A change that was not checked, that the check found to fail, or that was sent before; nothing was sent."""


Planned = tuple[Tool, Arguments, Connection]
"""A call that may be made: the tool, its checked arguments, and the connection."""

Journal = Callable[[Tool, Connection, Result, bool], None]
"""Takes each call that has ended, and whether it fetched one page of a whole list. Neither blocks nor raises."""


class ToolClient(msgspec.Struct, eq=False):
    """Runs tools. One instance shares its connections, and its sandbox, between all calls. Only the engine makes one.

    `downloads` is the folder for results that are files, `journal` writes the history. `clock` gives Unix seconds, the base for
    relative times.
    """

    downloads: Path
    network: Network
    traces: Traces
    sleep: Sleep = asyncio.sleep
    journal: Journal | None = None
    clock: Callable[[], float] = time.time

    async def read(
        self,
        tool: Tool,
        raw: Mapping[str, object],
        connection: Connection,
        *,
        observer: Observer | None = None,
        elicit: Elicit | None = None,
        is_part: bool = False,
        whose: str = "",
    ) -> Result:
        """Run a tool that reads. Cancelling the task cancels the request.

        `raw` has argument values as text or typed. `elicit` asks the user what an MCP server wants to know. `is_part`: it
        fetches one page of a whole list. `whose`: for what the program makes the call by itself, such as ``dashboard``; then
        the history does not have it.

        Returns:
            The result or a failure; both with every request that was made.

        Raises:
            ArgumentError: the arguments are invalid; nothing was sent.
            ConnectionSettingsError: the connection does not serve the tool's toolkit; nothing was sent.
            NotChecked: the tool changes something; nothing was sent.
        """
        if tool.effect != "read":
            raise NotChecked(f"{tool.name} changes data. Check the change first; the check returns what sends it.")
        arguments = checked(tool, raw, self.clock())
        return await self._run(tool, arguments, connection, observer, elicit, is_part=is_part, whose=whose)

    async def change(self, planned: Planned, observer: Observer | None = None, elicit: Elicit | None = None) -> Result:
        """Send a change. Cancelling the task cancels the request.

        Only `registry.changes.deletion` calls this: it has the check, the user's word and the audit log.
        """
        return await self._run(*planned, observer, elicit)

    async def _run(
        self,
        tool: Tool,
        arguments: Arguments,
        connection: Connection,
        observer: Observer | None,
        elicit: Elicit | None,
        *,
        is_part: bool = False,
        whose: str = "",
    ) -> Result:
        """The result of a read, or of a change that the policy allows; it is written to the history, also if it is cut off."""
        endpoint = connection.endpoint_for(tool)
        sender = Sender(self.network, tool, connection, endpoint, observer, elicit, self.sleep, self.traces, whose)
        given, status, headers, body = dict(arguments.values), None, dict[str, str](), b""
        if endpoint.needs:
            other = "" if connection.endpoint(tool.toolkit).needs else endpoint.authentication.title
            refused = no_account(endpoint.service, endpoint.needs, other)
            return Result(tool.name, connection.name, None, failure=refused, arguments=given, at=sender.at)
        found: tuple[ResultPage, RawItems] | None = None
        notes: list[str] = []
        failure: Failure | None = None
        try:
            if (function := composition(tool, arguments)) is not None:
                parsed, notes = await composed(tool, function)(arguments, sender)
                # Lone surrogates, which UTF-8 cannot encode, are written as their escapes.
                body = json.dumps(parsed, ensure_ascii=False).encode("utf-8", "backslashreplace")
                found = page_of(tool, given, body, headers)
                status = sender.exchanges[-1].status
            else:
                came = await sender.send(plan(tool, arguments))
                if came.is_file:
                    body = await self._kept(tool, arguments, came)
                else:
                    understood = partial(_understood, tool, arguments, came)
                    body, found = await asyncio.to_thread(understood) if len(came.body) > LARGE else understood()
                status, headers = came.status, dict(came.headers)
        except CallFailed as failed:
            failure = failed.failure
            if failed.response is not None:
                status, headers, body = failed.response.status, dict(failed.response.headers), failed.response.body
        finally:
            page, items = found or (None, None)
            result = Result(
                tool=tool.name,
                connection=connection.name,
                status=status,
                headers=headers,
                body=body,
                elapsed=time.perf_counter() - sender.started,
                exchanges=tuple(sender.exchanges),
                failure=failure,
                page=page,
                items=items,
                items_at=tool.returns.items,
                notes=(*notes, *sender.notes),
                files=tuple(sender.files),
                arguments=given,
                at=sender.at,
            )
            if self.journal is not None and not whose:
                self.journal(tool, connection, result, is_part)
        return result

    async def _kept(self, tool: Tool, arguments: Arguments, came: Response) -> bytes:
        """The JSON that stands for a file, which is saved: its path, size, hash and media type."""
        if failure := not_a_file(came):
            raise CallFailed(failure, came)
        subject, kind = tool.with_role("id"), bare(came.headers.get("content-type", ""))
        name = f"{tool.returns.objects[0]}-{arguments.values[subject.name]}" if subject else tool.name
        try:
            file = await asyncio.to_thread(_saved, came.body, f".{endings_of(kind)[0]}", name, self.downloads)
        except OSError as error:
            cause = f"{self.downloads}: {error.strerror or error}"
            way_out = "Check free space and permissions of the folder, or choose another one."
            raise CallFailed(Failure("local", "Cannot write the file", cause, way_out), came) from None
        digest = hashlib.sha256(came.body).hexdigest()
        return json.dumps({"file": str(file), "bytes": len(came.body), "sha256": digest, "content_type": kind}).encode()


def _saved(content: bytes, ending: str, name: str, folder: Path) -> Path:
    """Write a file, never over an existing one; returns where it is. `OSError` if it cannot be written."""
    stem = file_name(name, "file")
    folder.mkdir(parents=True, exist_ok=True)
    with unnamed_file(folder, stem) as one:
        one.write(content)
        for number in count(1):
            final = folder / (f"{stem}{ending}" if number == 1 else f"{stem}-{number}{ending}")
            with suppress(FileExistsError):
                put_in_place(one, final)
                return final
    raise AssertionError


def _understood(tool: Tool, arguments: Arguments, came: Response) -> tuple[bytes, tuple[ResultPage, RawItems] | None]:
    """A response as JSON, and the page in it; None if it is other JSON. Text that the tool accepts is a JSON string.

    Raises:
        CallFailed: it is not JSON.
    """
    kind, body = came.headers.get("content-type", ""), came.body
    try:
        if came.unreadable:
            raise NotJson(came.unreadable)
        if tool.accepts and not is_json(kind) and accepted(tool.accepts, kind):
            body = as_json(kind, body)
        if not body and tool.is_list:  # it would pass for a list without items
            raise NotJson("it is empty")
        found = page_of(tool, arguments.values, body, came.headers) if body else None
        if body and found is None:
            try:
                msgspec.json.decode(body, type=msgspec.Raw)
            except (msgspec.DecodeError, RecursionError):
                read_json(body)  # says what is wrong, and takes halves of surrogate pairs
        return body, found
    except NotJson as error:
        raise CallFailed(not_json(tool, came, str(error)), came) from None
