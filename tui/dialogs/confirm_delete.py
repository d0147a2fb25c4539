"""Asks before something is deleted or changed.

It opens at once and is completed while the check runs: facts, the rule and whether it holds, what is deleted along with it,
what cannot be undone, the exact request. The button stays disabled if the object is gone or a rule is broken; if the policy
requires typing, the whole id enables it, or another name that the account accepts.
"""

from collections.abc import Sequence

from textual import work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Button, Static
from textual.worker import Worker

from registry.changes.check_result import FINAL, CheckResult, lines
from registry.engine import Consent, Question
from registry.references.targets import words_for
from tui.dialogs.deliberate import DeliberateButton, DeliberateDialog, TypedLine, check_lines, question_of
from tui.widgets.request_line import request_line

_LOW = 30
"""Lines of a terminal; with fewer, the consequences come before the facts, because what comes last is scrolled out of sight."""


class ConfirmDelete(DeliberateDialog[Consent]):
    """Returns the user's consent; None if it was cancelled.

    Args:
        question: the question; it also checks the object.
    """

    DEFAULT_CSS = """
    ConfirmDelete {
        #stop { display: none; }
        &.-looking #stop { display: block; }
    }
    """

    def __init__(self, question: Question) -> None:
        super().__init__(question.mode, (lambda: question.names) if question.typed else None)
        self._question = question
        self._result = question.checking.result
        self._worker: Worker[None] | None = None
        self.verb = verb_of(question)
        tool = question.tool
        deletes, final = tool.effect == "delete", FINAL in (tool.rule or "")
        self.heading = question_of(tool.summary.rstrip("."), deletes=deletes, final=final)

    def _about(self) -> ComposeResult:
        yield Static(id="where")

    def _summary(self) -> ComposeResult:
        yield Static(id="seen")
        yield Static(request_line(self._question.preview), id="request")

    def _buttons(self) -> Sequence[Button]:
        return Button("Stop checking", id="stop", compact=True), *super()._buttons()

    def on_mount(self) -> None:
        self._show(self._result)
        self._worker = self._see()

    def _chose(self, button: Button) -> None:
        if self._worker is not None:
            self._worker.cancel()
        self._show(self._question.stop_checking())
        self.query_one("#cancel", Button).focus()

    def _confirmed(self) -> None:
        self.dismiss(self.consent)

    @work(group="look", exit_on_error=False)
    async def _see(self) -> None:
        self._show(await self._question.check(self._show))

    def _show(self, result: CheckResult) -> None:
        self._result = result
        self.set_class(result.verdict == "looking", "-looking")
        where = self.where(self._question.subject, self._question.connection.title, result.name)
        self.query_one("#where", Static).update(where)
        self._show_lines()
        if result.broken and self._question.tool.effect == "delete":
            words = f"This {words_for(result.type)} cannot be deleted"
            self.query_one("#title", Static).update(Content.styled(words, "bold $text-error"))
        self._offer()

    def on_resize(self) -> None:
        """Show the lines in the order for this height."""
        self._show_lines()

    def _show_lines(self) -> None:
        seen = [line for line in lines(self._result, self._question.tool) if line.kind != "final"]
        if self.size.height < _LOW:
            seen.sort(key=lambda line: line.kind == "fact")
        self.query_one("#seen", Static).update(check_lines(seen))

    def _offer(self) -> None:
        button, verdict = self.query_one(DeliberateButton), self._result.verdict
        button.display = verdict != "refuse"
        self.query_one(TypedLine).display = self._question.typed and verdict != "refuse"
        button.offer(self.verb, ready=self.is_ready)
        if verdict == "refuse":
            why = "the object does not exist" if self._result.gone else "see ✗ above"
            self.say(f"{self.verb} is not possible: {why}.", "bold $text-error")
            self.show_keys(("↑ ↓", "Scroll"), ("Enter", "Close"))
            self.query_one("#cancel", Button).label = "Close"
        elif verdict == "looking":
            self.say("Checking the object…", "$text-accent")
        elif not self.is_typed:
            self.ask_for_text()
        elif verdict == "unknown":
            self.say("Some conditions could not be checked. The service will decide.", "$text-warning")
        else:
            self.say(f"Ready to {self.verb.lower()}.", "$foreground-muted")

    @property
    def is_ready(self) -> bool:
        return self._result.verdict in ("go", "unknown") and self.is_typed


def verb_of(question: Question) -> str:
    """The label of the button: the verb of the call."""
    if question.connection.endpoint(question.tool.toolkit).service.mcp is not None:
        return "Run"  # only the server knows what its tools do
    return "Delete" if question.tool.effect == "delete" else "Change" if question.subject else "Create"
