"""The left pane: the tools, or search results, and details of the row at the cursor; and the ask line."""

import asyncio
from functools import partial
from typing import Any

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content

from registry.catalog.listing import EFFECT_SIGNS
from registry.journal.entries import REQUEST
from registry.text.shown import visible_line
from tui.explorer.found import LATER, SOON, answered, call_in_words, count_first, found, seen, title_of
from tui.explorer.home import Home
from tui.explorer.toolkit_tree import WORDS, ToolkitTree
from tui.explorer.top_bar import PaneHead
from tui.session import Session
from tui.widgets.line_list import LineList
from tui.widgets.texts import Line, Words, request_line


class AskLine(Line):
    """The line at the top, for words, ids and pasted text. Moving up and down, and opening, act on the list below."""

    most = 100_000  # a curl command with a body

    BINDINGS = [
        Binding("down", "list('move', 1)", "Choose", key_display="↓"),
        Binding("up", "list('move', -1)", show=False),
        Binding("pageup", "list('move_page', -1)", show=False),
        Binding("pagedown", "list('move_page', 1)", show=False),
        Binding("enter", "run_found", "Run", key_display="Enter"),
        Binding("enter", "list('choose')", "Open", key_display="Enter"),
        Binding("tab", "list('edit')", "Edit", key_display="Tab"),
    ]

    @property
    def _home(self) -> LineList | None:
        """Home, while it is visible and nothing is typed: then it gets the keys."""
        if self.value.strip() or not self.screen.has_class("-starting"):
            return None
        return self.screen.query_one(Home)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """*Run* and *edit* are for a call that is at the cursor."""
        if action != "run_found" and parameters != ("edit",):
            return True  # asked at every key, for every key of the line
        found = self.screen.query_one(ToolkitTree).at_cursor if self.value.strip() else None
        if action == "run_found":
            return self._home is not None or (found is not None and found.is_ready)
        return found is not None

    def action_run_found(self) -> None:
        self.action_list("choose")

    def action_list(self, name: str, *arguments: int) -> None:
        """Run an action of the list below, or of home."""
        if (home := self._home) is not None:
            if name != "edit":
                getattr(home, f"action_{name}")(*arguments)
            return
        screen: Any = self.screen  # an explorer, which is made of this
        if name in ("choose", "edit") and not screen.panes_mounted:  # only then calls are found
            screen.once_panes_mounted(partial(self.action_list, name, *arguments))
            return
        # A fast typist presses Enter before the list is updated.
        self.screen.query_one(ToolPane).find(self.value)
        getattr(self.screen.query_one(ToolkitTree), f"action_{name}")(*arguments)


