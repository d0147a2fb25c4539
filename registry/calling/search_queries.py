"""Search queries as people type them → in the service's form, or the error in each word; and completions of fields.

Ids are completed by the journal, from earlier responses.

What the service accepts is sent unchanged. In addition, times can be written as everywhere (``created>-7d``,
``created>"yesterday 9:00"``) and are sent in Unix seconds, amounts as they are shown (``total:"42.00 USD"``) and are sent in
the smallest unit; texts need no quotes (``status:failed``); ``=``, ``!=``, ``!`` work.

Which fields a query may use, by tool, is in the ``queries.json`` of a toolkit's folder. A toolkit works without the file: its
queries are then sent as typed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Literal

import msgspec

from registry.calling.scalars import countries, currencies
from registry.calling.times import InvalidValue, closest, instant, words, zone_of, zones
from registry.catalog.folders import CatalogProblem, of_files
from registry.catalog.loader import ToolkitFile, folder_of
from registry.catalog.model import Parameter, Tool
from registry.references.naming import expansions
from registry.text.filter_line import HOLDS, WORDS_BEGIN, Word, quoted, ranked, words_of
from registry.text.shown import places

Offer = tuple[str, str]
"""A value, and a name or note to show with it; empty if it would add nothing."""

_MOST = 8
_TIMES = ("now", "-24h", "-7d", "today", "yesterday 9:00", "monday 9:00")
_TIMED = ("date-time", "unix-minute")


def completes(parameter: Parameter) -> bool:
    """Whether a parameter has known values."""
    known = parameter.format in ("country", "currency", "time-zone", *_TIMED) or bool(parameter.suggestions or parameter.enum)
    return known or parameter.role == "expand"


def completions(tool: Tool, parameter: Parameter, before: Sequence[str], typed: str, now: float) -> list[Offer]:
    """Known values that match the typed text, best first: prefix of the value, then of the name, then of any word.

    `before` are the earlier entries of a list. For no typed text: the first values, if they are few and of different kinds.
    """
    if parameter.format in _TIMED:
        return _times(typed, now)
    if parameter.format == "time-zone":
        return _zones(typed, now) if typed else []
    if parameter.format in ("country", "currency"):
        offers = list((countries() if parameter.format == "country" else currencies()).items())
    else:
        known = expansions(tool, before) if parameter.role == "expand" else parameter.suggestions or parameter.enum or ()
        offers = [(value, "") for value in known if value not in before]
    if not typed:
        return offers[:_MOST] if parameter.format is None else []
    return _fitting(offers, typed)


def _times(typed: str, now: float) -> list[Offer]:
    """A few relative times with their values; after a time, the time zones that begin with the next word."""
    time, _, last = typed.rpartition(" ")
    if time and last[:1].isalpha():
        with suppress(InvalidValue):
            instant(time, now)
            return [(f"{time} {name}", note) for name, note in _zones(last, now)]
    return [(text, words(instant(text, now).at)) for text in _TIMES if text.startswith(typed.lower())]


def _fitting(offers: Sequence[Offer], typed: str) -> list[Offer]:
    # One letter occurs in nearly every value.
    return ranked(offers, typed, lambda one: one, most=HOLDS if len(typed) > 1 else WORDS_BEGIN)[:_MOST]


def _zones(typed: str, now: float) -> list[Offer]:
    """The time zones that match, each with its current time and its offset from UTC."""
    names = [name for name, _ in _fitting([(name, "") for name in zones()], typed)]
    times = [datetime.fromtimestamp(now, UTC).astimezone(zone_of(name)) for name in names]
    return [(name, f"{at:%H:%M} now · UTC{at.isoformat()[19:25]}") for name, at in zip(names, times, strict=True)]


FieldType = Literal["token", "string", "number", "amount", "time"]
_SIGNS: Mapping[FieldType, tuple[str, ...]] = {
    "token": (":",),
    "string": (":", "~"),
    "number": (":", ">", ">=", "<", "<="),
    "amount": (":", ">", ">=", "<", "<="),
    "time": (":", ">", ">=", "<", "<="),
}
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
_AMOUNT = re.compile(r"(?P<number>-?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,4})?)(?: ?(?P<code>[A-Za-z]{3}))?")
_OF_QUERY = re.compile(r"\bcurrency[:=]\"?([a-z]{3})\b", re.IGNORECASE)
_SPOKEN_SIGNS = {"=": ":", "!=": ":"}
_OF_TIME = {">": "after ", ">=": "since ", "<": "before ", "<=": "until "}
_MEANT = {":": "is", "~": "has the part", ">": "is more than", ">=": "is at least", "<": "is less than", "<=": "is at most"}
_MEANT_OF_TIME = {":": "is at", ">": "is after", ">=": "is since", "<": "is before", "<=": "is until"}


class QueryField(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A field of a search query.

    Attributes:
        type: ``token`` (the same text), ``string`` (all words, or a part with ``~``), ``number``, ``amount`` in a currency's
            smallest unit, or ``time`` in Unix seconds.
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

    @property
    def names(self) -> list[str]:
        """All of them by name, the object's own before nested ones."""
        return sorted(filter(None, (*self.fields, self.keyed)), key=lambda name: ("." in name, name))

    def field(self, word: Word) -> QueryField | None:
        """The field of a word; None if there is none."""
        if word.key is not None:
            return QueryField("token") if word.name == self.keyed else None
        return self.fields.get(word.name)


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
        readings: the moments that times were read as; warnings (⚠) about values that are probably misspelt.
    """

    text: str
    mistakes: tuple[Mark, ...]
    readings: tuple[Mark, ...]


def sent_query(line: str, known: QueryFields, now: float) -> SentQuery:
    """A query as it is sent; `now` is the current time in Unix seconds."""
    parts: list[str] = []
    mistakes: list[Mark] = []
    readings: list[Mark] = []
    joint = ""
    place = 0
    for number, word in enumerate(words_of(line, any_case=True)):
        this = (word.joint or "AND") if number else ""
        if joint and this != joint:
            mistakes.append(Mark(word.start, word.end, "AND, or a space, and OR cannot be mixed in one query"))
            break
        joint = this
        parts += [line[place : word.start], line[word.start : word.end]]
        place = word.end
        field = known.field(word)
        if (wrong := _mistake(line, word, known, field)) is not None or field is None:
            mistakes += [wrong] if wrong is not None else []
            continue
        value = line[word.value_start : word.end] if word.quoted else quoted(word.value)
        if word.value not in field.values and (near := closest(word.value, field.values)):
            readings.append(Mark(word.value_start, word.end, f"⚠ no known {word.name}; did you mean {near}?"))
        if word.value.lower() == "null" and not word.quoted:
            value = "null"
        elif field.type == "amount" and (smallest := _smallest(word.value, line)) is not None:
            value = str(smallest)
            if value != word.value:
                readings.append(Mark(word.value_start, word.end, f"{word.value} = {value}"))
        elif field.type in ("number", "time") and _NUMBER.fullmatch(word.value):
            value = line[word.value_start : word.end]
        elif field.type == "time":
            try:
                at = instant(word.value, now).at
            except InvalidValue as error:
                hint = "write a time such as -7d, 24h, yesterday or 2026-11-01"
                mistakes.append(Mark(word.value_start, word.end, f"{word.name} must be a time: {error}; {hint}"))
                continue
            value = str(int(at.timestamp()))
            readings.append(Mark(word.value_start, word.end, f"{_OF_TIME.get(word.sign, '')}{words(at)} = {value}"))
        key = f'["{word.key}"]' if word.key is not None else ""
        parts[-1] = f"{'-' if word.negated else ''}{word.name}{key}{_SPOKEN_SIGNS.get(word.sign, word.sign)}{value}"
    return SentQuery("".join(parts) + line[place:], tuple(mistakes), tuple(readings))


def checked_query(tool: Tool, line: str, now: float) -> str:
    """A query of a tool as it is sent.

    Raises:
        InvalidValue: the service would refuse it; the message names the word and the available fields.
    """
    if (known := query_fields(tool)) is None:
        return line
    sent = sent_query(line, known, now)
    if sent.mistakes:
        raise InvalidValue("; ".join(f"at {line[one.start : one.end]!r}: {one.text}" for one in sent.mistakes[:3]))
    return sent.text


def _mistake(line: str, word: Word, known: QueryFields, field: QueryField | None) -> Mark | None:
    """What is wrong with a word, apart from a time that cannot be read; None if nothing is."""
    names, start, end = known.names, word.start, word.end
    if not word.name:
        example = next((f"{name}:{one.values[0]}" for name, one in known.fields.items() if one.values), "created>-7d")
        missing = f"a field is missing before it, as in {example}. Fields: {', '.join(names)}"
        return Mark(
            start, end, "brackets are not supported" if line[start : start + 1] in ("(", ")") else word.fault or missing
        )
    if field is None:
        end = start + (word.negated and word.sign != "!=") + len(word.name)
        if word.name == known.keyed:
            return Mark(start, end, f'{word.name} needs a key, as in {word.name}["order"]:"7"', f'{word.name}["order"]')
        # A field whose last part is the name, or that begins the name, if none is spelt nearly the same.
        ends = (one for one in known.fields if one.endswith(f".{word.name}") or word.name.startswith(f"{one}_"))
        said = closest(word.name, names) or next(ends, "")
        meant = f" Did you mean {said}?" if said else ""
        return Mark(start, end, f"unknown field {word.name}.{meant} Fields: {', '.join(names)}", said)
    sign = _SPOKEN_SIGNS.get(word.sign, word.sign)
    is_null = word.value.lower() == "null" and not word.quoted
    is_short = sign == "~" and len(" ".join(word.value.split())) < known.shortest
    is_number = field.type != "number" or _NUMBER.fullmatch(word.value) is not None
    if field.type == "amount":
        is_number = _smallest(word.value, line) is not None
    rules = (
        (not word.fault, start, word.fault),
        (sign in field.signs, start, f"{word.name} works with {' '.join(field.signs)}, not with {word.sign}"),
        (not is_null or sign == ":", start, "null works only with :"),
        (is_null or is_number, word.value_start, f"{word.name} must be a number, not {word.value!r}"),
        (not is_short, word.value_start, f"a part of a text needs at least {known.shortest} characters"),
    )
    return next((Mark(where, end, rule) for holds, where, rule in rules if not holds), None)


def _smallest(text: str, line: str) -> int | None:
    """An amount in its currency's smallest unit, which a whole number without a currency already is.

    Without a code it is in the query's currency, or in one with hundredths, as most are.
    """
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return None
    number = Decimal(found["number"].replace(",", ""))
    if not found["code"] and "." not in text and "," not in text:
        return int(number)
    of_query = _OF_QUERY.search(line)
    smallest = number.scaleb(places((found["code"] or (of_query[1] if of_query else "")).lower()))
    return int(smallest) if smallest == int(smallest) else None


def completion_at(line: str, place: int, known: QueryFields) -> tuple[int, int, list[tuple[str, str]]]:
    """Completions at a position of a line: start and end of the part to replace, and each text with its note."""
    word = next((one for one in words_of(line, any_case=True) if one.start <= place <= one.end), None)
    if word is not None and word.sign and place >= word.value_start:
        field, begun = known.fields.get(word.name), _begun(word, place)
        return word.value_start, word.end, _values(field, begun) if field is not None else []
    if word is None or word.start >= place:
        start, end, is_negated = place, place, False
    else:
        is_negated = line[word.start] in "-!"
        start, end = word.start + is_negated, word.end
    begun = line[start:place].lower()
    joints = [] if is_negated else list(_joints(line[:start], begun))
    found = list(_fields(known, begun))
    return start, end, [*joints, *found] if begun else [*found, *joints]


def id_at(line: str, place: int, known: QueryFields) -> tuple[str, str] | None:
    """The object type and the typed part of the id at a position of a line; None if no id belongs there."""
    word = next((one for one in words_of(line, any_case=True) if one.sign and one.value_start <= place <= one.end), None)
    field = known.fields.get(word.name) if word is not None else None
    if word is None or field is None or field.refers is None:
        return None
    return field.refers, _begun(word, place)


def _begun(word: Word, place: int) -> str:
    """The part of a word's value before a position."""
    return word.value[: max(place - word.value_start - word.quoted, 0)]


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
    for name in known.names:
        field = known.fields.get(name)
        if field is None and name.startswith(begun):
            yield f'{name}["', "by key"
        elif field is not None and name != begun and (name.startswith(begun) or f".{begun}" in name):
            example = (
                ", ".join(field.values[:3])
                if field.values
                else {"time": "-7d", "number": "4900", "amount": "49.00"}.get(field.type, "")
            )
            yield name, f"{field.type}  {' '.join(field.signs)}  {example}".rstrip()


def _values(field: QueryField, begun: str) -> list[tuple[str, str]]:
    times = ("-24h", "-7d", "-30d", "today", "yesterday") if field.type == "time" else ()
    return [(text, "") for text in (*times, *map(quoted, field.values)) if text.strip('"').lower().startswith(begun.lower())]


def query_fields(tool: Tool) -> QueryFields | None:
    """The fields of a tool's query; None if the tool has no query fields."""
    folder = folder_of(tool.toolkit)
    return read_queries(folder)[0].get(tool.own_name) if folder is not None else None


@of_files
def read_queries(folder: Path) -> tuple[Mapping[str, QueryFields], tuple[CatalogProblem, ...]]:
    """The content of the ``queries.json`` of a toolkit's folder, empty if there is no such file, and its problems."""
    file = ToolkitFile(folder, "queries.json", ("queries",))
    found: dict[str, QueryFields] = file.entries("queries", QueryFields)
    return found, tuple(file.problems)
