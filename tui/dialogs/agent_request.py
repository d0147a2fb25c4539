"""A change that an agent requests: what it is, the agent's reason, what the check found, the request.

*Refuse* has the focus. Allowing follows the rules of the user's own deletions: accidental presses do not count, and on live
data the id is typed, not pasted. The agent's words are marked as such; the check is shown separately.
"""

from collections.abc import Callable, Sequence

from textual import work
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Static

from registry.calling.request import Preview
from registry.changes.check_result import Line
from registry.engine import AgentAnswer, AgentRequest
from registry.text.shown import local_moment, time_left
from tui.dialogs.deliberate import DeliberateButton, DeliberateDialog, TypedLine, check_lines, question_of
from tui.dialogs.dialog import Keys
from tui.dialogs.questions import Prompt
from tui.widgets.texts import request_line


class AgentRequestDialog(DeliberateDialog[AgentAnswer]):
    """Returns the answer; None if the user answers later.

    Args:
        request: the agent's request.
        seconds_left: returns the seconds until it expires; 0 if it is no longer pending, for any reason.
        read_only: whether this run is read-only, so that nothing can be allowed.
    """

    DEFAULT_CSS = """
    AgentRequestDialog {
        #reason { color: $foreground-muted; border-left: solid $border; padding: 0 0 0 1; margin: 0 0 1 0; }
        #who { color: $foreground-muted; height: auto; max-height: 2; }
    }
    """
    AUTO_FOCUS = "#refuse"

    keys: Keys = (("↑ ↓", "Scroll"), ("← →", "Switch"), ("Enter", "Press"), ("Esc", "Later"))
    verb = "Allow once"
    around = 13

    def __init__(self, request: AgentRequest, seconds_left: Callable[[], float], *, read_only: bool = False) -> None:
        change = request.change
        super().__init__(change.mode, (lambda: change.names) if change.names and not read_only else None)
        self._change = change
        self._seconds_left = seconds_left
        self._read_only = read_only
        self._over = False
        self.heading = question_of(f"An agent asks: {change.summary}", deletes=change.effect == "delete", final=change.final)

    def _parts(self) -> tuple[Sequence[Widget], Sequence[Widget]]:
        change = self._change
        title = Static("Its reason, in its words (not checked)", classes="quiet")
        reason = [title, Static(Content(f"“{change.reason}”"), id="reason")] if change.reason else []
        found = [Line(kind, name, words) for kind, name, words in change.found]  # type: ignore[arg-type]
        inside = [
            *reason,
            Static("What Callboard found", classes="quiet"),
            Static(check_lines(found) if found else "Nothing: the check failed."),
            Static(request_line(Preview(change.method, change.url, {}, change.body)), id="request"),
        ]
        return [Static(id="who"), Static(self.where(change.subject, change.account), id="where")], inside

    def _buttons(self) -> Sequence[Button]:
        refuse = Button("Refuse", id="refuse", compact=True), Button("Refuse with a note …", id="note", compact=True)
        return *refuse, DeliberateButton(self.verb, id="delete")

    def on_mount(self) -> None:
        self._offer()
        self._tick()
        self.set_interval(1.0, self._tick)

    def _chose(self, button: Button) -> None:
        """Refuse, with a note or without; or close, when it is too late."""
        if self._seconds_left() <= 0:
            self.dismiss(None)
        elif button.id == "refuse":
            self.dismiss(AgentAnswer(allowed=False))
        else:
            self._refuse_with_note()

    def _confirmed(self) -> None:
        self.dismiss(AgentAnswer(allowed=True, typed=self.typed))

    @work(group="note", exclusive=True)
    async def _refuse_with_note(self) -> None:
        asked = Prompt("Refuse, and tell the agent", "Refuse", lambda text: text[:300], hint="what it should do instead")
        note = await self.app.push_screen_wait(asked)
        if note is not None:
            self.dismiss(AgentAnswer(allowed=False, note=note))

    def _tick(self) -> None:
        change, left = self._change, self._seconds_left()
        ends = f"{time_left(left)} left" if left > 0 else "over"
        who = f"{change.client}, by callboard mcp · asked {local_moment(change.at)} · {ends}"
        self.query_one("#who", Static).update(Content(who))
        if left <= 0 and not self._over:  # only once: a later message must stay readable
            self._over = True
            self._offer()

    def _offer(self) -> None:
        over = self._over
        allow, refuse = self.query_one(DeliberateButton), self.query_one("#refuse", Button)
        refuse.label = "Close" if over else "Refuse"
        allow.display = not over and not self._read_only
        self.query_one("#note").display = not over
        self.query_one(TypedLine).display = self.names is not None and not over
        allow.offer(self.verb, ready=self.is_ready)
        if over:
            self.say("Request closed: answered elsewhere, withdrawn or expired. Nothing is sent from here.", "$text-warning")
            if self.focused is not refuse:
                refuse.focus()
        elif self._read_only:
            self.say("Callboard is read-only in this run, so nothing can be allowed here.", "$text-warning")
        elif not self.is_typed:
            self.ask_for_text()
        elif not self._change.sure:
            self.say("Not everything could be learned; the service decides.", "$text-warning")
        else:
            self.say("Ready to allow.", "$foreground-muted")

    @property
    def is_ready(self) -> bool:
        return self.is_typed and not self._read_only and self._seconds_left() > 0
