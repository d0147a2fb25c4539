"""A playbook as fields of a form, and back: one line of text for its name, each argument, default and output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from registry.calling.exact_json import dumps, is_text, loads
from registry.catalog.loader import Catalog
from registry.catalog.model import Parameter
from registry.playbooks.filling import references_in
from registry.playbooks.playbook import Input, Playbook, Step, input_type

NEW = "+"
"""The name of a field that adds an entry: ``name: value``."""


@dataclass(frozen=True, slots=True)
class EditField:
    """A field.

    Attributes:
        place: what it edits: ``name``, ``steps.charges.customer_id``, ``outputs.first``, ``inputs.customer``.
        label: its label.
        text: its content.
        hint: what may be typed.
        section: the heading above it; adjacent fields may have the same one.
    """

    place: str
    label: str
    text: str
    hint: str
    section: str


def fields_of(playbook: Playbook) -> Iterator[EditField]:
    """The fields of a playbook, in the order on screen."""
    yield EditField("name", "name", playbook.name, "Name", "Playbook")
    yield EditField("about", "about", playbook.about, "What it is for", "Playbook")
    for number, step in enumerate(playbook.steps, 1):
        section = f"Step {number} · {step.id} · {step.tool}"
        for name, value in step.arguments.items():
            yield EditField(f"steps.{step.id}.{name}", name, _text(value), "Empty: not sent", section)
        yield EditField(f"steps.{step.id}.{NEW}", "another", "", "parameter: value, or {input}, or {@step.path}", section)
    for one in playbook.inputs:
        kind = f"id of {one.object_type}" if one.object_type else one.type
        hint = "Asked at each run" + (f", for example {one.example}" if one.example else "")
        yield EditField(f"inputs.{one.name}", f"{one.name} ({kind})", _text(one.default), hint, "Inputs · their defaults")
    for name, template in playbook.outputs.items():
        yield EditField(f"outputs.{name}", name, template, "Empty: removed", "Outputs")
    yield EditField(f"outputs.{NEW}", "another", "", "name: {@step.path}", "Outputs")


def edited(playbook: Playbook, values: Mapping[str, str], catalog: Catalog) -> Playbook:
    """The playbook with the fields' values, by place. Its inputs are those in use; a new name makes a new input."""
    steps = tuple(_step(step, values, catalog) for step in playbook.steps)
    outputs = {name: values.get(f"outputs.{name}", text).strip() for name, text in playbook.outputs.items()}
    name, _, template = values.get(f"outputs.{NEW}", "").partition(":")
    outputs |= {name.strip(): template.strip()} if name.strip() else {}
    changed = replace(
        playbook,
        name=values.get("name", playbook.name).strip(),
        about=values.get("about", playbook.about).strip(),
        steps=steps,
        inputs=tuple(_with_default(one, values) for one in playbook.inputs),
        outputs={name: text for name, text in outputs.items() if text},
    )
    return with_inputs_in_use(changed, catalog)


def without_step(playbook: Playbook, id_: str, catalog: Catalog) -> Playbook:
    """The playbook without a step; references to the step become problems."""
    return with_inputs_in_use(replace(playbook, steps=tuple(one for one in playbook.steps if one.id != id_)), catalog)


def with_inputs_in_use(playbook: Playbook, catalog: Catalog) -> Playbook:
    """The playbook with exactly the inputs that its arguments and outputs refer to."""
    known = {one.name: one for one in playbook.inputs}
    used: dict[str, Input] = {}
    for step in playbook.steps:
        tool = catalog.find(step.tool)
        for name, value in step.arguments.items():
            for path in references_in(value):
                if path[:1] not in "@#":
                    parameter = tool.parameter(name) if tool is not None else None
                    used.setdefault(path, known.get(path) or _new_input(path, parameter, whole=value == "{" + path + "}"))
    for template in playbook.outputs.values():
        used |= {path: known[path] for path in references_in(template) if path in known}
    return replace(playbook, inputs=tuple(used.values()))


def _new_input(name: str, parameter: Parameter | None, *, whole: bool) -> Input:
    if parameter is None or not whole:
        return Input(name)
    type_ = input_type(parameter.type) or "string"
    values = parameter.enum if type_ == "string" and parameter.enum else ()
    object_type = parameter.refers_to[0] if parameter.refers_to else ""
    return Input(name, type_, object_type=object_type, values=tuple(values), secret=parameter.role == "secret")


def _step(step: Step, values: Mapping[str, str], catalog: Catalog) -> Step:
    tool = catalog.find(step.tool)
    arguments: dict[str, object] = {}
    for name, value in step.arguments.items():
        text = values.get(f"steps.{step.id}.{name}")
        if text is None or text == _text(value):
            arguments[name] = value
        elif text.strip():
            arguments[name] = _value(text, tool.parameter(name) if tool is not None else None)
    name, _, text = values.get(f"steps.{step.id}.{NEW}", "").partition(":")
    if name.strip() and text.strip():
        arguments[name.strip()] = _value(text.strip(), tool.parameter(name.strip()) if tool is not None else None)
    return replace(step, arguments=arguments)


def _with_default(one: Input, values: Mapping[str, str]) -> Input:
    text = values.get(f"inputs.{one.name}")
    if text is None or text == _text(one.default):
        return one
    return replace(one, default=_value(text, one.parameter) if text.strip() else None)


def _value(text: str, parameter: Parameter | None) -> object:
    """The value of a typed text: parsed as JSON if the parameter takes JSON or a list, else the text."""
    if parameter is not None and (parameter.is_structured or parameter.type == "array"):
        try:
            return loads(text, whole=True)
        except ValueError:
            return text
    return text


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(value) if is_text(value) else dumps(value)
