"""A preset: a named set of arguments of one tool, and its JSON file.

The file has its format, the format's version, the tool and the preset. Such files come from outside: each is checked property
by property, and refused with the property's name, the rule and the fix. The checks are plain Python and not pydantic: loading
it takes longer than all of ``callboard call --preset``, and the numbers of a file keep their digits as written.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from registry.calling.arguments import unknown
from registry.calling.exact_json import Exact, dumps
from registry.calling.invalid_value import InvalidValue
from registry.catalog.model import Tool
from registry.presets.values import Raw, from_json, held_in, token
from registry.text.safe_text import exact_json, shortened, visible_line

FORMAT, VERSION = "callboard arguments", 1
MOST_BYTES = 262_144
LONGEST_NAME = 60
_LAST_MOMENT = 32_503_680_000  # the year 3000: far below the limits of any calendar on this machine
_MEMBERS = ("format", "version", "tool", "name", "saved", "arguments")


class PresetError(Exception):
    """A preset cannot be saved, read or shared: the cause, and what to do."""

    def __init__(self, cause: str, way_out: str = "") -> None:
        super().__init__(f"{cause} {way_out}".strip())
        self.cause = cause
        self.way_out = way_out


class DamagedPreset(PresetError):
    """A file is not a preset at all."""


class Preset(msgspec.Struct, frozen=True):
    """A named set of a tool's arguments.

    Attributes:
        tool: the tool's name.
        name: unique for the tool.
        raw: parameter → its field's value: text, a list of texts, or JSON values. It has no secrets.
        saved: when, in Unix seconds.
        shared: the shared folder with its file; empty for the user's own. Only the file's location says this, not its content.
    """

    tool: str
    name: str
    raw: Mapping[str, Raw]
    saved: float
    shared: str = ""

    @property
    def reference(self) -> str:
        """Its unambiguous name: ``FOLDER/NAME`` in a shared folder."""
        return f"{self.shared}/{self.name}" if self.shared else self.name

    @property
    def summary(self) -> str:
        """The values in one line, safe to show."""
        return " · ".join(f"{name} {visible_line(words_of(value))}" for name, value in self.raw.items()) or "nothing is set"


def words_of(raw: Raw) -> str:
    """A value in words, also for an empty one."""
    if isinstance(raw, list) and all(isinstance(one, str) for one in raw):
        return ", ".join(raw) or "(empty)"
    return (raw if isinstance(raw, str) else dumps(raw)) or "(empty)"


def new_preset(tool: Tool, name: str, raw: Mapping[str, object], now: float) -> tuple[Preset, tuple[str, ...]]:
    """A preset from a form's values, and the names of the secrets that it leaves out.

    Raises:
        PresetError: the name is invalid, or no value is set.
    """
    secret = [one.name for one in tool.parameters if one.role == "secret" and raw.get(one.name) is not None]
    held = held_in(tool, raw)
    kept = {name: value for name, value in held.items() if name not in secret}
    if not kept:
        why = f"Only {', '.join(secret)} is set, and secrets are never saved." if secret else "No field is set."
        raise PresetError(f"Nothing to save. {why}", "Fill a field first.")
    return Preset(tool.name, checked_name(name), kept, now), tuple(secret)


def checked_name(name: str) -> str:
    """A name without surrounding spaces.

    Raises:
        PresetError: it is empty, too long, or not printable.
    """
    name = name.strip()
    if not name:
        raise PresetError("A preset needs a name.", "Enter a name.")
    if len(name) > LONGEST_NAME:
        raise PresetError(f"`name` has at most {LONGEST_NAME} characters; got {len(name)}.", "Choose a shorter one.")
    if visible_line(name) != name:
        raise PresetError("`name` contains a control character or an invisible character.", "Remove it.")
    return name


def file_text(tool: Tool, one: Preset) -> str:
    """A preset as the text of its file, one line for each argument."""
    saved = datetime.fromtimestamp(int(one.saved), UTC).isoformat().replace("+00:00", "Z")
    parameters = [parameter for parameter in tool.parameters if parameter.name in one.raw and parameter.role != "secret"]
    members = ",\n".join(f"    {json.dumps(p.name)}: {token(p, one.raw[p.name])}" for p in parameters)
    head: dict[str, Any] = {"format": FORMAT, "version": VERSION, "tool": one.tool, "name": one.name, "saved": saved}
    lines = [f"  {json.dumps(name)}: {exact_json(json.dumps(value, ensure_ascii=False))}" for name, value in head.items()]
    return "{\n" + ",\n".join([*lines, f'  "arguments": {{\n{members}\n  }}']) + "\n}\n"


def read_file(content: bytes, tools: Mapping[str, Tool]) -> Preset:
    """The preset in a file.

    Args:
        content: all bytes of the file.
        tools: all tools, by name.

    Raises:
        DamagedPreset: it is not a preset at all.
        PresetError: a property is invalid, or a newer version wrote it.
    """
    members = _parsed(content)
    if members.get("format") != FORMAT:
        raise DamagedPreset("Not a preset file: `format` is missing or wrong.", f'It must be "{FORMAT}".')
    version = members.get("version")
    if not (isinstance(version, Exact) and version.isdecimal()):
        raise DamagedPreset(f"`version` must be a whole number; got {_shown(version)}.")
    if version != str(VERSION):
        raise PresetError(
            f"The file has version {shortened(version, 20)}; this Callboard reads version {VERSION}.", "Update Callboard."
        )
    for member in members:
        if member not in _MEMBERS:
            raise DamagedPreset(
                f"`{shortened(visible_line(member), 40)}` is not a property of a preset file.",
                f"Allowed: {', '.join(_MEMBERS)}.",
            )
    tool_name, name = members.get("tool"), members.get("name")
    if not isinstance(name, str) or isinstance(name, Exact):
        raise DamagedPreset(f"`name` must be text; got {_shown(name)}.")
    if not isinstance(tool_name, str) or isinstance(tool_name, Exact):
        raise DamagedPreset(f"`tool` must be text; got {_shown(tool_name)}.")
    tool = tools.get(tool_name)
    if tool is None:
        raise PresetError(f"Unknown tool {_shown(tool_name)} in `tool`{_nearest(tool_name, tools)}.")
    return Preset(tool.name, checked_name(name), _arguments(tool, members.get("arguments")), _moment(members.get("saved")))


def _parsed(content: bytes) -> dict[str, object]:
    if len(content) > MOST_BYTES:
        raise DamagedPreset(f"The file is too large: a preset has at most {MOST_BYTES // 1024} KiB.")
    try:
        text = content.decode("utf-8-sig")
        members = json.loads(text, parse_int=Exact, parse_float=Exact, parse_constant=_no_number, object_pairs_hook=_single)
    except UnicodeDecodeError as error:
        raise DamagedPreset(f"The file is not valid UTF-8 (byte {error.start + 1}).") from None
    except json.JSONDecodeError as error:
        raise DamagedPreset(f"The file is not JSON: line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except RecursionError:
        raise DamagedPreset("The file is nested too deeply.") from None
    if not isinstance(members, dict):
        raise DamagedPreset("The file must contain a JSON object.")
    return members


def _arguments(tool: Tool, members: object) -> dict[str, Raw]:
    if not isinstance(members, dict):
        raise DamagedPreset("`arguments` must be an object of parameters and values.")
    raw: dict[str, Raw] = {}
    for name, value in members.items():
        parameter = tool.parameter(name)
        if parameter is None:
            shown = shortened(visible_line(name), 40)
            raise PresetError(f"`arguments.{shown}` {unknown(tool, name).message}.", "Remove it from the file.")
        if parameter.role == "secret":
            raise PresetError(f"`arguments.{name}` is a secret, and secrets are never saved.", "Remove it from the file.")
        try:
            held = from_json(tool, parameter, value)
        except InvalidValue as refusal:
            raise PresetError(f"`arguments.{name}` {refusal}.", "Fix it in the file.") from None
        if held is not None:
            raw[name] = held
    return {one.name: raw[one.name] for one in tool.parameters if one.name in raw}


def _moment(saved: object) -> float:
    if saved is None:
        return 0.0
    try:
        moment = datetime.fromisoformat(saved) if isinstance(saved, str) else None
        if moment is not None and moment.tzinfo is not None and 0 <= moment.timestamp() < _LAST_MOMENT:
            return moment.timestamp()
    except (ValueError, OverflowError, OSError):
        pass
    raise DamagedPreset(f"`saved` must be a time such as 2026-03-01T09:00:00Z; got {_shown(saved)}.")


def _single(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DamagedPreset(f"`{shortened(visible_line(twice), 40)}` appears twice.", "Remove one of them.")
    return members


def _no_number(word: str) -> object:
    raise DamagedPreset(f"The file is not JSON: {word} is not a number in JSON.")


def _nearest(name: str, tools: Mapping[str, Tool]) -> str:
    nearest = difflib.get_close_matches(name, tools, n=1)
    return f"; did you mean {nearest[0]}?" if nearest else ""


def _shown(value: object) -> str:
    if isinstance(value, Exact) or value is None:
        return shortened(str(value), 40) if value is not None else "nothing"
    return shortened(visible_line(json.dumps(value, ensure_ascii=False)), 40)
