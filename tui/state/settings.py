"""The settings in ``config.toml``, edited by hand: keys of commands, and the look of the screens.

A mistake never stops the program: it is reported with its file and line, and everything else counts. The rules are
here and not in pydantic, because the file is read before the first frame, which would wait for pydantic to load.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Protocol, cast

from registry.files.folders import config_file
from registry.files.gone_settings import GONE_COMMANDS, gone_settings
from registry.files.plain_file import open_plain
from registry.files.served import served_folder
from registry.files.toml_text import NotToml, parsed
from registry.text.safe_text import visible_line
from tui.keyboard.browser_keys import BROWSER_KEYS
from tui.keyboard.commands import COMMANDS, Command, Scope
from tui.keyboard.key_clashes import clashes
from tui.keyboard.key_names import as_sent, edits_a_line, key_named, like, spelled, types

_MOST_BYTES = 100_000
_KEYS, _LOOK = "keys", "look"
_OTHERS = ("accounts", "team", "audit")
"""Sections that are read and checked by the packages that use them, such as `registry.accounts`."""
_LOOKS = ("theme", "ascii", "motion", "screen_reader")
"""The last is read by `tui.state.line_mode`, before any screen is made; mistakes in it are reported here."""
_LIKE_OTHERS = {"ctrl+h": "Backspace", "ctrl+i": "Tab", "ctrl+j": "Enter", "ctrl+m": "Enter"}
_WHILE_TYPING: tuple[Scope, ...] = ("everywhere", "form")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings.

    Attributes:
        keys: the keys of commands that are not the default ones, by the command's id.
        theme: the name of a theme; empty for the default one.
        ascii: whether the screens are drawn with ASCII characters only.
        motion: whether anything may move by itself.
        problems: mistakes in the file, each with file and line. They contain text from outside.
    """

    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    theme: str = ""
    ascii: bool = False
    motion: bool = True
    problems: tuple[str, ...] = ()

    def keys_of(self, command: Command) -> tuple[str, ...]:
        """The keys of a command."""
        return self.keys.get(command.id) or tuple(command.keys.split(","))

    def shown(self, command: Command) -> str:
        """A command's first key as people write it."""
        return spelled(self.keys[command.id][0]) if command.id in self.keys else command.shown

    def key(self, id_: str) -> str:
        """The first key of the command with this id, as people write it."""
        return next(self.shown(command) for command in COMMANDS if command.id == id_)

    @property
    def keymap(self) -> dict[str, str]:
        """The changed keys in the form of Textual's keymap; they replace all default keys of a command."""
        usual = {command.id: len(command.keys.split(",")) for command in COMMANDS}
        names = [(id_, id_ if place == 0 else f"{id_}.{place + 1}") for id_ in self.keys for place in range(usual[id_])]
        return {name: ",".join(as_sent(self.keys[id_])) for id_, name in names}


class Configured(Protocol):
    """An application with settings."""

    @property
    def settings(self) -> Settings:
        """The settings."""


def key_of(app: object, id_: str) -> str:
    """The first key of a command as people write it, by its id, in the settings of the running application."""
    return cast(Configured, app).settings.key(id_)


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
    try:
        with open_plain(file) as opened:
            raw = opened.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return Settings(usual)
    except OSError as error:
        return Settings(usual, problems=(f"{file}: cannot read the file: {error.strerror or error}",))
    if len(raw) > _MOST_BYTES:
        return Settings(usual, problems=(f"{file}: the file is too large (limit {_MOST_BYTES:,} bytes)",))
    try:
        text = raw.decode("utf-8")
        content = parsed(text)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(10) + 1
        return Settings(usual, problems=(f"{file}:{line}: not valid UTF-8",))
    except NotToml as error:
        place = f"{file}:{error.line}" if error.line is not None else f"{file}"
        return Settings(usual, problems=(visible_line(f"{place}: {error}"),))
    return _Reading(file, text, usual).settings(content)


