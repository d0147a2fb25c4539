"""Running calls: when each began, its progress, and how it ends. A change is confirmed in a dialog first.

A list that is fetched as a whole runs like a call; what was fetched is shown in windows. A window is a result like others, and
always says how much of the list was fetched.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from msgspec import Struct, field
from textual.dom import DOMNode
from textual.widget import Widget
from textual.worker import Worker, WorkerError

from registry.accounts.connection import Connection
from registry.calling.result import Failure, Result
from registry.calling.sending import Observer, Progress
from registry.catalog.model import Tool
from registry.changes.check_result import became_in_words
from registry.engine import Answered, Consent, Elicitation, NotAllowed, Presenter, Question
from registry.results.list_fetch import ListFetch
from registry.text.shown import visible_line
from tui.explorer.elicitation import ask
from tui.explorer.trail import DIRECTIONS, Direction, Visit
from tui.keyboard.commands import COMMANDS
from tui.session import Session

_KEYS = {command.id: command.shown for command in COMMANDS if command.id in (*DIRECTIONS, "fetch_all")}
_MOST_ITEMS, _MOST_BYTES = 1_000, 4_000_000


class RunningFetch:
    """A list that is being fetched, or was. `raw` are the arguments that decide what is in the list."""

    def __init__(self, fetch: ListFetch, raw: Mapping[str, object]) -> None:
        self.list_fetch = fetch
        self.raw = raw
        self._task: asyncio.Task[ListFetch] | None = None

    async def run(self) -> "ResultWindow":
        """Fetch, or continue, and return the first window of what was fetched, also when it was stopped.

        Raises:
            CancelledError: it was stopped before any item was fetched, or another call took its place.
        """
        self._task = asyncio.create_task(self.list_fetch.run())
        try:
            await asyncio.wait({self._task})
        except asyncio.CancelledError:
            self.stop()
            await asyncio.wait({self._task})
            raise
        if not self._task.cancelled() or not self.list_fetch.count:
            self._task.result()
        return await asyncio.to_thread(self.window, (0,))

    def stop(self) -> None:
        """Stop; fetched items are kept."""
        if self._task is not None:
            self._task.cancel()

    def window(self, starts: tuple[int, ...]) -> "ResultWindow":
        """The items from the last of `starts` on, as many as one window holds. Reads the disk: call it in a thread."""
        gathered = self.list_fetch
        end = gathered.items.reach(starts[-1], _MOST_ITEMS, _MOST_BYTES)
        return ResultWindow(
            tool=gathered.tool.name,
            connection=gathered.connection.name,
            status=None,
            body=gathered.items.window(starts[-1], _MOST_ITEMS, _MOST_BYTES) if gathered.count or gathered.complete else b"",
            elapsed=gathered.elapsed,
            failure=gathered.failure,
            arguments=self.list_fetch.sent,
            at=time.time(),
            fetch=self,
            starts=starts,
            end=end,
        )

    def window_at(self, place: int) -> "ResultWindow":
        """The window with an item. Reads the disk."""
        items, starts = self.list_fetch.items, [0]
        while (end := items.reach(starts[-1], _MOST_ITEMS, _MOST_BYTES)) <= place < len(items):
            starts.append(end)
        return self.window(tuple(starts))


@dataclass(frozen=True, kw_only=True)
class ResultWindow(Result):
    """A part of a fetched list, as a result with a list of its own.

    Attributes:
        fetch: the fetch, to continue it.
        starts: where the windows before this one start, then where this one does.
        end: the index after its last item.
    """

    fetch: RunningFetch
    starts: tuple[int, ...]
    end: int

    def starts_around(self, way: Direction) -> tuple[int, ...] | None:
        """The `starts` of the window after or before this one; None if there is none."""
        if way == "previous":
            return self.starts[:-1] or None
        return (*self.starts, self.end) if self.end < self.list_fetch.count else None

    @property
    def list_fetch(self) -> ListFetch:
        """What was fetched until now."""
        return self.fetch.list_fetch

    @property
    def start(self) -> int:
        return self.starts[-1]

    @property
    def words(self) -> str:
        """Which items of the list these are, and the keys to others."""
        if not self.list_fetch.count:
            return ""
        which = f"{self.start + 1:,}–{self.end:,} of {self.list_fetch.count:,}"
        which += "" if self.list_fetch.complete else ", more available"
        keys = [f"{_KEYS[way]} {way}" for way in DIRECTIONS if self.starts_around(way) is not None]
        return " · ".join([which, *keys, *([] if self.list_fetch.complete else [f"{_KEYS['fetch_all']} resume"])])


class ConfirmedChange(Presenter):
    """Can be run once: `agreed` asks the user, and `run` makes the call.

    Args:
        session: has the engine.
        tool: the tool that deletes or changes.
        raw: its arguments.
        connection: the account.
        ask: asks the user, for instance in a dialog.

    Attributes:
        dropped: set it to drop the request; its outcome is then looked up.
    """

    def __init__(
        self, session: Session, tool: Tool, raw: dict[str, object], connection: Connection,
        ask: Callable[[Question], Awaitable[Consent | None]],
    ) -> None:  # fmt: skip
        super().__init__()
        self._session = session
        self._connection = connection
        self._ask = ask
        self._question: Question | None = None
        self._agreed, self._launched, self.dropped = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._tool, self._raw = tool, raw
        self._call: asyncio.Task[Result] | None = None

    async def agreed(self) -> bool:
        """Ask the user; returns whether the change was confirmed. It is not sent before `run`.

        Raises:
            NotAllowed: the policy refuses it; the user was not asked.
        """
        engine = self._session.engine
        self._call = asyncio.create_task(engine.run(self._tool, self._raw, self._connection, presenter=self, stop=self.dropped))
        answered = asyncio.create_task(self._agreed.wait())
        try:
            await asyncio.wait({self._call, answered}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._call.cancel()
            raise
        finally:
            answered.cancel()
        if self._call.done():
            self._call.result()
        return self._agreed.is_set()

    async def consent(self, question: Question) -> Consent | None:
        """The user's consent; the change goes on once it is among the running calls."""
        self._question = question
        consent = await self._ask(question)
        if consent is not None:
            self._agreed.set()
            await self._launched.wait()
        return consent

    async def run(self, observer: Observer, elicit: Callable[[Elicitation], Awaitable[Answered]]) -> Result:
        """Make the change; the result has its outcome, even if the response was lost."""
        assert self._call is not None, "agreed() comes first"
        self._observer, self._elicited = observer, elicit
        self._launched.set()
        try:
            result = await self._call
        except NotAllowed as refusal:
            # Changes to live data were allowed for a time, which has run out while the dialog was open.
            decision = refusal.decision
            failure = Failure("refused", "Request not sent", decision.reason, decision.way_out)
            return Result(self._tool.name, self._connection.name, None, failure=failure)
        if self._tool.effect == "delete" and result.became in ("done", "gone") and self._question is not None:
            self._session.deleted_ids[self._connection.name].add(self._question.checking.result.own_id)
        return result


