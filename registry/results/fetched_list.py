"""The state of a fetch in numbers and in words, which always say if something is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from registry.calling.result import Failure
from registry.results.spool import Spool


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
