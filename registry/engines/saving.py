"""Writes items into a sink, batch by batch: keys, columns and the record; and saves a result once.

The record is a JSON object: ``columns`` (`Columns.all`), the ``tool`` of the target, the number of the full ``pass``, and
``sync``, what a later run needs to continue; null for a single save.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from registry.accounts.secrets import MASK
from registry.calling.receiving import mask
from registry.engines.address import Address, DuckDBTable, PostgresTable
from registry.engines.columns import Columns, Written, key_of
from registry.engines.parquet_parts import ParquetSink
from registry.engines.problems import NotStored
from registry.engines.tables import DuckDBSink, PostgresSink
from registry.results.spool import members, string

MOST_BYTES = 8_000_000
"""The most bytes of items for one step."""

_VERSION = 2
Sink = DuckDBSink | PostgresSink | ParquetSink


def sink_of(address: Address) -> Sink:
    """The sink of an address, not opened yet.

    Raises:
        NotStored: its library is not installed; says how to get it.
    """
    if isinstance(address, DuckDBTable):
        return DuckDBSink(address)
    return PostgresSink(address) if isinstance(address, PostgresTable) else ParquetSink(address)


class Writer:
    """Writes to a sink that it opens.

    Attributes:
        sync: the record's data for a later run; None for a new target, or after a single save.
        number: the number of the last full pass, from 1; 0 before the first.
        tool_before: the tool of an existing target; None for a new one.
        redacted: the number of values redacted so far.

    Raises:
        NotStored: the sink cannot be opened.
    """

    def __init__(self, sink: Sink, tool: str, *, masked: bool, account_in: str | None = None) -> None:
        self.sink = sink
        self._tool, self._masked, self._account_in = tool, masked, account_in
        self.written, self.redacted = Written(), 0
        try:
            self.load(sink.open())
        except BaseException:
            sink.close()
            raise

    def load(self, text: str | None) -> None:
        """Begin from the record of a target; from none without one."""
        try:
            record: Any = json.loads(text) if text is not None else {}
            if record and record["version"] != _VERSION:
                raise NotStored(f"{self.sink.shown}: another version of Callboard made this.", "Choose another target.")
            self._columns = Columns(record.get("columns", ()))
            self.sync: Mapping[str, Any] | None = record.get("sync")
            self.tool_before: str | None = record.get("tool")
            self.number = int(record.get("pass", 0))
        except (ValueError, TypeError, AttributeError, KeyError):
            raise NotStored(f"{self.sink.shown}: Callboard's record there was changed.", "Choose another target.") from None

    @property
    def notes(self) -> list[str]:
        """A sentence for each column that holds numbers as text."""
        return [f"{name}: numbers beyond 64 bits or 38 digits are stored as text" for name in self._columns.large]

    def write(
        self,
        items: Sequence[bytes],
        *,
        number: int,
        first: int = 0,
        part: int = 1,
        last: bool = False,
        sync: Mapping[str, Any] | None = None,
    ) -> None:
        """Write items as one step of the sink.

        `number` is that of the full pass, which had `first` items before these and is complete with the `last` step; `part` is
        this step's number. `sync` is what a later run needs to continue from here.

        Raises:
            NotStored: it could not be written; the target has the contents from before.
        """
        if self._masked:
            pairs = [mask(item) for item in items]
            items, self.redacted = [text for text, _ in pairs], self.redacted + sum(count for _, count in pairs)
        keys = [self._key(item, place) for place, item in enumerate(items, first)]
        try:
            batch, growth = self._columns.batch(items, keys, number)
        except ValueError:
            raise NotStored("An item of the list is not JSON.", "Save the response as it is instead.") from None
        columns = self._columns.all
        text = json.dumps({"version": _VERSION, "tool": self._tool, "pass": number, "columns": columns, "sync": sync})
        done = self.sink.write(batch, growth, columns, text, number=number, part=part, last=last)
        self.written = Written(self.written.inserted + done.inserted, self.written.updated + done.updated)

    def _key(self, item: bytes, place: int) -> str:
        key = key_of(item)
        if key is None or MASK in key:
            return f"#{place + 1:012d}"
        if self._account_in is not None:
            return f"{string(members(item).get(self._account_in, b'')) or ''}/{key}"
        return key


class Saving:
    """An open target for the items of a response or a list, once. Its problems are known before anything is fetched.

    `replace` first removes the existing rows; `account_in` is the property of each item that names its account.

    Raises:
        NotStored: it cannot be used.
    """

    def __init__(
        self, address: Address, tool: str, *, masked: bool, replace: bool = False, account_in: str | None = None
    ) -> None:
        self._sink, self._replace = sink_of(address), replace
        self._writer = before = Writer(self._sink, tool, masked=masked, account_in=account_in)
        cause, way_out = "", "Choose another target, or add --replace to remove what is there."
        if before.sync is not None and (replace or not self._sink.replaces):
            cause, way_out = "callboard sync keeps this up to date.", "Save to another target, or run callboard sync."
        elif before.tool_before not in (None, tool) and not replace:
            cause = f"it holds items of {before.tool_before}."
        if cause:
            self.close()
            raise NotStored(f"{self._sink.shown}: {cause}", way_out)

    def close(self) -> None:
        """Close the target."""
        self._sink.close()

    def store(self, items: Sequence[bytes]) -> Writer:
        """Write the items; returns what was written.

        Raises:
            NotStored: it could not be written; earlier rows stay.
        """
        writer = self._writer
        if self._replace and writer.tool_before is not None:
            self._sink.empty()
            writer.load(None)
        # A synced table keeps its pass: rows of the list that are not saved again still belong to it.
        sync = writer.sync
        number = writer.number + (sync is None)
        batch: list[bytes] = []
        size, first, part = 0, 0, 1
        for item in items:
            batch.append(item)
            size += len(item)
            if len(batch) >= self._sink.most_items or size >= MOST_BYTES:
                writer.write(batch, number=number, first=first, part=part, sync=sync)
                first, size, part, batch = first + len(batch), 0, part + 1, []
        writer.write(batch, number=number, first=first, part=part, last=sync is None, sync=sync)
        return writer
