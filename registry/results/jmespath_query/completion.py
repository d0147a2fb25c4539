"""Completions in a query: the property names at this point of the document, and functions.

The query up to the cursor is completed with a placeholder name and run on the document; each object in which the
placeholder is looked up adds its property names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from registry.results.jmespath_query.functions import WrongType
from registry.results.jmespath_query.interpreter import Interpreter, QueryCancelled
from registry.results.jmespath_query.json_values import JsonSource
from registry.results.jmespath_query.parser import Node, functions, parse
from registry.results.jmespath_query.query_error import QueryError

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ON_A_MEMBER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\[")
_TYPED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_OURS = "name_to_come"
_ENOUGH_OBJECTS, _MOST_STEPS, _MOST_CHOICES = 200, 100_000, 200


@dataclass(frozen=True, slots=True)
class Choice:
    """A completion.

    Attributes:
        text: the text that replaces what was typed.
        shown: a description for people.
    """

    text: str
    shown: str


@dataclass(frozen=True, slots=True)
class Completion:
    """The completions at a position in a query.

    Attributes:
        start: the index from which a choice replaces what was typed.
        choices: best first.
    """

    start: int
    choices: tuple[Choice, ...] = ()


def complete(source: JsonSource, query: str, cursor: int, stopped: Callable[[], bool] = lambda: False) -> Completion:
    """The completions at the cursor, best first. Fast: only the beginning of a large document is read.

    Raises:
        QueryCancelled: the completion was cancelled.
    """
    before = query[:cursor]
    closing, quote = _open_at_end(before)
    if quote is not None and before[quote] != '"':
        return Completion(cursor)
    found = _TYPED.search(before)
    start = quote if quote is not None else found.start() if found else cursor
    typed = before[start:].strip('"')
    names, is_list, is_key = _names(source, before[:start], closing, stopped)
    if not start and isinstance(source.value, dict):  # lists first: most queries are about them
        names = dict.fromkeys(sorted(names, key=lambda name: not isinstance(source.value.get(name), list)))
    if not names and quote is None and (on_the_list := _on_the_list(source.value, before)):
        return Completion(0, (Choice(on_the_list, on_the_list),))
    choices = [_member(name, typed_as_key=is_key) for name in _fitting(typed, names)]
    behind_dot = before[:start].rstrip().endswith(".")
    if is_list and quote is None and (behind_dot or not start):
        place = before.rindex(".", 0, start) if behind_dot else start
        return Completion(place, (Choice(f"[].{typed}" if behind_dot or typed else "[]", "[] each item"),))
    if typed and quote is None and not behind_dot and not is_key:
        choices += [Choice(f"{name}(", written) for name, written in functions().items() if name.startswith(typed)]
    return Completion(start, tuple(choices[:_MOST_CHOICES]))


def _on_the_list(value: Any, before: str) -> str:
    """The query with a list's name added, if the document is an object, or removed, if it is a list; empty if neither helps."""
    if isinstance(value, dict) and before.startswith("["):
        name = next((name for name, one in value.items() if isinstance(one, list) and _PLAIN.fullmatch(name)), "")
        return f"{name}{before}" if name else ""
    if isinstance(value, list) and (found := _ON_A_MEMBER.match(before)):
        return before[found.end() - 1 :]
    return ""


def _member(name: str, *, typed_as_key: bool) -> Choice:
    text = name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    return Choice(f"{text}: {text}" if typed_as_key else text, name)


def _fitting(typed: str, names: dict[str, Any]) -> list[str]:
    """The names that begin with the typed text, then those that contain it; without a name that is already complete."""
    lower = typed.lower()
    first = [name for name in names if name.lower().startswith(lower) and name != typed]
    return first + [name for name in names if len(lower) > 1 and lower in name.lower()[1:] and name not in first]


def _open_at_end(text: str) -> tuple[str, int | None]:
    """The closing brackets that the end lacks, and the start of an open quote."""
    closing: list[str] = []
    place = 0
    while place < len(text):
        letter = text[place]
        if letter in "'`\"":
            end = place + 1
            while end < len(text) and text[end] != letter:
                end += 2 if text[end] == "\\" else 1
            if end >= len(text):
                return "".join(reversed(closing)), place
            place = end
        elif letter in _CLOSING:
            closing.append(_CLOSING[letter])
        elif closing and letter == closing[-1]:
            closing.pop()
        place += 1
    return "".join(reversed(closing)), None


def _names(source: JsonSource, before: str, closing: str, stopped: Callable[[], bool]) -> tuple[dict[str, None], bool, bool]:
    """The property names at a position, whether it is inside a list, and whether a new key is expected before them."""
    as_key = f"{_OURS}: "
    for ours, is_key in (("", False), (as_key, True)):
        try:
            tree = parse(before + ours + _OURS + closing, strict=False)
        except QueryError:
            continue
        listener = _Listener(len(before) + len(ours), stopped)
        listener.listen(tree, source.value)
        return listener.names, listener.asked_list and not listener.names, is_key
    return {}, False, False


class _Enough(Exception):
    """Enough names were collected."""


class _Listener(Interpreter):
    """Runs a query to collect the property names that objects have at one position of it."""

    def __init__(self, place: int, stopped: Callable[[], bool]) -> None:
        super().__init__(stopped)
        self.names: dict[str, None] = {}
        self.asked_list = False
        self._place = place
        self._objects = 0

    def listen(self, tree: Node, value: Any) -> None:
        """Collect the names."""
        try:
            self.visit(tree, value)
        except (_Enough, QueryError, WrongType, RecursionError):
            return

    def visit(self, node: Node, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        if self._steps > _MOST_STEPS:
            raise _Enough
        return super().visit(node, *args, **kwargs)

    def visit_field(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        if node["start"] != self._place:
            return super().visit_field(node, value)
        if isinstance(value, dict):
            self.names.update(dict.fromkeys(value))
            self._objects += 1
            if self._objects >= _ENOUGH_OBJECTS:
                raise _Enough
        self.asked_list = self.asked_list or isinstance(value, list)
        return None

    def visit_and_expression(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        return self._either(node, value)

    def visit_or_expression(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        return self._either(node, value)

    def visit_function_expression(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        for item in self._first_list(node, value):
            for child in node["children"]:
                if child["type"] == "expref":
                    self.visit(child["children"][0], item)
        try:
            return super().visit_function_expression(node, value)
        except (QueryError, KeyError, TypeError):
            return None  # only its arguments matter, and they were visited

    def _first_list(self, node: Node, value: Any) -> list[Any]:
        """The list on which a function's expression runs; empty if the function has no expression."""
        if not any(child["type"] == "expref" for child in node["children"]):
            return []
        lists = [self.visit(child, value) for child in node["children"] if child["type"] != "expref"]
        return lists[0][:_ENOUGH_OBJECTS] if lists and isinstance(lists[0], list) else []

    def _either(self, node: Node, value: Any) -> Any:
        """Visit both sides, whatever the value of the first is."""
        found = [self.visit(child, value) for child in node["children"]]
        return found[0]


__all__ = ["Choice", "Completion", "QueryCancelled", "complete"]
