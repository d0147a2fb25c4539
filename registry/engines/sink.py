"""What a target for rows can do.

A sink writes one batch in one step: afterwards the rows, the changes of its columns and the record of the run are all written,
or none of them. If the process is killed at any moment, the last step is complete.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from registry.engines.columns import Column, Growth


class Written(NamedTuple):
    """The number of new rows, and of rows that replaced an earlier one."""

    inserted: int = 0
    updated: int = 0


class Sink(ABC):
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

    @abstractmethod
    def open(self) -> str | None:
        """Connect, and check that the target can be used; returns its stored record, None for a new target."""

    @abstractmethod
    def close(self) -> None:
        """Let others use it."""

    @abstractmethod
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
        return ()

    @abstractmethod
    def empty(self) -> None:
        """Remove everything that Callboard created for this target."""
