"""Watching a page: the same reads again at an interval, what differs, and the versions before.

`Watch` (asks, compares, keeps) → the line above the page (how it stands, what changed) → the page as it was at one version

Each time the whole page is read again, through the engine and so within the services' limits. It ends with the page: another
page, a reload or the key take the line away.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence

from textual.content import Content
from textual.widget import Widget

from registry.calling.result import Result
from registry.display.safe_text import shortened, visible_line
from registry.pages.as_json import as_json
from registry.pages.page import Page
from registry.watching.watch import Version, Watch
from tui.dialogs.watch import WatchWish
from tui.pages.lines import Changed, Differences
from tui.state.settings import key_of

_ROWS, _TICK = 3, 0.25
_SIGNS = {"added": "+", "removed": "-", "changed": "~"}

sleep = asyncio.sleep


class PageWatch(Widget):
    """How the watch stands, and what the version on screen changed. While it is there the watch goes on.

    Args:
        title: what the page is called.
        wish: how to watch.
        load: reads the page once.
        clock: the present, in Unix seconds.
        show: shows a version, and the one before it, to mark what differs; gives the differences.
    """

    DEFAULT_CSS = "PageWatch { height: auto; max-height: 5; padding: 0 1; background: $surface; }"

    ALLOW_SELECT = False

    def __init__(
        self,
        title: str,
        wish: WatchWish,
        load: Callable[[], Awaitable[Page]],
        clock: Callable[[], float],
        show: Callable[[Page, Page | None], Differences],
    ) -> None:
        super().__init__()
        self._title = title
        self._wish = wish
        self._load = load
        self._show = show
        self._came: Page | None = None
        self._pages: dict[int, Page] = {}
        self._at = 0
        self._changes: Sequence[Changed] = ()
        self._due = time.monotonic()
        self._watch = Watch(self._call, clock, self._wait, every=wish.every, condition=wish.condition)

    def on_mount(self) -> None:
        """Begin."""
        self.set_interval(_TICK, self.refresh)
        self.run_worker(self._go_on(), group="page watch", exclusive=True, exit_on_error=False)

    def step(self, step: int) -> bool:
        """Show another version; tells whether there is one."""
        numbers = sorted(self._pages)
        place = numbers.index(self._at) + step if self._at in numbers else -1
        if not 0 <= place < len(numbers):
            return False
        self._present(numbers[place])
        return True

    def render(self) -> Content:
        """The watch in a line, then the first changes, each with its sign and its word."""
        room, lines = max(self.size.width, 20), [self._state()]
        newest = self._watch.versions[-1] if self._watch.versions else None
        if newest is not None and newest.failure is not None:
            lines.append(Content.styled(visible_line(f"✗ {newest.failure.title}: {newest.failure.cause}"), "$text-error"))
        if newest is not None and newest.notice:
            lines.append(Content.styled(visible_line(f"! {newest.notice}"), "$text-warning"))
        for one in self._changes[:_ROWS]:
            values = " → ".join(shortened(text, room // 2) for text in (one.before, one.after) if text)
            sign = Content.styled(f"{_SIGNS[one.kind]} {one.kind} ", "bold $text-warning")
            lines.append(Content.assemble(sign, Content(visible_line(values))))
        if len(self._changes) > _ROWS:
            lines.append(Content.styled(f"  and {len(self._changes) - _ROWS} more", "$foreground-muted"))
        return Content("\n").join(line.truncate(room, ellipsis=True) for line in lines)

    def _state(self) -> Content:
        line = Content.styled(f"watching every {self._wish.every:g} s", "bold $text-accent")
        if not self._at:
            return Content.assemble(line, Content.styled(" · first reading …", "$foreground-muted"))
        line = Content.assemble(line, f" · version {self._at} of {max(self._pages)}")
        if self._at > min(self._pages):
            line += Content(f" · {len(self._changes)} {'line differs' if len(self._changes) == 1 else 'lines differ'}")
        if self._watch.versions[-1].rings:
            line = Content.assemble(line, " · ", Content.styled("! rings", "bold $text-warning"))
        keys = [f"{key_of(self.app, 'page_watch')} stops"]
        if len(self._pages) > 1:
            keys.append(f"{key_of(self.app, 'page_version_before')} {key_of(self.app, 'page_version_behind')} step")
        keys.append(f"next in {max(round(self._due - time.monotonic()), 0)} s")
        for key in keys:  # what there is no room for is left out whole
            more = Content.styled(f" · {key}", "$foreground-muted")
            line = Content.assemble(line, more) if line.cell_length + more.cell_length <= self.size.width else line
        return line

    async def _call(self) -> Result:
        page = await self._load()
        self._came = page
        if page.failure is not None:
            return Result(page.subject.tool, "", None, failure=page.failure)
        return Result(page.subject.tool, "", 200, body=json.dumps(as_json(page)).encode())

    async def _wait(self, seconds: float) -> None:
        self._due = time.monotonic() + seconds
        await sleep(seconds)

    async def _go_on(self) -> None:
        while self.is_attached:
            version = await self._watch.next()
            if version is not None and self.is_attached:
                self._take(version)

    def _take(self, version: Version) -> None:
        newest = not self._pages or self._at == max(self._pages)
        kept = {one.number for one in self._watch.versions}
        self._pages = {number: page for number, page in self._pages.items() if number in kept or number == self._at}
        if version.failure is None and self._came is not None:
            self._pages[version.number] = self._came
            if newest:  # whoever looks at an earlier one stays there
                self._present(version.number)
        if version.rings:
            self.app.bell()
            self.notify("The condition holds.", title=self._title, markup=False)
        self.refresh(layout=True)

    def _present(self, number: int) -> None:
        before = max((one for one in self._pages if one < number), default=None)
        self._at = number
        self._changes = self._show(self._pages[number], self._pages[before] if before is not None else None).changes
        self.refresh(layout=True)
