"""The middle pane: a tool's facts, a form made from its parameters, the request it makes, and the run button."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Collapsible, Input, Static

from registry.calling.arguments import Arguments
from registry.catalog.listing import EFFECT_SIGNS
from registry.catalog.model import Role, Tool
from registry.json_text import same
from registry.results.declared import in_order
from registry.saved.form_values import raw_in
from registry.text.shown import visible_line
from tui.explorer.fields.field import Aids, Field, fields_in, show_wrong, state_of, values_of
from tui.explorer.fields.json_area import RawArguments
from tui.explorer.fields.make import field_for
from tui.explorer.fields.text import IdField, TextField
from tui.explorer.toolkit_tree import WORDS
from tui.explorer.top_bar import PaneHead
from tui.keyboard.commands import bindings
from tui.session import Session
from tui.state.settings import key_of
from tui.widgets.texts import Words, request_line

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

    def __init__(self, session: Session, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._session = session
        self.tool: Tool | None = None
        """The tool whose form this is; None while its fields are being replaced."""
        self._arguments = Arguments()
        self._last: Widget | None = None
        self._unread: dict[str, str] = {}
        self.text: RawArguments | None = None
        self._tried = False
        self._folded = ""
        self._replacing = asyncio.Lock()  # what is cancelled must end before the next begins

    @property
    def raw(self) -> dict[str, object]:
        """The values that are set, by parameter: those of the fields, or of the JSON in their place."""
        return dict(self.text.read()) if self.text is not None else values_of(self._fields)

    @property
    def _fields(self) -> list[Field]:
        """The fields of the tool's parameters, without those inside other fields; none while they are being replaced."""
        return fields_in(self) if self.tool is not None else []

    def compose(self) -> ComposeResult:
        """An invitation, which the form replaces when a tool is opened."""
        yield (head := PaneHead(classes="in-tabs"))
        head.title = "Form"
        with VerticalScroll(id="fields", can_focus=False):
            yield self._invitation()
        with Vertical(id="send"):
            yield Words(id="request")
            with Horizontal(id="sendbar"):
                yield Button("Run", id="run", compact=True, disabled=True)
                yield Words(id="state")

    # Opening and filling

    async def open(self, tool: Tool) -> None:
        """Show a tool's form, filled with its draft."""
        fields = self.query_one("#fields", VerticalScroll)
        async with self._replacing:
            if self.tool is not None and self.text is not None:
                if self.text.blocked:
                    self._unread[self.tool.name] = self.text.area.text
                await self.close_text()
            # An incomplete form belongs to no tool: its values are not read.
            self.tool, self._last, self._tried = None, None, False
            self.query_one(PaneHead).title = self._session.title_of(tool.name)
            # Name, effect, rule and deprecation are one paragraph, so that they take few lines.
            deletes = tool.effect == "delete"
            effect = f" {EFFECT_SIGNS[tool.effect]} {WORDS[tool.effect]}" if tool.effect != "read" else ""
            facts = Content.assemble(
                (tool.name, "$text-muted"),
                (effect, "$text-error" if deletes else "$text-warning"),
                f"  {tool.summary}",
                (f" {tool.rule}" if tool.rule else "", "$text-error" if deletes else "$text"),
                (f"\n† Deprecated. Use {tool.use_instead}." if tool.deprecated else "", "$text-warning"),
            )
            await self._replace(Words(facts, classes="facts"), *self._sections(tool))
            self.tool = tool
            self.fill(self._session.drafts.get(tool.name, {}))
            fields.scroll_home(animate=False)
            if tool.name in self._unread:
                await self.open_text(self._unread.pop(tool.name))
        run = self.query_one("#run", Button)
        run.disabled = False
        run.set_class(tool.effect == "delete", "-danger")

    async def close(self) -> None:
        await self.close_text()
        self.tool, self._arguments = None, Arguments()
        self.query_one(PaneHead).title = "Form"
        async with self._replacing:
            await self._replace(self._invitation())
        self.query_one("#run", Button).disabled = True
        self.query_one("#request", Words).update()

    async def _replace(self, *parts: Widget) -> None:
        fields = self.query_one("#fields", VerticalScroll)
        async with fields.batch():
            # Cancelling what waits for a removal would cancel the removal, for which the application waits as well.
            await asyncio.shield(fields.remove_children())
            await fields.mount(*parts)

    def _sections(self, tool: Tool) -> Iterable[Field | Collapsible | Static]:
        aids = Aids(self._session, tool, key_of(self.app, "pick"))
        asked = in_order(tool)
        required = [one for one in asked if one.required]
        paging = [one for one in asked if one.role in _PAGING and not one.required]
        others = [one for one in asked if one not in required and one not in paging]
        if not tool.parameters:
            yield Static(Content(f"This tool has no parameters. Press {key_of(self.app, 'run')} to run it."), classes="help")
        yield from (field_for(one, aids) for one in required)
        if others:
            yield Static(Content("Filters" if tool.effect == "read" else "Optional"), classes="section")
            yield from (field_for(one, aids) for one in others)
        if paging:
            expands = {one.role == "expand" for one in paging}
            title = "Paging and expand" if len(expands) > 1 else "Expand" if True in expands else "Paging"
            fields = (field_for(one, aids) for one in paging)
            self._folded = title
            yield Collapsible(*fields, title=title, classes="-collapsed")  # set later, it would style them all anew

    def _invitation(self) -> Static:
        accounts = f"{key_of(self.app, 'connections')} shows the account of each toolkit."
        return Static(Content.assemble(_INVITATION, (accounts, "$foreground-muted")), classes="invitation")

    def fill(self, raw: Mapping[str, object]) -> None:
        """Put values into the fields, or into the JSON in their place; all other fields become not set."""
        if self.text is not None:
            self.text.put(raw)
        for field in self._fields if self.text is None else ():
            value = raw_in(field.parameter, raw)
            if (field.raw is None) != (value is None) or not same(field.raw, value):
                field.raw = value
        self.check()

    def show(self, raw: Mapping[str, object]) -> None:
        """Fill the form as it was left: what is missing is not told before the next try."""
        self._tried = False
        self.fill(raw)

    def action_reset(self) -> None:
        if self.text is not None:
            self.text.put({}, rewrite=True)
        for field in self.walk_children(Field):
            field.touched = False
        self.show({})
        self.focus_first()

    # The arguments as JSON

    async def open_text(self, whole: str | None = None) -> None:
        """Show the arguments as JSON in place of the fields; `whole` is a text that was left with mistakes in it."""
        assert self.tool is not None
        field, fields = self.field, self.query_one("#fields")
        self.text = RawArguments(self.tool, self.raw, whole)
        await self.mount(self.text, after=fields)
        fields.display = False
        around = [one.parameter.name for one in field.ancestors_with_self if isinstance(one, Field)] if field else []
        self.text.go_to(around[-1] if around else "")
        self._last = None
        self.check()

    async def close_text(self) -> None:
        """Show the fields again, with the last valid values of the text."""
        if self.text is None:
            return
        name, text, raw = self.text.here, self.text, self.text.read()
        self.text = self._last = None
        self.query_one("#fields").display = True
        await asyncio.shield(text.remove())
        self.fill(raw)
        for field in self._fields:
            if field.parameter.name == name:
                _unfold(field)
                self._last = next((one for one in field.walk_children(Widget) if one.can_focus), None)

    # The focus

    @property
    def field(self) -> Field | None:
        """The field that has, or last had, the focus: the innermost one."""
        last = self._last.ancestors_with_self if self._last is not None and self._last.is_attached else ()
        return next((one for one in last if isinstance(one, Field)), None)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remember where the focus is. When the form is hidden, Textual moves it once more, which is no choice of the user."""
        if self.display:
            self._last = event.widget
            self.refresh_bindings()  # which keys work depends on the field

    def focus_first(self) -> None:
        """Focus where work starts: the JSON, the first required field without a value, the first required one, or Run."""
        if self.text is not None:
            self.text.area.focus()
            return
        fields = self._fields
        required = [one for one in fields if one.parameter.required]
        visible = [one for one in fields if not any(isinstance(each, Collapsible) and each.collapsed for each in one.ancestors)]
        if starts := [*(one for one in required if one.raw is None), *required, *visible]:
            _focus(starts[0])
        else:
            self.query_one("#run", Button).focus()

    def focus_again(self) -> None:
        """Focus the widget that had the focus last, or the first field, or where work starts."""
        visible = [one for one in self._fields if not any(isinstance(each, Collapsible) for each in one.ancestors)]
        if self._last is not None and self._last.is_attached and self.field is not None:
            self._last.focus()
        elif self.text is None and self._fields:
            _focus([*visible, *self._fields][0])
        else:
            self.focus_first()

    # Checking and running

    @on(Field.Changed)
    @on(RawArguments.Edited)
    def check(self) -> None:
        """Check the values, and show what is wrong with them and the request they make."""
        tool = self.tool
        if tool is None:
            return
        self._session.draft(tool, raw := self.raw)
        self._arguments = self._session.check(tool, raw)
        errors = self._arguments.errors
        show_wrong(self._fields if self.text is None else (), errors, tried=self._tried)
        self.query_one("#request", Words).update(request_line(self._session.preview(tool, self._arguments)))
        for fold in self.query(Collapsible):  # says what is set inside
            given = [(name, one) for name, one in raw.items() if name in {each.parameter.name for each in fields_in(fold)}]
            said = [
                f"{name} {visible_line(', '.join(map(str, one)) if isinstance(one, list) else str(one))}" for name, one in given
            ]
            fold.title = " · ".join([self._folded, *said])
        if self.text is not None:
            self.text.tell(raw, errors, tried=self._tried)
        state = state_of(errors, "ready · checks first" if tool.effect == "delete" else "ready")
        if self.text is not None and self.text.blocked:
            state = Content.styled("fix the JSON", "$text-warning")
        self.query_one("#state", Words).update(state)

    @on(Button.Pressed, "#run")
    @on(Input.Submitted)
    def run_tool(self) -> None:
        tool = self.tool
        if tool is None:
            return
        self._tried = True
        for line in self.walk_children(TextField):
            line.read_again()
        self.check()
        wrong = {error.parameter for error in self._arguments.errors}
        if self.text is not None and self.text.go_to_mistake():
            self.app.bell()
        elif not wrong:
            cast(Any, self.screen).run_tool(tool, self.raw)
        elif (field := next((one for one in self._fields if one.parameter.name in wrong), None)) is not None:
            _unfold(field)
            field.go_to_wrong()
            self.app.bell()

    # Keys of the field that has the focus

    @property
    def _field(self) -> Field | None:
        return self.field if self.has_focus_within else None

    def action_give_empty(self) -> None:
        if self._field is not None:
            self._field.give_empty()

    def action_pick(self) -> None:
        if isinstance(field := self._field, IdField):
            cast(Any, self.screen).pick_id(field)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer an empty value if the parameter allows one, and a list for a field of ids."""
        if action == "pick":
            return isinstance(self._field, IdField)
        return action != "give_empty" or (self._field is not None and len(self._field.empties) > 1)


def _focus(field: Field) -> None:
    _unfold(field)
    field.focus_editor(selecting=True)


def _unfold(field: Field) -> None:
    for ancestor in field.ancestors:
        if isinstance(ancestor, Collapsible):
            ancestor.collapsed = False


_INVITATION = Content.assemble(
    ("Open a tool to see its form.\n\n", "bold"),
    "Type a few letters of what you need: ",
    ("cust cards", "$text-accent"),
    ", ",
    ("delinv", "$text-accent"),
    ", ",
    ("who is on call", "$text-accent"),
    ". Then press Enter.\n\n",
)
