"""The JSON view: a document's visible rows in colours, safe for any terminal, with a cursor, folds and search matches.

Only what is on screen is decoded and drawn. Control characters are shown as escapes. Readings of times and amounts are shown
after the value, apart from it, and are never copied.
"""

import asyncio
import json
import re
import time
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import work
from textual.message import Message

from registry.calling.receiving import MASKED, is_sensitive
from registry.text.shown import counted, reading, shortened, visible_json, visible_line
from tui.dialogs.questions import Reader
from tui.json_view.document import Document, Links, What, copied, offered
from tui.json_view.rows import UNFOLDED, JsonRow
from tui.keyboard.commands import bindings
from tui.state.settings import key_of
from tui.terminal.external_programs import copy_out
from tui.widgets.line_list import LineList, component_css

_PLAIN_NAME = re.compile(r'"[A-Za-z_][A-Za-z0-9_.-]*"')


_KINDS = {'"': "string", **dict.fromkeys("tfn", "word"), **dict.fromkeys("{[}]", "mark")}
"""The style of a value, by its first letter."""


def name(key: str) -> str:
    """A property's name fit for the screen: with quotes only if it would not read as one name without them."""
    return key[1:-1] if _PLAIN_NAME.fullmatch(key) else shown(key)


def shown(token: str) -> str:
    """A token fit for the screen: letters that the service escaped are spelled out, everything unsafe is escaped."""
    if token.startswith('"') and "\\u" in token and token.endswith('"') and len(token) > 1:
        with suppress(ValueError):  # it may be cut in the middle of an escape
            token = json.dumps(json.loads(token), ensure_ascii=False)
    return visible_json(token)


def shapes(reading: str) -> list[str]:
    """The forms in which a reading may be shown: whole, or of a moment the time or the day. A cut one would be misread."""
    first, comma, _ = reading.partition(", ")
    if not comma:
        return [reading] if reading else []
    return [reading, first, " ".join(first.split()[:3])]


def fitted(parts: list[Segment], width: int, readings: Sequence[Segment] = ()) -> list[Segment]:
    """The parts of a line, cut with an ellipsis where they are too long; after them the first reading that has room."""
    room = width - sum(cell_len(part.text) for part in parts)
    if room >= 0:
        return parts + [one for one in readings if cell_len(one.text) <= room][:1]
    room = width - 1
    line: list[Segment] = []
    for part in parts:
        length = cell_len(part.text)
        if length > room:
            line.append(Segment(set_cell_size(part.text, max(room, 0)) + "…", part.style))
            break
        line.append(part)
        room -= length
    return line


_LONGEST = 4_000  # bytes of a value
_LONGEST_NAME = 60  # letters of what was copied
_STYLES = {
    "key": "color: $text-primary",
    "string": "color: $text",
    "number": "color: $text-warning",
    "word": "color: $text-accent",
    "mark": "color: $foreground-muted",
    "preview": "color: $foreground-muted; text-style: italic",
    "reading": "color: $foreground-muted; text-style: italic",
    "gone": "color: $text-error; text-style: bold",
    "link": "color: $text; text-style: underline",
    "hit": "color: $text-accent; text-style: bold underline",
}


class ViewState(Struct, frozen=True):
    """Where the cursor is in a document: its row, and the line at the top of the screen."""

    document: Document
    row: int
    top: int


