"""Makes a saved call from past calls: ids from an earlier response become references, other ids become inputs.

Other arguments are kept. Secrets, and texts with braces, which templates would take for references, become inputs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from msgspec import Struct

from registry.accounts.secrets import MASK
from registry.calling.receiving import mask
from registry.catalog.loader import bare_type
from registry.catalog.model import Parameter, Tool
from registry.json_text import is_text
from registry.references.knowledge import EMAIL, knowledge
from registry.saved.file import checked_name
from registry.saved.from_form import fit, free, is_template, step_name
from registry.saved.saved_call import MOST_STEPS, Input, SavedCall, SavedCallError, Step, input_type, response_in

_MOST_VALUES, _LONGEST = 20_000, 255
_WORD = re.compile(r"[A-Za-z0-9_@.+-]{4,255}")
_KEY = re.compile(r"[^\s.\[\]{}|@#][^\s.\[\]{}|]*")
_OUTPUTS = ("id", "status", "state")


class PastCall(Struct, frozen=True):
    """A past call: its tool, its arguments with secrets redacted, and its response; empty if it was not stored."""

    tool: Tool
    arguments: Mapping[str, Any]
    body: bytes = b""


class Recording(Struct, frozen=True):
    """The recorded call, and notes for the user, in sentences."""

    call: SavedCall
    notes: tuple[str, ...] = ()


def recorded(name: str, calls: Sequence[PastCall], about: str = "") -> Recording:
    """A saved call that repeats calls, in order; the same call twice in a row counts once.

    Raises:
        SavedCallError: there is no call, there are too many, or the name is invalid.
    """
    distinct = [next(same) for _, same in groupby(calls, lambda one: (one.tool, one.arguments))]
    if not distinct:
        raise SavedCallError("There is no call to record.", "Run the calls first, then record them.")
    if len(distinct) > MOST_STEPS:
        cause = f"{len(distinct)} calls are too many: a saved call has at most {MOST_STEPS} steps."
        raise SavedCallError(cause, "Record fewer.")
    return _Recorder().record(checked_name(name), distinct, about)


class _Recorder:
    def __init__(self) -> None:
        self._inputs: list[Input] = []
        self._input_of: dict[str, str] = {}
        """Value → its input."""
        self._found: dict[str, tuple[tuple[int, int, int], str]] = {}
        """Value → the rank of the best reference (lower is better), and the reference."""
        self._notes: list[str] = []

    def record(self, name: str, calls: Sequence[PastCall], about: str) -> Recording:
        steps: list[Step] = []
        outputs: dict[str, str] = {}
        for number, call in enumerate(calls):
            id_ = free(step_name(call.tool), [one.id for one in steps])
            arguments = {
                parameter.name: self._argument(call.tool, parameter, call.arguments[parameter.name])
                for parameter in call.tool.parameters
                if parameter.name in call.arguments
            }
            steps.append(Step(id_, call.tool.name, arguments))
            response = response_in(mask(call.body)[0])
            if not call.body:
                self._notes.append(f"The response of {call.tool.name} was not kept: later ids are inputs and not references.")
            self._learn(id_, response, number)
            outputs = _outputs(call.tool, id_, response)
        return Recording(SavedCall(name, about, tuple(self._inputs), tuple(steps), outputs), tuple(self._notes))

    def _argument(self, tool: Tool, parameter: Parameter, value: Any) -> object:
        if parameter.role == "secret" or MASK in str(value):
            return "{" + self._secret_input(parameter) + "}"
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, list | tuple):
            return [self._argument(tool, parameter, one) for one in value]
        if isinstance(value, Mapping):
            return {name: self._argument(tool, parameter, one) for name, one in value.items()}
        if not is_text(value):
            return value
        if parameter.refers_to or parameter.role == "id":
            types = [one for one in knowledge(tool.toolkit).types_by_id(value) if one in parameter.refers_to]
            return self._whole(value, (types or [*parameter.refers_to, ""])[0], parameter)
        if parameter.role == "query":
            return self._inside(tool, parameter, value)
        if value in self._found and (EMAIL.fullmatch(value) or knowledge(tool.toolkit).types_by_id(value)):
            return self._whole(value, "", parameter)
        return self._constant(parameter, value)

    def _whole(self, value: str, type_: str, parameter: Parameter) -> str:
        """A reference to the source of a value, or to an input."""
        if value in self._found and value not in self._input_of:
            return self._reference(value)
        return "{" + (self._input_of.get(value) or self._input(value, type_, parameter.name)) + "}"

    def _inside(self, tool: Tool, parameter: Parameter, text: str) -> str:
        """A search query whose ids and addresses are replaced by references."""
        if is_template(text):
            return self._constant(parameter, text)
        known = knowledge(tool.toolkit)

        def replaced(match: re.Match[str]) -> str:
            word = match[0]
            types = known.types_by_id(word)
            if not types and EMAIL.fullmatch(word) is None:
                return word
            return self._whole(word, types[0] if types else "", parameter if types else _EMAIL)

        return _WORD.sub(replaced, text)

    def _reference(self, value: str) -> str:
        (_, places, _), path = self._found[value]
        if places and "[0]" not in path:
            number = re.search(r"\[(\d+)\]", path)
            item = int(number[1]) + 1 if number is not None else 1
            self._notes.append(f"{{{path}}} always takes item {item} of its list. Change it if that is not what you mean.")
        return "{" + path + "}"

    def _constant(self, parameter: Parameter, value: str) -> str:
        return "{" + self._new(parameter.name, default=value) + "}" if is_template(value) else value

    def _input(self, value: str, type_: str, name: str) -> str:
        wanted = self._new(bare_type(type_.rpartition(".")[2]) or name, object_type=type_, example=value)
        self._input_of[value] = wanted
        return wanted

    def _secret_input(self, parameter: Parameter) -> str:
        self._notes.append(f"{parameter.name} was redacted in the history, so it is an input.")
        type_ = input_type(parameter.type) or "string"
        return self._new(parameter.name, type=type_, secret=True, help=parameter.help[:200])

    def _new(self, wanted: str, **about: Any) -> str:
        """Add an input; returns its name."""
        name = free(fit(wanted), [one.name for one in self._inputs])
        self._inputs.append(Input(name, **about))
        return name

    def _learn(self, step: str, response: Any, number: int) -> None:
        """Record the paths of a response's values."""
        for path, value in islice(_values(response, ""), _MOST_VALUES):
            if not 3 < len(value) <= _LONGEST or value == MASK:
                continue
            lists = path.count("[")
            # The object's own id is the best source; of two equal ones, the later response.
            rank = (0 if path.rpartition(".")[2] == "id" else 1, lists, path.count(".") * 100 - number)
            reference = f"@{step}{path}"
            if value not in self._found or rank < self._found[value][0]:
                self._found[value] = (rank, reference)


