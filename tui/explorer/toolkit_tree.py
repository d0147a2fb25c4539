"""The tools as a tree, toolkit → group → resource → tool; during a search, as a list, best match first.

A tool is listed below its resource by what it does (``Invoices``: ``search``, ``get``); the only tool of a resource is listed
alone, with its whole title. Reading has no sign, because most tools read; ``+`` changes, ``×`` deletes, ``†`` is deprecated,
``∅`` lacks a permission in the account in use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from rich.segment import Segment
from textual.message import Message

from registry.catalog.listing import EFFECT_SIGNS, ToolkitTitle, ToolSummary
from registry.finding.links import document_in
from registry.text.safe_text import shortened, visible_line
from tui.explorer.finder import Finder, Found
from tui.explorer.found_rows import COMMANDS, READY, Columns, Part, columns_of, groups_of, row_of, title_of
from tui.explorer.tree_rows import Branch, CommandRow, Head, Leaf, Note, Offer, Row
from tui.keyboard.calling_commands import commands_named, is_meant
from tui.keyboard.commands import Command, bindings
from tui.state.settings import Configured, key_of
from tui.state.shortcuts import Shortcuts
from tui.widgets.line_list import LineList

WORDS = {"read": "reads", "write": "changes", "delete": "deletes"}

_TOP = ("Favourites", "Recent")
_NEW = "New toolkit"
_WIDE = 60
_HUES = ("violet", "orange", "teal")
_DOES = {"search_result": "Search", "list": "List", "file": "Download"}


class ToolkitTree(LineList):
    """All tools. Posts `Highlighted` when the cursor moves to another line, `Chosen` when the user opens a tool."""

    BINDINGS = bindings("tools")
    COMPONENT_CLASSES = {
        "tree--toolkit",
        "tree--group",
        "tree--count",
        "tree--tool",
        "tree--match",
        "tree--faint",
        "tree--write",
        "tree--delete",
        *(f"tree--{hue}" for hue in _HUES),
    }

    DEFAULT_CSS = """
    ToolkitTree {
        background: $background;
        &> .tree--toolkit { text-style: bold; color: $text; }
        &> .tree--violet { color: $violet; }
        &> .tree--orange { color: $orange; }
        &> .tree--teal { color: $teal; }
        &> .tree--group, &> .tree--tool { color: $text; }
        &> .tree--count, &> .tree--faint { color: $foreground-muted; }
        &> .tree--match { color: $text-accent; text-style: bold; }
        &> .tree--write { color: $text-warning; }
        &> .tree--delete { color: $text-error; }
    }
    """

    class Highlighted(Message):
        """The cursor is on this tool, or on a line without a tool."""

        def __init__(self, tool: ToolSummary | None) -> None:
            super().__init__()
            self.tool = tool

    class Chosen(Message):
        """The user opens a tool as it was left, or a search result; with `edits`, it is not run yet."""

        def __init__(self, tool: ToolSummary, found: Found | None = None, *, edits: bool = False) -> None:
            super().__init__()
            self.tool = tool
            self.found = found
            self.edits = edits

    class CommandChosen(Message):
        """The user runs a command."""

        def __init__(self, command: Command) -> None:
            super().__init__()
            self.command = command

    class DocumentChosen(Message):
        """The user adds a document as a toolkit."""

        def __init__(self, source: str) -> None:
            super().__init__()
            self.source = source

    class Arranged(Message):
        """The user has changed favourites or grouping, which should be saved."""

    def __init__(self, tools: Sequence[ToolSummary], toolkits: Sequence[ToolkitTitle], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._shortcuts: Shortcuts | None = None
        self._kits: dict[str, list[ToolSummary]] = {}
        self._open: set[tuple[str, str]] = {(name, "") for name in _TOP}
        self._list(tools, toolkits)
        self._needs: Mapping[str, str] = {}
        self.lacking: Mapping[str, str] = {}  # the permission that the account in use lacks, by the name of the tool
        self._lines: list[Row] = []
        self._query = ""
        self._seen: Sequence[Found] = ()
        self._counts: Mapping[tuple[str, str], str] = {}
        self._counts_heading = ""
        self._columns: tuple[int, Columns] | None = None
        self._build()

    def _list(self, tools: Sequence[ToolSummary], toolkits: Sequence[ToolkitTitle]) -> None:
        """Replace the tools; new toolkits are unfolded."""
        self._tools = tools
        self.finder = Finder(tools)
        self._by_name = {tool.name: tool for tool in tools}
        self._titles = {toolkit.name: toolkit for toolkit in toolkits}
        order = list(dict.fromkeys([toolkit.name for toolkit in toolkits] + [tool.toolkit for tool in tools]))
        groups = {tool.group: place for place, tool in enumerate(tools)}
        self._open |= {(name, "") for name in order if name not in self._kits}
        self._kits = {
            name: sorted(
                (tool for tool in tools if tool.toolkit == name), key=lambda tool: (groups[tool.group], tool.title.place)
            )
            for name in order
        }

    def take(self, tools: Sequence[ToolSummary], toolkits: Sequence[ToolkitTitle]) -> None:
        """Show these tools from now on; the cursor goes to the first new toolkit."""
        before = self._kits
        self._list(tools, toolkits)
        self._build()
        known = {*before, *_TOP}
        new = [at for at, line in enumerate(self._lines) if isinstance(line, Branch) and line.toolkit not in known]
        self.lines_changed(cursor=new[0] if new else None)
        if new:
            self.call_after_refresh(self.scroll_to, y=max(new[0] - 1, 0), animate=False)
        self.cursor_moved()

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    @property
    def tool(self) -> ToolSummary | None:
        """The tool at the cursor."""
        line = self._line
        return line.tool if isinstance(line, Leaf) else None

    @property
    def toolkit(self) -> str:
        """The toolkit of the line at the cursor; empty if it has none."""
        line = self._line
        if isinstance(line, Leaf):
            return line.tool.toolkit
        return line.toolkit if isinstance(line, Branch) and line.toolkit in self._kits else ""

    @property
    def at_cursor(self) -> Found | None:
        """The search result at the cursor, during a search."""
        return line.found if isinstance(line := self._line, Leaf) else None

    @property
    def details(self) -> str:
        """The details of a line that is not a tool."""
        line = self._line
        if isinstance(line, Branch) and not line.group and (kit := self._titles.get(line.toolkit)) is not None and kit.kept:
            return f"You added this toolkit: {key_of(self.app, 'own_toolkit')} shows, refreshes or removes it."
        if isinstance(line, Offer):
            return f"Enter reads {line.source} and shows the tools that it would add."
        return line.command.help if isinstance(line, CommandRow) else line.text if isinstance(line, Note) else ""

    @property
    def found(self) -> int | None:
        """How many tools and commands match, or None without a search."""
        return sum(isinstance(line, (Leaf, CommandRow, Offer)) for line in self._lines) if self._query else None

    def look_for(self, query: str) -> bool:
        """Show the tools that match, best first; all of them for an empty query. Returns whether the query has changed."""
        query = query.strip()
        if query == self._query:
            return False
        tool = self.tool if self._query and not query else None
        self._query, self._seen, self._counts, self._counts_heading = query, (), {}, ""
        if tool is not None:
            self._open |= {(tool.toolkit, ""), (tool.toolkit, self._group(tool))}
        self._build()
        places = [place for place, line in enumerate(self._lines) if isinstance(line, Leaf) and line.tool == tool]
        self.lines_changed(cursor=places[0] if places else 1 if query and self._lines else 0)
        self.cursor_moved()
        return True

    def show_seen(self, seen: Sequence[Found]) -> None:
        """Add objects seen before to the search results; the cursor stays on its row, at the same height on screen."""
        line, above = self._line, self.cursor - self.scroll_offset.y
        self._seen = seen
        self._build()
        place = next((at for at, one in enumerate(self._lines) if one == line and isinstance(one, Leaf)), self.cursor)
        self.lines_changed(cursor=place)
        self.scroll_to(y=max(place - above, 0), animate=False, force=True)
        self.cursor_moved()

    @property
    def ready(self) -> list[Found]:
        """The calls that are ready to run, best first."""
        found = [line.found for line in self._lines if isinstance(line, Leaf)]
        return [one for one in found if one is not None and one.is_ready]

    def show_counts(self, counts: Mapping[tuple[str, str], str], heading: str) -> None:
        """Show at the right how many objects each call finds, by `Found.key`, with `heading` above them."""
        self._counts, self._counts_heading = counts, heading
        self.refresh()

    def look_again(self) -> None:
        """Repeat the search, because more is known now."""
        if query := self._query:
            self._query = ""
            self.look_for(query)

    def go_to(self, name: str) -> None:
        """Move the cursor to a tool, unfolding its branches. During a search, only if the tool was found."""
        tool = next((tool for tool in self._tools if tool.name == name), None)
        if tool is not None and not self._query:
            self._open |= {(tool.toolkit, ""), (tool.toolkit, self._group(tool))}
            self._build()
        places = [place for place, line in enumerate(self._lines) if isinstance(line, Leaf) and line.tool == tool]
        if places and self.tool != tool:
            self.lines_changed(cursor=places[-1])
        elif places:
            self.lines_changed()

    def show_needs(self, needs: Mapping[str, str]) -> None:
        """Show below each toolkit which environment variables it lacks."""
        if (lacking := {name: words for name, words in needs.items() if words}) != self._needs:
            line, self._needs = self._line, lacking
            self._build()
            self.lines_changed(cursor=self._lines.index(line) if line in self._lines else None)

    def show_lacking(self, lacking: Mapping[str, str]) -> None:
        """Grey the tools for which the account in use lacks a permission."""
        if lacking != self.lacking:
            self.lacking = lacking
            self.lines_changed()
            self.post_message(self.Highlighted(self.tool))

    def show_shortcuts(self, shortcuts: Shortcuts) -> None:
        """Show the present favourites and recent tools at the top; the cursor stays on its line."""
        line, lines, self._shortcuts = self._line, self._lines, shortcuts
        self._build()
        if self._lines != lines:
            self.lines_changed(cursor=self._lines.index(line) if line in self._lines else None)

    def action_favourite(self) -> None:
        """Make the tool at the cursor a favourite, or stop that."""
        if self.tool is not None and self._shortcuts is not None:
            self._shortcuts.mark(self.tool.name)
            self.show_shortcuts(self._shortcuts)
            self.post_message(self.Arranged())

    def action_group(self) -> None:
        """Switch between groups by what tools do and by what they are about."""
        if self._shortcuts is not None:
            tool = self.tool
            self._shortcuts.group(by_effect=not self._shortcuts.by_effect)
            self.show_shortcuts(self._shortcuts)
            if tool is not None:
                self.go_to(tool.name)
            self.post_message(self.Arranged())

    def draw(self, line: int, width: int) -> list[Segment]:
        """A branch with its sign and count, a heading, or a tool with its signs."""
        row, here = self._lines[line], line == self.cursor and self.has_focus
        if isinstance(row, Branch):
            return self._draw_branch(row, width, here)
        if isinstance(row, Note):
            text = f"   {row.text}"
            return [Segment(text if len(text) <= width else text[: width - 1] + "…", self.style("tree--write"))]
        if isinstance(row, CommandRow):
            key = cast(Configured, self.app).settings.shown(row.command)
            title = shortened(row.command.title, max(width - len(key) - 9, 8))
            mark = Segment(" › " if line == self.cursor else "   ", self.style("tree--match"))
            called = Segment(f"    {title}", self.style("tree--tool"))
            return [mark, called, Segment(f"   {key}"[: max(width - 7 - len(title), 0)], self.style("tree--faint"))]
        if isinstance(row, Offer):
            title = f"{' › ' if line == self.cursor else '   '}    Add as a toolkit   "
            room = max(width - len(title) - 1, 0)
            mark, name = Segment(title[:3], self.style("tree--match")), Segment(title[3:], self.style("tree--tool"))
            return [mark, name, Segment(shortened(visible_line(row.source), room), self.style("tree--faint"))]
        if isinstance(row, Head) and self._query:
            heading = self._counts_heading if row.title == READY and width > _WIDE else ""
            text, style = f"{row.title}{heading.rjust(width - len(row.title) - 2)}", self.style("tree--faint")
            return [Segment(" "), Segment(text, style)]
        if isinstance(row, Head):
            return [Segment(f"    {shortened(row.title, width - 4)}", self.style("tree--faint"))]
        if row.found is not None:
            return self._draw_found(row.found, width, line == self.cursor)
        return self._draw_tool(row, width, here)

    def _draw_branch(self, row: Branch, width: int, here: bool) -> list[Segment]:
        fold = f"{row.tools} {'▾' if (row.toolkit, row.group) in self._open else '▸'} "
        mark = "›" if here else " "
        room = width - len(fold) - 3
        name = Segment(shortened(row.title, room).ljust(room), self.style("tree--group" if row.group else "tree--toolkit"))
        end = Segment(fold, self.style("tree--count"))
        if row.group:
            return [Segment(f"{mark}  ", self.style("tree--tool")), name, end]
        kit = self._titles.get(row.toolkit)
        sign = kit.sign if kit is not None else " "
        hue = f"tree--{kit.hue}" if kit is not None and kit.hue else "tree--toolkit"
        return [Segment(mark, self.style("tree--tool")), Segment(f"{sign} ", self.style(hue)), name, end]

    def _draw_tool(self, row: Leaf, width: int, here: bool) -> list[Segment]:
        tool = row.tool
        sign = EFFECT_SIGNS.get(tool.effect, " ")
        sign_style = self.style({"write": "tree--write", "delete": "tree--delete"}.get(tool.effect, "tree--faint"))
        indent = 1 if row.shortcut else 2 if row.alone else 4
        lacks = tool.name in self.lacking
        tail = (" †" if tool.deprecated else "") + (" ∅" if lacks else "")
        room = width - indent - 2 - len(tail)
        usual = "tree--delete" if tool.effect == "delete" else "tree--faint" if tool.deprecated else "tree--tool"
        plain = self.style("tree--faint" if lacks else usual)
        parts = [Segment("›" if here else " ", self.style("tree--tool")), Segment(" " * (indent - 1))]
        parts.append(Segment(sign + " ", sign_style))
        parts.append(Segment(shortened(tool.title.text if row.alone else tool.title.action, room) or tool.name, plain))
        if tail:
            parts.append(Segment(tail, self.style("tree--faint")))
        return parts

    def _draw_found(self, found: Found, width: int, here: bool) -> list[Segment]:
        kit = self._titles.get(found.tool.toolkit)
        sign = Part(kit.sign, f"tree--{kit.hue}" if kit.hue else "tree--tool") if kit is not None else Part(" ", "tree--tool")
        if self._columns is None or self._columns[0] != width:
            every = [line.found for line in self._lines if isinstance(line, Leaf) and line.found is not None]
            self._columns = (width, columns_of(every, width))
        parts = row_of(found, self._columns[1], width, here=here, sign=sign, count=self._counts.get(found.key, ""))
        return [Segment(text, self.style(style)) for text, style in parts]

    def cursor_moved(self) -> None:
        """Report the tool at the cursor."""
        self.post_message(self.Highlighted(self.tool))

    def action_choose(self) -> None:
        """Open the tool at the cursor; fold or unfold a branch."""
        if self.tool is not None:
            self.post_message(self.Chosen(self.tool, self.at_cursor))
        elif isinstance(line := self._line, CommandRow):
            self.post_message(self.CommandChosen(line.command))
        elif isinstance(line, Offer):
            self.post_message(self.DocumentChosen(line.source))
        else:
            self.action_toggle_fold()

    def action_edit(self) -> None:
        """Put the search result into the form, to edit it before it is run."""
        if self.tool is not None:
            self.post_message(self.Chosen(self.tool, self.at_cursor, edits=True))

    def action_toggle_fold(self) -> None:
        """Fold or unfold the branch at the cursor."""
        if isinstance(line := self._line, Branch):
            self._fold(line, (line.toolkit, line.group) in self._open)

    def action_fold(self) -> None:
        """Fold the branch at the cursor, or go to the branch around the line."""
        line = self._line
        if isinstance(line, Branch) and (line.toolkit, line.group) in self._open:
            self._fold(line, True)
            return
        for place in range(self.cursor - 1, -1, -1):
            above = self._lines[place]
            if isinstance(above, Branch) and (not isinstance(line, Branch) or not above.group):
                self.cursor = place
                return

    def action_unfold(self) -> None:
        """Unfold the branch at the cursor, or go to its first line."""
        if not isinstance(line := self._line, Branch):
            return
        if (line.toolkit, line.group) in self._open:
            self.action_move(1)
        else:
            self._fold(line, False)

    def action_move(self, step: int) -> None:
        """Move the cursor by lines, past headings."""
        self._past_headings(super().action_move, step)

    def action_move_page(self, direction: int) -> None:
        """Move the cursor by a screenful, past headings."""
        self._past_headings(super().action_move_page, direction)

    def action_move_to_end(self, direction: int) -> None:
        """Move the cursor to the first or last line that is not a heading."""
        self._past_headings(super().action_move_to_end, direction)

    def _past_headings(self, move: Callable[[int], None], step: int) -> None:
        before = self.cursor
        move(step)
        way = 1 if step > 0 else -1
        place = self.cursor
        while 0 <= place < len(self._lines) and isinstance(self._lines[place], Head):
            place += way
        if not 0 <= place < len(self._lines):  # only headings are left in this direction
            place = next((one for one, line in enumerate(self._lines) if not isinstance(line, Head)), before)
        self.cursor = place

    def clicked(self, line: int, times: int) -> None:
        """A click folds a branch or opens a tool."""
        self.action_choose()

    @property
    def _line(self) -> Row | None:
        return self._lines[self.cursor] if 0 <= self.cursor < len(self._lines) else None

    def _fold(self, branch: Branch, fold: bool) -> None:
        key = (branch.toolkit, branch.group)
        self._open = self._open - {key} if fold else self._open | {key}
        self._build()
        self.lines_changed()

    def _build(self) -> None:
        self._lines = []
        self._columns = None
        if self._query:
            self._lines = self._found_lines()
            return
        for title, tools in self._top():
            self._lines.append(Branch(title, "", title, len(tools)))
            if (title, "") in self._open:
                self._lines += [Leaf(tool, shortcut=title) for tool in tools]
        for name, tools in self._kits.items():
            if self._lines:
                self._lines.append(Head(name, "", ""))
            title = self._titles[name].title if name in self._titles else name
            self._lines.append(Branch(name, "", title, len(tools)))
            if (name, "") not in self._open:
                continue
            if needs := self._needs.get(name):
                self._lines.append(Note(name, f"Set {needs}"))
            groups: dict[str, list[ToolSummary]] = {}
            for tool in tools:
                groups.setdefault(self._group(tool), []).append(tool)
            for group, members in groups.items():
                self._lines.append(Branch(name, group, group, len(members)))
                if (name, group) in self._open:
                    self._lines += self._members(name, group, members)

    def _found_lines(self) -> list[Row]:
        """The search results in groups; commands come last, or first if one is clearly meant."""
        document = document_in(self._query)
        # The path of a document is not a search for tools.
        fits = [] if document is not None and document.sure else self.finder.find(self._query)
        found: list[tuple[str, Sequence[Leaf | CommandRow | Offer]]] = [
            (title, [Leaf(one.tool, one) for one in group]) for title, group in groups_of(fits, self._seen)
        ]
        if commands := commands_named(self._query, self.screen):
            first = is_meant(commands[0], self._query, map(title_of, fits))
            found.insert(0 if first else len(found), (COMMANDS, [CommandRow(one) for one in commands]))
        if document is not None:
            found.append((_NEW, [Offer(document.source)]))
        blocks: list[list[Row]] = [[Head("", "", ""), Head("", "", title), *rows] for title, rows in found]
        return [line for block in blocks for line in block][1:]

    def _members(self, toolkit: str, group: str, tools: Sequence[ToolSummary]) -> list[Leaf | Head]:
        """The tools of an open group, below the headings of their resources if tools are grouped by resource."""
        if self._shortcuts is not None and self._shortcuts.by_effect:
            return [Leaf(tool) for tool in tools]
        count = Counter(tool.title.resource for tool in tools)
        lines: list[Leaf | Head] = []
        here = ""
        for tool in tools:
            resource = tool.title.resource
            alone = count[resource] == 1 or not resource
            if not alone and resource not in (here, group):
                lines.append(Head(toolkit, group, resource))
            here = resource or here
            lines.append(Leaf(tool, alone=alone))
        return lines

    def _top(self) -> list[tuple[str, list[ToolSummary]]]:
        """The branches above the toolkits that are not empty: their titles and tools."""
        if self._shortcuts is None:
            return []
        names = zip(_TOP, (self._shortcuts.favourites, self._shortcuts.recent), strict=True)
        found = [(title, [self._by_name[name] for name in these if name in self._by_name]) for title, these in names]
        return [(title, tools) for title, tools in found if tools]

    def _group(self, tool: ToolSummary) -> str:
        if self._shortcuts is None or not self._shortcuts.by_effect:
            return tool.group
        return {"write": "Change", "delete": "Delete"}.get(tool.effect) or _DOES.get(tool.response, "Read one")
