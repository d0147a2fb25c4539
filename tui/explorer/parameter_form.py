"""The middle pane: a tool's facts, a form made from its parameters, the request that it stands for, and the run button."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from functools import partial

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, Collapsible, Input, OptionList, Static

from registry.calling.arguments import Arguments
from registry.catalog.model import Parameter, Role, Tool
from tui.commands import bindings
from tui.explorer.fields.field import Field
from tui.explorer.fields.make import field_for
from tui.explorer.first_minute import FirstMinute
from tui.explorer.toolkit_tree import SIGNS, WORDS
from tui.request_line import RequestLine
from tui.session import Session
from tui.settings import key_of

_PAGING: tuple[Role, ...] = ("limit", "offset", "page", "cursor_before", "cursor_after", "expand")


class ParameterForm(Vertical):
    """The form of one tool at a time. Drafts live in the session, so that they outlast the form."""

    BINDINGS = bindings("form")

    DEFAULT_CSS = """
    ParameterForm {
        #fields { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
        .invitation { padding: 1 1; }
        .facts { padding: 0 0 1 0; }
        .section { color: $foreground-muted; text-style: bold; margin: 0 0 1 0; }
        Collapsible { background: $background; border: none; padding: 0; margin: 0 0 1 0; }
        Collapsible > Contents { padding: 1 0 0 0; }
        CollapsibleTitle { padding: 0; color: $foreground-muted; }
        #send { height: auto; max-height: 12; padding: 0 1; border-top: solid $border-blurred; }
        #request { height: auto; max-height: 9; &.-wrong { text-opacity: 50%; } }
        #sendbar { height: 1; margin: 1 0 0 0; }
        #run { min-width: 9; background: $primary 35%; color: $text; text-style: bold; }
        #run:focus { background: $primary; color: $background; }
        #run.-danger { background: $error 35%; }
        #run.-danger:focus { background: $error; color: $background; }
        #state { width: 1fr; padding: 0 1; height: 1; text-overflow: ellipsis; text-wrap: nowrap; }
    }
    """

    class Run(Message):
        """The tool is to be run with these values."""

        def __init__(self, tool: Tool, raw: dict[str, object]) -> None:
            super().__init__()
            self.tool = tool
            self.raw = raw

    def __init__(self, session: Session, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._session = session
        self._tool: Tool | None = None
        self._arguments = Arguments()
        self._tried = False
        self._last: Widget | None = None
        self._turned: dict[str, object] = {}

    @property
    def tool(self) -> Tool | None:
        """The tool whose form this is now."""
        return self._tool

    @property
    def raw(self) -> dict[str, object]:
        """The values that are set, by parameter."""
        return {field.parameter.name: field.raw for field in self.query(Field) if field.raw is not None}

    def compose(self) -> ComposeResult:
        """An invitation; the form takes its place when a tool is opened."""
        with VerticalScroll(id="fields", can_focus=False):
            yield FirstMinute() if not self._session.shortcuts.started else self._invitation()
        with Vertical(id="send"):
            yield RequestLine(id="request")
            with Horizontal(id="sendbar"):
                yield Button("Run", id="run", compact=True, disabled=True)
                yield Static(id="state")

    @on(FirstMinute.PutAway)
    async def _put_away(self, event: FirstMinute.PutAway) -> None:
        event.stop()
        self._session.shortcuts.start()
        fields = self.query_one("#fields", VerticalScroll)
        async with fields.batch():
            await fields.remove_children()
            await fields.mount(self._invitation())
        await asyncio.to_thread(self._session.shortcuts.save)

    def _invitation(self) -> Static:
        where = f"Every call goes to the sandbox until you choose another connection ({key_of(self.app, 'connections')})."
        words = Content.assemble(_INVITATION, Content.styled(where, "$foreground-muted"))
        return Static(words, classes="invitation")

    def on_mount(self) -> None:
        """Nothing is open yet."""
        self.border_title = Content("Form")

    async def open(self, tool: Tool) -> None:
        """Show a tool's form, filled with its draft."""
        self._tool = tool
        self._tried = False
        self._last = None
        self._turned = {}
        self.border_title = Content(tool.name)
        fields = self.query_one("#fields", VerticalScroll)
        async with fields.batch():
            await fields.remove_children()
            await fields.mount(Static(_facts(tool), classes="facts"), *self._sections(tool))
        self.fill(self._session.drafts.get(tool.name, {}))
        fields.scroll_home(animate=False)
        run = self.query_one("#run", Button)
        run.disabled = False
        run.set_class(tool.effect == "delete", "-danger")

    def fill(self, raw: Mapping[str, object]) -> None:
        """Put values into the fields; fields that are not named become not set."""
        for field in self.query(Field):
            value = raw.get(field.parameter.name)
            field.raw = value if value is None or isinstance(value, list) else str(value)
            if value is not None:
                self._unfold(field)
        self.check()

    def turn(self, change: Mapping[str, object]) -> None:
        """Put in the arguments that lead to another page, for as long as nothing else is asked for."""
        self.fill({name: value for name, value in (self.raw | dict(change)).items() if value is not None})
        self._turned = {name: value for name, value in change.items() if value is not None}

    def show(self, raw: Mapping[str, object], place: Mapping[str, object]) -> None:
        """Fill the form as it was left; `place` is what `turn` had put in."""
        self._tried = False
        self.fill(raw)
        self._turned = {name: value for name, value in place.items() if value is not None and raw.get(name) == value}

    def focus_first(self) -> None:
        """Put the keyboard where work starts: the first required field without a value, the first required one, or Run."""
        required = [field for field in self.query(Field) if field.parameter.required]
        for field in (*(field for field in required if field.raw is None), *required):
            field.focus_editor()
            field.select_all()
            return
        for start in self.query(FirstMinute):
            start.query_one(OptionList).focus()
            return
        self.query_one("#run", Button).focus()

    def focus_again(self) -> None:
        """Put the keyboard where it last was in this form."""
        if self._last is not None and self._last.is_attached:
            self._last.focus()
        else:
            self.focus_first()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remember where the keyboard is."""
        self._last = event.widget

    def check(self) -> None:
        """Check the values, show what is wrong with them, and the request that they make."""
        tool = self._tool
        if tool is None:
            return
        raw = self.raw
        self._session.drafts[tool.name] = raw
        self._arguments = self._session.check(tool, raw)
        for field in self.query(Field):
            # What was not touched yet is not wrong yet, only missing.
            told = self._tried or field.touched or field.raw is not None
            field.show_errors(self._arguments.errors_of(field.parameter.name) if told else ())
        line = self.query_one(RequestLine)
        line.show(self._session.preview(tool, self._arguments))
        line.set_class(bool(self._arguments.errors), "-wrong")
        self._show_state()

    def run_tool(self) -> None:
        """Ask for the call, or go to the first field that is in its way."""
        tool = self._tool
        if tool is None:
            return
        self._tried = True
        self.check()
        wrong = {error.parameter for error in self._arguments.errors}
        if not wrong:
            self.post_message(self.Run(tool, self.raw))
            return
        for field in self.query(Field):
            if field.parameter.name in wrong:
                self._unfold(field)
                field.focus_editor()
                self.app.bell()
                return

    def action_give_empty(self) -> None:
        """Give an empty value in the field that has the keyboard."""
        field = self._field
        if field is not None:
            field.give_empty()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer an empty value where the parameter has one."""
        return action != "give_empty" or (self._field is not None and self._field.takes_empty)

    def action_reset(self) -> None:
        """Put every field back to not set."""
        self._tried = False
        self.fill({})
        for field in self.query(Field):
            field.touched = False
        self.check()
        self.focus_first()

    @on(Field.Changed)
    def _changed(self, event: Field.Changed) -> None:
        event.stop()
        name = event.field.parameter.name
        if name in self._turned:
            if event.field.raw != str(self._turned[name]):
                del self._turned[name]
        elif event.field.parameter.role not in _PAGING:
            self._leave_page()
        self.check()

    def _leave_page(self) -> None:
        """Another question starts at its first page: a cursor of the last one would hide what it finds."""
        for field in self.query(Field):
            if field.parameter.name in self._turned:
                field.raw = None
        self._turned = {}

    @property
    def _field(self) -> Field | None:
        """The field that has the keyboard."""
        return next((field for field in self.query(Field) if field.has_focus_within), None)

    @on(Button.Pressed, "#run")
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.run_tool()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.run_tool()

    def _sections(self, tool: Tool) -> Iterable[Field | Collapsible | Static]:
        seen = partial(self._session.seen, tool)
        zones = self._session.zones() if tool.with_role("zone") else ()
        required = [parameter for parameter in tool.parameters if parameter.required]
        paging = [parameter for parameter in tool.parameters if parameter.role in _PAGING and not parameter.required]
        others = [parameter for parameter in tool.parameters if parameter not in required and parameter not in paging]
        if not tool.parameters:
            yield Static(Content(f"This tool takes no arguments: {key_of(self.app, 'run')} runs it."), classes="help")
        yield from (field_for(parameter, tool, zones, seen) for parameter in required)
        if others:
            yield Static(Content("Filters" if tool.effect == "read" else "Optional"), classes="section")
            yield from (field_for(parameter, tool, zones, seen) for parameter in others)
        if paging:
            yield Collapsible(*(field_for(parameter, tool, zones, seen) for parameter in paging), title=_paging_title(paging))

    def _unfold(self, field: Field) -> None:
        for ancestor in field.ancestors:
            if isinstance(ancestor, Collapsible):
                ancestor.collapsed = False

    def _show_state(self) -> None:
        errors = self._arguments.errors
        missing = [error.parameter for error in errors if error.message == "is required"]
        wrong = len({error.parameter for error in errors}) - len(missing)
        parts = []
        if missing:
            parts.append(f"needs {', '.join(missing)}")
        if wrong:
            parts.append(f"{wrong} to correct")
        text = " · ".join(parts) or "ready"
        self.query_one("#state", Static).update(Content.styled(text, "$text-warning" if parts else "$text-success"))


