"""Items of one answer, or of a whole list, saved to an address: once, without anything to go on from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from registry.sinks.address import Address
from registry.sinks.failure import NotStored
from registry.sinks.opening import sink_of
from registry.sinks.sink import Written
from registry.sinks.writer import Writer

_MOST_BYTES = 8_000_000


@dataclass(frozen=True, slots=True)
class Stored:
    """What was saved: where, how many rows, and how many values were redacted."""

    shown: str
    written: Written
    masked: int


class Saving:
    """A target that is open, so that what stands against it is known before anything is fetched. Use it in ``with``.

    Args:
        address: where.
        tool: what the items are from.
        masked: redact secrets.
        replace: remove what is there first.
        account_in: the property of each item that names its account.

    Raises:
        NotStored: it cannot be used.
    """

    def __init__(
        self, address: Address, tool: str, *, masked: bool, replace: bool = False, account_in: str | None = None
    ) -> None:
        self._sink, self._replace, self._tool = sink_of(address), replace, tool
        try:
            self._writer = Writer(self._sink, tool, masked=masked, account_in=account_in)
            self._see_whose()
        except BaseException:
            self.close()
            raise

    def _see_whose(self) -> None:
        before = self._writer
        if before.sync is not None and (self._replace or not self._sink.replaces):
            raise NotStored(
                f"{self._sink.shown}: callboard sync keeps this up to date.", "Save to another target, or run callboard sync."
            )
        if before.tool_before not in (None, self._tool) and not self._replace:
            way_out = "Choose another target, or add --replace to remove what is there."
            raise NotStored(f"{self._sink.shown}: it holds items of {before.tool_before}.", way_out)

    def close(self) -> None:
        """Close the target."""
        self._sink.__exit__()

    def store(self, items: Sequence[bytes]) -> Stored:
        """Write the items.

        Raises:
            NotStored: why not; what was written before stays.
        """
        if self._replace and self._writer.tool_before is not None:
            self._writer.start_over()
        # What is synced keeps its pass: rows of the list that are not saved again stay a part of it.
        synced = self._writer.sync is not None
        number = self._writer.number + (not synced)
        batch: list[bytes] = []
        size, first, part = 0, 0, 0
        for item in items:
            batch.append(item)
            size += len(item)
            if len(batch) >= self._sink.most_items or size >= _MOST_BYTES:
                part += 1
                self._writer.write(batch, number=number, first=first, part=part, sync=self._writer.sync)
                first, size, batch = first + len(batch), 0, []
        self._writer.write(batch, number=number, first=first, part=part + 1, last=not synced, sync=self._writer.sync)
        return Stored(self._sink.shown, self._writer.written, self._writer.redacted)
