"""The start page: what the program is, five questions that work, what can be pasted, and how to use one's own account.

It is shown in place of form and result until something is run, or until it is hidden. The ask line keeps the focus: its
arrows choose a question, its Enter runs it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message

from registry.catalog.listing import ToolkitTitle
from registry.finding.first_questions import (
    AlsoPasted,
    Asked,
    FirstQuestion,
    also_pasted,
    first_pastes,
    first_questions,
    learnt,
)
from registry.text.safe_text import shortened, visible_line
from tui.explorer.found_rows import call_in_words
from tui.keyboard.commands import bindings
from tui.session import Session
from tui.state.settings import key_of
from tui.widgets.line_list import LineList
from tui.widgets.words import Words

_WHAT = "Find, read and change your services' data."
_PASTED = ("a link", "a curl command")
_LEARNT = "look before deleting"
_HUES = ("violet", "orange", "teal")
_TALL, _LOW = 26, 13


class Questions(LineList, can_focus=False):
    """The questions, each with its call at the right. A click runs one."""

    BINDINGS = bindings()
    COMPONENT_CLASSES = {"start--text", "start--faint", *(f"start--{hue}" for hue in _HUES)}

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

    class Chosen(Message):
        """The user runs a question."""

        def __init__(self, question: FirstQuestion) -> None:
            super().__init__()
            self.question = question

    def __init__(self, toolkits: Sequence[ToolkitTitle]) -> None:
        super().__init__()
        self._toolkits = {one.name: one for one in toolkits}
        self.questions: Sequence[Asked] = ()

    @property
    def line_count(self) -> int:
        """How many questions there are."""
        return len(self.questions)

    def show(self, questions: Sequence[Asked]) -> None:
        """Show these questions."""
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
        """Run the question at the cursor."""
        if self.questions:
            self.post_message(self.Chosen(self.questions[self.cursor].question))

    def clicked(self, line: int, times: int) -> None:
        """Run the question that was clicked."""
        self.action_choose()


class StartPage(VerticalScroll, can_focus=False):
    """The first page that a new user sees."""

    DEFAULT_CSS = """
    StartPage { padding: 0 2; }
    StartPage Static { text-wrap: nowrap; }
    """

    def __init__(self, session: Session) -> None:
        super().__init__(classes="at-start")
        self._session = session

    def compose(self) -> ComposeResult:
        """Head, questions, and the parts below them."""
        yield Words(id="start-head")
        yield Questions(self._session.toolkits)
        yield Words(id="start-rest")

    def on_mount(self) -> None:
        """Fill in the parts."""
        self.draw_again()

    def on_resize(self, event: events.Resize) -> None:
        """Leave out parts that do not fit, the least important first."""
        self.draw_again()

    @property
    def questions(self) -> Questions:
        """The questions."""
        return self.query_one(Questions)

    def draw_again(self) -> None:
        """Draw it for its size and the present accounts."""
        on_sandbox = self._on_sandbox()
        questions = first_questions(self._session.catalog.toolkits, on_sandbox)
        known = self._session.catalog.tools
        self.questions.show([one for one in questions if not one.question.tool or one.question.tool in known])
        size = self.size or self._size_to_be
        room, height = max(size.width, 20), size.height
        self.query_one("#start-head", Words).update(self._head(room, height))
        rest = self._rest_tall(room, on_sandbox) if height >= _TALL else self._rest(room, height, on_sandbox)
        self.query_one("#start-rest", Words).update(rest)

    @property
    def _size_to_be(self) -> Size:
        """Its size beside the tools or in their place, before it is laid out; else it would be laid out and painted twice."""
        panes = self.screen.query_one("#panes")
        beside = 0 if self.screen.has_class("-narrow") else panes.query_one("#tools").outer_size.width
        return Size(panes.size.width - beside - self.gutter.width, panes.size.height)

    def _on_sandbox(self) -> list[str]:
        session = self._session
        return [name for name in session.catalog.toolkits if session.connection(name).endpoint(name).mode == "sandbox"]

    def _head(self, room: int, height: int) -> Content:
        kits, count = self._session.toolkits, len(self._session.contents)
        above = "\n" if height > _LOW else ""
        if height >= _TALL:
            names = [_inside(visible_line(one.title)) for one in kits]
            listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
            words = Content(_filled(f"{count} tools for {listed}. Ask above, or start here:", room))
            return Content.assemble(above * 2, Content.styled(_WHAT, "bold"), "\n", words, "\n")
        parts = [Content(f"{count} tools")]
        for kit in kits:
            own = sum(tool.toolkit == kit.name for tool in self._session.contents)
            sign = Content.styled(kit.sign, f"${kit.hue}" if kit.hue else "")
            parts.append(Content.assemble(sign, Content(f" {_inside(visible_line(kit.title))} {own}")))
        words = next((one for gap in ("   ", "  ", " ") if (one := Content(gap).join(parts)).cell_length <= room), parts[0])
        return Content.assemble(above, Content.styled(_WHAT, "bold"), "\n", words, "\n")

    def _rest_tall(self, room: int, on_sandbox: Sequence[str]) -> Content:
        faint, indent = "$foreground-muted", "  "
        lines = [Content.styled("\nOr paste", "bold")]
        also = [*_PASTED, *(visible_line(f"{one.what} ({one.example})") for one in self._also)]
        if pastes := first_pastes(on_sandbox):
            lines += [Content.assemble(f"{indent}{one.what:<12}", Content.styled(one.example, faint)) for one in pastes]
        else:
            also = ["an id", "an email", *also]
        lines += [
            Content(_filled(f"{', '.join(part)}{end}", room, indent))
            for part, end in ((also[:-3], ","), (also[-3:], ""))
            if part
        ]
        lines += [Content.styled("\nYour own account", "bold"), self._account(room, on_sandbox, indent)]
        taught = ", ".join([*map(visible_line, learnt(self._session.catalog.toolkits)), _LEARNT])
        words = _filled(self._show_me(f"{taught}."), room, indent)
        lines += [Content.styled("\nTwo minutes to learn it", "bold"), Content(words)]
        return Content("\n").join(lines)

    def _rest(self, room: int, height: int, on_sandbox: Sequence[str]) -> Content:
        lines = []
        if height >= _LOW:
            lines.append(Content())
            examples = [one.example for one in first_pastes(on_sandbox)] or ["an id", "an email"]
            first = "   ".join(examples)
            also = [*_PASTED, *(visible_line(one.example) for one in self._also)]
            pasted = [first if len(first) + 11 <= room else examples[0], ", ".join(also)]
            heads = (Content.styled("Or paste   ", "bold"), Content(" " * 11))
            lines += [
                Content.assemble(head, Content(shortened(text, room - 11))) for head, text in zip(heads, pasted, strict=True)
            ]
        lines += [Content(), self._account(room, on_sandbox, "")]
        if height >= _LOW:
            lines.append(Content(shortened(self._show_me("a walk of two minutes."), room)))
        return Content("\n").join(lines)

    @property
    def _also(self) -> list[AlsoPasted]:
        return also_pasted(self._session.catalog.toolkits)

    def _show_me(self, what: str) -> str:
        return f"{key_of(self.app, 'show_me')} Show me: {what}"

    def _account(self, room: int, on_sandbox: Sequence[str], indent: str) -> Content:
        key = key_of(self.app, "connections")
        if len(on_sandbox) < len(self._session.catalog.toolkits):
            words = f"{key} shows the account of each toolkit."
        elif indent:
            words = f"Press {key} to use it. Until then, all calls go to the sandbox: made-up data."
        else:
            words = f"Your own account: {key}. Until then: sandbox, made-up data."
        return Content(_filled(words, room, indent))


def what(question: FirstQuestion) -> tuple[str, str]:
    """The target of a question: a tool with its arguments in words, a page, or the dashboard."""
    if question.tool:
        return question.tool, _plain(
            call_in_words({name: value for name, value in question.arguments.items() if isinstance(value, str)})
        )
    return question.shows, ""


def _plain(values: str) -> str:
    """The value of a single condition; other text as it is."""
    field, colon, value = values.partition(":")
    return value.strip('"') if colon and field.isidentifier() else values


def _inside(title: str) -> str:
    """A title as written inside a sentence."""
    return title[:1].lower() + title[1:] if title[1:].islower() else title


def _filled(words: str, room: int, indent: str = "") -> str:
    return textwrap.fill(words, room, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
