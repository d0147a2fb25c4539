"""What the screens share and what outlives them: the catalogue, the connections in use, drafts, and the last results.

The engine behind it takes a fifth of a second to load, so it is loaded in a thread once the first frame stands; whoever needs
it awaits `ready`.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from registry.catalog.folders import toolkit_folders
from registry.catalog.listing import Listed, table_of_contents, toolkit_titles
from tui.gone import Gone
from tui.results import Results

if TYPE_CHECKING:
    from registry.argument_sets.store import ArgumentSets
    from registry.calling.arguments import Arguments
    from registry.calling.client import Client
    from registry.calling.request import Preview
    from registry.calling.result import Result
    from registry.calling.sandboxed import ASGIApp
    from registry.calling.sending import Observer
    from registry.calling.tracing import Traces
    from registry.catalog.loader import Catalog
    from registry.catalog.model import Parameter, Tool
    from registry.connections.links import Link
    from registry.connections.policy import Consent, Policy
    from registry.connections.profiles import Connection
    from registry.deleting.reads import Reads
    from registry.gathering.gathering import Gathering
    from registry.journal.drafts import Draft, Drafts
    from registry.journal.history import History
    from registry.references.ways import Ways
    from registry.sharing.forms import Form
    from tui.layouts import Layouts
    from tui.preferences import Preferences
    from tui.shortcuts import Shortcuts


class Session:
    """One run of the program.

    Attributes:
        contents: all tools as the tree and the filter need them; there from the start.
        toolkits: their toolkits, in the order in which they are shown; there from the start.
        drafts: raw values by tool and parameter, as the user left them.
        results: the last result of each tool, and those before it.
        gone: what was deleted.
        chosen: the connection of each toolkit; toolkits that are not named use the sandbox, or their account where the sandbox
            does not have them.
        cap: how many items a fetch of a whole list stops at; None for no cap.
        tell: is called, from any thread, with what the user should know; set by whoever shows it.
        settings_error: why the environment's connections cannot be used; empty when they can.
        clock: the present in Unix seconds.
        environment: the variables that the program was started with.
    """

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        contents: Sequence[Listed] | None = None,
        *,
        sandbox: Callable[[], ASGIApp] | None = None,
        read_only: bool = False,
        preferences: Preferences | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._found = toolkit_folders(environment)
        self.contents = contents if contents is not None else table_of_contents(self._found)
        self.toolkits = toolkit_titles(self._found)
        self.drafts: dict[str, dict[str, object]] = {}
        self.results = Results()
        self.gone = Gone()
        self.cap: int | None = 10_000
        self.chosen: dict[str, str] = {}
        self.settings_error = ""
        self.tell: Callable[[str], None] = lambda _: None
        self.clock = clock
        self.environment = environment
        self._sandbox = sandbox
        self._read_only = read_only
        self._loading: asyncio.Task[None] | None = None
        self._catalog: Catalog | None = None
        self._ways: Ways | None = None
        self._connections: dict[str, Connection] = {}
        self._usual: dict[str, str] = {}
        self._client: Client | None = None
        self._history: History | None = None
        self._traces: Traces | None = None
        self._kept: Drafts | None = None
        self._preferences = preferences
        self._shortcuts: Shortcuts | None = None
        self._layouts: Layouts | None = None

    async def ready(self) -> None:
        """Wait until the catalogue is loaded and tools can be run."""
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(self._load))
        await asyncio.shield(self._loading)

    async def aclose(self) -> None:
        """Close what calls kept open."""
        if self._client is not None:
            await self._client.aclose()
        if self._history is not None:
            await asyncio.to_thread(self._history.close)
        if self._kept is not None:
            await asyncio.to_thread(self._kept.close)

    @property
    def catalog(self) -> Catalog:
        """The whole catalogue, once it is ready."""
        assert self._catalog is not None, "ready() comes first"
        return self._catalog

    @property
    def shortcuts(self) -> Shortcuts:
        """Favourites and recent tools, once it is ready."""
        assert self._shortcuts is not None, "ready() comes first"
        return self._shortcuts

    @property
    def argument_sets(self) -> ArgumentSets:
        """Arguments that are saved under names, beside what else is remembered. Its methods block: call them in a thread."""
        from registry.argument_sets.store import ArgumentSets

        return ArgumentSets(self.preferences.folder / "arguments")

    @property
    def layouts(self) -> Layouts:
        """How the panes stand, once it is ready."""
        assert self._layouts is not None, "ready() comes first"
        return self._layouts

    @property
    def client(self) -> Client:
        """What runs tools, once it is ready; what goes through it is not remembered among the results."""
        assert self._client is not None, "ready() comes first"
        return self._client

    @property
    def preferences(self) -> Preferences:
        """How things should look, once it is ready."""
        assert self._preferences is not None, "ready() comes first"
        return self._preferences

    @property
    def ways(self) -> Ways:
        """How tools reach objects, once it is ready."""
        assert self._ways is not None, "ready() comes first"
        return self._ways

    @property
    def connections(self) -> Mapping[str, Connection]:
        """All connections through which something can be sent, by name, once they are ready."""
        return {
            name: one for name, one in self._connections.items() if not any(point.needs for point in one.endpoints.values())
        }

    def connection(self, toolkit: str) -> Connection:
        """The connection that a toolkit's calls go through."""
        return self._connections[self.chosen.get(toolkit) or self._usual.get(toolkit, "sandbox")]

    def needs(self, toolkit: str) -> str:
        """The environment variables without which none of a toolkit's tools can be run, in words; empty where all is there."""
        return self.connection(toolkit).endpoint(toolkit).needs

    @property
    def policy(self) -> Policy:
        """What may be sent, once it is ready."""
        assert self._client is not None, "ready() comes first"
        return self._client.policy

    @property
    def history(self) -> History | None:
        """The journal of calls, once it is ready; None where it is switched off. Its methods block: call them in a thread."""
        return self._history

    @property
    def traces(self) -> Traces:
        """The last requests, once it is ready."""
        assert self._traces is not None, "ready() comes first"
        return self._traces

    def seen(self, tool: Tool, parameter: Parameter, text: str) -> list[tuple[str, str]]:
        """Ids that a parameter takes and answers have named, with labels, newest first. Blocks; none where that fails."""
        from registry.journal.history import JournalError

        if self._history is None or not parameter.refers_to:
            return []
        try:
            connection = self.connection(tool.toolkit).name
            found = self._history.seen(tool.toolkit, parameter.refers_to, text, connection)
            gone = self.gone.of(connection)
            return [(id_, f"✗ deleted {label}".rstrip() if id_ in gone else label) for id_, label in found]
        except JournalError:
            return []  # whoever types an id is not held up; the history screen tells what is wrong

    def draft(self, tool: Tool, raw: Mapping[str, object]) -> None:
        """Remember what stands in a form; also beyond a crash, as long as it was not run."""
        self.drafts[tool.name] = dict(raw)
        if self._kept is not None:
            self._kept.note(tool.name, raw, (one.name for one in tool.parameters if one.role == "secret"))

    def settle(self, tool: str, raw: Mapping[str, object]) -> None:
        """A form holds what was run, or what the program has filled in: nothing that could be lost."""
        if self._kept is not None:
            self._kept.settle(tool, raw)

    @property
    def left(self) -> Sequence[Draft]:
        """Drafts that a former run left behind, newest first."""
        return [one for one in self._kept.left if one.tool in self.catalog.tools] if self._kept is not None else []

    def recover(self, tool: str) -> bool:
        """Make a draft that was left behind the tool's draft; tells whether it was there."""
        values = self._kept.recover(tool) if self._kept is not None else None
        if values is not None:
            known = {one.name for one in self.catalog.tools[tool].parameters}
            self.drafts[tool] = {name: value for name, value in values.items() if name in known}
        return values is not None

    def forget(self, tools: Iterable[str]) -> None:
        """Let go of drafts that a former run left behind."""
        if self._kept is not None:
            self._kept.forget(tools)

    def check(self, tool: Tool, raw: Mapping[str, object]) -> Arguments:
        """Check a form's raw values."""
        from registry.calling.arguments import check

        return check(tool, raw, self.clock())

    def preview(self, tool: Tool, arguments: Arguments) -> Preview:
        """The request that would be sent, secrets masked."""
        from registry.calling.composed import opening
        from registry.calling.request import preview

        return preview(opening(tool, arguments), self.connection(tool.toolkit).endpoint(tool.toolkit))

    def forms(self, tool: Tool, arguments: Arguments, connection: str) -> Sequence[Form]:
        """A call as text that somebody else can run, without any secret."""
        from registry.sharing.forms import forms

        return forms(tool, arguments, self._connections[connection])

    def link(self, tool: Tool, text: str, connection: str) -> Link:
        """The address that a value from a tool's answer is, if it is one that may be opened; else raises `LinkRefused`."""
        from registry.connections.links import link_in

        return link_in(text, self._connections[connection].endpoint(tool.toolkit))

    async def call(
        self,
        tool: Tool,
        raw: Mapping[str, object],
        observer: Observer | None = None,
        consent: Consent | None = None,
        connection: Connection | None = None,
    ) -> Result:
        """Run a tool and remember its result.

        Args:
            tool: what to call.
            raw: argument values by parameter name.
            observer: is told how the call gets on.
            consent: how far the user has agreed to a change.
            connection: what to go through; without it, the one chosen for the toolkit.
        """
        from registry.connections.policy import Consent

        assert self._client is not None, "ready() comes first"
        agreed = consent if consent is not None else Consent.NONE
        through = connection if connection is not None else self.connection(tool.toolkit)
        result = await self._client.call(tool, raw, through, observer=observer, consent=agreed)
        self.results.add(result)
        return result

    def reads(self, tool: Tool, connection: Connection) -> Reads:
        """The reads by which a change is looked at, before and after it."""
        from registry.deleting.reads import Reads

        assert self._client is not None, "ready() comes first"
        return Reads(self._client, self.catalog, self.ways.of(tool), connection)

    def gathering(self, tool: Tool, raw: Mapping[str, object], most: int | None) -> Gathering:
        """The fetch of a whole list, to be begun; `most` is the user's cap. Makes a file: call it in a thread.

        Raises:
            OSError: no file can be made.
        """
        from registry.gathering.gathering import Gathering
        from registry.gathering.spool import Spool

        assert self._client is not None, "ready() comes first"
        return Gathering(self._client, tool, raw, self.connection(tool.toolkit), spool=Spool(), most=most)

    def reading(self, parameter: Parameter, text: str) -> str:
        """What a value of a parameter means, where that is not to be seen: what a time becomes."""
        from registry.calling.times import reading

        return reading(parameter, text, self.clock())

    def offers(self, tool: Tool, parameter: Parameter, before: Sequence[str], typed: str) -> list[tuple[str, str]]:
        """Values that may stand in a field, with what people call them: codes, zones, fields, or ids that were seen. Blocks."""
        from registry.calling.completing import completes, completions

        if completes(parameter):
            return completions(tool, parameter, before, typed, self.clock())
        return self.seen(tool, parameter, typed)

    def has_list(self, tool: Tool, parameter: Parameter) -> bool:
        """Whether the service has a list in which an id for a parameter is found."""
        from registry.references.sources import sources_of

        return bool(sources_of(tool, parameter, {}, self.ways))

    def _hidden(self, text: str) -> str:
        """A text with a mask wherever a credential of a connection stands in it."""
        content = text.encode("utf-8", "surrogatepass")
        for connection in self._connections.values():
            for endpoint in connection.endpoints.values():
                content = endpoint.hide(content)
        return content.decode("utf-8", "surrogatepass")

    def _load(self) -> None:
        from platformdirs import user_downloads_path

        from registry.calling.client import Client
        from registry.calling.sending import Network
        from registry.calling.tracing import Traces
        from registry.catalog.loader import load, services
        from registry.connections.policy import Policy
        from registry.connections.profiles import ConnectionSettingsError, connections, sandbox, usual_connection
        from registry.journal.audit import Audit
        from registry.journal.drafts import Drafts
        from registry.journal.history import History
        from registry.journal.places import audit_file, history_file
        from registry.references.ways import Ways
        from tui.layouts import Layouts
        from tui.preferences import Preferences, usual_folder
        from tui.shortcuts import Shortcuts

        try:
            self._connections = connections(self.environment)
        except ConnectionSettingsError as error:
            self._connections = {"sandbox": sandbox(services(self._found))}
            self.settings_error = str(error)
        self._catalog = load(self._found)
        for toolkit, service in self._catalog.toolkits.items():
            usual = usual_connection(service, self._connections)
            self._usual[toolkit] = usual.name
            self._connections.setdefault(usual.name, usual)
        self._traces = Traces()
        network = Network(sandbox=self._sandbox) if self._sandbox is not None else Network()
        policy = Policy.of(self.environment, read_only=self._read_only)
        if not self.environment.get("CALLBOARD_NO_JOURNAL"):
            self._history = History(history_file(), tell=lambda words: self.tell(words))
        downloads, audit = Path(user_downloads_path()), Audit(audit_file())
        self._client = Client(
            downloads,
            network=network,
            policy=policy,
            recorder=audit,
            journal=self._history,
            clock=lambda: self.clock(),
            traces=self._traces,
        )
        self._client.warm_up()
        if self._preferences is None:
            self._preferences = Preferences(usual_folder())
        self._preferences.load()
        self._shortcuts = Shortcuts(self._preferences.folder)
        self._shortcuts.load()
        self._kept = Drafts(
            self._preferences.folder / "drafts", self._hidden, tell=lambda words: self.tell(words), clock=self.clock
        )
        self._kept.find()
        self._layouts = Layouts(self._preferences.folder)
        self._layouts.load()
        self._ways = Ways(self._catalog)
