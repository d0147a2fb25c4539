"""A question of an MCP server as a dialog: fields like those of a tool's form, to be sent or declined.

The question and the names of its fields are the server's words, and are marked as such. What is typed goes to the server only
by *Send*; closing the dialog gives no answer, and the server decides what that means.
"""

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.widgets import Button, Input, Static

from registry.engine import Answered, Elicitation
from registry.text.safe_text import shortened, visible, visible_line
from tui.dialogs.dialog import Dialog
from tui.explorer.fields.field import Aids, Field, fields_in, show_wrong, state_of, values_of
from tui.explorer.fields.make import field_for
from tui.session import Session

_AROUND, _LONGEST = 10, 1_000


class ElicitationDialog(Dialog[Answered | None]):
    """Returns the user's answer.

    Args:
        elicitation: what is asked.
        session: completes and explains values of the fields.
    """

    DEFAULT_CSS = """
    ElicitationDialog {
        #box { width: 84; padding: 0 2; }
        #who { color: $foreground-muted; }
        #message { border-left: solid $border; padding: 0 0 0 1; margin: 0 0 1 0; height: auto; max-height: 6; }
        #fields { height: auto; scrollbar-size-vertical: 1; }
        #state { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        #buttons { margin: 0; }
        .keys-here { margin: 0; }
    }
    """

    BINDINGS = [Binding("ctrl+s", "send", show=False, priority=True)]

    def __init__(self, elicitation: Elicitation, session: Session) -> None:
        super().__init__()
        self._asked = elicitation
        self._session = session
        self._tried = False

    def compose(self) -> ComposeResult:
        """Who asks, the question, the fields or the address, what is wrong, and the buttons."""
        asked = self._asked
        with Vertical(id="box"):
            yield Static(Content.styled(f"{visible_line(asked.server)} asks", "bold"))
            yield Static(Content(f"during {asked.tool.name} · its words are not checked"), id="who")
            yield Static(Content(shortened(visible(asked.message.strip()), _LONGEST)), id="message")
            with VerticalScroll(id="fields", can_focus=False):
                if asked.url:
                    address = (shortened(visible_line(asked.url), 400), "bold")
                    yield Static(Content.assemble("It wants you to open this address:\n", address))
                    yield Static(Content("Open it yourself if you trust it, then press Send."), classes="quiet")
                else:
                    yield from self._fields()
            yield Static(id="state")
            with Horizontal(id="buttons"):
                yield Button("Decline", id="decline", compact=True)
                yield Button("Send", id="send", compact=True)
            yield self.keys_line(("Tab", "Next field"), ("^S", "Send"), ("Esc", "Close without an answer"))

    def _fields(self) -> ComposeResult:
        form = self._asked.form
        aids = Aids(self._session, form)
        if not form.parameters:
            yield Static(Content("It asks for nothing but your consent."))
        yield from (field_for(one, aids) for one in sorted(form.parameters, key=lambda one: not one.required))

    def on_mount(self) -> None:
        """Fill in what the server proposes, and focus the first field without a value."""
        fields = fields_in(self)
        for field in fields:
            if field.parameter.name in self._asked.start:
                field.raw = self._asked.start[field.parameter.name]  # type: ignore[assignment]
        self._check()
        first = next((one for one in fields if one.raw is None), next(iter(fields), None))
        if first is not None:
            first.focus_editor()
        else:
            self.query_one("#decline").focus()

    def on_resize(self) -> None:
        """Leave the fields the height that the question does not need."""
        message = self.query_one("#message").size.height or 1
        self.query_one("#fields").styles.max_height = max(self.app.size.height * 92 // 100 - _AROUND - message, 3)

    @on(Input.Submitted)
    def _entered(self) -> None:
        """Go to the next field on Enter, so that a reflex sends nothing."""
        self.focus_next()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "decline":
            self.dismiss(Answered("decline"))
        else:
            self.action_send()

    def action_send(self) -> None:
        self._tried = True
        fields = fields_in(self)
        if wrong := self._check():
            next(field for field in fields if field.parameter.name in wrong).go_to_wrong()
            self.app.bell()
        else:
            self.dismiss(Answered("accept") if self._asked.url else self._asked.accepted(values_of(fields)))

    @on(Field.Changed)
    def _check(self) -> set[str]:
        """Show what is wrong; returns the names of the invalid fields."""
        fields = fields_in(self)
        errors = self._asked.check(values_of(fields)).errors if not self._asked.url else ()
        show_wrong(fields, errors, tried=self._tried)
        self.query_one("#state", Static).update(state_of(errors, "Ready to send."))
        return {one.parameter for one in errors}


async def ask(here: DOMNode, session: Session, elicitation: Elicitation) -> Answered:
    """Ask the user in a dialog, whatever screen is in front. When the call ends first, the dialog closes.

    Args:
        here: a mounted widget or screen.
        session: completes and explains values of the fields.
        elicitation: what is asked.
    """
    dialog = ElicitationDialog(elicitation, session)

    async def show() -> Answered:
        return await here.app.push_screen_wait(dialog) or Answered("cancel")

    # The question comes from a task that is not a worker, and only workers may wait for dialogs.
    worker = here.run_worker(show(), group="elicitation")
    try:
        return await worker.wait()
    except BaseException:
        dialog.dismiss(Answered("cancel"))
        raise
