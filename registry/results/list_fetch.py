"""Fetches a whole list page by page through the client, until its end, a limit or an error.

Fetched items are always kept, and the fetch can be continued. It always ends: if a service repeats itself, or
reports more items and returns none, that is a failure. The client handles retries, rate limits and size limits.

The guarantee is that of cursors: an item that is in the list from the first request to the last is returned exactly once; items
that are added or removed meanwhile may be missing. A list with offsets shifts when an earlier item is removed: duplicates are
dropped, and skipped items cannot be detected.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Self

from registry.accounts.connection import Connection
from registry.calling.arguments import ArgumentError, FieldError, Value, check, checked, deepest_of, times_in, window_of
from registry.calling.client import ToolClient
from registry.calling.result import Failure, RawItems, ResultPage, id_of
from registry.calling.sending import LARGE, Progress
from registry.catalog.model import Parameter, Tool
from registry.json_text import read_json
from registry.results.spool import Spool
from registry.results.templates import at_path
from registry.text.shown import counted

_REMEMBERED = 50_000  # the number of ids kept to find duplicates


def without_position(tool: Tool, raw: Mapping[str, object]) -> dict[str, object]:
    """The arguments without a position in the list, so that a fetch begins at its start."""
    return {name: value for name, value in raw.items() if name not in {one.name for one in _positions(tool)}}


class ListFetch:
    """One fetch of a whole list, and its state.

    Attributes:
        items: the received items, on disk; while the fetch runs, more are added.
        most: the number of items to stop at; None for no limit. May be raised before the fetch continues.
        sent: the checked arguments of its first request: with absolute times and that page's size.
        pages, requests: how many were read and made, retries included.
        from_start: whether the list is read from its start.
        total: the number of items according to the service.
        duplicates: how many items were received again because the list changed meanwhile; they were dropped.
        failure: what ended it early, other than the limit and the user.
        waiting: seconds until the client tries again; None during a request.
        reason: why it waits, in words.

    Args:
        client: runs the tool.
        tool: a tool that returns a list.
        raw: argument values by parameter name. A cursor or an offset among them is where the fetch starts. The page size is
            ignored: the fetch uses the largest that the tool allows.
        connection: the account, with its credentials.
        spool: stores the items; empty.
        most: the user's limit.
        observer: called for each page received, and when the client starts to wait.

    Raises:
        ArgumentError: the arguments are invalid.
    """

    def __init__(
        self,
        client: ToolClient,
        tool: Tool,
        raw: Mapping[str, object],
        connection: Connection,
        *,
        spool: Spool,
        most: int | None = None,
        observer: "Callable[[ListFetch], None] | None" = None,
    ) -> None:
        arguments = checked(tool, raw, client.clock())
        before = tool.with_role("cursor_before")
        if before is not None and before.name in arguments.values:
            message = "cannot be used when fetching all pages; remove it"
            raise ArgumentError(tool.name, (FieldError(before.name, message),))
        self.most = most
        self.waiting: float | None = None
        self.reason = ""
        self.tool, self.connection, self.items = tool, connection, spool
        self._client, self._observer = client, observer or (lambda _: None)
        self._raw = without_position(tool, {**raw, **times_in(tool, arguments.values)})
        # None after the end of the list.
        position = {one.name: arguments.values[one.name] for one in _positions(tool) if one.name in arguments.values}
        self._position: Mapping[str, object] | None = position
        self.from_start = not position
        self.total: int | None = None
        self.pages = self.requests = self.duplicates = 0
        self._elapsed, self._since = 0.0, 0.0
        self.failure: Failure | None = None
        self._known: dict[bytes, None] = {}  # the most recent ids
        self._joint = False  # the next page has to begin where the one before ended
        self._asked: set[tuple[object, ...]] = set()
        paging = tool.returns.paging
        counted = paging is not None and paging.style in ("page", "link_header")
        self._is_numbered = counted and tool.with_role("page") is not None  # a position is valid for one page size only
        sized = self._sized(position) or {}
        self.sent: Mapping[str, Value] = check(tool, {**self._raw, **position, **sized}, client.clock()).values

    async def run(self) -> Self:
        """Fetch, or continue. Cancelling keeps the received items."""
        self.failure = None
        while await self.read_page():
            pass
        return self

    async def read_page(self) -> bool:
        """Read one page, for callers that process items page by page; False if nothing is left to read, or it failed."""
        if self._position is None or self.failure is not None or self.capped:
            return False
        self._since = time.perf_counter()
        try:
            await self._turn(self._position)
        finally:
            self._elapsed += time.perf_counter() - self._since
            self._since, self.waiting, self.reason = 0.0, None, ""
        return self.failure is None

    @property
    def resume(self) -> Mapping[str, object] | None:
        """The arguments that continue the fetch, with the times and the page size that they depend on; None at the end."""
        if self._position is None:
            return None
        return {**self._raw, **self._position, **((self._sized(self._position) or {}) if self._is_numbered else {})}

    @property
    def count(self) -> int:
        """The number of received items."""
        return len(self.items)

    @property
    def elapsed(self) -> float:
        """Seconds until now, waits included."""
        return self._elapsed + (time.perf_counter() - self._since if self._since else 0.0)

    @property
    def complete(self) -> bool:
        """Whether the list was read to its end."""
        return self._position is None

    @property
    def capped(self) -> bool:
        """Whether it ended at the user's limit."""
        return not self.complete and self.most is not None and self.count >= self.most

    @property
    def rate(self) -> float:
        """Items per second, all waits included."""
        return self.count / self.elapsed if self.elapsed else 0.0

    @property
    def words(self) -> str:
        """How much of the list this is, for example "first 500 (more available)", and why it is not more."""
        text = self.share
        if self.failure is not None:
            text += f": {self.failure.title[:1].lower()}{self.failure.title[1:]}. {self.failure.cause}"
        elif not self.complete and not self.capped:
            text += ": stopped"
        if self.duplicates:
            text += f"{'' if text.endswith('.') else ';'} {self.twice}"
        return text

    @property
    def twice(self) -> str:
        """The number of removed duplicates, in words; empty if there were none."""
        return f"{counted(self.duplicates, 'duplicate')} removed" if self.duplicates else ""

    @property
    def share(self) -> str:
        """How much of the list this is."""
        if self.complete:
            whole = f"all {self.count:,}" if self.count else "none: the list is empty"
            return whole if self.from_start else f"{self.count:,} from the start cursor to the end"
        if not self.count:
            return "no items received"
        known = self.total is not None and self.total > self.count and self.from_start
        return f"{self.count:,} of {self.total:,}" if known else f"first {self.count:,} (more available)"

    async def _turn(self, position: Mapping[str, object]) -> None:
        """Read the page at a position."""
        sized = self._sized(position)
        if sized is None and (narrower := self._narrower()) is not None:
            self._raw |= narrower
            self._position = position = {}
            self._asked.clear()
            self._joint, sized = True, self._sized(position)
        if sized is None:
            cause = f"The service returns at most the first {deepest_of(self.tool) or 0:,} items."
            window = window_of(self.tool)
            way_out = f"{f'Set {window[0].name} and {window[1].name}' if window else 'Use narrower filters'} and fetch again."
            self.failure = Failure("refused", "List too long to fetch completely", cause, way_out)
            return
        raw = {**self._raw, **position, **sized}
        result = await self._client.read(self.tool, raw, self.connection, observer=self._observe, is_part=True)
        self.requests += len(result.exchanges)
        if result.failure is not None:
            self.failure = result.failure
        elif result.page is None or result.items is None:
            way_out = "Run the tool without fetching all pages."
            self.failure = Failure("protocol", "Unexpected response", "It contains no list of items.", way_out)
        elif result.size > LARGE:
            await to_its_end(self._take, result.page, result.items)
        else:
            self._take(result.page, result.items)
        self._observer(self)

    def _narrower(self) -> dict[str, object] | None:
        """The window that begins or ends at the last item; None if no window selects the rest.

        The window includes the second of the last item. An end that the call has no value for is set only if nothing follows
        from it: a service that covers a month by itself covers another one then.
        """
        paging, window = self.tool.returns.paging, window_of(self.tool)
        if paging is None or paging.dated is None or window is None or not self.count:
            return None
        texts = (at_path(read_json(self.items[place]), paging.dated) for place in (0, -1))
        try:
            first, last = (datetime.fromisoformat(text).astimezone(UTC) for text in texts)
        except (TypeError, ValueError):
            return None
        since, until = (one.name for one in window)
        name, at = (until, last + timedelta(seconds=1)) if last < first else (since, last)
        narrower: dict[str, object] = {name: at.strftime("%Y-%m-%dT%H:%M:%SZ")}
        times = times_in(self.tool, check(self.tool, {**self._raw, **narrower}, self._client.clock()).values)
        return narrower if times.keys() - {name} == self._raw.keys() & times.keys() - {name} and first != last else None

    def _sized(self, position: Mapping[str, object]) -> dict[str, object] | None:
        """The page size to request; empty leaves it to the service, None means that it lists no items that deep."""
        limit, offset = self.tool.with_role("limit"), self.tool.with_role("offset")
        if limit is None:
            return {}
        # A tool without a largest page size returns everything at once if no limit is given.
        bounds = [] if limit.maximum is None else [int(limit.maximum)]
        if self._is_numbered:
            # With another size, pages would start elsewhere.
            bounds = bounds if self.from_start else []
        elif self.most is not None:
            bounds.append(self.most - self.count)
        deepest, passed = deepest_of(self.tool), position.get(offset.name) if offset is not None else None
        if offset is not None and deepest is not None and not self._is_numbered:
            bounds.append(deepest - (passed if isinstance(passed, int) else 0))
        if not bounds:
            return {}
        return {limit.name: min(bounds)} if min(bounds) > 0 else None

    def _take(self, page: ResultPage, raw: RawItems) -> None:
        """Store a page's items, and find out where to continue."""
        items = [bytes(item) for item in raw]
        room = len(items) if self.most is None else self.most - self.count
        ids = [id_of(item) for item in items]
        first = {one: place for place, one in reversed(list(enumerate(ids))) if one not in self._known}
        # The places of items that are new; those without an id always are.
        fresh = [place for place, one in enumerate(ids) if one is None or first.get(one) == place]
        try:
            self.items.append([items[place] for place in fresh[:room]])
        except OSError as error:
            self.failure = Failure("local", "Disk full", f"{error.strerror or error}.", "Free some space, then continue.")
            return
        self._known |= {one: None for place in fresh[:room] if (one := ids[place]) is not None}
        for known in list(islice(self._known, max(len(self._known) - _REMEMBERED, 0))):
            del self._known[known]
        self.pages += 1
        self.total = page.total if page.total is not None else self.total
        if self._joint and len(fresh) == len(items):
            self.failure = _stuck("The service did not return the last item again, so items between may be missing.")
            return
        self.duplicates += 0 if self._joint else len(items) - len(fresh)
        self._joint = False
        if len(fresh) > room:  # the rest of this page is fetched by the next run
            return
        following = page.next
        if following is None:
            if page.has_more:
                self.failure = _stuck("The service reports more items but gives no next page.")
            else:
                self._position = None
            return
        mark = tuple(following.items())
        # An offset always advances, so a page of known items is no reason to stop.
        if mark in self._asked or not (fresh or self.tool.with_role("offset")):
            self.failure = _stuck("The service returned the same page again." if fresh else "A page contained no new items.")
            return
        self._asked.add(mark)
        self._position = following

    def _observe(self, progress: Progress) -> None:
        if progress.waiting != self.waiting:
            self.waiting, self.reason = progress.waiting, progress.reason
            self._observer(self)


async def to_its_end(write: Callable[..., None], *what: object) -> None:
    """Write in a thread. A cancellation waits for its end, so that something is stored completely or not at all."""
    work = asyncio.ensure_future(asyncio.to_thread(write, *what))
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait({work})
        raise


def _positions(tool: Tool) -> list[Parameter]:
    found = (tool.with_role("cursor_before"), tool.with_role("cursor_after"), tool.with_role("offset"), tool.with_role("page"))
    return [parameter for parameter in found if parameter is not None]


def _stuck(cause: str) -> Failure:
    return Failure("protocol", "Fetch stopped: no progress", cause, "Fetch again. If it keeps failing, use narrower filters.")
