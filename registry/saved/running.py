"""Runs a saved call: for each row of inputs, its steps one after the other, through the engine; and says what became of it.

A step that fails ends its row; the row shows which steps were done. `SavedRun.run` may be called again: it continues where
each row ended, and repeats no finished step. A change with an unknown outcome is never sent again.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace as with_fields

from registry.accounts.connection import Connection, ConnectionSettingsError
from registry.accounts.policy import Consent, Decision, NotAllowed
from registry.accounts.secrets import MASK
from registry.calling.arguments import ArgumentError
from registry.calling.receiving import mask
from registry.calling.sending import Progress
from registry.catalog.model import Tool
from registry.changes.check_result import became_in_words
from registry.changes.deletion import OnSurprise, unless_stopped
from registry.engine import Answered, Elicitation, Engine, Presenter, Question
from registry.results.templates import Context, fill
from registry.saved.saved_call import (
    MissingValue,
    SavedCall,
    SavedCallError,
    Step,
    arguments_of,
    problems_of,
    response_in,
    row_problems,
    value_problems,
)
from registry.saved.store import wrong
from registry.text.shown import shortened, visible_line

StepState = Literal["done", "failed", "refused", "unknown", "cancelled"]
RowState = Literal["waiting", "running", "done", "failed", "refused", "unknown", "cancelled"]

MOST_ROWS = 10_000
_LONGEST_OUTPUT = 1_000


class StepRun(Struct, frozen=True):
    """The outcome of a step; `words` say why it is not done, in a sentence or two.

    ``failed``: the call failed, or a value was missing; ``refused``: by the user, the policy or a check; ``unknown``: the
    response to a change was lost.
    """

    id: str
    tool: str
    effect: str
    state: StepState
    words: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RowRun:
    """One run; its state is that of its last step, which is the one that failed, or says that it runs or has not begun.

    `inputs` are the given values and defaults, with secrets. `outputs` are safe to show; without any, `body` is the response of
    the last step.
    """

    number: int
    inputs: Mapping[str, object] = field(repr=False)
    state: RowState = "waiting"
    steps: tuple[StepRun, ...] = ()
    outputs: Mapping[str, str] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)

    @property
    def changes(self) -> int:
        """The number of changes that were made."""
        return sum(one.state == "done" and one.effect != "read" for one in self.steps)

    @property
    def words(self) -> str:
        """Why it is not done; may be empty."""
        last = self.steps[-1] if self.steps else None
        return f"{last.id}: {last.words}" if last is not None and last.words else ""


class Ahead(NamedTuple):
    """A step that needs consent or is refused: the step, its tool, its account, and the policy's decision."""

    step: Step
    tool: Tool
    connection: Connection
    decision: Decision


