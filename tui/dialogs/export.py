"""The export dialog: what to save or copy, in which format, and where to. An error focuses the field that can fix it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from msgspec import Struct
from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from registry.results.formats import (
    TITLES,
    Concern,
    ExportFormat,
    ExportOptions,
    ExportSource,
    NotExported,
    Saved,
    free_name,
    save_files,
    suggested_name,
    target_of,
)
from registry.results.saving import as_text, save
from registry.results.spool import Cancelled, PropertyPath
from registry.text.shown import counted, size, visible_line
from tui.dialogs.dialog import FieldsDialog, Keys, titled
from tui.dialogs.questions import YesNo
from tui.terminal.external_programs import copy, short_path
from tui.widgets.texts import Line, Options

_FORMATS: tuple[ExportFormat, ...] = ("json", "ndjson", "csv", "parquet")
_ABOUT: dict[ExportFormat, str] = {
    "json": "Numbers, escapes and key order unchanged.",
    "ndjson": "One item per line, unchanged.",
    "csv": "Values as they were sent, so amounts in cents and times in seconds since 1970, one column per property. "
    "Text that a spreadsheet would run as a formula gets a ' before it.",
    "parquet": "Typed columns, for data tools.",
}
_MASKED = "Secrets are replaced by ••••••••."
_UNMASKED = "Anyone who gets the export can use its secrets."
_FIELDS: dict[Concern, str] = {"path": "#path", "taken": "#path", "format": "#format", "columns": "#format", "items": "#what"}
"""The field that can fix each kind of error."""


class Offer(Struct, frozen=True):
    """Something that can be saved.

    Attributes:
        title: what it is, in a few words.
        source: one JSON text, or the items of a list.
        columns: which columns of a table, in order; None for all.
        format: the format that suits it best.
        ending: the file name extension of a file that is saved as received; empty for everything else.
        about: how it differs from the other offers, in a sentence.
        kept: what is left out, shown after saving; empty if nothing is.
        gather: fetches items that are not here yet, and reports their number so far; also says what was left out of them, as
            `kept`. The source is empty until then.
    """

    title: str
    source: ExportSource
    columns: Sequence[PropertyPath] | None = None
    format: ExportFormat = "json"
    items_at: str | None = None
    ending: str = ""
    about: str = ""
    kept: str = ""
    gather: Callable[[Callable[[int], None]], Awaitable[tuple[Sequence[bytes], str]]] | None = None


class ExportDialog(FieldsDialog[str]):
    """Saves or copies; returns a sentence that says what was done.

    Args:
        offers: what can be saved, the likeliest first.
        subject: the beginning of the file's name.
        at: when the result was received, in Unix seconds.
        folder: where files go unless another path is typed; relative paths start there.
        warning: what is missing in all offers; empty if they are complete.
    """

    DEFAULT_CSS = """
    ExportDialog {
        .label { width: 10; }
        Options:disabled { opacity: 50%; }
        #about { margin: 1 0 1 10; color: $foreground-muted; }
        Line:disabled { color: $foreground-muted; }
    }
    """

    keys: Keys = (("Enter", "Save"), ("Tab", "Next field"), ("← →", "Choose"), ("Esc", "Close"))

    def __init__(self, offers: Sequence[Offer], subject: str, at: float, folder: Path, warning: str = "") -> None:
        super().__init__()
        self._offers, self._subject, self._at, self._folder = offers, subject, at, folder
        self.heading = titled("Save or copy") + Content.styled(f"  {warning}" if warning else "", "$text-warning")
        self._proposed = ""
        self._busy = False

    def _body(self) -> ComposeResult:
        choices = {
            "what": ("What", [visible_line(offer.title) for offer in self._offers]),
            "format": ("Format", [TITLES[name] for name in _FORMATS]),
            "layout": ("Layout", ["indented", "unchanged"]),
            "secrets": ("Secrets", ["redacted", "included"]),
            "to": ("To", ["a file", "the clipboard"]),
        }
        for id_, (label, words) in choices.items():
            yield self.row(label, Options(words, all_count=True, id=id_))
        yield self.row("File", Line(id="path", compact=True, select_on_focus=False))
        yield Static(id="about")
        yield Static(id="said")

    def on_mount(self) -> None:
        self._take_format()
        self.query_one("#what" if len(self._offers) > 1 else "#format").focus()

    @property
    def offer(self) -> Offer:
        return self._offers[self.options("what").chosen]

    @property
    def wish(self) -> ExportOptions:
        return ExportOptions(
            format=_FORMATS[self.options("format").chosen],
            laid_out=self.options("layout").chosen == 0,
            masked=self.options("secrets").chosen == 0,
            columns=self.offer.columns,
            items_at=self.offer.items_at,
        )

    @property
    def _to_file(self) -> bool:
        return bool(self.offer.ending) or self.options("to").chosen == 0

    @on(Options.Chosen, "#what")
    def _take_format(self) -> None:
        self.options("format").chosen = _FORMATS.index(self.offer.format)
        self._tell_choices()

    @on(Options.Chosen)
    def _tell_choices(self) -> None:
        """Update the other choices and the hints for the chosen offer."""
        offer, wish = self.offer, self.wish
        is_file = bool(offer.ending)
        for name in ("format", "secrets", "to"):
            self.options(name).disabled = is_file
        formats = ["As it came."] if is_file else [_ABOUT[wish.format], _MASKED if wish.masked else _UNMASKED]
        about = [" ".join(filter(None, (offer.about, _measure(offer)))), *formats]
        self.query_one("#about", Static).update(Content("\n".join(filter(None, about))))
        self.say("")
        self.show_rows([("layout", not is_file and wish.format == "json")])
        line = self.query_one("#path", Line)
        line.disabled = not self._to_file
        if line.value == self._proposed:
            name = suggested_name(self._subject, self._at, offer.ending or wish.format)
            self._proposed = line.value = short_path(free_name(self._folder / name))
            line.cursor_position = len(line.value)

    @on(Input.Changed, "#path")
    def _path_changed(self) -> None:
        self.say("")

    def action_take(self) -> None:
        """Save or copy; an existing file is replaced only if the user says so."""
        if not self._busy:
            self._save()

    @work(group="export", exclusive=True)
    async def _save(self) -> None:
        self._busy, replace = True, False
        try:
            while True:
                try:
                    self.dismiss(await (self._write(replace) if self._to_file else self._copy()))
                    return
                except NotExported as error:
                    asks = YesNo("Replace the file?", [Content(error.cause)], "Replace", danger=True)
                    replace = error.concern == "taken" and await self.app.push_screen_wait(asks) is not None
                    if not replace:
                        way = "Choose another name." if error.concern == "taken" else error.next_step
                        self.say(f"✗ {error.cause} {way}", "$text-error")
                        self.query_one(_FIELDS[error.concern]).focus()
                        return
        except Cancelled:
            pass
        finally:
            self._busy = False

    async def _write(self, replace: bool) -> str:
        offer = self.offer
        target = await asyncio.to_thread(target_of, self.value("path"), self._folder, replace=replace)
        self._progress(0)
        if offer.ending:
            assert isinstance(offer.source, bytes)
            return _saved((await asyncio.to_thread(save_files, [("", offer.source)], target, replace=replace))[0])
        wish = self.wish
        source, kept = await self._gathered(offer)
        return _saved(await asyncio.to_thread(save, source, target, wish, replace=replace, check=self._check), kept)

    async def _copy(self) -> str:
        offer, wish = self.offer, self.wish
        source, kept = await self._gathered(offer)
        text, masked = await asyncio.to_thread(as_text, source, wish, check=self._check)
        outcome = await copy(self.app, text)
        if not outcome.done:
            raise NotExported(f"{outcome.words[:1].upper()}{outcome.words[1:]}.", "Choose “a file” instead.", "path")
        about = f" · {kept}" if kept and offer.gather is not None else ""  # other titles say it
        return outcome.about(f"{offer.title.lower()} as {TITLES[wish.format]}{about}{_masks(masked)}")

    async def _gathered(self, offer: Offer) -> tuple[ExportSource, str]:
        """The content of the offer, and what is left out; items that are not here yet are fetched first."""
        if offer.gather is None:
            return offer.source, offer.kept
        self.say("Fetching all pages… Esc stops.")
        return await offer.gather(lambda done: self.say(f"Fetching all pages… {done:,} items. Esc stops."))

    def _check(self, done: int) -> None:
        """Called in the writing thread: report progress, or stop writing if the dialog was closed."""
        if not self.is_running:
            raise Cancelled
        self.app.call_from_thread(self._progress, done)

    def _progress(self, done: int) -> None:
        if self.is_attached:
            every = len(self.offer.source) if not isinstance(self.offer.source, bytes) else 0
            self.say(f"Writing… {done:,} of {every:,}" if every and done else "Writing…")


def _saved(saved: Saved, kept: str = "") -> str:
    """A sentence that says what was saved; `kept` says what was left out."""
    what = f"{counted(saved.items, 'item')}, " if saved.items is not None else ""
    path = visible_line(short_path(saved.path))
    if kept:  # before the path, which may be cut
        return f"✓ Saved {what}{kept} · {path} · {size(saved.size)}{_masks(saved.masked)}"
    return f"✓ Saved {path} · {what}{size(saved.size)}{_masks(saved.masked)}"


def _measure(offer: Offer) -> str:
    """The size of an offer; empty if it has to be fetched first."""
    if offer.gather is not None:
        return ""
    if isinstance(offer.source, bytes):
        return f"{size(len(offer.source))}."
    return counted(len(offer.source), "item") + (f", {len(offer.columns):,} columns." if offer.columns is not None else ".")


def _masks(number: int) -> str:
    return f" · {counted(number, 'value')} redacted" if number else ""
