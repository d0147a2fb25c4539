"""Asks before something is deleted or changed: one object, several, what a saved call changes, or what an agent requests.

The dialog for one object opens at once and is completed while the check runs: facts, the rule and whether it holds, what is
deleted along with it, what cannot be undone, the exact request. The button stays disabled if the object is gone or a rule is
broken; if the policy requires typing, the whole id enables it, or another name that the account accepts.

For an agent's request, *Refuse* has the focus. Allowing follows the rules of the user's own deletions: accidental presses do
not count, and on live data the id is typed, not pasted. The agent's words are marked as such; the check is shown separately.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from textual import work
from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Static
from textual.worker import Worker

from registry.accounts.connection import Mode
from registry.calling.request import Preview
from registry.catalog.model import Tool
from registry.changes.check_result import FINAL, CheckResult, Line, lines
from registry.changes.deletion import Deleted, OnSurprise, Progress
from registry.engine import AgentAnswer, AgentRequest, Consent, NotAllowed, Question
from registry.references.targets import words_for
from registry.saved.running import SavedRun, shown_inputs
from registry.text.shown import local_moment, shortened, time_left, visible_line
from tui.dialogs.deliberate import DeliberateButton, DeliberateDialog, TypedLine, check_lines, question_of
from tui.dialogs.dialog import Keys
from tui.dialogs.questions import Prompt
from tui.keyboard.key_order import DialogResult
from tui.state.settings import refused_words
from tui.widgets.texts import mode_chip, request_line

_LOW = 30
"""Lines of a terminal; with fewer, the consequences come before the facts, because what comes last is scrolled out of sight."""
_MOST, _LONGEST = 100, 70

Run = Callable[[Consent, OnSurprise, Progress, asyncio.Event], Awaitable[Sequence[Deleted]]]


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
        tool = question.tool
        # Only an MCP server knows what its tools do.
        mcp = question.connection.endpoint(tool.toolkit).service.mcp is not None
        self.verb = "Run" if mcp else "Delete" if tool.effect == "delete" else "Change" if question.subject else "Create"
        deletes, final = tool.effect == "delete", FINAL in (tool.rule or "")
        self.heading = question_of(tool.summary.rstrip("."), deletes=deletes, final=final)

    def _parts(self) -> tuple[Sequence[Widget], Sequence[Widget]]:
        return [Static(id="where")], [Static(id="seen"), Static(request_line(self._question.preview), id="request")]

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

    @work(group="look")
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


class ConfirmMany(DeliberateDialog[DialogResult]):
    """Asks with a list; `phrase` must be typed if the account wants that.

    Attributes:
        then: what happens once it is confirmed.
    """

    then = ""

    def __init__(self, mode: Mode, question: str, phrase: str, rows: Content, *, typed: bool) -> None:
        super().__init__(mode, (lambda: (phrase,)) if typed else None, phrase)
        self.heading = question_of(question, deletes=True)
        self._rows = rows

    def _parts(self) -> tuple[Sequence[Widget], Sequence[Widget]]:
        return [Static(mode_chip(self.mode))], [Static(self._rows, id="list")]

    def on_mount(self) -> None:
        self._offer()

    def _offer(self) -> None:
        self.query_one(DeliberateButton).offer(self.verb, ready=self.is_typed)
        if self.is_typed:
            self.say(self.then, "$foreground-muted")
        else:
            self.ask_for_text()


class ConfirmRun(ConfirmMany["Consent | None"]):
    """Returns the user's consent to all changes of a saved call for several rows; None if it was cancelled."""

    verb = "Run"
    then = "Each change is checked before it is made; the run stops at the first that is not made."

    def __init__(self, run: SavedRun) -> None:
        changing = [tool for tool in run.tools if tool.effect != "read"]
        modes = [run.connections[tool.toolkit].endpoint(tool.toolkit).mode for tool in changing]
        worst: tuple[Mode, ...] = ("live", "test", "sandbox")
        words = {"delete": "× deletes", "write": "+ changes"}
        rows = [f"{words[tool.effect]}: {tool.name}. {tool.rule or tool.summary}" for tool in changing] + [""]
        for row in run.rows[:_MOST]:
            given = " · ".join(f"{name} {value}" for name, value in shown_inputs(run.call, row).items())
            rows.append(shortened(visible_line(f"{row.number}  {given}"), _LONGEST))
        count = len(run.rows)
        rows += [f"and {count - _MOST} more rows"] if count > _MOST else []
        question, mode = f"Run “{shortened(run.call.name, 40)}” for {count} rows", next(one for one in worst if one in modes)
        typed = any(one.decision.kind == "type" for one in run.ahead)
        super().__init__(mode, question, f"run {count}", Content("\n".join(rows)), typed=typed)

    def _confirmed(self) -> None:
        self.dismiss(self.consent)


