"""One run of ``callboard sync``: a tool's list into a sink, page by page, resumable at any moment.

The sink holds a record of the run's progress, written in the same step as the rows that it counts. So an interrupted run is
continued from the page after the last step; no row is missing, and rows that come again replace themselves.
After a list was read to its end, the next run fetches only new items, if the tool can do that (`since_of`), and otherwise the
whole list again. The guarantees for cursors and offsets are those of `registry.results.list_fetch`.

Nothing here makes requests or knows an account: `SyncSource.fetch` starts a fetch with given arguments.
"""

import asyncio
import hashlib
import json
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Self

from msgspec import Struct
from msgspec.structs import asdict, fields, replace

from registry.calling.arguments import ArgumentError
from registry.calling.result import Failure
from registry.catalog.model import Parameter, Tool
from registry.engines.columns import key_of
from registry.engines.parquet_parts import ParquetSink
from registry.engines.problems import NotStored
from registry.engines.saving import MOST_BYTES, Sink, Writer
from registry.results.list_fetch import ListFetch, to_its_end, without_position
from registry.results.spool import Spool, pick, string

OVERLAP = 300
"""Seconds before the newest item at which the next run begins: services show new objects with a delay."""
_SINCE = re.compile(r"since|created(_at|_date|_time)?(_(after|since|from|gte|min)|\[gte?\]|\.gte?|__gte?)", re.IGNORECASE)
_CREATED = (("created",), ("created_at",), ("createdAt",), ("created_on",))
_MILLISECONDS = 10**11
"""From this number on, a time is in milliseconds: in seconds it would be the year 5138."""


class SyncSource(Struct, frozen=True):
    """The source of a sync: a tool that lists, with an account and arguments. `fetch` starts a fetch into a spool."""

    tool: Tool
    account: str
    raw: Mapping[str, object]
    fetch: Callable[[Mapping[str, object], Spool], ListFetch]

    @property
    def mark(self) -> str:
        """A text that identifies this call; contains no secrets."""
        secret = {one.name for one in self.tool.parameters if one.role == "secret"}
        shown = {name: value for name, value in without_position(self.tool, self.raw).items() if name not in secret}
        return hashlib.sha256(
            json.dumps([self.tool.full_name, self.account, shown], sort_keys=True, default=str).encode()
        ).hexdigest()


class SyncState(Struct, frozen=True):
    """The progress of a sync: the record in the sink.

    Attributes:
        mark: the source's mark (`SyncSource.mark`).
        account: the account of the calls.
        number: the number of the full pass, from 1.
        kind: ``full`` or ``new``.
        arguments: the arguments of the next page; None after the list was read to its end.
        items: the number of items of the full pass; runs for new items add to it.
        part: the last step's number.
        since: the time since which a run for new items fetches, in Unix seconds.
        newest: when the newest item of the last complete run was created, in Unix seconds; None if items have no time.
        rising: the same for the current run.
        dated: whether all items have a time of creation.
    """

    mark: str
    account: str
    number: int = 1
    kind: str = "full"
    arguments: Mapping[str, object] | None = None
    items: int = 0
    part: int = 0
    since: float | None = None
    newest: float | None = None
    rising: float | None = None
    dated: bool = True


class RunResult(Struct, frozen=True):
    """One run.

    Attributes:
        kind: ``full``, ``new`` (since the last run) or ``continued`` (the rest of an earlier run).
        started: ISO 8601 in UTC; `ended` likewise.
        items: the number of items received; `inserted` of new rows, `updated` of rows that replaced an earlier one.
        outcome: ``complete``, ``interrupted``, or ``failed`` and why.
    """

    target: str
    tool: str
    account: str
    kind: str
    started: str
    ended: str
    items: int
    inserted: int
    updated: int
    outcome: str
    failure: Failure | None
    notes: Sequence[str]

    @property
    def as_json(self) -> dict[str, object]:
        """The run as JSON values."""
        return {one.name: getattr(self, one.name) for one in fields(self)[:-2]}


