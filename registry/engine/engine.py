"""The engine: the only place where calls are assembled and made.

An engine holds what every call needs: the catalogue and the links between its tools, the accounts, the network and the
sandbox, the policy, the history, the audit log, the last requests (`registry.engine.parts`). Each part is created on first
use, so that a command loads only what it uses; `Engine.load` creates them all, in a thread if wanted.
"""

from __future__ import annotations

import asyncio
import difflib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from msgspec import structs

from registry.accounts.connection import Connection
from registry.accounts.memory import Ending, Known
from registry.accounts.policy import Consent, NotAllowed
from registry.accounts.secrets import RenewedSecret
from registry.calling.arguments import ArgumentError, Arguments, check
from registry.calling.composed import opening
from registry.calling.network import Network
from registry.calling.request import Preview, preview
from registry.calling.result import Became, Failure, Result
from registry.calling.sending import Observer, Sleep
from registry.calling.several_accounts import SeveralAccounts, joined, refuse
from registry.catalog.model import Tool
from registry.changes.checked import ChangeCheck
from registry.changes.deletion import Deleted, OnSurprise, Outcome, carry_out, delete_many
from registry.changes.deletion import Progress as ProgressOfMany
from registry.changes.reads import Reads
from registry.engine.account_check import permission_of, tested
from registry.engine.parts import SANDBOX, Parts, Settings
from registry.engine.presenter import Presenter, Question, eliciting
from registry.engine.settling import settle
from registry.journal.audit import Change
from registry.mcp_client.values import Elicit
from registry.results.list_fetch import ListFetch
from registry.results.spool import Spool


class UnknownTool(LookupError):
    """There is no tool with this name; the text names the nearest ones."""


def open_engine(settings: Settings | None = None, *, network: Network | None = None, sleep: Sleep = asyncio.sleep) -> Engine:
    """An engine, to use in ``async with``, or to close with `Engine.aclose`.

    Args:
        settings: its settings; the defaults are those of the explorer.
        network: sends the requests in place of the engine's own connections; for tests.
        sleep: how to wait between attempts; for tests.
    """
    return Engine(settings if settings is not None else Settings(), network=network, sleep=sleep)


