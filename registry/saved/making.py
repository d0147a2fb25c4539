"""Makes saved calls: of a form's values, and back; and of past calls. And the inputs of runs, from objects and CSV files.

Of past calls, ids from an earlier response become references, other ids become inputs, and other arguments are kept. Secrets,
and texts with braces, which templates would take for references, become inputs.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from registry.accounts.secrets import MASK
from registry.calling.receiving import mask
from registry.calling.times import InvalidValue
from registry.catalog.loader import bare_type
from registry.catalog.model import Parameter, Tool
from registry.finding.items import OwnCall
from registry.json_text import dumps, is_text, read_typed
from registry.references.knowledge import EMAIL, Knowledge, knowledge
from registry.references.naming import text_of
from registry.results.templates import Context, at_path, template_problem
from registry.saved.form_values import Raw, from_json, raw_in, typed
from registry.saved.saved_call import (
    MOST_STEPS,
    Input,
    InputType,
    MissingValue,
    SavedCall,
    SavedCallError,
    Step,
    checked_name,
    filled,
    input_type,
    response_in,
    templates_in,
)
from registry.text.shown import visible_line

MOST_CSV_BYTES = 10_000_000


def saved_form(tool: Tool, name: str, given: Mapping[str, object]) -> SavedCall:
    """A call with a form's values. Secrets, which are never saved, and what is required and empty become inputs.

    Raises:
        SavedCallError: no field is filled, or a value cannot be saved.
    """
    inputs: list[Input] = []
    arguments: dict[str, Any] = {}
    for parameter in tool.parameters:
        raw = raw_in(parameter, given)
        if raw is None and not parameter.required:
            continue
        if raw is None or parameter.role == "secret":
            inputs.append(input_of(parameter, inputs))
        elif is_template(value := typed(parameter, raw)):
            if isinstance(value, list) and not all(map(is_text, value)):
                cause = f"`{parameter.name}` has a brace in a list with more than texts, which no saved call can hold."
                raise SavedCallError(cause, "Remove the brace.")
            type_: InputType = "object" if isinstance(value, dict) else "array" if isinstance(value, list) else "string"
            own = free(fit(parameter.name), [one.name for one in inputs])
            inputs.append(Input(own, input_type(parameter.type) or type_, default=value))
        else:
            arguments[parameter.name] = value
            continue
        reference = "{" + inputs[-1].name + "}"
        arguments[parameter.name] = reference if inputs[-1].required else f"[[{reference}]]"
    if not arguments:
        raise SavedCallError("Nothing to save: no field is filled.", "Fill a field first.")
    step = Step(free(step_name(tool), [one.name for one in inputs]), tool.name, arguments)
    return SavedCall(name, inputs=tuple(inputs), steps=(step,))


def form_of(call: SavedCall, tool: Tool, given: Mapping[str, object] = MappingProxyType({})) -> dict[str, Raw]:
    """What the form of a call's only tool shows, with these inputs. What needs another one, or fits no field, is left empty."""
    values = Context({one.name: one.default for one in call.inputs if one.default is not None} | dict(given))
    found: dict[str, Raw] = {}
    for name, template in call.steps[0].arguments.items():
        if (parameter := tool.parameter(name)) is None:
            continue
        try:
            value = filled(name, template, values, is_query=parameter.role == "query")
            raw = from_json(tool, parameter, read_typed(dumps(value)))  # numbers as a field holds them
        except (MissingValue, InvalidValue):
            continue
        if raw is not None:
            found[name] = raw
    return found


def step_name(tool: Tool) -> str:
    """A short name for a step, from what its tool returns: ``customer``, ``charges``."""
    type_ = tool.returns.objects[0] if tool.returns.objects else tool.own_name
    word = re.sub(r"[^a-z0-9_]+", "_", type_.rpartition(".")[2].lower()).strip("_")
    plural = "s" if tool.is_list and not word.endswith("s") else ""
    verb = {"delete": "delete_", "write": "change_"}.get(tool.effect, "")
    word = f"{verb}{word}{plural}"[:36] if word[:1].isalpha() else "step"
    return "the_page" if word == "page" else word


def is_template(value: object) -> bool:
    """Whether a text, or one in a list or an object, would be taken for a template."""
    return any("{" in text or template_problem(text) for text in templates_in(value))


def free(name: str, taken: Iterable[str]) -> str:
    """A name that is not taken: itself, or with a number."""
    used, number, one = set(taken), 1, name
    while one in used:
        number += 1
        one = f"{name}_{number}"
    return one


def fit(name: str) -> str:
    """A name of an input from a parameter's name."""
    word = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")[:36]
    return word if word[:1].isalpha() and word != "page" else f"value_{word}".rstrip("_")


