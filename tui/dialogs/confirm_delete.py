"""Asks before something is deleted or changed.

It opens at once and is completed while the check runs: facts, the rule and whether it holds, what is deleted along with it,
what cannot be undone, the exact request. Cancel has the focus. The button stays disabled if the object is gone or a rule is
broken; if the policy requires typing, the whole id enables it (or another name that the account accepts), typed and not
pasted; accidental presses do not count.
"""

from __future__ import annotations

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static
from textual.worker import Worker

from registry.changes.check_lines import FINAL, lines
from registry.changes.check_result import CheckResult
from registry.engine import Consent, Question
from registry.references.targets import words_for
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.deliberate import DeliberateButton, DeliberateDialog
from tui.dialogs.look_lines import look_lines
from tui.dialogs.typed_line import TypedLine
from tui.widgets.mode_labels import COLOURS, MODES
from tui.widgets.request_line import request_line
from tui.widgets.text_line import Line

_AROUND = 11
_LOW = 30
"""Lines of a terminal; with fewer, the consequences come before the facts, because what comes last is scrolled out of sight."""
_KEYS = (("↑ ↓", "Scroll"), ("← →", "Switch"), ("Enter", "Press"), ("Esc", "Cancel"))


class ConfirmDelete(DeliberateDialog[Consent]):
    """Returns the user's consent; None if it was cancelled.

    Args:
        question: the question; it also checks the object.
    """

    DEFAULT_CSS = """
    ConfirmDelete {
        #summary { margin: 1 0 0 0; }
        #request { margin: 1 0 0 0; }
        #where { height: auto; max-height: 2; }
        #stop { display: none; }
        &.-looking #stop { display: block; }
    }
    """

    def __init__(self, question: Question) -> None:
        super().__init__(question.mode, typed=question.typed)
        self._question = question
        self._result = question.checking.result
        self._worker: Worker[None] | None = None
        self.verb = verb_of(question)

    def compose(self) -> ComposeResult:
        """The title, the check, a line to type into, and the buttons, which are always visible."""
        question = self._question
        mode = Content.styled(f" {MODES[question.mode]} ", f"{COLOURS[question.mode]} reverse")
        with Vertical(id="box"):
            yield Static(self._title, id="title")
            yield Static(Content("  ").join([*self._where(), mode]), id="where")
            with VerticalScroll(id="summary", can_focus=False):
                yield Static(id="seen")
                yield Static(request_line(question.preview), id="request")
            yield Static(id="state")
            yield TypedLine("typed, not pasted")
            with Horizontal(id="buttons"):
                yield Button("Stop checking", id="stop", compact=True)
                yield Button("Cancel", id="cancel", compact=True)
                yield DeliberateButton(self.verb, id="delete")
            yield self.keys_line(*_KEYS, id="keys")

    @property
    def _title(self) -> Content:
        """The question, or that the object cannot be deleted."""
        deletes = self._question.tool.effect == "delete"
        if deletes and self._result.broken:
            return Content.styled(f"This {words_for(self._result.type)} cannot be deleted", "bold $text-error")
        colour = "$text-error" if deletes else "$text-warning"
        title = Content.styled(f"{self._question.tool.summary.rstrip('.')}?", f"bold {colour}")
        return Content("  ").join([title, *self._for_good()])

    def _where(self) -> list[Content]:
        words = [Content.styled(visible_line(self._question.subject), "bold")] if self._question.subject else []
        # The sandbox's name and mode are the same word; once is enough.
        return words + (
            [Content(f"in {visible_line(self._question.connection.title)}")] if self._question.mode != "sandbox" else []
        )

    def _for_good(self) -> list[Content]:
        final = FINAL in (self._question.tool.rule or "")
        return [Content.styled(FINAL, "$text-error")] if final else []

    def on_mount(self) -> None:
        """Focus Cancel, so that an accidental Enter deletes nothing; then start the check."""
        self._fit()
        self.query_one("#cancel", Button).focus()
        self._show(self._result)
        self._worker = self._see()

    @on(Button.Pressed)
    def _answer(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "stop":
            if self._worker is not None:
                self._worker.cancel()
            self._show(self._question.stop_checking())
            self.query_one("#cancel", Button).focus()
        elif event.button.id == "cancel":
            self.dismiss(None)
        elif self._ready:
            self.dismiss(Consent.TYPED if self._question.typed else Consent.CONFIRMED)

    @work(group="look", exit_on_error=False)
    async def _see(self) -> None:
        self._show(await self._question.check(self._show))

    def _show(self, result: CheckResult) -> None:
        self._result = result
        self.set_class(result.verdict == "looking", "-looking")
        self._show_lines()
        self.query_one("#title", Static).update(self._title)
        self._offer()

    def _fit(self) -> None:
        super()._fit()
        self._show_lines()

    def _show_lines(self) -> None:
        seen = [line for line in lines(self._result, self._question.tool) if line.kind != "final"]
        if self.size.height < _LOW:
            seen.sort(key=lambda line: line.kind == "fact")
        self.query_one("#seen", Static).update(look_lines(seen))

    def _offer(self) -> None:
        """Enable the button if the change can be made now, else say why not."""
        button, verdict = self.query_one(DeliberateButton), self._result.verdict
        button.display = verdict != "refuse"
        self.query_one(Line).display = self._question.typed and verdict != "refuse"
        button.offer(self.verb, ready=self._ready)
        if verdict == "refuse":
            why = "the object does not exist" if self._result.gone else "see ✗ above"
            self._say(f"{self.verb} is not possible: {why}.", "bold $text-error")
            self.query_one("#keys", Static).update(self.keys_text(("↑ ↓", "Scroll"), ("Enter", "Close")))
            self.query_one("#cancel", Button).label = "Close"
        elif verdict == "looking":
            self._say("Checking the object…", "$text-accent")
        elif not self._is_typed:
            self._ask_for(" or ".join(shortened(name, 60) for name in self._question.names))
        elif verdict == "unknown":
            self._say("Some conditions could not be checked. The service will decide.", "$text-warning")
        else:
            self._say(f"Ready to {self.verb.lower()}.", "$foreground-muted")

    @property
    def _ready(self) -> bool:
        return self._result.verdict in ("go", "unknown") and self._is_typed

    @property
    def _is_typed(self) -> bool:
        return not self._question.typed or self.query_one(Line).value.strip() in self._question.names

    @property
    def around(self) -> int:
        """Lines that do not scroll."""
        return _AROUND + (1 if self._question.typed else 0)


def verb_of(question: Question) -> str:
    """The label of the button: the verb of the call."""
    if question.connection.endpoint(question.tool.toolkit).service.mcp is not None:
        return "Run"  # only the server knows what its tools do
    return "Delete" if question.tool.effect == "delete" else "Change" if question.subject else "Create"
