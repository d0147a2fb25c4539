"""A watch: versions of one result, with the changes from each to the next."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from registry.calling.json_layout import pretty
from registry.calling.json_text import InvalidJson, decode
from registry.calling.result import Failure, Result
from registry.results.comparing.children import ChangeKind
from registry.results.comparing.comparison import Comparison, compare
from registry.results.comparing.nodes import TooLarge
from registry.results.jmespath_query.json_values import JsonSource
from registry.results.jmespath_query.parser import parse
from registry.results.jmespath_query.query import QueryError, run_query

SHORTEST, LONGEST, USUAL = 2.0, 3_600.0, 15.0
"""Seconds between two calls: minimum, maximum, and default."""

MOST_KEPT = 50
_MOST_CHANGES, _MOST_BYTES = 100, 16_000_000
_FALSE = (b"null", b"false", b'""', b"[]", b"{}")

Call = Callable[[], Awaitable[Result]]
Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: its path, ``added``, ``removed``, ``changed`` or ``moved``, and the JSON before and after, or empty."""

    path: str
    kind: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Version:
    """A result that differs from the one before it, or a failed call.

    Attributes:
        number: from 1.
        at: when it was requested, in Unix seconds.
        body: the result as JSON text, secrets redacted; if the call failed, that of the version before.
        changes: the differences from the version before, at most 100; empty for the first version.
        count: the number of all differences.
        rings: the condition is met, and was not met before.
        failure: why there is no result.
        notice: a notice, for instance that the condition cannot be applied to this result.
    """

    number: int
    at: float
    body: bytes
    changes: tuple[Change, ...] = ()
    count: int = 0
    rings: bool = False
    failure: Failure | None = None
    notice: str = ""


class Watch:
    """Repeats a call, and keeps the last versions of its result.

    Args:
        call: makes the call once. It must be a read.
        clock: the current time in Unix seconds.
        sleep: waits a number of seconds.
        every: seconds between two calls; more if the service asks for that.
        condition: a JMESPath expression; it is met if its value is not null, false or empty.

    Raises:
        QueryError: the condition is not JMESPath.
    """

    def __init__(
        self, call: Call, clock: Callable[[], float], sleep: Sleep, *, every: float = USUAL, condition: str = ""
    ) -> None:
        if condition:
            parse(condition)
        self._call = call
        self._clock = clock
        self._sleep = sleep
        self._every = min(max(every, SHORTEST), LONGEST)
        self._condition = condition
        self._held = False
        self._wait = 0.0
        self.versions: deque[Version] = deque(maxlen=MOST_KEPT)
        self.calls = 0

    @property
    def wait(self) -> float:
        """Seconds until the next call."""
        return self._wait

    async def next(self) -> Version | None:
        """Wait for the next call and make it; the new version, or None if nothing has changed."""
        if self._wait:
            await self._sleep(self._wait)
        at = self._clock()
        result = await self._call()
        self.calls += 1
        asked = result.failure.retry_after if result.failure is not None else None
        self._wait = max(self._every, asked or 0.0)
        made = await asyncio.to_thread(self._version, result, at)
        if made is not None:
            self.versions.append(made)
        return made

    def _version(self, result: Result, at: float) -> Version | None:
        before = self.versions[-1] if self.versions else None
        number = before.number + 1 if before is not None else 1
        body = before.body if before is not None else b""
        if result.failure is not None:
            again = before is not None and before.failure is not None and before.failure.title == result.failure.title
            return None if again else Version(number, at, body, failure=result.failure)
        new = masked(result.body)
        rings, notice = self._rings(new)
        if before is None:
            return Version(number, at, new, rings=rings, notice=notice)
        changes, count = changed(before.body, new) if before.body else ((), 0)
        if not count and not rings and before.failure is None and notice == before.notice:
            return None
        return Version(number, at, new, changes, count, rings, notice=notice)

    def _rings(self, body: bytes) -> tuple[bool, str]:
        if not self._condition:
            return False, ""
        try:
            found = run_query(JsonSource(body), self._condition)
        except (QueryError, InvalidJson) as error:
            self._held = False
            return False, f"invalid condition: {error}"
        held, self._held = self._held, found.text.strip() not in _FALSE
        return self._held and not held, found.notice


def masked(body: bytes) -> bytes:
    """A result as JSON text with secrets redacted; unchanged if it is not JSON."""
    try:
        return pretty(decode(body), masked=True).encode("utf-8", "replace")
    except InvalidJson:
        return body


def changed(before: bytes, after: bytes) -> tuple[tuple[Change, ...], int]:
    """The first differences between two JSON texts, and the number of all."""
    if before == after:
        return (), 0
    if len(before) + len(after) > _MOST_BYTES:
        return (Change("", "changed", "", ""),), 1
    try:
        found = compare(before, after)
    except (InvalidJson, TooLarge):
        return (Change("", "changed", "", ""),), 1
    return tuple(_changes(found)), found.differences


def _changes(found: Comparison) -> Iterator[Change]:
    for place in found.changes[:_MOST_CHANGES]:
        row = found[place]
        nodes, node = (found.right, row.right) if row.right >= 0 else (found.left, row.left)
        steps = []
        while node > 0:
            name = nodes.name(node)
            steps.append(f"[{nodes.place(node)}]" if name is None else f".{name.strip(chr(34))}")
            node = nodes.parents[node]
        before = found.left.forms.text(found.left.values[row.left]) if row.left >= 0 else None
        after = found.right.forms.text(found.right.values[row.right]) if row.right >= 0 else None
        yield Change("".join(reversed(steps)).removeprefix("."), ChangeKind(row.kind).name.lower(), before or "", after or "")
