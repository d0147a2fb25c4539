"""The line of a watch: its state, the first changes of the version on screen, and its versions to step through.

`Watch` (calls, compares, keeps) → this line → the view of a version: a result, or a page
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from textual.content import Content
from textual.widget import Widget

from registry.calling.result import Result
from registry.results.watching.watch import Version, Watch
from registry.text.safe_text import visible_line
from tui.state.settings import key_of

_TICK = 0.25
_SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": ">"}

sleep = asyncio.sleep

Shown = TypeVar("Shown")


class Standing(NamedTuple):
    """The state of a watch.

    Attributes:
        words: a text about the version on screen; empty until there is one.
        version: the version whose failure, notice and ring are shown; None until there is one.
        changes: kinds and texts of the first changes.
        total: the number of all changes.
    """

    words: str
    version: Version | None
    changes: Sequence[tuple[str, str]] = ()
    total: int = 0


class WatchStrip(Widget, Generic[Shown]):
    """The state of the watch, and the changes of the version on screen. The watch runs as long as this is mounted.

    Args:
        title: the title of what is watched.
        every: seconds between two calls.
        condition: a JMESPath query that rings when it becomes true; may be empty.
        clock: returns the present, in Unix seconds.

    Attributes:
        keys: the ids of the commands that stop it, and that show the previous and the next version.
        first: the text until the first version is there.
    """

    DEFAULT_CSS = "WatchStrip { height: auto; padding: 0 1; background: $surface; }"

    ALLOW_SELECT = False

    keys: tuple[str, str, str]
    first: str

    def __init__(self, title: str, every: float, condition: str, clock: Callable[[], float]) -> None:
        super().__init__()
        self._title = title
        self._every = every
        self._came: Shown | None = None
        self._kept: dict[int, Shown] = {}
        self._at = 0
        self._due = time.monotonic()
        self._watch = Watch(self._call, clock, self._wait, every=every, condition=condition)

    def on_mount(self) -> None:
        """Start the watch."""
        self.set_interval(_TICK, self._tick)
        self.run_worker(self._go_on(), group="watch", exclusive=True, exit_on_error=False)

    def step(self, step: int) -> bool:
        """Show another version; returns whether there is one."""
        numbers = sorted(self._kept)
        place = numbers.index(self._at) + step if self._at in numbers else -1
        if not 0 <= place < len(numbers):
            return False
        self._present(numbers[place])
        return True

    def render(self) -> Content:
        """The state in a line, then problems, then the first changes, each with its sign and its kind."""
        room = max(self.size.width, 20)
        standing = self._standing(room)
        lines, version = [self._state(standing)], standing.version
        if version is not None and version.failure is not None:
            lines.append(Content.styled(visible_line(f"✗ {version.failure.title}: {version.failure.cause}"), "$text-error"))
        if version is not None and version.notice:
            lines.append(Content.styled(visible_line(f"! {version.notice}"), "$text-warning"))
        for kind, words in standing.changes:
            sign = Content.styled(f"{_SIGNS.get(kind, ' ')} {kind} ", "bold $text-warning")
            lines.append(Content.assemble(sign, Content(visible_line(words))))
        if standing.total > len(standing.changes):
            lines.append(Content.styled(f"  and {standing.total - len(standing.changes)} more", "$foreground-muted"))
        return Content("\n").join(line.truncate(room, ellipsis=True) for line in lines)

    # Different for each kind of watch

    async def _call(self) -> Result:
        """Make the call once, and store what is to be shown in `_came`."""
        raise NotImplementedError

    def _show_version(self, number: int) -> None:
        """Show a stored version."""
        raise NotImplementedError

    def _standing(self, room: int) -> Standing:
        """The state of the version on screen, with values cut for lines of so many cells."""
        raise NotImplementedError

    def _is_here(self) -> bool:
        """Whether the watched result or page is still on screen."""
        return self.is_attached

    def _over(self) -> None:
        """Called when the watch has ended."""

    def _tick(self) -> None:
        self.refresh()

    # The same for all watches

    def _state(self, standing: Standing) -> Content:
        line = Content.styled(f"watching every {self._every:g} s", "bold $text-accent")
        if not standing.words:
            return Content.assemble(line, Content.styled(f" · {self.first}", "$foreground-muted"))
        line = Content.assemble(line, f" · {standing.words}")
        if standing.version is not None and standing.version.rings:
            line = Content.assemble(line, " · ", Content.styled("! rings", "bold $text-warning"))
        stop, before, following = (key_of(self.app, name) for name in self.keys)
        keys = [f"{stop} stops"]
        if len(self._kept) > 1:
            keys.append(f"{before} {following} step")
        keys.append(f"next in {max(round(self._due - time.monotonic()), 0)} s")
        for key in keys:  # keys without room are left out
            more = Content.styled(f" · {key}", "$foreground-muted")
            line = Content.assemble(line, more) if line.cell_length + more.cell_length <= self.size.width else line
        return line

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
        self._over()

    def _take(self, version: Version) -> None:
        newest = not self._kept or self._at == max(self._kept)
        numbers = {one.number for one in self._watch.versions}
        self._kept = {number: one for number, one in self._kept.items() if number in numbers or number == self._at}
        if version.failure is None and self._came is not None:
            self._kept[version.number] = self._came
            if newest:  # an earlier version on screen stays
                self._present(version.number)
        if version.rings:
            self.app.bell()
            self.notify("The condition is true.", title=self._title, markup=False)
        self.refresh(layout=True)

    def _present(self, number: int) -> None:
        self._at = number
        self._show_version(number)
        self.refresh(layout=True)
