"""Asks line by line, for arguments, consent, and what an MCP server wants to know; and reads results out as lines.

Each prompt names the field, its kind, and the error of the last input.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from registry.accounts.policy import Consent, NotAllowed
from registry.accounts.secrets import MASK
from registry.calling.arguments import ArgumentError, Arguments, unknown
from registry.calling.listing import listing_of
from registry.calling.receiving import is_sensitive, mask
from registry.calling.result import Failure, Result
from registry.calling.sending import Progress
from registry.calling.values import from_text
from registry.catalog.model import Parameter, Tool
from registry.changes.check_result import lines
from registry.engine import Answered, Elicitation, Presenter, Question
from registry.json_text import NotJson, read_json
from registry.results.columns import CellReader, columns_in, sample
from registry.results.declared import Texts
from registry.text.shown import counted, reading, shortened, visible_line

Ask = Callable[[str, bool], str]
"""Shows a prompt and returns the typed line; `True` hides the typing."""
Say = Callable[[str], object]
Validate = Callable[[Tool, Mapping[str, object]], "Arguments"]

_MOST_VALUES = 30
_KINDS = {"holds": "OK: ", "broken": "Not possible: ", "unknown": "Not known: ", "goes along": "Also: ", "final": "Warning: "}
"""The words before a line of a check, in place of its sign."""


class Cancelled(Exception):
    """The user cancelled."""


def ask_arguments(
    tool: Tool, given: Mapping[str, object], ask: Ask, say: Say, validate: Validate, enter: str = "runs it"
) -> dict[str, object]:
    """The arguments of a call: required fields first, then others on request, until they can be sent, or it is `Cancelled`."""
    raw = dict(given)
    for parameter in [one for one in tool.parameters if one.required and one.name not in raw]:
        _ask_one(tool, parameter, raw, ask, say, validate)
    while True:
        errors = validate(tool, raw).errors
        for error in errors:
            say(f"Error in {error.path}: {error.message}.")
        if errors and (wrong := tool.parameter(errors[0].parameter)) is not None:
            raw.pop(wrong.name, None)
            _ask_one(tool, wrong, raw, ask, say, validate)
            continue
        left = [one for one in tool.parameters if one.name not in raw]
        if not left:
            return raw
        word = ask(f"Enter {enter}; a field name sets one more; fields lists the {len(left)} that are not set: ", False).strip()
        if not word:
            return raw
        if word in ("cancel", "quit"):
            raise Cancelled
        if word == "fields":
            for one in left:
                say(f"{one.name}, {_kind(one)}. {one.help}")
            continue
        parameter_named = tool.parameter(word.replace("-", "_"))
        if parameter_named is None:
            say(f"Error: {f'{word} {unknown(tool, word).message}'}")
        else:
            _ask_one(tool, parameter_named, raw, ask, say, validate)


def _ask_one(tool: Tool, parameter: Parameter, raw: dict[str, object], ask: Ask, say: Say, validate: Validate) -> None:
    """Ask for one field until the value is valid. An empty line leaves it unchanged."""
    if parameter.help:
        say(parameter.help)
    if parameter.enum:
        say(f"Values: {', '.join(parameter.enum[:_MOST_VALUES])}{' and more' if len(parameter.enum) > _MOST_VALUES else ''}.")
    while True:
        text = ask(f"{parameter.name}, {_kind(parameter)}{_now(parameter, raw)}: ", parameter.role == "secret").strip()
        if text == "cancel":
            raise Cancelled
        if not text:
            if parameter.required and parameter.name not in raw:
                say(f"Error: {parameter.name} is required. Type a value, or cancel.")
                continue
            return
        value: object = text
        if parameter.is_structured:
            value = from_text(parameter, text)
        elif parameter.type == "array":
            value = [part.strip() for part in text.split(",") if part.strip()]
        errors = validate(tool, {**raw, parameter.name: value}).errors_of(parameter.name)
        if not errors:
            raw[parameter.name] = value
            return
        say(f"Error: {parameter.name} {errors[0]}.")


def _kind(parameter: Parameter) -> str:
    """The kind of a field's value, in the way a screen reader announces a control's role."""
    kinds = {"array": "list, separated by commas", "boolean": "yes or no", "object": "JSON", "any": "JSON", "one_of": "JSON"}
    kind = "choice" if parameter.enum else kinds.get(parameter.type, parameter.type)
    if parameter.role == "id":
        kind = f"id of {parameter.refers_to[0].replace('_', ' ')}" if parameter.refers_to else "id"
    return f"{kind}, required" if parameter.required else f"{kind}, optional"


def _now(parameter: Parameter, raw: Mapping[str, object]) -> str:
    """The current value of a field, for its prompt."""
    if parameter.name not in raw:
        return ", not set" if parameter.default is None else f", usually {parameter.default}"
    value = "set" if parameter.role == "secret" else str(raw[parameter.name])
    return f", now {shortened(value, 60)}"


class LinePresenter(Presenter):
    """Reads out the check of a change and asks for yes or the id; says when it waits for a service."""

    def __init__(self, ask: Ask, say: Say) -> None:
        super().__init__()
        self._ask, self._say = ask, say

    async def consent(self, question: Question) -> Consent | None:
        """Read out the check and return the consent that the user types."""
        self._say("Checking.")
        seen = await question.check()
        subject = f" {seen.id}" if seen.id else ""
        self._say(f"{question.tool.summary.rstrip('.')}{subject}, {question.where}.")
        for line in lines(seen, question.tool):
            self._say(f"{_KINDS.get(line.kind, '')}{line.name + ': ' if line.name else ''}{line.words}")
        if seen.verdict == "refuse":
            return None
        wanted = " or ".join(question.names) if question.typed else "yes"
        try:
            typed = self._ask(f"Type {wanted} to confirm, or press Enter to cancel: ", False).strip()
        except (KeyboardInterrupt, EOFError):
            self._say("")
            return None
        if question.typed:
            return Consent.TYPED if typed in question.names else None
        return Consent.CONFIRMED if typed.lower() == "yes" else None

    async def elicit(self, elicitation: Elicitation) -> Answered:
        """The user's answers to a server's question."""
        return answer(elicitation, self._ask, self._say)

    def progress(self, progress: Progress) -> None:
        """Say why the call waits."""
        if progress.waiting is not None:
            self._say(f"{progress.reason}; retrying in {counted(max(ceil(progress.waiting), 1), 'second')}.")


def answer(elicitation: Elicitation, ask: Ask, say: Say) -> Answered:
    """The user's answers to a server's question, line by line. Blocks."""
    say(question_of(elicitation))
    try:
        if elicitation.url:
            say(f"It wants you to open {elicitation.url}")
            said = ask("Open it yourself if you trust it, then type yes. Enter declines: ", False).strip().lower()
            return Answered("accept" if said == "yes" else "decline")
        say("Type a value for each field, or cancel to decline.")
        form, start = elicitation.form, elicitation.start
        raw = ask_arguments(form, start, ask, say, lambda _, given: elicitation.check(given), "sends the answer")
    except (Cancelled, EOFError):
        return Answered("decline")
    return elicitation.accepted(raw)


def question_of(elicitation: Elicitation) -> str:
    """The question, with the name of the server."""
    return f"{elicitation.server} asks: “{elicitation.message}”"


_LONGEST = 300
_DEEPEST = 6


def failure_lines(failure: Failure) -> list[str]:
    """Why there is no result, and what to do next."""
    kind = "" if failure.kind == "refused" else "Error: "
    parts = [f"{kind}{failure.title}.", failure.cause, *failure.details, f"What to do: {failure.next_step}"]
    return [visible_line(part) for part in parts if part.strip()]


def error_lines(error: Exception) -> list[str]:
    """Why something that was typed cannot be done."""
    wrongs: Sequence[object] = error.errors if isinstance(error, ArgumentError) else [error]
    if isinstance(error, NotAllowed):
        wrongs = [f"not sent. {error.decision.reason} {error.decision.way_out}"]
    return [f"Error: {str(one).rstrip('.')}." for one in wrongs]


def items_of(result: Result) -> list[bytes] | None:
    """The items of a result that is a list; None for one object."""
    try:
        listing = listing_of(result) if result.body else None
    except NotJson:
        return None
    return [bytes(item) for item in listing.items] if listing is not None else None


def item_lines(items: Sequence[bytes], declared: Mapping[str, Texts] | None = None) -> list[str]:
    """One line per item of a list: the columns that its table would show, each with its name; empty ones left out."""
    columns = columns_in(sample(items), declared).first if items else ()
    reader = CellReader(columns)
    cells = (zip(columns, reader.cells(item), strict=True) for item in items)
    told = (
        ", ".join(f"{column.title.replace('_', ' ')} {cell.text}" for column, cell in row if cell.kind != "nothing")
        for row in cells
    )
    return [shortened(visible_line(line) or "empty", _LONGEST) for line in told]


def field_lines(text: bytes, now: float) -> list[str]:
    """An object in JSON as lines ``name: value``, nested properties with their path; secrets are redacted."""
    try:
        value = read_json(mask(text)[0])
    except NotJson as error:
        return [visible_line(f"The response cannot be read: {error}")]
    own = [name for name, one in value.items() if not isinstance(one, dict | list)] if isinstance(value, dict) else []
    # The object's own values come before nested ones.
    fields = sorted(_fields("", value, value, now), key=lambda one: one[0] not in own)
    empty = [name for name, words in fields if not words]
    lines = [f"{name}: {words}" for name, words in fields if words]
    lines += [f"Not set: {', '.join(empty)}"] if empty else []
    return [shortened(visible_line(line), _LONGEST) for line in lines]


def _fields(path: str, value: Any, around: Any, now: float, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Names with their values in words; the words are empty for values that are not set."""
    name = path or "value"
    if isinstance(value, dict) and value and depth < _DEEPEST:
        for key, one in value.items():
            yield from _fields(f"{path}.{key}" if path else str(key), one, value, now, depth + 1)
    elif isinstance(value, dict):
        yield name, f"an object with {len(value)} fields" if value else ""
    elif isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
        yield name, f"a list of {len(value)}"
        for number, one in enumerate(value if depth < _DEEPEST else (), 1):
            yield from _fields(f"{name} {number}", one, around, now, depth + 1)
    elif isinstance(value, list):
        yield name, ", ".join(map(_said, value))
    else:
        yield name, f"{_said(value)}{_meaning(path, value, around, now)}" if value not in (None, "") else ""


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not set" if value is None else str(value)


def _meaning(path: str, value: Any, around: Any, now: float) -> str:
    """The meaning of a number or text, such as an amount or a time, if the value alone does not show it."""
    if value is None or isinstance(value, bool):
        return ""
    key, text = json.dumps(path.rpartition(".")[2]), json.dumps(value, ensure_ascii=False, default=str)
    if is_sensitive(key, text) or text == f'"{MASK}"':
        return ""
    words = reading(key, text, (around if isinstance(around, dict) else {}).get, now)
    return f", {words}" if words else ""
