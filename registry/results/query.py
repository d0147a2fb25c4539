"""Runs a JMESPath query on a JSON document and returns the result as JSON text, with a notice about doubtful parts.

Whole numbers are ints, all others are decimals, so that none changes. Of duplicate properties the last one counts, as in every
JSON library. Secrets are redacted: only a query that names the property gets its value.
"""

import difflib
import json
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, cast

import msgspec
from jmespath import functions
from jmespath.exceptions import (
    EmptyExpressionError,
    IncompleteExpressionError,
    JMESPathError,
    JMESPathTypeError,
    LexerError,
    ParseError,
)
from jmespath.functions import signature
from jmespath.parser import Parser
from jmespath.visitor import Options, TreeInterpreter
from msgspec import Struct, field

from registry.accounts.secrets import MASK
from registry.calling.receiving import MEMBERS, is_sensitive
from registry.json_text import NotJson, no_constant
from registry.results.spool import Cancelled
from registry.text.shown import counted

_ENCODER = msgspec.json.Encoder(decimal_format="number", enc_hook=str)


class RedactedText(str):
    """A redacted secret. `inside` is its value."""

    __slots__ = ("inside",)

    inside: str

    def __new__(cls, inside: str) -> "RedactedText":
        """The mask of a value."""
        one = super().__new__(cls, MASK)
        one.inside = inside
        return one


class JsonSource:
    """A document that can be queried; `value` is its root."""

    def __init__(self, text: bytes | bytearray) -> None:
        """Read a JSON text; for a large one this takes seconds: do it in a thread.

        Raises:
            NotJson: it is not JSON, nested too deeply, or has a number that no library can calculate with.
        """
        try:
            self.value = literal(text.decode("utf-8", errors="replace"), self._object)
        except RecursionError:
            raise NotJson("it is nested too deeply to be queried") from None
        except InvalidOperation:
            raise NotJson("it has a number that is too large to be queried") from None
        except ValueError as error:
            raise NotJson(str(error)) from None

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        for name in MEMBERS & members.keys():
            if isinstance(members[name], str) and is_sensitive(f'"{name}"', f'"{members[name]}"'):
                members[name] = RedactedText(members[name])
        return members


def literal(text: str, pairs: Any = None) -> Any:
    """The value of a JSON text.

    Args:
        text: the JSON.
        pairs: makes an object from its properties; by default a dictionary.

    Raises:
        ValueError: it is not JSON.
        InvalidOperation: a number has too long an exponent.
    """
    return json.loads(text, parse_float=Decimal, parse_constant=no_constant, object_pairs_hook=pairs)


def written(value: Any) -> bytes:
    """A value as JSON text.

    Raises:
        RecursionError: it is nested too deeply.
    """
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can hold
        return json.dumps(value, default=float).encode()


Node = dict[str, Any]

# The library names types by their classes; these are ours.
functions.TYPES_MAP |= {"Decimal": "number", "RedactedText": "string"}
functions.REVERSE_TYPES_MAP["number"] += ("Decimal",)
functions.REVERSE_TYPES_MAP["string"] += ("RedactedText",)

_BETWEEN_LOOKS = 1_024
_NAMES_KEPT = 300
_PATH_AT_END = re.compile(r'[\w.*"\[\]]*$')
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


class QueryError(ValueError):
    """A query that cannot be run.

    Attributes:
        words: what is wrong and, if known, what to do; with unescaped names from the query and the document.
        position: the index in the query, from 0; its length if something is missing at the end.
        unfinished: whether the query is only incomplete, as while it is being typed.
    """

    def __init__(self, words: str, position: int, *, unfinished: bool = False) -> None:
        super().__init__(f"{words} (column {position + 1})")
        self.words = words
        self.position = position
        self.unfinished = unfinished


class QueryResult(Struct, frozen=True):
    """The result of a query.

    Attributes:
        text: the result as JSON.
        words: a description of it: ``12 items``, ``an object with 3 properties``, ``null``.
        notice: a warning, for instance about a name that no object has; empty without one.
        position: the index in the query that the notice is about; None without one.
    """

    text: bytes
    words: str
    notice: str = ""
    position: int | None = None


