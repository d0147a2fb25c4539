"""The left pane: a filter, the tools, and a line on the tool at the cursor."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from registry.catalog.listing import ToolkitTitle, ToolSummary
from registry.display.safe_text import visible_line
from tui.explorer.finder import Found
from tui.explorer.pane_head import PaneHead
from tui.explorer.toolkit_tree import SIGNS, WORDS, ToolkitTree
from tui.widgets.text_line import Line

if TYPE_CHECKING:
    from registry.references.routes import Routes
    from tui.state.shortcuts import Shortcuts


class Filter(Line):
    """The line above the tools. Moving up and down, and opening, act on the tools below."""

    BINDINGS = [
        Binding("up", "tree('move', -1)", show=False),
        Binding("down", "tree('move', 1)", show=False),
        Binding("pageup", "tree('move_page', -1)", show=False),
        Binding("pagedown", "tree('move_page', 1)", show=False),
        Binding("enter", "tree('choose')", "Open", key_display="Enter"),
    ]

    def action_tree(self, name: str, *arguments: int) -> None:
        """Do something to the tools."""
        # Whoever types fast is at Enter before the list has followed.
        self.screen.query_one(ToolPane).find()
        tree = self.screen.query_one(ToolkitTree)
        getattr(tree, f"action_{name}")(*arguments)


class ToolPane(Vertical):
    """Filter, tree and detail."""

    DEFAULT_CSS = """
    ToolPane {
        #filter { margin: 0 1 1 1; padding: 0 1; background: $panel; }
        #detail { height: 7; padding: 0 1; border-top: solid $hairline; }
    }
    """

    def __init__(
        self,
        tools: Sequence[ToolSummary],
        toolkits: Sequence[ToolkitTitle],
        *,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._tools = tools
        self._toolkits = toolkits
        self._shown_title = ""
        self._shortcuts: Shortcuts | None = None

    def compose(self) -> ComposeResult:
        """Filter, tree and detail."""
        yield (head := PaneHead(classes="in-tabs"))
        head.here = True
        yield Filter(placeholder="Find a tool…", id="filter", compact=True, select_on_focus=False)
        yield ToolkitTree(self._tools, self._toolkits, id="tree")
        yield Static(id="detail")

    def on_mount(self) -> None:
        """Start with the counts."""
        self._title()

    @on(Input.Changed, "#filter")
    def _look(self, event: Input.Changed) -> None:
        event.stop()
        # The letter is echoed first; finding comes with the next frame.
        self.call_after_refresh(self.find)

    def find(self) -> None:
        """Show the tools that match what is typed."""
        self.query_one(ToolkitTree).look_for(self.query_one(Filter).value)
        self._title()

    @on(ToolkitTree.Highlighted)
    def _describe(self, event: ToolkitTree.Highlighted) -> None:
        event.stop()
        tool = event.tool
        if tool is None:
            tree = self.query_one(ToolkitTree)
            words = Content("Nothing matches. Fewer letters, or Esc to see all." if tree.found == 0 else tree.told)
        else:
            facts = f"{SIGNS.get(tool.effect, '')} {WORDS.get(tool.effect, '')}".strip()
            if tool.deprecated:
                facts += " · † deprecated"
            reason = _why(self.query_one(ToolkitTree).at_cursor)
            words = Content.assemble(
                Content.styled(tool.title.text or tool.name, "bold"),
                Content.styled(f"\n{tool.name}\n{facts}\n", "$foreground-muted"),
                Content.styled(f"{reason}\n" if reason else "", "$text-accent"),
                Content(tool.summary),
            )
        # Its height never changes, so nothing else has to be laid out anew.
        self.query_one("#detail", Static).update(words, layout=False)

    def _title(self) -> None:
        found, total = self.query_one(ToolkitTree).found, len(self._tools)
        count = f"{total}" if found is None else f"{found} of {total}"
        if count != self._shown_title:
            self._shown_title = count
            head = self.query_one(PaneHead)
            head.title, head.aside = "Tools", Content.styled(count, "$text-muted")

    def prepare(self, ways: Routes, shortcuts: Shortcuts, needs: Mapping[str, str]) -> None:
        """Make ready what the first letter in the filter, or an id that is pasted there, needs; show the shortcuts.

        `needs` are the environment variables that toolkits lack, in words, by toolkit.
        """
        tree = self.query_one(ToolkitTree)
        tree.finder.prepare()
        tree.finder.learn(ways)
        tree.show_needs(needs)
        self._shortcuts = shortcuts
        tree.show_shortcuts(shortcuts)
        tree.look_again()
        self._tell()

    def note(self, tool: str) -> None:
        """A tool was run."""
        if self._shortcuts is not None:
            self._shortcuts.use(tool)
            self.query_one(ToolkitTree).show_shortcuts(self._shortcuts)
            self._remember()

    @on(ToolkitTree.Arranged)
    def _arranged(self, event: ToolkitTree.Arranged) -> None:
        event.stop()
        self._remember()

    @work(group="remember", exit_on_error=False)
    async def _remember(self) -> None:
        if self._shortcuts is not None:
            await asyncio.to_thread(self._shortcuts.save)
            self._tell()

    def _tell(self) -> None:
        """Tell what is wrong with the file, which nobody would see."""
        if self._shortcuts is not None and (words := self._shortcuts.notices.take()):
            self.notify(words, title="Tools", severity="warning", markup=False)


def _why(found: Found | None) -> str:
    """Why a tool was found, and what Enter does with an id."""
    if found is None or not found.reason:
        return ""
    reason = visible_line(found.reason)
    if found.raw is None:
        return reason
    if found.needs:
        return f"with {reason}; needs {', '.join(found.needs)}"
    return f"Enter {'runs it with' if found.tool.effect == 'read' else 'opens it with'} {reason}"
