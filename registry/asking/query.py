"""Asking a document: a query in, an answer as JSON text out, with what the asker should know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from registry.asking.functions import kind
from registry.asking.interpreting import Interpreter, Stopped
from registry.asking.language import parsed
from registry.asking.mistakes import Mistake
from registry.asking.values import Source, written

__all__ = ["Answer", "Mistake", "Source", "Stopped", "ask"]


@dataclass(frozen=True, slots=True)
class Answer:
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


def ask(source: Source, query: str, stopped: Callable[[], bool] = lambda: False) -> Answer:
    """Carry a query out. Over a large document this belongs into a thread.

    Args:
        source: the document.
        query: JMESPath.
        stopped: tells whether nobody waits for the answer any more; asked often.

    Raises:
        Mistake: the query is none, or cannot be carried out on this document.
        Stopped: nobody waits any more.
    """
    tree = parsed(query)
    interpreter = Interpreter(stopped)
    try:
        value = interpreter.visit(tree, source.value)
        if kind(value) == "expref":
            raise Mistake("an expression with & is only good inside a function", query.find("&"))
        if stopped():
            raise Stopped
        text = written(value)
    except RecursionError:
        raise Mistake("the answer is nested too deeply", 0) from None
    notice, position = interpreter.in_vain(query) or ("", None)
    if not notice and source.twice:
        objects = "one object has" if source.twice == 1 else f"{source.twice:,} objects have"
        notice = f"{objects} a member that occurs twice; in a query the last one counts"
    return Answer(text, _words(value), notice, position)


def _words(value: object) -> str:
    if isinstance(value, list):
        return f"{len(value):,} item{'' if len(value) == 1 else 's'}"
    if isinstance(value, dict):
        return f"an object of {len(value):,} member{'' if len(value) == 1 else 's'}"
    return {"null": "null", "string": "text", "number": "a number"}.get(kind(value), "true or false")
