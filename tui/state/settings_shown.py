"""For ``callboard config``: the settings that count now their sources, mistakes in the file, its JSON Schema."""

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

from registry.accounts.account import Account, Colour
from registry.accounts.connection import AccountRule, Mode
from registry.catalog.loader import services
from registry.catalog.shared_folders import shared_setting
from registry.engine import open_engine
from registry.files.folders import config_file, open_plain
from registry.files.toml_text import NotToml, line_of, parsed
from registry.text.safe_text import visible_line
from tui.keyboard.commands import COMMANDS
from tui.state.preferences import Preferences, usual_folder
from tui.state.settings import LOOKS, current

VARIABLES: Mapping[str, str] = {
    "CALLBOARD_ASCII": "look.ascii",
    "CALLBOARD_SCREEN_READER": "look.screen_reader",
    "CALLBOARD_AUDIT_FILE": "audit.file",
    "CALLBOARD_SHARED": "team.shared",
    "CALLBOARD_READ_ONLY": "read_only",
    "CALLBOARD_TYPE_TO_DELETE": "type_to_delete",
    "CALLBOARD_CONFIRM_BY": "confirm_by",
    "CALLBOARD_COUNT_LIVE": "count_live",
    "CALLBOARD_NO_JOURNAL": "no_journal",
    "CALLBOARD_TOOLKITS": "toolkits",
}
"""Variables of the environment, and the setting that each makes. The last ones are in no file."""

_DEFAULTS: Mapping[str, object] = {
    **{f"look.{name}": value for name, value in LOOKS.items()},
    "audit.file": "",
    "team.shared": [],
}
_TEXT, _TRUTH, _TEXTS = {"type": "string"}, {"type": "boolean"}, {"type": "array", "items": {"type": "string"}}


class Setting(NamedTuple):
    """One setting as it counts now: its name with its section, its value, and where that comes from."""

    name: str
    value: object
    source: str


def counting(environment: Mapping[str, str] = os.environ) -> Iterator[Setting]:
    """The settings in the order of the file, then those that only variables make."""
    text, content = _file(environment)
    settings = current(environment)
    by_variable = {setting: name for name, setting in VARIABLES.items() if environment.get(name)}
    chosen = Preferences(usual_folder()).theme_chosen(settings.theme)

    def written(section: str, name: str, *, counts: bool) -> str:
        return f"line {line_of(text, section, name)}{'' if counts else ', not used: callboard config check says why'}"

    for id_, names in _section(content, "keys").items():
        yield Setting(f"keys.{id_}", names, written("keys", id_, counts=id_ in settings.keys))
    for setting, default in _DEFAULTS.items():
        section, _, name = setting.partition(".")
        if setting == "look.theme" and chosen:
            yield Setting(setting, chosen, "chosen in the explorer")
        elif setting in by_variable:
            yield _by_variable(setting, by_variable[setting], environment)
        elif name in (inside := _section(content, section)):
            yield Setting(setting, inside[name], written(section, name, counts=isinstance(inside[name], type(default))))
        else:
            yield Setting(setting, default, "default")
    for name, values in _section(content, "accounts").items():
        for key, value in values.items() if isinstance(values, dict) else ():
            yield Setting(f"accounts.{name}.{key}", value, written(f"accounts.{name}", key, counts=True))
    for setting in VARIABLES.values():
        if setting in by_variable and setting not in _DEFAULTS:
            yield _by_variable(setting, by_variable[setting], environment)


def found_problems() -> list[str]:
    """The mistakes in the file, each with its line where it has one."""
    text, _ = _file(os.environ)
    place, engine = config_file(os.environ), open_engine()
    wrong = [*current().problems, *shared_setting()[1], *filter(None, [engine.problem])]
    for name, words in engine.account_problems.items() if engine.connections else ():
        line = line_of(text, f"accounts.{name}", "")
        wrong.append(visible_line(f'{place}:{line}: [accounts."{name}"] {words}' if name else words))
    return list(dict.fromkeys(wrong))


def schema() -> dict[str, Any]:
    """The JSON Schema of ``config.toml``, for editors."""
    account = dict.fromkeys(Account.__struct_fields__[1:], _TEXT) | {
        "service": {"enum": sorted({one.name for one in services().values()})},
        "secret": {"type": "string", "pattern": "^(keyring|env|command|file|none):"},
        "default": _TRUTH,
        **{
            name: {"enum": [*filter(None, get_args(kind))]}
            for name, kind in (("mode", Mode), ("rule", AccountRule), ("colour", Colour))
        },
    }
    keys = {one.id: {"description": one.help, "anyOf": [_TEXT, {**_TEXTS, "minItems": 1}]} for one in COMMANDS}
    look = {name: _TRUTH if isinstance(value, bool) else _TEXT for name, value in LOOKS.items()}
    accounts = {"type": "object", "additionalProperties": {**_object(account), "required": ["service", "secret"]}}
    sections = {"keys": _object(keys), "look": _object(look), "audit": _object({"file": _TEXT})}
    sections |= {"team": {"type": "object", "properties": {"shared": _TEXTS}}, "accounts": accounts}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Settings of Callboard", **_object(sections)}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "additionalProperties": False}


def _by_variable(setting: str, name: str, environment: Mapping[str, str]) -> Setting:
    value: object = environment[name]
    if isinstance(_DEFAULTS.get(setting), bool):
        value = True
    elif isinstance(_DEFAULTS.get(setting), list):
        value = [one.strip() for one in environment[name].split(",")]
    return Setting(setting, value, name)


def _file(environment: Mapping[str, str]) -> tuple[str, Mapping[str, Any]]:
    """The text of the settings' file and its content; empty if it cannot be read, which `found_problems` says."""
    try:
        with open_plain(config_file(environment)) as opened:
            text = opened.read().decode("utf-8")
        return text, parsed(text)
    except (OSError, UnicodeDecodeError, NotToml):
        return "", {}


def _section(content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = content.get(name, {})
    return found if isinstance(found, dict) else {}
