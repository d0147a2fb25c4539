"""What makes calls that read, and everything that such a call needs, each part created on first use.

`registry.engine.engine` adds changes, whole lists and what a long run needs: a command that reads loads none of that. No other
code assembles these parts.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from platformdirs import user_downloads_path
from starlette.types import ASGIApp

from registry.accounts.connection import (
    SANDBOX,
    Connection,
    ConnectionSettingsError,
    connections,
    needed_account,
    sandbox,
    typings,
)
from registry.calling.arguments import Arguments, check
from registry.calling.client import ToolClient
from registry.calling.network import Network
from registry.calling.receiving import ResponseLimits
from registry.calling.request import Preview, preview
from registry.calling.result import Result
from registry.calling.sending import Elicit, Observer, Sleep, opening
from registry.calling.tracing import Traces
from registry.catalog.folders import toolkit_folders
from registry.catalog.loader import Catalog, load
from registry.catalog.model import Tool
from registry.files.folders import config_file, exists
from registry.journal.recorder import CallRecorder
from registry.journal.store import HISTORY, state_file

if TYPE_CHECKING:  # most calls use no accounts of the settings, and need not import what reads them
    from registry.accounts.book import AccountBook
    from registry.accounts.memory import AccountMemory

Sandbox = Callable[[], ASGIApp]
"""Creates the application that responds at the sandbox's address."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an engine. The defaults are those of the explorer.

    Attributes:
        environment: the variables that name accounts, as services declare them, and rules (``CALLBOARD_READ_ONLY`` …).
        read_only: refuse every change; overrides everything else.
        downloads: the folder for results that are files; by default the user's downloads folder.
        journal: write the history of calls. ``CALLBOARD_NO_JOURNAL`` in the environment switches it off as well.
        state: the folder for the history and the audit log; by default the user's state folder.
        sandbox: creates the application at the sandbox's address; by default the usual sandbox.
        limits: how long a response may take and how large it may be; by default the usual ones.
        clock: returns the current time in Unix seconds, the base for relative times ("2 hours ago").
        caller: returns who makes a change, for the audit log, if not the user of this program: the front end and its client.
        tell: called, from any thread, with messages for the user: that the history is not written any more, and why.
    """

    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    read_only: bool = False
    downloads: Path | None = None
    journal: bool = True
    state: Path | None = None
    sandbox: Sandbox | None = None
    limits: ResponseLimits = field(default_factory=ResponseLimits)
    clock: Callable[[], float] = time.time
    caller: Callable[[], str] = str
    tell: Callable[[str], object] = lambda _: None


class ReadingEngine:
    """Makes calls that read. Use it in ``async with``, or close it with `aclose`.

    Args:
        settings: its settings; the defaults are those of the explorer.
        network: sends the requests in place of the engine's own connections; for tests.
        sleep: how to wait between attempts; for tests.
    """

    def __init__(
        self, settings: Settings | None = None, *, network: Network | None = None, sleep: Sleep = asyncio.sleep
    ) -> None:
        self.settings = settings if settings is not None else Settings()
        self._sleep = sleep
        environment = self.settings.environment
        self.keeps_history = self.settings.journal and not environment.get("CALLBOARD_NO_JOURNAL")
        """Whether calls are written to the history."""
        self._network = network or Network(self.settings.limits, sandbox=self.settings.sandbox or _sandbox)
        self.traces = Traces()
        """The last requests, with their timings."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection, and write the rest of the history."""
        await self._network.aclose()
        if "history" in self.__dict__:
            await asyncio.to_thread(self.history.close)

    # Calls

    def tool(self, name: str) -> Tool:
        """The tool with a name; the toolkit's name may come before it.

        Raises:
            UnknownTool: there is no such tool.
        """
        return self.catalog.tool(name)

    def validate(self, tool: Tool | str, raw: Mapping[str, object]) -> Arguments:
        """Validate raw values, as text or typed, against the parameters of a tool, which may be given by name.

        Returns:
            The typed values, and the errors by parameter; errors are not raised.

        Raises:
            UnknownTool: there is no tool with this name.
        """
        return check(self.tool(tool) if isinstance(tool, str) else tool, raw, self.settings.clock())

    def preview(self, tool: Tool | str, arguments: Arguments, connection: Connection | str | None = None) -> Preview:
        """The request that a call would send, secrets redacted. Tool and account are those of `Engine.run`.

        Raises:
            UnknownTool: there is no tool with this name.
            ConnectionSettingsError: there is no such connection, or it does not serve the tool's toolkit.
        """
        tool, connection = self._meant(tool, connection)
        return preview(opening(tool, arguments), connection.endpoint_for(tool))

    async def read(
        self,
        tool: Tool | str,
        arguments: Mapping[str, object] | None = None,
        connection: Connection | str | None = None,
        *,
        observer: Observer | None = None,
        elicit: Elicit | None = None,
        remember: bool = True,
        whose: str = "the program",
    ) -> Result:
        """Make a call with a tool that reads; `whose`: for what, if it is not remembered. All else is as for `Engine.run`."""
        tool, there = self._meant(tool, connection)
        whose = "" if remember else whose
        result = await self._client.read(tool, arguments or {}, there, observer=observer, elicit=elicit, whose=whose)
        if there.name != SANDBOX:
            await self._learn_account(tool, there, result)
        return result

    def _meant(self, tool: Tool | str, connection: Connection | str | None) -> tuple[Tool, Connection]:
        """The tool and the account that a caller means; raises as `tool` and `named`."""
        tool = self.tool(tool) if isinstance(tool, str) else tool
        return tool, connection if isinstance(connection, Connection) else self.named(connection, tool.toolkit)

    async def _learn_account(self, tool: Tool, connection: Connection, result: Result) -> None:
        """Remember that the account lacks a permission or its credential is rejected; or that its problem is solved."""
        rejected = result.failure is not None and result.failure.kind == "authentication"
        if not rejected and not (result.ok and "account_memory" in self.__dict__):
            return
        from registry.engine.account_check import learned

        known = await asyncio.to_thread(self.account_memory.of, connection.name)
        if changes := learned(known, tool, result):
            await asyncio.to_thread(self.account_memory.learn, connection.name, **changes)

    # Tools and accounts

    @cached_property
    def catalog(self) -> Catalog:
        """All services and tools: also of a toolkit whose folder has gone, until the toolkits are read again."""
        return load(toolkit_folders(self.settings.environment))

    @cached_property
    def account_book(self) -> AccountBook:
        """The accounts in the settings. Its methods block: call them in a thread."""
        from registry.accounts.book import AccountBook
        from registry.accounts.stores import Secrets

        environment = self.settings.environment
        return AccountBook(config_file(environment), self.catalog.toolkits, Secrets(environment))

    @cached_property
    def account_memory(self) -> AccountMemory:
        """The results of account tests. Its methods block: call them in a thread."""
        from registry.accounts.memory import AccountMemory

        return AccountMemory(state_file(HISTORY, self.settings.state).parent)

    @cached_property
    def _found(self) -> tuple[Mapping[str, Connection], str]:
        """The connections by name, and why the accounts in the environment cannot be used. Blocks when they are first read."""
        return self._found_now()

    def _found_now(self) -> tuple[Mapping[str, Connection], str]:
        try:
            typings(self.settings.environment)
            return connections(self.settings.environment, self._own), ""
        except ConnectionSettingsError as error:
            return {SANDBOX: sandbox(load(toolkit_folders(self.settings.environment)).toolkits)}, str(error)

    def _own(self, others: Mapping[str, Connection]) -> Mapping[str, Connection]:
        """The connections of the accounts in the settings, and those of the environment whose clients get tokens."""
        file, is_there = config_file(self.settings.environment), True
        with suppress(OSError):  # one that cannot be accessed may exist
            is_there = exists(file)
        own = self.account_book.connections(others) if is_there or "account_book" in self.__dict__ else {}
        endpoints = {name: one for each in others.values() for name, one in each.endpoints.items()}
        if all(way.token_url is None for one in endpoints.values() for way in one.service.authentication):
            return own
        from registry.accounts.credentials import with_client_tokens  # slow to import

        return {name: with_client_tokens(one) for name, one in others.items()} | own

    @property
    def connections(self) -> Mapping[str, Connection]:
        """The sandbox and all accounts, by name: first those with credentials in the environment, then those in the settings.

        If there is a `problem`, only the sandbox.
        """
        return self._found[0]

    @property
    def problem(self) -> str:
        """Why the accounts in the environment cannot be used; empty if they can."""
        return self._found[1]

    @property
    def account_problems(self) -> Mapping[str, str]:
        """Why accounts in the settings cannot be used, by name; "" is the whole file."""
        return self.account_book.problems if self._found and "account_book" in self.__dict__ else {}

    def connection(self, name: str) -> Connection:
        """The connection with a name.

        Raises:
            ConnectionSettingsError: there is no such connection, or the environment's accounts cannot be used.
        """
        if self.problem:
            raise ConnectionSettingsError(self.problem)
        if name not in self.connections and (wrong := self.account_problems.get(name) or self.account_problems.get("")):
            raise ConnectionSettingsError(f"the account {name!r} cannot be used: {wrong}")
        if name not in self.connections:
            if service := next((one for one in self.catalog.toolkits.values() if one.name == name), None):
                raise ConnectionSettingsError(f"account {name!r} is not set up: set {service.needs} in the environment")
            raise ConnectionSettingsError(f"unknown account {name!r}; available: {', '.join(self.connections)}")
        return self.connections[name]

    def named(self, name: str | None, toolkit: str) -> Connection:
        """The connection with a name; without a name, the usual one of a toolkit.

        Raises:
            ConnectionSettingsError: there is no such connection, the environment's accounts cannot be used, or the settings do
                not show the usual one: calls that were meant for an account would go to the sandbox.
        """
        if name is not None:
            return self.connection(name)
        if self.problem:
            raise ConnectionSettingsError(self.problem)
        usual = self.usual(toolkit)
        if not usual.default and "account_book" in self.__dict__:
            self.account_book.refuse_unusable_default(self.catalog.toolkits.get(toolkit))
        return usual

    def usual(self, toolkit: str) -> Connection:
        """The connection of a toolkit's calls if no other is named: its default account, the sandbox, or else any account.

        If there is none, it is an account that says what it needs, and that sends nothing. For a removed toolkit, which
        may still be in the history, it is the sandbox.
        """
        service = self.catalog.toolkits.get(toolkit)
        serving = [one for one in self.connections.values() if toolkit in one.endpoints]
        if service is None or not serving:
            return self.connections[SANDBOX] if service is None else needed_account(service)
        # The sandbox comes first; among accounts, the one that the service's own variables make.
        ranks = {SANDBOX: 1, service.name: 2}
        return min(serving, key=lambda one: 0 if one.default else ranks.get(one.name, 3))

    # What sends, and what keeps

    @cached_property
    def history(self) -> CallRecorder:
        """What records calls in the history. Its methods block, except `note`: call them in a thread."""
        return CallRecorder(state_file(HISTORY, self.settings.state), tell=self.settings.tell)

    @cached_property
    def _client(self) -> ToolClient:
        settings = self.settings
        return ToolClient(
            Path(user_downloads_path()) if settings.downloads is None else settings.downloads,
            self._network,
            sleep=self._sleep,
            journal=self.history.note if self.keeps_history else None,
            clock=settings.clock,
            traces=self.traces,
        )


def _sandbox() -> ASGIApp:
    from registry.sandbox.server import application  # only for calls to it: it is half of the program

    return application(limits=True)
