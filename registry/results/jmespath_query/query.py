"""Runs a JMESPath query on a JSON document and returns the result as JSON text, with a notice about doubtful parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from registry.results.jmespath_query.functions import kind
from registry.results.jmespath_query.interpreter import Interpreter, QueryCancelled
from registry.results.jmespath_query.json_values import JsonSource, written
from registry.results.jmespath_query.parser import parse
from registry.results.jmespath_query.query_error import QueryError

__all__ = ["JsonSource", "QueryCancelled", "QueryError", "QueryResult", "run_query"]


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The result of a query.

    Attributes:
        text: the result as JSON.
        words: a description of it: ``12 items``, ``an object of 3 members``, ``null``.
        notice: a warning, for instance about a name that no object has; empty without one.
        position: the index in the query that the notice is about; None without one.
    """

    text: bytes
    words: str
    notice: str = ""
    position: int | None = None


def run_query(source: JsonSource, query: str, stopped: Callable[[], bool] = lambda: False) -> QueryResult:
    """Run a query. Over a large document this takes seconds: call it in a thread.

    Args:
        source: the document.
        query: JMESPath.
        stopped: returns whether the query is cancelled; called often.

    Raises:
        QueryError: the query is invalid, or cannot be run on this document.
        QueryCancelled: `stopped` returned true.
    """
    tree = parse(query)
    interpreter = Interpreter(stopped)
    try:
        value = interpreter.visit(tree, source.value)
        if kind(value) == "expref":
            raise QueryError("an &expression is only valid as a function argument", query.find("&"))
        if stopped():
            raise QueryCancelled
        text = written(value)
    except RecursionError:
        raise QueryError("the result is nested too deeply", 0) from None
    notice, position = interpreter.in_vain(query) or ("", None)
    if not notice and source.twice:
        objects = "one object has" if source.twice == 1 else f"{source.twice:,} objects have"
        notice = f"{objects} a duplicate property; the query uses the last one"
    return QueryResult(text, _words(value), notice, position)


def _words(value: object) -> str:
    if isinstance(value, list):
        return f"{len(value):,} item{'' if len(value) == 1 else 's'}"
    if isinstance(value, dict):
        return f"an object with {len(value):,} properties{'' if len(value) == 1 else 's'}"
    return {"null": "null", "string": "text", "number": "a number"}.get(kind(value), "true or false")
