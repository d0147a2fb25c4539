"""A walk as a value, read from TOML and written as TOML; mistakes in a file are reported with their location."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import tomlkit

from registry.catalog.folders import converted
from registry.files.folders import open_plain, reason
from registry.files.toml_text import NotToml, parsed
from registry.text.shown import visible_line
from tui.keyboard.commands import COMMANDS, key_named, like
from tui.state.settings import Settings

ENDING = ".toml"
_BUILT_IN = Path(__file__).parent / "built_in"
_MOST_BYTES = 1_000_000
_NAMED = re.compile(r"\{(\w+)\}")
_VALUE_NAME = re.compile(r"[a-z][a-z0-9_]*")
_COMMANDS = {command.id: command for command in COMMANDS}


class WalkError(ValueError):
    """A walk cannot be read or played; the message says what is wrong and what to do."""


class WalkStopped(WalkError):
    """A step of a walk failed."""


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One step: a text or keys; with neither, there is only a caption to read.

    Attributes:
        caption: why, in one line. A command's ``{id}`` is replaced by its key, a value's ``{name}`` by the value.
        type: a text to type; a value's ``{name}`` is replaced by the value.
        keys: keys to press one after the other: names, or the id of a command in braces.
        wait: texts that must be on screen before the next step; values as in `type`.
        picture: the name of a picture to draw when the step is done.
        at_least: the least columns of the terminal for the step; with fewer it is skipped.
        below: with so many columns or more the step is skipped.
    """

    caption: str = ""
    type: str = ""
    keys: tuple[str, ...] = ()
    wait: tuple[str, ...] = ()
    picture: str = ""
    at_least: int = 0
    below: int = 100_000

    def fits(self, columns: int) -> bool:
        """Whether it is done in a terminal of so many columns."""
        return self.at_least <= columns < self.below


class Walk(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A walk.

    Attributes:
        title: what it shows, as a question or in a few words.
        about: the same in a sentence.
        place: its position among the walks that are offered, from 1.
        scenario: the scenario of the sandbox's incident service; empty for the usual one.
        world: the sandbox's world, ``usual`` or ``rough``.
        values: texts that can be replaced when it is played, by name.
        steps: the steps.
        name: the name for `callboard demo`; the file's name without its extension.
    """

    title: str
    about: str = ""
    place: int = 0
    scenario: str = ""
    world: str = "usual"
    values: dict[str, str] = msgspec.field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    name: str = ""

    def with_values(self, given: Mapping[str, str]) -> "Walk":
        """The same walk with other values.

        Raises:
            WalkError: it has no value with such a name, or a value cannot be typed.
        """
        for name, value in given.items():
            if name not in self.values:
                known = ", ".join(self.values) or "none"
                raise WalkError(f"--with: the walk {self.name} has no value {visible_line(name)}. Its values: {known}.")
            if not value or not value.isprintable():
                raise WalkError(f"--with: {name} must be text in one line; got {visible_line(value)!r}.")
        return msgspec.structs.replace(self, values={**self.values, **given})

    def filled(self, text: str) -> str:
        """A text with the names in braces replaced by values."""
        return _NAMED.sub(lambda found: self.values.get(found[1], found[0]), text)

    def caption(self, step: Step, settings: Settings) -> str:
        """The caption of a step, with the user's own keys."""
        filled = self.filled(step.caption)
        return _NAMED.sub(lambda found: settings.key(found[1]) if found[1] in _COMMANDS else found[0], filled)


def keys_of(step: Step, settings: Settings) -> tuple[str, ...]:
    """The keys of a step, as Textual names them."""
    return tuple(_key(one, settings) or one for one in step.keys)


def _key(name: str, settings: Settings) -> str | None:
    if (found := _NAMED.fullmatch(name)) is not None:
        command = _COMMANDS.get(found[1])
        return settings.keys_of(command)[0] if command is not None else None
    return key_named(name)


def parse(text: str, name: str) -> Walk:
    """The walk in a TOML text.

    Raises:
        WalkError: it is invalid; the message says where.
    """
    try:
        walk = converted({**parsed(text), "name": name}, Walk)
    except NotToml as error:
        raise WalkError(f"{name}: not valid TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise WalkError(f"{name}: {error}") from None
    if not walk.steps:
        raise WalkError(f"{name}: steps is missing; a walk needs at least one [[steps]].")
    if walk.world not in ("usual", "rough"):
        raise WalkError(f"{name}: world must be usual or rough; got {walk.world!r}.")
    for one in walk.values:
        if not _VALUE_NAME.fullmatch(one) or one in _COMMANDS:
            raise WalkError(f"{name}: values.{one}: use another name, of small letters, that is not the id of a command.")
    for place, step in enumerate(walk.steps, 1):
        where = f"{name}: step {place}"
        if step.type and step.keys:
            raise WalkError(f"{where}: has both type and keys; make two steps of it.")
        if not step.type.isprintable():
            raise WalkError(f"{where}: type must be text in one line.")
        for key in step.keys:
            if _key(key, Settings()) is None:
                near = like(key)
                raise WalkError(f"{where}: unknown key {key!r}{f'; did you mean {near}?' if near else '.'}")
        for found in _NAMED.findall(step.caption):
            if found not in walk.values and found not in _COMMANDS:
                raise WalkError(f"{where}: caption names {found!r}, which is neither a value of the walk nor a command.")
    return walk


def read(file: Path) -> Walk:
    """The walk in a file.

    Raises:
        WalkError: it cannot be read, or is invalid.
    """
    try:
        with open_plain(file) as opened:
            raw = opened.read(_MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:
            raise WalkError(f"{file}: the file is too large (limit {_MOST_BYTES:,} bytes).")
        return parse(raw.decode("utf-8"), file.name.removesuffix(ENDING))
    except OSError as error:
        raise WalkError(f"cannot read the file: {reason(error, file)}.") from error
    except UnicodeDecodeError:
        raise WalkError(f"{file}: not valid UTF-8.") from None


@cache
def built_in() -> Mapping[str, Walk]:
    """The built-in walks by name, in the order in which they are offered."""
    walks = map(read, _BUILT_IN.glob(f"*{ENDING}"))
    return {one.name: one for one in sorted(walks, key=lambda one: (one.place, one.name))}


def named(name: str) -> Walk:
    """The built-in walk with a name, or the walk in a file.

    Raises:
        WalkError: there is none, or it cannot be read.
    """
    walks = built_in()
    if name in walks:
        return walks[name]
    if name.endswith(ENDING) or "/" in name:
        return read(Path(name))
    raise WalkError(f"unknown walk {visible_line(name)!r}; available: {', '.join(walks)}, or a file that ends with {ENDING}.")


def written(walk: Walk) -> str:
    """A walk as TOML."""
    content: dict[str, Any] = msgspec.to_builtins(walk)
    content.pop("name", None)
    return tomlkit.dumps(content)
