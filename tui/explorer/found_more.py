"""Extends the search results once typing pauses: objects seen before, and counts of calls.

words → the history's ids, in a thread → objects with their names · the first ready calls → counts, at most four, side by side

Objects need no request to a service. A count is one small call (`tui.explorer.counting`); the next key cancels it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

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

Counts = Mapping[tuple[str, str], str]


class FoundMore:
    """Finds objects and counts."""

    def __init__(self, session: Session, tools: Mapping[str, ToolSummary]) -> None:
        self._session = session
        self._tools = tools

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
        catalog = self._session.catalog.tools
        countable = [one for one in ready if one.tool.name in catalog and is_countable(catalog[one.tool.name], one.raw or {})]
        ones = [one for one in countable if may_count(self._session, one.tool.toolkit)][:MOST_COUNTED]
        heading = "results now" if ones else "counts: off" if countable else ""
        counts: dict[tuple[str, str], str] = {}
        show(counts, heading)

        async def ask(one: Found) -> None:
            counts[one.key] = await counted(self._session, catalog[one.tool.name], one.raw or {})
            show(counts, heading)

        async with asyncio.TaskGroup() as group:
            for one in ones:
                group.create_task(ask(one))
