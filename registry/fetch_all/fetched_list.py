"""The state of a fetch in numbers and in words, which always say when something is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from registry.calling.result import Failure
from registry.fetch_all.spool import Spool


@dataclass(frozen=True, slots=True)
class FetchedList:
    """The state of a fetch.

    Attributes:
        tool: name of the tool.
        connection: name of the connection that it goes through.
        items: what came, on disk; more may come while the fetch runs.
        count: how many items there are.
        pages: how many pages were read.
        requests: how many requests that took, repeated ones included.
        elapsed: seconds, waits included.
        complete: whether the list was read to its end.
        from_start: whether it was read from its beginning.
        total: how many items the service says that there are.
        duplicates: how many items came once more, because the list moved meanwhile; they were dropped.
        capped: whether it ended at the user's cap.
        failure: what ended it early, other than the cap and the user.
        resume: the arguments that go on where it ended; None when there is nothing left.
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
        """Items a second, all waits included."""
        return self.count / self.elapsed if self.elapsed else 0.0

    @property
    def words(self) -> str:
        """How much of the list this is, for instance "500 of more than 500", and why it is not more."""
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
        """What was done with duplicates, in words."""
        one = self.duplicates == 1
        return f"{self.duplicates:,} duplicate{'' if one else 's'} removed"

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
