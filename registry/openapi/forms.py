"""Converts schemas to parameter entries of the catalogue, level by level, within the budget of a form.

A level is finished before the next one begins, so a large deep part does not use up the budget of the upper fields. Parts
beyond the budget, and recursive ones, are JSON fields, whose contents the service checks.
"""

import json
import math
import re
from collections import deque
from contextlib import suppress
from functools import cache
from typing import Any

from registry.catalog.model import SCALARS, matcher
from registry.openapi.document import Node, Omit, fits
from registry.openapi.schemas import Branch, Schema, Shape, sendable, shape_of, takes_null, words_for

LEAVES, DEEPEST = 400, 8
TEXT_ITEMS = {"type": "string", "when_empty": "send"}
"""The items of a list of texts; its entry omits them."""

_REPEATED = re.compile(r"\{(?:\d{0,9},)?(\d{1,9})\}")
_MOST_REPEATED, _MOST_CHOICES, _LONGEST_CHOICE = 295, 300, 120

Entry = dict[str, Any]


class FormBuilder:
    """Makes the entries of one tool's parameters."""

    def __init__(self, omit: Omit) -> None:
        self._omit = omit
        self._left = LEAVES
        # Entries whose contents are not filled in yet, each with its shape, its depth, and the schemas around it.
        self._waiting: deque[tuple[Entry, Shape, int, frozenset[int]]] = deque()

    def entry(self, schema: Schema, shape: Shape, fields: Entry) -> Entry:
        """A parameter of the tool; `finish` fills in its contents. `fields` override the schema."""
        entry = self._begun(schema, shape, 0, frozenset())
        entry |= fields
        self._left -= 1
        return entry

    def finish(self) -> None:
        """Fill in the contents of all entries, the outer levels first."""
        while self._waiting:
            entry, shape, depth, around = self._waiting.popleft()
            cost = len(shape.properties) + len(shape.branches) + bool(shape.items) + bool(shape.more)
            if shape.items and (items := shape_of(shape.items)).type in (*SCALARS, "file") and not takes_null(items):
                cost = 0  # a list that is written as text has one field, wherever it is
            if cost and (depth >= DEEPEST or cost > self._left):
                _make_json(entry)
                continue
            self._left -= cost
            if shape.type == "array":
                if (inside := self._items(shape.items, depth, around)) != TEXT_ITEMS:
                    entry["items"] = inside
            elif shape.type == "object":
                properties = [
                    self._inside(
                        schema,
                        inner,
                        depth,
                        around,
                        name=name,
                        **({"required": True} if name in shape.required else {}),
                        **nullable(inner),
                    )
                    for name, schema, inner in sendable(shape, self._omit)
                ]
                if properties:
                    entry["properties"] = properties
                if shape.more is not None and (shape.more or properties):
                    entry["items"] = self._items(shape.more, depth, around)
                    entry |= {} if shape.typed else {"open": "anything"}
                elif properties and not shape.closed:
                    entry["open"] = "properties" if shape.typed else "anything"  # only JSON can hold these, not a form
            elif shape.branches:
                entry["branches"] = [self._branch(branch, depth, around) for branch in shape.branches]
            else:
                _make_json(entry)

    def _begun(self, schema: Schema, shape: Shape, depth: int, around: frozenset[int]) -> Entry:
        entry: Entry = {"type": shape.type} | _facts(shape)
        if shape.type in ("file", "multiline"):
            entry = {"type": "string", "format": shape.type}
        here = frozenset(id(node.resolved().value) for node in schema)
        if not schema or here & around:  # a schema that contains itself has no last level
            _make_json(entry)
        elif shape.type in ("object", "array", "one_of"):
            self._waiting.append((entry, shape, depth, around | here))
        return entry

    def _inside(self, schema: Schema, shape: Shape, depth: int, around: frozenset[int], **fields: Any) -> Entry:
        """A property, an item or a branch."""
        entry = self._begun(schema, shape, depth + 1, around)
        if text := words_for(shape):
            entry["help"] = text
        entry |= fields
        return entry

    def _items(self, schema: Schema, depth: int, around: frozenset[int]) -> Entry:
        """The items of a list, or the values of properties with any name."""
        if not schema:
            return {"type": "any"}
        shape = shape_of(schema)
        return self._inside(schema, shape, depth, around, **nullable(shape))

    def _branch(self, branch: Branch, depth: int, around: frozenset[int]) -> Entry:
        # A branch shares plain nodes with the schema around it: they are not a cycle.
        shared = frozenset(id(node.value) for node in branch.schema if node.plain)
        shape = shape_of(branch.schema, branch.only)
        entry = self._inside(branch.schema, shape, depth, around - shared, name=branch.label)
        if branch.mark is not None and shape.type == "object":
            name, value = branch.mark
            enum = shape_of(shape.properties[name]).enum if name in shape.properties else []
            if fits(value) and (enum is None or value in enum):  # other values of the schema's own win over its name
                node = shape.properties[name][0]
                shape.properties[name] = (Node(node.document, {"type": "string", "enum": [value]}, node, name),)
                shape.required.setdefault(name, [])
        return entry


