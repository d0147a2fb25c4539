"""Interprets a parsed query; records names that no object has, and stops when the query is cancelled."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from jmespath.visitor import Options, TreeInterpreter

from registry.results.jmespath_query.functions import Functions, WrongType, kind, kind_in_words
from registry.results.jmespath_query.json_values import RedactedText
from registry.results.jmespath_query.parser import Node
from registry.results.jmespath_query.query_error import QueryError, nearest

_BETWEEN_LOOKS = 1_024
_NAMES_KEPT = 300
_COMPARED = re.compile(r"[=<>(,]\s*$")
_PATH_AT_END = re.compile(r'[\w.*"\[\]]*$')


class QueryCancelled(Exception):
    """The query was cancelled."""


@dataclass
class NameLookup:
    """The lookup of a name in the query.

    Attributes:
        found: whether any object had it.
        names: what the objects had instead.
        other: the type of a value that was not an object.
    """

    name: str
    start: int
    found: bool = False
    names: dict[str, None] = field(default_factory=dict)
    other: str = ""


class Interpreter(TreeInterpreter):
    """Runs one query."""

    def __init__(self, stopped: Callable[[], bool]) -> None:
        super().__init__(Options(custom_functions=Functions()))
        self.looks: dict[int, NameLookup] = {}
        self._stopped = stopped
        self._steps = 0

    def visit(self, node: Node, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """A node's value.

        Raises:
            QueryCancelled: the query was cancelled. QueryError: it failed.
        """
        self._steps += 1
        if self._steps % _BETWEEN_LOOKS == 0 and self._stopped():
            raise QueryCancelled
        return super().visit(node, *args, **kwargs)  # type: ignore[arg-type]

    def visit_field(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        """A property. If the query names a redacted one, this is its real value."""
        look = self.looks.get(node["start"])
        if look is None:
            look = self.looks[node["start"]] = NameLookup(node["value"], node["start"])
        if isinstance(value, dict):
            found = value.get(node["value"])
            if not look.found:
                look.found = node["value"] in value
                if len(look.names) < _NAMES_KEPT:
                    look.names.update(dict.fromkeys(value))
            return found.inside if isinstance(found, RedactedText) else found
        look.other = look.other or kind(value)
        return None

    def visit_comparator(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        """A comparison; null for a text and a number, which have no order."""
        left, right = (self.visit(child, value) for child in node["children"])
        comparator = self.COMPARATOR_FUNC[node["value"]]
        if node["value"] in ("eq", "ne"):
            return comparator(left, right)
        return comparator(left, right) if kind(left) == kind(right) and kind(left) in ("number", "string") else None

    def visit_function_expression(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        """A function's value."""
        try:
            return super().visit_function_expression(node, value)  # type: ignore[arg-type]
        except WrongType as error:
            raise QueryError(str(error), node["start"]) from None

    def visit_slice(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        """A part of a list."""
        if node["children"][2] == 0:
            raise QueryError("slice step cannot be 0", node["start"])
        return super().visit_slice(node, value)  # type: ignore[arg-type]

    def in_vain(self, query: str) -> tuple[str, int] | None:
        """The first name of the query that no object has, in words, and its position."""
        for look in sorted(self.looks.values(), key=lambda one: one.start):
            name = look.name
            if look.found or (not look.names and look.other in ("", "null")):
                continue
            if look.names:
                words = f"no property `{name}` here"
                near = nearest(name, look.names)
                if near and not _COMPARED.search(query[: look.start]):
                    words += f"; did you mean `{near}`?"
                elif query[look.start] == '"':
                    words += f". Double quotes mean a property name; for a string use single quotes: '{name}'"
                return words, look.start
            if look.other == "array":
                before = _PATH_AT_END.search(query[: look.start])
                path = before.group().rstrip(".") if before else ""
                return f"`{name}` is applied to a list; use {path}[].{name} for each item", look.start
            return f"`{name}` is applied to {_what(look.other)}, which has no properties", look.start
        return None


def _what(found: str) -> str:
    return {"string": "text", "number": "a number", "boolean": "true or false"}.get(found) or kind_in_words(found)
