"""The functions of a query, with exact numbers and readable errors.

Functions in which the library would lose digits, convert numbers to text, or raise a Python error are replaced; they follow the
JMESPath specification.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from typing import Any

from jmespath import functions
from jmespath.functions import signature

from registry.results.jmespath_query.json_values import ExactNumber, whole, written

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_EXACTLY = Context(prec=200, traps=[])
_DIGITS = Context(prec=28, traps=[])
_LONG = 1_000  # digits; from a few thousand on, Python is slow to write an int

_KINDS = {
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
    "expref": "an expression such as &name",
    "array-number": "a list of numbers",
    "array-string": "a list of strings",
}


class WrongType(Exception):
    """An argument of a function has the wrong type; the message says which types it takes and which it got."""


def kind(value: object) -> str:
    """A value's type, as JMESPath names it."""
    match value:
        case bool():
            return "boolean"
        case None:
            return "null"
        case str():
            return "string"
        case int() | float() | Decimal():
            return "number"
        case list():
            return "array"
        case dict():
            return "object"
    return "expref"


def kind_in_words(value: object) -> str:
    """A value's type in words."""
    return _KINDS[kind(value)]


class Functions(functions.Functions):
    """Every function that a query can call."""

    def call_function(self, function_name: str, resolved_args: Iterable[Any]) -> Any:
        """Call a function.

        Raises:
            WrongType: an argument has a type that it does not take.
        """
        spec = self.FUNCTION_TABLE[function_name]
        arguments, wanted = list(resolved_args), spec["signature"]
        for place, argument in enumerate(arguments):
            _check(function_name, argument, wanted[min(place, len(wanted) - 1)]["types"])
        return spec["function"](self, *arguments)

    @signature({"types": ["number"]})
    def _func_abs(self, number: Any) -> Any:
        return _number(number.copy_abs()) if isinstance(number, Decimal) else abs(number)

    @signature({"types": ["array-number"]})
    def _func_sum(self, numbers: Sequence[Any]) -> Any:
        return _sum(numbers)

    @signature({"types": ["array-number"]})
    def _func_avg(self, numbers: Sequence[Any]) -> Any:
        if not numbers:
            return None
        total = _sum(numbers)
        if isinstance(total, int) and total % len(numbers) == 0:
            return total // len(numbers)
        with localcontext(_DIGITS):
            return _number(Decimal(total) / len(numbers))

    @signature({"types": ["number"]})
    def _func_ceil(self, number: Any) -> Any:
        return _rounded(number, ROUND_CEILING)

    @signature({"types": ["number"]})
    def _func_floor(self, number: Any) -> Any:
        return _rounded(number, ROUND_FLOOR)

    @signature({"types": ["array", "string"]}, {"types": []})
    def _func_contains(self, subject: Any, wanted: Any) -> bool:
        if isinstance(subject, str):
            return isinstance(wanted, str) and wanted in subject
        # In Python, 1 is true; in JSON it is not.
        return any(kind(one) == kind(wanted) and one == wanted for one in subject)

    @signature({"types": []})
    def _func_to_string(self, value: Any) -> str:
        return value if isinstance(value, str) else written(value).decode()

    @signature({"types": []})
    def _func_to_number(self, value: Any) -> Any:
        if kind(value) == "number":
            return value
        found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            return None
        return ExactNumber(value) if found[1] or found[2] else whole(value)

    @signature({"types": []})
    def _func_type(self, value: Any) -> str:
        return kind(value)

    @signature({"types": ["array"]}, {"types": ["expref"]})
    def _func_sort_by(self, items: list[Any], expression: Any) -> list[Any]:
        return sorted(items, key=_key("sort_by", items, expression))

    @signature({"types": ["array"]}, {"types": ["expref"]})
    def _func_min_by(self, items: list[Any], expression: Any) -> Any:
        return min(items, key=_key("min_by", items, expression), default=None)

    @signature({"types": ["array"]}, {"types": ["expref"]})
    def _func_max_by(self, items: list[Any], expression: Any) -> Any:
        return max(items, key=_key("max_by", items, expression), default=None)


def _check(name: str, argument: object, wanted: Sequence[str]) -> None:
    """Refuse an argument of a type that a function does not take."""
    if not wanted:
        return
    kinds = {one.partition("-")[0] for one in wanted}
    if kind(argument) not in kinds:
        raise WrongType(f"`{name}` expects {_one_of(wanted)}; got {kind_in_words(argument)}")
    inside = [one.partition("-")[2] for one in wanted if "-" in one]
    if inside and isinstance(argument, list) and argument:
        # All items must have the type of the first one.
        only = kind(argument[0]) if kind(argument[0]) in inside else inside[0]
        other = next((one for one in argument if kind(one) != only), argument)
        if other is not argument:
            raise WrongType(f"`{name}` expects {_one_of(wanted)}; the list contains {kind_in_words(other)}")


def _one_of(wanted: Sequence[str]) -> str:
    return " or ".join(_KINDS[one] for one in wanted)


def _key(name: str, items: list[Any], expression: Any) -> Callable[[Any], Any]:
    """The sort key of items: all numbers, or all text."""
    first = kind(expression.visit(expression.expression, items[0])) if items else "number"

    def key(item: Any) -> Any:
        value = expression.visit(expression.expression, item)
        if kind(value) != first or first not in ("number", "string"):
            found = kind_in_words(value)
            if first in ("number", "string"):
                raise WrongType(f"`{name}` cannot sort mixed types: the first item has {_KINDS[first]}, another {found}")
            raise WrongType(f"`{name}` sorts by numbers or strings; an item has {found}")
        return value

    return key


def _sum(numbers: Sequence[Any]) -> Any:
    total = sum(one for one in numbers if isinstance(one, int))
    parts = [one for one in numbers if isinstance(one, Decimal)]
    if not parts:
        return total
    with localcontext(_EXACTLY):
        return _number(sum(parts, Decimal(total)))


def _rounded(number: Any, how: str) -> Any:
    if not isinstance(number, Decimal) or not number.is_finite() or number == number.to_integral_value():
        return number
    rounded = number.to_integral_value(rounding=how)
    return int(rounded) if rounded.adjusted() < _LONG else _number(rounded)


def _number(number: Decimal) -> ExactNumber:
    if not number.is_finite():
        raise WrongType("the numbers are too large to calculate")
    return ExactNumber(str(number))
