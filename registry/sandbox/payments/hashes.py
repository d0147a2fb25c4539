"""Declarations of the hashes inside payments objects: the fields of each, their types and their defaults.

`hashes.json` holds them by name, each with its fields. A field's name ends with ``?`` if the field may be absent. Its type
is one of ``string``, ``integer``, ``number`` and ``boolean``, values in quotes, ``#name`` for a hash, ``[type]`` for an array
and ``{type}`` for a map with free keys; ``|`` separates alternatives, also ``null``, and `` = value`` at the end is the
default. Without one, a field that may be absent is absent, one that may be null is null, arrays and maps are empty, and a hash
without required fields consists of its defaults. All other fields are required.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ABSENT: Any = object()

_PLAIN: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)}


class NotDeclared(TypeError):
    """A value does not match its declaration: a field is unknown, missing, or of another type."""

    def __init__(self, place: str, what: str) -> None:
        super().__init__(f"{place}: {what}")
        self.place = place
        self.what = what

    def within(self, place: str) -> NotDeclared:
        """The same error, with the path from the surrounding hash."""
        return NotDeclared(f"{place}.{self.place}", self.what)


class Rule(NamedTuple):
    """What a field may hold: the types of its value, the allowed texts if they are limited, and the hash inside.

    `each` says that the hash, or the values, are those of the elements of an array or a map.
    """

    types: frozenset[type]
    values: frozenset[str] | None = None
    hash: str | None = None
    each: bool = False


_Look = tuple[list[tuple[str, frozenset[str]]], list[tuple[str, "Declaration"]], list[tuple[str, Rule]]]
"""What remains to be checked in hashes with the same names and types: texts, hashes, and arrays or maps of them."""


class Declaration:
    """The declaration of an object or a hash: a rule for each field, the required fields, and the defaults.

    Very many hashes have the same names with values of the same types, so these are checked once; values are checked each time
    if they are hashes or limited texts.
    """

    def __init__(self, rules: Mapping[str, Rule], unsaid: Mapping[str, Any], needed: frozenset[str]) -> None:
        self.unsaid = unsaid
        self.needed = needed
        self.rules = rules
        self._looks: dict[tuple[Any, ...], _Look] = {}

    def complete(self, given: dict[str, Any]) -> dict[str, Any]:
        """The given values with the defaults added, also in every hash inside.

        Raises:
            NotDeclared: a field is not declared, is missing, or has another type than declared.
        """
        like = (*given, *map(type, given.values()))
        look = self._looks.get(like)
        if look is None:
            look = self._looks[like] = self._look(given)
        texts, hashes, several = look
        made = {**self.unsaid, **given} if self.unsaid or hashes or several else given
        for name, values in texts:
            if given[name] not in values:
                raise NotDeclared(name, f"{given[name]!r} is not a declared value")
        name = ""
        try:
            for name, inner in hashes:
                made[name] = inner.complete(given[name])
            for name, rule in several:
                made[name] = _several(rule, given[name])
        except NotDeclared as wrong:
            raise wrong.within(name) from None
        return made

    def _look(self, given: Mapping[str, Any]) -> _Look:
        """Check names and types, and note which values need a further check."""
        for name in self.needed:
            if name not in given:
                raise NotDeclared(name, "missing")
        look: _Look = ([], [], [])
        texts, hashes, several = look
        for name, value in given.items():
            rule = self.rules.get(name)
            if rule is None:
                if name.startswith("_"):
                    continue
                raise NotDeclared(name, "not declared")
            if type(value) not in rule.types:
                raise NotDeclared(name, f"{value!r} is of a type that is not declared")
            if value is None or (rule.hash is None and rule.values is None):
                continue
            if rule.each:
                several.append((name, rule))
            elif rule.hash is not None:
                hashes.append((name, declaration(rule.hash)))
            elif rule.values is not None:
                texts.append((name, rule.values))
        return look


def _several(rule: Rule, value: Any) -> Any:
    """The elements of an array or a map, each as declared."""
    if rule.hash is not None:
        inner = declaration(rule.hash)
        if isinstance(value, dict):
            return {key: inner.complete(one) for key, one in value.items()}
        return [inner.complete(one) for one in value]
    for one in value.values() if isinstance(value, dict) else value:
        if one not in (rule.values or ()):
            raise NotDeclared("[]", f"{one!r} is not a declared value")
    return value


def unsaid(name: str) -> dict[str, Any]:
    """The hash of that name when nothing is said of it.

    Raises:
        KeyError: it has fields that must be given.
    """
    declared = declaration(name)
    if declared.needed:
        raise KeyError(name)
    return dict(declared.unsaid)


@cache
def _declared() -> Mapping[str, Mapping[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("hashes.json").read_text("utf-8"))
    return found


@cache
def declaration(name: str) -> Declaration:
    """The hash of that name."""
    rules: dict[str, Rule] = {}
    held: dict[str, Any] = {}
    needed: list[str] = []
    for written, type_ in _declared()[name].items():
        field = written.removesuffix("?")
        rule, default = _read(type_)
        rules[field] = rule
        if written.endswith("?"):
            continue
        if default is not ABSENT:
            held[field] = default
        elif rule.hash is None or declaration(rule.hash).needed:
            needed.append(field)
        else:
            held[field] = dict(declaration(rule.hash).unsaid)
    return Declaration(rules, held, frozenset(needed))


@cache
def _read(text: str) -> tuple[Rule, Any]:
    """A field's type as a rule, and the field's default; `ABSENT` if the type has none."""
    type_, _, default = text.partition(" = ")
    inner = type_.removesuffix("|null")
    null, opened = inner != type_, inner[0] if inner[0] in "[{" else ""
    if opened:
        inner = inner[1:-1]
    values = frozenset(one.strip("'") for one in inner.split("|")) if inner.startswith("'") else None
    hash_ = inner[1:] if inner.startswith("#") else None
    types: tuple[type, ...]
    if opened:
        types = (dict,) if opened == "{" else (list, tuple)
    elif hash_ is not None:
        types = (dict,)
    elif values is not None:
        types = (str,)
    else:
        types = tuple(one for name in inner.split("|") for one in _PLAIN[name])
    rule = Rule(frozenset((*types, type(None)) if null else types), values, hash_, each=bool(opened))
    if default:
        return rule, json.loads(default)
    if null:
        return rule, None
    return rule, ({} if opened == "{" else [] if opened else ABSENT)