class Engine(Parts):
    """Makes calls. Create one with `open_engine`."""

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def tool(self, name: str) -> Tool:
        """The tool with a name; the toolkit's name may come before it.

        Raises:
            UnknownTool: there is no such tool.
        """
        tool = self.catalog.find(name)
        if tool is None:
            nearest = difflib.get_close_matches(name.rpartition(".")[2], self.catalog.tools, n=3, cutoff=0.5)
            hint = f"; did you mean {' or '.join(nearest)}?" if nearest else ""
            raise UnknownTool(f"unknown tool {name!r}{hint}")
        return tool

    def _tool(self, tool: Tool | str) -> Tool:
        return self.tool(tool) if isinstance(tool, str) else tool

    def _there(self, connection: Connection | str | None, tool: Tool) -> Connection:
        """The account that a caller means; raises as `named`."""
        return self.named(connection, tool.toolkit) if connection is None or isinstance(connection, str) else connection

    def validate(self, tool: Tool | str, raw: Mapping[str, object]) -> Arguments:
        """Validate raw values, as text or typed, against the parameters of a tool, which may be given by name.

        Returns:
            The typed values, and the errors by parameter; errors are not raised.

        Raises:
            UnknownTool: there is no tool with this name.
        """
        return check(self._tool(tool), raw, self.settings.clock())

    def preview(self, tool: Tool | str, arguments: Arguments, connection: Connection | str | None = None) -> Preview:
        """The request that a call would send, secrets redacted. Tool and account are those of `run`.

        Raises:
            UnknownTool: there is no tool with this name.
            ConnectionSettingsError: there is no such connection, or it does not serve the tool's toolkit.
        """
        tool = self._tool(tool)
        connection = self._there(connection, tool)
        return preview(opening(tool, arguments), connection.endpoint(tool.toolkit))

    async def run(
        self,
        tool: Tool | str,
        arguments: Mapping[str, object] | None = None,
        connection: Connection | str | None = None,
        *,
        consent: Consent = Consent.NONE,
        presenter: Presenter | None = None,
        stop: asyncio.Event | None = None,
        remember: bool = True,
    ) -> Result:
        """Make a call. There is no other way to make one.

        The arguments are validated and the policy is checked. A change is checked first, and the presenter is asked; if the
        check shows that it would fail, it is not sent; otherwise it is sent once; if its response is lost, reads find out
        its outcome. Calls go into the history, changes into the audit log, and credentials in responses are redacted.

        Args:
            tool: the tool to call, or its name.
            arguments: values by parameter name, as text or typed.
            connection: the account, with its credentials; or its name. By default the usual one of the toolkit: the
                sandbox if it has the toolkit.
            consent: how far the user has agreed to a change.
            presenter: asks, and shows progress. Without one nobody is asked, and `consent` decides.
            stop: when set, cancels the request of a change; its outcome is then found out. To stop a read, cancel the
                task.
            remember: write a read to the history; False for reads that a program repeats by itself.

        Returns:
            The result or a failure, with every request that was made; for a change also its outcome, `became`. A change that
            was not confirmed, or would fail according to the check, is a failure of the kind ``refused``.

        Raises:
            UnknownTool: there is no tool with this name.
            ArgumentError: the arguments are invalid; nothing was sent.
            ConnectionSettingsError: there is no such connection, or it does not serve the toolkit; nothing was sent.
            NotAllowed: the policy does not allow it; nothing was sent.
        """
        tool = self._tool(tool)
        there = self._there(connection, tool)
        raw = arguments if arguments is not None else {}
        if tool.effect != "read":
            result = await self._change(tool, raw, there, consent, presenter, stop)
        else:
            observer = presenter.progress if presenter is not None else None
            elicit = self._elicit(presenter, tool, there)
            result = await self._client.read(tool, raw, there, observer=observer, elicit=elicit, remember=remember)
        await self._learn_account(tool, there, result)
        return result

    async def run_several(
        self,
        tool: Tool | str,
        arguments: Mapping[str, object],
        connections: Sequence[Connection | str],
        *,
        presenter: Presenter | None = None,
    ) -> SeveralAccounts:
        """Run a tool that reads on several accounts at once; returns one list, with the account first in each item.

        If an account fails, the others' items are returned, and the result says which one failed and why.

        Args:
            tool: the tool, or its name.
            arguments: values by parameter name, as text or typed.
            connections: the accounts, or their names.
            presenter: shows progress.

        Raises:
            SeveralRefused: the tool changes data, or an account is named twice; nothing was sent.
            UnknownTool, ArgumentError, ConnectionSettingsError: as for `run`; nothing was sent.
        """
        tool = self._tool(tool)
        accounts = [self._there(one, tool) for one in connections]
        refuse(tool, [one.name for one in accounts])
        for one in accounts:
            one.endpoint(tool.toolkit)
        parts = await asyncio.gather(*(self.run(tool, arguments, one, presenter=presenter) for one in accounts))
        return await asyncio.to_thread(joined, tool, parts)

    async def _learn_account(self, tool: Tool, connection: Connection, result: Result) -> None:
        """Remember that the account lacks a permission or its credential is rejected; or that its problem is solved."""
        if connection.name == SANDBOX:
            return
        name, changes = connection.name, dict[str, Any]()
        if result.failure is not None and result.failure.kind == "authentication":
            known = await asyncio.to_thread(self.account_memory.of, name)
            if permission := permission_of(tool, result):
                lacking = {**known.lacking, tool.name: permission}
                changes = {"lacking": lacking} if lacking != known.lacking else {}
            elif result.status in (None, 401) and not known.problem:
                changes = {"problem": f"{result.failure.title}. {result.failure.cause}"[:300], "at": time.time()}
        elif result.ok and "account_memory" in self.__dict__:
            known = self.account_memory.of(name)
            if known.problem or tool.name in known.lacking:
                changes = {"lacking": {key: one for key, one in known.lacking.items() if key != tool.name}, "problem": ""}
        if changes:
            await asyncio.to_thread(self.account_memory.learn, name, **changes)

    async def test_account(self, name: str, toolkit: str | None = None) -> Known:
        """Test an account with reads, and store the result: whose credential it is, and which permissions it lacks.

        Args:
            name: the account's name.
            toolkit: the toolkit to test with; by default the first that it serves.

        Raises:
            ConnectionSettingsError: there is no such account, or it does not serve the toolkit.
        """
        connection = self.connection(name)
        toolkit = toolkit if toolkit is not None else next(iter(connection.endpoints))
        service = connection.endpoint(toolkit).service

        async def run(tool: Tool, arguments: Mapping[str, object]) -> Result:
            return await self._client.read(tool, arguments, connection, remember=False)

        known = await tested(service, [one for one in self.catalog.tools.values() if one.toolkit == toolkit], run, time.time())
        if (ending := self.ending(connection, toolkit)) is not None:
            known = structs.replace(known, ends=ending.at, renews=ending.renews)
        before = self.account_memory.of(name)
        # The owner of the credential stays known even if the service cannot be reached.
        known = (
            structs.replace(before, at=known.at, problem=known.problem)
            if known.problem
            else structs.replace(known, live_shown=before.live_shown)
        )
        await asyncio.to_thread(self.account_memory.note, name, known)
        return known

    def ending(self, connection: Connection | str, toolkit: str) -> Ending | None:
        """When the credential of an account expires: as this run knows it, otherwise as the last test showed. Sends nothing.

        Raises:
            ConnectionSettingsError: there is no such connection, or it does not serve the toolkit.
        """
        connection = self.connection(connection) if isinstance(connection, str) else connection
        credential = connection.endpoint(toolkit).credential
        here = credential.ending if isinstance(credential, RenewedSecret) else None
        return here or (self.account_memory.of(connection.name).ending if connection.name != SANDBOX else None)

    async def _change(
        self,
        tool: Tool,
        raw: Mapping[str, object],
        connection: Connection,
        consent: Consent,
        presenter: Presenter | None,
        stop: asyncio.Event | None,
    ) -> Result:
        arguments = self.validate(tool, raw)
        if arguments.errors:
            raise ArgumentError(tool.name, arguments.errors)
        decision = self.policy.decide(tool, connection)
        if decision.kind in ("switch", "refuse"):
            raise NotAllowed(tool.name, decision)
        asking = presenter if presenter is not None else Presenter()
        checking = ChangeCheck(self.reads(tool, connection), tool, arguments)
        preview = self.preview(tool, arguments, connection)
        agreed = await asking.consent(Question(tool, arguments, connection, decision, consent, preview, checking))
        if agreed is not None and not decision.allows(agreed):
            raise NotAllowed(tool.name, decision)
        seen = await checking.run() if agreed is not None else checking.result
        if seen.verdict == "refuse":
            became: Became = "gone" if seen.gone else "refused"
            return _not_sent(
                tool, arguments, connection, seen.in_the_way, "Check its current state and fix the arguments.", became
            )
        if agreed is None:
            return _not_sent(tool, arguments, connection, "The change was not confirmed.", "Run it again and confirm it.")
        elicit = self._elicit(presenter, tool, connection)
        outcome = await carry_out(checking.checked(), agreed, observer=asking.progress, elicit=elicit, stop=stop)
        assert outcome.result_to_show is not None
        return outcome.result_to_show

    def _elicit(self, presenter: Presenter | None, tool: Tool, connection: Connection) -> Elicit | None:
        """A function that asks the user a server's questions; None if there is no MCP server, or no user."""
        service = connection.endpoint(tool.toolkit).service
        if service.mcp is None or presenter is None:
            return None

        return eliciting(presenter.elicit, tool, service.title, self.settings.clock)

    async def delete_many(
        self,
        tool: Tool | str,
        items: Sequence[Mapping[str, object]],
        connection: Connection | str | None,
        consent: Consent,
        *,
        on_surprise: OnSurprise = "stop",
        progress: ProgressOfMany | None = None,
        stop: asyncio.Event | None = None,
    ) -> list[Deleted]:
        """Delete several objects, one after the other; each is checked directly before it is deleted.

        Args:
            tool: the deletion, or its name.
            items: its arguments, for each object.
            connection: the account, or its name; None for the usual one of the toolkit.
            consent: how far the user has agreed.
            on_surprise: ``stop`` ends at the first object that was not deleted, ``go on`` tries the others.
            progress: called with the list so far after each deletion.
            stop: when set, cancels the current deletion and starts no other.

        Returns:
            The arguments and the outcome of each object, in the order of `items`; an outcome of None was not tried.

        Raises:
            UnknownTool: there is no tool with this name; nothing was sent.
            ConnectionSettingsError: there is no such connection, or it does not serve the toolkit; nothing was sent.
            NotAllowed: the policy does not allow it; nothing was sent.
        """
        tool = self._tool(tool)
        reads = self.reads(tool, connection)
        return await delete_many(reads, tool, items, consent, on_surprise=on_surprise, progress=progress, stop=stop)

    def fetch_all(
        self,
        tool: Tool | str,
        arguments: Mapping[str, object],
        connection: Connection | str | None,
        spool: Spool,
        *,
        most: int | None = None,
        observer: Callable[[ListFetch], None] | None = None,
    ) -> ListFetch:
        """The fetch of a whole list, page by page, into a spool. Nothing is sent before ``await fetch.run()``.

        Args:
            tool: a tool that returns a list, or its name.
            arguments: values by parameter name, as text or typed; the page size is ignored.
            connection: the account, or its name; None for the usual one of the toolkit.
            spool: an empty spool, which then has the items, each as the bytes of its JSON text; the caller closes it.
            most: the number of items to stop at; None for no limit.
            observer: called for each page received, and when the fetch waits for another attempt.

        Raises:
            UnknownTool: there is no tool with this name.
            ArgumentError: the arguments are invalid.
            ConnectionSettingsError: there is no such connection.
        """
        tool = self._tool(tool)
        connection = self._there(connection, tool)
        return ListFetch(self._client, tool, arguments, connection, spool=spool, most=most, observer=observer)

    def reads(self, tool: Tool | str, connection: Connection | str | None) -> Reads:
        """The reads that check a change with a tool, before and after it. Tool and account are those of `run`.

        Raises:
            UnknownTool: there is no tool with this name.
            ConnectionSettingsError: there is no such connection.
        """
        tool = self._tool(tool)
        connection = self._there(connection, tool)
        return Reads(self._client, self.catalog, self.routes.of(tool), connection, self._sleep)

    async def settle(self, *, again: bool = False) -> list[tuple[Change, Outcome]]:
        """Find out the outcome of changes that were cut off, by reading. See `registry.engine.settling.settle`."""
        return await settle(self, self.reads, again=again)

    def reading(
        self, connection: Callable[[str], Connection]
    ) -> Callable[[Tool | str, Mapping[str, object], Observer], Awaitable[Result]]:
        """A function that runs reading tools, for screens that refresh themselves; not kept in the history.

        Args:
            connection: returns the connection for a toolkit.
        """

        async def call(tool: Tool | str, arguments: Mapping[str, object], observer: Observer) -> Result:
            tool = self._tool(tool)
            there = connection(tool.toolkit)
            result = await self._client.read(tool, arguments, there, observer=observer, remember=False)
            await self._learn_account(tool, there, result)
            return result

        return call


def _not_sent(
    tool: Tool, arguments: Arguments, connection: Connection, cause: str, way_out: str, became: Became = "refused"
) -> Result:
    failure = Failure("refused", "Nothing was sent", cause, way_out)
    return Result(tool.name, connection.name, None, failure=failure, arguments=dict(arguments.values), became=became)