class JsonView(LineList):
    """Shows one document at a time.

    The cursor stops at properties and items. The output of a query can take the document's place for a while; the document
    comes back as it was left.

    Attributes:
        document: what is shown.
        hits: the rows with a match, in order.
        links: what rows lead to; values that lead somewhere are underlined.
        gone: ids of objects that were deleted since.
    """

    BINDINGS = bindings("result")
    COMPONENT_CLASSES = {f"json--{name}" for name in _STYLES}
    DEFAULT_CSS = component_css("JsonView", "json", _STYLES)

    double_click = "screen.follow"

    @dataclass
    class Moved(Message):
        """The cursor moved to another row.

        `path` is its path; `cut` a longer part of its value if the screen shows only the beginning; `reading` what the value
        means if the row has no room for it; `leads` whether it can be followed.
        """

        cut: str
        path: str
        reading: str
        leads: bool

    class Signed(Message):
        """What is shown changed between the plain document and a query's output; see `sign`."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.document: Document | None = None
        self.hits: list[int] = []
        self._kept: ViewState | None = None
        self._query = ""
        self.links: Links | None = None
        self.gone: Collection[str] = ()

    @property
    def whole(self) -> ViewState | None:
        """The document itself and where the cursor is in it, also while a query's output is in its place."""
        if self._kept is not None:
            return self._kept
        row = self.row
        return ViewState(self.document, row, self.scroll_offset.y) if self.document is not None and row is not None else None

    @property
    def shows_output(self) -> bool:
        return self._kept is not None

    @property
    def sign(self) -> str:
        """How what is shown differs from the plain document, and the key to go back; empty if it does not differ."""
        return f"Query output · {key_of(self.app, 'cancel')} Full result · {self._query}" if self._kept is not None else ""

    @property
    def line_count(self) -> int:
        return len(self.document.folds) if self.document is not None else 0

    @property
    def row(self) -> int | None:
        return self.document.folds.row(self.cursor) if self.document is not None and self.line_count else None

    def show(self, document: Document | None) -> None:
        self._kept = None
        self._begin(document)

    def show_output(self, document: Document, query: str) -> None:
        """Show a query's output in the document's place."""
        if self._kept is None:
            self._kept = self.whole
        self._query = query
        self._begin(document)

    def show_whole(self) -> None:
        """Show the document again in place of a query's output, as it was left."""
        kept, self._kept = self._kept, None
        if kept is not None:
            self._begin(kept.document)
            self.cursor = kept.document.folds.place(kept.row)
            self.scroll_to(y=kept.top, animate=False, force=True)

    def _begin(self, document: Document | None) -> None:
        self.lines_replaced()
        self.document = document
        self.hits = []
        self.lines_changed(cursor=0)
        self.cursor_moved()
        self.post_message(self.Signed())

    def mark(self, hits: list[int]) -> None:
        """Mark the rows with a match."""
        self.hits = hits
        self.refresh()

    def go_to_hit(self, step: int) -> int | None:
        """Go to the next or the previous match, around the end; returns its number from 1, or None if there are no matches."""
        document, row = self.document, self.row
        if document is None or row is None or not self.hits:
            return None
        place = bisect_right(self.hits, row) if step > 0 else bisect_left(self.hits, row) - 1
        place %= len(self.hits)
        self.go_to(self.hits[place])
        return place + 1

    def go_to(self, row: int) -> None:
        """Unfold what hides a row, and move the cursor to it, or to the last row if the document is shorter now."""
        document = self.document
        if document is not None:
            row = min(row, len(document.rows) - 1)
            document.folds.reveal(row)
            self.lines_changed(cursor=document.folds.place(row))

    def draw(self, line: int, width: int) -> list[Segment]:
        document = self.document
        assert document is not None
        number = document.folds.row(line)
        row = document.rows.row(number, _LONGEST)
        folded = document.folds.is_folded(number)
        mark = "▸ " if folded else "▾ " if document.opens(number) else "  "
        head = [Segment("  " * document.rows.depth(number) + mark, self.style("json--mark"))]
        found = bisect_left(self.hits, number) != bisect_right(self.hits, number)
        if row.key is not None:
            key_style = self.style("json--hit" if found else "json--key")
            head += [Segment(name(row.key), key_style), Segment(": ", self.style("json--mark"))]
        if folded:
            deleted = self._deleted(document.own_id(number)) if self.gone else []
            closing = "}" if row.value == "{" else "]"
            noun = ("property", "properties") if row.value == "{" else ("item", "items")
            seen = [shown(one.value) for one in document.preview(number) if not is_sensitive(one.key, one.value)]
            words = counted(document.rows.items(number), *noun) + (f" · {', '.join(seen)}" if seen else "")
            opening = Segment(f"{row.value}…{closing} ", self.style("json--mark"))
            return fitted([*head, *deleted, opening, Segment(words, self.style("json--preview"))], width)
        if is_sensitive(row.key, row.value):
            parts = [Segment(MASKED, self.style("json--mark"))]
        else:
            leads = row.value.startswith('"') and self._leads(document, number)
            kind = "link" if leads else _KINDS.get(row.value[:1], "number")
            parts = [Segment(shown(row.value) + ("…" if row.cut else ""), self.style(f"json--{'hit' if found else kind}"))]
        if self.gone:
            parts += self._deleted(row.value[1:-1])
        style = self.style("json--reading")
        readings = [Segment(f"  ‹ {text}", style) for text in shapes(self._reading(document, number, row))]
        return fitted([*head, *parts], width, readings)

    def _deleted(self, id_: str) -> list[Segment]:
        return [Segment(" ✗ deleted ", self.style("json--gone"))] if id_ in self.gone else []

    def cursor_moved(self) -> None:
        """Post the row's path, and what of it is not visible."""
        document, number, cut, path, meaning, leads = self.document, self.row, "", "", "", False
        if document is not None and number is not None:
            row = document.rows.row(number, _LONGEST)
            width, depth = self.scrollable_content_region.width, document.rows.depth(number)
            room = width - 2 * depth - 2 - (len(name(row.key)) + 2 if row.key else 0)
            value = shown(row.value)
            path = visible_line(document.shown_path(number))
            too_long = len(row.value) + 1 > room // 2 and cell_len(value) + 1 > room
            if too_long and not is_sensitive(row.key, row.value):
                cut = value + (f"… and {row.cut:,} more bytes" if row.cut else "")
            leads = self.leads
            meaning = self._reading(document, number, row)
            if meaning and self.draw(self.cursor, width)[-1].text.endswith(meaning):
                meaning = ""
        self.post_message(self.Moved(cut, path, meaning, leads))

    def action_move(self, step: int) -> None:
        """Move the cursor by rows, past closing brackets."""
        document = self.document
        place = self.cursor + step
        if document is not None:
            while 0 <= place < self.line_count and document.closes(document.folds.row(place)):
                place += step
            if not 0 <= place < self.line_count:
                return
        self.cursor = place

    def action_toggle_fold(self) -> None:
        if self.document is not None and self.row is not None and self.document.opens(self.row):
            self.document.folds.toggle(self.row)
            self.lines_changed()

    def action_fold(self) -> None:
        document, row = self.document, self.row
        if document is None or row is None:
            return
        if document.opens(row) and not document.folds.is_folded(row):
            self.action_toggle_fold()
        else:
            above = document.rows.opener(row) if document.closes(row) else document.rows.parent(row)
            if above is not None:
                self.cursor = document.folds.place(above)

    def action_unfold(self) -> None:
        if self.document is not None and self.row is not None and self.document.folds.is_folded(self.row):
            self.action_toggle_fold()
        else:
            self.action_move(1)

    def action_fold_to(self, depth: int) -> None:
        """Fold everything at this depth or deeper."""
        if self.document is not None and self.row is not None:
            row = self.row
            self.document.folds.fold_to(depth)
            self.lines_changed(cursor=self.document.folds.place(row))

    def action_fold_all(self) -> None:
        """Fold everything but the outermost level; the items of a page stay visible, folded."""
        if self.document is not None:
            self.action_fold_to(2 if self.document.is_page else 1)

    def action_unfold_all(self) -> None:
        self.action_fold_to(UNFOLDED)

    def action_copy(self) -> None:
        self.copy_part("value")

    def copy_part(self, what: What) -> None:
        if self.document is not None and self.row is not None:
            self._copy(self.document, self.row, what)

    async def offered(self) -> dict[str, tuple[str, str]]:
        """What can be copied of the row at the cursor: a title and the text of each, by the names that `copy_part` takes."""
        document, row = self.document, self.row
        if document is None or row is None:
            return {}
        return await asyncio.to_thread(offered, document, row, masked=self._is_masked(document, row))

    @work(group="read", exclusive=True, exit_on_error=False)
    async def action_read(self) -> None:
        document, row = self.document, self.row
        if document is not None and row is not None:
            masked = self._is_masked(document, row)
            text = MASKED if masked else await asyncio.to_thread(copied, document, row, "value")
            await self.app.push_screen_wait(Reader(visible_line(document.shown_path(row)), text))

    @work(group="clipboard", exit_on_error=False)
    async def _copy(self, document: Document, row: int, what: What) -> None:
        text = await asyncio.to_thread(copied, document, row, what)
        opener = document.rows.opener(row)
        by_name = self._is_masked(document, row) or document.opens(opener)
        called = (document.rows.row(opener, 0).key or "the JSON") if by_name else text[:_LONGEST_NAME]
        copy_out(self, text, shortened(visible_line(called), _LONGEST_NAME))

    @staticmethod
    def _is_masked(document: Document, number: int) -> bool:
        row = document.rows.row(number, _LONGEST)
        return is_sensitive(row.key, row.value)

    @property
    def leads(self) -> bool:
        document, number = self.document, self.row
        return (
            document is not None
            and number is not None
            and not self._is_masked(document, number)
            and self._leads(document, number)
        )

    def _leads(self, document: Document, number: int) -> bool:
        return self.links is not None and bool(self.links.targets(document, number))

    def _reading(self, document: Document, number: int, row: JsonRow) -> str:
        if row.value[:1] in '{[}]tfn"' and not row.value.startswith('"2') and not row.value.startswith('"1'):
            return ""
        return reading(row.key, row.value, partial(document.beside, number), time.time())
