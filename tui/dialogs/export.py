"""The export dialog: what to save or copy, in which format, and where to. Errors are shown beside their field."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from registry.results.formats import TITLES, Concern, ExportFormat, ExportOptions, ExportSource, NotExported, Saved
from registry.results.picking import Path as Column
from registry.results.returned_files import save_files
from registry.results.saving import as_text, save
from registry.results.table import Cancelled
from registry.results.target import free_name, suggested_name, target_of
from registry.text.readings import size
from registry.text.safe_text import visible_line
from tui.dialogs.labelled_fields import FieldsDialog
from tui.terminal.clipboard import copy
from tui.widgets.option_row import Options
from tui.widgets.text_line import Line

_FORMATS: tuple[ExportFormat, ...] = ("json", "ndjson", "csv", "parquet")
_ABOUT: dict[ExportFormat, str] = {
    "json": "Numbers, escapes and key order unchanged.",
    "ndjson": "One item per line, unchanged.",
    "csv": "Exact values, one column per property. Text that a spreadsheet would run as a formula gets a ' before it.",
    "parquet": "Typed columns, for data tools.",
}
_MASKED = "Secrets are replaced by ••••••••."
_UNMASKED = "Anyone who gets the export can use its secrets."
_PLACES: dict[Concern, str] = {
    "path": "#wrong-path",
    "taken": "#wrong-path",
    "format": "#about-format",
    "columns": "#about-format",
    "items": "#about-what",
}


@dataclass(frozen=True)
class Offer:
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
    columns: Sequence[Column] | None = None
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
        .about { margin: 0 0 1 10; color: $foreground-muted; }
        .-wrong { color: $text-error; }
        Line:disabled { color: $foreground-muted; }
        #wrong-path { margin: 0 0 0 10; color: $foreground-muted; }
        #wrong-path.-wrong { color: $text-error; }
    }
    """

    BINDINGS = [
        Binding("enter", "save", "Save"),
        Binding("ctrl+o", "replace", "Replace", priority=True),
    ]

    def __init__(self, offers: Sequence[Offer], subject: str, at: float, folder: Path, warning: str = "") -> None:
        super().__init__()
        self._offers = offers
        self._subject = subject
        self._at = at
        self._folder = folder
        self._warning = warning
        self._proposed = ""
        self._taken = False
        self._busy = False

    def compose(self) -> ComposeResult:
        """The choices, the path, and below each a hint or an error."""
        with VerticalScroll(id="box", can_focus=False):
            warning = Content.styled(f"  {self._warning}" if self._warning else "", "$text-warning")
            yield Static(Content.assemble(Content.styled("Save or copy", "bold"), warning, "\n"))
            yield self._row("What", Options([visible_line(offer.title) for offer in self._offers], all_count=True, id="what"))
            yield Static(id="about-what", classes="about")
            yield self._row("Format", Options([TITLES[name] for name in _FORMATS], all_count=True, id="format"))
            yield Static(id="about-format", classes="about")
            yield self._row("Layout", Options(["indented", "unchanged"], all_count=True, id="layout"))
            yield self._row("Secrets", Options(["redacted", "included"], all_count=True, id="secrets"))
            yield Static(id="about-secrets", classes="about")
            yield self._row("To", Options(["a file", "the clipboard"], all_count=True, id="to"))
            yield self._row("File", Line(id="path", compact=True, select_on_focus=False))
            yield Static(id="wrong-path")
            yield self.keys_line(("Enter", "Save"), ("Tab", "Next field"), ("← →", "Choose"), ("Esc", "Close"))

    def on_mount(self) -> None:
        """Focus the first field with a choice."""
        self._take_format()
        self.query_one("#what" if len(self._offers) > 1 else "#format").focus()

    @property
    def offer(self) -> Offer:
        """The chosen offer."""
        return self._offers[self._options("what").chosen]

    @property
    def wish(self) -> ExportOptions:
        """The chosen options."""
        return ExportOptions(
            format=_FORMATS[self._options("format").chosen],
            laid_out=self._options("layout").chosen == 0,
            masked=self._options("secrets").chosen == 0,
            columns=self.offer.columns,
            items_at=self.offer.items_at,
        )

    @on(Options.Chosen, "#what")
    def _take_format(self) -> None:
        self._options("format").chosen = _FORMATS.index(self.offer.format)
        self._tell_choices()

    @on(Options.Chosen)
    def _tell_choices(self) -> None:
        """Update the other choices and the hints for the chosen offer."""
        wish = self.wish
        is_file = bool(self.offer.ending)
        for name in ("format", "secrets", "to"):
            self._options(name).disabled = is_file
        to_file = is_file or self._options("to").chosen == 0
        self._say("#about-what", " ".join(part for part in (self.offer.about, _measure(self.offer)) if part))
        self._say("#about-format", "As it came." if is_file else _ABOUT[wish.format])
        self._say("#about-secrets", "" if is_file else _MASKED if wish.masked else _UNMASKED)
        self._say("#wrong-path", "")
        self._show_row("layout", not is_file and wish.format == "json")
        line = self.query_one("#path", Line)
        line.disabled = not to_file
        if line.value == self._proposed:
            self._proposed = line.value = _from_home(
                free_name(self._folder / suggested_name(self._subject, self._at, self.offer.ending or wish.format))
            )
            line.cursor_position = len(line.value)

    @on(Input.Changed, "#path")
    def _path_changed(self) -> None:
        self._taken = False
        self._say("#wrong-path", "")

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_save()

    def action_save(self) -> None:
        """Save or copy; an existing file is not replaced."""
        if not self._busy:
            self._busy = True
            self._save(replace=False)

    def action_replace(self) -> None:
        """Replace the existing file, after it was reported."""
        if self._taken and not self._busy:
            self._busy = True
            self._save(replace=True)

    @work(group="export", exclusive=True, exit_on_error=False)
    async def _save(self, *, replace: bool) -> None:
        offer, wish = self.offer, self.wish
        try:
            if offer.ending or self._options("to").chosen == 0:
                words = await self._to_file(offer, wish, replace)
            else:
                words = await self._to_clipboard(offer, wish)
        except NotExported as error:
            self._tell_wrong(error)
        except Cancelled:
            return
        else:
            self.dismiss(words)
        finally:
            self._busy = False

    async def _to_file(self, offer: Offer, wish: ExportOptions, replace: bool) -> str:
        target = await asyncio.to_thread(target_of, self.query_one("#path", Line).value, self._folder, replace=replace)
        self._progress(0)
        if offer.ending:
            assert isinstance(offer.source, bytes)
            return saved_in_words((await asyncio.to_thread(save_files, [("", offer.source)], target, replace=replace))[0])
        source, kept = await self._gathered(offer)
        saved = await asyncio.to_thread(save, source, target, wish, replace=replace, check=self._check)
        return saved_in_words(saved, kept)

    async def _gathered(self, offer: Offer) -> tuple[ExportSource, str]:
        """The content of the offer, and what is left out; items that are not here yet are fetched first."""
        if offer.gather is None:
            return offer.source, offer.kept
        self._say("#wrong-path", "Fetching all pages… Esc stops.")
        return await offer.gather(lambda count: self._say("#wrong-path", f"Fetching all pages… {count:,} items. Esc stops."))

    async def _to_clipboard(self, offer: Offer, wish: ExportOptions) -> str:
        source, kept = await self._gathered(offer)
        text, masked = await asyncio.to_thread(as_text, source, wish, check=self._check)
        outcome = await copy(self.app, text)
        if not outcome.done:
            raise NotExported(f"{outcome.words[:1].upper()}{outcome.words[1:]}.", "Choose “a file” instead.", "path")
        about = f" · {kept}" if kept and offer.gather is not None else ""  # other titles say it
        return outcome.about(f"{offer.title.lower()} as {TITLES[wish.format]}{about}{_masks(masked)}")

    def _check(self, done: int) -> None:
        """Called in the writing thread: report progress, or stop writing if the dialog was closed."""
        if not self.is_running:
            raise Cancelled
        self.app.call_from_thread(self._progress, done)

    def _progress(self, done: int) -> None:
        if self.is_attached:
            count = len(self.offer.source) if not isinstance(self.offer.source, bytes) else 0
            self._say("#wrong-path", f"Writing… {done:,} of {count:,}" if count and done else "Writing…")

    def _tell_wrong(self, error: NotExported) -> None:
        self._taken = error.concern == "taken"
        way = error.next_step.replace("allow overwriting", "press ^O to replace it") if self._taken else error.next_step
        self._say("#wrong-path", "")
        self._say(_PLACES[error.concern], f"{error.cause} {way}", wrong=True)
        if self._options("to").chosen == 0 and error.concern in ("path", "taken"):
            self.query_one("#path", Line).focus()
        elif error.concern in ("format", "columns"):
            self._options("format").focus()
        elif error.concern == "items":
            self._options("what").focus()

    def _say(self, place: str, words: str, *, wrong: bool = False) -> None:
        static = self.query_one(place, Static)
        static.set_class(wrong, "-wrong")
        static.update(Content(f"✗ {words}" if wrong else words))


def saved_in_words(saved: Saved, kept: str = "") -> str:
    """A sentence that says what was saved; `kept` says what was left out."""
    what = f"{saved.items:,} {'item' if saved.items == 1 else 'items'}, " if saved.items is not None else ""
    path = visible_line(_from_home(saved.path))
    if kept:  # before the path, which may be cut
        return f"✓ Saved {what}{kept} · {path} · {size(saved.size)}{_masks(saved.masked)}"
    return f"✓ Saved {path} · {what}{size(saved.size)}{_masks(saved.masked)}"


def _measure(offer: Offer) -> str:
    """The size of an offer; empty if it has to be fetched first."""
    if offer.gather is not None:
        return ""
    if isinstance(offer.source, bytes):
        return f"{size(len(offer.source))}."
    count = len(offer.source)
    return f"{count:,} {'item' if count == 1 else 'items'}" + (
        f", {len(offer.columns):,} columns." if offer.columns is not None else "."
    )


def _masks(count: int) -> str:
    return f" · {count:,} {'value' if count == 1 else 'values'} redacted" if count else ""


def _from_home(path: Path) -> str:
    """A path as people write it, with ~ for the home folder."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
