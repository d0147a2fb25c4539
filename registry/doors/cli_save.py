"""``callboard call … --save FILE --format FORMAT``: an answer in another format, printed or in a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from registry.doors.output import ExitCode, complain, fail, remark, say_json, say_rows
from registry.storage.reasons import is_local

if TYPE_CHECKING:
    from registry.export.formats import ExportFormat, ExportOptions, NotExported

_FORMATS: tuple[ExportFormat, ...] = ("json", "ndjson", "csv", "parquet")


@dataclass(frozen=True, slots=True)
class Outlet:
    """Where an answer goes and how; `target` is None for standard output."""

    wish: ExportOptions
    target: Path | None
    replace: bool

    def let_out(self, source: bytes | Sequence[bytes], notes: Sequence[str] = (), items_at: str | None = None) -> int:
        """Save or print an answer, whose list stands at a path, or the items of a list; the exit code."""
        from registry.export.formats import NotExported
        from registry.export.saving import as_text, save

        for note in notes:
            remark(f"note: {note}")
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
            code = ExitCode.SERVICE if error.concern in ("format", "columns") else ExitCode.LOCAL
            complain(str(error), code=code)
            return code
        if masked:
            remark(f"{masked:,} {'value' if masked == 1 else 'values'} redacted; add --show-secrets to show them")
        return ExitCode.OK

    def let_out_files(self, files: Sequence[tuple[str, bytes]]) -> int | None:
        """Save the files of an answer that the name asks for; None where it asks for none."""
        from registry.export.formats import NotExported
        from registry.export.returned_files import save_files, wanted

        if self.target is None:
            return None
        try:
            for saved in save_files(found := wanted(files, self.target), self.target, replace=self.replace):
                remark(f"saved {saved.path}, {saved.size:,} bytes")
        except NotExported as error:
            code = ExitCode.SERVICE if error.concern == "format" else ExitCode.LOCAL
            complain(str(error), code=code)
            return code
        return ExitCode.OK if found else None


def outlet_of(options: argparse.Namespace) -> Outlet | None:
    """What the options ask for; None where the answer is printed as usual. A file that cannot be is refused here already."""
    if options.save is None and options.format is None:
        return None
    from registry.export.formats import ExportOptions, NotExported
    from registry.export.target import target_of

    wanted = options.format or Path(options.save).suffix.lstrip(".").lower()
    form: ExportFormat = next((name for name in _FORMATS if name == wanted), "json")
    if options.save is None and form == "parquet":
        fail("--format parquet needs --save FILE")
    wish = ExportOptions(form, laid_out=not options.raw, masked=not (options.raw or options.show_secrets))
    try:
        target = target_of(options.save, Path(), replace=options.replace) if options.save is not None else None
    except NotExported as error:
        refuse_file(error, "--save: ")
    return Outlet(wish, target, options.replace)


def refuse_file(error: NotExported, option: str = "") -> NoReturn:
    """Say why a file cannot be written and end."""
    way_out = "Choose another name or add --replace." if error.concern == "taken" else error.next_step
    fail(f"{option}{error.cause} {way_out}", ExitCode.LOCAL if is_local(error) else ExitCode.USAGE)
