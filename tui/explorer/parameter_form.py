"""The middle pane: a tool's facts, a form made from its parameters, the request it makes, and the run button."""

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
from registry.json_text.values import same
from registry.references.targets import wrong_kind
from registry.saved.form_values import raw_in
from tui.explorer.counting import query_help
from tui.explorer.draft_recovery import DraftRecovery, draft_recovery
from tui.explorer.fields.field import Field
from tui.explorer.fields.ids import IdField
from tui.explorer.fields.make import Aids, field_for, is_large
from tui.explorer.fields.set_only import show_set
from tui.explorer.fields.text import TextField
from tui.explorer.form_words import facts, invitation, paging_title
from tui.explorer.pane_head import PaneHead
from tui.explorer.raw_arguments import RawArguments
from tui.keyboard.commands import bindings
from tui.session import Session
from tui.state.settings import key_of
from tui.widgets.request_line import RequestLine
from tui.widgets.words import Words

_PAGING: tuple[Role, ...] = ("limit", "offset", "page", "cursor_before", "cursor_after", "expand")


class ParameterForm(Vertical):
    """The form of one tool at a time. Drafts are in the session, so that they outlast the form."""

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
        #left-out { height: auto; color: $foreground-muted; display: none; }
        #send { height: auto; max-height: 12; padding: 0 1; }
        #request { height: auto; max-height: 9; }
        #sendbar { height: 1; margin: 1 0 0 0; }
        #run { min-width: 9; background: $panel; color: $text-primary; text-style: bold; }
        #run:focus { background: $text-primary; background-tint: $background 0%; color: $fill-text; }
        #run.-danger { color: $text-error; }
        #run.-danger:focus { background: $text-error; color: $fill-text; }
        #state { width: 1fr; padding: 0 1; height: 1; text-overflow: ellipsis; text-wrap: nowrap; }
    }
    """

    class Run(Message):
        """The user runs the tool with these values."""

        def __init__(self, tool: Tool, raw: dict[str, object]) -> None:
            super().__init__()
            self.tool = tool
            self.raw = raw

    class Pick(Message):
        """The user wants to choose an id for a field from a list."""

        def __init__(self, field: IdField) -> None:
            super().__init__()
            self.field = field

    class ToolRequested(Message):
        """Another tool's form should be opened."""

        def __init__(self, tool: str) -> None:
            super().__init__()
            self.tool = tool

    def __init__(self, session: Session, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._session = session
        self._tool: Tool | None = None
        self._arguments = Arguments()
        self._tried = False
        self._last: Widget | None = None
        self._turned: dict[str, object] = {}
        self._unread: dict[str, str] = {}
        self.text: RawArguments | None = None
        self._is_changing = self._runs_then = self._resting = False
        self._replacing = asyncio.Lock()  # what is cancelled must end before the next begins

    @property
    def tool(self) -> Tool | None:
        """The tool whose form this is; None while its fields are being replaced."""
        return None if self._is_changing else self._tool

    @property
    def raw(self) -> dict[str, object]:
        """The values that are set, by parameter."""
        return {field.parameter.name: raw for field in self._fields if (raw := field.raw) is not None}

    @property
    def _fields(self) -> list[Field]:
        """The fields of the tool's parameters, without those inside other fields; none while they are being replaced."""
        return [field for field in self.walk_children(Field) if not field.is_inside and not self._is_changing]

    def compose(self) -> ComposeResult:
        """An invitation, which the form replaces when a tool is opened."""
        yield PaneHead(classes="in-tabs")
        with VerticalScroll(id="fields", can_focus=False):
            yield from draft_recovery(self._session)
            yield Static(invitation(key_of(self.app, "connections")), classes="invitation")
        with Vertical(id="send"):
            yield RequestLine(id="request")
            with Horizontal(id="sendbar"):
                yield Button("Run", id="run", compact=True, disabled=True)
                yield Words(id="state")

    async def on_draft_recovery_settled(self, event: DraftRecovery.Settled) -> None:
        """Show a draft of an earlier run that was restored; the offer is removed, also when the drafts were discarded."""
        event.stop()
        await event.offer.remove()
        if event.tool and (self._tool is None or self._tool.name != event.tool):
            self.post_message(self.ToolRequested(event.tool))
            return
        if event.tool:
            self.fill(self._session.drafts[event.tool])
        self.focus_first()

    def on_mount(self) -> None:
        """Show the pane's title; no tool is open yet."""
        self.query_one(PaneHead).title = "Form"

    async def open(self, tool: Tool) -> None:
        """Show a tool's form, filled with its draft."""
        async with self._replacing:
            await self._replace(tool, self.query_one("#fields", VerticalScroll))

    async def _replace(self, tool: Tool, fields: VerticalScroll) -> None:
        if self._tool is not None and self.text is not None:
            if self.text.blocked:
                self._unread[self._tool.name] = self.text.whole
            await self.close_text()
        self._tool, self._last, self._turned = tool, None, {}
        self._tried = self._runs_then = False
        self.query_one(PaneHead).title = self._session.title_of(tool.name)
        self._is_changing = True
        try:
            async with fields.batch():
                # Cancelling what waits for a removal would cancel the removal, for which the application waits as well.
                await asyncio.shield(fields.remove_children())
                await fields.mount(
                    *draft_recovery(self._session, tool.name),
                    Words(facts(tool), classes="facts"),
                    *self._sections(tool),
                    Words(id="left-out"),
                )
        except asyncio.CancelledError:
            self._tool = None  # an incomplete form belongs to no tool: its values are not read, and the next tool replaces it
            raise
        finally:
            self._is_changing = False
        self.fill(self._session.drafts.get(tool.name, {}))
        self._show_what_is_set()
        fields.scroll_home(animate=False)
        if tool.name in self._unread:
            await self.open_text(self._unread.pop(tool.name))
        run = self.query_one("#run", Button)
        run.disabled = False
        run.set_class(tool.effect == "delete", "-danger")

    async def close(self) -> None:
        """Show the invitation again: the tool was removed."""
        await self.close_text()
        self._tool, self._arguments, self._turned = None, Arguments(), {}
        self.query_one(PaneHead).title = "Form"
        fields = self.query_one("#fields", VerticalScroll)
        async with self._replacing, fields.batch():
            await asyncio.shield(fields.remove_children())
            await fields.mount(Static(invitation(key_of(self.app, "connections")), classes="invitation"))
        self.query_one("#run", Button).disabled = True
        self.query_one(RequestLine).show(None)

    def fill(self, raw: Mapping[str, object]) -> None:
        """Put values into the fields; all other fields become not set."""
        for field in self._fields:
            value = raw_in(field.parameter, raw)
            if (field.raw is None) != (value is None) or not same(field.raw, value):
                field.raw = value
            if value is not None:
                self._unfold(field)
        if self.text is not None:
            self.text.follow(self.raw)
        self.check()

    def fill_in(self, raw: Mapping[str, str]) -> None:
        """Put values into some fields, and leave the others as they are."""
        for field in self._fields:
            if field.parameter.name in raw:
                field.raw = raw[field.parameter.name]

    async def open_text(self, whole: str | None = None) -> None:
        """Show the arguments as JSON in place of the fields; `whole` is a text that was left with mistakes in it."""
        assert self._tool is not None
        field, fields = self.field, self.query_one("#fields")
        self.text = RawArguments(self._tool, self.raw, whole)
        await self.mount(self.text, after=fields)
        fields.display = False
        self.text.go_to(_outermost(field).parameter.name if field is not None else "")
        self._last = None
        self.check()

    async def close_text(self) -> None:
        """Show the fields again, with the last valid values of the text."""
        if self.text is None:
            return
        name, text = self.text.here, self.text
        self.text = None
        self._last = None
        self.query_one("#fields").display = True
        await asyncio.shield(text.remove())
        self.check()
        for field in self._fields:
            if field.parameter.name == name:
                self._unfold(field)
                self._last = next((one for one in field.walk_children(Widget) if one.can_focus), None)

    def on_raw_arguments_edited(self, event: RawArguments.Edited) -> None:
        """The JSON has changed: put its values into the fields."""
        event.stop()
        if self.text is None:
            return
        before, raw = self.raw, dict(self.text.read())
        changed = {name for name in before.keys() | raw.keys() if before.get(name) != raw.get(name)}
        if any(name not in self._turned and not self._pages(name) for name in changed):
            raw = {name: value for name, value in raw.items() if name not in self._turned or name in changed}
            self._turned = {}
        self.fill(raw)

    def turn(self, change: Mapping[str, object]) -> None:
        """Fill in the arguments of another page; they are removed when other arguments change."""
        self.fill({name: value for name, value in (self.raw | dict(change)).items() if value is not None})
        self._turned = {name: value for name, value in change.items() if value is not None}
        if self.tool is not None:
            self._session.settle(self.tool.name, self.raw)

    def show(self, raw: Mapping[str, object], place: Mapping[str, object]) -> None:
        """Fill the form as it was left; `place` are the arguments that `turn` had filled in."""
        self._tried = False
        self.fill(raw)
        self._turned = {name: value for name, value in place.items() if value is not None and raw.get(name) == value}
        if self._runs_then:
            self.run_tool()

    def rest(self, resting: bool) -> None:
        """Show only the fields that are set while another pane has the focus, and every field with the focus."""
        if resting != self._resting:
            self._resting = resting
            self._show_what_is_set()

    def _show_what_is_set(self) -> None:
        fields = self._fields  # at the end of opening a tool this is called again
        if not self._is_changing and all(field.is_mounted for field in fields):
            show_set(self, fields, everything=not self._resting)

    def on_click(self, event: events.Click) -> None:
        """A click on the line about fields that are not set goes to the fields."""
        if event.widget is not None and event.widget.id == "left-out" and not self._focus_field(folded=False):
            self._focus_field(folded=True)

    def focus_first(self) -> None:
        """Focus the widget where work starts: the first required field without a value, the first required one, or Run."""
        if self.text is not None:
            self.text.area.focus()
            return
        required = [field for field in self._fields if field.parameter.required]
        for field in (*(field for field in required if field.raw is None), *required):
            field.focus_editor()
            field.select_all()
            return
        for start in self.query(DraftRecovery) if self._tool is None else ():
            start.query_one(OptionList).focus()
            return
        if not self._focus_field(folded=False):
            self.query_one("#run", Button).focus()

    def _focus_field(self, *, folded: bool) -> bool:
        """Focus the first field, a folded one only with `folded`; returns whether there is one."""
        for field in self._fields:
            if folded or not any(isinstance(one, Collapsible) and one.collapsed for one in field.ancestors):
                self._unfold(field)
                field.focus_editor()
                field.select_all()
                return True
        return False

    def on_key(self, event: events.Key) -> None:
        """Type an unhandled letter into the first text field, preferably an empty one."""
        if not event.is_printable or event.character is None or self._field is not None or self.text is not None:
            return
        fields = [field for field in self._fields if isinstance(field, TextField)]
        for field in (*(field for field in fields if field.raw is None), *fields):
            event.stop()
            self._unfold(field)
            field.focus_editor()
            field.line.insert_text_at_cursor(event.character)
            return

    def focus_again(self) -> None:
        """Focus the widget that had the focus last, or where work starts."""
        if self._last is not None and self._last.is_attached and self.field is not None:
            self._last.focus()
        elif self.text is not None or (self._fields and self._focus_field(folded=False)) or not self._focus_field(folded=True):
            self.focus_first()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remember where the focus is. When the form is hidden, Textual moves it once more, which is no choice of the user."""
        if self.display:
            self._last = event.widget

    def check(self) -> None:
        """Check the values, and show what is wrong with them and the request they make."""
        tool = self.tool
        if tool is None:
            return
        self._session.draft(tool, raw := self.raw)
        self._arguments = self._session.check(tool, raw)
        for field in self._fields:
            name = field.parameter.name
            wrong = [(error.inside, error.message) for error in self._arguments.errors if error.parameter == name]
            field.show_problems(wrong, tried=self._tried)
        self.query_one(RequestLine).show(self._session.preview(tool, self._arguments))
        if self.text is not None:
            self.text.tell(self.raw, self._arguments.errors, tried=self._tried)
        if self._resting:
            self._show_what_is_set()
        self._show_state()

    def run_tool(self) -> None:
        """Post the call, or go to the first invalid field."""
        tool, self._runs_then = self._tool, self._is_changing
        if tool is None or self._is_changing:
            return  # these fields are another tool's: the tool runs once they have been replaced
        self._tried = True
        for line in self.walk_children(TextField):
            line.read_again()
        self.check()
        if self.text is not None and self.text.go_to_mistake():
            self.app.bell()
            return
        wrong = {error.parameter for error in self._arguments.errors}
        if not wrong:
            self.post_message(self.Run(tool, self.raw))
            return
        for field in self._fields:
            if field.parameter.name in wrong:
                self._unfold(field)
                field.go_to_wrong()
                self.app.bell()
                return

    def action_give_empty(self) -> None:
        """Set an empty value in the field that has the focus."""
        field = self._field
        if field is not None:
            field.give_empty()

    def action_pick(self) -> None:
        """Choose the id for the field that has the focus from a list."""
        if isinstance(field := self._field, IdField):
            self.post_message(self.Pick(field))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer an empty value if the parameter allows one, and a list for a field of ids."""
        if action == "pick":
            return isinstance(self._field, IdField)
        return action != "give_empty" or (self._field is not None and self._field.takes_empty)

    def action_reset(self) -> None:
        """Clear the form."""
        self._tried = False
        self.fill({})
        if self.text is not None:
            self.text.follow({}, rewrite=True)
        for field in self.walk_children(Field):
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
        """Start at the first page when the arguments change: the cursor of another list would hide items."""
        for field in self._fields:
            if field.parameter.name in self._turned:
                field.raw = None
        self._turned = {}

    def _pages(self, name: str) -> bool:
        parameter = self._tool.parameter(name) if self._tool is not None else None
        return parameter is not None and parameter.role in _PAGING

    @property
    def field(self) -> Field | None:
        """The field that has, or last had, the focus."""
        last = self._last.ancestors_with_self if self._last is not None and self._last.is_attached else ()
        return next((one for one in last if isinstance(one, Field)), None)

    @property
    def _field(self) -> Field | None:
        """The field that has the focus: the innermost one."""
        around = self.screen.focused.ancestors_with_self if self.has_focus_within and self.screen.focused is not None else ()
        return next((one for one in around if isinstance(one, Field)), None)

    @on(Button.Pressed, "#run")
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.run_tool()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.run_tool()

    def _sections(self, tool: Tool) -> Iterable[Field | Collapsible | Static]:
        session = self._session

        def reading(parameter: Parameter, text: str) -> str:
            return session.reading(parameter, text) or wrong_kind(tool.toolkit, parameter, text)

        aids = Aids(
            reading,
            partial(session.offers, tool),
            lambda parameter: key_of(self.app, "pick") if session.has_list(tool, parameter) else "",
            partial(session.branch, tool),
            partial(query_help, session, tool),
            is_large(tool.parameters),
        )
        required = [parameter for parameter in tool.parameters if parameter.required]
        paging = [parameter for parameter in tool.parameters if parameter.role in _PAGING and not parameter.required]
        others = [parameter for parameter in tool.parameters if parameter not in required and parameter not in paging]
        if not tool.parameters:
            yield Static(Content(f"This tool has no parameters. Press {key_of(self.app, 'run')} to run it."), classes="help")
        yield from (field_for(parameter, aids) for parameter in required)
        if others:
            yield Static(Content("Filters" if tool.effect == "read" else "Optional"), classes="section")
            yield from (field_for(parameter, aids) for parameter in others)
        if paging:
            yield Collapsible(*(field_for(parameter, aids) for parameter in paging), title=paging_title(paging))

    def _unfold(self, field: Field) -> None:
        for ancestor in field.ancestors:
            if isinstance(ancestor, Collapsible):
                ancestor.collapsed = False

    def _show_state(self) -> None:
        if self.text is not None and self.text.blocked:
            self.query_one("#state", Words).update(Content.styled("fix the JSON", "$text-warning"))
            return
        errors = self._arguments.errors
        missing = [error.path for error in errors if error.message == "is required"]
        wrong = len({error.path for error in errors}) - len(missing)
        parts = []
        if missing:
            parts.append(f"required: {', '.join(missing)}")
        if wrong:
            parts.append(f"{wrong} invalid")
        text = " · ".join(parts) or ("ready · checks first" if self._tool and self._tool.effect == "delete" else "ready")
        self.query_one("#state", Words).update(Content.styled(text, "$text-warning" if parts else "$text-muted"))


def _outermost(field: Field) -> Field:
    """The field of the whole parameter: this one, or the one around it."""
    around = [one for one in field.ancestors_with_self if isinstance(one, Field)]
    return around[-1]
