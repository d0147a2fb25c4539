"""The start page on the explorer's screen: when it is shown, what its questions run, and how it is hidden and shown again."""

from __future__ import annotations

import asyncio
from typing import Protocol, cast

from textual import on, work
from textual.worker import Worker

from registry.pages.subjects import PageRequest
from registry.text.safe_text import visible_line
from tui.explorer.explorer import Explorer
from tui.explorer.fields.ids import IdField
from tui.explorer.id_picker import pick
from tui.explorer.start_page import Questions, StartPage
from tui.explorer.tool_pane import AskLine
from tui.explorer.toolkit_tree import ToolkitTree
from tui.keyboard.started_work import opened
from tui.session import Session
from tui.state.settings import key_of


class Opener(Protocol):
    """An application that opens the page of an object, from where the user can come back."""

    def open_page(self, wanted: PageRequest) -> None:
        """Open the page of an object."""


class StartScreen(Explorer):
    """The explorer, with the start page in place of form and result until something was run."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.asked_from = ""
        """The action that goes back to the screen from which the ask line was opened, until something is run."""

    @property
    def start_page(self) -> StartPage | None:
        """The start page, while it is visible."""
        if not self.has_class("-starting"):
            return None
        return self.query_one(StartPage)

    def ask_from(self, way: str) -> None:
        """Go to the ask line; `way` is the action that goes back."""
        self.action_find()
        self.asked_from = way

    def go_back_from_asking(self) -> bool:
        """Go back to the screen from which the ask line was opened; returns whether there is one."""
        way, self.asked_from = self.asked_from, ""
        if way:
            self.call_later(self.app.run_action, way)
        return bool(way)

    def go_to_pane(self, name: str) -> None:
        """Make a pane the present one."""
        if name != "tools":
            self.asked_from = ""
        super().go_to_pane(name)

    async def offer_start(self) -> None:
        """Show the start page if nothing was run yet and it was not hidden; drafts of an earlier run have priority."""
        if not self.session.shortcuts.started and not self.session.left:
            await self._show_start_page()

    async def _show_start_page(self) -> None:
        if not self.query(StartPage):
            await self.query_one("#panes").mount(StartPage(self.session))
        self.show_start(True)

    @work(group="start page", exclusive=True, exit_on_error=False)
    async def action_start(self) -> None:
        """Show the start page again."""
        if self.panes_mounted:
            line = self.query_one(AskLine)
            line.value = ""
            self.go_to_pane("tools")
            self.show_found(False)
            await self._show_start_page()
            line.focus()

    def action_hide_start(self) -> None:
        """Hide the start page for good."""
        self.show_start(False)
        self.session.shortcuts.start()
        self.say(f"Start page hidden. Press {key_of(self.app, 'start')} to show it again.", "$text-success")
        save = asyncio.to_thread(self.session.shortcuts.save)
        self.run_worker(save, group="shortcuts", exit_on_error=False)  # a slow disk must not block the screen

    @on(ToolkitTree.DocumentChosen)
    def _document_chosen(self, event: ToolkitTree.DocumentChosen) -> None:
        event.stop()
        self.action_add_toolkit(event.source)

    @work(group="toolkits", exclusive=True, exit_on_error=False)
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
        self.go_to_pane("tools")
        self.query_one(ToolkitTree).focus()
        made, needs = added.source, self.session.needs(added.source.toolkit)
        words = f"Added {made.title}: {made.tools:,} {'tool' if made.tools == 1 else 'tools'}."
        if needs:
            words += f" To call them, add an account with {key_of(self.app, 'connections')}, or set {needs} and start again."
        self.notify(visible_line(words), title="Toolkits", timeout=12, markup=False)

    @work(group="toolkits", exclusive=True, exit_on_error=False)
    async def action_own_toolkit(self) -> None:
        """Show a toolkit that was added, to refresh or remove it."""
        await self.wait_for_panes()
        from tui.explorer.own_toolkits import manage

        await manage(self, self.query_one(ToolkitTree))

    @on(ToolkitTree.Chosen)
    def _chosen(self, event: ToolkitTree.Chosen) -> None:
        """Open the tool or the search result: an object's page, or a call, which runs if it reads and nothing is missing."""
        event.stop()
        found = event.found
        if found is not None and found.kind == "object" and not event.edits:
            cast(Opener, self.app).open_page(PageRequest(found.id, found.type))
            return
        self.show_found(False)
        tree = self.query_one(ToolkitTree)
        named = (
            found is not None and not found.is_ready and not found.letters
        )  # a match in the tool's own name is not the name of an object
        name = tree.finder.name_in(self.query_one(AskLine).value) if named else ""
        if found is None or found.raw is None:
            opening = self.open_tool(event.tool.name)
        else:
            opening = self.visit(found.tool.name, found.raw, unlinked=True, run=not event.edits)
        if name:
            self._pick_named(opening, name)

    @work(group="pick", exclusive=True, exit_on_error=False)
    async def _pick_named(self, opening: Worker[None], name: str) -> None:
        """Search for a name from the ask line, if the opened form requires an id of such an object."""
        if not await opened(opening):
            return
        wanted = (
            one for one in self.walk_children(IdField) if one.parameter.required and one.raw is None and not one.is_inside
        )
        if (field := next(wanted, None)) is not None:
            await pick(self, field, name)

    async def on_questions_chosen(self, event: Questions.Chosen) -> None:
        """Run the question that was chosen."""
        event.stop()
        question = event.question
        if question.tool:
            self.visit(question.tool, question.arguments, unlinked=True)
        elif question.object:
            cast(Opener, self.app).open_page(PageRequest(question.object))
        else:
            await self.app.run_action("app.oncall")
