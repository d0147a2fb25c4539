"""Questions that others ask the user: an MCP server's, as a dialog with a form; an agent's, as a line and a list.

The question and the names of its fields are the server's words, and are marked as such. What is typed goes to the server only
by *Send*; closing the dialog gives no answer, and the server decides what that means.
"""

import asyncio
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.reactive import reactive
from textual.widgets import Button, Input, Static

from registry.engine import AgentAnswer, AgentRequest, Answered, Elicitation
from registry.journal.store import JournalError
from registry.text.shown import shortened, time_left, visible, visible_line
from tui.dialogs.choose import Choice, ChooseDialog
from tui.dialogs.confirm import AgentRequestDialog
from tui.dialogs.dialog import Dialog
from tui.explorer.fields.field import Aids, Field, fields_in, show_wrong, state_of, values_of
from tui.explorer.fields.make import field_for
from tui.explorer.top_bar import BAR, Hairline
from tui.session import Session
from tui.state.settings import key_of

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
                    aids = Aids(self._session, asked.form)
                    if not asked.form.parameters:
                        yield Static(Content("It asks for nothing but your consent."))
                    required_first = sorted(asked.form.parameters, key=lambda one: not one.required)
                    yield from (field_for(one, aids) for one in required_first)
            yield Static(id="state")
            with Horizontal(id="buttons"):
                yield Button("Decline", id="decline", compact=True)
                yield Button("Send", id="send", compact=True)
            yield self.keys_line(("Tab", "Next field"), ("^S", "Send"), ("Esc", "Close without an answer"))

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
    # The question comes from a task that is not a worker, and only workers may wait for dialogs.
    worker = here.run_worker(here.app.push_screen_wait(dialog), group="elicitation")
    try:
        return await worker.wait() or Answered("cancel")
    except BaseException:
        dialog.dismiss(Answered("cancel"))
        raise


EVERY = 1.0
"""Seconds between two polls."""


class AgentWatch:
    """The pending requests, as of the last poll.

    Args:
        app: the application, with its session; it shows dialogs and notifications, and its explorer has the line.
    """

    def __init__(self, app: Any) -> None:
        self._app, self._session = app, app.session
        self._waiting: tuple[AgentRequest, ...] = ()
        self._failed = False

    async def watch(self) -> None:
        """Register as a place where requests are answered, and poll. A read-only run shows them too, but does not register."""
        await self._session.ready()
        engine = self._session.engine
        if not engine.policy.read_only:
            await asyncio.to_thread(engine.agent_requests.attend)
        while True:  # one poll after the other: a slow disk makes them rarer, but cancels none
            await self.look()
            await asyncio.sleep(EVERY)

    async def look(self) -> None:
        """Poll once, and show what has changed."""
        try:
            found = tuple(await asyncio.to_thread(self._session.engine.agent_requests.waiting))
        except JournalError as error:
            if not self._failed:
                self._failed = True
                self._app.notify(f"What agents ask for cannot be shown: {error}", severity="warning")
            return
        known = {one.id for one in self._waiting}
        new = [one for one in found if one.id not in known]
        self._waiting = found
        # There is no screen while the program is being left.
        for line in self._app.explorer.query_children(AgentLine) if self._app.screen_stack else ():
            if found:  # a hairline shows no time; redrawing it would redraw everything in front of it, too
                line.now = self._session.clock()
            line.waiting = found
        if new and self._app.screen is not self._app.explorer:  # the explorer has its line
            change = new[0].change
            words = f"{change.summary}: {change.subject}. {key_of(self._app, 'agents')} answers."
            self._app.notify(words, title=f"An agent asks ({change.client})", timeout=20)

    async def answer(self) -> None:
        """Show the pending request, or a list of several; store the answer."""
        app, engine = self._app, self._session.engine
        await self.look()
        waiting = self._waiting
        if not waiting:
            app.notify("No agent asks for anything now.")
            return
        request: AgentRequest | None = waiting[0]
        if len(waiting) > 1:
            rows = [Choice(one.change.summary, f"{one.change.subject} · {one.change.client}") for one in waiting]
            request = await app.push_screen_wait(ChooseDialog("What agents ask for", rows, waiting, "look"))
        if request is None:
            return
        clock = self._session.clock
        dialog = AgentRequestDialog(
            request, lambda: request.until - clock() if request in self._waiting else 0.0, read_only=engine.policy.read_only
        )
        answer: AgentAnswer | None = await app.push_screen_wait(dialog)
        if answer is None:
            return
        try:
            counts = await asyncio.to_thread(engine.agent_requests.answer, request.id, answer)
        except JournalError as error:
            app.notify(f"The answer could not be saved, so the request is refused: {error}", severity="error")
            return
        await self.look()
        if not counts:
            app.notify("Too late: it was answered elsewhere, withdrawn or expired.", severity="warning")
        elif answer.allowed:
            app.notify("Allowed once: it is sent now, or when the agent’s client returns. See the audit log.")
        else:
            app.notify("Refused. The agent gets this answer.")


class AgentLine(Hairline):
    """A hairline, or the oldest pending question and the key that opens all of them. It never takes the focus."""

    DEFAULT_CSS = "AgentLine.-asked { color: $text; padding: 0 1 0 0; }"

    waiting: reactive[tuple[AgentRequest, ...]] = reactive(())
    now: reactive[float] = reactive(0.0)

    def watch_waiting(self, waiting: tuple[AgentRequest, ...]) -> None:
        self.set_class(bool(waiting), "-asked")

    def render(self) -> Content:
        """The request, cut where there is no room; the remaining time and the key are never cut."""
        if not self.waiting:
            return super().render()
        one, others = self.waiting[0], len(self.waiting) - 1
        what = f"{one.change.summary}: {one.change.subject}" if one.change.subject else one.change.summary
        more = f" (+{others})" if others else ""
        left = f"{more}. {time_left(one.until - self.now)} left."
        key = f"{key_of(self.app, 'agents')} Look"
        live = any(each.change.mode == "live" for each in self.waiting)
        room = max(self.content_size.width - 4 - len(left) - len(key), 10)
        ways = [Content(f"An agent ({one.change.client}) asks: {what}"), Content(f"An agent asks: {what}")]
        words = next((way for way in ways if way.cell_length <= room), ways[-1].truncate(room, ellipsis=True))
        gap = room + 2 - words.cell_length
        bar = Content.styled(f"{BAR} ", "bold $live" if live else "bold $text-primary")
        return Content.assemble(bar, words, left, " " * gap, Content.styled(key, "bold $text-accent"))
