"""``--save FILE --format FORMAT``: a result in another format, printed, in a file or in a database table."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple, NoReturn

from msgspec.structs import replace

from registry.calling.result import Result
from registry.calling.several_accounts import COLUMN
from registry.catalog.model import Tool
from registry.doors.output import ExitCode, complain, fail, print_notes, remark, say_json, say_rows
from registry.engines.address import address_of
from registry.engines.problems import NotStored
from registry.engines.saving import Saving
from registry.files.folders import is_local
from registry.results.formats import TITLES, ExportFormat, ExportOptions, NotExported, save_files, target_of, wanted
from registry.results.saving import as_text, items_of, save
from registry.text.shown import counted


class FileOutlet(NamedTuple):
    """The destination and format of a result; `target` is None for standard output."""

    wish: ExportOptions
    target: Path | None = None
    replace: bool = False

    def write_result(self, result: Result) -> int:
        """Save or print a response, or save the files in it that the target's name asks for; returns the exit code."""
        if self.target is not None:
            try:
                found = wanted(result.files, self.target)
                for one in save_files(found, self.target, replace=self.replace):
                    remark(f"saved {one.path}, {one.size:,} bytes")
            except NotExported as error:
                return _not_written(error, is_ours=error.concern == "format")
            if found:
                return ExitCode.OK
        print_notes(result.notes)
        return self.write(result.body, result.items_at)

    def write(self, source: bytes | Sequence[bytes], items_at: str | None = None) -> int:
        """Save or print a response, with its list at a path, or the items of a list; returns the exit code."""
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
        return _written(masked)


class SinkOutlet(NamedTuple):
    """Saves items to a folder of Parquet files, an object store or an open database table."""

    saving: Saving

    def write_result(self, result: Result) -> int:
        """Save the items of a response; returns the exit code."""
        print_notes(result.notes)
        return self.write(result.body, result.items_at)

    def write(self, source: bytes | Sequence[bytes], items_at: str | None = None) -> int:
        """See `FileOutlet.write`."""
        try:
            stored = self.saving.store(items_of(source, items_at))
        except (NotExported, NotStored) as error:
            return _not_written(error, is_ours=isinstance(error, NotExported))
        print_notes(stored.notes)
        written = stored.written
        updated = f", {written.updated:,} of them in the place of earlier ones" if written.updated else ""
        remark(f"saved {stored.sink.shown}, {counted(written.inserted + written.updated, 'row')}{updated}")
        return _written(stored.redacted)


@contextmanager
def outlet_of(options: argparse.Namespace, tool: Tool) -> Iterator[FileOutlet | SinkOutlet]:
    """The open destination that the options of ``callboard call`` name. Refuses invalid options."""
    try:
        address = address_of(options.save, Path()) if options.save is not None else None
        if address is None:
            yield file_outlet(options, masked=not (options.raw or options.show_secrets), laid_out=not options.raw)
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


def file_outlet(options: argparse.Namespace, *, masked: bool = True, laid_out: bool = True) -> FileOutlet:
    """The file and format that the options name: JSON if none is named, standard output without a file."""
    if options.save is None and options.format == "parquet":
        fail("--format parquet needs --save FILE")
    wanted = options.format or Path(options.save or "").suffix.lstrip(".").lower()
    form: ExportFormat = next((name for name in TITLES if name == wanted), "json")
    try:
        target = target_of(options.save, Path(), replace=options.replace) if options.save is not None else None
    except NotExported as error:
        refuse_file(error, "--save: ")
    return FileOutlet(ExportOptions(form, laid_out=laid_out, masked=masked), target, options.replace)


def refuse_sink(error: NotStored, option: str) -> NoReturn:
    """Print why an address cannot be used and end."""
    fail(f"{option}{error}", ExitCode.LOCAL if error.concern == "target" else ExitCode.USAGE)


def refuse_file(error: NotExported, option: str = "") -> NoReturn:
    """Print why a file cannot be written and end."""
    way_out = "Choose another name or add --replace." if error.concern == "taken" else error.next_step
    fail(f"{option}{error.cause} {way_out}", ExitCode.LOCAL if is_local(error) else ExitCode.USAGE)


def _not_written(error: Exception, *, is_ours: bool) -> int:
    """Print why a result was not written; returns the exit code. `is_ours`: the result is the cause, and not the target."""
    return complain(str(error), code=ExitCode.SERVICE if is_ours else ExitCode.LOCAL)


def _written(redacted: int) -> int:
    if redacted:
        remark(f"{counted(redacted, 'value')} redacted; add --show-secrets to show them")
    return ExitCode.OK