class DeleteMany(ConfirmMany[None]):
    """Asks, deletes one object after the other, and shows each outcome. While it deletes, Escape stops it before the next.

    Args:
        tool: deletes an object.
        names: the names of the objects, safe to show.
        mode: the mode of the account.
        run: deletes all of them.
        typed: whether the account wants the number typed.
    """

    DEFAULT_CSS = """
    DeleteMany {
        #on { margin: 0; padding: 0; background: $surface; text-align: left; }
        #on:focus { background: $foreground; color: $background; }
    }
    """

    BINDINGS = [
        # Quitting in the middle would leave the outcome unknown.
        Binding("ctrl+q", "leave", show=False, priority=True),
    ]

    keys: Keys = (("↑ ↓", "Scroll"), ("← →", "Choose"), ("Enter", "Press"), ("Esc", "Cancel or stop"))
    then = "Each object is checked before it is deleted."
    around = 13

    def __init__(self, tool: Tool, names: Sequence[str], mode: Mode, run: Run, *, typed: bool) -> None:
        self.verb = f"Delete {len(names)}"
        self._tool, self._names, self._run = tool, names, run
        question = f"{self.verb} {'object' if len(names) == 1 else 'objects'} with {tool.name}"
        super().__init__(mode, question, f"delete {len(names)}", self._listed(), typed=typed)
        self._stop = asyncio.Event()
        self._is_deleting = self._goes_on = False

    def _parts(self) -> tuple[Sequence[Widget], Sequence[Widget]]:
        rule = Static(Content.assemble(mode_chip(self.mode), Content(f"  {self._tool.rule or ''}")))
        return [rule, Button(self._choice, id="on", compact=True)], super()._parts()[1]

    def _chose(self, button: Button) -> None:
        """Go on after a deletion that fails, or stop there."""
        self._goes_on = not self._goes_on
        button.label = self._choice

    def _confirmed(self) -> None:
        if not self._is_deleting:
            self._is_deleting = True
            self._go()

    def action_leave(self) -> None:
        """Close; while it deletes, drop the running deletion and stop before the next one."""
        if self._is_deleting:
            self._stop.set()
            self.say("Stopping. Checking whether the current object was deleted…", "$text-warning")
        else:
            self.dismiss(None)

    @work(group="delete many")
    async def _go(self) -> None:
        cancel = self.query_one("#cancel", Button)
        cancel.label = "Stop"
        cancel.focus()
        for one in self.query("#delete, #on, TypedLine"):
            one.display = False
        self.say("Deleting…", "$text-accent")
        try:
            account = await self._run(self.consent, "go on" if self._goes_on else "stop", self._show, self._stop)
        except NotAllowed as refusal:
            self.say(refused_words(self.app, refusal.decision), "bold $text-error")
        else:
            self._show(account)
            done = sum(one.outcome is not None and one.outcome.became == "done" for one in account)
            untried = sum(one.outcome is None for one in account)
            words = [f"{done} of {len(account)} deleted"]
            words += [f"{len(account) - done - untried} not deleted"] if done + untried < len(account) else []
            words += [f"{untried} not tried"] if untried else []
            self.say(" · ".join(words) + ".", "bold $text-success" if done == len(account) else "bold $text-warning")
        self._is_deleting = False
        cancel.label = "Close"
        self.show_keys(("↑ ↓", "Scroll"), ("Enter", "Close"))

    def _show(self, account: Sequence[Deleted]) -> None:
        self.query_one("#list", Static).update(self._listed(account))

    def _listed(self, account: Sequence[Deleted] = ()) -> Content:
        """The objects, each with what became of it."""
        parts = []
        outcomes = [one.outcome for one in account] or [None] * len(self._names)
        for name, outcome in zip(self._names, outcomes, strict=True):
            sign, style, why = "· ", "", ""
            if outcome is not None and outcome.became == "done":
                sign, style = "✓ ", "$text-success"
            elif outcome is not None:
                sign, style, why = "✗ ", "bold $text-error", f"\n  {outcome.words}"
            words = shortened(name, _LONGEST - 4)
            parts.append(Content.assemble(Content.styled(sign, style), words, Content.styled(why, "$text-error")))
        return Content("\n").join(parts)

    @property
    def _choice(self) -> Content:
        return Content(f"[{'×' if self._goes_on else ' '}] Continue if one cannot be deleted")


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
