"""Calls that ended, for tests of what is remembered of them."""

import json
from collections.abc import Iterable
from typing import Any

from registry.accounts.connection import Connection
from registry.calling.result import Failure, Result
from registry.journal.history import History
from tests.calling.network import LIVE, TOOLS

CUSTOMER = {"object": "customer", "id": "cus_N1abcdef", "name": "Ada Lovelace", "email": "ada@example.com"}


def ended(
    name: str = "GetCustomerCards",
    answer: Any = None,
    *,
    at: float = 1_700_000_000.0,
    failure: Failure | None = None,
    cut_off: bool = False,
    connection: Connection | None = None,
    body: bytes | None = None,
    is_part: bool = False,
    **values: Any,
) -> tuple[Any, ...]:
    """A call of a tool with these arguments and this answer."""
    tool = TOOLS[name]
    through = connection or next(one for one in LIVE.values() if one.name != "sandbox" and tool.toolkit in one.endpoints)
    text = b"" if cut_off else body if body is not None else json.dumps(CUSTOMER if answer is None else answer).encode()
    status = None if cut_off else 404 if failure else 200
    result = Result(name, through.name, status, body=text, elapsed=0.1, failure=failure, arguments=values, at=at)
    return tool, through, result, is_part


def record(history: History, calls: Iterable[tuple[Any, ...]]) -> None:
    """Record calls, and close the history's connection."""
    for call in calls:
        history.note(*call)
    assert history.flush(30)
    history.close()
    assert not history.notice


REFUSED = Failure("service", "Not found", "No such customer", "Check the id.", code="resource_missing")
