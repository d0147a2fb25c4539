"""Watches the result on screen: repeats the call at an interval, shows the differences, and keeps earlier versions.

`Watch` (calls, compares, keeps) → the line above the result (its state, what changed) → the result pane (a version)

It belongs to one visit and ends with it: going elsewhere, another run or another page removes the line.
"""

from __future__ import annotations

from registry.accounts.connection import Connection
from registry.calling.result import Result
from registry.calling.several_accounts import SeveralAccounts
from registry.catalog.model import Tool
from registry.results.watching.watch import Change, Version
from registry.text.safe_text import shortened
from tui.dialogs.watch import WatchDialog, WatchWish
from tui.explorer.context import ExplorerContext
from tui.explorer.trail import Visit
from tui.state.settings import key_of
from tui.widgets.watch_strip import Standing, WatchStrip

_LARGEST, _MOST = 4_000_000, 4


class Watching:
    """Starts and stops the watch of the result on screen. Remembers the last interval and condition."""

    def __init__(self) -> None:
        self._wish = WatchWish()
        self._line: WatchLine | None = None

    @property
    def line(self) -> WatchLine | None:
        """The line of the running watch; None without one."""
        return self._line if self._line is not None and self._line.goes_on else None

    async def start_or_stop(self, context: ExplorerContext) -> None:
        """Stop the running watch; without one, ask for interval and condition, and start."""
        if (line := self.line) is not None:
            line.stop()
            context.say("Watch stopped.", "$text-success")
            return
        tool, result, visit = context.tool, context.result.result, context.trail.here
        connection = context.session.connections.get(result.connection) if result is not None else None
        if problem := _why_not(context, tool, result, connection):
            context.say(problem)
            return
        assert tool is not None
        assert visit is not None
        assert connection is not None
        wish = await context.app.push_screen_wait(WatchDialog(context.session.title_of(tool.name), self._wish))
        if wish is None or context.result.result is not result:
            return
        self._wish = wish
        self._line = WatchLine(context, tool, visit, connection, wish)
        await context.result.mount(self._line, after="#status")

    def step(self, context: ExplorerContext, step: int) -> None:
        """Show the version before or after the one on screen."""
        if self.line is None:
            context.say(f"Nothing is watched. Press {key_of(context.app, 'watch')} to watch this result.")
        elif not self.line.step(step):
            context.say("This is the newest version." if step > 0 else "No earlier version.")


def _why_not(context: ExplorerContext, tool: Tool | None, result: Result | None, connection: Connection | None) -> str:
    here = context.trail.here
    # While another tool is being opened, the result on screen is not that of its form.
    if tool is None or result is None or here is None or not (result.tool == here.tool == tool.name):
        return "No result to watch. Run the tool first."
    if context.session.check(tool, here.asked).errors:
        return "No result to watch. Run the tool first."
    if tool.effect != "read":
        return f"{tool.name} changes data; only read-only tools can be watched."
    if isinstance(result, SeveralAccounts):
        return "A list of several accounts cannot be watched. Run it on one."
    if context.result.window is not None:
        return "All pages together cannot be watched. Watch one page."
    if context.result.has_class("-running"):
        return "The tool is still running. Watch its result when it has finished."
    if connection is None:
        return f"The account {result.connection} no longer exists."
    if result.size > _LARGEST:
        return f"Results over {_LARGEST // 1_000_000} MB cannot be watched. Request fewer items."
    return ""


class WatchLine(WatchStrip["Result"]):
    """The watch of a result."""

    DEFAULT_CSS = "WatchLine { max-height: 6; }"

    keys = ("watch", "version_before", "version_behind")
    first = "first call …"

    def __init__(self, context: ExplorerContext, tool: Tool, visit: Visit, connection: Connection, wish: WatchWish) -> None:
        super().__init__(context.session.title_of(tool.name), wish.every, wish.condition, context.session.clock)
        self._explorer = context
        self._tool = tool
        self._connection = connection
        self._visit = visit
        self._raw = dict(visit.asked)
        self._shown = context.result.result
        self.goes_on = True

    def stop(self) -> None:
        """Stop for good."""
        self.goes_on = False
        self.remove()

    def _standing(self, room: int) -> Standing:
        version = self._version
        if version is None:
            return Standing("", None)
        words = f"version {version.number} of {self._watch.versions[-1].number}"
        if version.number > 1 and version.failure is None:
            words += f" · {version.count or 'no'} {'change' if version.count == 1 else 'changes'}"
        changes = [(one.kind, _words(one, room // 3)) for one in version.changes[:_MOST]]
        return Standing(words, version, changes, version.count)

    @property
    def _version(self) -> Version | None:
        """The version on screen; the newest one if that has failed."""
        versions = self._watch.versions
        if versions and versions[-1].failure is not None:
            return versions[-1]
        return next((one for one in versions if one.number == self._at), None)

    async def _call(self) -> Result:
        # Relative times are computed again for each call.
        self._came = await self._explorer.session.call(self._tool, self._raw, connection=self._connection, remember=False)
        return self._came

    def _show_version(self, number: int) -> None:
        self._shown = result = self._kept[number]
        results = self._explorer.session.results
        if not any(one is result for one in results.of(result.tool)):
            results.add(result)
        self._explorer.present(result, stays=True)

    def _is_here(self) -> bool:
        pane = self._explorer.result
        same = self._explorer.trail.here is self._visit and pane.result is self._shown
        return self.goes_on and same and not pane.has_class("-running")

    def _over(self) -> None:
        if self.goes_on:
            self.stop()

    def _tick(self) -> None:
        if self._is_here():
            self.refresh()
        else:
            self._over()


def _words(one: Change, room: int) -> str:
    values = " → ".join(shortened(value, room) for value in (one.before, one.after) if value)
    return f"{one.path or 'the result'}  {values}".rstrip()
