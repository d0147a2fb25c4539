"""Parses a query into a tree whose names have positions, so that errors can be shown where they are.

The library's tree has no positions. They are added afterwards: names, literals and numbers are in the tree in the order of the
query. Numbers between backticks are read as exactly as those of a document.
"""

from __future__ import annotations

import copy
import re
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, cast

from jmespath.exceptions import EmptyExpressionError, IncompleteExpressionError, LexerError, ParseError
from jmespath.lexer import Lexer
from jmespath.parser import Parser

from registry.results.jmespath_query.functions import Functions
from registry.results.jmespath_query.json_values import literal
from registry.results.jmespath_query.query_error import QueryError, nearest

Node = dict[str, Any]

_NAMES = ("unquoted_identifier", "quoted_identifier")
_BACKTICKS = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_ARGUMENTS = {1: "one argument", 2: "two arguments", 3: "three arguments"}


def parse(query: str, *, strict: bool = True) -> Node:
    """The tree of a query; its names, functions and indexes have a ``start``, their index in the text.

    Args:
        query: the text.
        strict: refuse functions that do not exist and wrong numbers of arguments.

    Raises:
        QueryError: it is not a valid query.
    """
    try:
        with warnings.catch_warnings():
            # Many examples write text between backticks, which is deprecated.
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            tree: Node = copy.deepcopy(cast(Node, Parser().parse(query).parsed))
            tokens = list(Lexer().tokenize(query))
    except (EmptyExpressionError, IncompleteExpressionError):
        raise QueryError("incomplete query", len(query), unfinished=True) from None
    except LexerError as error:
        raise _unreadable(error, query) from None
    except ParseError as error:
        raise _misplaced(error, query) from None
    except RecursionError:
        raise QueryError("the query is nested too deeply", 0) from None
    except ValueError:
        raise QueryError("a number is too long", 0) from None
    for kind, node in _in_order(tree):
        token: Mapping[str, Any] = next(one for one in tokens if one["type"] in kind)
        tokens = tokens[tokens.index(token) + 1 :]  # type: ignore[arg-type]
        node["start"] = start = token["start"]
        if found := _BACKTICKS.match(query, start) if node["type"] == "literal" else None:
            node["value"] = _exact(found[1], node["value"])
    if strict:
        _check_functions(tree)
    return tree


@cache
def functions() -> dict[str, str]:
    """Every function, and how it is written: ``sort_by(list, &expression)``."""
    written = {}
    for name, spec in Functions.FUNCTION_TABLE.items():
        words = [_argument(one) for one in spec["signature"]]
        written[name] = f"{name}({', '.join(words)})"
    return written


def _argument(one: Mapping[str, Any]) -> str:
    names = {"expref": "&expression", "array": "list", "object": "object", "string": "text", "number": "number"}
    kinds = list(dict.fromkeys(names[kind.partition("-")[0]] for kind in one["types"])) or ["value"]
    return " or ".join(kinds) + (", …" if one.get("variadic") else "")


def _in_order(node: Node) -> Iterator[tuple[tuple[str, ...], Node]]:
    """The nodes that come from one token of the query, in its order, each with the possible kinds of token."""
    kind, children = node["type"], node["children"]
    if kind in ("field", "function_expression", "key_val_pair"):
        yield _NAMES, node
    elif kind == "literal":
        yield ("literal",), node
    elif kind == "index":
        yield ("number",), node
    elif kind == "slice":
        for _ in (one for one in children if one is not None):
            yield ("number",), node
        return
    if kind == "filter_projection":
        children = [children[0], children[2], children[1]]
    for child in children:
        yield from _in_order(child)


def _exact(text: str, otherwise: Any) -> Any:
    try:
        return literal(text.replace("\\`", "`"))
    except ValueError:
        return otherwise


def _check_functions(node: Node) -> None:
    if node["type"] == "function_expression":
        name, start = node["value"], node["start"]
        spec = Functions.FUNCTION_TABLE.get(name)
        if spec is None:
            hint = f"; did you mean `{known}`?" if (known := nearest(name, functions())) else ""
            raise QueryError(f"unknown function `{name}`{hint}", start)
        wanted, given = len(spec["signature"]), len(node["children"])
        variadic = bool(wanted) and spec["signature"][-1].get("variadic", False)
        if given < wanted or (given > wanted and not variadic):
            least = "at least " if variadic else ""
            raise QueryError(f"`{functions()[name]}` expects {least}{_ARGUMENTS[wanted]}; got {given or 'none'}", start)
    for child in node["children"]:
        if isinstance(child, dict):
            _check_functions(child)


def _unreadable(error: LexerError, query: str) -> QueryError:
    place = error.lexer_position
    if error.message.startswith("Unclosed"):
        return QueryError(f"unclosed {query[place]}", place, unfinished=True)
    if query[place : place + 1] == "=":
        return QueryError("use == to compare", place)
    if query[place : place + 1] == '"':
        return QueryError("invalid JSON string in these quotes", place)
    return QueryError(f"unexpected {query[place : place + 1]!r}", place)


def _misplaced(error: ParseError, query: str) -> QueryError:
    place = error.lex_position
    rest = query[place:]
    if error.token_type == "EOF" or not rest:
        return QueryError("incomplete query", len(query), unfinished=True)
    if error.token_type == "NUMBER":
        number = rest[: len(rest) - len(rest.lstrip("-0123456789"))]
        before = query[:place].rstrip()
        if before.endswith("."):
            return QueryError(f"write an index in brackets: [{number}]", place)
        return QueryError(f"write numbers in backticks: `{number}`", place)
    if error.token_type == "RBRACE" or query[:place].rstrip().endswith("{"):
        return QueryError("expected {name: expression}", place)
    words = {"LITERAL": "a value", "UNQUOTED_IDENTIFIER": "a name", "QUOTED_IDENTIFIER": "a name"}
    shown = words.get(error.token_type) or rest[:1]
    after = f" after {query[:place].rstrip()[-1:]}" if query[:place].strip() else ""
    return QueryError(f"unexpected {shown}{after}", place)
