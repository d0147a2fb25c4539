"""The interface of sinks.

A sink takes one batch in one step: the rows, the changes of its columns and the record of the run are all there afterwards, or
none of them. A process that is killed at any moment leaves the last step whole.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol, Self

from registry.sinks.columns import Batch, Column, Growth

RUNS = "callboard_runs"
"""Where runs are recorded: a table, or a file of lines."""


@dataclass(frozen=True, slots=True)
class Written:
    """How many rows were new, and how many took the place of an earlier one."""

    inserted: int = 0
    updated: int = 0


@dataclass(frozen=True, slots=True)
class SyncRun:
    """One run, as it is recorded in `RUNS`.

    Attributes:
        target: the sink, as people read it.
        tool: what was run.
        account: where.
        kind: ``full``, ``new`` (since the last run) or ``continued`` (what an earlier run left).
        started: ISO 8601 in UTC.
        ended: the same.
        items: how many came.
        inserted: how many rows were new.
        updated: how many took the place of an earlier one.
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

    @property
    def values(self) -> Mapping[str, str | int]:
        """All of it by name, in order."""
        return asdict(self)


class Sink(Protocol):
    """Where rows go. Made by `registry.sinks.opening`; closed at the end. Used by one thread at a time.

    Every method raises `NotStored` where the file, folder or database cannot be used.

    Attributes:
        shown: the address, without a password.
        most_items: how many items to gather for a step.
        most_pages: how many pages.
        replaces: whether a row that comes again takes the earlier one's place, also one of an earlier run.
    """

    shown: str
    most_items: int
    most_pages: int
    replaces: bool

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def open(self) -> str | None:
        """Connect, and see that the target can be used; the record that is kept in it, None for a new one."""

    def write(
        self, batch: Batch, growth: Growth, columns: Sequence[Column], record: str, *, part: int, last: bool = False
    ) -> Written:
        """Take a batch, in one step.

        Args:
            batch: the rows; may be empty.
            growth: what has changed of the columns since the step before.
            columns: all columns.
            record: what `open` gives from now on.
            part: the number of this batch in the list, counted from 1. A batch of the same number is replaced, in a sink of
                parts.
            last: with this, a full pass is complete: what only earlier passes had at places in the list, rows without an id
                and parts, is removed.
        """

    def keys_before(self, part: int) -> Collection[str]:
        """The keys of the last rows up to a part, that one included, where rows do not replace each other."""

    def empty(self) -> None:
        """Remove everything that Callboard has made there for this target."""

    def note(self, run: SyncRun) -> None:
        """Record a run."""
