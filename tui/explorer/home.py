"""Home: the first screen of every start. What needs somebody, one line each; then what to ask, and where to go on.

The ask line keeps the focus: its arrows choose a row here, its Enter opens it. Rows keep their places while they are read.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size

from registry.pages.home import HomeLine
from registry.text.shown import counted, shortened, visible_line
from tui.explorer.home_content import MADE_UP, HomeContent, HomeRow, HomeTarget
from tui.keyboard.commands import bindings
from tui.session import Session
from tui.state.settings import key_of
from tui.widgets.line_list import STYLES, LineList, component_css
from tui.widgets.texts import MODES, cut

_WIDEST, _LABEL, _GAP, _AIRY, _ROOMY = 130, 9, 2, 3, 84
_MOST = {"Ask": 4, "Go on": 6, "Saved": 5, "Also": 3}
_LEAST = {"Ask": 2, "Go on": 2, "Saved": 1, "Also": 0}
"""How many rows each group has where there is room for all of them, and where there is little."""
_CHARTS = re.compile("( [▁▂▃▄▅▆▇·]{3,})")


class Home(LineList, can_focus=False):
    """The rows. Enter, or a click, chooses one."""

    BINDINGS = bindings()
    COMPONENT_CLASSES = {f"home--{name}" for name in STYLES}
    DEFAULT_CSS = component_css("Home", "home", STYLES, "padding: 0 2; background: $background") + (
        "\nHome > .lines--cursor { background: $block-cursor-background; }"
    )

    heading = 2

    def __init__(self, session: Session, content: HomeContent) -> None:
        super().__init__()
        self.add_class("at-start")
        self._session, self._content = session, content
        self.rows: Sequence[HomeRow] = ()
        self._greeting = ("", "")

    def on_mount(self) -> None:
        self.draw_again()

    def on_resize(self) -> None:
        self.draw_again()
        super().on_resize()

    @property
    def line_count(self) -> int:
        return len(self.rows)

    def draw_again(self) -> None:
        """Draw what is known now, for the present size; the cursor stays on its row."""
        before = self.rows[self.cursor].target if self.cursor < len(self.rows) else None
        size = self.size
        if not size:  # before it is laid out, that beside the tools or in their place: else it would be painted twice
            panes = self.screen.query_one("#panes")
            beside = 0 if self.screen.has_class("-narrow") else panes.query_one("#tools").outer_size.width
            size = Size(panes.size.width - beside - self.gutter.width, panes.size.height)
        rows = self._made(min(size.width, _WIDEST), size.height - self.heading)
        old, self.rows = self.rows, rows
        targets = [row.target for row in rows]
        if targets == [row.target for row in old]:
            for place, row in enumerate(rows):  # a clock in a line is not worth drawing the others
                if row != old[place]:
                    self.refresh_line(place + self.heading)
        else:
            self.lines_changed(cursor=targets.index(before) if before in targets and before is not None else self.cursor)
        if (greeting := self._greets()) != self._greeting:
            self._greeting = greeting
            self.refresh_line(0)

    # Rows

    def _made(self, width: int, height: int) -> list[HomeRow]:
        """All rows, in as many lines as there is room for: fewer in each group, and without a second line, where it is low."""
        lines, groups = self._lines(width), {name: items for name, items in self._groups().items() if items}
        shown = {name: min(len(items), _MOST[name]) for name, items in groups.items()}

        def left() -> int:
            return height - len(lines) - sum(shown.values()) - len(shown)

        while left() < 0 and (fewer := [name for name in shown if shown[name] > _LEAST[name]]):
            name = max(fewer, key=lambda name: (shown[name] - _LEAST[name], list(shown).index(name)))
            shown[name] -= 1
        more = width >= _ROOMY and sum(len(line) - 1 for line in lines) <= left()
        rows = [row for line in lines for row in (line if more else line[:1])]
        if more and left() - sum(len(line) - 1 for line in lines) > len(lines) + _AIRY:
            rows = [row for line in lines for row in (*line, HomeRow())][:-1]
        for name, count in shown.items():
            if count:
                firsts = (f"{name if not place else '':<{_LABEL}}" for place in range(count))
                rows += [HomeRow()]
                rows += [
                    replace(item, parts=((first, "muted"), *item.parts))
                    for first, item in zip(firsts, groups[name], strict=False)
                ]
        return rows

    def _lines(self, width: int) -> list[tuple[HomeRow, ...]]:
        """What needs somebody: for each a line and, if there is more to say, a second one."""
        made = [self._line(line, age, width) for line, age in self._content.lines]
        for account, (count, each_minute) in self._content.to_agree.items():
            words = f"Read this in {visible_line(account)}?"
            right = f"up to {counted(count, 'request')} at each start{f', {each_minute} a minute' if each_minute else ''}"
            made.append((HomeRow((("? ", "warn"), (words, "strong")), right, HomeTarget("agree", account)),))
        return made

    def _line(self, line: HomeLine, age: str, width: int) -> tuple[HomeRow, ...]:
        opens = line.opens if line.call is not None else f"{line.opens}  {key_of(self.app, 'oncall')}"
        if age.startswith(MADE_UP):
            rights = [f"{age} · {opens}", age]
        else:
            rights = [*([f"{age} · {opens}"] if age else []), opens, line.opens]
        room, plain = width - _GAP - 3, _CHARTS.sub("", line.words)
        # Charts are left out first, then the name of what opens, then sums.
        choices = [(words, right) for words in (line.words, plain) for right in rights]
        choices += [(plain, age), *((plain.partition(" · ")[0], right) for right in rights)]
        words, right = next((one for one in choices if cell_len(one[0]) + len(one[1]) <= room), (plain, age))
        tone = "text" if line.tone in ("bad", "warn", "text") and line.state != "unread" else "muted"
        # Charts are in colours: the first in the line's, further ones in that of what is well.
        tones = iter((str(line.tone), *["good"] * len(words)))
        parts: list[tuple[str, str]] = [(f"{line.sign} ", line.tone)]
        parts += [(text, next(tones) if _CHARTS.fullmatch(text) else tone) for text in _CHARTS.split(words) if text]
        opened = HomeTarget("call", *line.call, line.filter) if line.call is not None else HomeTarget("command", "oncall")
        first = HomeRow(tuple(parts), right, opened)
        # Its second line has its place before it is read: nothing moves.
        return (first, HomeRow(((f"  {line.why}", "muted"),))) if line.explains else (first,)

    def _groups(self) -> dict[str, list[HomeRow]]:
        content = self._content

        def command(id_: str, words: str) -> HomeRow:
            return HomeRow(((words, "text"),), key_of(self.app, id_), HomeTarget("command", id_))

        also = [command("show_me", "Watch how it is used: choose a short walk")]
        if not content.own:
            also.append(command("connections", "Use your own account"))
        ends = ((name, f"Stop reading {visible_line(name)} at each start") for name in content.agreed)
        also += [HomeRow(((words, "text"),), "", HomeTarget("agree", name)) for name, words in ends]
        ask = [HomeRow(((text, "text"),), "", HomeTarget("ask", text)) for text in content.questions]
        return {"Ask": ask, "Go on": content.recent, "Saved": content.saved, "Also": also}

    # Drawing

    def draw_heading(self, line: int, width: int) -> list[Segment]:
        names = () if line else ("home--strong", "home--muted")
        return [Segment(text, self.style(name)) for text, name in zip(self._greeting, names, strict=False)]

    def _greets(self) -> tuple[str, str]:
        """The time of day, and the world that is connected."""
        now = datetime.fromtimestamp(self._session.clock())
        day = "morning" if now.hour < 12 else "afternoon" if now.hour < 18 else "evening"
        content, session = self._content, self._session
        own = {kit: session.connection(kit) for kit in content.own}
        world = "Sandbox: a made-up software company"
        if own:
            named = {one.name: MODES[one.endpoint(kit).mode] for kit, one in own.items()}
            rest = ["the rest sandbox"] if any(map(content.on_sandbox, content.toolkits)) else []
            world = ", ".join([*(f"{visible_line(name)} ({mode})" for name, mode in named.items()), *rest])
        return f" Good {day}.", f" {world}, {now:%a} {now.day} {now:%b %H:%M}."

    def draw(self, line: int, width: int) -> list[Segment]:
        row = self.rows[line]
        width = min(width, _WIDEST)
        left = sum(cell_len(text) for text, _ in row.parts) + 1
        right = shortened(row.right, max(width // 3, width - left - _GAP))
        room = width - (cell_len(right) + _GAP if right else 0)
        here = line == self.cursor and not self.screen.has_class("-browsing")  # else the tools have the cursor
        segments, used = [Segment("›" if here else " ", self.style("home--text"))], 1
        for text, style in row.parts:
            text = cut(text, room - used)
            if used >= room:
                break
            used += cell_len(text)
            segments.append(Segment(text, self.style(f"home--{style}")))
        if right:
            segments += [Segment(" " * (width - used - cell_len(right))), Segment(right, self.style("home--muted"))]
        return segments

    # The cursor

    def rests(self, line: int) -> bool:
        return self.rows[line].target is not None

    def action_choose(self) -> None:
        target = self.rows[self.cursor].target if self.rows else None
        if target is not None:
            self.screen.call_later(cast(Any, self.screen).open_target, target)

    def clicked(self, line: int, times: int) -> None:
        if self.cursor == line:
            self.action_choose()