def run_query(source: JsonSource, query: str, stopped: Callable[[], bool] = lambda: False) -> QueryResult:
    """Run a JMESPath query. Over a large document this takes seconds: call it in a thread. `stopped` is called often.

    Raises:
        QueryError: the query is invalid, or cannot be run on this document.
        Cancelled: `stopped` returned true.
    """
    interpreter = Interpreter(stopped)
    value = interpreter.run(query, source.value)
    if kind(value) == "expref":
        raise QueryError("an &expression is only valid as a function argument", query.find("&"))
    try:
        text = written(value)
    except RecursionError:
        raise QueryError("the result is nested too deeply", 0) from None
    notice, position = interpreter.in_vain(query) or ("", None)
    words = _KINDS[kind(value)]
    if isinstance(value, list):
        words = counted(len(value), "item")
    elif isinstance(value, dict):
        words = f"an object with {counted(len(value), 'property', 'properties')}"
    return QueryResult(text, words, notice, position)


def parse(query: str) -> Node:
    """The tree of a query.

    Raises:
        QueryError: it is not a valid query.
    """
    try:
        with warnings.catch_warnings():
            # Many examples write text between backticks, which is deprecated.
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            return cast(Node, Parser().parse(query).parsed)
    except (EmptyExpressionError, IncompleteExpressionError):
        raise QueryError("incomplete query", len(query), unfinished=True) from None
    except LexerError as error:
        place = error.lexer_position
        if error.message.startswith("Unclosed"):
            raise QueryError(f"unclosed {query[place]}", place, unfinished=True) from None
        letter = query[place : place + 1]
        raise QueryError("use == to compare" if letter == "=" else f"unexpected {letter!r}", place) from None
    except ParseError as error:
        raise _misplaced(error.token_type, error.lex_position, query) from None
    except RecursionError:
        raise QueryError("the query is nested too deeply", 0) from None
    except ValueError:
        raise QueryError("a number is too long", 0) from None


def _misplaced(token: str, place: int, query: str) -> QueryError:
    rest, before = query[place:], query[:place].rstrip()
    if token == "EOF" or not rest:
        return QueryError("incomplete query", len(query), unfinished=True)
    if token == "NUMBER":
        number = rest[: len(rest) - len(rest.lstrip("-0123456789"))]
        where = f"an index in brackets: [{number}]" if before.endswith(".") else f"numbers in backticks: `{number}`"
        return QueryError(f"write {where}", place)
    if token == "RBRACE" or before.endswith("{"):
        return QueryError("expected {name: expression}", place)
    return QueryError(f"unexpected {rest.split()[0][:20]}" + (f" after {before[-1:]}" if before else ""), place)


