"""Datasets that are data: a file lists their objects by kind and key, each with what differs from its declared shape.

``made`` is when an object was created, ``id`` its id if that is not derived from its key. The fields under ``*`` apply to every
object of the kind, those under a name in ``~`` to objects with that name, or several, under ``~``; an object's own fields
override both. If ``=`` names columns, an object is an array of their values, null for no value, with further fields
in a hash at the end. Hashes of the same name are merged, ``a.b`` is the field
``b`` of the hash ``a``, and ``a b`` are two fields with the same value.

Under ``+`` an object has further objects, by kind and key; ``*`` applies to all of a kind there. A key that ends with ``#`` is
written once for each item of ``.each``, which is a list or a hash with forms for its values; ``.n`` counts them from 0, and
``.one`` is the item of the list, or the name in the hash.

Within a text, braces are replaced. In every world:

``{key}``               the object's own key; ``{head}`` the part before its first slash, ``{rest}`` the part after it
``{absent}``            nothing: the field is omitted, even if ``*`` has it
``{.a.b}``              the object's value under that name; names that begin with a dot exist only for this
``{made+2d}``           a moment, counted from the one at which the object was made
``{place 8 High Street|Leeds||LS1 4AP|GB}``   a postal address; ``{where halden}`` that of a named customer
``{name halden}``       this customer's name; ``{email halden}`` and ``{phone halden}`` likewise

and in each world differently:

``{now-30d+2h}``        a moment, counted from when the world was made; ``{midnight-3d}`` from the start of that day
``{date now-30d}``      the calendar date of a moment, in UTC
``{year+2}``            a calendar year, counted from the current one
``{product/hub}``       the id of the object of a kind with a key; ``{cs_test_:checkout.session/x}`` with another prefix
``{back product/hub}``  that id without its prefix, from its end to its start, as secrets have it
``{end 8 product/hub}`` the last 8 of its characters, in capitals, as transfers have it
``{token 24 x}``        24 letters and digits derived from ``x``; the same with ``capitals``, ``digits``, ``hexadecimal``
``{uuid x}``            a UUID derived from ``x``

A text that is only a moment, a year or a name after a dot has the type of that value, a number for instance; braces around
capitals stay as they are.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any

from msgspec.json import Encoder, decode

from registry.sandbox.payments.datasets.agreed import BY_KEY, Fields, of_columns
from registry.sandbox.payments.datasets.agreed import file as _file
from registry.sandbox.payments.datasets.parts import midnight, place, year_of
from registry.sandbox.payments.shapes import Builder, identifier
from registry.sandbox.world import DAY, HOUR, MINUTE, World

_BRACES = re.compile(r'"\{((?:now|midnight|year)(?:[+-][^{}"]*)?)\}"|\{([a-z][^{}]*)\}')
_KEY = re.compile(r"\{(key|head|rest)\}")
_OWN = re.compile(r'\{(-?\.|place |where |name |email |phone )([^{}"]*)\}')
_STEP = re.compile(r"([+-][\d.]+)([dhms])")
_SECONDS = {"d": DAY, "h": HOUR, "m": MINUTE, "s": 1}

_ENCODER = Encoder()

MOVE = "move"
"""The kind of what objects do to the balance, which `books` enters."""


def write(builder: Builder, name: str) -> None:
    """Write the objects of a file."""
    for kind in _read(name):
        for key, made, fields in objects(builder.world, name, kind) if kind != MOVE else ():
            builder.new(kind, key, made, **fields)


def objects(world: World, name: str, kind: str) -> Iterator[tuple[str, int, Fields]]:
    """The objects of a kind in a file, in its order: key, when it was made (Unix seconds), and its fields."""
    for key, text in _read(name)[kind].items():
        fields = _said(world, text)
        yield key, fields.pop("made"), fields


@lru_cache(maxsize=4)
def _particulars(world: World) -> Mapping[str, Mapping[str, Fields]]:
    return {kind: {key: _said(world, text) for key, text in texts.items()} for kind, texts in _read("particulars").items()}


def particular(world: World, kind: str, key: str) -> Fields:
    """What the data say of a single one of the objects that the datasets calculate; nothing of most of them."""
    return _particulars(world)[kind].get(key, {})


@cache
def listed(name: str, kind: str) -> Mapping[str, Fields]:
    """What a file says of the objects of a kind, by key, with the braces that depend on the world."""
    return {key: decode(text) for key, text in _read(name)[kind].items()}


@cache
def _read(name: str) -> Mapping[str, Mapping[str, str]]:
    """What a file says of all objects, by kind and key; those that others bring along come before a kind's own.

    It is kept as JSON: an object's braces are looked for in its text at once, which costs the garbage collector nothing.
    """
    tables = dict(_file(name))
    shared = tables.pop("~", {})
    brought: dict[str, Fields] = defaultdict(dict)
    found: dict[str, dict[str, str]] = {}
    for kind, table in tables.items():
        rows = brought[kind] | table
        common, columns = rows.pop("*", {}), rows.pop("=", [])
        forms = shared | rows.pop("~", {})
        found[kind] = {}
        shape: Fields = {}
        for part in (*_named(forms, common), common):
            _join(shape, part)
        for key, row in rows.items():
            own = of_columns(columns, row)
            fields = _copied(shape)
            for part in (*_named(forms, own), own):
                _join(fields, part)
            fields.pop("~", None)
            fields = _spoken(fields, key)
            for other, ones in fields.pop("+", {}).items():
                alike = ones.pop("*", {})
                for end, one in ones.items():
                    brought[other] |= _several(end, alike | one, fields)
            said = {field: value for field, value in fields.items() if field[0] != "." and value != "{absent}"}
            found[kind][key] = _json(said)
    return found


def _several(key: str, one: Fields, bringer: Fields) -> dict[str, Fields]:
    """What is brought along under a key: one object, or where the key ends with ``#`` one for each that ``.each`` names."""
    if not key.endswith("#"):
        return {key: {"made": bringer["made"]} | one}
    each = bringer[".each"]
    named = [{".one": name, "~": form} for name, form in each.items()] if isinstance(each, dict) else each
    return {
        f"{key[:-1]}{number}": one | {".n": number} | (more if isinstance(more, dict) else {".one": more})
        for number, more in enumerate(named)
    }


