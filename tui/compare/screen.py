"""The screen that compares two results: their headings, the number of differences, and the lines."""

import asyncio
import threading
from collections.abc import Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import ModalScreen

from registry.json_text.reading import NotJson
from registry.results.comparison import ChangeKind, ComparedRow, Comparison, Node, TooLarge, compare
from registry.results.picking import Cancelled
from registry.text.safe_text import shortened, visible_line
from tui.compare.cells import detail, path_of, whole
from tui.compare.lines import SIGNS, CompareLines
from tui.compare.sides import Candidate, NoSide, Side, heading
from tui.compare.visible_rows import VisibleRows
from tui.dialogs.choose import CopyDialog
from tui.dialogs.reader import Reader
from tui.keyboard.commands import BESIDE, bindings
from tui.keyboard.dismissed_once import DismissedOnce
from tui.keyboard.key_bar import KeyBar, WithKeyBar
from tui.terminal.clipboard import copy_out
from tui.widgets.words import Words

_COLOURS = {
    ChangeKind.CHANGED: "$text-warning",
    ChangeKind.ADDED: "$text-success",
    ChangeKind.REMOVED: "$text-error",
    ChangeKind.MOVED: "$text-secondary",
}
_SIDES = (("left", "-", "$text-error"), ("right", "+", "$text-success"))


