"""Stores Parquet parts in a folder, or as objects below a prefix. A file is written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from registry.engines.sinks.address import ParquetFolder, ParquetObjects
from registry.engines.sinks.failure import NotStored, missing
from registry.files.atomic_file import file_lock, lock_of, unnamed_file
from registry.files.folders import private_folder
from registry.files.reasons import reason
from registry.text.safe_text import visible_line

OWN = "_callboard"
"""The folder beside the parts for the record; readers of partitions skip names that begin with an underscore."""


class PartStore(Protocol):
    """Files by names, which may have one folder in front. Methods raise `NotStored`."""

    shown: str

    def open(self) -> None:
        """Make it ready, and lock it if the store can do that."""

    def close(self) -> None:
        """Let others use it."""

    def names(self) -> list[str]:
        """The names of the files directly in it."""

    def get(self, name: str) -> bytes | None:
        """A file's content; None if there is no such file."""

    def put(self, name: str, content: bytes) -> None:
        """Write a file, or replace it, in one step."""

    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""


class FolderStore:
    """A folder of this machine; see `PartStore`."""

    def __init__(self, address: ParquetFolder) -> None:
        self.shown = address.shown
        self._folder = address.folder
        self._record = self._folder / OWN / "record.json"
        self._missing: list[Path] = []
        self._held = ExitStack()

    def open(self) -> None:
        """See `PartStore.open`."""
        own = self._record.parent
        with self._sentences():
            self._missing = [one for one in (own, *own.parents) if not one.exists()]
            private_folder(own)
            self._held.callback(self._remove_unused)
            try:
                self._held.enter_context(file_lock(self._record, 0))
                self._held.callback(self._remove_lock)
            except TimeoutError:
                raise NotStored(f"{self.shown}: another run writes there.", "Wait until it has ended.") from None

    def close(self) -> None:
        """See `PartStore.close`."""
        self._held.close()

    def _remove_lock(self) -> None:
        """While it is held: remove its file if nothing was stored, because the call failed before."""
        with suppress(OSError):
            if not self._record.exists():
                lock_of(self._record).unlink(missing_ok=True)

    def _remove_unused(self) -> None:
        """Remove the folders that `open` created and that are empty."""
        with suppress(OSError):
            for folder in self._missing:
                folder.rmdir()

    def names(self) -> list[str]:
        """See `PartStore.names`."""
        with self._sentences():
            return sorted(one.name for one in self._folder.iterdir() if one.is_file())

    def get(self, name: str) -> bytes | None:
        """See `PartStore.get`."""
        with self._sentences():
            try:
                return (self._folder / name).read_bytes()
            except FileNotFoundError:
                return None

    def put(self, name: str, content: bytes) -> None:
        """See `PartStore.put`."""
        file = self._folder / name
        with self._sentences(), unnamed_file(file.parent, file.name) as one:
            one.file.write(content)
            one.place(file, replace=True)

    def remove(self, name: str) -> None:
        """See `PartStore.remove`."""
        with self._sentences():
            (self._folder / name).unlink(missing_ok=True)

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise NotStored(f"{visible_line(reason(error))}.", "Free some space, or choose another folder.") from None


class ObjectStore:
    """Objects below a prefix, by pyarrow; see `PartStore`. An object exists only after its upload has ended."""

    def __init__(self, address: ParquetObjects) -> None:
        self.shown = address.shown
        self._address = address
        self._files: Any = None
        self._base = f"{address.bucket}/{address.prefix}"

    def open(self) -> None:
        """See `PartStore.open`."""
        try:
            from pyarrow.fs import S3FileSystem
        except ImportError:
            raise missing("parquet", "pyarrow", "S3") from None
        address, environment = self._address, os.environ
        endpoint = address.endpoint or environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL")
        region = address.region or environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
        with self._sentences():
            self._files = S3FileSystem(endpoint_override=endpoint, region=region, connect_timeout=10, request_timeout=60)
            if self._kind(self._address.bucket) == 0:
                raise NotStored(f"{self.shown}: there is no such bucket.", "Create it, or check its name and the endpoint.")

    def close(self) -> None:
        """See `PartStore.close`."""
        self._files = None

    def names(self) -> list[str]:
        """See `PartStore.names`."""
        from pyarrow.fs import FileSelector

        with self._sentences():
            found = self._files.get_file_info(FileSelector(self._base.rstrip("/"), allow_not_found=True))
            return sorted(one.base_name for one in found if one.is_file)

    def get(self, name: str) -> bytes | None:
        """See `PartStore.get`."""
        with self._sentences():
            if self._kind(self._base + name) == 0:
                return None
            with self._files.open_input_stream(self._base + name) as stream:
                return bytes(stream.read())

    def put(self, name: str, content: bytes) -> None:
        """See `PartStore.put`."""
        with self._sentences(), self._files.open_output_stream(self._base + name) as stream:
            stream.write(content)

    def remove(self, name: str) -> None:
        """See `PartStore.remove`."""
        with self._sentences():
            if self._kind(self._base + name):
                self._files.delete_file(self._base + name)

    def _kind(self, path: str) -> int:
        """The type of a path; 0 if it does not exist."""
        return int(self._files.get_file_info(path).type.value)

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:  # of pyarrow as well
            words = visible_line(str(error).split("\n")[0])[:300].rstrip(".")
            way_out = "Check the endpoint, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the region."
            raise NotStored(f"{self.shown}: {words}.", way_out) from None
