"""Fetches a whole list page by page through the client, until its end, a limit or an error.

Fetched items are always kept, and the fetch can be continued. It always ends: if a service repeats itself, or
reports more items and returns none, that is a failure. The client handles retries, rate limits and size limits.

The guarantee is that of cursors: an item that is in the list from the first request to the last is returned exactly once; items
that are added or removed meanwhile may be missing. A list with offsets shifts when an earlier item is removed: duplicates are
dropped, and skipped items cannot be detected.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from registry.accounts.connection import Connection
from registry.calling.arguments import ArgumentError, FieldError, Value, check, times_in
from registry.calling.client import ToolClient
from registry.calling.items import id_of
from registry.calling.result import Failure, ResultPage
from registry.calling.rules import deepest_of
from registry.calling.sending import Progress
from registry.catalog.model import Parameter, Tool
from registry.results.spool import Spool

_LARGE = 200_000
"""Size of a page in bytes above which parsing and writing it would block the screen noticeably."""

_REMEMBERED = 50_000
"""The number of ids kept to find duplicates."""


def can_fetch_all(tool: Tool) -> bool:
    """Whether a tool returns a list that can be fetched as a whole."""
    return tool.returns.kind in ("list", "search_result")


def without_position(tool: Tool, raw: Mapping[str, object]) -> dict[str, object]:
    """The arguments without a position in the list, so that a fetch begins at its start."""
    return {name: value for name, value in raw.items() if name not in {one.name for one in _positions(tool)}}


@dataclass(frozen=True, slots=True)
class FetchedList:
    """The state of a fetch.

    Attributes:
        tool: name of the tool.
        connection: name of the connection that it uses.
        items: the received items, on disk; while the fetch runs, more are added.
        count: the number of items.
        pages: the number of pages that were read.
        requests: the number of requests, retries included.
        elapsed: seconds, waits included.
        complete: whether the list was read to its end.
        from_start: whether it was read from its start.
        total: the number of items according to the service.
        duplicates: how many items were received again because the list changed meanwhile; they were dropped.
        capped: whether it ended at the user's limit.
        failure: what ended it early, other than the limit and the user.
        resume: the arguments to continue with; None if nothing is left.
    """

    tool: str
    connection: str
    items: Spool
    count: int
    pages: int
    requests: int
    elapsed: float
    complete: bool
    from_start: bool = True
    total: int | None = None
    duplicates: int = 0
    capped: bool = False
    failure: Failure | None = None
    resume: Mapping[str, object] | None = None

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
        one = self.duplicates == 1
        return f"{self.duplicates:,} duplicate{'' if one else 's'} removed" if self.duplicates else ""

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


class ListFetch:
    """One fetch of a whole list.

    Attributes:
        most: the number of items to stop at; None for no limit. May be raised before the fetch continues.
        sent: the checked arguments of its first request: with absolute times and that page's size.
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
        observer: Callable[[ListFetch], None] | None = None,
    ) -> None:
        arguments = check(tool, raw, client.clock())
        before = tool.with_role("cursor_before")
        if before is not None and before.name in arguments.values:
            message = "cannot be used when fetching all pages; remove it"
            raise ArgumentError(tool.name, (*arguments.errors, FieldError(before.name, message)))
        if arguments.errors:
            raise ArgumentError(tool.name, arguments.errors)
        self.most = most
        self.waiting: float | None = None
        self.reason = ""
        self._client, self._tool, self._connection, self._observer = client, tool, connection, observer
        self._raw = without_position(tool, {**raw, **times_in(tool, arguments.values)})
        # None after the end of the list.
        position = {one.name: arguments.values[one.name] for one in _positions(tool) if one.name in arguments.values}
        self._position: Mapping[str, object] | None = position
        self._from_start = not position
        self._spool = spool
        self._total: int | None = None
        self._pages = self._requests = self._duplicates = 0
        self._elapsed, self._since = 0.0, 0.0
        self._failure: Failure | None = None
        self._known: dict[bytes, None] = {}  # the most recent ids
        self._asked: set[tuple[object, ...]] = set()
        limit, size = tool.with_role("limit"), self._page_size(position)
        sized = {} if limit is None or size is None or size <= 0 else {limit.name: size}
        self.sent: Mapping[str, Value] = check(tool, {**self._raw, **position, **sized}, client.clock()).values

    async def run(self) -> FetchedList:
        """Fetch, or continue. Cancelling keeps the received items; see `so_far`."""
        self._failure = None
        while await self.read_page():
            pass
        return self.so_far

    async def read_page(self) -> bool:
        """Read one page, for callers that process items page by page; False if nothing is left to read, or it failed."""
        if self._position is None or self._failure is not None or self._capped:
            return False
        self._since = time.perf_counter()
        try:
            await self._turn(self._position)
        finally:
            self._elapsed += time.perf_counter() - self._since
            self._since, self.waiting, self.reason = 0.0, None, ""
        return self._failure is None

    @property
    def resume(self) -> Mapping[str, object] | None:
        """The arguments that continue the fetch, with the times and the page size that they depend on; None at the end."""
        return None if self._position is None else {**self._raw, **self._position, **self._sized_as_before}

    @property
    def so_far(self) -> FetchedList:
        """The state of the fetch now."""
        running = time.perf_counter() - self._since if self._since else 0.0
        return FetchedList(
            tool=self._tool.name,
            connection=self._connection.name,
            items=self._spool,
            count=len(self._spool),
            pages=self._pages,
            requests=self._requests,
            elapsed=self._elapsed + running,
            complete=self._position is None,
            from_start=self._from_start,
            total=self._total,
            duplicates=self._duplicates,
            capped=self._capped and self._position is not None,
            failure=self._failure,
            resume=self.resume,
        )

    @property
    def _is_numbered(self) -> bool:
        """Whether pages are counted, so that a position is valid for one page size only."""
        paging = self._tool.returns.paging
        counted = paging is not None and paging.style in ("page", "link_header")
        return counted and self._tool.with_role("page") is not None

    @property
    def _sized_as_before(self) -> Mapping[str, object]:
        """The page size that a position is valid for."""
        limit = self._tool.with_role("limit")
        numbered = self._is_numbered and self._from_start and limit is not None and limit.maximum is not None
        return {limit.name: limit.maximum} if numbered and limit is not None else {}

    @property
    def _capped(self) -> bool:
        return self.most is not None and len(self._spool) >= self.most

    async def _turn(self, position: Mapping[str, object]) -> None:
        """Read the page at a position."""
        raw = self._asking_for(position)
        if raw is None:
            cause = f"The service returns at most the first {deepest_of(self._tool) or 0:,} items."
            way_out = "Use narrower filters and fetch again."
            self._failure = Failure("refused", "List too long to fetch completely", cause, way_out)
            return
        result = await self._client.read(self._tool, raw, self._connection, observer=self._observe, items=True)
        self._requests += len(result.exchanges)
        if result.failure is not None:
            self._failure = result.failure
        elif result.page is None or result.items is None:
            way_out = "Run the tool without fetching all pages."
            self._failure = Failure("protocol", "Unexpected response", "It contains no list of items.", way_out)
        elif result.size > _LARGE:
            await _to_its_end(self._take, result.page, result.items)
        else:
            self._take(result.page, result.items)
        self._report()

    def _asking_for(self, position: Mapping[str, object]) -> Mapping[str, object] | None:
        """The arguments of the page at a position; None if the service returns no items that deep in the list."""
        limit, size = self._tool.with_role("limit"), self._page_size(position)
        if size is not None and size <= 0:
            return None
        return {**self._raw, **position, **({} if limit is None or size is None else {limit.name: size})}

    def _page_size(self, position: Mapping[str, object]) -> int | None:
        """The page size to request; None leaves it to the service, 0 means that the service returns no items that deep."""
        limit, offset = self._tool.with_role("limit"), self._tool.with_role("offset")
        if limit is None:
            return None
        if self._is_numbered:
            # With another size, pages would start elsewhere.
            return int(limit.maximum) if self._from_start and limit.maximum is not None else None
        # A tool without a largest page size returns everything at once if no limit is given.
        bounds = [
            None if limit.maximum is None else int(limit.maximum),
            None if self.most is None else self.most - len(self._spool),
        ]
        deepest = deepest_of(self._tool)
        if offset is not None and deepest is not None:
            passed = position.get(offset.name)
            bounds.append(deepest - (passed if isinstance(passed, int) else 0))
        return min((bound for bound in bounds if bound is not None), default=None)

    def _take(self, page: ResultPage, items: Sequence[bytes]) -> None:
        """Store a page's items, and find out where to continue."""
        room = len(items) if self.most is None else self.most - len(self._spool)
        ids = [id_of(item) for item in items]
        met = set[bytes]()
        fresh: list[int] = []  # the places of items that are new; those without an id always are
        for place, one in enumerate(ids):
            if one is None or (one not in met and one not in self._known):
                fresh.append(place)
            met |= {one} if one is not None else set()
        new = [items[place] for place in fresh[:room]]
        try:
            self._spool.append(new)
        except OSError as error:
            self._failure = Failure("local", "Disk full", f"{error.strerror or error}.", "Free some space, then continue.")
            return
        self._known |= {one: None for place in fresh[:room] if (one := ids[place]) is not None}
        for known in list(islice(self._known, max(len(self._known) - _REMEMBERED, 0))):
            del self._known[known]
        self._pages += 1
        self._total = page.total if page.total is not None else self._total
        self._duplicates += len(items) - len(fresh)
        if len(fresh) <= room:  # otherwise the rest of this page is fetched by the next run
            self._go_on(page, brought=bool(fresh))

    def _go_on(self, page: ResultPage, *, brought: bool) -> None:
        following = page.next
        if following is None:
            if page.has_more:
                self._failure = _stuck("The service reports more items but gives no next page.")
            else:
                self._position = None
            return
        mark = tuple(following.items())
        # An offset always advances, so a page of known items is no reason to stop.
        if mark in self._asked or not (brought or self._tool.with_role("offset")):
            self._failure = _stuck("The service returned the same page again." if brought else "A page contained no new items.")
            return
        self._asked.add(mark)
        self._position = following

    def _observe(self, progress: Progress) -> None:
        if progress.waiting != self.waiting:
            self.waiting, self.reason = progress.waiting, progress.reason
            self._report()

    def _report(self) -> None:
        if self._observer is not None:
            self._observer(self)


async def _to_its_end(take: Callable[[ResultPage, Sequence[bytes]], None], page: ResultPage, items: Sequence[bytes]) -> None:
    """Run it in a thread. A cancellation waits for its end, so that a page is stored completely or not at all."""
    work = asyncio.ensure_future(asyncio.to_thread(take, page, items))
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
