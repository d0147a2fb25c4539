"""The settings of an engine, and the parts that every call needs, each created on first use. No other code assembles them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace
from platformdirs import user_downloads_path
from starlette.types import ASGIApp

from registry.accounts.account import Account, AccountError
from registry.accounts.book import AccountBook
from registry.accounts.connection import Connection, connections, knowing, sandbox, usual_connection
from registry.accounts.memory import AccountMemory
from registry.accounts.opened import opened
from registry.accounts.policy import CONFIRM_BY, Policy, typings
from registry.accounts.problems import ConnectionSettingsError
from registry.accounts.stores import Secrets
from registry.calling.client import PlannedChange, ToolClient
from registry.calling.network import Network
from registry.calling.receiving import ResponseLimits
from registry.calling.sending import Sleep
from registry.calling.tracing import Traces
from registry.catalog.folders import Found, toolkit_folders
from registry.catalog.loader import Catalog, load, services
from registry.changes.checked import redeem
from registry.files.folders import check_links, config_file
from registry.journal.agent_requests import AgentRequests
from registry.journal.audit import Audit, copied_to
from registry.journal.history import History
from registry.journal.store import agent_requests_file, audit_file, history_file
from registry.references.routes import Routes

SANDBOX = "sandbox"
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
    limits: ResponseLimits | None = None
    clock: Callable[[], float] = time.time
    caller: Callable[[], str] = str
    tell: Callable[[str], object] = lambda _: None


class Parts:
    """The parts of an engine.

    Attributes:
        settings: the settings that it was opened with.
        account_problems: why accounts in the settings cannot be used, by name; "" is the whole file. Set with `connections`.
    """

    def __init__(self, settings: Settings, *, network: Network | None = None, sleep: Sleep = asyncio.sleep) -> None:
        self.settings = settings
        self._sleep = sleep
        self._opened: list[Network] = [] if network is None else [network]
        self._kept_accounts: dict[Account, Connection] = {}
        self.account_problems: Mapping[str, str] = {}
        self._unusable_defaults: Mapping[str, str] = {}

    async def aclose(self) -> None:
        """Close every connection, and write the rest of the history."""
        for network in self._opened:
            await network.aclose()
        if "audit" in self.__dict__:
            self.audit.close()
        if "agent_requests" in self.__dict__:
            self.agent_requests.close()
        if "history" in self.__dict__:
            await asyncio.to_thread(self.history.close)

    def load(self) -> None:
        """Create every part that the first call needs. Takes 0.1 s; safe in a thread."""
        _ = self.catalog, self._client, self.connections, self.traces

    @cached_property
    def catalog(self) -> Catalog:
        """All tools."""
        return load(self.toolkits)

    @cached_property
    def toolkits(self) -> Found:
        """The folders of all toolkits."""
        return toolkit_folders(self.settings.environment)

    def reload_toolkits(self) -> None:
        """Read the toolkits again, after one was added or removed. Blocks. Unchanged tools stay the same objects."""
        toolkits, before = toolkit_folders(self.settings.environment), self.catalog.tools
        catalog = load(toolkits)
        tools = {name: old if (old := before.get(name)) == tool else tool for name, tool in catalog.tools.items()}
        catalog = replace(catalog, tools=tools)
        # All at once: the event loop may read any of them in the meantime.
        self.__dict__.update(toolkits=toolkits, catalog=catalog, routes=Routes(catalog))
        self.__dict__.pop("account_book", None)
        self.reload_accounts()

    @cached_property
    def routes(self) -> Routes:
        """How tools reach objects."""
        return Routes(self.catalog)

    @cached_property
    def _found(self) -> tuple[Mapping[str, Connection], str]:
        try:
            typings(self.settings.environment)
            found = connections(self.settings.environment)
        except ConnectionSettingsError as error:
            return {SANDBOX: sandbox(services(self.toolkits))}, str(error)
        return knowing(found | self._owned(found)), ""

    def _owned(self, others: Mapping[str, Connection]) -> dict[str, Connection]:
        """The connections of the accounts in the settings. An unchanged account keeps its connection, with its credential."""
        if _is_missing(config_file(self.settings.environment)):
            self.account_problems, self._unusable_defaults, self._kept_accounts = {}, {}, {}
            return {}  # most calls use no accounts from the settings, and need not import what reads them

        listed = self.account_book.read()
        problems, defaults = dict(listed.problems), dict(listed.defaults)
        made = {}
        for name, account in listed.found.items():
            if name in others:
                problems[name] = f"the environment already makes an account {name}; rename this one"
            elif account in self._kept_accounts:
                made[name] = self._kept_accounts[account]
            else:
                try:
                    made[name] = opened(account, self.account_book.service(account.service), self.account_book.secrets)
                except AccountError as error:  # an unusable account must not affect the others
                    problems[name] = str(error)
            if account.default and name not in made:
                defaults[name] = account.service
        self.account_problems, self._unusable_defaults = problems, defaults
        self._kept_accounts = {listed.found[name]: connection for name, connection in made.items()}
        return made

    @property
    def accounts(self) -> Mapping[str, Account]:
        """The usable accounts in the settings, by name, as last read."""
        _ = self.connections
        return {account.name: account for account in self._kept_accounts}

    def reload_accounts(self) -> None:
        """Read the accounts in the settings again, after a change. Blocks."""
        self.__dict__.pop("_found", None)
        _ = self._found

    @cached_property
    def account_book(self) -> AccountBook:
        """The accounts in the settings. Its methods block: call them in a thread."""
        environment = self.settings.environment
        return AccountBook(config_file(environment), services(self.toolkits), Secrets(environment))

    @cached_property
    def account_memory(self) -> AccountMemory:
        """The results of account tests. Its methods block: call them in a thread."""
        return AccountMemory(history_file(self.settings.state).parent)

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
    def account_wrongs(self) -> list[str]:
        """The errors in the accounts of the settings, each with the account's name."""
        _ = self.connections
        return [f"{name}: {words}" if name else words for name, words in self.account_problems.items()]

    def connection(self, name: str) -> Connection:
        """The connection with a name.

        Raises:
            ConnectionSettingsError: there is no such connection, or the environment's accounts cannot be used.
        """
        self._refuse_problem()
        if name not in self.connections and (wrong := self.account_problems.get(name) or self.account_problems.get("")):
            raise ConnectionSettingsError(f"the account {name!r} cannot be used: {wrong}")
        if name not in self.connections:
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
        self._refuse_problem()
        usual = self.usual(toolkit)
        if not usual.default:
            self._refuse_unusable_default(toolkit)
        return usual

    def _refuse_problem(self) -> None:
        if self.problem:
            raise ConnectionSettingsError(self.problem)

    def _refuse_unusable_default(self, toolkit: str) -> None:
        service = services(self.toolkits).get(toolkit)
        for name, of in self._unusable_defaults.items():
            if service is None or of in ("", service.name):
                wrong = f"the default account {name!r} cannot be used" if name else "the default account is not known"
                way_out = "Correct it, or name an account, for example --account sandbox"
                raise ConnectionSettingsError(f"{wrong}: {self.account_problems[name].rstrip('.')}. {way_out}")

    def usual(self, toolkit: str) -> Connection:
        """The connection of a toolkit's calls if no other is named: the sandbox, or else the toolkit's account.

        If there is neither, it is an account that says what it needs, and that sends nothing. For a removed toolkit, which
        may still be in the history, it is the sandbox.
        """
        service = services(self.toolkits).get(toolkit)
        return usual_connection(service, self.connections) if service is not None else self.connections[SANDBOX]

    @cached_property
    def policy(self) -> Policy:
        """The policy. If a rule in the environment is invalid, there is a `problem`, and deletions require the whole id."""
        rules = dict(self.settings.environment)
        if self.problem:
            rules.pop(CONFIRM_BY, None)
        return Policy(rules, read_only=self.settings.read_only)

    @property
    def keeps_history(self) -> bool:
        """Whether calls are written to the history."""
        return self.settings.journal and not self.settings.environment.get("CALLBOARD_NO_JOURNAL")

    @cached_property
    def history(self) -> History:
        """The history of calls. Its methods block: call them in a thread."""
        return History(history_file(self.settings.state), tell=self.settings.tell)

    @cached_property
    def audit(self) -> Audit:
        """The audit log of changes. Its methods block: call them in a thread."""
        copy = copied_to(self.settings.environment, self.settings.tell)
        return Audit(audit_file(self.settings.state), caller=self.settings.caller, copy=copy)

    @cached_property
    def agent_requests(self) -> AgentRequests:
        """Changes requested by agents that wait for a person's answer. Its methods block: call them in a thread."""
        return AgentRequests(agent_requests_file(self.settings.state))

    @cached_property
    def traces(self) -> Traces:
        """The last requests, with their timings."""
        return Traces()

    @cached_property
    def _client(self) -> ToolClient:
        downloads = self.settings.downloads
        if downloads is None:
            downloads = Path(user_downloads_path())
        return ToolClient(
            downloads,
            self._network,
            self.policy,
            sleep=self._sleep,
            recorder=self.audit,
            journal=self.history.note if self.keeps_history else None,
            clock=self.settings.clock,
            traces=self.traces,
            redeem=_redeem,
        )

    @cached_property
    def _network(self) -> Network:
        if not self._opened:
            self._opened.append(Network(self.settings.limits, sandbox=self.settings.sandbox or _sandbox))
        return self._opened[0]


def _sandbox() -> ASGIApp:
    from registry.sandbox.server import application  # only for calls to it: it is half of the program

    return application(limits=True)


def _is_missing(file: Path) -> bool:
    """Whether there is no such file; one that cannot be accessed may exist."""
    try:
        file.lstat()
    except FileNotFoundError:
        with suppress(OSError):
            check_links(file)
            return True
    except OSError:
        pass
    return False


def _redeem(proof: object, client: object) -> PlannedChange:
    return redeem(proof, client)