def _named(forms: Mapping[str, Fields], said: Fields) -> list[Fields]:
    return [forms[name] for name in said.get("~", "").split()]


def _join(fields: Fields, more: Mapping[str, Any]) -> None:
    """Put more into fields: hashes are joined, everything else is replaced."""
    for paths, value in more.items():
        for owners, name in _places(paths):
            inner = fields
            for owner in owners:
                inner = inner.setdefault(owner, {})
            if not isinstance(value, dict):
                inner[name] = [_joined(one) for one in value] if isinstance(value, list) else value
            elif name == "+":
                for kind, ones in value.items():
                    inner[name] = inner.get(name, {}) | {kind: inner.get(name, {}).get(kind, {}) | ones}
            else:
                held = inner[name] = inner[name] if isinstance(inner.get(name), dict) else {}
                _join(held, value)


@cache
def _places(paths: str) -> list[tuple[list[str], str]]:
    """The fields that paths lead to: the names of the hashes around each, and its own."""
    return [([], path) if path[0] == "." else (path.split(".")[:-1], path.rpartition(".")[2]) for path in paths.split()]


def _copied(fields: Fields) -> Fields:
    return {name: _copied(value) if isinstance(value, dict) else value for name, value in fields.items()}


def _joined(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    fields: Fields = {}
    _join(fields, value)
    return fields


def _spoken(fields: Fields, key: str) -> Fields:
    """The fields with those braces replaced that are the same in every world."""

    def own(path: str) -> Any:
        value: Any = fields
        for name in [f".{path}"] if f".{path}" in fields else path.split("."):
            value = value[name]
        return value

    def said(found: re.Match[str]) -> str:
        word, about = found.groups()
        match word:
            case ".":
                value = own(about)
            case "-.":
                value = -own(about)
            case "place " | "where ":
                value = place(BY_KEY[about].where if word == "where " else about)
            case _:
                value = getattr(BY_KEY[about], word.strip())
        return f"\0{_json(value)}\0" if text[found.start() - 1] == text[found.end()] == '"' else _json(str(value))[1:-1]

    def named(text: str) -> str:
        return _KEY.sub(lambda found: _json(words[found[1]])[1:-1], text) if "{" in text else text

    head, _, rest = key.partition("/")
    words = {"key": key, "head": head, "rest": rest}
    text, count = named(_json(fields)), 1
    while count:
        text, count = _OWN.subn(said, text)
        if count:
            text = named(text.replace('"\0', "").replace('\0"', ""))
    if "{made" in text or "{date made" in text:
        made = fields["made"] if "{." not in fields["made"] else decode(text)["made"]
        text = text.replace("{made", made[:-1]).replace("{date made", f"{{date {made[1:-1]}")
    spoken: Fields = decode(text)
    return spoken


def _json(value: Any) -> str:
    return _ENCODER.encode(value).decode()


def _said(world: World, text: str) -> Fields:
    """The fields of a text in which braces are replaced by the values of a world."""

    def number(said: str) -> int:
        if said.startswith("year"):
            return year_of(world.now) + int(said.removeprefix("year") or 0)
        start = midnight(world.now) if said.startswith("midnight") else world.now
        return start + sum(int(float(number) * _SECONDS[unit]) for number, unit in _STEP.findall(said))

    def id_of(said: str) -> str:
        kind, _, key = said.partition("/")
        prefix, colon, kind = kind.rpartition(":")
        return identifier(world, kind, key, prefix if colon else None)

    def value(found: re.Match[str]) -> str:
        if found[1]:
            return str(number(found[1]))
        word, _, rest = found[2].partition(" ")
        length, _, name = rest.partition(" ")
        match word:
            case "date":
                return datetime.fromtimestamp(number(rest), UTC).date().isoformat()
            case "back":
                return id_of(rest).rpartition("_")[2][::-1]
            case "end":
                return id_of(name)[-int(length) :].upper()
            case "uuid":
                return world.uuid(rest)
            case "capitals" | "digits" | "hexadecimal" | "token":
                return str(getattr(world, word)(name, int(length)))
        return id_of(found[2])

    fields: Fields = decode(_BRACES.sub(value, text))
    return fields
