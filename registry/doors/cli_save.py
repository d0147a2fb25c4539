"""``callboard call … --save FILE --format FORMAT``: a result in another format, printed, in a file or in a database table."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, NoReturn

from registry.calling.several_accounts import COLUMN
from registry.catalog.model import Tool
from registry.doors.output import ExitCode, complain, counted, fail, print_notes, remark, say_json, say_rows
from registry.engines.address import address_of
from registry.engines.problems import NotStored
from registry.engines.saving import Saving
from registry.files.reasons import is_local
from registry.results.formats import ExportFormat, ExportOptions, NotExported
from registry.results.returned_files import save_files, wanted
from registry.results.saving import as_text, items_of, save
from registry.results.target import target_of

_FORMATS: tuple[ExportFormat, ...] = ("json", "ndjson", "csv", "parquet")


class FileOutlet(NamedTuple):
    """The destination and format of a result; `target` is None for standard output."""

    wish: ExportOptions
    target: Path | None
    replace: bool

    def write(self, source: bytes | Sequence[bytes], notes: Sequence[str] = (), items_at: str | None = None) -> int:
        """Save or print a response, with its list at a path, or the items of a list; returns the exit code."""
        print_notes(notes)
        wish = replace(self.wish, items_at=items_at)
        try:
            if self.target is None:
                text, masked = as_text(source, wish, most=None)
                (say_rows if wish.format == "csv" else say_json)(text.rstrip("\r\n"))
            else:
                saved = save(source, self.target, wish, replace=self.replace)
                masked = saved.masked
                remark(f"saved {saved.path}, {saved.size:,} bytes")
        except NotExported as error:
            return _not_written(error, is_ours=error.concern in ("format", "columns"))
        _tell_masked(masked)
        return ExitCode.OK

    def write_files(self, files: Sequence[tuple[str, bytes]]) -> int | None:
        """Save the files of a response that the target's name requests; returns the exit code, None if it requests none."""
        if self.target is None:
            return None
        try:
            for saved in save_files(found := wanted(files, self.target), self.target, replace=self.replace):
                remark(f"saved {saved.path}, {saved.size:,} bytes")
        except NotExported as error:
            return _not_written(error, is_ours=error.concern == "format")
        return ExitCode.OK if found else None


class SinkOutlet(NamedTuple):
    """Saves items to a folder of Parquet files, an object store or an open database table."""

    saving: Saving

    def write(self, source: bytes | Sequence[bytes], notes: Sequence[str] = (), items_at: str | None = None) -> int:
        """See `FileOutlet.write`."""
        print_notes(notes)
        try:
            stored = self.saving.store(items_of(source, items_at))
        except (NotExported, NotStored) as error:
            return _not_written(error, is_ours=isinstance(error, NotExported))
        print_notes(stored.notes)
        written = stored.written
        updated = f", {written.updated:,} of them in the place of earlier ones" if written.updated else ""
        remark(f"saved {stored.sink.shown}, {counted(written.inserted + written.updated, 'row')}{updated}")
        _tell_masked(stored.redacted)
        return ExitCode.OK


@contextmanager
def outlet_of(options: argparse.Namespace, tool: Tool) -> Iterator[FileOutlet | SinkOutlet | None]:
    """The open destination that the options name; None to print the result as usual. Refuses invalid options."""
    try:
        address = address_of(options.save, Path()) if options.save is not None else None
        if address is None:
            yield file_outlet(options)
            return
        if options.format not in (None, "parquet"):
            fail(f"--format {options.format} cannot be combined with an address in --save; remove it")
        account = COLUMN if len(options.connection or ()) > 1 else None
        masked = not (options.raw or options.show_secrets)
        saving = Saving(address, tool.full_name, masked=masked, replace=options.replace, account_in=account)
    except NotStored as error:
        refuse_sink(error, "--save: ")
    with closing(saving):
        yield SinkOutlet(saving)


def file_outlet(options: argparse.Namespace) -> FileOutlet | None:
    """The file or format that the options name; None if there is none. Refuses invalid options."""
    if options.save is None and options.format is None:
        return None
    wanted = options.format or Path(options.save).suffix.lstrip(".").lower()
    form: ExportFormat = next((name for name in _FORMATS if name == wanted), "json")
    if options.save is None and form == "parquet":
        fail("--format parquet needs --save FILE")
    wish = ExportOptions(form, laid_out=not options.raw, masked=not (options.raw or options.show_secrets))
    try:
        target = target_of(options.save, Path(), replace=options.replace) if options.save is not None else None
    except NotExported as error:
        refuse_file(error, "--save: ")
    return FileOutlet(wish, target, options.replace)


def refuse_sink(error: NotStored, option: str) -> NoReturn:
    """Print why an address cannot be used and end."""
    fail(f"{option}{error}", ExitCode.LOCAL if error.concern == "target" else ExitCode.USAGE)


def refuse_file(error: NotExported, option: str = "") -> NoReturn:
    """Print why a file cannot be written and end."""
    way_out = "Choose another name or add --replace." if error.concern == "taken" else error.next_step
    fail(f"{option}{error.cause} {way_out}", ExitCode.LOCAL if is_local(error) else ExitCode.USAGE)


def _not_written(error: Exception, *, is_ours: bool) -> int:
    """Print why a result was not written; returns the exit code. `is_ours`: the result is the cause, and not the target."""
    code = ExitCode.SERVICE if is_ours else ExitCode.LOCAL
    complain(str(error), code=code)
    return code


def _tell_masked(count: int) -> None:
    if count:
        remark(f"{counted(count, 'value')} redacted; add --show-secrets to show them")