class SavedRun:
    """A run of a saved call for rows of inputs, by name, as text or typed.

    `connection` returns the account of a toolkit. `consent` is the user's to changes, if the presenter does not ask. A run with
    changes ends after a row that was not done, unless it goes on after a surprise. `rows` are the outcomes so far; the observer
    gets each that has changed. Setting `stop` ends the run.

    Raises:
        SavedCallError: the saved call or the inputs are wrong; nothing was sent.
        ConnectionSettingsError: there is no account for a toolkit.
    """

    def __init__(
        self,
        engine: Engine,
        call: SavedCall,
        rows: Sequence[Mapping[str, object]],
        connection: Callable[[str], Connection],
        *,
        consent: Consent = Consent.NONE,
        presenter: Presenter | None = None,
        on_surprise: OnSurprise = "stop",
        first: int = 1,
        observer: Callable[[RowRun], None] = lambda _: None,
    ) -> None:
        if problems := problems_of(call, engine.catalog) or value_problems(call, engine.catalog):
            raise wrong(problems)
        if not 0 < len(rows) <= MOST_ROWS:
            raise SavedCallError(f"There are {len(rows):,} rows; a run takes 1 to {MOST_ROWS:,}.", "Split the file.")
        self.call, self._engine = call, engine
        self.tools = [engine.tool(step.tool) for step in call.steps]
        self.connections = {tool.toolkit: connection(tool.toolkit) for tool in self.tools}
        for tool in self.tools:
            endpoint = self.connections[tool.toolkit].endpoint_for(tool)
            if endpoint.needs:
                raise ConnectionSettingsError(f"no account for {endpoint.service.title}: set {endpoint.needs}")
        usual = {one.name: one.default for one in call.inputs if one.default is not None}
        filled = [usual | {name: value for name, value in row.items() if value is not None} for row in rows]
        if found := row_problems(call, self.tools[0].toolkit, filled, engine.settings.clock(), first):
            raise SavedCallError(f"{found[0]}.", "Nothing was sent.", found)
        self.rows = [RowRun(number, row) for number, row in enumerate(filled, first)]
        self._responses: dict[int, dict[str, _Response]] = {}
        self._presenter = presenter if presenter is not None else Presenter()
        self.consent = consent
        self._goes_on = on_surprise == "go on" or all(one.effect == "read" for one in self.tools)
        self._observer = observer
        self.stop = asyncio.Event()

    @property
    def ahead(self) -> list[Ahead]:
        """The steps that need consent or are refused, with the policy's current decision."""
        found = []
        for step, tool in zip(self.call.steps, self.tools, strict=True):
            connection = self.connections[tool.toolkit]
            decision = _asking_anyway(self.call, tool, self._engine.policy.decide(tool, connection))
            if decision.kind != "allow":
                found.append(Ahead(step, tool, connection, decision))
        return found

    @property
    def left(self) -> int:
        """The number of rows that can be continued."""
        return sum(_goes_on(row) for row in self.rows)

    async def run(self) -> list[RowRun]:
        """Run every row that is not done, from where it ended; `stop` ends it after changes under way are settled."""
        self.stop.clear()
        for place, row in enumerate(self.rows):
            if self.stop.is_set():
                break
            if not _goes_on(row):
                continue
            await self._row(place)
            if self.rows[place].state != "done" and not self._goes_on:
                break
        return self.rows

    async def _row(self, place: int) -> None:
        row = self.rows[place]
        done = tuple(one for one in row.steps if one.state == "done")
        self._note(place, state="running", steps=done)
        responses = self._responses.setdefault(place, {})
        for step, tool in list(zip(self.call.steps, self.tools, strict=True))[len(done) :]:
            asking = _Stoppable(self._presenter, self.stop, self.call)
            try:
                ran = await self._step(step, tool, row.inputs, responses, asking)
            except asyncio.CancelledError:
                state: StepState = "unknown" if asking.agreed and tool.effect != "read" else "cancelled"
                words = became_in_words(None) if state == "unknown" else "Stopped."
                ran = StepRun(step.id, tool.name, tool.effect, state, words)
                self._note(place, state=state, steps=(*self.rows[place].steps, ran))
                raise
            self._note(place, steps=(*self.rows[place].steps, ran))
            if ran.state != "done":
                self._note(place, state=ran.state)
                return
        values = self._values(row.inputs, responses, shown=True)
        filled = {name: fill(template, values)[:_LONGEST_OUTPUT] for name, template in self.call.outputs.items()}
        outputs = {name: text for name, text in filled.items() if text}
        last = responses.get(self.call.steps[-1].id)
        body = last.body if last is not None and not self.call.outputs else b""
        self._note(place, state="done", outputs=outputs, body=body)
        del self._responses[place]

    async def _step(
        self, step: Step, tool: Tool, inputs: Mapping[str, object], responses: "dict[str, _Response]", asking: "_Stoppable"
    ) -> StepRun:
        def became(state: StepState, words: str = "", seconds: float = 0.0) -> StepRun:
            return StepRun(step.id, tool.name, tool.effect, state, visible_line(words), seconds)

        try:
            arguments = arguments_of(step, tool, self._values(inputs, responses))
            there = self.connections[tool.toolkit]
            call = self._engine.run(tool, arguments, there, consent=self.consent, presenter=asking, stop=self.stop)
            # There is no result if a read was stopped. A change is always settled first.
            result = await call if tool.effect != "read" else await unless_stopped(asyncio.create_task(call), self.stop)
        except (MissingValue, ConnectionSettingsError) as error:
            return became("failed", f"{error} Nothing was sent.")
        except ArgumentError as error:
            return became("failed", f"{error.errors[0]}. Nothing was sent.")
        except NotAllowed as error:
            return became("refused", f"{error.decision.reason} {error.decision.way_out} Nothing was sent.")
        if result is None:
            return became("cancelled", "Stopped.")
        failure = result.failure
        if failure is None:
            text, count = mask(result.body)[0], str(result.page.items) if result.page is not None else ""
            responses[step.id] = _Response(response_in(result.body), response_in(text), count, text)
            return became("done", seconds=result.elapsed)
        if failure.kind == "refused" and self.stop.is_set():
            return became("cancelled", "Stopped. Nothing was sent.")
        state: StepState = "unknown" if result.became == "unknown" else "refused" if failure.kind == "refused" else "failed"
        return became(state, f"{failure.title}: {failure.cause} {failure.next_step}", result.elapsed)

    def _values(self, inputs: Mapping[str, object], responses: "Mapping[str, _Response]", *, shown: bool = False) -> Context:
        found = {name: one.shown if shown else one.value for name, one in responses.items()}
        counts = {name: one.items for name, one in responses.items()}
        secret = {one.name for one in self.call.inputs if one.secret} if shown else set()
        plain = {name: MASK if name in secret else value for name, value in inputs.items()}
        return Context(plain, now=self._engine.settings.clock(), firsts=found, counts=counts)

    def _note(self, place: int, **changes: Any) -> None:
        self.rows[place] = replace(self.rows[place], **changes)
        self._observer(self.rows[place])