class ToolPane(Vertical):
    """Tree and detail."""

    DEFAULT_CSS = """
    ToolPane {
        #tree { margin: 1 0 0 0; }
        #detail { height: 7; padding: 0 1; border-top: solid $hairline; }
    }
    """

    def __init__(self, session: Session) -> None:
        super().__init__(id="tools", classes="pane at-tools -here")
        self._session = session

    def compose(self) -> ComposeResult:
        yield (head := PaneHead(classes="in-tabs"))
        head.here = True
        yield ToolkitTree(self._session.contents, self._session.toolkits, id="tree")
        yield Words(id="detail")

    def on_mount(self) -> None:
        self._title()

    def find(self, text: str) -> None:
        """Show what matches the typed text; all tools for an empty text."""
        if self.query_one(ToolkitTree).look_for(text):
            self._find_more(text)
        self._title()

    @work(group="found more", exclusive=True)
    async def _find_more(self, text: str) -> None:
        """After a pause in typing, show objects seen before, then counts."""
        tree, session = self.query_one(ToolkitTree), self._session
        if tree.asker is None or not text.strip() or text.startswith(">"):
            return
        await asyncio.sleep(SOON)
        known = await seen(session, tree.asker.names_in(text), text.strip())
        if known:
            tree.show_known(known)
        await asyncio.sleep(LATER - SOON)
        asker = tree.asker
        more = await found(session, asker.lookups(text))
        if not more:
            more = [one for one in await found(session, asker.lookups(text, in_part=True)) if asker.is_named(one.label, text)]
        if more:
            known = list({one.id: one for one in (*known, *more)}.values())
            tree.show_known(known)
        self._title()
        await count_first(session, tree.ready, tree.show_counts)
        if (answer := await answered(session, text, tree.ready)) is not None:
            tree.show_known(known, answer)

    @on(ToolkitTree.Highlighted)
    def _describe(self) -> None:
        tree = self.query_one(ToolkitTree)
        tool, chosen = tree.tool, tree.at_cursor
        if tool is None:
            nothing = "Nothing matches. Delete some letters, or press Esc for all tools."
            words = Content(nothing if tree.found == 0 else tree.details)
        else:
            facts = f"{EFFECT_SIGNS.get(tool.effect, '')} {WORDS.get(tool.effect, '')}".strip()
            facts += " · † deprecated" * tool.deprecated
            permission, reason = tree.lacking.get(tool.name, ""), visible_line(chosen.item.why) if chosen is not None else ""
            if chosen is not None and chosen.raw is not None:  # what Enter does with it, and why it was found
                if chosen.item.type == REQUEST:
                    does = "Enter finds it in the history; Tab puts its call into the form"
                elif chosen.item.kind == "object":
                    does = "Enter opens its page; Tab puts its call into the form"
                elif chosen.item.missing:
                    does = f"Enter opens it; needs {', '.join(chosen.item.missing)}"
                else:
                    does = "Enter runs it, Tab edits it first" if tool.effect == "read" else "Enter opens it"
                reason = f"{does}. {reason}".strip()
            request = Content()
            if chosen is not None and (known := self._session.catalog.tools.get(tool.name)):
                # In one line: a path too long for it would wrap to a line below the last visible one.
                checked = self._session.check(known, chosen.raw or {})
                whole = request_line(self._session.preview(known, checked), whole=False)
                request = whole.truncate(max(self.app.size.width - 2, 1), ellipsis=True)
            words = Content.assemble(
                Content.styled(title_of(chosen) if chosen is not None else tool.title.text or tool.name, "bold"),
                Content.styled(f"\n{tool.name}  {facts}\n", "$text-muted"),
                Content.styled(f"∅ Missing permission: {permission}\n" if permission else "", "$text-warning"),
                Content(f"{call_in_words(chosen.raw)}\n" if chosen is not None and chosen.raw else ""),
                Content.styled(f"{reason}\n" if reason else "", "$text-accent"),
                Content(f"{tool.summary}\n"),
                request,
            )
        # Its height never changes, so nothing else needs a new layout.
        self.query_one("#detail", Words).update(words, layout=False)
        self.screen.refresh_bindings()

    def _title(self) -> None:
        found, total = self.query_one(ToolkitTree).found, len(self._session.contents)
        head = self.query_one(PaneHead)
        head.title = "Tools" if found is None else "Found"
        head.asides = (Content.styled(f"{total if found is None else found}", "$text-muted"),)

    async def prepare(self) -> None:
        """Prepare the search for the ask line; show favourites and recent tools."""
        tree = self.query_one(ToolkitTree)
        tree.asker = await asyncio.to_thread(self._session.asker)
        tree.show_shortcuts(self._session.shortcuts)
        tree.look_again()
        self._find_more(self.screen.query_one(AskLine).value)
        self._title()
        self._tell()

    def note(self, tool: str) -> None:
        """Note that a tool was used."""
        self._session.shortcuts.use(tool)
        self.query_one(ToolkitTree).show_shortcuts(self._session.shortcuts)
        self._remember()

    @on(ToolkitTree.Arranged)
    @work(group="remember")
    async def _remember(self) -> None:
        await asyncio.to_thread(self._session.shortcuts.save)
        self._tell()

    def _tell(self) -> None:
        if words := self._session.shortcuts.notices():
            self.notify(words, title="Tools", severity="warning")
