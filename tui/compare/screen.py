"""The screen that compares two results: their headings, the number of differences, and the lines."""

from __future__ import annotations

import asyncio
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import ModalScreen

from registry.json_text.reading import NotJson
from registry.results.comparison import ChangeKind, Comparison, compare
from registry.results.nodes import NOWHERE, ComparisonCancelled, TooLarge
from registry.text.safe_text import shortened, visible_line
from tui.compare.cells import Cells, Which
from tui.compare.lines import SIGNS, WORDS, CompareLines
from tui.compare.sides import Candidate, NoSide, Side, headings
from tui.compare.visible_rows import VisibleRows
from tui.dialogs.choose import CopyDialog
from tui.dialogs.help import HelpScreen
from tui.dialogs.reader import Reader
from tui.keyboard.commands import BESIDE, bindings
from tui.keyboard.dismissed_once import DismissedOnce
from tui.keyboard.key_bar import KeyBar
from tui.terminal.clipboard import copy
from tui.widgets.words import Words

_COLOURS = {
    ChangeKind.CHANGED: "$text-warning",
    ChangeKind.ADDED: "$text-success",
    ChangeKind.REMOVED: "$text-error",
    ChangeKind.MOVED: "$text-secondary",
    ChangeKind.REWRITTEN: "$foreground",
}
_SIDES: tuple[tuple[Which, str, str], ...] = (("left", "-", "$text-error"), ("right", "+", "$text-success"))