def _paging_title(parameters: list[Parameter]) -> str:
    has_pages = any(parameter.role != "expand" for parameter in parameters)
    has_expand = any(parameter.role == "expand" for parameter in parameters)
    return "Paging and expand" if has_pages and has_expand else "Paging" if has_pages else "Expand"


def _facts(tool: Tool) -> Content:
    """What a tool does, its rule, and whether it should be used."""
    colour = {"write": "$text-warning", "delete": "$text-error"}.get(tool.effect, "$text-success")
    parts = [
        Content.styled(tool.summary, "bold"),
        Content.styled(f"\n{SIGNS[tool.effect]} {WORDS[tool.effect]}", colour),
        Content.styled(f" · {tool.group} · operation {tool.operation}", "$foreground-muted"),
    ]
    if tool.rule:
        parts.append(Content.styled(f"\n{tool.rule}", "$text-error" if tool.effect == "delete" else "$text"))
    if tool.deprecated:
        parts.append(Content.styled(f"\n† Deprecated. Use {tool.use_instead}.", "$text-warning"))
    return Content.assemble(*parts)


_INVITATION = Content.assemble(
    Content.styled("Open a tool to see its form.\n\n", "bold"),
    Content("Type a few letters of what you need: "),
    Content.styled("cust cards", "$text-accent"),
    Content(", "),
    Content.styled("delinv", "$text-accent"),
    Content(", "),
    Content.styled("who is on call", "$text-accent"),
    Content(". Then press Enter.\n\n"),
)
