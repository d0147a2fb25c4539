"""The tools as a tree, toolkit → group → resource → tool; during a search, as a list, best match first.

A tool is listed below its resource by what it does (``Invoices``: ``search``, ``get``); the only tool of a resource is listed
alone, with its whole title. Reading has no sign, because most tools read; ``+`` changes, ``×`` deletes, ``†`` is deprecated,
``∅`` lacks a permission in the account in use.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from msgspec.structs import replace
from rich.segment import Segment
from textual.message import Message

from registry.catalog.listing import EFFECT_SIGNS, ToolkitTitle, ToolSummary
from registry.finding.find import Finder
from registry.journal.entries import KnownObject
from registry.openapi.pasted import document_in
from registry.text.shown import shortened, visible_line
from tui.explorer.found import STYLES, Found, Part, row_of, title_of
from tui.keyboard.commands import Command, bindings, commands_named, is_offered
from tui.state.json_store import Shortcuts
from tui.state.settings import key_of, settings_of
from tui.widgets.line_list import LineList, component_css

WORDS = {"read": "reads", "write": "changes", "delete": "deletes"}

_TOP = ("Favourites", "Recent")
_MOST, _COMMAND, _KEY, _WIDE = 7, 27, 10, 60
_STYLES = {
    **{hue: f"color: ${hue}" for hue in ("violet", "orange", "teal")},
    **dict.fromkeys(("group", "tool"), "color: $text"),
    **dict.fromkeys(("count", "faint"), "color: $foreground-muted"),
    "toolkit": "color: $text; text-style: bold",
    "match": "color: $text-accent; text-style: bold",
    "write": "color: $text-warning",
    "delete": "color: $text-error",
}


class Row(NamedTuple):
    """A line of the tree.

    Attributes:
        kind: a toolkit or a group of one (``branch``); a tool; a heading or an empty line, which the cursor skips (``head``);
            what a toolkit needs before its tools can be run (``note``); a command, or a document that could become a toolkit;
            how much more was found (``more``).
        title: the text of a branch, a heading or a note; the path or URL of a document.
        toolkit: the toolkit of a branch, or its title if it is above all toolkits.
        group: the group of a branch; empty for a whole toolkit.
        tools: how many tools are in a branch.
        found: the search result of a tool, during a search.
        indent: where the sign of a tool is.
    """

    kind: Literal["branch", "tool", "head", "note", "command", "document", "more"]
    title: str = ""
    toolkit: str = ""
    group: str = ""
    tools: int = 0
    tool: ToolSummary | None = None
    found: Found | None = None
    indent: int = 2
    command: Command | None = None

    @property
    def identity(self) -> tuple[object, ...]:
        """What a search result, a command or a document is, however well it matches now."""
        found = self.found
        return self.kind, self.command, found is not None and (found.key, found.answers)


class ToolkitTree(LineList):
    """All tools. Posts `Highlighted` when the cursor moves to another line; its screen opens what is chosen."""

    BINDINGS = bindings("tools")
    COMPONENT_CLASSES = {f"tree--{name}" for name in _STYLES}
    DEFAULT_CSS = component_css("ToolkitTree", "tree", _STYLES)

    _lines: Sequence[Row] = ()

    class Highlighted(Message):
        """The cursor is on another line."""

    class Arranged(Message):
        """The user has changed the favourites, which should be saved."""

    def __init__(self, tools: Sequence[ToolSummary], toolkits: Sequence[ToolkitTitle], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._shortcuts: Shortcuts | None = None
        self._kits: dict[str, list[ToolSummary]] = {}
        self._open: set[tuple[str, str]] = {(name, "") for name in _TOP}
        self._list(tools, toolkits)
        self._needs: Mapping[str, str] = {}
        self.lacking: Mapping[str, str] = {}  # the permission that the account in use lacks, by the name of the tool
        self._query = ""
        self._known: Sequence[KnownObject] = ()
        self._answer: Found | None = None
        self._counts: Mapping[tuple[str, str], str] = {}
        self._longest, self._shows_all = 0, False
        self.asker: Finder | None = None
        """Searches all tools; None until the catalogue is loaded, a moment after the first frame: until then all are shown."""
        self._build()

    def _list(self, tools: Sequence[ToolSummary], toolkits: Sequence[ToolkitTitle]) -> None:
        """Replace the tools; new toolkits are unfolded."""
        self._by_name = {tool.name: tool for tool in tools}
        self._titles = {toolkit.name: toolkit for toolkit in toolkits}
        order = list(dict.fromkeys([*self._titles, *(tool.toolkit for tool in tools)]))
        groups = {tool.group: place for place, tool in enumerate(tools)}
        by_place = sorted(tools, key=lambda tool: (groups[tool.group], tool.title.place))
        self._open |= {(name, "") for name in order if name not in self._kits}
        self._kits = {name: [tool for tool in by_place if tool.toolkit == name] for name in order}

    def take(self, tools: Sequence[ToolSummary], toolkits: Sequence[ToolkitTitle]) -> None:
        """Show these tools from now on; the cursor goes to the first new toolkit."""
        known = {*self._kits, *_TOP}
        self._list(tools, toolkits)
        self._build()
        new = next((at for at, line in enumerate(self._lines) if line.kind == "branch" and line.toolkit not in known), None)
        self.lines_changed(cursor=new)
        if new is not None:
            self.call_after_refresh(self.scroll_to, y=max(new - 1, 0), animate=False)
        self.cursor_moved()

    @property
    def line_count(self) -> int:
        return len(self._lines)

    @property
    def _line(self) -> Row:
        return self._lines[self.cursor] if 0 <= self.cursor < len(self._lines) else Row("head")

    @property
    def tool(self) -> ToolSummary | None:
        return self._line.tool

    @property
    def toolkit(self) -> str:
        """The toolkit of the line at the cursor; empty if it has none."""
        if self._line.tool is not None:
            return self._line.tool.toolkit
        return self._line.toolkit if self._line.toolkit in self._kits else ""

    @property
    def at_cursor(self) -> Found | None:
        return self._line.found

    @property
    def details(self) -> str:
        """The details of a line that is not a tool."""
        line, kit = self._line, self._titles.get(self._line.toolkit)
        if line.kind == "branch" and not line.group and kit is not None and kit.kept:
            way = f": {key_of(self.app, 'own_toolkit')} shows, refreshes or removes it." if is_offered("own_toolkit") else "."
            return f"You added this toolkit{way}"
        return {
            "document": f"Enter reads {line.title} and shows the tools that it would add.",
            "more": "Enter shows the rest of what was found.",
            "note": line.title,
        }.get(line.kind, line.command.help if line.command is not None else "")

    @property
    def found(self) -> int | None:
        """How many tools and commands match, or None without a search."""
        more = sum(line.tools - 1 for line in self._lines if line.kind == "more")
        return sum(line.kind != "head" for line in self._lines) + more if self._searches else None

    @property
    def _searches(self) -> bool:
        return bool(self._query) and self.asker is not None

    def look_for(self, query: str) -> bool:
        """Show the tools that match, best first; all of them for an empty query. Returns whether the query has changed."""
        query = query.strip()
        if query == self._query:
            return False
        tool = self.tool if self._query and not query else None
        self._query, self._known, self._answer, self._counts, self._shows_all = query, (), None, {}, False
        self._build(shows=tool)
        self.lines_changed(cursor=self._place_of(tool) or 0)
        self.cursor_moved()
        return True

    def show_known(self, known: Sequence[KnownObject], answer: Found | None = None) -> None:
        """Search again with these objects, below the sentence that answers the question.

        A cursor that was not moved is on the best row. The row at one that was keeps its place, also if it would not be found
        any more.
        """
        at, here, stays = self.cursor, self._line, self.cursor > 0
        self._known, self._answer = known, answer
        self._build()
        if stays:
            others = [one for one in self._lines if one.identity != here.identity]
            self._lines = [*others[:at], here, *others[at:]]
        self.lines_changed(cursor=at if stays else 0)
        self.cursor_moved()

    @property
    def ready(self) -> list[Found]:
        """The calls that are ready to run, best first."""
        return [line.found for line in self._lines if line.found is not None and line.found.is_ready]

    def show_counts(self, counts: Mapping[tuple[str, str], str]) -> None:
        """Show at the right how many objects each call finds, by `Found.key`."""
        self._counts = counts
        self.refresh()

    def look_again(self) -> None:
        """Repeat the search, because more is known now."""
        query, self._query = self._query, ""
        self.look_for(query)

    def go_to(self, name: str) -> None:
        """Move the cursor to a tool, unfolding its branches. During a search, only if the tool was found."""
        tool = self._by_name.get(name)
        if not self._query:
            self._build(shows=tool)
        if (place := self._place_of(tool)) is not None:
            self.lines_changed(cursor=None if self.tool == tool else place)

    def _place_of(self, tool: ToolSummary | None) -> int | None:
        """The last line of a tool: the one in its toolkit, not among the favourites."""
        places = [place for place, line in enumerate(self._lines) if tool is not None and line.tool == tool]
        return places[-1] if places else None

    def show_needs(self, needs: Mapping[str, str], lacking: Mapping[str, str]) -> None:
        """Show below each toolkit which environment variables it needs, and grey the tools that lack a permission."""
        if (needs, lacking) != (self._needs, self.lacking):
            self._needs, self.lacking = needs, lacking
            self._rebuild()
            self.lines_changed()
            self.cursor_moved()

    def show_shortcuts(self, shortcuts: Shortcuts) -> None:
        """Show the present favourites and recent tools at the top; the cursor stays on its line."""
        self._shortcuts = shortcuts
        self._rebuild()

    def _rebuild(self) -> None:
        """Make the lines again; the cursor stays on its line."""
        line, lines = self._line, self._lines
        self._build()
        if self._lines != lines:
            self.lines_changed(cursor=self._lines.index(line) if line in self._lines else None)

    def action_favourite(self) -> None:
        """Make the tool at the cursor a favourite, or stop that."""
        if self.tool is not None and self._shortcuts is not None:
            self._shortcuts.mark(self.tool.name)
            self.show_shortcuts(self._shortcuts)
            self.post_message(self.Arranged())

    def draw(self, line: int, width: int) -> list[Segment]:
        """A branch with its sign and count, a heading, or a tool with its signs."""
        row, at_cursor = self._lines[line], line == self.cursor
        if row.kind == "branch":
            parts = self._branch(row, width, here=at_cursor and self.has_focus)
        elif row.kind == "more":
            parts = [Part(" › " if at_cursor else "   ", "tree--match"), Part(f"    {row.title}", "tree--faint")]
        elif row.kind == "note":
            parts = [Part(shortened(f"   {row.title}", width), "tree--write")]
        elif row.kind == "head":
            parts = [Part(shortened(f"{' ' if self._searches else '    '}{row.title}", width).ljust(width), "tree--faint")]
        elif row.found is not None:
            sign, count = self._sign(row.found.tool.toolkit), self._counts.get(row.found.key, "")
            parts = row_of(row.found, self._longest, width, here=at_cursor, sign=sign, count=count)
        elif row.tool is not None:
            parts = self._tool(row, row.tool, width, here=at_cursor and self.has_focus)
        else:
            words, aside = "Add as a toolkit", visible_line(row.title)
            if row.command is not None:
                words, key = row.command.title, settings_of(self.app).shown(row.command)
                aside = key
                if width >= _WIDE:
                    words, aside = f"{words:{_COMMAND}}", f"{key:{_KEY}}{row.command.help}"
            words = shortened(words, max(width - len(aside) - 10, _COMMAND if width >= _WIDE else 16))
            parts = [Part(" › " if at_cursor else "   ", "tree--match"), Part(f"    {words}   ", "tree--tool")]
            parts.append(Part(shortened(aside, max(width - len(words) - 11, 0)), "tree--faint"))
        return [Segment(text, self.style(style)) for text, style in parts]

    def _branch(self, row: Row, width: int, *, here: bool) -> list[Part]:
        fold = f" {row.tools} {'▾' if (row.toolkit, row.group) in self._open else '▸'} "
        room = width - len(fold) - 3
        name = Part(shortened(row.title, room).ljust(room), "tree--group" if row.group else "tree--toolkit")
        space = Part(" ", "tree--tool")
        sign = space if row.group else self._sign(row.toolkit)
        return [Part("›", "tree--tool") if here else space, sign, space, name, Part(fold, "tree--count")]

    def _sign(self, toolkit: str) -> Part:
        kit = self._titles.get(toolkit)
        return Part(kit.sign if kit else " ", f"tree--{kit.hue}" if kit and kit.hue else "tree--toolkit")

    def _tool(self, row: Row, tool: ToolSummary, width: int, *, here: bool) -> list[Part]:
        lacks = tool.name in self.lacking
        tail = (" †" if tool.deprecated else "") + (" ∅" if lacks else "")
        name = shortened(row.title, width - row.indent - 2 - len(tail)) or tool.name
        usual = "tree--delete" if tool.effect == "delete" else "tree--faint" if tool.deprecated else "tree--tool"
        return [
            Part(f"{'›' if here else ' '}{' ' * (row.indent - 1)}", "tree--tool"),
            Part(f"{EFFECT_SIGNS.get(tool.effect, ' ')} ", STYLES.get(tool.effect, "tree--faint")),
            Part(name, "tree--faint" if lacks else usual),
            Part(tail, "tree--faint"),
        ]

    def cursor_moved(self) -> None:
        self.post_message(self.Highlighted())

    def action_choose(self) -> None:
        if self._line.kind in ("tool", "command", "document"):
            self.screen.call_later(cast(Any, self.screen).open_row, self._line)
        elif self._line.kind == "more":
            self._shows_all = True
            self._rebuild()
        else:
            self.action_toggle_fold()

    def action_edit(self) -> None:
        """Put the search result into the form, to edit it before it is run."""
        if self.tool is not None:
            self.screen.call_later(cast(Any, self.screen).open_row, self._line, edits=True)

    @property
    def _is_open(self) -> bool:
        return self._line.kind == "branch" and (self._line.toolkit, self._line.group) in self._open

    def action_toggle_fold(self) -> None:
        if self._line.kind == "branch":
            self._open ^= {(self._line.toolkit, self._line.group)}
            self._build()
            self.lines_changed()

    def action_fold(self) -> None:
        if self._is_open:
            self.action_toggle_fold()
        else:
            deep, above = self._line.kind != "branch", range(self.cursor - 1, -1, -1)
            holders = (at for at in above if self._lines[at].kind == "branch" and (deep or not self._lines[at].group))
            self.cursor = next(holders, self.cursor)

    def action_unfold(self) -> None:
        if self._is_open:
            self.action_move(1)
        else:
            self.action_toggle_fold()

    def rests(self, line: int) -> bool:
        return self._lines[line].kind != "head"

    def clicked(self, line: int, times: int) -> None:
        if line == self.cursor:
            self.action_choose()

    def _build(self, *, shows: ToolSummary | None = None) -> None:
        """Make the lines; the branches of the tool `shows` are unfolded."""
        if shows is not None:
            self._open |= {(shows.toolkit, ""), (shows.toolkit, shows.group)}
        self._lines = self._found_lines(self.asker) if self._query and self.asker is not None else self._tree_lines()
        found = [line.found for line in self._lines if line.found is not None and not line.found.answers]
        self._longest = max((len(title_of(one)) for one in found), default=0)

    def _tree_lines(self) -> list[Row]:
        lines: list[Row] = []
        kept = self._shortcuts.now if self._shortcuts is not None else None
        favourites, recent = (kept.favourites, kept.recent) if kept is not None else ((), ())
        for title, names in zip(_TOP, (favourites, recent), strict=True):
            if tools := [self._by_name[name] for name in names if name in self._by_name]:
                lines.append(Row("branch", title, title, tools=len(tools)))
            if (title, "") in self._open:
                lines += [Row("tool", tool.title.text, title, tool=tool, indent=1) for tool in tools]
        for name, tools in self._kits.items():
            if lines:
                lines.append(Row("head"))
            lines.append(Row("branch", self._titles[name].title if name in self._titles else name, name, tools=len(tools)))
            if (name, "") not in self._open:
                continue
            if needs := self._needs.get(name):
                lines.append(Row("note", f"Set {needs}"))
            for group in dict.fromkeys(tool.group for tool in tools):
                members = [tool for tool in tools if tool.group == group]
                lines.append(Row("branch", group, name, group, len(members)))
                if (name, group) in self._open:
                    lines += _members(group, members)
        return lines

    def _found_lines(self, asker: Finder) -> list[Row]:
        """The search results, best first, at most seven until more are asked for; commands come last, or alone after ``>``."""
        if self._query.startswith(">"):
            return [Row("command", command=one) for one in commands_named(self._query, self.screen)]
        document = document_in(self._query) if is_offered("add_toolkit") else None
        # The path of a document is not a search for tools.
        items = [] if document is not None and document.sure else asker.find(self._query, known=self._known)
        fits = [Found(item, self._by_name[item.tool]) for item in items if item.tool in self._by_name]
        shown = fits if self._shows_all or len(fits) == _MOST + 1 else fits[:_MOST]
        # A reason with a colon is said once, above the rows that it is about.
        heading = shown[0].item.why if shown and shown[0].item.why.endswith(":") else ""
        lines = [Row("tool", tool=self._answer.tool, found=self._answer)] if self._answer is not None else []
        lines += [Row("head", heading)] if heading else []
        lines += [
            Row("tool", tool=one.tool, found=one._replace(item=replace(one.item, why="")) if one.item.why == heading else one)
            for one in shown
        ]
        if left := len(fits) - len(shown):
            lines.append(Row("more", f"{left} more", tools=left))
        commands = [Row("command", command=one) for one in commands_named(self._query, self.screen)]
        documents = [Row("document", document.source)] if document is not None else []
        for title, rows in (("Commands", commands), ("New toolkit", documents)):
            lines += [*([Row("head")] if lines else []), Row("head", title), *rows] if rows else []
        return lines


def _members(group: str, tools: Sequence[ToolSummary]) -> list[Row]:
    """The tools of an open group, below the headings of their resources."""
    count = Counter(tool.title.resource for tool in tools)
    lines, here = list[Row](), ""
    for tool in tools:
        resource = tool.title.resource
        alone = count[resource] == 1 or not resource
        if not alone and resource not in (here, group):
            lines.append(Row("head", resource))
        here = resource or here
        title, indent = (tool.title.text, 2) if alone else (tool.title.action, 4)
        lines.append(Row("tool", title, tool=tool, indent=indent))
    return lines
