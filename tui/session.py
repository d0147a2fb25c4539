"""The state that the screens share: the catalogue, the connections in use, drafts, and the last results.

The engine takes 0.2 s to load, so it is loaded in a thread after the first frame; code that needs it awaits `ready`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from registry.catalog.folders import toolkit_folders
from registry.catalog.listing import ToolSummary, table_of_contents, toolkit_titles
from tui.state.deleted_ids import DeletedIds
from tui.state.results import Results

if TYPE_CHECKING:
    from pathlib import Path

    from registry.calling.arguments import Arguments
    from registry.calling.request import Preview
    from registry.calling.result import Result
    from registry.calling.sending import Observer
    from registry.calling.several_accounts import SeveralAccounts
    from registry.catalog.loader import Catalog
    from registry.catalog.model import Parameter, Tool
    from registry.connections.links import Link
    from registry.connections.profiles import Connection
    from registry.engine import Answered, Elicitation, Engine, History, Sandbox
    from registry.export.snippets import AllPagesOption, Snippet
    from registry.finding.find import Finder
    from registry.headline.declared import ListedObject
    from registry.headline.headline import Headline
    from registry.headline.names import Names
    from registry.journal.drafts import Draft, Drafts
    from registry.journal.id_index import SeenObject
    from registry.pages.shared import SharedPages
    from registry.playbooks.store import PlaybookStore
    from registry.presets.preset import Preset
    from registry.presets.store import PresetStore
    from registry.references.routes import Routes
    from registry.sharing.folder import SharedFolder
    from tui.state.layouts import Layouts
    from tui.state.preferences import Preferences
    from tui.state.shortcuts import Shortcuts


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
        elicit: asks the user what an MCP server wants to know; set by whoever shows it.
        settings_error: why the environment's connections cannot be used; empty when they can.
        clock: the present in Unix seconds.
        environment: the variables that the program was started with.
        sandbox_names: how the sandbox is called above the screen, the longest first.
        rows: how many rows of a table fit on the screen; a list is asked for so many items where nobody says otherwise. None
            leaves it to the tool.
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
        """Begin a run.

        Args:
            environment: the variables that the program was started with.
            contents: all tools as the tree and the filter need them.
            sandbox: makes the embedded one where it is not the usual one.
            read_only: refuse every change.
            preferences: what is remembered between runs.
            clock: the present in Unix seconds.
            state: the folder for all that is remembered; the user's state folder when not given.
            account: the connection to begin with, for the toolkits that it serves.
        """
        self._found = toolkit_folders(environment)
        self.contents = contents if contents is not None else table_of_contents(self._found)
        self.toolkits = toolkit_titles(self._found)
        self.drafts: dict[str, dict[str, object]] = {}
        self.results = Results()
        self.deleted_ids = DeletedIds()
        self.cap: int | None = 10_000
        self.chosen: dict[str, str] = {}
        self.settings_error = ""
        self.tell: Callable[[str], None] = lambda _: None
        self.elicit: Callable[[Elicitation], Awaitable[Answered]] | None = None
        self.clock = clock
        self.environment = environment
        self.rows: int | None = None
        self.sandbox_names: tuple[str, ...] = ("SANDBOX",)
        self._sandbox = sandbox
        self._read_only = read_only
        self._state = state
        self._account = account
        self._loading: asyncio.Task[None] | None = None
        self._engine: Engine | None = None
        self._kept: Drafts | None = None
        self._preferences = preferences
        self._shortcuts: Shortcuts | None = None
        self._layouts: Layouts | None = None
        self._names: Names | None = None

    def title_of(self, tool: str) -> str:
        """How a tool is called on screen; its own name where it has no title."""
        return next((one.title.text for one in self.contents if one.name == tool), "") or tool

    @property
    def names(self) -> Names:
        """The names of ids, as far as results have shown them."""
        if self._names is None:
            from registry.headline.names import Names

            self._names = Names()
        return self._names

    def headline(self, tool: Tool, raw: Mapping[str, object], result: Result) -> Headline:
        """The sentence above a result; takes note of what ids name in it. Reads the whole body: for a thread."""
        from registry.headline.headline import headline_of, objects_in

        self.names.learn(objects_in(result))
        self._recall_names(tool, result)
        gone = frozenset(self.deleted_ids.of(result.connection))
        return headline_of(tool, raw, result, self.names, gone)

    def _recall_names(self, tool: Tool, result: Result) -> None:
        """Take names from the history for objects that a result names by id only. No request is made."""
        from registry.journal.errors import JournalError
        from registry.journal.id_index import ids_in

        if (history := self.history) is None:
            return
        bare = [one.id for one in ids_in(result.body, tool) if not one.label and not self.names.of(one.id)]
        with contextlib.suppress(JournalError):
            labels = history.labels(tool.toolkit, bare, result.connection)
            self.names.note({id_: label.partition(" · ")[0] for id_, label in labels.items()})

    def listed(self, tool: str) -> ListedObject:
        """The toolkit's declarations on lists of the objects that a tool returns."""
        from registry.headline.declared import ListedObject, lists_of

        known = self.catalog.tools.get(tool)
        return lists_of(known.toolkit).listed(known.returns.objects) if known else ListedObject()

    async def ready(self) -> None:
        """Wait until the catalogue is loaded and tools can be run."""
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(self._load))
        await asyncio.shield(self._loading)

    async def reload_toolkits(self) -> None:
        """Take the toolkits that there are now: one was added, or removed."""
        await asyncio.to_thread(self.engine.reload_toolkits)
        self._found = self.engine.toolkits
        self.contents, self.toolkits = table_of_contents(self._found), toolkit_titles(self._found)

    async def aclose(self) -> None:
        """Close the connections of calls."""
        if self._engine is not None:
            await self._engine.aclose()
        if self._kept is not None:
            await asyncio.to_thread(self._kept.close)

    @property
    def engine(self) -> Engine:
        """The engine, once it is ready. Its calls are not kept among the results; those of `call` are."""
        assert self._engine is not None, "ready() comes first"
        return self._engine

    @property
    def catalog(self) -> Catalog:
        """The whole catalogue, once it is ready."""
        return self.engine.catalog

    @property
    def shortcuts(self) -> Shortcuts:
        """Favourites and recent tools, once it is ready."""
        assert self._shortcuts is not None, "ready() comes first"
        return self._shortcuts

    @property
    def presets(self) -> PresetStore:
        """Arguments that are saved under names, beside what else is remembered. Its methods block: call them in a thread."""
        from registry.presets.store import PresetStore

        if not self._may_share:
            return PresetStore(self.preferences.folder / "arguments")
        from registry.presets.shared import SharedPresets

        return PresetStore(self.preferences.folder / "arguments", SharedPresets(self.shared_folders))

    @property
    def playbooks(self) -> PlaybookStore:
        """Recorded chains of calls, beside what else is remembered. Its methods block: call them in a thread."""
        from registry.playbooks.store import PlaybookStore

        return PlaybookStore(self.preferences.folder / "playbooks", self.catalog, self.shared_folders)

    @property
    def _may_share(self) -> bool:
        """Whether there are settings that may name shared folders: the start loads nothing for them where there are none."""
        from registry.storage.folders import config_file

        return "CALLBOARD_SHARED" in self.environment or config_file(self.environment).exists()

    def shared_folders(self) -> Sequence[SharedFolder]:
        """The folders that the team shares, as they are here now. Reads files; old copies are updated in the background."""
        from registry.sharing.folders import shared_folders

        folders = shared_folders(self.environment)
        if any(one.source.is_git for one in folders):
            from registry.sharing.git_copy import update_in_background

            update_in_background(folders)
        return folders

    @property
    def shared_pages(self) -> SharedPages:
        """The pages of the shared folders; they are read when a page is loaded."""
        from registry.pages.shared import SharedPages

        return SharedPages(self.shared_folders)

    def asker(self) -> Finder:
        """Finds tools, ready calls and objects, presets too. Takes a while and reads files: call it in a thread."""
        from registry.finding.find import Finder
        from registry.presets.own_calls import own_calls

        tools = self.catalog.tools
        own = own_calls(self.presets, tools)
        if not self._may_share:
            return Finder(self.catalog, own)
        from registry.finding.shared_calls import shared_calls

        return Finder(self.catalog, own, shared_calls(self.shared_folders(), tools))

    @property
    def layouts(self) -> Layouts:
        """How the panes stand, once it is ready."""
        assert self._layouts is not None, "ready() comes first"
        return self._layouts

    @property
    def preferences(self) -> Preferences:
        """How things should look, once it is ready."""
        assert self._preferences is not None, "ready() comes first"
        return self._preferences

    @property
    def routes(self) -> Routes:
        """How tools reach objects, once it is ready."""
        return self.engine.routes

    @property
    def connections(self) -> Mapping[str, Connection]:
        """All connections through which something can be sent, by name, once they are ready."""
        return self._engine.connections if self._engine is not None else {}

    def connection(self, toolkit: str) -> Connection:
        """The connection that a toolkit's calls go through."""
        return self._named(self.chosen.get(toolkit, ""), toolkit)

    def _named(self, name: str, toolkit: str) -> Connection:
        """A connection by its name; where nothing can be sent through it, the toolkit's usual one, which says what it needs."""
        return self.connections.get(name) or self.engine.usual(toolkit)

    @property
    def lacking(self) -> Mapping[str, str]:
        """By the name of a tool the permission that the account in use lacks for it, as far as that is known."""
        names = dict.fromkeys(self.connection(toolkit).name for toolkit in self.catalog.toolkits)
        return {tool: lacks for name in names for tool, lacks in self.engine.account_memory.of(name).lacking.items()}

    def needs(self, toolkit: str) -> str:
        """The environment variables without which none of a toolkit's tools can be run, in words; empty where all is there."""
        return self.connection(toolkit).endpoint(toolkit).needs

    @property
    def history(self) -> History | None:
        """The history of calls, once it is ready; None where it is switched off. Its methods block: call them in a thread."""
        return self._engine.history if self._engine is not None and self._engine.keeps_history else None

    def seen(self, tool: Tool, parameter: Parameter, text: str) -> list[tuple[str, str]]:
        """Ids that a parameter takes and answers have named, with labels, newest first. Blocks; none where that fails."""
        return self.seen_ids(tool.toolkit, parameter.refers_to, text) if parameter.refers_to else []

    def seen_ids(self, toolkit: str, kinds: Sequence[str], text: str) -> list[tuple[str, str]]:
        """Ids of some types of objects that answers of a toolkit have named. Blocks; none where that fails."""
        from registry.journal.errors import JournalError

        history = self.history
        if history is None:
            return []
        try:
            connection = self.connection(toolkit).name
            found = history.seen(toolkit, kinds, text, connection)
            self.names.note({id_: name for id_, label in found if (name := label.partition(" · ")[0])})
            gone = self.deleted_ids.of(connection)
            return [(id_, f"✗ deleted {label}".rstrip() if id_ in gone else label) for id_, label in found]
        except JournalError:
            return []  # whoever types an id is not held up; the history screen tells what is wrong

    def seen_objects(self, names: Sequence[str]) -> list[SeenObject]:
        """Objects that results have named, by their names or ids, in this run or before. Blocks; none where that fails."""
        from registry.journal.errors import JournalError

        try:
            return self.history.named(names) if self.history is not None else []
        except JournalError:
            return []

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
        """Delete drafts of an earlier run."""
        if self._kept is not None:
            self._kept.forget(tools)

    def check(self, tool: Tool, raw: Mapping[str, object]) -> Arguments:
        """Check a form's raw values, with as many items as fit on the screen where they do not say how many."""
        return self.engine.validate(tool, self._sized(tool, raw))

    def _sized(self, tool: Tool, raw: Mapping[str, object]) -> Mapping[str, object]:
        limit = tool.with_role("limit") if tool.returns.kind in ("list", "search_result") else None
        if limit is None or self.rows is None or limit.default is None or raw.get(limit.name) is not None:
            return raw
        least, most = int(limit.default), int(limit.maximum if limit.maximum is not None else limit.default)
        return {**raw, limit.name: str(max(least, min(self.rows, most)))}

    def preview(self, tool: Tool, arguments: Arguments) -> Preview:
        """The request that would be sent, secrets redacted."""
        return self.engine.preview(tool, arguments, self.connection(tool.toolkit))

    def snippets(
        self, tool: Tool, arguments: Arguments, connection: str, pages: AllPagesOption | None = None
    ) -> Sequence[Snippet]:
        """A call as text that somebody else can run, without any secret; `pages` where it fetches a whole list."""
        from registry.export.snippets import snippets

        return snippets(tool, arguments, self._named(connection, tool.toolkit), pages)

    def preset_command(self, tool: Tool, one: Preset) -> Snippet:
        """The command that runs a preset of a tool."""
        from registry.export.snippets import preset_command

        return preset_command(tool, one.reference, self.connection(tool.toolkit))

    def link(self, tool: Tool, text: str, connection: str) -> Link:
        """The address that a value from a tool's answer is, if it is one that may be opened; else raises `LinkRefused`."""
        from registry.connections.links import link_in

        return link_in(text, self._named(connection, tool.toolkit).endpoint(tool.toolkit))

    async def call(
        self,
        tool: Tool,
        raw: Mapping[str, object],
        observer: Observer | None = None,
        connection: Connection | None = None,
        *,
        remember: bool = True,
    ) -> Result:
        """Run a tool that reads, and remember its result.

        Args:
            tool: what to call.
            raw: argument values by parameter name.
            observer: is called with how far the call is.
            connection: what to go through; without it, the one chosen for the toolkit.
            remember: keep the result, and the call in the history; not wanted for what is asked again and again.
        """
        from registry.engine import Unattended

        through = connection if connection is not None else self.connection(tool.toolkit)
        presenter = Unattended(observer, self.elicit)
        result = await self.engine.run(tool, self._sized(tool, raw), through, presenter=presenter, remember=remember)
        if remember:
            self.results.add(result)
        return result

    async def call_several(
        self, tool: Tool, raw: Mapping[str, object], accounts: Sequence[Connection], observer: Observer | None = None
    ) -> SeveralAccounts:
        """Run a tool that reads on several accounts at once; each call is kept in the history."""
        from registry.engine import Unattended

        return await self.engine.run_several(tool, self._sized(tool, raw), accounts, presenter=Unattended(observer))

    def reading(self, parameter: Parameter, text: str) -> str:
        """What a value of a parameter means, where that is not to be seen: what a time becomes, what an id names."""
        from registry.calling.times import reading

        ids = [part.strip() for part in text.split(",")] if parameter.refers_to else []
        named = ", ".join(filter(None, map(self.names.of, ids)))
        return f"= {named}" if named else reading(parameter, text, self.clock())

    def offers(self, tool: Tool, parameter: Parameter, before: Sequence[str], typed: str) -> list[tuple[str, str]]:
        """Values that may stand in a field, with what people call them: codes, zones, fields, or ids that were seen. Blocks."""
        from registry.calling.completion import completes, completions

        if completes(parameter):
            return completions(tool, parameter, before, typed, self.clock())
        return self.seen(tool, parameter, typed)

    def branch(self, tool: Tool, parameter: Parameter, raw: object) -> Parameter | None:
        """The branch of ``one_of`` that a value is; None where it is of none."""
        from registry.calling.values import branch_of

        return branch_of(tool, parameter, raw, self.clock())

    def has_list(self, tool: Tool, parameter: Parameter) -> bool:
        """Whether the service has a list in which an id for a parameter is found."""
        from registry.references.sources import sources_of

        return bool(sources_of(tool, parameter, {}, self.routes))

    def _hidden(self, text: str) -> str:
        """A text with a mask wherever a credential of a connection stands in it."""
        content = text.encode("utf-8", "surrogatepass")
        for connection in self.connections.values():
            for endpoint in connection.endpoints.values():
                content = endpoint.hide(content)
        return content.decode("utf-8", "surrogatepass")

    def _load(self) -> None:
        from registry.engine import Settings, open_engine
        from registry.journal.drafts import Drafts
        from registry.storage.served import served_folder
        from tui.state.layouts import Layouts
        from tui.state.preferences import Preferences, usual_folder
        from tui.state.shortcuts import Shortcuts

        engine = open_engine(
            Settings(
                environment=self.environment,
                read_only=self._read_only,
                downloads=served_folder(),
                state=self._state,
                sandbox=self._sandbox,
                clock=lambda: self.clock(),
                tell=lambda words: self.tell(words),
            )
        )
        engine.load()
        engine.account_memory.load()
        if (first := engine.connections.get(self._account)) is not None:
            self.chosen = dict.fromkeys(first.endpoints, first.name) | self.chosen
        self._engine, self.settings_error = engine, "; ".join(filter(None, (engine.problem, *engine.account_wrongs)))
        if self._preferences is None:
            self._preferences = Preferences(self._state or usual_folder())
        self._preferences.load()
        self._shortcuts = Shortcuts(self._preferences.folder)
        self._shortcuts.load()
        self._kept = Drafts(
            self._preferences.folder / "drafts", self._hidden, tell=lambda words: self.tell(words), clock=self.clock
        )
        self._kept.find()
        self._layouts = Layouts(self._preferences.folder)
        self._layouts.load()