def input_of(parameter: Parameter, others: Iterable[Input]) -> Input:
    """An input for a parameter, with a name that no other has."""
    return Input(
        free(fit(parameter.name), [one.name for one in others]),
        input_type(parameter.type) or "string",
        object_type=parameter.refers_to[0] if parameter.refers_to else "",
        values=tuple(parameter.enum or ()),
        help=parameter.help[:200],
        required=parameter.required,
        secret=parameter.role == "secret",
    )


def own_calls(calls: Iterable[SavedCall], tools: Mapping[str, Tool]) -> list[OwnCall]:
    """The saved calls of one step, as calls that can be found by name."""
    return [
        OwnCall(one.name, one.steps[0].tool, form_of(one, tools[one.steps[0].tool]), one.shared)
        for one in calls
        if len(one.steps) == 1 and one.steps[0].tool in tools
    ]


def inputs_from(call: SavedCall, item: Mapping[str, Any], tool: Tool) -> dict[str, object]:
    """The inputs of a saved call for which an object has values; `tool` returned it."""
    known = knowledge(tool.toolkit)
    said = item.get(known.type_in or "")
    types = (said,) if isinstance(said, str) else tool.returns.objects
    found = {one.name: _input(one, item, types, known) for one in call.inputs if not one.secret}
    return {name: value for name, value in found.items() if value is not None}


def _input(one: Input, item: Mapping[str, Any], types: tuple[str, ...], known: Knowledge) -> object:
    if not one.object_type:
        value = item.get(one.name)
        return value if isinstance(value, str | int | float) else None
    if one.object_type in types and (own := text_of(item)) is not None:
        return own
    for type_ in types:
        kind = known.kind(type_)
        for path, held in (*kind.refers.items(), *kind.holds.items()):
            if one.object_type in held and (id_ := text_of(at_path(item, path))) is not None:
                return id_
    return next(
        (value for value in item.values() if isinstance(value, str) and one.object_type in known.types_by_id(value)), None
    )


def csv_rows(
    content: bytes, call: SavedCall, columns: Mapping[str, str], given: Mapping[str, object]
) -> tuple[list[dict[str, object]], list[str]]:
    """The inputs of each row, and the columns that no input uses. Empty cells are not set; empty lines are skipped.

    The file is UTF-8, with names in its first line, and commas or semicolons between cells. `columns` names those of inputs
    with other names; `given` values are for all rows, and a cell that is not empty overrides them.

    Raises:
        SavedCallError: it cannot be read, or has no column for an input.
    """
    if len(content) > MOST_CSV_BYTES:
        raise SavedCallError(f"The CSV file is too large: at most {MOST_CSV_BYTES // 1_000_000} MB.", "Split it.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SavedCallError(f"The CSV file is not valid UTF-8 (byte {error.start + 1}).", "Save it as UTF-8.") from None
    head = text.split("\n", 1)[0]
    separator = ";" if head.count(";") > head.count(",") else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True, restkey="")
    rows: list[dict[str, object]] = []
    try:
        reader.fieldnames = names = [name.strip() for name in reader.fieldnames or ()]
        column_of = _columns(names, call, columns)
        for cells in reader:
            if "" in cells and "" not in names:
                cause = f"Line {reader.line_num} of the CSV file has more cells than the first, which names {len(names)}."
                raise SavedCallError(cause, "Quote cells that contain the separator.")
            own = {name: text.strip() for name, column in column_of.items() if (text := cells.get(column) or "").strip()}
            rows += [{**given, **own}] if any(str(text or "").strip() for text in cells.values()) else []
    except csv.Error as error:
        raise SavedCallError(f"Line {reader.line_num} of the CSV file cannot be read: {error}.") from None
    if not rows:
        raise SavedCallError("The CSV file has no rows.", "Put names in the first line, and a line for each run below it.")
    return rows, [visible_line(name) for name in names if name and name not in column_of.values()]


def _columns(names: list[str], call: SavedCall, given: Mapping[str, str]) -> dict[str, str]:
    """Input → its column."""
    inputs = [one.name for one in call.inputs]
    known = ", ".join(inputs) or "none"
    shown = ", ".join(visible_line(name) for name in names[:20])
    for name, column in given.items():
        if name not in inputs:
            raise SavedCallError(f"The saved call has no input “{visible_line(name)}”.", f"Its inputs: {known}.")
        if column not in names:
            raise SavedCallError(f"The CSV file has no column “{visible_line(column)}”.", f"Its columns: {shown}.")
    if twice := next((name for name in names if name and names.count(name) > 1), ""):
        raise SavedCallError(f"The CSV file has two columns named “{visible_line(twice)[:40]}”.", "Rename one.")
    found = {name: name for name in inputs if name in names} | dict(given)
    if not found:
        way_out = f"Rename a column, or add --column INPUT=COLUMN. Inputs: {known}."
        raise SavedCallError(f"No column of the CSV file is an input; its columns: {shown or 'none'}.", way_out)
    return found


