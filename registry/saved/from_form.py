"""The saved call of a form's values, and back; and the inputs of runs, from objects on screen and the rows of CSV files."""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from registry.calling.times import InvalidValue
from registry.catalog.model import Parameter, Tool
from registry.finding.items import OwnCall
from registry.json_text import dumps, is_text, read_typed
from registry.references.knowledge import Knowledge, knowledge
from registry.references.naming import text_of
from registry.results.templates import Context, at_path, template_problem
from registry.saved.form_values import Raw, from_json, raw_in, typed
from registry.saved.saved_call import (
    Input,
    InputType,
    MissingValue,
    SavedCall,
    SavedCallError,
    Step,
    filled,
    input_type,
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
            value = read_typed(dumps(value))  # numbers as a field holds them
            raw = from_json(tool, parameter, value)
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
    single = [one for one in calls if len(one.steps) == 1 and one.steps[0].tool in tools]
    return [OwnCall(one.name, one.steps[0].tool, form_of(one, tools[one.steps[0].tool]), one.shared) for one in single]


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
    known = ", ".join(one.name for one in call.inputs) or "none"
    shown = ", ".join(visible_line(name) for name in names[:20])
    for name, column in given.items():
        if call.input(name) is None:
            raise SavedCallError(f"The saved call has no input “{visible_line(name)}”.", f"Its inputs: {known}.")
        if column not in names:
            raise SavedCallError(f"The CSV file has no column “{visible_line(column)}”.", f"Its columns: {shown}.")
    if twice := next((name for name in names if name and names.count(name) > 1), ""):
        raise SavedCallError(f"The CSV file has two columns named “{visible_line(twice)[:40]}”.", "Rename one.")
    found = {one.name: one.name for one in call.inputs if one.name in names} | dict(given)
    if not found:
        way_out = f"Rename a column, or add --column INPUT=COLUMN. Inputs: {known}."
        raise SavedCallError(f"No column of the CSV file is an input; its columns: {shown or 'none'}.", way_out)
    return found
