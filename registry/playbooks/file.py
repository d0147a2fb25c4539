"""Reads and writes a playbook as a JSON file. Files come from outside: each problem names place, rule and fix.

The checks are plain Python and not pydantic: loading it takes longer than all of ``callboard playbook check``; all problems
are reported at once; and numbers keep their digits as written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from registry.calling.exact_json import dumps, is_text, loads, where_in_json
from registry.catalog.loader import Catalog
from registry.playbooks.checking import problems_of
from registry.playbooks.playbook import INPUT_TYPES, Input, InputType, Playbook, PlaybookError, Problem, Step, input_type
from registry.text.safe_text import exact_json, shortened, visible_line

FORMAT, VERSION = "callboard playbook", 1
MOST_BYTES = 262_144
LONGEST_NAME = 60
_MEMBERS = ("format", "version", "name", "about", "inputs", "steps", "outputs")
_OF_INPUT = ("name", "type", "object", "values", "default", "example", "help", "required", "secret")
_OF_STEP = ("id", "tool", "arguments")
_USUAL: dict[str, object] = {"type": "string", "required": True, "secret": False}


def checked_name(name: str) -> str:
    """A name without surrounding spaces.

    Raises:
        PlaybookError: it is empty, too long, or not printable.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or visible_line(name) != name:
        raise PlaybookError(f"`name` must have 1 to {LONGEST_NAME} printable characters.", "Choose another name.")
    return name


def file_text(playbook: Playbook) -> str:
    """A playbook as the text of its file."""
    inputs = [_input_members(one) for one in playbook.inputs]
    steps = [{"id": one.id, "tool": one.tool, "arguments": dict(one.arguments)} for one in playbook.steps]
    members: dict[str, object] = {"format": FORMAT, "version": VERSION, "name": playbook.name}
    members |= {"about": playbook.about} if playbook.about else {}
    members |= {"inputs": inputs, "steps": steps, "outputs": dict(playbook.outputs)}
    return exact_json(dumps(members, indent=2)) + "\n"


def read_file(content: bytes, catalog: Catalog) -> Playbook:
    """The playbook in a file, validated against the catalogue.

    Raises:
        PlaybookError: it is not a playbook, or cannot be run; lists all problems.
    """
    playbook = _shaped(_parsed(content))
    problems = problems_of(playbook, catalog)
    if problems:
        raise wrong(problems)
    return playbook


def wrong(problems: tuple[Problem, ...]) -> PlaybookError:
    """The error for a playbook with problems."""
    first, more = problems[0], len(problems) - 1
    also = f" ({more} more {'problem' if more == 1 else 'problems'})" if more else ""
    return PlaybookError(f"{first}{also}.", "Fix it in the playbook.", problems)


def _parsed(content: bytes) -> dict[str, Any]:
    if len(content) > MOST_BYTES:
        raise PlaybookError(f"The file is too large: a playbook has at most {MOST_BYTES // 1024} KiB.")
    try:
        members = loads(content.decode("utf-8-sig"), whole=True)
    except UnicodeDecodeError as error:
        raise PlaybookError(f"The file is not valid UTF-8 (byte {error.start + 1}).") from None
    except json.JSONDecodeError as error:
        raise PlaybookError(f"The file is not valid JSON: {where_in_json(error)}.") from None
    except ValueError as error:
        raise PlaybookError(f"The file is not valid JSON: {error}.") from None
    if not isinstance(members, dict) or members.get("format") != FORMAT:
        raise PlaybookError("Not a playbook file: `format` is missing or wrong.", f'It must be "{FORMAT}".')
    version = members.get("version")
    if version != VERSION or isinstance(version, bool):
        shown = shortened(visible_line(dumps(version)), 20)
        raise PlaybookError(f"`version` is {shown}; this Callboard reads version {VERSION}.", "Update Callboard.")
    return members


