"""The start page: what the program is, five questions that work, what can be pasted, and how to use one's own account.

At every start it stands in place of form and result until something is opened. The ask line keeps the focus: its arrows choose
a question, its Enter runs it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message

from registry.catalog.listing import ToolkitTitle
from registry.finding.first_questions import Asked, FirstQuestion, also_pasted, first_pastes, first_questions, learnt
from registry.text.safe_text import shortened, visible_line
from tui.explorer.found import HUES, call_in_words
from tui.keyboard.commands import bindings
from tui.session import Session
from tui.state.settings import key_of
from tui.widgets.line_list import LineList
from tui.widgets.words import Words

_WHAT = "Find, read and change your services' data."
_PASTED = ("a link", "a curl command")
_LEARNT = "look before deleting"
_LOW, _LABEL = 13, 18


class Questions(LineList, can_focus=False):
    """The questions, each with its call at the right. A click runs one."""

    BINDINGS = bindings()
    COMPONENT_CLASSES = {"start--text", "start--faint", *(f"start--{hue}" for hue in HUES)}

    DEFAULT_CSS = """
    Questions {
        background: $background;
        &> .lines--cursor { background: $block-cursor-background; }
        &> .start--text { color: $text; }
        &> .start--faint { color: $foreground-muted; }
        &> .start--violet { color: $violet; }
        &> .start--orange { color: $orange; }
        &> .start--teal { color: $teal; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The user runs a question."""

        question: FirstQuestion

    def __init__(self, toolkits: Sequence[ToolkitTitle]) -> None:
        super().__init__()
        self._toolkits = {one.name: one for one in toolkits}
        self.questions: Sequence[Asked] = ()

    @property
    def line_count(self) -> int:
        return len(self.questions)

    def show(self, questions: Sequence[Asked]) -> None:
        self.questions = questions
        self.styles.height = len(questions)
        self.lines_changed()

    def draw(self, line: int, width: int) -> list[Segment]:
        """A question, with its call if there is room for the calls of all questions."""
        (toolkit, one), text = self.questions[line], self.style("start--text")
        first = max(len(each.question.text) for each in self.questions) + 3
        calls = [what(each.question) for each in self.questions]
        room = width - first - 4
        parts = [Segment("› " if line == self.cursor else "  ", text), Segment(shortened(one.text, width - 2), text)]
        if room < max(len(name) for name, _ in calls):
            return parts
        kit, (name, values) = self._toolkits[toolkit], calls[line]
        whole = room >= max(len(name) + len(values) + 2 for name, values in calls)
        return [
            *parts,
            Segment(" " * (first - len(one.text))),
            Segment(f"{kit.sign} ", self.style(f"start--{kit.hue}" if kit.hue else "start--text")),
            Segment(f"{name}  {values}".rstrip() if whole else name, self.style("start--faint")),
        ]

    def action_choose(self) -> None:
        if self.questions:
            self.post_message(self.Chosen(self.questions[self.cursor].question))

    def clicked(self, line: int, times: int) -> None:
        self.action_choose()


class StartPage(VerticalScroll, can_focus=False):
    """The first page that a user sees."""

    DEFAULT_CSS = """
    StartPage { padding: 0 2; }
    StartPage Static { text-wrap: nowrap; }
    """

    def __init__(self, session: Session) -> None:
        super().__init__(classes="at-start")
        self._session = session

    def compose(self) -> ComposeResult:
        yield Words(id="start-head")
        yield Questions(self._session.toolkits)
        yield Words(id="start-rest")

    def on_mount(self) -> None:
        self.draw_again()

    def on_resize(self, event: events.Resize) -> None:
        """Leave out parts that do not fit, the least important first."""
        self.draw_again()

    @property
    def questions(self) -> Questions:
        return self.query_one(Questions)

    def draw_again(self) -> None:
        """Draw it for its size and the present accounts."""
        session = self._session
        on_sandbox = [name for name in session.catalog.toolkits if session.connection(name).endpoint(name).mode == "sandbox"]
        questions = first_questions(self._session.catalog.toolkits, on_sandbox)
        known = self._session.catalog.tools
        self.questions.show([one for one in questions if not one.question.tool or one.question.tool in known])
        size = self.size or self._size_to_be
        room, height = max(size.width, 20), size.height
        self.query_one("#start-head", Words).update(self._head(height))
        self.query_one("#start-rest", Words).update(self._rest(room, height, on_sandbox))

    @property
    def _size_to_be(self) -> Size:
        """Its size beside the tools or in their place, before it is laid out; else it would be laid out and painted twice."""
        panes = self.screen.query_one("#panes")
        beside = 0 if self.screen.has_class("-narrow") else panes.query_one("#tools").outer_size.width
        return Size(panes.size.width - beside - self.gutter.width, panes.size.height)

    def _head(self, height: int) -> Content:
        parts = [Content(f"{len(self._session.contents)} tools")]
        for kit in self._session.toolkits:
            own = sum(tool.toolkit == kit.name for tool in self._session.contents)
            sign = Content.styled(kit.sign, f"${kit.hue}" if kit.hue else "")
            parts.append(Content.assemble(sign, f" {visible_line(kit.title)} {own}"))
        return Content.assemble("\n" if height > _LOW else "", (_WHAT, "bold"), "\n", Content("  ").join(parts), "\n")

    def _rest(self, room: int, height: int, on_sandbox: Sequence[str]) -> Content:
        kits, key = self._session.catalog.toolkits, key_of(self.app, "connections")
        examples = [one.example for one in first_pastes(on_sandbox)] or ["an id", "an email"]
        also = [*_PASTED, *(visible_line(one.example) for one in also_pasted(kits))]
        mixed = len(on_sandbox) < len(kits)
        account = f"{key} shows the account of each toolkit." if mixed else f"{key}. Until then: sandbox, made-up data."
        taught = ", ".join([*map(visible_line, learnt(kits)), _LEARNT])
        blocks = [
            _block("Or paste", "   ".join(examples), room),
            _block("", ", ".join(also), room),
            _block("Your own account", account, room),
            _block("Two minutes", f"{key_of(self.app, 'show_me')} Show me: {taught}.", room),
        ]
        left = height - len(self.questions.questions) - (5 if height > _LOW else 4)
        for least in (3, 1, 0):
            blocks[least] = blocks[least] if sum(map(len, blocks)) <= left else []
        return Content("\n").join([Content(), *(line for block in blocks for line in block)])


def what(question: FirstQuestion) -> tuple[str, str]:
    """The target of a question: a tool with its arguments in words, a page, or the dashboard."""
    if not question.tool:
        return question.shows, ""
    return question.tool, call_in_words({name: value for name, value in question.arguments.items() if isinstance(value, str)})


def _block(label: str, words: str, room: int) -> list[Content]:
    """A label, and words beside it on as many lines as they need."""
    lines = textwrap.wrap(words, max(room - _LABEL, 20), break_on_hyphens=False)
    labels = [label, *[""] * (len(lines) - 1)]
    return [Content.assemble((f"{name:<{_LABEL}}", "bold"), line) for name, line in zip(labels, lines, strict=True)]
