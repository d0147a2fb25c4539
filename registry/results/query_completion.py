"""What helps to type a query: the property names at this point of the document, and functions.

The query up to the cursor is completed with a placeholder name and run on the document; each object in which the
placeholder is looked up adds its property names.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from registry.results.query import Functions, Interpreter, JsonSource, Node, QueryError

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TYPED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_STRINGS = re.compile(r"'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\"(?:[^\"\\]|\\.)*\"")
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_OURS = "name_to_come"
_ENOUGH_OBJECTS, _MOST_STEPS, _MOST_CHOICES = 200, 100_000, 200


class Choice(Struct, frozen=True):
    """A completion: the text that replaces what was typed, and what people see."""

    text: str
    shown: str


class Completion(Struct, frozen=True):
    """The completions at a position in a query, best first; they replace what was typed from `start` on."""

    start: int
    choices: tuple[Choice, ...] = ()


def complete(source: JsonSource, query: str, cursor: int, stopped: Callable[[], bool] = lambda: False) -> Completion:
    """The completions at the cursor, best first. Fast: only the beginning of a large document is read.

    Raises:
        Cancelled: the completion was cancelled.
    """
    before = query[:cursor]
    outside = _STRINGS.sub(lambda found: "x" * len(found[0]), before)
    quote = next((place for place, letter in enumerate(outside) if letter in "'`\""), None)
    if quote is not None and before[quote] != '"':
        return Completion(cursor)
    found = _TYPED.search(before)
    start = quote if quote is not None else found.start() if found else cursor
    typed, above = before[start:].strip('"'), before[:start]
    names, in_list, is_key = _names(source, above, _open_brackets(outside[:start]), stopped)
    if not start and isinstance(source.value, dict):
        names = sorted(names, key=lambda name: not isinstance(source.value.get(name), list))  # most queries are about lists
    if in_list and quote is None and (above.rstrip().endswith(".") or not start):
        place = above.rindex(".") if above.strip() else start
        return Completion(place, (Choice(f"[].{typed}" if above.strip() or typed else "[]", "[] each item"),))
    # First the names that begin with the typed text, then those that contain it; not one that is already complete.
    lower = typed.lower()
    fitting = [name for name in names if name.lower().startswith(lower) and name != typed]
    fitting += [name for name in names if len(lower) > 1 and lower in name.lower()[1:] and name not in fitting]
    choices = []
    for name in fitting:
        text = name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)
        choices.append(Choice(f"{text}: {text}" if is_key else text, name))
    if typed and quote is None and not above.rstrip().endswith(".") and not is_key:
        choices += [Choice(f"{name}(", f"{name}(…)") for name in sorted(Functions.FUNCTION_TABLE) if name.startswith(typed)]
    return Completion(start, tuple(choices[:_MOST_CHOICES]))


def _open_brackets(text: str) -> str:
    """The closing brackets that a text lacks."""
    closing = ""
    for letter in text:
        if letter in _CLOSING:
            closing = _CLOSING[letter] + closing
        elif letter == closing[:1]:
            closing = closing[1:]
    return closing


def _names(source: JsonSource, before: str, closing: str, stopped: Callable[[], bool]) -> tuple[list[str], bool, bool]:
    """The property names at a position, whether it is inside a list, and whether a new key is expected before them."""
    for ours, is_key in ((_OURS, False), (f"{_OURS}: {_OURS}", True)):
        listener = _Listener(stopped)
        try:
            listener.run(before + ours + closing, source.value)
        except _Enough:
            pass
        except QueryError as error:
            if not listener.steps and error.words:  # it cannot be parsed
                continue
        return list(listener.names), listener.asked_list and not listener.names, is_key
    return [], False, False


class _Enough(Exception):
    """Enough names were collected."""


class _Listener(Interpreter):
    """Runs a query to collect the property names that objects have at one position of it."""

    def __init__(self, stopped: Callable[[], bool]) -> None:
        super().__init__(stopped)
        self.names: dict[str, None] = {}
        self.asked_list = False
        self._objects = 0

    def visit(self, node: Node, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        if self.steps > _MOST_STEPS:
            raise _Enough
        return super().visit(node, *args, **kwargs)

    def visit_field(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        if node["value"] != _OURS:
            return super().visit_field(node, value)
        if isinstance(value, dict):
            self.names.update(dict.fromkeys(value))
            self._objects += 1
            if self._objects >= _ENOUGH_OBJECTS:
                raise _Enough
        self.asked_list = self.asked_list or isinstance(value, list)
        return None

    def visit_and_expression(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        """Both sides, whatever the value of the first is."""
        first, _ = [self.visit(child, value) for child in node["children"]]
        return first

    visit_or_expression = visit_and_expression  # type: ignore[assignment]

    def visit_function_expression(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        """A function's value; its expression is visited for each item of its list first."""
        expressions = [child["children"][0] for child in node["children"] if child["type"] == "expref"]
        lists = [self.visit(child, value) for child in node["children"] if child["type"] != "expref"]
        for item in lists[0][:_ENOUGH_OBJECTS] if expressions and lists and isinstance(lists[0], list) else ():
            for expression in expressions:
                self.visit(expression, item)
        try:
            return super().visit_function_expression(node, value)  # type: ignore[arg-type]
        except (QueryError, ValueError, KeyError, TypeError):
            return None  # only its arguments matter, and they were visited
