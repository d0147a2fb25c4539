"""A change that an agent requests: what it is, the agent's reason, what the check found, the request.

*Refuse* has the focus. Allowing follows the rules of the user's own deletions: accidental presses do not count, and on live
data the id is typed, not pasted. The agent's words are marked as such; the check is shown separately.
"""

from __future__ import annotations

from collections.abc import Callable

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Static

from registry.calling.request import Preview
from registry.changes.check_lines import FINAL, Line
from registry.engine import AgentAnswer, AgentRequest
from registry.text.local_time import local_moment, time_left
from registry.text.safe_text import shortened
from tui.dialogs.deliberate import DeliberateButton, DeliberateDialog
from tui.dialogs.dialog import Dialog
from tui.dialogs.look_lines import look_lines
from tui.dialogs.typed_line import TypedLine
from tui.widgets import text_line
from tui.widgets.mode_labels import COLOURS, MODES
from tui.widgets.request_line import request_line

_AROUND = 13
_LONGEST_NOTE = 300


class AgentRequestDialog(DeliberateDialog[AgentAnswer]):
    """Returns the answer; None if the user answers later.

    Args:
        request: the agent's request.
        seconds_left: returns the seconds until it expires; 0 if it is no longer pending, for any reason.
        read_only: whether this run is read-only, so that nothing can be allowed.
    """

    DEFAULT_CSS = """
    AgentRequestDialog {
        #summary { margin: 1 0 0 0; }
        #request { margin: 1 0 0 0; }
        #reason { color: $foreground-muted; border-left: solid $border; padding: 0 0 0 1; margin: 0 0 1 0; }
        #who { color: $foreground-muted; height: auto; max-height: 2; }
        #where { height: auto; max-height: 2; }
    }
    """

    verb = "Allow once"

    def __init__(self, request: AgentRequest, seconds_left: Callable[[], float], *, read_only: bool = False) -> None:
        super().__init__(request.change.mode, typed=bool(request.change.names) and not read_only)
        self._request, self._change = request, request.change
        self._seconds_left = seconds_left
        self._read_only = read_only
        self._over = False

    def compose(self) -> ComposeResult:
        """Title, who asks where, what is known, a line to type into, and the buttons, which are always visible."""
        change = self._change
        colour = "$text-error" if change.effect == "delete" else "$text-warning"
        title = [Content.styled(f"An agent asks: {change.summary}?", f"bold {colour}")]
        title += [Content.styled(FINAL, "$text-error")] if change.final else []
        subject = [Content.styled(change.subject, "bold")] if change.subject else []
        account = [Content(f"in {change.account}")] if change.mode != "sandbox" else []
        mode = Content.styled(f" {MODES[change.mode]} ", f"{COLOURS[change.mode]} reverse")
        with Vertical(id="box"):
            yield Static(Content("  ").join(title))
            yield Static(id="who")
            yield Static(Content("  ").join([*subject, *account, mode]), id="where")
            with VerticalScroll(id="summary", can_focus=False):
                if change.reason:
                    yield Static(Content.styled("Its reason, in its words (not checked)", "$foreground-muted"))
                    yield Static(Content(f"“{change.reason}”"), id="reason")
                yield Static(self._facts())
                yield Static(request_line(Preview(change.method, change.url, {}, change.body)), id="request")
            yield Static(id="state")
            yield TypedLine("typed, not pasted")
            with Horizontal(id="buttons"):
                yield Button("Refuse", id="refuse", compact=True)
                yield Button("Refuse with a note …", id="note", compact=True)
                yield DeliberateButton(self.verb, id="delete")
            yield self.keys_line(("↑ ↓", "scroll"), ("← →", "choose"), ("Enter", "do it"), ("Esc", "later"))

    def on_mount(self) -> None:
        """Focus Refuse, so that an accidental Enter allows nothing, and start the countdown."""
        self._fit()
        self.query_one("#refuse", Button).focus()
        self._offer()
        self._tick()
        self.set_interval(1.0, self._tick)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if self._seconds_left() <= 0:
            self.dismiss(None)
        elif event.button.id == "refuse":
            self.dismiss(AgentAnswer(allowed=False))
        elif event.button.id == "note":
            self._refuse_with_note()
        elif self._ready:
            self.dismiss(AgentAnswer(allowed=True, typed=self._typed))

    @work(group="note", exclusive=True, exit_on_error=False)
    async def _refuse_with_note(self) -> None:
        note = await self.app.push_screen_wait(NoteDialog())
        if note is not None:
            self.dismiss(AgentAnswer(allowed=False, note=note))

    def _facts(self) -> Content:
        found = [Line(kind, name, words) for kind, name, words in self._change.found]  # type: ignore[arg-type]
        words = look_lines(found) if found else Content("Nothing: the check failed.")
        return Content("\n").join([Content.styled("What Callboard found", "$foreground-muted"), words])

    def _tick(self) -> None:
        change, left = self._change, self._seconds_left()
        ends = f"{time_left(left)} left" if left > 0 else "over"
        who = f"{change.client}, by callboard mcp · asked {local_moment(change.at)} · {ends}"
        self.query_one("#who", Static).update(Content(who))
        if left <= 0 and not self._over:  # only once: a later message must stay readable
            self._over = True
            self._offer()

    def _offer(self) -> None:
        """Enable the button if the change can be allowed, else say why not."""
        over = self._over
        allow, refuse = self.query_one(DeliberateButton), self.query_one("#refuse", Button)
        refuse.label = "Close" if over else "Refuse"
        allow.display = not over and not self._read_only
        self.query_one("#note").display = not over
        self.query_one(TypedLine).display = bool(self._change.names) and not over and not self._read_only
        allow.offer(self.verb, ready=self._ready)
        if over:
            self._say("Request closed: answered elsewhere, withdrawn or expired. Nothing is sent from here.", "$text-warning")
            if self.focused is not refuse:
                refuse.focus()
        elif self._read_only:
            self._say("Callboard is read-only in this run, so nothing can be allowed here.", "$text-warning")
        elif self._change.names and self._typed not in self._change.names:
            self._ask_for(" or ".join(shortened(name, 60) for name in self._change.names))
        elif not self._change.sure:
            self._say("Not everything could be learned; the service decides.", "$text-warning")
        else:
            self._say("Ready to allow.", "$foreground-muted")

    @property
    def _ready(self) -> bool:
        typed = not self._change.names or self._typed in self._change.names
        return typed and not self._read_only and self._seconds_left() > 0

    @property
    def _typed(self) -> str:
        return self.query_one(TypedLine).value.strip()

    @property
    def around(self) -> int:
        """Lines that do not scroll."""
        return _AROUND + (1 if self._change.names else 0)


class NoteDialog(Dialog[str]):
    """Asks for a note to the agent about a refusal."""

    DEFAULT_CSS = "NoteDialog { #box { width: 70; } Line { margin: 1 0 0 0; padding: 0 1; background: $panel; } }"

    def compose(self) -> ComposeResult:
        """A title, and the line."""
        with Vertical(id="box"):
            yield Static(Content.styled("Refuse, and tell the agent", "bold"))
            yield text_line.Line(placeholder="what it should do instead", compact=True, max_length=_LONGEST_NOTE)
            yield self.keys_line(("Enter", "refuse"), ("Esc", "back"))

    def on_mount(self) -> None:
        """Focus the line."""
        self.query_one(text_line.Line).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Refuse; the note may be empty."""
        event.stop()
        self.dismiss(event.value.strip())