# Of past calls


_MOST_VALUES, _LONGEST = 20_000, 255
_WORD = re.compile(r"[A-Za-z0-9_@.+-]{4,255}")
_KEY = re.compile(r"[^\s.\[\]{}|@#][^\s.\[\]{}|]*")
_OUTPUTS = ("id", "status", "state")


class PastCall(Struct, frozen=True):
    """A past call: its tool, its arguments with secrets redacted, and its response; empty if it was not stored."""

    tool: Tool
    arguments: Mapping[str, Any]
    body: bytes = b""


def recorded(name: str, calls: Sequence[PastCall], about: str = "") -> tuple[SavedCall, list[str]]:
    """A saved call that repeats calls, in order, and notes for the user; the same call twice in a row counts once.

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

    def record(self, name: str, calls: Sequence[PastCall], about: str) -> tuple[SavedCall, list[str]]:
        steps: list[Step] = []
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
            for path, value in islice(_values(response, ""), _MOST_VALUES):
                if not 3 < len(value) <= _LONGEST or value == MASK:
                    continue
                # The object's own id is the best source; of two equal ones, the later response.
                is_own = path.rpartition(".")[2] == "id"
                rank = (0 if is_own else 1, path.count("["), path.count(".") * 100 - number)
                if value not in self._found or rank < self._found[value][0]:
                    self._found[value] = (rank, f"@{id_}{path}")
        # The outputs are those of the last call: the number of items, or the object's id and state.
        if call.tool.is_list:
            outputs = {fit(id_): f"{{#{id_}}}"}
        else:
            found = response if isinstance(response, dict) else {}
            outputs = {name: f"{{@{id_}.{name}}}" for name in _OUTPUTS if isinstance(found.get(name), str)}
        return SavedCall(name, about, tuple(self._inputs), tuple(steps), outputs), self._notes

    def _argument(self, tool: Tool, parameter: Parameter, value: Any) -> object:
        if parameter.role == "secret" or MASK in str(value):
            self._notes.append(f"{parameter.name} was redacted in the history, so it is an input.")
            type_ = input_type(parameter.type) or "string"
            return "{" + self._new(parameter.name, type=type_, secret=True, help=parameter.help[:200]) + "}"
        if isinstance(value, list | tuple):
            return [self._argument(tool, parameter, one) for one in value]
        if isinstance(value, Mapping):
            return {name: self._argument(tool, parameter, one) for name, one in value.items()}
        if not is_text(value):
            return value
        if parameter.refers_to or parameter.role == "id":
            types = [one for one in knowledge(tool.toolkit).types_by_id(value) if one in parameter.refers_to]
            return self._whole(value, (types or [*parameter.refers_to, ""])[0], parameter)
        if is_template(value):
            return "{" + self._new(parameter.name, default=value) + "}"
        if parameter.role == "query":
            return self._inside(tool, parameter, value)
        if value in self._found and (EMAIL.fullmatch(value) or knowledge(tool.toolkit).types_by_id(value)):
            return self._whole(value, "", parameter)
        return value

    def _whole(self, value: str, type_: str, parameter: Parameter) -> str:
        """A reference to the source of a value, or to an input."""
        if value in self._found and value not in self._input_of:
            (_, places, _), path = self._found[value]
            if places and "[0]" not in path:
                number = re.search(r"\[(\d+)\]", path)
                item = int(number[1]) + 1 if number is not None else 1
                self._notes.append(f"{{{path}}} always takes item {item} of its list. Change it if that is not what you mean.")
            return "{" + path + "}"
        if value not in self._input_of:
            name = bare_type(type_.rpartition(".")[2]) or parameter.name
            self._input_of[value] = self._new(name, object_type=type_, example=value)
        return "{" + self._input_of[value] + "}"

    def _inside(self, tool: Tool, parameter: Parameter, text: str) -> str:
        """A search query whose ids and addresses are replaced by references."""
        known = knowledge(tool.toolkit)

        def replaced(match: re.Match[str]) -> str:
            word = match[0]
            types = known.types_by_id(word)
            if not types and EMAIL.fullmatch(word) is None:
                return word
            return self._whole(word, types[0] if types else "", parameter if types else _EMAIL)

        return _WORD.sub(replaced, text)

    def _new(self, wanted: str, **about: Any) -> str:
        """Add an input; returns its name."""
        name = free(fit(wanted), [one.name for one in self._inputs])
        self._inputs.append(Input(name, **about))
        return name


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
