"""Extends the search results once typing pauses: objects seen before, and counts of calls.

words → the history's ids, in a thread → objects with their names · the first ready calls → counts, at most four, side by side

Objects need no request to a service. A count is one small call (`tui.explorer.counting`); the next key cancels it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence

from registry.catalog.listing import ToolSummary
from registry.journal.id_index import SeenObject
from registry.pages.subjects import NoPage, subjects_of
from registry.references.targets import as_raw
from registry.text.safe_text import visible_line
from tui.explorer.counting import counted, is_countable, may_count
from tui.explorer.finder import Found
from tui.session import Session

SOON, LATER = 0.12, 0.3
"""Seconds without a key after which objects are looked up, and calls counted."""

MOST_COUNTED = 4
_FRESH, _MOST_KEPT = 30.0, 200

Counts = Mapping[tuple[str, str], str]


class FoundMore:
    """Finds objects and counts. Counts are kept for half a minute, so that they are not requested again at every key."""

    def __init__(self, session: Session, tools: Mapping[str, ToolSummary]) -> None:
        self._session = session
        self._tools = tools
        self._kept: dict[tuple[str, str, str], tuple[float, str]] = {}

    async def seen(self, names: Sequence[str]) -> list[Found]:
        """Objects from results of this run or earlier ones that have a page."""
        seen = await asyncio.to_thread(self._session.seen_objects, names)
        return [found for one in seen if (found := self._of(one)) is not None]

    def _of(self, seen: SeenObject) -> Found | None:
        if seen.connection != self._session.connection(seen.toolkit).name:
            return None  # sandbox data is not mixed with an account's
        try:
            subject = subjects_of(seen.id, self._session.routes, type_=seen.type)[0]
        except NoPage:
            return None
        gone = seen.id in self._session.deleted_ids.of(seen.connection)
        title = visible_line(seen.label or seen.id)
        return Found(
            self._tools[subject.tool],
            (),
            "deleted in this session" if gone else "",
            as_raw(subject.arguments),
            title=f"✗ {title}" if gone else title,
            kind="object",
            id=seen.id,
            type=seen.type,
        )

    async def count(self, ready: Sequence[Found], show: Callable[[Counts, str], None]) -> None:
        """Count what the first calls find, and show each count when it is known."""
        countable = [one for one in ready if self._is_countable(one)]
        ones = [one for one in countable if may_count(self._session, one.tool.toolkit)][:MOST_COUNTED]
        heading = "results now" if ones else "counts: off" if countable else ""
        counts = {one.key: words for one, words in self._known(ones)}
        show(counts, heading)

        async def ask(one: Found) -> None:
            counts[one.key] = await self._ask(one)
            show(counts, heading)

        async with asyncio.TaskGroup() as group:
            for one in ones:
                if one.key not in counts:
                    group.create_task(ask(one))

    def _is_countable(self, one: Found) -> bool:
        tool = self._session.catalog.tools.get(one.tool.name)
        return tool is not None and is_countable(tool, one.raw or {})

    def _place(self, one: Found) -> tuple[str, str, str]:
        return (self._session.connection(one.tool.toolkit).name, *one.key)

    def _known(self, ones: Sequence[Found]) -> Iterator[tuple[Found, str]]:
        for one in ones:
            at, words = self._kept.get(self._place(one), (0.0, ""))
            if 0 <= self._session.clock() - at < _FRESH:  # a clock that was set back does not make an old count new
                yield one, words

    async def _ask(self, one: Found) -> str:
        words = await counted(self._session, self._session.catalog.tools[one.tool.name], one.raw or {})
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[self._place(one)] = self._session.clock(), words
        return words
