"""The settings in ``config.toml``, edited by hand: keys and the look of the screens; and those that count, with their sources.

A mistake never stops the program: it is reported with its file and its name, and everything else counts. The rules are
here and not in pydantic, because the file is read before the first frame, which would wait for pydantic to load.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

from msgspec import Struct, field
from msgspec.structs import replace
from platformdirs import user_downloads_path

from registry.accounts.account import Account, Colour
from registry.accounts.connection import AccountRule, Mode
from registry.accounts.policy import WINDOW, Decision
from registry.catalog.loader import load
from registry.catalog.shared_folders import shared_setting
from registry.engine import open_engine
from registry.files.folders import config_file, open_plain, served_folder
from registry.files.toml_text import GONE_COMMANDS, NotToml, gone_settings, line_of, parsed, section_in
from registry.text.shown import visible_line
from tui.keyboard.commands import (
    BROWSER_KEYS,
    COMMANDS,
    EVERY,
    Command,
    Scope,
    as_sent,
    clashes,
    edits_a_line,
    key_named,
    like,
    spelled,
    types,
)
from tui.state.json_store import Preferences, usual_folder


def wants_lines(environment: Mapping[str, str]) -> bool:
    """Whether ``CALLBOARD_SCREEN_READER`` or ``screen_reader`` in ``config.toml`` says so, or the terminal has no screen."""
    if environment.get("CALLBOARD_SCREEN_READER") or environment.get("TERM") == "dumb":
        return True
    return section_in(config_file(environment), "look").get("screen_reader") is True


def downloads_folder() -> Path:
    """The downloads folder, made if it is missing; the home folder if that fails. Never the shell's current folder.

    In a browser, the folder from which the browser downloads files.
    """
    if (served := served_folder()) is not None:
        return served
    downloads = user_downloads_path()
    try:
        downloads.mkdir(parents=True, exist_ok=True)
        return downloads
    except OSError:
        return Path.home()


_MOST_BYTES = 100_000
_KEYS, _LOOK = "keys", "look"
_OTHERS = ("accounts", "team", "audit")
"""Sections that are read and checked by the packages that use them, such as `registry.accounts`."""
LOOKS: Mapping[str, object] = {"theme": "", "ascii": False, "motion": True, "screen_reader": False}
"""The settings of the look, with their defaults. The last one is read before any screen is made."""
_LIKE_OTHERS = {"ctrl+h": "Backspace", "ctrl+i": "Tab", "ctrl+j": "Enter", "ctrl+m": "Enter"}
_WHILE_TYPING: tuple[Scope, ...] = ("everywhere", "form")


class Settings(Struct, frozen=True):
    """The settings.

    Attributes:
        keys: the keys of commands that are not the default ones, by the command's id.
        theme: the name of a theme; empty for the default one.
        ascii: whether the screens are drawn with ASCII characters only.
        motion: whether anything may move by itself.
        problems: mistakes in the file. They contain text from outside.
    """

    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    theme: str = ""
    ascii: bool = False
    motion: bool = True
    problems: tuple[str, ...] = ()

    def keys_of(self, command: Command) -> tuple[str, ...]:
        return self.keys.get(command.id) or command.usual

    def shown(self, command: Command) -> str:
        return spelled(self.keys[command.id][0]) if command.id in self.keys else command.shown

    def key(self, id_: str) -> str:
        """The first key of the command with this id, as people write it; without one, how it is found by its name."""
        command = next(command for command in EVERY if command.id == id_)
        return self.shown(command) or f"{self.key('palette')} {command.title}"

    @property
    def keymap(self) -> dict[str, str]:
        """The changed keys in the form of Textual's keymap; they replace all default keys of a command."""
        usual = {command.id: max(len(command.usual), 1) for command in EVERY}
        names = [(id_, id_ if place == 0 else f"{id_}.{place + 1}") for id_ in self.keys for place in range(usual[id_])]
        return {name: ",".join(as_sent(self.keys[id_])) for id_, name in names}


def settings_of(app: object) -> Settings:
    """The settings of the running application."""
    return cast(Settings, cast(Any, app).settings)


def key_of(app: object, id_: str) -> str:
    """The first key of a command as people write it, by its id."""
    return settings_of(app).key(id_)


def refused_words(app: object, decision: Decision) -> str:
    """Why a call is refused and what to do, with the key where a key does it."""
    way_out = decision.way_out
    if decision.kind == "switch":
        way_out = f"{key_of(app, 'writing')} allows changes for {WINDOW // 60:.0f} minutes."
    return f"{decision.reason} {way_out}".rstrip()