def nullable(shape: Shape) -> Entry:
    """Whether a value may be null, for its entry."""
    return {"nullable": True} if takes_null(shape) else {}


def _make_json(entry: Entry) -> None:
    """Make an entry a JSON field whose contents are not checked."""
    if entry["type"] == "array":
        entry["items"] = {"type": "any"}
    elif entry["type"] == "one_of":
        entry["type"] = "any"


# What a schema says about its values


def _facts(shape: Shape) -> Entry:
    facts = shape.facts
    entry: Entry = {}
    match shape.type:
        case "integer" | "number":
            whole = shape.type == "integer"
            for name, exclusive, strict in (
                ("minimum", "exclusiveMinimum", "above"),
                ("maximum", "exclusiveMaximum", "below"),
            ):
                bound, edge = _number(facts.get(name), whole, name), _number(facts.get(exclusive), whole, name)
                # Up to 3.0 it is a flag: the other bound is exclusive.
                entry |= {strict: bound} if facts.get(exclusive) is True else {name: bound, strict: edge}
            entry |= _choices(shape)
        case "array":
            entry = {name: _count(facts.get(key)) for key, name in (("minItems", "min_items"), ("maxItems", "max_items"))}
        case "string" if facts.get("format") in ("date-time", "email"):
            entry = {"format": facts["format"]} | _choices(shape)
        case "string":
            fewest, pattern = _count(facts.get("minLength")), facts.get("pattern")
            entry = {
                "min_length": fewest if fewest and fewest > 1 else None,
                "max_length": _count(facts.get("maxLength")),
                "pattern": pattern if isinstance(pattern, str) and fits(pattern) and _can_check(pattern) else None,
            } | _choices(shape)
    entry = {name: value for name, value in entry.items() if value is not None}
    if shape.type in ("string", "array", "object") and _takes_empty(shape, entry):
        entry["when_empty"] = "send"
    return entry


def _takes_empty(shape: Shape, entry: Entry) -> bool:
    """Whether a schema allows the empty text, list or object."""
    if shape.takes_empty or shape.type == "object":
        return shape.takes_empty or not shape.required
    if shape.type == "array":
        return not entry.get("min_items")
    if _count(shape.facts.get("minLength")) or "format" in entry or shape.enum is not None:
        return False
    return "pattern" not in entry or matcher(entry["pattern"])("")


@cache
def _can_check(pattern: str) -> bool:
    """Whether values are checked with a pattern; the service checks others: with look-around, and slow to compile."""
    if sum(map(int, _REPEATED.findall(pattern))) > _MOST_REPEATED:
        return False
    with suppress(ValueError):
        matcher(pattern)
        return True
    return False


def _choices(shape: Shape) -> Entry:
    """The values to choose from; empty if they cannot be shown or distinguished."""
    values = shape.enum if shape.enum is not None else shape.suggestions
    texts = list(dict.fromkeys(_choice(one, shape.type) for one in values or ()))
    empty: Entry = {"when_empty": "send"} if shape.type == "string" and "" in texts else {}
    texts = [one for one in texts if one != "" or shape.type != "string"]
    usable = all(fits(one) and len(str(one)) <= _LONGEST_CHOICE and one == str(one).strip(" ") for one in texts)
    if not texts or len(texts) > _MOST_CHOICES or not usable or (shape.enum is None and shape.type != "string"):
        return empty
    return empty | {"suggestions" if shape.enum is None else "enum": texts}


def _choice(value: Any, kind: str) -> str | None:
    if kind == "string":
        return value if isinstance(value, str) else json.dumps(value) if isinstance(value, bool | int | float) else None
    if isinstance(value, str):
        with suppress(ValueError):
            value = json.loads(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or (kind == "integer" and value != int(value)):
        return None
    return str(int(value)) if kind == "integer" else json.dumps(value)


def _number(value: Any, whole: bool, side: str) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
        return None
    if whole:
        return math.ceil(value) if side == "minimum" else math.floor(value)
    return value


def _count(value: Any) -> int | None:
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
    return int(value) if whole and 0 <= value < 1e9 else None
