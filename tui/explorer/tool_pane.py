"""The left pane: the tools, or search results, and details of the row at the cursor; and the ask line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol, runtime_checkable

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from registry.catalog.listing import EFFECT_SIGNS, ToolkitTitle, ToolSummary
from registry.finding.find import Finder as Asker
from registry.text.safe_text import visible_line
from tui.explorer.counting import LATER, SOON, FoundMore
from tui.explorer.finder import Found
from tui.explorer.found_rows import call_in_words, title_of
from tui.explorer.pane_head import PaneHead
from tui.explorer.start_page import StartPage
from tui.explorer.toolkit_tree import WORDS, ToolkitTree
from tui.keyboard.calling_commands import carry_out
from tui.session import Session
from tui.state.shortcuts import Shortcuts
from tui.widgets.request_line import request_line
from tui.widgets.text_line import Line
from tui.widgets.words import Words


def request_of(session: Session, tool: str, raw: Mapping[str, object]) -> Content:
    """The request of a tool with these arguments, secrets redacted; empty if the tool is not known."""
    known = session.catalog.tools.get(tool)
    if known is None:
        return Content()
    return request_line(session.preview(known, session.check(known, raw)), whole=False)


@runtime_checkable
class Starting(Protocol):
    """A screen with a start page."""

    @property
    def start_page(self) -> StartPage | None:
        """The start page, while it is visible."""

    @property
    def asked_from(self) -> str:
        """The action that goes back to where the ask line was opened."""

    @property
    def panes_mounted(self) -> bool:
        """Whether all panes are mounted, and the search finds calls."""

    def once_panes_mounted(self, action: Callable[[], object]) -> None:
        """Do something as soon as all panes are mounted."""


RequestOf = Callable[[str, Mapping[str, object]], Content]


class AskLine(Line):
    """The line at the top, for words, ids and pasted text. Moving up and down, and opening, act on the list below."""

    most = 100_000  # a curl command with a body

    class Asked(Message):
        """The text of the line has changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    BINDINGS = [
        Binding("down", "question('move', 1)", "Choose", key_display="↓"),
        Binding("up", "question('move', -1)", show=False),
        Binding("enter", "question('choose')", "Run", key_display="Enter"),
        Binding("escape", "hide_start", "Hide for good", key_display="Esc"),
        Binding("up", "tree('move', -1)", show=False),
        Binding("down", "tree('move', 1)", show=False),
        Binding("pageup", "tree('move_page', -1)", show=False),
        Binding("pagedown", "tree('move_page', 1)", show=False),
        Binding("enter", "run_found", "Run", key_display="Enter"),
        Binding("enter", "tree('choose')", "Open", key_display="Enter"),
        Binding("tab", "tree('edit')", "Edit", key_display="Tab"),
    ]

    @property
    def _start(self) -> StartPage | None:
        """The start page, while it is visible and nothing is typed: then it gets the keys."""
        screen = self.screen
        return screen.start_page if isinstance(screen, Starting) and not self.value.strip() else None

    @property
    def _leads_back(self) -> bool:
        return isinstance(self.screen, Starting) and bool(self.screen.asked_from)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys act on the questions of the start page while it is visible, otherwise on the list below."""
        if action in ("question", "hide_start"):
            return self._start is not None and not (action == "hide_start" and self._leads_back)
        if action == "run_found" or parameters == ("edit",):
            found = self.screen.query_one(ToolkitTree).at_cursor if self.value.strip() else None
            return found is not None and (action != "run_found" or found.is_ready)
        return action != "tree" or self._start is None or parameters[0] not in ("move", "choose")

    def action_question(self, name: str, *arguments: int) -> None:
        """Choose a question of the start page, or run it."""
        if (start := self._start) is not None:
            getattr(start.questions, f"action_{name}")(*arguments)

    async def action_hide_start(self) -> None:
        """Hide the start page for good."""
        await self.run_action("screen.hide_start")

    def action_run_found(self) -> None:
        """Run the call at the list's cursor."""
        self.action_tree("choose")

    def action_tree(self, name: str, *arguments: int) -> None:
        """Run an action of the list below."""
        screen = self.screen
        if name in ("choose", "edit") and isinstance(screen, Starting) and not screen.panes_mounted:
            # Only then the search finds calls by words.
            screen.once_panes_mounted(partial(self.action_tree, name, *arguments))
            return
        # A fast typist presses Enter before the list is updated.
        self.screen.query_one(ToolPane).find(self.value)
        tree = self.screen.query_one(ToolkitTree)
        getattr(tree, f"action_{name}")(*arguments)

    @on(Input.Changed)
    def _look(self, event: Input.Changed) -> None:
        event.stop()
        # The letter is shown first; the search runs after the next frame.
        self.call_after_refresh(lambda: self.post_message(self.Asked(self.value)))


