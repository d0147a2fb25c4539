"""The screen that compares two results or items: their headings, the number of differences, and the lines."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import ModalScreen

from registry.json_text import NotJson
from registry.results.cells import label_of
from registry.results.comparison import ChangeKind, ComparedRow, Comparison, Node, TooLarge, compare
from registry.results.spool import Cancelled, values_of
from registry.text.shown import local_moment, shortened, visible_line
from tui.compare.lines import SIGNS, CompareLines, VisibleRows, detail, path_of, whole
from tui.dialogs.choose import Choice, ChooseDialog, CopyDialog
from tui.dialogs.questions import Reader
from tui.keyboard.commands import BESIDE, bindings
from tui.keyboard.key_bar import KeyBar, WithKeyBar
from tui.keyboard.key_order import DismissedOnce
from tui.terminal.external_programs import copy_out
from tui.widgets.texts import Words

_LONGEST_ARGUMENT, _LONGEST_NAME = 24, 40


class NoSide(Exception):
    """There is nothing to compare with; the message says why, in words."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side.

    Attributes:
        tool: the tool that returned it.
        body: its JSON text.
        connection: the account of the call.
        at: when the call began, in Unix seconds.
        arguments: the arguments of the call, secrets redacted.
        part: the path of an item; empty for a whole result.
        page: the number of items on its page, in words; empty if it is not a page.
    """

    tool: str
    body: bytes = field(repr=False)
    connection: str
    at: float
    arguments: Mapping[str, str] = field(default_factory=dict)
    part: str = ""
    page: str = ""


class Candidate(Struct, frozen=True):
    """Something to compare a result with.

    Attributes:
        title: what it is, in a few words.
        subtitle: what distinguishes it from others.
        side: returns it; raises `NoSide` if that fails.
    """

    title: str
    subtitle: str
    side: Callable[[], Awaitable[Side]]


class CompareWith(ChooseDialog[Candidate]):
    """The dialog for choosing what to compare a result with; returns the candidate.

    Args:
        what: what will be compared, in a few words.
        candidates: at least one.
    """

    def __init__(self, what: str, candidates: Sequence[Candidate]) -> None:
        choices = [Choice(one.title, one.subtitle) for one in candidates]
        super().__init__(f"Compare {what} with", choices, candidates, "Compare")


def differing(side: Side, other: Side) -> str:
    """The arguments of one side that differ from the other's, in words; empty if there are none."""
    differences = []
    for name in sorted({*side.arguments, *other.arguments}):
        value, beside = side.arguments.get(name), other.arguments.get(name)
        if value != beside:
            differences.append(
                f"{name} {shortened(visible_line(value), _LONGEST_ARGUMENT) if value is not None else 'not set'}"
            )
    return ", ".join(differences)


def _name_in(body: bytes) -> str:
    """A name for an object: its name, number or email, or else its id; empty if it has none of these."""
    return shortened(visible_line(label_of(values_of(body))), _LONGEST_NAME)


def heading(side: Side, other: Side) -> tuple[str, str]:
    """The heading of a side: how it differs from the other, or its name; and its account and time."""
    account, part = visible_line(side.connection), visible_line(side.part)
    name = _name_in(side.body)
    called = name if name and (part or name != _name_in(other.body)) else part
    apart = [account] if side.connection != other.connection else []
    apart += [one for one in (called, differing(side, other)) if one]
    ours = account if account not in apart else ""
    facts = ["" if part == called else part, side.tool if apart else "", ours, local_moment(side.at), side.page]
    return " · ".join(apart) or side.tool, " · ".join(one for one in facts if one)


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
        left, right = sorted((self._here, other), key=lambda side: side.at)
        self._tell("Comparing…", "$text-accent")
        try:
            made = await asyncio.to_thread(compare, left.body, right.body, self._left_alone.is_set)
        except (NotJson, TooLarge) as reason:
            word = "is not JSON" if isinstance(reason, NotJson) else "is too large"
            self._tell_headings(left, right)
            self._tell(f"✗ Cannot compare. One side {word}: {visible_line(str(reason))}", "bold $text-error")
            return
        except Cancelled:
            return
        self.comparison = made
        # Different ids of different objects are left out.
        self._changes = [
            row
            for row in made.changes
            if row.kind != ChangeKind.CHANGED or row.depth != 1 or row.left is None or row.left.name != "id"
        ]
        self._tell_headings(left, right)
        self.query_one(CompareLines).show(made, VisibleRows(made), next(iter(self._changes), None))
        self._tell_counts()

    def _tell_headings(self, left: Side, right: Side) -> None:
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


def _node(row: ComparedRow, which: str) -> Node | None:
    return {"left": row.left, "right": row.right}.get(which)


def _both_whole(row: ComparedRow) -> str:
    """Both values as text that is safe to show; only one if they are equal or one is missing."""
    left, right = (whole(node, masked=True) if node is not None else "" for node in (row.left, row.right))
    return f"- left\n{left}\n\n+ right\n{right}" if left and right and row.differs else left or right