class Sync:
    """A sink that is kept up to date with a list. Open it before anything is fetched, and use it in ``with``.

    Raises:
        NotStored: the sink cannot be used, or belongs to another list.
    """

    def __init__(self, sink: Sink, source: SyncSource, *, masked: bool, clock: Callable[[], float] = time.time) -> None:
        self._sink, self._source, self._clock = sink, source, clock
        self._writer = Writer(sink, source.tool.full_name, masked=masked)
        try:
            self._state = self._known()
        except NotStored:
            sink.close()
            raise
        self._since = since_of(source.tool, source.raw)
        self.last: RunResult | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._sink.close()

    def _known(self) -> SyncState | None:
        tool, shown = self._writer.tool_before, self._sink.shown
        if self._writer.sync is None:
            if tool is not None:
                raise NotStored(
                    f"{shown}: it holds items of {tool}.", "Choose another target; this one was saved by callboard call."
                )
            return None
        try:
            state = SyncState(**self._writer.sync)
        except TypeError:
            raise NotStored(f"{shown}: Callboard's record there was changed.", "Choose another target.") from None
        if state.mark != self._source.mark:
            raise NotStored(
                f"{shown}: it is synced from another call ({tool} on {state.account}, or other arguments).",
                "Choose another target, or repeat that call.",
            )
        return state

    def plan(self, *, full: bool = False) -> tuple[SyncState, str]:
        """The state from which a run begins, and the reason in words; `full`: read the whole list again."""
        before = self._state
        if before is None:
            return SyncState(self._source.mark, self._source.account), "reading the whole list"
        if before.arguments is not None and not full:
            return before, f"continuing after {before.items:,} {'item' if before.items == 1 else 'items'} of an unfinished run"
        again = SyncState(before.mark, before.account, before.number + 1, newest=before.newest)
        if full:
            return again, "reading the whole list, as asked"
        if self._since is None:
            return again, f"reading the whole list again: {self._source.tool.name} cannot be asked for what is new"
        if not before.items:
            return again, "reading the whole list"
        if not before.dated or before.newest is None:
            return again, "reading the whole list again: its items do not say when they were created"
        since = before.newest - OVERLAP
        again = replace(before, kind="new", since=since, rising=before.newest)
        return again, f"reading what was created since {datetime.fromtimestamp(since, UTC):%Y-%m-%d %H:%M:%S} UTC"

    async def run(self, *, full: bool = False, report: Callable[[str], object] = lambda _: None) -> RunResult:
        """Read the list, or only new items, into the sink; first report what is done and why. Cancelling ends it after a step.

        Raises:
            NotStored: the sink failed; it has the contents from before the step.
            ArgumentError: something is wrong with the arguments; nothing was sent.
        """
        start, words = self.plan(full=full)
        report(words)
        started, outcome, failure = self._moment(), "interrupted", None
        kind = "continued" if start is self._state else start.kind
        before = self._writer.written
        step = _Step(self._writer, start, dates=self._since is not None)
        try:
            restart = ""
            try:
                failure = await self._read(start, step)
                if failure is not None and not step.came and failure.parameter in (start.arguments or {}):
                    restart = "the service no longer knows where the last run ended; reading the whole list"
            except ArgumentError:
                if start.kind != "new":
                    raise
                restart = "the last run was too long ago to fetch only new items; reading the whole list"
            if restart:
                start, kind = self.plan(full=True)[0], "full"
                report(restart)
                step = _Step(self._writer, start, dates=self._since is not None)
                failure = await self._read(start, step)
            outcome = "complete" if failure is None else f"failed: {failure.title}. {failure.cause}"
        except NotStored as error:
            outcome = f"failed: {error.cause}"
            raise
        finally:
            self._state, done = step.kept, self._writer.written
            self.last = RunResult(
                target=self._sink.shown,
                tool=self._source.tool.full_name,
                account=self._source.account,
                kind=kind,
                started=started,
                ended=self._moment(),
                items=step.came,
                inserted=done.inserted - before.inserted,
                updated=done.updated - before.updated,
                outcome=outcome,
                failure=failure,
                notes=self._writer.notes,
            )
        return self.last

    async def _read(self, start: SyncState, step: "_Step") -> Failure | None:
        """Read page by page, and write the items in steps."""
        raw = without_position(self._source.tool, self._source.raw)
        if start.kind == "new" and start.since is not None and self._since is not None:
            seconds = math.floor(start.since)
            moment = datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
            raw = {**raw, self._since.name: seconds - seconds % 60 if self._since.type == "integer" else moment}
        pages, going = 0, True
        with Spool() as spool:
            fetch = self._source.fetch({**raw, **(start.arguments or {})}, spool)

            def place() -> Mapping[str, object] | None:
                """What continues the fetch besides the source's own arguments, which are not stored with the items."""
                resume = fetch.resume
                return None if resume is None else {name: one for name, one in resume.items() if raw.get(name) != one}

            while going:
                try:
                    going = await fetch.read_page()
                except asyncio.CancelledError:
                    # A page is kept completely or not at all: received pages are written before the run ends.
                    step.add(spool.drain(), place())
                    await to_its_end(step.write, False)
                    raise
                step.add(spool.drain(), place())
                pages += 1
                if fetch.complete or fetch.failure is not None or step.is_full(self._sink, pages):
                    await to_its_end(step.write, fetch.complete)
                    pages = 0
                if fetch.complete:
                    return None
            return fetch.failure

    def _moment(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _Step:
    """The items that were read and are not written yet, with the matching state."""

    def __init__(self, writer: Writer, start: SyncState, *, dates: bool) -> None:
        self._writer, self._dates, self._state = writer, dates, start
        self._items: list[bytes] = []
        self._size = 0
        self._repeats = start.kind == "new" or start.arguments is not None
        """Whether items may come that earlier runs stored already."""
        self.kept: SyncState | None = start if writer.sync is not None else None
        self.came = 0

    def add(self, items: list[bytes], place: Mapping[str, object] | None) -> None:
        """Add a page's items, and the position of the next page."""
        self.came += len(items)
        self._items += items
        self._size += sum(map(len, items))
        self._state = replace(self._state, arguments=place)
        if self._dates and self._state.dated:
            # Without an id an item could not be recognised again.
            times = [created_of(item) if key_of(item) is not None else None for item in items]
            known = [at for at in (self._state.rising, *times) if at is not None]
            dated = None not in times
            self._state = replace(self._state, dated=dated, rising=max(known, default=None) if dated else None)

    def is_full(self, sink: Sink, pages: int) -> bool:
        """Whether it is time to write."""
        return len(self._items) >= sink.most_items or pages >= sink.most_pages or self._size >= MOST_BYTES

    def write(self, done: bool) -> None:
        """Write the items. May take a while."""
        state = self._state
        if self._repeats:
            if isinstance(sink := self._writer.sink, ParquetSink):  # rows of tables replace each other
                known = sink.known({key for one in self._items if (key := key_of(one)) is not None}, state.part)
                self._items = [one for one in self._items if key_of(one) not in known]
            self._repeats = state.kind == "new"
        after = replace(state, items=state.items + len(self._items), part=state.part + bool(self._items))
        if done:
            after = replace(after, arguments=None, newest=after.rising, since=None)
        self._writer.write(
            self._items,
            number=after.number,
            first=state.items,
            part=after.part if self._items else after.part + 1,
            last=done,
            sync=asdict(after),
        )
        self._state = self.kept = after
        self._items, self._size = [], 0


def since_of(tool: Tool, raw: Mapping[str, object]) -> Parameter | None:
    """The parameter that takes the moment since which items are listed; None without one, or if it is given already."""
    for one in tool.parameters:
        if one.role == "timestamp" and (_SINCE.fullmatch(one.name) or _SINCE.fullmatch(one.wire_name or "")):
            return one if one.name not in raw else None
    return None


def created_of(item: bytes) -> float | None:
    """When an item was created, in Unix seconds; None if it has no time."""
    raw = next((one for one in pick(item, _CREATED) if one is not None), b"")
    try:
        if raw.startswith(b'"'):
            at = datetime.fromisoformat(string(raw) or "")
            return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()
        number = float(raw)
        number = number / 1_000 if number >= _MILLISECONDS else number
        return number if 0 < number < _MILLISECONDS else None
    except (ValueError, OverflowError):
        return None
