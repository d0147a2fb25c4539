"""Asking a document: a query in, an answer as JSON text out, with what the asker should know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from registry.jmespath_query.functions import kind
from registry.jmespath_query.interpreter import Interpreter, QueryCancelled
from registry.jmespath_query.json_values import JsonSource, written
from registry.jmespath_query.parser import parse
from registry.jmespath_query.query_error import QueryError

__all__ = ["JsonSource", "QueryCancelled", "QueryError", "QueryResult", "run_query"]


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query gave.

    Attributes:
        text: the answer as JSON.
        words: what it is: ``12 items``, ``an object of 3 members``, ``null``.
        notice: what the asker should know, for instance a name that nothing has; empty when all is well.
        position: the letter of the query that the notice is about, from 0; None when it is about none.
    """

    text: bytes
    words: str
    notice: str = ""
    position: int | None = None


def run_query(source: JsonSource, query: str, stopped: Callable[[], bool] = lambda: False) -> QueryResult:
    """Carry a query out. Over a large document this belongs into a thread.

    Args:
        source: the document.
        query: JMESPath.
        stopped: tells whether nobody waits for the answer any more; asked often.

    Raises:
        QueryError: the query is none, or cannot be carried out on this document.
        QueryCancelled: nobody waits any more.
    """
    tree = parse(query)
    interpreter = Interpreter(stopped)
    try:
        value = interpreter.visit(tree, source.value)
        if kind(value) == "expref":
            raise QueryError("an expression with & is only good inside a function", query.find("&"))
        if stopped():
            raise QueryCancelled
        text = written(value)
    except RecursionError:
        raise QueryError("the answer is nested too deeply", 0) from None
    notice, position = interpreter.in_vain(query) or ("", None)
    if not notice and source.twice:
        objects = "one object has" if source.twice == 1 else f"{source.twice:,} objects have"
        notice = f"{objects} a member that occurs twice; in a query the last one counts"
    return QueryResult(text, _words(value), notice, position)


def _words(value: object) -> str:
    if isinstance(value, list):
        return f"{len(value):,} item{'' if len(value) == 1 else 's'}"
    if isinstance(value, dict):
        return f"an object of {len(value):,} member{'' if len(value) == 1 else 's'}"
    return {"null": "null", "string": "text", "number": "a number"}.get(kind(value), "true or false")
