"""Watches a page: repeats its reads at an interval, shows the differences, and keeps earlier versions.

`Watch` (calls, compares, keeps) → the line above the page (its state, what changed) → the page at one version

Each time the whole page is read again, through the engine and so within the services' rate limits. It ends with the page:
another page, a reload or the key removes the line.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence

from registry.calling.result import Result
from registry.pages.as_json import as_json
from registry.pages.page import ObjectPage
from registry.text.safe_text import shortened
from tui.dialogs.watch import WatchWish
from tui.pages.lines import Changed, Differences
from tui.widgets.watch_strip import Standing, WatchStrip

_MOST = 3


class PageWatch(WatchStrip[ObjectPage]):
    """The watch of a page.

    Args:
        title: the title of the page.
        wish: interval and condition.
        load: reads the page once.
        clock: returns the present, in Unix seconds.
        show: shows a version with its differences from the version before; returns the differences.
    """

    DEFAULT_CSS = "PageWatch { max-height: 5; }"

    keys = ("page_watch", "page_version_before", "page_version_behind")
    first = "first reading …"

    def __init__(
        self,
        title: str,
        wish: WatchWish,
        load: Callable[[], Awaitable[ObjectPage]],
        clock: Callable[[], float],
        show: Callable[[ObjectPage, ObjectPage | None], Differences],
    ) -> None:
        super().__init__(title, wish.every, wish.condition, clock)
        self._load = load
        self._show = show
        self._changes: Sequence[Changed] = ()

    def _standing(self, room: int) -> Standing:
        newest = self._watch.versions[-1] if self._watch.versions else None
        words = f"version {self._at} of {max(self._kept)}" if self._at else ""
        if self._at and self._at > min(self._kept):
            words += f" · {len(self._changes)} {'line differs' if len(self._changes) == 1 else 'lines differ'}"
        changes = [
            (one.kind, " → ".join(shortened(text, room // 2) for text in (one.before, one.after) if text))
            for one in self._changes[:_MOST]
        ]
        return Standing(words, newest, changes, len(self._changes))

    async def _call(self) -> Result:
        page = await self._load()
        self._came = page
        if page.failure is not None:
            return Result(page.subject.tool, "", None, failure=page.failure)
        return Result(page.subject.tool, "", 200, body=json.dumps(as_json(page)).encode())

    def _show_version(self, number: int) -> None:
        before = max((one for one in self._kept if one < number), default=None)
        self._changes = self._show(self._kept[number], self._kept[before] if before is not None else None).changes
