"""Reads the words of ``callboard call TOOL …`` as raw values, and checks them.

``--name value`` and ``--name=value`` work for all parameters; a boolean needs no value. Every list may be repeated, and a value
that is a JSON list is the list. A structured parameter takes JSON (``--fields '{"summary": "…"}'``), a file with JSON
(``--fields=@fields.json``), or its properties one by one (``--fields.summary "…"``), added to earlier values.
"""

import argparse
import difflib
from collections.abc import Sequence
from typing import Any, NoReturn

from registry.calling.arguments import Arguments, FieldError, check
from registry.calling.values import from_text
from registry.catalog.loader import load
from registry.catalog.model import OWN_OPTIONS, Parameter, Tool
from registry.doors.cli_parser import option_of, text_in_file
from registry.doors.output import ExitCode, complain, fail, read_text
from registry.json_text import NULL, Exact, NotJson, read_typed

MOST_BYTES = 262_144
_KINDS: dict[type, str] = {list: "an array", str: "a string", Exact: "a number"}


def given_call(options: argparse.Namespace, now: float | None = None) -> tuple[Tool, dict[str, object], Arguments, str]:
    """The tool of a command line, its raw and its checked arguments, and the folder of a shared saved call, or empty.

    Invalid arguments end the command.
    """
    tool, shared = load().tool(options.tool), ""
    raw: dict[str, object] = {}
    if options.arguments is not None:
        from registry.doors.cli_saved import saved_arguments

        raw, shared = saved_arguments(tool, options.arguments)
    if options.args is not None:
        raw = raw | from_json(options.args)
    raw = raw | from_words(tool, options.rest)
    arguments = check(tool, raw, now)
    if arguments.errors:
        refuse_arguments(tool, arguments.errors)
    return tool, raw, arguments, shared


def refuse_arguments(tool: Tool, errors: Sequence[FieldError]) -> NoReturn:
    """Print what is wrong with each argument, with options in place of parameter names, and end."""
    for error in errors:
        text = str(error)
        for name in {error.parameter, *(one.name for one in tool.parameters)}:
            text = text.replace(f"`{name}`", option_of(name))
        complain(text, field=error.path, see=f"callboard show {tool.name}", code=ExitCode.USAGE)
    raise SystemExit(ExitCode.USAGE)


def from_json(text: str) -> dict[str, object]:
    """The values from ``--args``."""
    value = _read_json(read_text("--args") if text == "-" else text, "--args")
    if not isinstance(value, dict):
        fail(f"--args must be a JSON object; got {_kind(value)}")
    return value


def _read_json(text: str, name: str) -> Any:
    try:
        return read_typed(text)
    except NotJson as error:
        fail(f"{name} is not valid JSON: {error}")


def _kind(value: object) -> str:
    return "null" if value is None else "a boolean" if isinstance(value, bool) else _KINDS.get(type(value), "a number")


def from_words(tool: Tool, words: list[str]) -> dict[str, object]:
    """The values from a tool's options."""
    raw: dict[str, object] = {}
    given: dict[tuple[str, ...], tuple[str, Parameter | None, list[str]]] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") or word == "--":
            fail(f"unexpected argument {word!r}; pass parameters as --parameter-name VALUE")
        option, equals, value = word[2:].partition("=")
        path, leaf = _path(tool, option)
        if not equals:
            has_none = not rest or (rest[0].startswith("--") and len(rest[0]) > 2)
            if leaf is not None and leaf.type == "boolean" and (not rest or rest[0].startswith("--")):
                value = "true"
            elif has_none and leaf is not None:
                fail(f"--{option} needs a value; one that starts with -- is written --{option}=VALUE")
            else:
                value = "" if has_none else rest.pop(0)
        given.setdefault(tuple(path), (option, leaf, []))[2].append(value)
    for names, (option, leaf, texts) in given.items():
        whole: Any = raw
        for step in names[:-1]:
            whole = whole.setdefault(step, {}) if isinstance(whole, dict) else whole
        if not isinstance(whole, dict):
            fail(f"--{option}: the value given before it is not an object")
        whole[names[-1]] = texts[0] if leaf is None else _value(leaf, texts, option)
    return raw


def _path(tool: Tool, option: str) -> tuple[list[str], Parameter | None]:
    """The names on the path ``fields.assignee.email``, and what the last one describes; None for an unknown parameter.

    Names may contain dots, too.
    """
    name, _, inside = option.partition(".")
    here = tool.parameter(name.replace("-", "_"))
    if here is None:
        meant = difflib.get_close_matches(name.replace("_", "-"), [one.replace("_", "-") for one in OWN_OPTIONS], n=1)
        if meant and not difflib.get_close_matches(name.replace("-", "_"), [one.name for one in tool.parameters], n=1):
            fail(f"--{name} is not an option of {tool.name}; did you mean --{meant[0]}?")
        return [option.replace("-", "_")], None  # which its check then names
    path = [here.name]
    while inside:
        names = [one.name for one in here.properties if (inside + ".").startswith(one.name + ".")]
        name = max(names, key=len, default="") or inside.partition(".")[0]
        found = here.property_named(name)
        if found is None and (here.type == "any" or (here.type == "object" and not here.properties)):
            found = Parameter(name=name, type="any", help="", place="inside", role="field")
        if found is None:
            known = ", ".join(one.name for one in here.properties)
            fail(f"--{option}: {name!r} is not a property of {here.name}" + (f"; available: {known}" if known else ""))
        path.append(name)
        here, inside = found, inside[len(name) + 1 :]
    return path, here


def _value(parameter: Parameter, texts: list[str], option: str) -> object:
    """The value of an option that was given once or more.

    One rule for all lists: a text that is a JSON list adds its items, any other text is one item; null is a list that may be
    null. What takes something else as well as a list becomes a list if the option is repeated.
    """
    lists = [one for one in (parameter, *parameter.branches) if one.type == "array"]
    if len(texts) == 1 and parameter.type != "array":
        return _one(parameter, texts[0], option)
    if not lists and parameter.type != "any":
        fail(f"--{option} was given more than once")
    if texts == ["null"] and parameter.nullable:
        return NULL
    items = (lists[0].items if lists else None) or Parameter(type="any" if parameter.type == "any" else "string")
    found: list[object] = []
    for text in texts if texts != [""] else ():
        listed = _one(Parameter(type="any"), text, option) if text.startswith("[") or parameter.is_structured else None
        found += listed if isinstance(listed, list) else [_one(items, text, option)]
    return found


def _one(parameter: Parameter, text: str, option: str) -> object:
    """The value of a text; for a parameter that takes JSON, ``@FILE`` means the JSON in a file."""
    if parameter.is_structured and text.startswith("@"):
        return _read_json(text_in_file(text[1:], MOST_BYTES, f"--{option}"), f"--{option}: {text[1:]}")
    return from_text(parameter, text)