class _Stoppable(Presenter):
    """Asks nothing after the run was stopped. `agreed`: the user agreed to the change, so that it may have been sent."""

    def __init__(self, presenter: Presenter, stop: asyncio.Event, call: SavedCall) -> None:
        self._presenter, self._stop, self._call = presenter, stop, call
        self.agreed = False

    async def consent(self, question: Question) -> Consent | None:
        decision = _asking_anyway(self._call, question.tool, question.decision)
        question = with_fields(question, decision=decision)
        given = None if self._stop.is_set() else await self._presenter.consent(question)
        if given is not None and not decision.allows(given):
            raise NotAllowed(question.tool.name, decision)
        self.agreed = given is not None
        return given

    def progress(self, progress: Progress) -> None:
        self._presenter.progress(progress)

    async def elicit(self, elicitation: Elicitation) -> Answered:
        return await self._presenter.elicit(elicitation)


class _Response(NamedTuple):
    """A response: its values, the same with secrets redacted, the number of its items, and its redacted JSON text."""

    value: Any
    shown: Any
    items: str
    body: bytes


def _asking_anyway(call: SavedCall, tool: Tool, decision: Decision) -> Decision:
    """The consent that a step needs. In a shared one, which others can change, each deletion needs the typed id."""
    if not call.shared or tool.effect != "delete" or decision.kind not in ("allow", "confirm"):
        return decision
    return Decision("type", f"This deletes data, and the saved call is shared from {call.shared}.", "Type the id to confirm.")


def _goes_on(row: RowRun) -> bool:
    return row.state not in ("done", "unknown", "running")


# What became of it


SIGNS: Mapping[RowState, str] = {
    "done": "✓",
    "failed": "✗",
    "refused": "✗",
    "unknown": "?",
    "cancelled": "◦",
    "running": "…",
    "waiting": "·",
}
"""A sign for each state, shown with the state's name."""

_WIDEST = 40
_REASON = 100


def shown_inputs(call: SavedCall, row: RowRun) -> dict[str, object]:
    """The inputs of a row by name, in the saved call's order, secrets redacted."""
    return {one.name: MASK if one.secret else row.inputs[one.name] for one in call.inputs if one.name in row.inputs}


def as_json(call: SavedCall, row: RowRun) -> dict[str, Any]:
    """A row as JSON values: ``row``, ``state``, ``inputs``, ``outputs``, ``steps``, ``why``."""
    return {
        "row": row.number,
        "state": row.state,
        "inputs": shown_inputs(call, row),
        "outputs": dict(row.outputs),
        "steps": [
            {name: getattr(one, name) for name in ("id", "tool", "effect", "state")}
            | {"why": one.words, "seconds": round(one.seconds, 3)}
            for one in row.steps
        ],
        "not_run": [step.id for step in call.steps[len(row.steps) :]],
        "why": row.words,
    }


def as_record(call: SavedCall, row: RowRun) -> dict[str, Any]:
    """A row as a flat record with the same properties for every row of a call."""
    inputs = shown_inputs(call, row)
    record: dict[str, Any] = {"row": row.number, "state": row.state} | {one.name: inputs.get(one.name) for one in call.inputs}
    record |= {f"output_{name}" if name in record else name: row.outputs.get(name) for name in call.outputs}
    return record | {"steps_done": sum(one.state == "done" for one in row.steps), "changes": row.changes, "why": row.words}


def as_table(call: SavedCall, rows: Sequence[RowRun]) -> list[list[str]]:
    """A table of all rows, safe to show: number, state, the inputs that differ, the outputs, and why one is not done."""
    inputs = [one.name for one in call.inputs if len({str(row.inputs.get(one.name)) for row in rows}) > 1]
    table = [["row", "state", *inputs, *call.outputs, ""]]
    width = max(len("row"), len(str(rows[-1].number)))
    for row in rows:
        shown = shown_inputs(call, row)
        cells = [*(str(shown.get(name, "")) for name in inputs), *(row.outputs.get(name, "") for name in call.outputs)]
        cells = [shortened(visible_line(text), _WIDEST) for text in cells]
        table.append([str(row.number).rjust(width), f"{SIGNS[row.state]} {row.state}", *cells, shortened(row.words, _REASON)])
    return table


def summary(rows: Sequence[RowRun]) -> str:
    """The number of rows done, of changes, and of rows left, in one line."""
    states, changes = Counter(row.state for row in rows), sum(row.changes for row in rows)
    words = [f"{states['done']:,} of {len(rows):,} {'row' if len(rows) == 1 else 'rows'} done"]
    kinds: tuple[RowState, ...] = ("failed", "refused", "unknown", "cancelled", "waiting")
    words += [f"{states[one]:,} {'not begun' if one == 'waiting' else one}" for one in kinds if states[one]]
    words += [f"{changes:,} {'change' if changes == 1 else 'changes'} made"] if changes else []
    return " · ".join(words)


def half_done(call: SavedCall, row: RowRun) -> str:
    """The changes made and not made, for a row that ended between changes; empty for other rows."""
    if row.state in ("done", "waiting", "running") or not row.changes:
        return ""
    made = ", ".join(f"{one.id} ({one.tool})" for one in row.steps if one.state == "done" and one.effect != "read")
    left = ", ".join(step.id for step in call.steps[len(row.steps) :])
    not_run = f" Not run: {left}." if left else ""
    return f"Row {row.number} changed something before it ended: {made}.{not_run} Running it again repeats these changes."
