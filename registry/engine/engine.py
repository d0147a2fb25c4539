"""The engine: the only place where calls are assembled and made.

An engine holds what every call needs: the catalogue and the links between its tools, the accounts, the network and the
sandbox, the policy, the history, the audit log, the last requests. Each part is created on first use, so that a command loads
only what it uses; `Engine.load` creates them all, in a thread if wanted. What a call that reads needs is in `ReadingEngine`.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from msgspec import structs

from registry.accounts.account import Account
from registry.accounts.connection import CONFIRM_BY, SANDBOX, Connection
from registry.accounts.memory import Known
from registry.accounts.policy import Consent, NotAllowed, Policy
from registry.accounts.renewed import Ending, RenewedSecret
from registry.calling.network import Network
from registry.calling.result import Became, Failure, Result
from registry.calling.sending import Answered, Elicit, Observer, Sleep
from registry.calling.several_accounts import SeveralAccounts, joined, refuse
from registry.catalog.folders import toolkit_folders
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.changes.checked import ChangeCheck
from registry.changes.deletion import Deleted, OnSurprise, Outcome, carry_out, delete_many
from registry.changes.deletion import Progress as ProgressOfMany
from registry.changes.reads import Reads
from registry.engine.account_check import tested
from registry.engine.changing import Question
from registry.engine.elicitation import elicitation_of
from registry.engine.presenter import Presenter
from registry.engine.reading import ReadingEngine, Settings
from registry.engine.settling import settle
from registry.journal.agent_requests import AgentRequests
from registry.journal.audit import Audit, Change, copied_to
from registry.journal.history import History
from registry.journal.store import AGENT_REQUESTS, AUDIT, HISTORY, state_file
from registry.references.routes import Routes
from registry.results.list_fetch import ListFetch
from registry.results.spool import Spool


def open_engine(settings: Settings | None = None, *, network: Network | None = None, sleep: Sleep = asyncio.sleep) -> "Engine":
    """An engine, to use in ``async with``, or to close with `Engine.aclose`. The arguments are those of `ReadingEngine`."""
    return Engine(settings, network=network, sleep=sleep)


class Engine(ReadingEngine):
    """Makes calls. Create one with `open_engine`."""

    async def aclose(self) -> None:
        """Close every connection, and write the rest of the history."""
        await super().aclose()
        if "audit" in self.__dict__:
            self.audit.close()
        if "agent_requests" in self.__dict__:
            self.agent_requests.close()

    def load(self) -> None:
        """Create every part that the first call needs. Takes 0.1 s; safe in a thread."""
        _ = self.catalog, self._client, self.connections

    def reload_toolkits(self) -> Callable[[], None]:
        """Read the toolkits again, after one was added or removed. Blocks. Unchanged tools stay the same objects.

        Returns what puts them in their place, all at once: call it where nothing is halfway through reading the former ones.
        """
        toolkits, before = toolkit_folders(self.settings.environment), self.catalog.tools
        catalog = load(toolkits)
        tools = {name: old if (old := before.get(name)) == tool else tool for name, tool in catalog.tools.items()}
        catalog = structs.replace(catalog, tools=tools)
        self.account_book.knows(catalog.toolkits)
        found = {"catalog": catalog, "routes": Routes(catalog)}
        found["_found"] = self._found_now()
        return lambda: self.__dict__.update(found)

    @cached_property
    def routes(self) -> Routes:
        """How tools reach objects."""
        return Routes(self.catalog)

    @property
    def accounts(self) -> Mapping[str, Account]:
        """The usable accounts in the settings, by name, as last read."""
        return {account.name: account for account in self.account_book.opened} if self._found else {}

    def reload_accounts(self) -> None:
        """Read the accounts in the settings again, after a change. Blocks."""
        self.__dict__["_found"] = self._found_now()

    @property
    def account_wrongs(self) -> list[str]:
        """The errors in the accounts of the settings, each with the account's name."""
        return [f"{name}: {words}" if name else words for name, words in self.account_problems.items()]

    @cached_property
    def policy(self) -> Policy:
        """The policy. If a rule in the environment is invalid, there is a `problem`, and deletions require the whole id."""
        rules = dict(self.settings.environment)
        if self.problem:
            rules.pop(CONFIRM_BY, None)
        return Policy(rules, read_only=self.settings.read_only)

    @cached_property
    def history(self) -> History:
        """The history of calls. Its methods block: call them in a thread."""
        return History(state_file(HISTORY, self.settings.state), tell=self.settings.tell)

    @cached_property
    def audit(self) -> Audit:
        """The audit log of changes. Its methods block: call them in a thread."""
        copy = copied_to(self.settings.environment, self.settings.tell)
        return Audit(state_file(AUDIT, self.settings.state), caller=self.settings.caller, copy=copy)

    @cached_property
    def agent_requests(self) -> AgentRequests:
        """Changes requested by agents that wait for a person's answer. Its methods block: call them in a thread."""
        return AgentRequests(state_file(AGENT_REQUESTS, self.settings.state))

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
        tool, there = self._meant(tool, connection)
        if tool.effect == "read":
            observer = presenter.progress if presenter is not None else None
            elicit = self._elicit(presenter, tool, there) if presenter is not None else None
            return await self.read(tool, arguments, there, observer=observer, elicit=elicit, remember=remember)
        checked, asks = self.validate(tool, arguments or {}), presenter or Presenter()
        checking, decision = ChangeCheck(self.reads(tool, there), tool, checked), self.policy.decide(tool, there)
        if decision.kind in ("switch", "refuse"):
            raise NotAllowed(tool.name, decision)
        shown = self.preview(tool, checked, there)
        agreed = await asks.consent(Question(tool, checked, there, decision, consent, shown, checking))
        if agreed is not None and not decision.allows(agreed):
            raise NotAllowed(tool.name, decision)
        seen = await checking.run() if agreed is not None else checking.result
        if seen.verdict == "refuse" or agreed is None:
            cause, way_out = "The change was not confirmed.", "Run it again and confirm it."
            if seen.verdict == "refuse":
                cause, way_out = seen.in_the_way, "Check its current state and fix the arguments."
            failure = Failure("refused", "Nothing was sent", cause, way_out)
            became: Became = "gone" if seen.verdict == "refuse" and seen.gone else "refused"
            given = dict(checked.values)
            return Result(tool.name, there.name, None, failure=failure, arguments=given, became=became)
        observer, elicit = asks.progress, self._elicit(asks, tool, there)
        outcome = await carry_out(checking, agreed, self.policy, self.audit, observer=observer, elicit=elicit, stop=stop)
        result = outcome.result_to_show
        assert result is not None
        if there.name != SANDBOX:
            await self._learn_account(tool, there, result)
        return result

    def _elicit(self, presenter: Presenter, tool: Tool, connection: Connection) -> Elicit | None:
        """A function that asks the user a server's questions; None if there is no MCP server."""
        service = connection.endpoint(tool.toolkit).service
        if service.mcp is None:
            return None

        async def elicit(message: str, schema: Mapping[str, Any], url: str) -> Answered:
            from registry.openapi.mcp_server import form_of  # pydantic and YAML: slow, and few calls ask anything

            form, clock = form_of(schema, tool.toolkit), self.settings.clock
            return await presenter.elicit(elicitation_of(service.title, tool, message, form, schema, url, clock))

        return elicit

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
            ConnectionSettingsError: the tool changes data, or an account is named twice; nothing was sent. Also as for `run`.
            UnknownTool, ArgumentError: as for `run`; nothing was sent.
        """
        tool = self.tool(tool) if isinstance(tool, str) else tool
        accounts = [self._meant(tool, one)[1] for one in connections]
        refuse(tool, [one.name for one in accounts])
        for one in accounts:
            one.endpoint(tool.toolkit)
        parts = await asyncio.gather(*(self.run(tool, arguments, one, presenter=presenter) for one in accounts))
        return await asyncio.to_thread(joined, tool, parts)

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
        tools = [one for one in self.catalog.tools.values() if one.toolkit == toolkit]
        known = await tested(service, tools, partial(self._client.read, connection=connection, whose="test"), time.time())
        if (ending := self.ending(connection, toolkit)) is not None:
            known = structs.replace(known, ends=ending.at, renews=ending.renews)
        await asyncio.to_thread(self.account_memory.note, name, known)
        return self.account_memory.of(name)

    def ending(self, connection: Connection | str, toolkit: str) -> Ending | None:
        """When the credential of an account expires: as this run knows it, otherwise as the last test showed. Sends nothing.

        Raises:
            ConnectionSettingsError: there is no such connection, or it does not serve the toolkit.
        """
        connection = self.connection(connection) if isinstance(connection, str) else connection
        credential = connection.endpoint(toolkit).credential
        here = credential.ending if isinstance(credential, RenewedSecret) else None
        return here or (self.account_memory.of(connection.name).ending if connection.name != SANDBOX else None)

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
        tool, there = self._meant(tool, connection)
        reads, may, log = self.reads(tool, there), self.policy, self.audit
        return await delete_many(reads, tool, items, consent, may, log, on_surprise=on_surprise, progress=progress, stop=stop)

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
        tool, there = self._meant(tool, connection)
        return ListFetch(self._client, tool, arguments, there, spool=spool, most=most, observer=observer)

    def reads(self, tool: Tool | str, connection: Connection | str | None) -> Reads:
        """The reads that check a change with a tool, before and after it. Tool and account are those of `run`.

        Raises:
            UnknownTool: there is no tool with this name.
            ConnectionSettingsError: there is no such connection.
        """
        tool, there = self._meant(tool, connection)
        return Reads(self._client, self.catalog, self.routes.of(tool), there, self._sleep)

    async def settle(self, *, again: bool = False) -> list[tuple[Change, Outcome]]:
        """Find out the outcome of changes that were cut off, by reading. See `registry.engine.settling.settle`."""
        return await settle(self, self.audit, self.reads, again=again)

    def reading(
        self, connection: Callable[[str], Connection], whose: str = "the program"
    ) -> Callable[[Tool | str, Mapping[str, object], Observer], Awaitable[Result]]:
        """A function that runs reading tools, for screens that refresh themselves; not kept in the history.

        Args:
            connection: returns the connection for a toolkit.
            whose: for what it reads, as the list of requests says: ``dashboard``, ``page`` …
        """

        async def call(tool: Tool | str, arguments: Mapping[str, object], observer: Observer) -> Result:
            tool = self.tool(tool) if isinstance(tool, str) else tool
            there = connection(tool.toolkit)
            return await self.read(tool, arguments, there, observer=observer, remember=False, whose=whose)

        return call