_EMAIL = Parameter(name="email", type="string", help="", place="local", role="field")


def _values(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every text in a response, with its path."""
    if isinstance(value, str):
        yield path, value
    elif depth > 40:
        return
    elif isinstance(value, dict):
        for name, one in value.items():
            if _KEY.fullmatch(name):
                yield from _values(one, f"{path}.{name}", depth + 1)
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _values(one, f"{path}[{number}]", depth + 1)


def _outputs(tool: Tool, step: str, response: Any) -> dict[str, str]:
    """The outputs of the last call: the number of items, or the object's id and state."""
    if tool.is_list:
        return {fit(step): f"{{#{step}}}"}
    found = response if isinstance(response, dict) else {}
    return {name: f"{{@{step}.{name}}}" for name in _OUTPUTS if isinstance(found.get(name), str)}


def calls_of(entries: Sequence[Any], history: Any, tools: Mapping[str, Tool]) -> tuple[list[PastCall], list[str]]:
    """The calls of the history that can be recorded, oldest first, and a description of those left out. Blocks.

    Raises:
        JournalError: the history cannot be read.
    """
    calls, left_out = [], []
    for entry in sorted(entries, key=lambda one: int(one.id)):
        tool = tools.get(entry.tool)
        if tool is None:
            left_out.append(f"Call {entry.id} was left out: the tool {entry.tool} no longer exists.")
        elif entry.outcome != "ok":
            became = "was cancelled" if entry.outcome == "cancelled" else "failed"
            left_out.append(f"Call {entry.id} ({entry.tool}) was left out: it {became}.")
        else:
            recalled = history.recall(entry.id, tool)
            calls.append(PastCall(tool, entry.arguments, recalled.body if recalled is not None else b""))
    return calls, left_out