def current(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this run, in a browser with the keys for browsers. Reads a file: not for the event loop."""
    found = read(config_file(environment), BROWSER_KEYS if served_folder(environment) is not None else {})
    return replace(found, problems=(*found.problems, *gone_settings(environment)))


def read(file: Path, usual: Mapping[str, tuple[str, ...]] = {}) -> Settings:
    """The settings in a file; the defaults if there is no file. Reads a file: not for the event loop.

    Args:
        file: the file.
        usual: default keys that differ here, by the ids of commands; the file has priority.
    """
    place = f"{file}"
    try:
        with open_plain(file) as opened:
            raw = opened.read(_MOST_BYTES + 1)
        if len(raw) <= _MOST_BYTES:
            return _settings(raw.decode("utf-8"), usual, place)
        problem = f"the file is too large (limit {_MOST_BYTES:,} bytes)"
    except FileNotFoundError:
        return Settings(usual)
    except OSError as error:
        problem = f"cannot read the file: {error.strerror or error}"
    except UnicodeDecodeError:
        problem = "not valid UTF-8"
    except NotToml as error:
        problem, place = str(error), f"{file}:{error.line}" if error.line is not None else place
    return Settings(usual, problems=(visible_line(f"{place}: {problem}"),))


def _settings(text: str, usual: Mapping[str, tuple[str, ...]], place: str) -> Settings:
    content, sections = parsed(text), (_KEYS, _LOOK, *_OTHERS)
    wrong: list[str] = []

    def tell(section: str, name: str, words: str) -> None:
        line = line_of(text, section, name)
        wrong.append(visible_line(f"{place}:{line}: {words}" if line is not None else f"{place}: {words}"))

    for name, inside in content.items():
        if name not in sections:
            tell(name, "", f"unknown section [{name}]{_nearest(name, sections)}")
        elif name in sections[:2] and not isinstance(inside, dict):
            tell("", name, f"{name} must be a section: write [{name}]")
    keys, look = (found if isinstance(found := content.get(name, {}), dict) else {} for name in sections[:2])
    taken = _keys(keys, usual, partial(tell, _KEYS))
    good: dict[str, Any] = {}
    for name, value in look.items():
        if name not in LOOKS:
            tell(_LOOK, name, f"unknown setting {name}{_nearest(name, LOOKS)}")
        elif isinstance(value, type(LOOKS[name])):
            good[name] = value
        else:
            tell(_LOOK, name, f"{name} must be {'a theme name in quotes' if name == 'theme' else 'true or false'}")
    good.pop("screen_reader", None)
    return Settings(taken, **good, problems=tuple(wrong))


def _keys(
    section: dict[str, Any], usual: Mapping[str, tuple[str, ...]], tell: Callable[[str, str], None]
) -> dict[str, tuple[str, ...]]:
    """The keys in a section, without those that another command in the same place has; what is wrong is told."""
    commands = {command.id: command for command in EVERY}
    found: dict[str, tuple[str, ...]] = {}
    for id_, value in section.items():
        names = value.split(",") if isinstance(value, str) else value
        if id_ in GONE_COMMANDS:
            continue
        if id_ not in commands:
            tell(id_, f"unknown command {id_}{_nearest(id_, commands)}")
        elif not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            tell(id_, f"{id_} must be a key or a list of keys, in quotes")
        elif problems := [words for name in names if (words := _problem(commands[id_], name.strip()))]:
            for words in problems:
                tell(id_, words)
        else:
            found[id_] = tuple(dict.fromkeys(key for name in names if (key := key_named(name.strip()))))
    while (clash := next((one for one in clashes({**usual, **found}) if one[0] in found), None)) is not None:
        id_, other, key = clash
        del found[id_]
        default = ",".join(usual.get(id_) or commands[id_].usual) or "no key"
        tell(id_, f"{key} is already used by {other}; {id_} keeps its default, {default}")
    return {**usual, **found}


def _problem(command: Command, name: str) -> str:
    """Why a command cannot have a key with this name; empty if it can."""
    key = key_named(name)
    if key is None:
        return f"{command.id}: unknown key {name}{_meant(like(name))}"
    if key in _LIKE_OTHERS:
        return f"{command.id}: terminals send the same code for {name} and {_LIKE_OTHERS[key]}: choose another key"
    if command.scope in _WHILE_TYPING and types(key):
        return f"{command.id} must work while you type, so {name} alone cannot be its key: add ctrl+ or alt+"
    if command.scope == "form" and edits_a_line(key):
        return f"{command.id} must work while you type, but {name} edits text: choose another key"
    return ""


def _nearest(name: str, names: Iterable[str]) -> str:
    return _meant(next(iter(get_close_matches(name, list(names), 1, 0.5)), ""))


def _meant(near: str) -> str:
    return f"; did you mean {near}?" if near else ""


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
        "service": {"enum": sorted({one.name for one in load().toolkits.values()})},
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
