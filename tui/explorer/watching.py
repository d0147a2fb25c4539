"""Watching the result on screen: the same call again at an interval, what differs, and the versions before.

`Watch` (asks, compares, keeps) → the line above the result (how it stands, what changed) → the result pane (a version)

It belongs to one visit and ends with it: going elsewhere, another run or another page take the line away.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

from registry.display.safe_text import shortened, visible_line
from registry.watching.watch import Version, Watch
from tui.dialogs.watch import WatchDialog, WatchWish
from tui.state.settings import key_of

if TYPE_CHECKING:
    from registry.calling.result import Result
    from registry.catalog.model import Tool
    from registry.connections.profiles import Connection
    from tui.explorer.context import ExplorerContext

_LARGEST = 4_000_000
_ROWS, _TICK = 4, 0.25
_SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": ">"}

sleep = asyncio.sleep


class Watching:
    """Starts and stops the watch of the result on screen. Remembers how was watched last."""

    def __init__(self) -> None:
        self._wish = WatchWish()
        self._line: WatchLine | None = None

    @property
    def line(self) -> WatchLine | None:
        """The line of the watch that goes on; None without one."""
        return self._line if self._line is not None and self._line.goes_on else None

    async def start_or_stop(self, context: ExplorerContext) -> None:
        """Stop watching; where nothing is watched, ask how to, and begin."""
        if (line := self.line) is not None:
            line.stop()
            context.say("Watch stopped.", "$text-success")
            return
        tool, result = context.tool, context.result.result
        connection = context.session.connections.get(result.connection) if result is not None else None
        if problem := _why_not(context, tool, result, connection):
            context.say(problem)
            return
        assert tool is not None
        assert connection is not None
        wish = await context.app.push_screen_wait(WatchDialog(context.session.title_of(tool.name), self._wish))
        if wish is None or context.result.result is not result:
            return
        self._wish = wish
        self._line = WatchLine(context, tool, connection, wish)
        await context.result.mount(self._line, after="#status")

    def step(self, context: ExplorerContext, step: int) -> None:
        """Show the version before or behind the one on screen."""
        if self.line is None:
            context.say(f"Nothing is watched. Press {key_of(context.app, 'watch')} to watch this result.")
        elif not self.line.step(step):
            context.say("This is the newest version." if step > 0 else "No earlier version.")


def _why_not(context: ExplorerContext, tool: Tool | None, result: Result | None, connection: Connection | None) -> str:
    if tool is None or result is None or context.trail.here is None:
        return "No result to watch. Run the tool first."
    if tool.effect != "read":
        return f"{tool.name} changes data; only read-only tools can be watched."
    if context.result.window is not None:
        return "All pages together cannot be watched. Watch one page."
    if context.result.has_class("-running"):
        return "The tool is still running. Watch its result when it has finished."
    if connection is None:
        return f"The account {result.connection} no longer exists."
    if result.size > _LARGEST:
        return f"Results over {_LARGEST // 1_000_000} MB cannot be watched. Request fewer items."
    return ""


class WatchLine(Widget):
    """How the watch stands, and what the version on screen changed. While it is there the watch goes on."""

    DEFAULT_CSS = "WatchLine { height: auto; max-height: 6; padding: 0 1; background: $surface; }"

    ALLOW_SELECT = False

    def __init__(self, context: ExplorerContext, tool: Tool, connection: Connection, wish: WatchWish) -> None:
        super().__init__()
        self._explorer = context
        self._tool = tool
        self._connection = connection
        self._wish = wish
        self._visit = context.trail.here
        self._raw = dict(self._visit.asked) if self._visit is not None else {}
        self._shown = context.result.result
        self._came: Result | None = None
        self._results: dict[int, Result] = {}
        self._at = 0
        self._due = time.monotonic()
        self._watch = Watch(self._call, context.session.clock, self._wait, every=wish.every, condition=wish.condition)
        self.goes_on = True

    def on_mount(self) -> None:
        """Begin."""
        self.set_interval(_TICK, self._tick)
        self.run_worker(self._go_on(), group="watch", exclusive=True, exit_on_error=False)

    def stop(self) -> None:
        """Stop for good."""
        self.goes_on = False
        self.remove()

    def step(self, step: int) -> bool:
        """Show another version; tells whether there is one."""
        numbers = sorted(self._results)
        place = numbers.index(self._at) + step if self._at in numbers else -1
        if not 0 <= place < len(numbers):
            return False
        self._at = numbers[place]
        self._present(self._results[self._at])
        return True

    def render(self) -> Content:
        """The watch in a line, then the first changes, each with its sign and its word."""
        room, version = max(self.size.width, 20), self._version
        lines = [self._state(version)]
        if version is not None:
            if version.failure is not None:
                lines.append(Content.styled(visible_line(f"✗ {version.failure.title}: {version.failure.cause}"), "$text-error"))
            if version.notice:
                lines.append(Content.styled(visible_line(f"! {version.notice}"), "$text-warning"))
            for one in version.changes[:_ROWS]:
                values = " → ".join(shortened(value, room // 3) for value in (one.before, one.after) if value)
                words = visible_line(f"{one.path or 'the result'}  {values}".rstrip())
                sign = f"{_SIGNS.get(one.kind, ' ')} {one.kind} "
                lines.append(Content.assemble(Content.styled(sign, "bold $text-warning"), Content(words)))
            if version.count > _ROWS:
                lines.append(Content.styled(f"  and {version.count - _ROWS} more", "$foreground-muted"))
        return Content("\n").join(line.truncate(room, ellipsis=True) for line in lines)

    def _state(self, version: Version | None) -> Content:
        line = Content.styled(f"watching every {self._wish.every:g} s", "bold $text-accent")
        if version is None:
            return Content.assemble(line, Content.styled(" · first call …", "$foreground-muted"))
        line = Content.assemble(line, f" · version {version.number} of {self._watch.versions[-1].number}")
        if version.number > 1 and version.failure is None:
            line += Content(f" · {version.count or 'no'} {'change' if version.count == 1 else 'changes'}")
        if version.rings:
            line = Content.assemble(line, " · ", Content.styled("! rings", "bold $text-warning"))
        keys = [f"{key_of(self.app, 'watch')} stops"]
        if len(self._results) > 1:
            keys.append(f"{key_of(self.app, 'version_before')} {key_of(self.app, 'version_behind')} step")
        keys.append(f"next in {max(round(self._due - time.monotonic()), 0)} s")
        for key in keys:  # what there is no room for is left out whole
            more = Content.styled(f" · {key}", "$foreground-muted")
            line = Content.assemble(line, more) if line.cell_length + more.cell_length <= self.size.width else line
        return line

    @property
    def _version(self) -> Version | None:
        """The version on screen; the newest where that has no result of its own."""
        versions = self._watch.versions
        if versions and versions[-1].failure is not None:
            return versions[-1]
        return next((one for one in versions if one.number == self._at), None)

    async def _call(self) -> Result:
        # Times that count from the present move with it.
        self._came = await self._explorer.session.call(self._tool, self._raw, connection=self._connection, remember=False)
        return self._came

    async def _wait(self, seconds: float) -> None:
        self._due = time.monotonic() + seconds
        await sleep(seconds)

    async def _go_on(self) -> None:
        while self._is_here():
            version = await self._watch.next()
            if not self._is_here():
                break
            if version is not None:
                self._take(version)
        if self.goes_on:
            self.stop()

    def _take(self, version: Version) -> None:
        newest = not self._results or self._at == max(self._results)
        kept = {one.number for one in self._watch.versions}
        self._results = {number: one for number, one in self._results.items() if number in kept or number == self._at}
        if version.failure is None and self._came is not None:
            self._results[version.number] = self._came
            if newest:  # whoever looks at an earlier one stays there
                self._at = version.number
                self._present(self._came)
        if version.rings:
            self.app.bell()
            self.notify("The condition is true.", title=self._explorer.session.title_of(self._tool.name), markup=False)
        self.refresh(layout=True)

    def _present(self, result: Result) -> None:
        self._shown = result
        results = self._explorer.session.results
        if not any(one is result for one in results.of(result.tool)):
            results.add(result)
        self._explorer.present(result, stays=True)
        self.refresh(layout=True)

    def _is_here(self) -> bool:
        """Whether what is watched is what is on screen still."""
        pane = self._explorer.result
        same = self._explorer.trail.here is self._visit and pane.result is self._shown
        return self.goes_on and same and not pane.has_class("-running")

    def _tick(self) -> None:
        if self._is_here():
            self.refresh()
        elif self.goes_on:
            self.stop()
