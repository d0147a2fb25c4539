"""The rules of the libraries that check types, pydantic and msgspec, in plain words.

Both say which type was expected. Here are the words for it, and the name that was probably meant where a name is unknown.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

MISSING = "is required"
_KINDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
"""The words for a type, by msgspec's name of it."""
_OF_PYDANTIC = {
    "string_type": "str",
    "string_sub_type": "str",
    "int_type": "int",
    "int_from_float": "int",
    "int_parsing": "int",
    "float_type": "float",
    "finite_number": "float",
    "bool_type": "bool",
    "list_type": "array",
    "tuple_type": "array",
    "set_type": "array",
    "frozen_set_type": "array",
    "dict_type": "object",
    "mapping_type": "object",
    "dataclass_type": "object",
    "none_required": "null",
}
"""msgspec's name of a type, by the type of pydantic's error."""
_EXPECTED = re.compile(r"Expected `([a-z |]+)`, got `([a-z]+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_LACKING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_CHOICE = re.compile(r"Invalid enum value (.*)", re.DOTALL)
_MOST_NAMES = 12


def not_a_field(name: str, available: Iterable[str]) -> str:
    """The rule that an unknown field breaks, with the name that was probably meant, or all names if there are few."""
    names = sorted(set(available))
    if nearest := difflib.get_close_matches(name, names, n=1, cutoff=0.7):
        return f"is not a field here (did you mean {nearest[0]}?)"
    return "is not a field here" + (f"; available: {', '.join(names)}" if 0 < len(names) <= _MOST_NAMES else "")


def rule_of(fault: Mapping[str, Any], available: Collection[str]) -> str:
    """The rule that one of pydantic's errors is about.

    Args:
        fault: the error, as in ``ValidationError.errors()``.
        available: the names of the fields in the object that has the error, for an unknown field.
    """
    kind = fault["type"]
    if kind == "missing":
        return MISSING
    if kind == "unexpected_keyword_argument":
        return not_a_field(str(fault["loc"][-1]), available)
    if kind == "literal_error":
        return f"must be {_without_quotes(fault['ctx']['expected'])}"
    if kind == "too_long":
        return f"has more than {fault['ctx']['max_length']} items"
    return f"must be {_KINDS[_OF_PYDANTIC[kind]]}" if kind in _OF_PYDANTIC else str(fault["msg"])


def is_unknown_field(fault: Mapping[str, Any]) -> bool:
    """Whether one of pydantic's errors is an unknown field, which often explains the others of its object."""
    return bool(fault["type"] == "unexpected_keyword_argument")


def rule_of_msgspec(message: str, available: Collection[str]) -> tuple[str, str]:
    """The field that a message of msgspec is about, empty for the value itself, and the rule.

    Args:
        message: the message without its place.
        available: the names of the fields in the object that has the error, for an unknown field.
    """
    if found := _EXPECTED.fullmatch(message):
        kinds = [_KINDS.get(one, one) for one in found[1].split(" | ")]
        return "", f"must be {' or '.join(kinds)}; got {_KINDS.get(found[2], found[2])}"
    if found := _UNKNOWN.fullmatch(message):
        return found[1], not_a_field(found[1], available)
    if found := _LACKING.fullmatch(message):
        return found[1], MISSING
    if found := _CHOICE.fullmatch(message):
        return "", f"cannot be {_without_quotes(found[1])}"
    return "", message


def together(rules: Iterable[str]) -> str:
    """Several rules of one field, of which one must hold, as one."""
    different = list(dict.fromkeys(rules))
    if "must be a number" in different and "must be a whole number" in different:
        different.remove("must be a whole number")
    if len(different) > 1 and all(rule.startswith("must be ") for rule in different):
        return "must be " + " or ".join(rule.removeprefix("must be ") for rule in different)
    return ", or: ".join(different)


def names_at(schema: Mapping[str, Any], path: Iterable[str | int]) -> list[str]:
    """The names of the fields that the object with a path may have, by the JSON Schema of the outermost value.

    Args:
        schema: a JSON Schema as pydantic and msgspec make them, with ``$defs``.
        path: properties, and indexes of items.
    """
    found = list(_resolved(schema, schema))
    for step in path:
        found = [inner for one in found for inner in _inside(one, step, schema)]
    return [name for one in found for name in one.get("properties", ())]


def _inside(one: Mapping[str, Any], step: str | int, root: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    of_name = one.get("properties", {}).get(step, one.get("additionalProperties"))
    yield from _resolved(one.get("items") if isinstance(step, int) else of_name, root)


def _resolved(one: Any, root: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The schemas that a schema stands for: what it refers to, and each of several possible ones."""
    if not isinstance(one, dict):
        return
    if isinstance(reference := one.get("$ref"), str):
        yield from _resolved(root["$defs"].get(reference.rpartition("/")[2]), root)
        return
    yield one
    for inner in one.get("anyOf", ()):
        yield from _resolved(inner, root)


def _without_quotes(text: str) -> str:
    return text.replace("'", "")
