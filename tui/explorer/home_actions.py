"""Home on the explorer's screen: when it is shown and read, and what its rows open; and what is chosen in the tree."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, cast

from textual import work
from textual.worker import Worker

from registry.finding.find import INITIALS
from registry.journal.entries import REQUEST
from registry.pages.subjects import PageRequest
from registry.text.shown import counted, visible_line
from tui.explorer.explorer import Explorer
from tui.explorer.fields.text import IdField
from tui.explorer.home import Home
from tui.explorer.home_content import HomeContent, HomeTarget
from tui.explorer.id_picker import pick
from tui.explorer.tool_pane import AskLine
from tui.explorer.toolkit_tree import Row, ToolkitTree
from tui.explorer.top_bar import TopBar
from tui.explorer.trail import FROM_HOME
from tui.keyboard.commands import COMMANDS, carry_out
from tui.keyboard.key_order import done
from tui.session import Session
from tui.state.settings import key_of

_SOON = 0.15
"""Seconds without a key after which home is read: whoever starts to type at once is not held up by it."""


class HomeScreen(Explorer):
    """The explorer, with home in place of form and result until something is run."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.home = HomeContent(session, self.show_home)
        self.asked_from = ""
        """The action that goes back to the screen from which the ask line was opened, until something is run."""

    def go_to_pane(self, name: str) -> None:
        if name != "tools":
            self.asked_from = ""
        super().go_to_pane(name)

    # Home

    async def mount_home(self) -> None:
        """Show home, with what the user did before; `read_home` follows."""
        self.home.look()
        await asyncio.to_thread(self.home.look_back)
        await self.query_one("#panes").mount(Home(self.session, self.home))
        self.show_start(True)

    @work(group="home")
    async def begin_home(self) -> None:
        """Read what home shows, if it is in sight; and, from then on, update it each second."""
        await asyncio.sleep(_SOON)
        self.set_interval(1.0, self._tick)
        if self.has_class("-starting") and self.app.screen is self:
            await self.home.read(self.home.due())

    def _tick(self) -> None:
        """Update clocks and ages, and read what stands at the top of the screen again when it is old."""
        self.query_one(TopBar).show_targets(self.session)  # also behind a dialog: for how long changes to live data are allowed
        if self.is_active:
            self.show_home()
            unread = self.home.due() if self.has_class("-starting") else []
            self._read_home(unread)
            self._read_home([one for one in self.home.due(top=True) if one not in unread], "top line")

    def _read_home(self, toolkits: Sequence[str], whose: str = "home") -> None:
        if toolkits:
            self.run_worker(self.home.read(toolkits, whose), group="home")

    def show_home(self) -> None:
        """Show what is known by now, in its lines and at the top of the screen."""
        self.home.look()
        self.query_one(TopBar).alert = self.home.top
        if self.has_class("-starting"):
            self.query_one(Home).draw_again()

    @work(group="start page", exclusive=True)
    async def action_start(self) -> None:
        await self.wait_for_panes()
        line = self.query_one(AskLine)
        line.value = ""
        self.go_to_pane("tools")
        self.show_found(False)
        self.show_start(True)
        line.focus()
        await asyncio.to_thread(self.home.look_back)
        self.show_home()
        self._read_home(self.home.due(old=True))

    def action_run(self) -> None:
        """Read home again."""
        self._read_home(self.home.due(again=True))

    def lay_out(self, changed: Mapping[str, bool]) -> None:
        was_home = self.has_class("-start")
        super().lay_out(changed)
        if self.has_class("-start") != was_home:
            self.show_targets()

    def show_accounts(self) -> None:
        super().show_accounts()
        self.show_home()
        if self.panes_mounted:
            self._read_home(self.home.due())

    async def open_target(self, target: HomeTarget) -> None:
        """Do what a row of home is for."""
        match target.kind:
            case "call":
                self.visit(target.name, target.raw, unlinked=True, origin=FROM_HOME, wanted=target.filter)
            case "page":
                cast(Any, self.app).open_page(PageRequest(target.name, str(target.raw["type"])))
            case "ask":
                self.ask(target.name)
            case "draft":
                self.session.recover(target.name)
                self.open_tool(target.name)
            case "saved" if target.saved is not None:
                from tui.explorer.past_calls import open_saved

                opening = open_saved(self, target.saved, cast(Any, self.app).open_tool)
                self.run_worker(opening, group="saved", exclusive=True)
            case "agree":
                self.run_worker(self.home.agree(target.name), group="home agreed")
            case "command":
                await carry_out(next(one for one in COMMANDS if one.id == target.name), self)

    @work(group="toolkits", exclusive=True)
    async def action_add_toolkit(self, source: str = "") -> None:
        """Ask which part of a document to add, add it, and show its tools in the tree."""
        await self.wait_for_panes()
        from tui.dialogs.add_toolkit import AddToolkit

        added = await self.app.push_screen_wait(AddToolkit(source))
        if added is None:
            return
        self.query_one(AskLine).value = ""
        self.query_one(ToolkitTree).look_for("")
        await self.take_toolkits()
        self.action_pane("tools")
        made, needs = added.source, self.session.needs(added.source.toolkit)
        words = f"Added {made.title}: {counted(made.tools, 'tool')}."
        if needs:
            words += f" To call them, add an account with {key_of(self.app, 'connections')}, or set {needs} and start again."
        self.notify(visible_line(words), title="Toolkits", timeout=12)

    @work(group="toolkits", exclusive=True)
    async def action_own_toolkit(self) -> None:
        await self.wait_for_panes()
        from tui.explorer.own_toolkits import manage

        await manage(self, self.query_one(ToolkitTree))

    async def open_row(self, row: Row, *, edits: bool = False) -> None:
        """Open what was chosen: a page, a form, or a call; that runs if it reads, nothing is missing, and nobody `edits` it."""
        line = self.query_one(AskLine)
        if row.command is not None:
            line.value = ""
            await carry_out(row.command, self)
        elif row.kind == "document":
            self.action_add_toolkit(row.title)
        elif row.found is not None and row.found.item.type == REQUEST and not edits:
            cast(Any, self.app).action_history(row.found.item.id)
        elif row.found is not None and row.found.item.kind == "object" and not edits:
            cast(Any, self.app).open_page(PageRequest(row.found.item.id, row.found.item.type))
        elif row.tool is not None:
            found = row.found
            self.show_found(False)
            if found is None or found.raw is None:
                opening = self.open_tool(row.tool.name)
            else:
                opening = self.visit(row.tool.name, found.raw, unlinked=True, run=not edits, wanted=found.item.filter)
            # The beginnings of words of a tool's own name are not the name of an object.
            names = found is not None and not found.is_ready and found.item.why != INITIALS
            asker = self.query_one(ToolkitTree).asker
            if names and asker is not None and (name := asker.name_in(line.value)):
                self._pick_named(opening, name)

    @work(group="pick", exclusive=True)
    async def pick_id(self, field: IdField) -> None:
        """Let the user choose an id for a field from a list."""
        await pick(self, field)

    @work(group="pick", exclusive=True)
    async def _pick_named(self, opening: Worker[None], name: str) -> None:
        """Search for a name from the ask line, if the opened form requires an id of such an object."""
        if not await done(opening):
            return
        wanted = (
            one for one in self.walk_children(IdField) if one.parameter.required and one.raw is None and not one.is_inside
        )
        if (field := next(wanted, None)) is not None:
            await pick(self, field, name)