class CompareScreen(DismissedOnce[None], ModalScreen[None]):
    """Compares a result with another one, the older one on the left. The other may have to be fetched first."""

    BINDINGS = bindings(also=BESIDE["compare"])

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
        self._made: Comparison | None = None
        self._changes: Sequence[int] = ()
        self._left_alone = threading.Event()

    def compose(self) -> ComposeResult:
        """Two headings, the counts, the lines, and details of the line at the cursor."""
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
        """Fetch the other side and compare."""
        self.query_one(CompareLines).focus()
        self._prepare()

    def on_unmount(self) -> None:
        """Cancel the comparison."""
        self._left_alone.set()

    def on_screen_suspend(self) -> None:
        """A dialog opened."""
        self.query_one(KeyBar).refresh()

    def on_screen_resume(self) -> None:
        """The dialog closed."""
        self.query_one(KeyBar).refresh()

    @property
    def comparison(self) -> Comparison | None:
        """The comparison, once it is made."""
        return self._made

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

    @work(group="compare", exclusive=True, exit_on_error=False)
    async def _swap(self, sides: tuple[Side, Side], pair: tuple[int, int]) -> None:
        await self._compare(sides, pair)

    async def _compare(self, sides: tuple[Side, Side], pair: tuple[int, int] | None = None) -> None:
        self._sides = sides
        for which, heading in zip(("left", "right"), headings(*sides), strict=True):
            words = Content.assemble(
                Content.styled(heading.title, "bold"), "\n", Content.styled(heading.facts, "$foreground-muted")
            )
            self.query_one(f"#head-{which}", Words).update(words)
        self._tell("Comparing…", "$text-accent")
        try:
            made, shown, row = await asyncio.to_thread(_compared, sides, pair, self._left_alone)
        except (NotJson, TooLarge) as reason:
            word = "is not JSON" if isinstance(reason, NotJson) else "is too large"
            self._tell(f"✗ Cannot compare. One side {word}: {visible_line(str(reason))}", "bold $text-error")
            return
        except ComparisonCancelled:
            return
        self._made, self._changes = made, _relevant_changes(made)
        self.query_one(CompareLines).show(made, shown, row if row is not None else next(iter(self._changes), None))
        self._tell_counts()

    @on(CompareLines.Moved)
    def _tell_more(self, event: CompareLines.Moved | None = None) -> None:
        lines, made = self.query_one(CompareLines), self._made
        row = lines.row
        if made is None or row is None:
            return
        cells, kind = Cells(made), made[row].kind
        self.query_one("#path", Words).update(Content("" if lines.equal else cells.path(row)))
        self._tell_counts()
        same = kind == ChangeKind.SAME
        for which, sign, colour in _SIDES:
            text = "" if lines.equal or (same and which == "right") else shortened(cells.detail(row, which), 1_000)
            words = Content.assemble(
                Content.styled(" " if same else sign if text else " ", f"bold {colour}"), " ", Content(text)
            )
            self.query_one(f"#detail-{which}", Words).update(words)

    def _tell(self, words: str, colour: str) -> None:
        self.query_one("#counts", Words).update(Content.styled(f"  {words}", colour))

    def _tell_counts(self) -> None:
        """Show how many differences there are of each kind, and which one is at the cursor."""
        made, lines = self._made, self.query_one(CompareLines)
        if made is None:
            return
        other_id = made.differences - len(self._changes)
        counts = {**made.counts, ChangeKind.CHANGED: made.counts[ChangeKind.CHANGED] - other_id}
        texts = [(f"{SIGNS[kind]} {counts[kind]:,} {WORDS[kind]}", _COLOURS[kind]) for kind in _COLOURS if counts[kind]]
        if not texts:
            texts.append((f"✓ No differences{' but the id' if other_id else ''}", "bold $text-success"))
        elif (row := lines.row) is not None and not lines.equal:
            place = bisect_left(self._changes, row)
            if place < len(self._changes) and self._changes[place] == row:
                texts.insert(0, (f"{place + 1:,}/{len(self._changes):,}", "bold $text-accent"))
        texts.append((f"{made.counts[ChangeKind.SAME]:,} equal", "$foreground-muted"))
        if not lines.only_changes:
            texts.append(("equal lines shown", "$text-accent"))
        parts = [Content.styled(words, colour) for words, colour in texts]
        self.query_one("#counts", Words).update(Content.assemble("  ", Content("  ").join(parts)))

    def action_leave(self) -> None:
        """Close the comparison."""
        self.dismiss(None)

    def action_help(self) -> None:
        """Show the help for comparisons."""
        self.app.push_screen(HelpScreen("compare"))

    def action_change(self, step: int) -> None:
        """Go to the next or the previous difference, around the end."""
        made, lines = self._made, self.query_one(CompareLines)
        row = lines.row
        changes = self._changes
        if made is None or row is None or not changes:
            return
        place = bisect_right(changes, row) if step > 0 else bisect_left(changes, row) - 1
        lines.go_to(changes[place % len(changes)])

    def action_only_changes(self) -> None:
        """Hide equal rows, or show everything."""
        lines = self.query_one(CompareLines)
        lines.show_only_changes(not lines.only_changes)
        self._tell_counts()

    def action_swap(self) -> None:
        """Swap left and right; the cursor stays on its row."""
        made, row = self._made, self.query_one(CompareLines).row
        if made is not None and row is not None and self._sides is not None:
            self._swap(self._sides[::-1], (made[row].right, made[row].left))

    @work(group="read", exclusive=True, exit_on_error=False)
    async def action_read(self) -> None:
        """Show both values whole."""
        made, row = self._made, self.query_one(CompareLines).row
        if made is None or row is None:
            return
        cells = Cells(made)
        texts = await asyncio.to_thread(_both_whole, cells, row, made[row].kind == ChangeKind.SAME and not made[row].holds)
        await self.app.push_screen_wait(Reader(cells.path(row), texts))

    @work(group="copy", exclusive=True, exit_on_error=False)
    async def action_copy(self) -> None:
        """Choose what to copy of the row at the cursor."""
        made, row = self._made, self.query_one(CompareLines).row
        if made is None or row is None:
            return
        cells = Cells(made)
        shown = {"path": ("the path", cells.path(row))}
        for which, _, _ in _SIDES:
            if cells.node(row, which) != NOWHERE:
                shown[which] = (f"the value on the {which}", cells.detail(row, which))
        chosen = await self.app.push_screen_wait(CopyDialog(shown))
        if chosen is not None:
            outcome = await copy(self.app, await asyncio.to_thread(_copied, cells, row, chosen))
            colour = "$text-success" if outcome.done else "$text-error"
            self.query_one(KeyBar).say(Content.styled(f" {outcome.about(shown[chosen][0])}", f"bold {colour}"))


def _relevant_changes(made: Comparison) -> list[int]:
    """The rows of the relevant differences: different ids of different objects are left out."""
    return [
        row
        for row in made.changes
        if not ((one := made[row]).kind == ChangeKind.CHANGED and made.depth(row) == 1 and made.left.name(one.left) == '"id"')
    ]


def _compared(
    sides: tuple[Side, Side], pair: tuple[int, int] | None, left_alone: threading.Event
) -> tuple[Comparison, VisibleRows, int | None]:
    made = compare(sides[0].body, sides[1].body, left_alone.is_set)
    return made, VisibleRows(made), made.find(*pair) if pair is not None else None


def _both_whole(cells: Cells, row: int, equal: bool) -> str:
    """Both values as text that is safe to show; only one if they are equal or one is missing."""
    left, right = (cells.whole(row, which, masked=True) for which in ("left", "right"))
    if equal or left is None or right is None:
        return left if left is not None else right or ""
    return f"- left\n{left}\n\n+ right\n{right}"


def _copied(cells: Cells, row: int, what: str) -> str:
    """The path, or the value of the named side."""
    which = next((which for which, _, _ in _SIDES if which == what), None)
    return cells.path(row) if which is None else cells.whole(row, which, masked=False) or ""