def kind(value: object) -> str:
    """A value's type, as JMESPath names it."""
    return str(functions.TYPES_MAP.get(type(value).__name__, "expref"))


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The most similar known name; None if none is similar."""
    by_lower = {one.lower(): one for one in known if len(one) < 100}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


class Functions(functions.Functions):
    """Every function that a query can call; those in which the library would convert a number to a float are replaced."""

    @signature({"types": ["array-number"]})
    def _func_avg(self, numbers: Sequence[Any]) -> Any:
        return Decimal(sum(numbers)) / len(numbers) if numbers else None

    @signature({"types": ["string"]})
    def _func_lower(self, text: str) -> str:
        return text.lower()

    @signature({"types": []})
    def _func_to_string(self, value: Any) -> str:
        return value if isinstance(value, str) else written(value).decode()

    @signature({"types": []})
    def _func_to_number(self, value: Any) -> Any:
        try:
            found = literal(value) if isinstance(value, str) else value
        except ValueError:
            return None
        return found if kind(found) == "number" else None

    @signature({"types": []})
    def _func_type(self, value: Any) -> str:
        return kind(value)


class NameLookup(Struct):
    """The lookup of a name: whether any object had it, what the objects had instead, the type of a value that was no object."""

    found: bool = False
    names: dict[str, None] = field(default_factory=dict)
    other: str = ""


class Interpreter(TreeInterpreter):
    """Runs one query; notes names that no object has, and stops when the query is cancelled."""

    def __init__(self, stopped: Callable[[], bool] = lambda: False) -> None:
        super().__init__(Options(custom_functions=Functions()))
        self._looks: dict[str, NameLookup] = {}
        self._stopped = stopped
        self.steps = 0

    def run(self, query: str, value: Any) -> Any:
        """A query's value.

        Raises:
            QueryError: the query is invalid, or cannot be run on this value.
            Cancelled: the query was cancelled.
        """
        tree = parse(query)
        try:
            value = self.visit(tree, value)
        except JMESPathTypeError as error:
            wanted = " or ".join(_KINDS[one] for one in error.expected_types)
            got = _KINDS.get(functions.TYPES_MAP.get(error.actual_type, error.actual_type), "an expression")
            words = f"`{error.function_name}` expects {wanted}; got {got}"
            raise QueryError(words, max(query.find(error.function_name), 0)) from None
        except RecursionError:
            raise QueryError("the result is nested too deeply", 0) from None
        except (JMESPathError, ValueError, TypeError, ArithmeticError) as error:
            unknown = re.fullmatch(r"Unknown function: (\w+)\(\)", str(error))
            name = unknown[1] if unknown is not None else ""
            hint = f"; did you mean `{near}`?" if (near := nearest(name, Functions.FUNCTION_TABLE)) else ""
            raise QueryError(f"{error}{hint}", max(query.find(name), 0)) from None
        if self._stopped():
            raise Cancelled
        return value

    def visit(self, node: Node, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """A node's value."""
        self.steps += 1
        if self.steps % _BETWEEN_LOOKS == 0 and self._stopped():
            raise Cancelled
        return super().visit(node, *args, **kwargs)  # type: ignore[arg-type]

    def visit_field(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        """A property. If the query names a redacted one, this is its real value."""
        name = node["value"]
        look = self._looks.setdefault(name, NameLookup())
        if not isinstance(value, dict):
            look.other = look.other or kind(value)
            return None
        if not look.found:
            look.found = name in value
            if len(look.names) < _NAMES_KEPT:
                look.names.update(dict.fromkeys(value))
        found = value.get(name)
        return found.inside if isinstance(found, RedactedText) else found

    def visit_literal(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        """A value in the query, with numbers as exact as those of the document."""
        return _exact(node["value"])

    def visit_comparator(self, node: Node, value: Any) -> Any:  # type: ignore[override]
        """A comparison; null for a text and a number, which have no order."""
        try:
            return super().visit_comparator(node, value)  # type: ignore[arg-type]
        except TypeError:
            return None

    def in_vain(self, query: str) -> tuple[str, int] | None:
        """The first name of the query that no object has, in words, and its position."""
        places = {name: match.start() for name in self._looks if (match := re.search(rf'"?\b{re.escape(name)}\b', query))}
        for name, place in sorted(places.items(), key=lambda one: one[1]):
            look = self._looks[name]
            if look.found or (not look.names and look.other in ("", "null")):
                continue
            if look.names:
                words = f"no property `{name}` here"
                if query[place] == '"' and query[:place].rstrip()[-1:] in ("=", "<", ">", "(", ","):
                    words += f". Double quotes mean a property name; for a string use single quotes: '{name}'"
                elif near := nearest(name, look.names):
                    words += f"; did you mean `{near}`?"
                return words, place
            if look.other == "array":
                before = _PATH_AT_END.search(query[:place])
                path = before.group().rstrip(".") if before else ""
                return f"`{name}` is applied to a list; use {path}[].{name} for each item", place
            return f"`{name}` is applied to {_KINDS[look.other]}, which has no properties", place
        return None


def _exact(value: Any) -> Any:
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, list):
        return [_exact(one) for one in value]
    return {name: _exact(one) for name, one in value.items()} if isinstance(value, dict) else value
