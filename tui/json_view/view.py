"""The JSON view: a document's visible rows in colours, with a cursor and folds.

Only what is on screen is decoded and drawn. Whatever a terminal could obey is shown as its escape.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.message import Message

from registry.calling.sensitive import MASKED, is_sensitive
from registry.text import shortened, visible, visible_json, visible_line
from tui.commands import bindings
from tui.json_view.document import Document
from tui.lines import LineList

_PREVIEW_ROWS, _LONGEST = 12, 4_000


class JsonView(LineList):
    """Shows one document at a time."""

    BINDINGS = bindings("result")
    COMPONENT_CLASSES = {
        "json--key",
        "json--string",
        "json--number",
        "json--word",
        "json--mark",
        "json--preview",
    }

    DEFAULT_CSS = """
    JsonView {
        background: $background;
        &> .json--key { color: $text-primary; }
        &> .json--string { color: $text-success; }
        &> .json--number { color: $text-warning; }
        &> .json--word { color: $text-accent; }
        &> .json--mark { color: $foreground-muted; }
        &> .json--preview { color: $foreground-muted; text-style: italic; }
    }
    """

    class Moved(Message):
        """The cursor stands on another row. `cut` is the row's whole value where the screen shows only its beginning."""

        def __init__(self, cut: str) -> None:
            super().__init__()
            self.cut = cut

    class Copied(Message):
        """A value was copied. `shown` says which, in a few harmless words."""

        def __init__(self, shown: str) -> None:
            super().__init__()
            self.shown = shown

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._document = Document()

    @property
    def document(self) -> Document:
        """What is shown."""
        return self._document

    @property
    def line_count(self) -> int:
        """How many rows are visible."""
        return len(self._document.visible)

    def show(self, document: Document) -> None:
        """Show another document, from its first row."""
        self._document = document
        self.lines_changed(cursor=0)
        self.scroll_home(animate=False)
        self.cursor_moved()

    def draw(self, line: int, width: int) -> list[Segment]:
        """A row: fold mark, key, value, and of a folded branch a preview."""
        document = self._document
        row = document.visible[line]
        folded = row in document.folded
        mark = "▸ " if folded else "▾ " if document.is_branch(row) else "  "
        parts = [Segment("  " * document.depths[row] + mark, self.style("json--mark"))]
        if (key := document.keys[row]) is not None:
            parts += [Segment(_shown(key), self.style("json--key")), Segment(": ", self.style("json--mark"))]
        value = document.values[row]
        if folded:
            closing = "}" if value == "{" else "]"
            parts.append(Segment(f"{value}…{closing} ", self.style("json--mark")))
            noun = ("member" if value == "{" else "item") + ("" if document.sizes[row] == 1 else "s")
            parts.append(Segment(f"{document.sizes[row]} {noun} {self._preview(row)}", self.style("json--preview")))
            return _fitted(parts, width)
        if is_sensitive(key, value):
            parts.append(Segment(MASKED, self.style("json--mark")))
        else:
            parts.append(Segment(_shown(value), self.style(_component(value))))
        if document.commas[row]:
            parts.append(Segment(",", self.style("json--mark")))
        return _fitted(parts, width)

    def cursor_moved(self) -> None:
        """Tell what of the row is not in sight."""
        document, cut = self._document, ""
        if document.visible:
            row = document.visible[self.cursor]
            key, value = document.keys[row], document.values[row]
            room = self.scrollable_content_region.width - 2 * document.depths[row] - 2 - (len(key) + 2 if key else 0)
            if len(value) + 1 > room // 2 and cell_len(_shown(value)) + 1 > room and not is_sensitive(key, value):
                cut = _shown(value)
        self.post_message(self.Moved(cut))

    def action_toggle_fold(self) -> None:
        """Fold or unfold the branch at the cursor."""
        if self._document.visible and self._document.is_branch(self._document.visible[self.cursor]):
            self._document.toggle(self.cursor)
            self.lines_changed()

    def action_fold(self) -> None:
        """Fold the branch at the cursor, or go to the one that holds it."""
        document = self._document
        if not document.visible:
            return
        row = document.visible[self.cursor]
        if document.is_branch(row) and row not in document.folded:
            self.action_toggle_fold()
        elif (place := document.parent(self.cursor)) is not None:
            self.cursor = place

    def action_unfold(self) -> None:
        """Unfold the branch at the cursor, or go inside."""
        if self._document.visible and self._document.visible[self.cursor] in self._document.folded:
            self.action_toggle_fold()
        else:
            self.cursor += 1

    def action_fold_all(self) -> None:
        """Fold everything but the outermost level; of a page, its items stay in sight."""
        self._refold(Document.fold_all)

    def action_unfold_all(self) -> None:
        """Unfold everything."""
        self._refold(Document.unfold_all)

    def action_copy(self) -> None:
        """Copy the value at the cursor; a string without its quotes, and with its control characters spelled out."""
        document = self._document
        if not document.visible:
            return
        row = document.opening(document.visible[self.cursor])
        text = document.text(row)
        # Whoever pastes this into a terminal must not run what someone wrote into a field.
        plain = visible(json.loads(text)) if text.startswith('"') else visible_json(text)
        self.app.copy_to_clipboard(plain)
        masked = is_sensitive(document.keys[row], document.values[row]) or document.is_branch(row)
        name = visible_line(document.keys[row] or "the JSON")
        self.post_message(self.Copied(name if masked else shortened(visible_line(plain), 60)))

    def clicked(self, line: int, times: int) -> None:
        """A second click folds or unfolds."""
        if times > 1:
            self.action_toggle_fold()

    def _refold(self, change: Callable[[Document], None]) -> None:
        document = self._document
        if not document.visible:
            return
        row = document.visible[self.cursor]
        change(document)
        places = [place for place, shown in enumerate(document.visible) if shown <= row]
        self.lines_changed(cursor=places[-1] if places else 0)

    def _preview(self, row: int) -> str:
        """The first scalars inside a folded branch."""
        document, parts = self._document, []
        for one in range(row + 1, min(document.ends[row], row + _PREVIEW_ROWS)):
            inside = document.depths[one] == document.depths[row] + 1 and not document.is_branch(one)
            if inside and not is_sensitive(document.keys[one], document.values[one]):
                parts.append(_shown(document.values[one]))
        return "· " + ", ".join(parts) if parts else ""


def _component(value: str) -> str:
    match value[:1]:
        case '"':
            return "json--string"
        case "t" | "f" | "n":
            return "json--word"
        case "{" | "[" | "}" | "]":
            return "json--mark"
    return "json--number"


def _shown(token: str) -> str:
    """A token fit for the screen: letters that the service escaped are spelled out, everything unsafe is escaped."""
    text = token[:_LONGEST]
    if text.startswith('"') and "\\u" in text and len(token) <= _LONGEST:
        text = json.dumps(json.loads(text), ensure_ascii=False)
    return visible_json(text)


def _fitted(parts: list[Segment], width: int) -> list[Segment]:
    """The parts of a line, cut with an ellipsis where they are too long."""
    room = width
    fitted: list[Segment] = []
    for part in parts:
        length = cell_len(part.text)
        if length > room:
            fitted.append(Segment(set_cell_size(part.text, max(room - 1, 0)) + "…", part.style))
            return fitted
        fitted.append(part)
        room -= length
    return fitted
