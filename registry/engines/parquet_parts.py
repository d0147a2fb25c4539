"""Parquet parts in a folder or below a prefix in S3: ``part-000001.parquet`` and so on, and the record in ``_callboard/``.

A part has the number of its batch in the list, so that it is replaced if the batch comes again, because the run before was
killed or the list is read once more. First the part is written, then the record that counts it; the next run begins after the
last counted part. If a column gets a wider type, the parts with that column are rewritten. A file or object is written
completely or not at all. pyarrow reads and writes both.
"""

import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from registry.engines.address import ParquetFolder, ParquetObjects
from registry.engines.columns import KEY, Column, Growth, Written, widened
from registry.engines.problems import NotStored, needs
from registry.files.folders import file_lock, private_folder, put_in_place, unnamed_file
from registry.results.arrow import library
from registry.text.shown import visible_line

_PART = re.compile(r"part-([0-9]{6,})\.parquet")
_COLUMNS = b"callboard"
"""The key of the columns in a part's own description."""

_OWN = "_callboard"
"""The folder beside the parts for the record; readers of partitions skip names that begin with an underscore."""

_RECORD = f"{_OWN}/record.json"


class ParquetSink:
    """Parts in a folder or below a prefix.

    Like the other sinks it is made by `sink_of`, used by one thread at a time, and raises `NotStored` from every method if its
    target cannot be used.

    Attributes:
        shown: the address, without a password.
        most_items: the most items for one step.
        most_pages: the most pages for one step.
        replaces: whether a row that comes again replaces the earlier one, also one of an earlier run.
    """

    most_items, most_pages, replaces = 20_000, 200, False

    def __init__(self, address: ParquetFolder | ParquetObjects) -> None:
        needs("Parquet", "pyarrow")
        self._folder = address.folder if isinstance(address, ParquetFolder) else None
        self._address = address
        self._base = f"{address.folder}/" if isinstance(address, ParquetFolder) else f"{address.bucket}/{address.prefix}"
        self.shown = visible_line(self._base if self._folder is not None else f"s3://{self._base}")
        self._files: Any = None
        self._held = ExitStack()
        self._there = False

    def open(self) -> str | None:
        """Connect, and check that the target can be used; returns its stored record, None for a new target."""
        from pyarrow import fs

        with self._sentences():
            if isinstance(self._address, ParquetFolder):
                self._files = fs.LocalFileSystem()
                own = private_folder(self._address.folder / _OWN)
                try:
                    self._held.enter_context(file_lock(own / "record.json", 0))
                except TimeoutError:
                    raise NotStored(f"{self.shown}: another run writes there.", "Wait until it has ended.") from None
            else:
                endpoint = self._address.endpoint or os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
                region = self._address.region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
                self._files = fs.S3FileSystem(endpoint_override=endpoint, region=region, connect_timeout=10, request_timeout=60)
                if not self._exists(self._address.bucket):
                    raise NotStored(f"{self.shown}: there is no such bucket.", "Create it, or check its name and the endpoint.")
            record = None
            if self._exists(self._base + _RECORD):
                with self._files.open_input_stream(self._base + _RECORD) as stream:
                    record = bytes(stream.read())
        names = self.names()
        if record is None and names:
            raise NotStored(
                f"{self.shown} has {len(names):,} {'file' if len(names) == 1 else 'files'} that Callboard did not make.",
                "Choose an empty folder or prefix.",
            )
        self._there = record is not None
        return None if record is None else record.decode("utf-8", errors="replace")

    def close(self) -> None:
        """Let others use the folder."""
        self._held.close()
        self._files = None

    def write(
        self, batch: Any, growth: Growth, columns: Sequence[Column], record: str, *, number: int, part: int, last: bool = False
    ) -> Written:
        """Write a batch in one step: afterwards rows, columns and record are written, or none of them, also if it is killed.

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
        if not self._there:  # a part without a record would look like another program's
            self.put(_RECORD, b"{}")
            self._there = True
        if len(batch):
            self._put_part(f"part-{part:06d}.parquet", batch, columns)
        if last:
            for name, there in self._parts().items():
                if there > part or (there == part and not len(batch)):
                    self.remove(name)
        if any(old.type != "null" for old, _ in growth.widened):  # then a column has the same type in all parts
            now = {one.name: one for one in columns}
            for name in self._parts():
                table = self._read(name)
                before = [Column(*one) for one in json.loads((table.schema.metadata or {}).get(_COLUMNS, b"[]"))]
                changed = [old for old in before if old.type != now[old.name].type]
                for old in changed:
                    table = table.set_column(
                        table.column_names.index(old.name),
                        old.name,
                        widened(table.column(old.name).combine_chunks(), old, now[old.name]),
                    )
                if changed:
                    self._put_part(name, table, [now[old.name] for old in before])
        self.put(_RECORD, record.encode())
        return Written(len(batch))

    def known(self, keys: Collection[str], part: int) -> Collection[str]:
        """Those of the keys that are in parts up to this one."""
        found = set[str]()
        for name, number in self._parts().items():
            if number <= part:
                found.update(set(self._read(name, [KEY]).column(0).to_pylist()).intersection(keys))
        return found

    def empty(self) -> None:
        """Remove everything that Callboard created for this target."""
        for name in (*self._parts(), _RECORD):
            self.remove(name)
        self._there = False

    def _parts(self) -> dict[str, int]:
        """The names of the parts with their numbers."""
        return {name: int(found[1]) for name in self.names() if (found := _PART.fullmatch(name))}

    def _read(self, name: str, columns: Sequence[str] | None = None) -> Any:
        with self._sentences():
            return library().parquet.read_table(self._base + name, columns=columns, filesystem=self._files)

    def _put_part(self, name: str, table: Any, columns: Sequence[Column]) -> None:
        """Write a part; columns of which nothing is known but null are left out."""
        described = json.dumps([one for one in columns if one.type != "null"]).encode()
        table = table.drop_columns([one.name for one in columns if one.type == "null"])
        target = library().BufferOutputStream()
        library().parquet.write_table(table.replace_schema_metadata({_COLUMNS: described}), target, compression="zstd")
        self.put(name, target.getvalue())

    # Files

    def names(self) -> list[str]:
        """The names of the files directly in the folder."""
        from pyarrow.fs import FileSelector

        with self._sentences():
            folder = FileSelector(self._base.rstrip("/"), allow_not_found=True)
            return sorted(one.base_name for one in self._files.get_file_info(folder) if one.is_file)

    def put(self, name: str, content: Any) -> None:
        """Write a file, or replace it, in one step: an object exists only after its upload has ended."""
        with self._sentences():
            if self._folder is not None:
                file = self._folder / name
                with unnamed_file(file.parent, file.name) as one:
                    one.write(content)
                    put_in_place(one, file, replace=True)
            else:
                with self._files.open_output_stream(self._base + name) as stream:
                    stream.write(content)

    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""
        with self._sentences():
            if self._exists(self._base + name):
                self._files.delete_file(self._base + name)

    def _exists(self, path: str) -> bool:
        return bool(self._files.get_file_info(path).type.value)

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:  # of pyarrow as well
            words = visible_line(str(error).split("\n")[0])[:300].rstrip(".")
            way_out = "Check the endpoint, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the region."
            if self._folder is not None:
                way_out = "Free some space, or choose another folder."
            raise NotStored(f"{self.shown}: {words}.", way_out) from None