class ToolPane(Vertical):
    """Tree and detail."""

    class Typed(Message):
        """A letter that is not a command of the tree: the first letter for the ask line."""

        def __init__(self, letter: str) -> None:
            super().__init__()
            self.letter = letter

    DEFAULT_CSS = """
    ToolPane {
        #tree { margin: 1 0 0 0; }
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
        self._shown_title = ("", "")
        self._shortcuts: Shortcuts | None = None
        self._request_of: RequestOf | None = None
        self._more: FoundMore | None = None

    def compose(self) -> ComposeResult:
        """Tree and detail."""
        yield (head := PaneHead(classes="in-tabs"))
        head.here = True
        yield ToolkitTree(self._tools, self._toolkits, id="tree")
        yield Words(id="detail")

    def on_mount(self) -> None:
        """Show the title with the number of tools."""
        self._title()

    def on_key(self, event: events.Key) -> None:
        """Start the ask line with a letter that is not a command, as at the start of the explorer."""
        letter = event.character
        if letter is not None and letter.isalnum() and event.key not in self.screen.active_bindings:
            event.stop()
            self.post_message(self.Typed(letter))

    def find_soon(self, text: str) -> None:
        """Like `find`, but the screen does not freeze while the names of many tools are indexed."""
        if text.strip() and self.query_one(ToolkitTree).finder.waits:
            self._find_prepared()
        else:
            self.find(text)

    @work(group="prepared", exclusive=True, exit_on_error=False)
    async def _find_prepared(self) -> None:
        await asyncio.to_thread(self.query_one(ToolkitTree).finder.prepare)
        self.find(self.screen.query_one(AskLine).value)

    def find(self, text: str) -> None:
        """Show what matches the typed text; all tools for an empty text."""
        tree = self.query_one(ToolkitTree)
        if tree.look_for(text):
            self._find_more(text)
        self._title()

    @work(group="found more", exclusive=True, exit_on_error=False)
    async def _find_more(self, text: str) -> None:
        """After a pause in typing, show objects seen before, then counts."""
        tree, more = self.query_one(ToolkitTree), self._more
        if more is None or not text.strip():
            return
        await asyncio.sleep(SOON)
        if seen := await more.seen(tree.finder.names_in(text)):
            tree.show_seen(seen)
            self._title()
        await asyncio.sleep(LATER - SOON)
        await more.count(tree.ready, tree.show_counts)

    @on(ToolkitTree.Highlighted)
    def _describe(self, event: ToolkitTree.Highlighted) -> None:
        event.stop()
        tool = event.tool
        if tool is None:
            tree = self.query_one(ToolkitTree)
            words = Content(
                "No tools match. Delete some letters, or press Esc for all tools." if tree.found == 0 else tree.details
            )
        else:
            facts = f"{EFFECT_SIGNS.get(tool.effect, '')} {WORDS.get(tool.effect, '')}".strip()
            if tool.deprecated:
                facts += " · † deprecated"
            permission = self.query_one(ToolkitTree).lacking.get(tool.name, "")
            found = self.query_one(ToolkitTree).at_cursor
            reason = _why(found)
            request = Content()
            if found is not None and self._request_of is not None:
                # In one line: a path too long for it would wrap to a line below the last visible one.
                whole = self._request_of(tool.name, found.raw or {})
                request = whole.truncate(max(self.app.size.width - 2, 1), ellipsis=True)
            words = Content.assemble(
                Content.styled(title_of(found) if found is not None else tool.title.text or tool.name, "bold"),
                Content.styled(f"\n{tool.name}  {facts}\n", "$text-muted"),
                Content.styled(f"∅ Missing permission: {permission}\n" if permission else "", "$text-warning"),
                Content(f"{call_in_words(found.raw)}\n" if found is not None and found.raw else ""),
                Content.styled(f"{reason}\n" if reason else "", "$text-accent"),
                Content(f"{tool.summary}\n"),
                request,
            )
        # Its height never changes, so nothing else needs a new layout.
        self.query_one("#detail", Words).update(words, layout=False)
        self.screen.refresh_bindings()

    def _title(self) -> None:
        found, total = self.query_one(ToolkitTree).found, len(self._tools)
        title, count = ("Tools", f"{total}") if found is None else ("Found", f"{found}")
        if (title, count) != self._shown_title:
            self._shown_title = (title, count)
            head = self.query_one(PaneHead)
            head.title, head.aside = title, Content.styled(count, "$text-muted")

    def prepare(self, session: Session, asker: Asker, needs: Mapping[str, str]) -> None:
        """Prepare the search for the ask line; show favourites and recent tools.

        `needs` are the environment variables that toolkits lack, in words, by toolkit.
        """
        self._request_of = partial(request_of, session)
        self._more = FoundMore(session, {tool.name: tool for tool in self._tools})
        tree = self.query_one(ToolkitTree)
        tree.finder.prepare()
        tree.finder.learn(asker)
        tree.show_needs(needs)
        self._shortcuts = session.shortcuts
        tree.show_shortcuts(self._shortcuts)
        tree.look_again()
        self._find_more(self.screen.query_one(AskLine).value)
        self._title()
        self._tell()

    def take(self, tools: Sequence[ToolSummary], toolkits: Sequence[ToolkitTitle]) -> None:
        """Show these tools from now on; `prepare` follows."""
        self._tools, self._toolkits = tools, toolkits
        self.query_one(ToolkitTree).take(tools, toolkits)
        self._title()

    def note(self, tool: str) -> None:
        """Record that a tool was run."""
        if self._shortcuts is not None:
            self._shortcuts.use(tool)
            self._shortcuts.start()
            self.query_one(ToolkitTree).show_shortcuts(self._shortcuts)
            self._remember()

    @on(ToolkitTree.CommandChosen)
    async def _carry_out(self, event: ToolkitTree.CommandChosen) -> None:
        event.stop()
        self.screen.query_one(AskLine).value = ""
        await carry_out(event.command, self.screen)

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
        """Show problems with the file of shortcuts."""
        if self._shortcuts is not None and (words := self._shortcuts.notices()):
            self.notify(words, title="Tools", severity="warning", markup=False)


def _why(found: Found | None) -> str:
    """What Enter does with a search result, and why it was found."""
    if found is None:
        return ""
    reason = visible_line(found.reason)
    if found.raw is None:
        return reason
    if found.kind == "object":
        does = "Enter opens its page; Tab puts its call into the form."
        return f"{does} {reason}".strip()
    if found.needs:
        does = f"Enter opens it; needs {', '.join(found.needs)}"
    else:
        does = "Enter runs it, Tab edits it first" if found.tool.effect == "read" else "Enter opens it"
    return f"{does}. {reason}".strip()
