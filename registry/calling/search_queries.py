"""Search queries as people type them → in the service's form, or the error in each word.

What the service accepts is sent unchanged. In addition, times can be written as everywhere (``created>-7d``,
``created>"yesterday 9:00"``) and are sent in Unix seconds; texts need no quotes (``status:failed``); ``=``, ``!=``, ``!`` work.

Which fields a query may use, by tool, is in the ``queries.json`` of a toolkit's folder. A toolkit works without the file: its
queries are then sent as typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from registry.calling.invalid_value import InvalidValue, closest
from registry.calling.times import instant, words
from registry.catalog.model import Tool
from registry.catalog.problems import CatalogProblem
from registry.catalog.reading import of_files
from registry.catalog.toolkit_files import ToolkitFile, folder_of
from registry.text.filter_line import Word, words_of

FieldType = Literal["token", "string", "number", "time"]
FILE = "queries.json"
_KEYS = ("queries",)
_SIGNS: Mapping[FieldType, tuple[str, ...]] = {
    "token": (":",),
    "string": (":", "~"),
    "number": (":", ">", ">=", "<", "<="),
    "time": (":", ">", ">=", "<", "<="),
}
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
_SPOKEN_SIGNS = {"=": ":", "!=": ":"}
_OF_TIME = {">": "after ", ">=": "since ", "<": "before ", "<=": "until "}
_MEANT = {":": "is", "~": "has the part", ">": "is more than", ">=": "is at least", "<": "is less than", "<=": "is at most"}
_MEANT_OF_TIME = {":": "is at", ">": "is after", ">=": "is since", "<": "is before", "<=": "is until"}


class QueryField(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A field of a search query.

    Attributes:
        type: ``token`` (the same text), ``string`` (all words, or a part with ``~``), ``number``, or ``time`` in Unix seconds.
        values: its values, if they are few; other values are accepted too.
        refers: the type of the object whose id it holds.
    """

    type: FieldType
    values: tuple[str, ...] = ()
    refers: str | None = None

    @property
    def signs(self) -> tuple[str, ...]:
        """The operators that it supports."""
        return _SIGNS[self.type]


class QueryFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of one tool's query.

    Attributes:
        fields: by name.
        keyed: a field that needs a key in brackets; None if there is no such field.
        shortest: the smallest number of characters in a ``~`` search.
    """

    fields: Mapping[str, QueryField]
    keyed: str | None = None
    shortest: int = 1


class Mark(msgspec.Struct, frozen=True):
    """A note on a part of a line: an error, or the value that is sent for it."""

    start: int
    end: int
    text: str
    instead: str = ""
    """What to type instead; empty if no known value is close."""


class SentQuery(msgspec.Struct, frozen=True):
    """A query as it is sent.

    Attributes:
        text: the query to send; valid only without mistakes.
        mistakes: the errors, in the order of the line.
        readings: the moments that times were read as.
    """

    text: str
    mistakes: tuple[Mark, ...]
    readings: tuple[Mark, ...]


def sent_query(line: str, known: QueryFields, now: float) -> SentQuery:
    """A query as it is sent; `now` is the current time in Unix seconds."""
    reader = _Reader(known, now)
    parts, place, joints = [], 0, set[str]()
    found = words_of(line, any_case=True)
    for number, word in enumerate(found):
        if number:
            joints.add(word.joint or "AND")
            if len(joints) > 1:
                reader.wrong(word.start, word.end, "AND, or a space, and OR cannot be mixed in one query")
                break
        parts += [line[place : word.start], reader.read(line, word)]
        place = word.end
    return SentQuery("".join(parts) + line[place:], tuple(reader.mistakes), tuple(reader.readings))


def checked_query(line: str, known: QueryFields, now: float) -> str:
    """A query as it is sent.

    Raises:
        InvalidValue: the service would refuse it; the message names the word and the available fields.
    """
    sent = sent_query(line, known, now)
    if sent.mistakes:
        raise InvalidValue("; ".join(f"at {line[one.start : one.end]!r}: {one.text}" for one in sent.mistakes[:3]))
    return sent.text


class _Reader:
    def __init__(self, known: QueryFields, now: float) -> None:
        self._known = known
        self._now = now
        self.mistakes: list[Mark] = []
        self.readings: list[Mark] = []

    def wrong(self, start: int, end: int, text: str, instead: str = "") -> None:
        self.mistakes.append(Mark(start, end, text, instead))

    def read(self, line: str, word: Word) -> str:
        """A word as it is sent; as typed if it has an error."""
        typed = line[word.start : word.end]
        if not word.name:
            names = ", ".join(self._names())
            if typed[:1] in ("(", ")"):
                self.wrong(word.start, word.end, "brackets are not supported")
            else:
                self.wrong(
                    word.start,
                    word.end,
                    word.fault or f"a field is missing before it, as in {self._example()}. Fields: {names}",
                )
            return typed
        field = self._field(word)
        if field is None:
            return typed
        if word.fault:
            self.wrong(word.start, word.end, word.fault)
            return typed
        sign = _SPOKEN_SIGNS.get(word.sign, word.sign)
        if sign not in field.signs:
            self.wrong(word.start, word.end, f"{word.name} works with {' '.join(field.signs)}, not with {word.sign}")
            return typed
        value = self._value(line, word, sign, field)
        if value is None:
            return typed
        before = line[word.start : word.value_start]
        if sign != word.sign or before[:1] == "!":
            key = f'["{word.key}"]' if word.key is not None else ""
            before = f"{'-' if word.negated else ''}{word.name}{key}{sign}"
        return before + value

    def _field(self, word: Word) -> QueryField | None:
        known, end = self._known, word.start + (word.negated and word.sign != "!=") + len(word.name)
        if word.name == known.keyed:
            if word.key is not None:
                return QueryField("token")
            self.wrong(word.start, end, f'{word.name} needs a key, as in {word.name}["order"]:"7"', f'{word.name}["order"]')
            return None
        field = known.fields.get(word.name)
        if field is None or word.key is not None:
            names = self._names()
            said = closest(word.name, names) or self._by_end(word.name)
            meant = f" Did you mean {said}?" if said else ""
            self.wrong(word.start, end, f"unknown field {word.name}.{meant} Fields: {', '.join(names)}", said)
            return None
        return field

    def _value(self, line: str, word: Word, sign: str, field: QueryField) -> str | None:
        if word.value.lower() == "null" and not word.quoted:
            if sign == ":":
                return "null"
            self.wrong(word.start, word.end, "null works only with :")
            return None
        if field.type == "time":
            return self._time(line, word)
        if field.type == "number":
            if _NUMBER.fullmatch(word.value):
                return line[word.value_start : word.end]
            self.wrong(word.value_start, word.end, f"{word.name} must be a number, not {word.value!r}")
            return None
        if sign == "~" and len(" ".join(word.value.split())) < self._known.shortest:
            self.wrong(word.value_start, word.end, f"a part of a text needs at least {self._known.shortest} characters")
            return None
        return line[word.value_start : word.end] if word.quoted else _quoted(word.value)

    def _time(self, line: str, word: Word) -> str | None:
        if _NUMBER.fullmatch(word.value):
            return line[word.value_start : word.end]
        try:
            found = instant(word.value, self._now)
        except InvalidValue as error:
            hint = "write a time such as -7d, 24h, yesterday or 2026-11-01"
            self.wrong(word.value_start, word.end, f"{word.name} must be a time: {error}; {hint}")
            return None
        seconds = int(found.at.timestamp())
        self.readings.append(Mark(word.value_start, word.end, f"{_OF_TIME.get(word.sign, '')}{words(found.at)} = {seconds}"))
        return str(seconds)

    def _names(self) -> list[str]:
        names = [*self._known.fields, *([self._known.keyed] if self._known.keyed else [])]
        return sorted(names, key=lambda name: ("." in name, name))  # the object's own fields before nested ones

    def _by_end(self, name: str) -> str:
        """The first field whose last part is the name, or that begins the name (before a ``_``); empty if there is none."""
        ends = [one for one in self._known.fields if one.endswith(f".{name}") or name.startswith(f"{one}_")]
        return ends[0] if ends else ""

    def _example(self) -> str:
        return next((f"{name}:{field.values[0]}" for name, field in self._known.fields.items() if field.values), "created>-7d")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def completion_at(line: str, place: int, known: QueryFields) -> tuple[int, int, list[tuple[str, str]]]:
    """Completions at a position of a line: start and end of the part to replace, and each text with its note."""
    word = next((one for one in words_of(line, any_case=True) if one.start <= place <= one.end), None)
    typed = line[word.start : place] if word is not None else ""
    if word is None or not word.sign or place < word.value_start:
        start = word.start + (typed[:1] in ("-", "!")) if word is not None and word.start < place else place
        begun = line[start:place].lower()
        end = word.end if word is not None and word.start < place else place
        joints = list(_joints(line[:start], begun)) if typed[:1] not in ("-", "!") else []
        found = list(_fields(known, begun))
        return start, end, [*joints, *found] if begun else [*found, *joints]
    field = known.fields.get(word.name)
    begun = word.value[: max(place - word.value_start - word.quoted, 0)].lower()
    return word.value_start, word.end, list(_values(field, begun)) if field is not None else []


def id_at(line: str, place: int, known: QueryFields) -> tuple[str, str] | None:
    """The object type and the typed part of the id at a position of a line; None if no id belongs there."""
    word = next((one for one in words_of(line, any_case=True) if one.start <= place <= one.end and one.sign), None)
    field = known.fields.get(word.name) if word is not None else None
    if word is None or field is None or field.refers is None or place < word.value_start:
        return None
    return field.refers, word.value[: max(place - word.value_start - word.quoted, 0)]


def _joints(before: str, begun: str) -> Iterator[tuple[str, str]]:
    """The operators that may join the previous condition with the next one; ``AND`` and ``OR`` cannot be mixed."""
    if not before.strip() or not before[-1:].isspace() or re.search(r"(^|\s)(AND|OR)\s*$", before, re.IGNORECASE):
        return
    used = next((word.joint for word in words_of(before, any_case=True) if word.joint), "")
    for joint, meant in (("AND", "both hold"), ("OR", "either holds")):
        if used in ("", joint) and joint.lower().startswith(begun):
            yield f"{joint} ", meant


def _fields(known: QueryFields, begun: str) -> Iterator[tuple[str, str]]:
    if (whole := known.fields.get(begun)) is not None:
        meant = _MEANT_OF_TIME if whole.type == "time" else _MEANT
        yield from ((begun + sign, meant[sign]) for sign in whole.signs)
    for name, field in sorted(known.fields.items(), key=lambda item: ("." in item[0], item[0])):
        if name == begun:
            continue
        if name.startswith(begun) or f".{begun}" in name:
            example = ", ".join(field.values[:3]) if field.values else {"time": "-7d", "number": "4900"}.get(field.type, "")
            yield name, f"{field.type}  {' '.join(field.signs)}  {example}".rstrip()
    if known.keyed is not None and known.keyed.startswith(begun):
        yield f'{known.keyed}["', "by key"


def _values(field: QueryField, begun: str) -> Iterator[tuple[str, str]]:
    if field.type == "time":
        yield from ((text, "") for text in ("-24h", "-7d", "-30d", "today", "yesterday") if text.startswith(begun))
    for value in field.values:
        if value.lower().startswith(begun):
            yield _quoted(value), ""


def query_fields(tool: Tool) -> QueryFields | None:
    """The fields of a tool's query; None if the tool has no query fields."""
    folder = folder_of(tool.toolkit)
    return _read(folder)[0].get(tool.own_name) if folder is not None else None


def query_problems(folder: Path) -> tuple[CatalogProblem, ...]:
    """The errors in the ``queries.json`` of a folder; empty if there is no such file."""
    return _read(folder)[1]


@of_files
def _read(folder: Path) -> tuple[Mapping[str, QueryFields], tuple[CatalogProblem, ...]]:
    file = ToolkitFile(folder, FILE, _KEYS)
    found: dict[str, QueryFields] = file.entries("queries", QueryFields)
    return found, tuple(file.problems)
