"""Converts schemas to parameter entries of the catalogue, level by level, within the budget of a form.

A level is finished before the next one begins, so a large deep part does not use up the budget of the upper fields. Parts
beyond the budget, and recursive ones, are JSON fields. Their contents have a separate budget, within which values are
validated; the service checks the rest.
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Callable
from typing import Any

from registry.catalog.model import SCALARS
from registry.catalog.parameter_rules import PatternError, matcher
from registry.openapi.document import Node
from registry.openapi.plain_text import fits, plain
from registry.openapi.schemas import Branch, Schema, Shape, shape_of, takes_null

LEAVES, DEEPEST = 400, 8
CHECKED_LEAVES, DEEPEST_CHECKED = 200, 11
"""The same limits inside JSON fields."""

TEXT_ITEMS = {"type": "string", "when_empty": "send"}
"""The items of a list of texts; its entry omits them."""

_MOST_COST, _MOST_COST_OF_ONE = 100_000, 3_000
_REPEATED = re.compile(r"\{(?:\d{0,9},)?(\d{1,9})\}")
_MOST_CHOICES, _LONGEST_CHOICE, _LONGEST_PATTERN = 300, 120, 500

Entry = dict[str, Any]


class PatternBudget:
    """The budget of a document's regular expressions: one with a letter repeated a million times takes seconds to compile.

    A pattern beyond the budget is left to the service to check.
    """

    def __init__(self) -> None:
        self._left = _MOST_COST
        self._known: dict[str, bool] = {}

    def takes(self, pattern: str) -> bool:
        """Whether values can be checked with a pattern here."""
        if pattern not in self._known:
            self._known[pattern] = self._is_good(pattern)
        return self._known[pattern]

    def _is_good(self, pattern: str) -> bool:
        cost = len(pattern) + sum(10 * int(most) for most in _REPEATED.findall(pattern))
        if not 0 < len(pattern) <= _LONGEST_PATTERN or cost > min(_MOST_COST_OF_ONE, self._left):
            return False
        self._left -= cost
        try:
            matcher(pattern)
        except PatternError:
            return False  # look-around can take unlimited time
        return True


_Waiting = tuple[Entry, Shape, int, frozenset[int]]
"""An entry whose contents are not filled in yet, its shape, its depth, and the schemas around it."""


class FormBuilder:
    """Makes the entries of one tool's parameters.

    Args:
        remark: called for each omitted part, with its node and the reason.
        patterns: the budget for regular expressions in the whole document.
    """

    def __init__(self, remark: Callable[[Node, str], None], patterns: PatternBudget) -> None:
        self._remark = remark
        self._patterns = patterns
        self._left = LEAVES
        self._left_to_check = CHECKED_LEAVES
        self._waiting: deque[_Waiting] = deque()
        self._in_json: deque[_Waiting] = deque()

    def entry(self, schema: Schema, fields: Entry, only: str = "") -> tuple[Entry, Shape]:
        """A parameter of the tool; `finish` fills in its contents.

        Args:
            schema: the schema of its values.
            fields: further values of its entry, which override the schema.
            only: the type to use if the schema has several.
        """
        shape = shape_of(schema, only)
        entry = self._begun(shape, schema, 0, frozenset())
        entry |= fields
        self._left -= 1
        return entry, shape

    def finish(self) -> None:
        """Fill in the contents of all entries, the outer levels first."""
        while self._waiting:
            entry, shape, depth, around = self._waiting.popleft()
            if entry["type"] != shape.type:
                continue  # a value that must fit on one line has become text
            cost = _cost(shape)
            if depth >= DEEPEST or cost > self._left:
                entry["as_json"] = True
                self._in_json.append((entry, shape, depth, around))
                continue
            self._left -= cost
            if not self._fill(entry, shape, depth, around):
                _unchecked(entry)
        while self._in_json:
            entry, shape, depth, around = self._in_json.popleft()
            if entry["type"] != shape.type:
                continue
            cost = _cost(shape)
            if depth >= DEEPEST_CHECKED or cost > self._left_to_check:
                _unchecked(entry)
                continue
            self._left_to_check -= cost
            if not self._fill(entry, shape, depth, around, in_json=True):
                _unchecked(entry)
            elif shape.type == "array" and ("items" not in entry or _is_scalar(entry["items"])):
                entry.pop("as_json", None)  # a list of texts or numbers has its own field

    def _begun(self, shape: Shape, schema: Schema, depth: int, around: frozenset[int], *, in_json: bool = False) -> Entry:
        entry: Entry = {"type": shape.type} | _facts(shape, self._patterns)
        here = frozenset(id(node.resolved().value) for node in schema)
        if not schema:
            _unchecked(entry)
        elif shape.type not in ("object", "array", "one_of"):
            return entry
        elif here & around or in_json:
            if not in_json:
                entry["as_json"] = True
            self._in_json.append((entry, shape, depth, around | here))
        else:
            self._waiting.append((entry, shape, depth, around | here))
        return entry

    def _inside(
        self, schema: Schema, depth: int, around: frozenset[int], only: str = "", *, in_json: bool = False
    ) -> tuple[Entry, Shape]:
        shape = shape_of(schema, only)
        entry = self._begun(shape, schema, depth, around, in_json=in_json)
        entry.pop("default", None)
        if in_json:
            return entry, shape
        if text := plain(shape.facts.get("description")) or plain(shape.facts.get("title"), 100):
            entry["help"] = text
        return entry, shape

    def _fill(self, entry: Entry, shape: Shape, depth: int, around: frozenset[int], *, in_json: bool = False) -> bool:
        """Fill in the contents; False if they cannot be a form."""
        if shape.type == "array":
            items: Entry = {"type": "any"}
            if shape.items:
                items, of_it = self._inside(shape.items, depth + 1, around, in_json=in_json)
                if takes_null(of_it):
                    items["nullable"] = True
            if items != TEXT_ITEMS:
                entry["items"] = items
            return True
        if shape.type == "one_of":
            return self._fill_branches(entry, shape.branches, depth, around, in_json=in_json)
        return self._fill_object(entry, shape, depth, around, in_json=in_json)

    def _fill_object(self, entry: Entry, shape: Shape, depth: int, around: frozenset[int], *, in_json: bool) -> bool:
        properties: list[Entry] = []
        for name, schema in shape.properties.items():
            inner, of_it = self._inside(schema, depth + 1, around, in_json=in_json)
            if of_it.facts.get("readOnly") is True:
                continue
            if not name or not name.isprintable() or not fits(name):
                self._remark(schema[0], f"the property {name!r} is left out: its name cannot be shown")
                continue
            inner["name"] = name  # in place: its contents are filled in later
            if name in shape.required:
                inner["required"] = True
            if takes_null(of_it):
                inner["nullable"] = True
            properties.append(inner)
        if properties:
            entry["properties"] = properties
        if shape.more is not None and (shape.more or properties):
            entry["items"] = {"type": "any"}
            if shape.more:
                entry["items"], of_it = self._inside(shape.more, depth + 1, around, in_json=in_json)
                if takes_null(of_it):
                    entry["items"]["nullable"] = True
            if not shape.typed:
                entry["open"] = "anything"
        elif properties and not shape.closed:
            entry["open"] = "properties" if shape.typed else "anything"  # only JSON can hold these, not a form
        return True

    def _fill_branches(
        self, entry: Entry, branches: list[Branch], depth: int, around: frozenset[int], *, in_json: bool
    ) -> bool:
        found: list[Entry] = []
        for branch in branches:
            inner, shape = self._inside(branch.schema, depth + 1, around - _ids(branch.schema), branch.only, in_json=in_json)
            if branch.mark is not None and shape.type == "object":
                _mark(shape, branch.mark)
            inner["name"] = branch.label
            found.append(inner)
        if not found:
            return False
        entry["branches"] = found
        return True


def _ids(schema: Schema) -> frozenset[int]:
    """The nodes that a branch shares with its parent schema: they are plain, and not a cycle."""
    return frozenset(id(node.value) for node in schema if node.plain)


def _mark(shape: Shape, mark: tuple[str, str]) -> None:
    """Set the discriminator property to its one value."""
    name, value = mark
    if name in shape.properties and fits(value):
        node = shape.properties[name][0]
        shape.properties[name] = (Node(node.document, {"type": "string", "enum": [value]}, node, name),)
        shape.required.add(name)


def _cost(shape: Shape) -> int:
    """How many leaves the contents of a shape take from a budget."""
    return len(shape.properties) + len(shape.branches) + bool(shape.items) + bool(shape.more)


def _is_scalar(items: Entry) -> bool:
    """Whether a list of these items is written as text."""
    return items["type"] in SCALARS and "nullable" not in items


def _unchecked(entry: Entry) -> None:
    """Make an entry a JSON field whose contents are not checked."""
    for key in ("properties", "branches", "items", "as_json"):
        entry.pop(key, None)
    if entry["type"] == "array":
        entry["items"] = {"type": "any"}
    elif entry["type"] == "one_of":
        entry["type"] = "any"


# What a schema says about its values


def _facts(shape: Shape, patterns: PatternBudget) -> Entry:
    entry: Entry = {}
    facts = shape.facts
    match shape.type:
        case "integer" | "number":
            entry |= _bounds(facts, whole=shape.type == "integer")
        case "array":
            entry |= {name: value for key, name in _COUNTS if (value := _count(facts.get(key))) is not None}
        case "string":
            entry |= _text_facts(facts, patterns)
    if shape.type in ("string", "integer", "number"):
        entry |= _choices(shape)
    if shape.type in ("string", "array", "object") and _takes_empty(shape, entry):
        entry["when_empty"] = "send"
    return entry


def _takes_empty(shape: Shape, entry: Entry) -> bool:
    """Whether a schema allows the empty text, list or object."""
    if shape.takes_empty or shape.type == "object":
        return shape.takes_empty or not shape.required
    if shape.type == "array":
        return not entry.get("min_items")
    fewest = _count(shape.facts.get("minLength"))
    if fewest or "format" in entry or shape.enum is not None:
        return False
    return "pattern" not in entry or matcher(entry["pattern"])("")


_COUNTS = (("minItems", "min_items"), ("maxItems", "max_items"))


def _text_facts(facts: dict[str, Any], patterns: PatternBudget) -> Entry:
    entry: Entry = {}
    for key, name in (("minLength", "min_length"), ("maxLength", "max_length")):
        if (value := _count(facts.get(key))) is not None and not (name == "min_length" and value <= 1):
            entry[name] = value
    pattern = facts.get("pattern")
    if isinstance(pattern, str) and fits(pattern) and patterns.takes(pattern):
        entry["pattern"] = pattern
    if facts.get("format") in ("date-time", "email"):
        entry["format"] = facts["format"]
        for key in ("pattern", "min_length", "max_length"):
            entry.pop(key, None)
    return entry


def _choices(shape: Shape) -> Entry:
    """The values to choose from; empty if they cannot be shown or distinguished."""
    entry: Entry = {}
    values = shape.enum if shape.enum is not None else shape.suggestions
    if not values:
        return entry
    texts = [_choice(one, shape.type) for one in values]
    if shape.type == "string" and "" in texts:
        entry["when_empty"] = "send"
        texts = [one for one in texts if one != ""]
    texts = list(dict.fromkeys(texts))
    if not texts or len(texts) > _MOST_CHOICES or not all(fits(one) and len(str(one)) <= _LONGEST_CHOICE for one in texts):
        return entry
    if any(one != str(one).strip(" ") for one in texts):
        return entry
    if shape.enum is None:
        return entry | ({"suggestions": texts} if shape.type == "string" else {})
    return entry | {"enum": texts}


def _choice(value: Any, kind: str) -> str | None:
    if kind == "string":
        return value if isinstance(value, str) else json.dumps(value) if isinstance(value, bool | int | float) else None
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or (kind == "integer" and value != int(value)):
        return None
    return str(int(value)) if kind == "integer" else json.dumps(value)


def _bounds(facts: dict[str, Any], *, whole: bool) -> Entry:
    entry: Entry = {}
    for side, exclusive, name, strict in (
        ("minimum", "exclusiveMinimum", "minimum", "above"),
        ("maximum", "exclusiveMaximum", "maximum", "below"),
    ):
        bound, edge = _number(facts.get(side), whole, side), _number(facts.get(exclusive), whole, side)
        if facts.get(exclusive) is True:  # up to 3.0 it is a flag: the other bound is exclusive
            bound, edge = None, bound
        if bound is not None:
            entry[name] = bound
        if edge is not None:
            entry[strict] = edge
    return entry


def _number(value: Any, whole: bool, side: str) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
        return None
    if whole:
        return math.ceil(value) if side == "minimum" else math.floor(value)
    return value


def _count(value: Any) -> int | None:
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
    return int(value) if whole and 0 <= value < 1e9 else None
