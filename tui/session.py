"""The state shared by the screens: the catalogue, the accounts in use, drafts, and the last results.

The engine takes 0.2 s to load, so it is loaded in a thread after the first frame; code that needs it awaits `ready`.
"""

import asyncio
import contextlib
import os
import time
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from registry.accounts.connection import Connection
from registry.accounts.links import host_of
from registry.calling.arguments import Arguments
from registry.calling.request import Preview
from registry.calling.result import Result
from registry.calling.search_queries import completes, completions
from registry.calling.sending import Observer
from registry.calling.several_accounts import SeveralAccounts
from registry.calling.times import reading
from registry.catalog.folders import toolkit_folders
from registry.catalog.listing import ToolSummary, table_of_contents, toolkit_titles
from registry.catalog.loader import Catalog
from registry.catalog.model import Parameter, Tool
from registry.catalog.shared_folders import shared_folders
from registry.engine import Answered, Elicitation, Engine, History, Presenter, Sandbox, Settings, open_engine
from registry.files.folders import served_folder
from registry.finding.find import Finder
from registry.journal.drafts import Draft, Drafts
from registry.journal.seen import ids_in
from registry.journal.store import JournalError
from registry.pages.build import head_of
from registry.pages.page import RowHead
from registry.references.routes import Routes
from registry.results.cells import Names
from registry.results.declared import ListedObject, lists_of
from registry.results.headline import Headline, headline_of, objects_in
from registry.results.snippets import Snippet, snippets
from registry.saved.making import own_calls
from registry.saved.store import SavedStore
from tui.state.json_store import Preferences, Shortcuts, usual_folder

Known = TypeVar("Known")

_MOST, _MOST_BYTES = 400, 256_000_000


