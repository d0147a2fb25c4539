"""Reads and writes a saved call as a JSON file, and reads the files of earlier versions: presets and playbooks.

Files come from outside: every problem names its place, the rule and what to do. Numbers keep their digits as written.
"""

from typing import Any

import msgspec

from registry.catalog.folders import converted, in_words
from registry.catalog.loader import Catalog
from registry.json_text import NotJson, dumps, indented, read_typed
from registry.saved.from_form import saved_form
from registry.saved.saved_call import Input, Problem, SavedCall, SavedCallError, Step, problems_of
from registry.text.shown import exact_json, shortened, visible_line

FORMAT, PLAYBOOK, PRESET, VERSION = "callboard saved call", "callboard playbook", "callboard arguments", 1
MOST_BYTES = 262_144
LONGEST_NAME = 60


def checked_name(name: str) -> str:
    """A name without surrounding spaces.

    Raises:
        SavedCallError: it is empty, too long, or not printable.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or visible_line(name) != name:
        raise SavedCallError(f"`name` must have 1 to {LONGEST_NAME} printable characters.", "Choose another name.")
    return name


def file_text(call: SavedCall) -> str:
    """A saved call as the text of its file."""
    members = {"format": FORMAT, "version": VERSION, **_members(call)}
    return exact_json(indented(members)) + "\n"


def read_file(content: bytes, catalog: Catalog) -> SavedCall:
    """The saved call in a file, checked against the catalogue: its tools exist, and take what it gives them.

    Raises:
        SavedCallError: it is no saved call, or cannot be used; has all problems.
    """
    members = _parsed(content)
    format_, version = members.pop("format", None), members.pop("version", None)
    if format_ not in (FORMAT, PLAYBOOK, PRESET):
        raise SavedCallError("Not the file of a saved call: `format` is missing or wrong.", f'It must be "{FORMAT}".')
    if version != VERSION or isinstance(version, bool):
        shown = shortened(visible_line(dumps(version)), 20)
        raise SavedCallError(f"`version` is {shown}; this Callboard reads version {VERSION}.", "Update Callboard.")
    if format_ == PRESET:
        return _preset(members, catalog)
    try:
        call = converted(members, SavedCall)
    except msgspec.ValidationError as error:
        place, rule = in_words(error)
        raise wrong((Problem(visible_line(place.lstrip(".")), visible_line(rule)),)) from None
    except UnicodeEncodeError:
        raise SavedCallError("The file has half of a surrogate pair, which is not a character.") from None
    call = msgspec.structs.replace(call, name=checked_name(call.name), shared="")
    if problems := problems_of(call, catalog):
        raise wrong(problems)
    return call


def wrong(problems: tuple[Problem, ...]) -> SavedCallError:
    """The error for a saved call with problems."""
    first, more = problems[0], len(problems) - 1
    also = f" ({more} more {'problem' if more == 1 else 'problems'})" if more else ""
    return SavedCallError(f"{first}{also}.", "Fix it in the saved call.", problems)


def _parsed(content: bytes) -> dict[str, Any]:
    if len(content) > MOST_BYTES:
        raise SavedCallError(f"The file is too large: a saved call has at most {MOST_BYTES // 1024} KiB.")
    try:
        members = read_typed(content.decode("utf-8-sig"), whole=True)
    except UnicodeDecodeError as error:
        raise SavedCallError(f"The file is not valid UTF-8 (byte {error.start + 1}).") from None
    except NotJson as error:
        raise SavedCallError(f"The file is not valid JSON: {error}.") from None
    if not isinstance(members, dict):
        raise SavedCallError("Not the file of a saved call: it must contain a JSON object.")
    return members


def _preset(members: dict[str, Any], catalog: Catalog) -> SavedCall:
    """The call of a preset: its arguments are values, never templates."""
    name, arguments = members.get("name"), members.get("arguments")
    tool = catalog.find(str(members.get("tool")))
    if tool is None or not isinstance(arguments, dict):
        raise SavedCallError(f"Unknown tool “{shortened(visible_line(str(members.get('tool'))), 40)}” in `tool`.")
    unknown = [one for one in arguments if tool.parameter(one) is None]
    if unknown:
        raise SavedCallError(f"`arguments.{visible_line(unknown[0])}` is not a parameter of {tool.name}.", "Remove it.")
    return saved_form(tool, checked_name(str(name)), arguments)


def _members(value: SavedCall | Input | Step) -> dict[str, Any]:
    """The properties of a file that are not at their defaults."""
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(value):
        held = getattr(value, field.name)
        if isinstance(held, tuple):
            held = [_members(one) if isinstance(one, Input | Step) else one for one in held]
        usual = field.default if field.default is not msgspec.NODEFAULT else None
        if held not in ([], {}, usual) and field.name != "shared":
            found[field.encode_name] = held
    return found
