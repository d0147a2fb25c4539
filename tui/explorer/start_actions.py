"""The start page on the explorer's screen: when it is shown, and what its questions run; and what is chosen in the tree."""

from __future__ import annotations

from textual import on, work
from textual.worker import Worker

from registry.finding.find import INITIALS
from registry.pages.subjects import PageRequest
from registry.text.readings import counted
from registry.text.safe_text import visible_line
from tui.explorer.explorer import Explorer
from tui.explorer.fields.offers import IdField
from tui.explorer.found import Found
from tui.explorer.id_picker import pick
from tui.explorer.start_page import Questions, StartPage
from tui.explorer.tool_pane import AskLine
from tui.explorer.toolkit_tree import ToolkitTree
from tui.keyboard.calling_commands import carry_out
from tui.keyboard.started_work import done
from tui.session import Session
from tui.state.settings import key_of


class StartScreen(Explorer):
    """The explorer, with the start page in place of form and result until something is run."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.asked_from = ""
        """The action that goes back to the screen from which the ask line was opened, until something is run."""

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
        if name != "tools":
            self.asked_from = ""
        super().go_to_pane(name)

    async def show_start_page(self) -> None:
        if not self.query(StartPage):
            await self.query_one("#panes").mount(StartPage(self.session))
        self.show_start(True)

    @work(group="start page", exclusive=True, exit_on_error=False)
    async def action_start(self) -> None:
        if self.panes_mounted:
            line = self.query_one(AskLine)
            line.value = ""
            self.go_to_pane("tools")
            self.show_found(False)
            await self.show_start_page()
            line.focus()

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
        words = f"Added {made.title}: {counted(made.tools, 'tool')}."
        if needs:
            words += f" To call them, add an account with {key_of(self.app, 'connections')}, or set {needs} and start again."
        self.notify(visible_line(words), title="Toolkits", timeout=12, markup=False)

    @work(group="toolkits", exclusive=True, exit_on_error=False)
    async def action_own_toolkit(self) -> None:
        await self.wait_for_panes()
        from tui.explorer.own_toolkits import manage

        await manage(self, self.query_one(ToolkitTree))

    @on(ToolkitTree.Chosen)
    async def _chosen(self, event: ToolkitTree.Chosen) -> None:
        """Open what was chosen: a page, a form, or a call, which runs if it reads and nothing is missing."""
        event.stop()
        row, line = event.row, self.query_one(AskLine)
        if row.command is not None:
            line.value = ""
            await carry_out(row.command, self)
        elif row.kind == "document":
            self.action_add_toolkit(row.title)
        elif row.found is not None and row.found.kind == "object" and not event.edits:
            self.open_page(PageRequest(row.found.id, row.found.type))
        elif row.tool is not None:
            self._open(row.tool.name, row.found, line.value, edits=event.edits)

    def _open(self, tool: str, found: Found | None, asked: str, *, edits: bool) -> None:
        self.show_found(False)
        if found is None or found.raw is None:
            opening = self.open_tool(tool)
        else:
            opening = self.visit(tool, found.raw, unlinked=True, run=not edits)
        # The beginnings of words of a tool's own name are not the name of an object.
        names = found is not None and not found.is_ready and found.reason != INITIALS
        asker = self.query_one(ToolkitTree).asker
        if names and asker is not None and (name := asker.name_in(asked)):
            self._pick_named(opening, name)

    @work(group="pick", exclusive=True, exit_on_error=False)
    async def _pick_named(self, opening: Worker[None], name: str) -> None:
        """Search for a name from the ask line, if the opened form requires an id of such an object."""
        if not await done(opening):
            return
        wanted = (
            one for one in self.walk_children(IdField) if one.parameter.required and one.raw is None and not one.is_inside
        )
        if (field := next(wanted, None)) is not None:
            await pick(self, field, name)

    async def on_questions_chosen(self, event: Questions.Chosen) -> None:
        event.stop()
        question = event.question
        if question.tool:
            self.visit(question.tool, question.arguments, unlinked=True)
        elif question.object:
            self.open_page(PageRequest(question.object))
        else:
            await self.app.run_action("app.oncall")