def _shaped(members: dict[str, Any]) -> Playbook:
    """The playbook from a file's properties; raises an error with all those of the wrong type."""
    problems = list(_strangers("", members, _MEMBERS))
    take = _Taking(problems)
    name = checked_name(take.text("", members, "name"))
    inputs = []
    for number, one in enumerate(take.entries(members, "inputs"), 1):
        place = f"inputs.{number}"
        problems += _strangers(place, one, _OF_INPUT)
        inputs.append(
            Input(
                name=take.text(place, one, "name"),
                type=take.type(place, one),
                object_type=take.text(place, one, "object"),
                values=tuple(take.texts(place, one, "values")),
                default=one.get("default"),
                example=take.text(place, one, "example"),
                help=take.text(place, one, "help"),
                required=take.switch(place, one, "required", otherwise=True),
                secret=take.switch(place, one, "secret", otherwise=False),
            )
        )
    steps = []
    for number, one in enumerate(take.entries(members, "steps"), 1):
        place = f"steps.{number}"
        problems += _strangers(place, one, _OF_STEP)
        arguments = take.members(place, one, "arguments")
        steps.append(Step(take.text(place, one, "id"), take.text(place, one, "tool"), arguments))
    outputs = take.members("", members, "outputs")
    for output, template in outputs.items():
        if not is_text(template):
            problems.append(Problem(f"outputs.{visible_line(output)}", "must be a string with a reference, such as {@step.id}"))
    about = take.text("", members, "about")
    if problems:
        raise wrong(tuple(problems))
    return Playbook(name, tuple(steps), tuple(inputs), {key: str(value) for key, value in outputs.items()}, about)


class _Taking:
    """Reads properties of certain types, and records those of another type as problems."""

    def __init__(self, problems: list[Problem]) -> None:
        self._problems = problems

    def text(self, place: str, members: Mapping[str, Any], name: str) -> str:
        value = members.get(name)
        if value is None or is_text(value):
            return str(value or "")
        self._wrong(place, name, "must be a string")
        return ""

    def type(self, place: str, members: Mapping[str, Any]) -> InputType:
        value = self.text(place, members, "type") or "string"
        found = input_type(value)
        if found is None:
            self._wrong(place, "type", f"must be one of {', '.join(INPUT_TYPES)}; got {shortened(visible_line(value), 40)}")
        return found or "string"

    def texts(self, place: str, members: Mapping[str, Any], name: str) -> list[str]:
        value = members.get(name, [])
        if isinstance(value, list) and all(is_text(one) for one in value):
            return value
        self._wrong(place, name, "must be a list of strings")
        return []

    def switch(self, place: str, members: Mapping[str, Any], name: str, *, otherwise: bool) -> bool:
        value = members.get(name, otherwise)
        if isinstance(value, bool):
            return value
        self._wrong(place, name, "must be true or false")
        return otherwise

    def members(self, place: str, members: Mapping[str, Any], name: str) -> dict[str, Any]:
        value = members.get(name, {})
        if isinstance(value, dict):
            return value
        self._wrong(place, name, "must be an object")
        return {}

    def entries(self, members: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
        value = members.get(name, [])
        if isinstance(value, list) and all(isinstance(one, dict) for one in value):
            return value
        self._wrong("", name, "must be a list of objects")
        return []

    def _wrong(self, place: str, name: str, rule: str) -> None:
        self._problems.append(Problem(f"{place}.{name}".lstrip("."), rule))


def _strangers(place: str, members: Mapping[str, Any], known: tuple[str, ...]) -> Iterator[Problem]:
    for name in members:
        if name not in known:
            here = f"{place}.{shortened(visible_line(name), 40)}".lstrip(".")
            yield Problem(here, f"is not a property of a playbook file; allowed here: {', '.join(known)}")


def _input_members(one: Input) -> dict[str, object]:
    """An input's properties, without those at their defaults."""
    found = {name: getattr(one, name) for name in _OF_INPUT if name not in ("object", "values")}
    found |= {"object": one.object_type, "values": list(one.values)}
    return {name: found[name] for name in _OF_INPUT if found[name] != _USUAL.get(name, "") and found[name] not in (None, [])}
