"""What a target for rows can do.

A sink writes one batch in one step: afterwards the rows, the changes of its columns and the record of the run are all written,
or none of them. If the process is killed at any moment, the last step is complete.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from registry.engines.columns import Column, Growth

RUNS = "callboard_runs"
"""The name of the table, or of the file of lines, in which runs are recorded."""


@dataclass(frozen=True, slots=True)
class Written:
    """The number of new rows, and of rows that replaced an earlier one."""

    inserted: int = 0
    updated: int = 0


@dataclass(frozen=True, slots=True)
class SyncRun:
    """One run, as recorded in `RUNS`.

    Attributes:
        target: the sink's address as shown.
        tool: the tool that was called.
        account: the account.
        kind: ``full``, ``new`` (since the last run) or ``continued`` (the rest of an earlier run).
        started: ISO 8601 in UTC.
        ended: like `started`.
        items: the number of items received.
        inserted: the number of new rows.
        updated: the number of rows that replaced an earlier one.
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


class Sink(Protocol):
    """A target for rows, made by `sink_of` and used by one thread at a time.

    Every method raises `NotStored` if the file, folder or database cannot be used.

    Attributes:
        shown: the address, without a password.
        most_items: the most items for one step.
        most_pages: the most pages for one step.
        replaces: whether a row that comes again replaces the earlier one, also one of an earlier run.
    """

    shown: str
    most_items: int
    most_pages: int
    replaces: bool

    def open(self) -> str | None:
        """Connect, and check that the target can be used; returns its stored record, None for a new target."""

    def close(self) -> None:
        """Let others use it; a target that nothing was stored in is as it was before."""

    def write(
        self, batch: Any, growth: Growth, columns: Sequence[Column], record: str, *, number: int, part: int, last: bool = False
    ) -> Written:
        """Write a batch in one step.

        Args:
            batch: an Arrow table as `Columns.batch` returns it; may be empty.
            growth: the changes of the columns since the step before.
            columns: all columns.
            record: the record that `open` returns from now on.
            number: the number of the full pass.
            part: the number of this batch in the list, from 1. In a sink of parts it replaces a batch with the same number.
            last: this completes a full pass: data that only earlier passes had at positions in the list, rows without an id
                and parts, is removed.
        """

    def known(self, keys: Collection[str], part: int) -> Collection[str]:
        """Those of the keys that are in parts up to this one, if rows do not replace each other; otherwise none."""

    def empty(self) -> None:
        """Remove everything that Callboard created for this target."""

    def note(self, run: SyncRun) -> None:
        """Record a run."""
