"""Writes items into an open sink, batch by batch: keys, columns and the record.

The record is a JSON object: ``columns`` (`Columns.record`), the ``tool`` of the target, the number of the full
``pass``, and ``sync``, what a later run needs to continue; null for a single save.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from registry.accounts.secrets import MASK
from registry.calling.sensitive import mask
from registry.engines.sinks.columns import Columns, key_of
from registry.engines.sinks.failure import NotStored
from registry.engines.sinks.sink import Sink, Written
from registry.results.tables.picking import members, string

_MASK = MASK.encode()


class Writer:
    """Writes to a sink that it opens.

    Args:
        sink: the sink, not opened yet.
        tool: the tool of the items.
        masked: redact secrets.
        account_in: the property of each item that names its account; None if all are from one.

    Attributes:
        sync: the record's data for a later run; None for a new target, or after a single save.
        number: the number of the last full pass, from 1; 0 before the first.
        tool_before: the tool of an existing target; None for a new one.
        written: the number of rows written so far.
        redacted: the number of values redacted so far.

    Raises:
        NotStored: the sink cannot be opened.
    """

    def __init__(self, sink: Sink, tool: str, *, masked: bool, account_in: str | None = None) -> None:
        self.sink = sink
        self._tool, self._masked, self._account_in = tool, masked, account_in
        self.written, self.redacted = Written(), 0
        self._load(sink.open())

    def _load(self, text: str | None) -> None:
        try:
            record: Any = json.loads(text) if text is not None else {}
            self._columns = Columns(record.get("columns", ()))
            self.sync: Mapping[str, Any] | None = record.get("sync")
            self.tool_before: str | None = record.get("tool")
            self.number = int(record.get("pass", 0))
        except (ValueError, TypeError, AttributeError):
            raise NotStored(f"{self.sink.shown}: Callboard's record there was changed.", "Choose another target.") from None

    def start_over(self) -> None:
        """Remove the existing contents."""
        self.sink.empty()
        self._columns, self.sync, self.tool_before, self.number = Columns(), None, None, 0

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

        Args:
            items: the received JSON text of each.
            number: the number of the full pass.
            first: the number of the pass's items before these.
            part: the number of this step in the list.
            last: whether it completes the pass.
            sync: what a later run needs to continue from here.
        """
        safe = items
        if self._masked:
            pairs = [mask(item) for item in items]
            safe, self.redacted = [text for text, _ in pairs], self.redacted + sum(count for _, count in pairs)
        keys = [self._key(item, place) for place, item in enumerate(safe, first)]
        batch, growth = self._columns.batch(safe, keys, number)
        record = {"version": 1, "tool": self._tool, "pass": number, "columns": self._columns.record, "sync": sync}
        done = self.sink.write(batch, growth, self._columns.all, json.dumps(record), part=part, last=last)
        self.written = Written(self.written.inserted + done.inserted, self.written.updated + done.updated)

    def _key(self, item: bytes, place: int) -> str:
        key = key_of(item)
        if key is None or _MASK in key.encode():
            return f"#{place + 1:012d}"
        if self._account_in is not None:
            return f"{string(members(item).get(self._account_in, b'')) or ''}/{key}"
        return key