class _Reading:
    """One reading of a file, which collects its problems."""

    def __init__(self, file: Path, text: str, usual: Mapping[str, tuple[str, ...]]) -> None:
        self._file = file
        self._usual = usual
        self._lines = text.splitlines()
        self._problems: list[str] = []

    def settings(self, content: dict[str, Any]) -> Settings:
        for name in content:
            if name not in (_KEYS, _LOOK, *_OTHERS):
                self._wrong("", name, f"unknown section [{name}]{_nearest(name, (_KEYS, _LOOK, *_OTHERS))}")
        keys = self._keys(self._section(content, _KEYS))
        look = self._section(content, _LOOK)
        for name in look:
            if name not in _LOOKS:
                self._wrong(_LOOK, name, f"unknown setting {name}{_nearest(name, _LOOKS)}")
        theme = look.get("theme", "")
        if not isinstance(theme, str):
            self._wrong(_LOOK, "theme", "theme must be a theme name in quotes")
            theme = ""
        switches = {"ascii": False, "motion": True, "screen_reader": False}
        for name in switches:
            if isinstance(value := look.get(name, switches[name]), bool):
                switches[name] = value
            else:
                self._wrong(_LOOK, name, f"{name} must be true or false")
        return Settings(keys, theme, switches["ascii"], switches["motion"], tuple(self._problems))

    def _section(self, content: dict[str, Any], name: str) -> dict[str, Any]:
        section = content.get(name, {})
        if isinstance(section, dict):
            return section
        self._wrong("", name, f"{name} must be a section: write [{name}]")
        return {}

    def _keys(self, section: dict[str, Any]) -> dict[str, tuple[str, ...]]:
        commands = {command.id: command for command in COMMANDS}
        found: dict[str, tuple[str, ...]] = {}
        for id_, value in section.items():
            if id_ in GONE_COMMANDS:
                continue
            if (command := commands.get(id_)) is None:
                self._wrong(_KEYS, id_, f"unknown command {id_}{_nearest(id_, commands)}")
                continue
            names = value.split(",") if isinstance(value, str) else value
            if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
                self._wrong(_KEYS, id_, f"{id_} must be a key or a list of keys, in quotes")
                continue
            keys = [self._key(command, name.strip()) for name in names]
            if all(keys):
                found[id_] = tuple(dict.fromkeys(key for key in keys if key))
        return self._without_clashes(found, commands)

    def _key(self, command: Command, name: str) -> str | None:
        key = key_named(name)
        if key is None:
            self._wrong(_KEYS, command.id, f"unknown key {name}{_nearest_of(like(name))}")
        elif key in _LIKE_OTHERS:
            self._wrong(
                _KEYS, command.id, f"terminals send the same code for {name} and {_LIKE_OTHERS[key]}: choose another key"
            )
        elif command.scope in _WHILE_TYPING and types(key):
            self._wrong(
                _KEYS,
                command.id,
                f"{command.id} must work while you type, so {name} alone cannot be its key: add ctrl+ or alt+",
            )
        elif command.scope == "form" and edits_a_line(key):
            self._wrong(_KEYS, command.id, f"{command.id} must work while you type, but {name} edits text: choose another key")
        else:
            return key
        return None

    def _without_clashes(
        self, found: dict[str, tuple[str, ...]], commands: Mapping[str, Command]
    ) -> dict[str, tuple[str, ...]]:
        """The keys that were set, without those of another command that works in the same place."""
        kept = {**self._usual, **found}
        while (clash := next((one for one in clashes(kept) if one[0] in found), None)) is not None:
            id_, other, key = clash
            del kept[id_], found[id_]
            usual = ",".join(self._usual.get(id_) or (commands[id_].keys,))
            self._wrong(_KEYS, id_, f"{key} is already used by {other}; {id_} keeps its default, {usual}")
            kept = {**self._usual, **kept}
        return kept

    def _wrong(self, section: str, name: str, words: str) -> None:
        self._problems.append(visible_line(f"{self._file}:{self._line_of(section, name)}: {words}"))

    def _line_of(self, section: str, name: str) -> int:
        """The line on which something is set, from 1."""
        inside, wanted = (
            "",
            re.compile(rf"\s*(?:[\"']?{re.escape(name)}[\"']?\s*[=.]|\[\s*[\"']?{re.escape(name)}[\"']?\s*[\].])"),
        )
        for number, line in enumerate(self._lines, 1):
            if inside == section and wanted.match(line):
                return number
            if header := re.match(r"\s*\[\s*[\"']?([^\]\"']+)", line):
                inside = header.group(1).strip()
        return 1


def _nearest(name: str, names: Any) -> str:
    near = get_close_matches(name, list(names), 1, 0.5)
    return _nearest_of(near[0] if near else "")


def _nearest_of(near: str) -> str:
    return f"; did you mean {near}?" if near else ""