class RunningCall(Struct, eq=False):
    """One call. `worker` runs it and can be cancelled; `started` counts on the monotonic clock, in seconds.

    `turns` is the direction if it fetches the next or previous page of its visit, else None. `change` is the confirmed change
    of a call that changes something. `fetch` is the whole list that is read instead of one page. `times` are those of the
    first page's request, so that another page is one of the same list although the clock has moved on. `form` is the content
    of the form at the start and `focused` what had the focus: if the user has typed or gone elsewhere since, the focus stays
    there. `accounts` are all that it runs on at once; empty for the one in use. `begins` is told the beginning of a large
    result.
    """

    tool: Tool
    raw: dict[str, object]
    visit: Visit
    turns: Direction | None = None
    change: ConfirmedChange | None = None
    fetch: RunningFetch | None = None
    times: Mapping[str, object] = field(default_factory=dict)
    form: Mapping[str, object] = field(default_factory=dict)
    accounts: Sequence[Connection] = ()
    focused: Widget | None = None
    started: float = field(default_factory=time.monotonic)
    progress: Progress | None = None
    worker: Worker[None] | None = None
    result: Result | None = None
    begins: Callable[["RunningCall", Result], None] | None = None

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.started

    async def run(self, session: Session, here: DOMNode) -> Result:
        """Run it and add its result to the session's. A question from the server opens a dialog over `here`."""
        session.elicit = lambda elicitation: ask(here, session, elicitation)
        if self.fetch is not None:
            result: Result = await self.fetch.run()
        elif self.change is not None:
            result = await self.change.run(self.report, session.elicit)
        elif self.accounts:
            result = await session.call_several(self.tool, self.raw, self.accounts, self.report)
        else:
            return await session.call(self.tool, {**self.raw, **self.times}, self.report)
        self.result = result
        session.results.add(result)
        return result

    def stop(self) -> None:
        """Stop it. Fetched items are kept; the outcome of a change is looked up, unless that is stopped as well."""
        if self.fetch is not None:
            self.fetch.stop()
        elif self.change is not None and not self.change.dropped.is_set():
            self.change.dropped.set()
        elif self.worker is not None:
            self.worker.cancel()

    async def settle(self) -> None:
        """Drop the request of a change, and wait until its outcome is known."""
        if self.change is not None:
            self.change.dropped.set()
        if self.worker is not None:
            with suppress(WorkerError):
                await self.worker.wait()

    @property
    def became(self) -> str:
        """The outcome of a change, as a line to print after the program has ended."""
        subject = " ".join(str(value) for value in list(self.raw.values())[:1])
        words = became_in_words(self.result.became if self.result is not None else None)
        return visible_line(f"{self.tool.name} {subject}".strip() + f": {words}")

    def report(self, progress: Progress) -> None:
        self.progress = progress
        if progress.beginning is not None and self.begins is not None and not self.accounts:
            self.begins(self, progress.beginning)


class RunningCalls:
    """The running calls, at most one for each tool, by its name."""

    def __init__(self) -> None:
        self.by_tool: dict[str, RunningCall] = {}

    def of(self, tool: Tool | None) -> RunningCall | None:
        return self.by_tool.get(tool.name) if tool is not None else None

    def start(self, running: RunningCall) -> None:
        """Add a call; an earlier one of the same tool is cancelled."""
        replaced = self.by_tool.get(running.tool.name)
        self.by_tool[running.tool.name] = running
        if replaced is not None and replaced.worker is not None:
            replaced.worker.cancel()

    def remove(self, running: RunningCall) -> bool:
        """Remove a call; returns False if a later one had replaced it already."""
        if self.by_tool.get(running.tool.name) is not running:
            return False
        del self.by_tool[running.tool.name]
        return True

    @property
    def changing(self) -> list[RunningCall]:
        return [running for running in self.by_tool.values() if running.tool.effect != "read"]
