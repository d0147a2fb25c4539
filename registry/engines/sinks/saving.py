"""Saves the items of one response, or of a whole list, to an address, once; the save cannot be continued."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from registry.engines.sinks.address import Address
from registry.engines.sinks.failure import NotStored
from registry.engines.sinks.opening import sink_of
from registry.engines.sinks.sink import Written
from registry.engines.sinks.writer import Writer

_MOST_BYTES = 8_000_000


@dataclass(frozen=True, slots=True)
class Stored:
    """The result of a save: the target, the number of rows, and the number of redacted values."""

    shown: str
    written: Written
    masked: int


class Saving:
    """An open target, so that its problems are known before anything is fetched. Use it in ``with``.

    Args:
        address: where.
        tool: the tool of the items.
        masked: redact secrets.
        replace: first remove the existing rows.
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
            NotStored: it could not be written; earlier rows stay.
        """
        if self._replace and self._writer.tool_before is not None:
            self._writer.start_over()
        # A synced table keeps its pass: rows of the list that are not saved again still belong to it.
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
