"""Asks for a tool's arguments, one line at a time: each prompt names the field, its kind, and the error of the last input."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from registry.calling.arguments import Arguments, unknown
from registry.calling.values import from_text
from registry.catalog.model import Parameter, Tool
from registry.text.safe_text import shortened, visible_line

Ask = Callable[[str, bool], str]
"""Shows a prompt and returns the typed line; `True` hides the typing."""
Say = Callable[[str], None]
Validate = Callable[[Tool, Mapping[str, object]], "Arguments"]

_MOST_VALUES = 30


class Cancelled(Exception):
    """The user cancelled."""


def ask_arguments(
    tool: Tool, given: Mapping[str, object], ask: Ask, say: Say, validate: Validate, enter: str = "runs it"
) -> dict[str, object]:
    """The arguments of a call: required fields first, then others on request, until they can be sent.

    Raises:
        Cancelled: the user typed ``cancel``.
    """
    raw = dict(given)
    for parameter in [one for one in tool.parameters if one.required and one.name not in raw]:
        _ask_one(tool, parameter, raw, ask, say, validate)
    while True:
        errors = validate(tool, raw).errors
        for error in errors:
            say(f"Error in {error.path}: {visible_line(error.message)}.")
        if errors and (wrong := tool.parameter(errors[0].parameter)) is not None:
            raw.pop(wrong.name, None)
            _ask_one(tool, wrong, raw, ask, say, validate)
            continue
        left = [one.name for one in tool.parameters if one.name not in raw]
        if not left:
            return raw
        word = ask(f"Enter {enter}; a field name sets one more; fields lists the {len(left)} that are not set: ", False).strip()
        if not word:
            return raw
        if word in ("cancel", "quit"):
            raise Cancelled
        if word == "fields":
            for name in left:
                found = tool.parameter(name)
                assert found is not None
                say(f"{name}, {_kind(found)}. {visible_line(found.help)}")
            continue
        parameter_named = tool.parameter(word.replace("-", "_"))
        if parameter_named is None:
            say(f"Error: {visible_line(f'{word} {unknown(tool, word).message}')}")
        else:
            _ask_one(tool, parameter_named, raw, ask, say, validate)


def _ask_one(tool: Tool, parameter: Parameter, raw: dict[str, object], ask: Ask, say: Say, validate: Validate) -> None:
    """Ask for one field until the value is valid. An empty line leaves it unchanged."""
    if parameter.help:
        say(visible_line(parameter.help))
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
        value = _value(parameter, text)
        errors = validate(tool, {**raw, parameter.name: value}).errors_of(parameter.name)
        if not errors:
            raw[parameter.name] = value
            return
        say(f"Error: {parameter.name} {visible_line(errors[0])}.")


def _value(parameter: Parameter, text: str) -> object:
    if parameter.is_structured:
        return from_text(parameter, text)
    return [part.strip() for part in text.split(",") if part.strip()] if parameter.type == "array" else text


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
    value = "set" if parameter.role == "secret" else visible_line(str(raw[parameter.name]))
    return f", now {shortened(value, 60)}"