class CompareScreen(WithKeyBar, DismissedOnce[None], ModalScreen[None]):
    """Compares a result with another one, the older one on the left. The other may have to be fetched first."""

    BINDINGS = bindings(also=BESIDE["compare"])
    help_scope = "compare"

    DEFAULT_CSS = """
    CompareScreen {
        layout: vertical;
        background: $background;
        #heads { height: 2; background: $surface; }
        .head { width: 1fr; height: 2; padding: 0 1 0 2; text-wrap: nowrap; text-overflow: ellipsis; }
        #counts { height: 1; padding: 0 0; text-wrap: nowrap; text-overflow: ellipsis; }
        .detail { height: 1; text-wrap: nowrap; text-overflow: ellipsis; background: $surface; }
        #path { height: 1; padding: 0 2; color: $foreground-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    def __init__(self, here: Side, other: Candidate) -> None:
        super().__init__()
        self._here = here
        self._other = other
        self._sides: tuple[Side, Side] | None = None
        self.comparison: Comparison | None = None  # once it is made
        self._changes: Sequence[ComparedRow] = ()
        self._left_alone = threading.Event()

    def compose(self) -> ComposeResult:
        with Horizontal(id="heads"):
            yield Words(id="head-left", classes="head")
            yield Words(id="head-right", classes="head")
        yield Words(id="counts")
        yield CompareLines(id="lines")
        yield Words(id="detail-left", classes="detail")
        yield Words(id="detail-right", classes="detail")
        yield Words(id="path")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(CompareLines).focus()
        self._prepare()

    def on_unmount(self) -> None:
        self._left_alone.set()

    @work(group="compare", exclusive=True, exit_on_error=False)
    async def _prepare(self) -> None:
        self._tell(f"Fetching the other side: {visible_line(self._other.title)}…", "$text-accent")
        try:
            other = await self._other.side()
        except NoSide as reason:
            self._tell(f"✗ {visible_line(str(reason))}", "bold $text-error")
            return
        here = self._here
        await self._compare((here, other) if here.at <= other.at else (other, here))

    async def _compare(self, sides: tuple[Side, Side]) -> None:
        self._sides = sides
        self._tell("Comparing…", "$text-accent")
        try:
            made = await asyncio.to_thread(compare, sides[0].body, sides[1].body, self._left_alone.is_set)
        except (NotJson, TooLarge) as reason:
            word = "is not JSON" if isinstance(reason, NotJson) else "is too large"
            self._tell_headings()
            self._tell(f"✗ Cannot compare. One side {word}: {visible_line(str(reason))}", "bold $text-error")
            return
        except Cancelled:
            return
        self.comparison, self._changes = made, _relevant_changes(made)
        self._tell_headings()
        self.query_one(CompareLines).show(made, VisibleRows(made), next(iter(self._changes), None))
        self._tell_counts()

    def _tell_headings(self) -> None:
        assert self._sides is not None
        left, right = self._sides
        for which, (title, facts) in (("left", heading(left, right)), ("right", heading(right, left))):
            words = Content.assemble(Content.styled(title, "bold"), "\n", Content.styled(facts, "$foreground-muted"))
            self.query_one(f"#head-{which}", Words).update(words)

    @on(CompareLines.Moved)
    def _tell_more(self, event: CompareLines.Moved | None = None) -> None:
        lines = self.query_one(CompareLines)
        row = lines.row
        if row is None:
            return
        self.query_one("#path", Words).update(Content("" if lines.equal else path_of(row)))
        self._tell_counts()
        same = row.kind == ChangeKind.SAME
        for which, sign, colour in _SIDES:
            text = "" if lines.equal or (same and which == "right") else shortened(detail(_node(row, which)), 1_000)
            words = Content.assemble(
                Content.styled(" " if same else sign if text else " ", f"bold {colour}"), " ", Content(text)
            )
            self.query_one(f"#detail-{which}", Words).update(words)

    def _tell(self, words: str, colour: str) -> None:
        self.query_one("#counts", Words).update(Content.styled(f"  {words}", colour))

    def _tell_counts(self) -> None:
        """Show how many differences there are of each kind, and which one is at the cursor."""
        made, lines = self.comparison, self.query_one(CompareLines)
        if made is None:
            return
        other_id = len(made.changes) - len(self._changes)
        counts = made.counts.copy()
        counts[ChangeKind.CHANGED] -= other_id
        texts = [(f"{SIGNS[kind]} {counts[kind]:,} {kind.name.lower()}", _COLOURS[kind]) for kind in _COLOURS if counts[kind]]
        if not texts:
            texts.append((f"✓ No differences{' but the id' if other_id else ''}", "bold $text-success"))
        elif (row := lines.row) is not None and not lines.equal and row in self._changes:
            place = self._changes.index(row) + 1
            texts.insert(0, (f"{place:,}/{len(self._changes):,}", "bold $text-accent"))
        texts.append((f"{counts[ChangeKind.SAME]:,} equal", "$foreground-muted"))
        parts = [Content.styled(words, colour) for words, colour in texts]
        self.query_one("#counts", Words).update(Content.assemble("  ", Content("  ").join(parts)))

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_change(self, step: int) -> None:
        lines, changes = self.query_one(CompareLines), self._changes
        if lines.row is None or not changes:
            return
        if lines.row in changes:
            place = changes.index(lines.row) + step
        else:
            before = sum(lines.place_of(row) < lines.cursor for row in changes)
            place = before if step > 0 else before - 1
        lines.go_to(changes[place % len(changes)])

    @work(group="read", exclusive=True, exit_on_error=False)
    async def action_read(self) -> None:
        row = self.query_one(CompareLines).row
        if row is not None:
            texts = await asyncio.to_thread(_both_whole, row)
            await self.app.push_screen_wait(Reader(path_of(row), texts))

    @work(group="copy", exclusive=True, exit_on_error=False)
    async def action_copy(self) -> None:
        """Copy the value on the right, or the one on the left where there is no other."""
        if (row := self.query_one(CompareLines).row) is not None:
            await self._copy(row, "right" if row.right is not None else "left")

    @work(group="copy", exclusive=True, exit_on_error=False)
    async def action_copy_as(self) -> None:
        if (row := self.query_one(CompareLines).row) is None:
            return
        sides = [(which, node) for which, _, _ in _SIDES if (node := _node(row, which)) is not None]
        shown = {which: (f"the value on the {which}", detail(node)) for which, node in sides}
        chosen = await self.app.push_screen_wait(CopyDialog({"path": ("the path", path_of(row)), **shown}))
        if chosen is not None:
            await self._copy(row, chosen)

    async def _copy(self, row: ComparedRow, what: str) -> None:
        node, title = _node(row, what), "the path" if what == "path" else f"the value on the {what}"
        copy_out(self, await asyncio.to_thread(whole, node, masked=False) if node is not None else path_of(row), title)


def _relevant_changes(made: Comparison) -> list[ComparedRow]:
    """The rows of the relevant differences: different ids of different objects are left out."""
    return [
        row
        for row in made.changes
        if row.kind != ChangeKind.CHANGED or row.depth != 1 or row.left is None or row.left.name != "id"
    ]


def _node(row: ComparedRow, which: str) -> Node | None:
    return {"left": row.left, "right": row.right}.get(which)


def _both_whole(row: ComparedRow) -> str:
    """Both values as text that is safe to show; only one if they are equal or one is missing."""
    left, right = (whole(node, masked=True) if node is not None else "" for node in (row.left, row.right))
    return f"- left\n{left}\n\n+ right\n{right}" if left and right and row.differs else left or right
