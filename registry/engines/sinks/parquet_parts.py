"""Parquet parts in a folder or below a prefix: ``part-000001.parquet`` and so on, and the record in ``_callboard/record.json``.

A part has the number of its batch in the list, so that it is replaced if the batch comes again, because the run before was
killed or the list is read once more. First the part is written, then the record that counts it; the next run begins after the
last counted part. If a column gets a wider type, the parts with that column are rewritten.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any, Self

from registry.engines.sinks.columns import KEY, NULLS, PASS, Batch, Column, Growth, json_text, said
from registry.engines.sinks.failure import NotStored, missing
from registry.engines.sinks.kinds import Kind
from registry.engines.sinks.part_store import OWN, PartStore
from registry.engines.sinks.sink import RUNS, SyncRun, Written

_PART = re.compile(r"part-([0-9]{6,})\.parquet")
_KINDS = b"callboard"
_RECORD, _RUNS = f"{OWN}/record.json", f"{OWN}/{RUNS}.jsonl"
_MOST_RUNS = 1_000
_PARTS_BACK = 2
"""How many parts back to look for repeated items, because a list may move between two runs."""


class ParquetSink:
    """See `registry.engines.sinks.sink.Sink`."""

    most_items, most_pages, replaces = 20_000, 200, False

    def __init__(self, store: PartStore) -> None:
        try:
            import pyarrow.parquet
        except ImportError:
            raise missing("parquet", "pyarrow", "Parquet") from None
        self._arrow: Any = pyarrow
        self.shown = store.shown
        self._store = store
        self._there = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def open(self) -> str | None:
        """See `Sink.open`."""
        self._store.open()
        record = self._store.get(_RECORD)
        if record is None and (others := [one for one in self._store.names() if one.endswith(".parquet")]):
            count = f"{len(others)} Parquet {'file' if len(others) == 1 else 'files'}"
            raise NotStored(f"{self.shown} has {count} that Callboard did not make.", "Choose an empty folder or prefix.")
        self._there = record is not None
        return None if record is None else record.decode("utf-8", errors="replace")

    def write(
        self, batch: Batch, growth: Growth, columns: Sequence[Column], record: str, *, part: int, last: bool = False
    ) -> Written:
        """See `Sink.write`."""
        if not self._there:  # a part without a record would look like another program's
            self._store.put(_RECORD, b"{}")
            self._there = True
        if len(batch):
            self._store.put(_name(part), self._part(batch, columns))
        if last:
            for name in self._parts():
                if _number(name) > part or (_number(name) == part and not len(batch)):
                    self._store.remove(name)
        if any(old.kind != "none" and not self._alike(old.kind, new.kind) for old, new in growth.widened):
            self._widen({one.name: one.kind for one in columns})
        self._store.put(_RECORD, record.encode())
        return Written(len(batch))

    def keys_before(self, part: int) -> Collection[str]:
        """See `Sink.keys_before`."""
        keys: set[str] = set()
        for number in range(max(1, part - _PARTS_BACK), part + 1):
            if (content := self._store.get(_name(number))) is not None:
                keys.update(self._arrow.parquet.read_table(io.BytesIO(content), columns=[KEY]).column(0).to_pylist())
        return keys

    def empty(self) -> None:
        """See `Sink.empty`."""
        for name in (*self._parts(), _RECORD):
            self._store.remove(name)
        self._there = False

    def note(self, run: SyncRun) -> None:
        """See `Sink.note`."""
        lines = (self._store.get(_RUNS) or b"").splitlines()[-_MOST_RUNS + 1 :]
        lines.append(json.dumps(dict(run.values), ensure_ascii=False).encode())
        self._store.put(_RUNS, b"\n".join(lines) + b"\n")

    def _parts(self) -> list[str]:
        return [name for name in self._store.names() if _PART.fullmatch(name)]

    def _part(self, batch: Batch, columns: Sequence[Column]) -> bytes:
        arrow = self._arrow
        given = dict(zip((one.name for one in batch.columns), batch.values, strict=True))
        arrays = [
            arrow.array(list(batch.keys), arrow.string()),
            arrow.array([batch.number] * len(batch), arrow.int64()),
            arrow.array(list(batch.nulls), arrow.string()),
        ]
        nothing: list[bytes | None] = [None] * len(batch)
        columns = [one for one in columns if one.kind != "none"]  # their type is not known yet
        for column in columns:
            values = [None if one is None else _value(one, column.kind) for one in given.get(column.name, nothing)]
            arrays.append(arrow.array(values, self._type(column.kind)))
        names = [KEY, PASS, NULLS, *(one.name for one in columns)]
        return self._bytes(arrow.Table.from_arrays(arrays, names=names), {one.name: one.kind for one in columns})

    def _bytes(self, table: Any, kinds: dict[str, Kind]) -> bytes:
        target = io.BytesIO()
        table = table.replace_schema_metadata({_KINDS: json.dumps(kinds).encode()})
        self._arrow.parquet.write_table(table, target, compression="zstd")
        return target.getvalue()

    def _widen(self, kinds: dict[str, Kind]) -> None:
        """Make sure that a column has the same type in all parts."""
        arrow = self._arrow
        for name in self._parts():
            content = self._store.get(name)
            if content is None:
                continue
            file = arrow.parquet.ParquetFile(io.BytesIO(content))
            before: dict[str, Kind] = json.loads((file.schema_arrow.metadata or {}).get(_KINDS, b"{}"))
            now = {one: kinds.get(one, kind) for one, kind in before.items()}
            if all(self._alike(before[one], now[one]) for one in now):
                continue
            table = file.read()
            for place, column in enumerate(table.column_names):
                if column in now and before[column] != now[column]:
                    values = [_wider(one, before[column], now[column]) for one in table.column(place).to_pylist()]
                    table = table.set_column(place, column, arrow.array(values, self._type(now[column])))
            self._store.put(name, self._bytes(table, now))

    def _alike(self, one: Kind, other: Kind) -> bool:
        """Whether values of two kinds are written the same way."""
        return (one == "json") == (other == "json") and bool(self._type(one) == self._type(other))

    def _type(self, kind: Kind) -> Any:
        arrow = self._arrow
        match kind:
            case "bool":
                return arrow.bool_()
            case "int53" | "int64":
                return arrow.int64()
            case "int38":
                return arrow.decimal128(38, 0)
            case "double":
                return arrow.float64()
        return arrow.string()


def _name(part: int) -> str:
    return f"part-{part:06d}.parquet"


def _number(name: str) -> int:
    found = _PART.fullmatch(name)
    return int(found[1]) if found is not None else 0


def _value(raw: bytes, kind: Kind) -> object:
    match kind:
        case "bool":
            return raw == b"true"
        case "int53" | "int64":
            return int(raw)
        case "int38":
            return Decimal(raw.decode())
        case "double":
            return float(raw)
        case "text":
            return said(raw)
    return json_text(raw)


def _wider(value: Any, old: Kind, new: Kind) -> object:
    """A value of a column in a wider kind, exactly."""
    if value is None:
        return None
    match new:
        case "int53" | "int64":
            return int(value)
        case "int38":
            return Decimal(value)
        case "double":
            return float(value)
        case "json":
            return json.dumps(value, ensure_ascii=False) if old in ("text", "bool", "double") else str(value)
    return repr(value) if old == "double" else str(value)