class Results:
    """The last result of each tool, and earlier ones as far as memory allows.

    Only this keeps results. Other code (the trail, the pages of a list) has weak references, and makes the call again when a
    result is gone.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[int, Result] = OrderedDict()
        self._bytes = 0

    def add(self, result: Result) -> None:
        """Keep a result; if there are too many, the oldest are dropped, but never the newest."""
        self._kept[id(result)] = result
        self._bytes += result.size
        while len(self._kept) > 1 and (len(self._kept) > _MOST or self._bytes > _MOST_BYTES):
            _, gone = self._kept.popitem(last=False)
            self._bytes -= gone.size

    def of(self, tool: str) -> list[Result]:
        """All results of a tool that are still kept, newest first."""
        return [result for result in reversed(self._kept.values()) if result.tool == tool]


class Session:
    """One run of the program.

    Attributes:
        contents: all tools as the tree and the search need them; available from the start.
        toolkits: their toolkits, in the order shown; available from the start.
        drafts: raw values by tool and parameter, as the user left them.
        results: the last results of each tool.
        names: the names of objects by their ids, from results.
        deleted_ids: the ids of the objects deleted in this run, by account.
        chosen: the account of each toolkit by name; other toolkits use the sandbox, or their own account if the sandbox does
        not have them.
        cap: the number of items at which fetching a whole list stops; None for no limit.
        tell: called, from any thread, with a message for the user; set by the application.
        elicit: asks the user a question of an MCP server; set by the running call.
        settings_error: why the accounts of the environment or the settings cannot be used; empty if they can.
        clock: returns the present in Unix seconds.
        environment: the variables that the program was started with.
        sandbox_names: the names of the sandbox in the first line of the screen, longest first.
        preferences: how tables look.
        shortcuts: favourites and recent tools.
        rows: how many rows of a table fit on the screen; lists are requested with so many items unless the form says otherwise.
        None leaves it to the tool.
    """

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        contents: Sequence[ToolSummary] | None = None,
        *,
        sandbox: Sandbox | None = None,
        read_only: bool = False,
        preferences: Preferences | None = None,
        clock: Callable[[], float] = time.time,
        state: Path | None = None,
        account: str = "",
    ) -> None:
        """Start a run.

        Args:
            environment: see the attribute, as for `contents` and `clock`.
            contents: see there.
            sandbox: makes the embedded sandbox; None for the usual one.
            read_only: refuse every change.
            preferences: how tables look, remembered between runs.
            clock: see there.
            state: the folder for everything that is remembered; None for the user's state folder.
            account: the account to start with, for the toolkits that it serves.
        """
        self._found = toolkit_folders(environment)
        self._list(contents if contents is not None else table_of_contents(self._found))
        self.toolkits = toolkit_titles(self._found)
        self.drafts: dict[str, dict[str, object]] = {}
        self.results = Results()
        self.names = Names()
        self._lists_read = set[tuple[str, str]]()
        self.deleted_ids: dict[str, set[str]] = defaultdict(set)
        self.cap: int | None = 10_000
        self.chosen: dict[str, str] = {}
        self.settings_error = ""
        self.tell: Callable[[str], None] = lambda _: None
        self.elicit: Callable[[Elicitation], Awaitable[Answered]] | None = None
        self.clock = clock
        self.environment = environment
        self.rows: int | None = None
        self.sandbox_names: tuple[str, ...] = ("SANDBOX",)
        self._settings = Settings(
            environment=environment,
            read_only=read_only,
            downloads=served_folder(),
            state=state,
            sandbox=sandbox,
            clock=lambda: self.clock(),
            tell=lambda words: self.tell(words),
        )
        self._account = account
        self._loading: asyncio.Task[None] | None = None
        self._engine: Engine | None = None
        self.preferences = preferences or Preferences(state or usual_folder())
        folder = self.preferences.folder / "drafts"
        self._drafts = Drafts(folder, self._hidden, tell=lambda words: self.tell(words), clock=lambda: self.clock())
        self.shortcuts = Shortcuts(self.preferences.folder)

    def signed(self, account: str, id_: str) -> str:
        """An id as shown: with a mark before it if its object was deleted."""
        return f"✗ {id_}" if id_ in self.deleted_ids[account] else id_

    def title_of(self, tool: str) -> str:
        """The title of a tool on screen; its name if it has no title."""
        return self._titles.get(tool) or tool

    def _list(self, contents: Sequence[ToolSummary]) -> None:
        self.contents = contents
        self._titles = {one.name: one.title.text for one in contents}

    def headline(self, tool: Tool, raw: Mapping[str, object], result: Result) -> Headline:
        """The sentence above a result; also stores the names of its objects. Reads the whole body: call it in a thread.

        It makes no request.
        """
        self.names.learn(objects_in(result))
        if (history := self.history) is not None:  # it has names of objects of which this result has only the id
            bare = [one.id for one in ids_in(result.body, tool) if not one.label and not self.names.of(one.id)]
            with contextlib.suppress(JournalError):
                labels = history.labels(tool.toolkit, bare, result.connection)
                self.names.note({id_: label.partition(" · ")[0] for id_, label in labels.items()})
        return headline_of(tool, raw, result, self.names, frozenset(self.deleted_ids[result.connection]))

    async def name_ids(self, tool: Tool, result: Result) -> bool:
        """Read the short lists that name ids of which a result has only the id; returns whether any was read.

        Short is a list without pages, owners and filters: one request, made once in each account.
        """
        if not result.ok or result.connection != self.connection(tool.toolkit).name:
            return False
        found = await asyncio.to_thread(ids_in, result.body, tool)
        return await self.name_types(tool, [one.type for one in found if not one.label and not self.names.of(one.id)])

    async def name_types(self, tool: Tool, types: Iterable[str]) -> bool:
        """Read the short lists of objects of these types, which a tool's ids are of; returns whether any was read."""
        account = self.connection(tool.toolkit)
        listing = self.routes.of(tool).listing
        lists = [route.tool for one in dict.fromkeys(types) for route in listing.get(one, ()) if not route.tool.parameters]
        wanted = {one.name: one for one in lists if (one.name, account.name) not in self._lists_read and one is not tool}
        self._lists_read.update((name, account.name) for name in wanted)
        for one in wanted.values():
            self.names.learn(objects_in(await self.engine.read(one, {}, account, remember=False, whose="names")))
        return bool(wanted)

    def listed(self, tool: str) -> ListedObject:
        """What the toolkit declares about lists of the objects that a tool returns."""
        known = self.catalog.tools.get(tool)
        return lists_of(known.toolkit).listed(known.returns.objects) if known else ListedObject()

    def row_head(self, tool: str) -> Callable[[bytes], RowHead] | None:
        """Returns the head of the page of an item of a tool's list; it makes no request."""
        known = self.catalog.tools.get(tool)
        type_ = next(iter(known.returns.objects), "") if known else ""
        return (lambda item: head_of(item, known.toolkit, type_, self.names.of, self.clock())) if known and type_ else None

    async def ready(self) -> None:
        """Wait until the catalogue is loaded and tools can be run."""
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(self._load))
        await asyncio.shield(self._loading)

    async def reload_toolkits(self) -> None:
        """Load the toolkits again: one was added, refreshed or removed."""
        (await asyncio.to_thread(self.engine.reload_toolkits))()
        self._found = toolkit_folders(self.engine.settings.environment)
        self._list(table_of_contents(self._found))
        self.toolkits = toolkit_titles(self._found)

    async def aclose(self) -> None:
        if self._engine is not None:
            await self._engine.aclose()
            await asyncio.to_thread(self._drafts.close)

    @property
    def engine(self) -> Engine:
        """The engine, once it is ready. The results of its own calls are not added to `results`; those of `call` are."""
        assert self._engine is not None, "ready() comes first"
        return self._engine

    @property
    def catalog(self) -> Catalog:
        return self.engine.catalog

    @property
    def saved(self) -> SavedStore:
        """The saved calls, in the folder of remembered data. Its methods block: call them in a thread."""
        return SavedStore(self.preferences.folder / "saved", self.catalog, partial(shared_folders, self.environment))

    def asker(self) -> Finder:
        """Finds tools, ready calls, saved calls and objects. Takes a while and reads files: call it in a thread."""
        return Finder(self.catalog, own_calls(self.saved.all().calls, self.catalog.tools))

    @property
    def routes(self) -> Routes:
        """How tools reach objects, once it is ready."""
        return self.engine.routes

    @property
    def connections(self) -> Mapping[str, Connection]:
        """All accounts that can be used, by name; empty until it is ready."""
        return self._engine.connections if self._engine is not None else {}

    def connection(self, toolkit: str) -> Connection:
        return self._named(self.chosen.get(toolkit, ""), toolkit)

    def _named(self, name: str, toolkit: str) -> Connection:
        """An account by its name; if there is no such account, the toolkit's default one, which says what it needs."""
        return self.connections.get(name) or self.engine.usual(toolkit)

    @property
    def lacking(self) -> Mapping[str, str]:
        """The permission that the account in use lacks for a tool, by the tool's name, as far as known."""
        names = dict.fromkeys(self.connection(toolkit).name for toolkit in self.catalog.toolkits)
        return {tool: lacks for name in names for tool, lacks in self.engine.account_memory.of(name).lacking.items()}

    def needs(self, toolkit: str) -> str:
        """The missing environment variables without which no tool of a toolkit can run, in words; empty if none are missing."""
        return self.connection(toolkit).endpoint(toolkit).needs

    @property
    def history(self) -> History | None:
        """The history of calls, once it is ready; None if it is off. Its methods block: call them in a thread."""
        return self._engine.history if self._engine is not None and self._engine.keeps_history else None

    def seen_ids(self, toolkit: str, kinds: Sequence[str], text: str) -> list[tuple[str, str]]:
        """Ids of some types of objects from earlier results, with labels, newest first. Blocks; empty if that fails."""
        if not kinds:
            return []
        connection = self.connection(toolkit).name
        # Typing an id must not fail; the history dialog shows what is wrong.
        seen = self.recalled(lambda history: history.seen(toolkit, kinds, text, connection))
        found = [(id_, label or self.names.of(id_)) for id_, label in seen]
        self.names.note({id_: name for id_, label in found if (name := label.partition(" · ")[0])})
        gone = self.deleted_ids[connection]
        return [(id_, f"✗ deleted {label}".rstrip() if id_ in gone else label) for id_, label in found]

    def recalled(self, ask: Callable[[History], list[Known]]) -> list[Known]:
        """What the history knows from this run and earlier ones. Blocks; empty without one, or if that fails."""
        try:
            return ask(self.history) if self.history is not None else []
        except JournalError:
            return []

    def draft(self, tool: Tool, raw: Mapping[str, object]) -> None:
        """Store the values of a form, as long as it was not run, so that they survive a crash."""
        self.drafts[tool.name] = dict(raw)
        self._drafts.note(tool.name, raw, (one.name for one in tool.parameters if one.role == "secret"))

    def settle(self, tool: str, raw: Mapping[str, object]) -> None:
        """Note that a form has values that were run, or filled in by the program, so that there is no draft to keep."""
        self._drafts.settle(tool, raw)

    @property
    def left(self) -> Sequence[Draft]:
        """Drafts of an earlier run, newest first."""
        return [one for one in self._drafts.left if one.tool in self.catalog.tools]

    def recover(self, tool: str) -> bool:
        """Restore a draft of an earlier run as the tool's draft; returns whether there was one."""
        values = self._drafts.recover(tool)
        if values is not None:
            known = {one.name for one in self.catalog.tools[tool].parameters}
            self.drafts[tool] = {name: value for name, value in values.items() if name in known}
        return values is not None

    def check(self, tool: Tool, raw: Mapping[str, object]) -> Arguments:
        """Check a form's raw values, with a limit of as many items as fit on the screen if they set none."""
        return self.engine.validate(tool, self._sized(tool, raw))

    def _sized(self, tool: Tool, raw: Mapping[str, object]) -> Mapping[str, object]:
        limit = tool.with_role("limit") if tool.is_list else None
        if limit is None or self.rows is None or limit.default is None or raw.get(limit.name) is not None:
            return raw
        least, most = int(limit.default), int(limit.maximum or limit.default)
        return {**raw, limit.name: str(max(least, min(self.rows, most)))}

    def preview(self, tool: Tool, arguments: Arguments) -> Preview:
        """The request that would be sent, secrets redacted."""
        return self.engine.preview(tool, arguments, self.connection(tool.toolkit))

    def snippets(self, tool: Tool, arguments: Arguments, connection: str, options: Sequence[str] = ()) -> Sequence[Snippet]:
        """A call as text that somebody else can run, without secrets; `options` of the command itself."""
        return snippets(tool, arguments, self._named(connection, tool.toolkit), options)

    def host(self, tool: Tool, text: str, connection: str) -> str:
        """The host of an address from a tool's result that may be opened; raises `LinkRefused` for any other value."""
        return host_of(text, self._named(connection, tool.toolkit).endpoint(tool.toolkit))

    async def call(
        self,
        tool: Tool,
        raw: Mapping[str, object],
        observer: Observer | None = None,
        connection: Connection | None = None,
        *,
        remember: bool = True,
    ) -> Result:
        """Run a tool that reads, and add its result to `results`.

        Args:
            tool: the tool.
            raw: argument values by parameter name.
            observer: called with the progress of the call.
            connection: the account; None for the one in use for the toolkit.
            remember: keep the result, and the call in the history; false for repeated calls.
        """
        through, presenter = connection or self.connection(tool.toolkit), Presenter(observer, self.elicit)
        result = await self.engine.run(tool, self._sized(tool, raw), through, presenter=presenter, remember=remember)
        if remember:
            self.results.add(result)
        return result

    async def call_several(
        self, tool: Tool, raw: Mapping[str, object], accounts: Sequence[Connection], observer: Observer | None = None
    ) -> SeveralAccounts:
        """Run a tool that reads on several accounts at once; each call is added to the history."""
        return await self.engine.run_several(tool, self._sized(tool, raw), accounts, presenter=Presenter(observer))

    def reading(self, parameter: Parameter, text: str) -> str:
        """What a value of a parameter means, if that is not obvious: the moment of a time, the name of an id's object."""
        ids = [part.strip() for part in text.split(",")] if parameter.refers_to else []
        named = ", ".join(filter(None, map(self.names.of, ids)))
        return f"= {named}" if named else reading(parameter, text, self.clock())

    def offers(self, tool: Tool, parameter: Parameter, before: Sequence[str], typed: str) -> list[tuple[str, str]]:
        """Possible values of a field, with labels: codes, zones, fields, or ids seen before. Blocks."""
        if completes(parameter):
            return completions(tool, parameter, before, typed, self.clock())
        return self.seen_ids(tool.toolkit, parameter.refers_to, typed)

    def _hidden(self, text: str) -> str:
        """A text with the credentials of all accounts redacted."""
        content = text.encode("utf-8", "surrogatepass")
        for connection in self.connections.values():
            for endpoint in connection.endpoints.values():
                content = endpoint.hide(content)
        return content.decode("utf-8", "surrogatepass")

    def _load(self) -> None:
        engine = open_engine(self._settings)
        engine.load()
        engine.account_memory.load()
        if (first := engine.connections.get(self._account)) is not None:
            self.chosen = dict.fromkeys(first.endpoints, first.name) | self.chosen
        self._engine, self.settings_error = engine, "; ".join(filter(None, (engine.problem, *engine.account_wrongs)))
        self.preferences.load()
        self.shortcuts.load()
        self._drafts.find()
