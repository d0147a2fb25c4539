"""What the services have in common in taking requests: threads, the address by which they were reached, and JSON.

Endpoints run in threads, so that they do not block the event loop that they share. Starlette's own threads load parts of anyio
that nothing else here needs, which takes longer than most responses.

A service accepts two kinds of token. A plain token is any text; each service defines what it may do. A minted token comes from
signing in: it belongs to a person or the account, has scopes, expires and can be revoked. The services know minted tokens by
`Tokens` alone, so that no service depends on the sign-in. A plain token that begins with `UNKNOWN`, `EXPIRED` or `RESTRICTED`
is refused, for testing clients. A strict sandbox knows only credentials that end with `KNOWN`, as the ones that it prints do,
and refuses all others as its services refuse a wrong one.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

UNKNOWN, EXPIRED, RESTRICTED = "unknown-", "expired-", "restricted-"
"""Prefixes of plain tokens that are unknown, expired, or without permissions."""

KNOWN = "sandbox"

CONDITIONS: Mapping[str, Mapping[str, Mapping[str, str]]] = json.loads(
    Path(__file__).with_name("asked.json").read_text("utf-8")
)
"""Which fields the services send only under a condition: `asked.json`, by service, type of record and field.

``expand``        `expand[]` names it (payments); everything else that can be expanded is an id otherwise
``include NAME``  `include[]` names that part (incidents)
``own``           the profile is the caller's own (incidents)
``set``           it has a value (CRM); what has none is left out there, but for lists

All other fields of a record are always there, with null where they may be null. Not simulated, and so never there: the next
duty of a schedule's user (`include_next_oncall_for_user`), and secrets that only the response to a creation has.
"""

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


class Access(NamedTuple):
    """The access of a minted token.

    `person` is a key of the cast, None for a token that belongs to the account and to nobody in it.
    """

    person: str | None
    scopes: frozenset[str]

    def holds(self, one_of: Collection[str]) -> bool:
        """Whether the token has at least one of these scopes."""
        return not self.scopes.isdisjoint(one_of)


class TokenRefused(Exception):
    """A token that looks minted and is not valid: it was never issued, was revoked, or is for another service."""


class TokenExpired(Exception):
    """A minted token that has expired. `ended` is when that happened, `ago` how many seconds before the present."""

    def __init__(self, ended: int, ago: int) -> None:
        super().__init__(f"expired {ago} s ago")
        self.ended, self.ago = ended, ago


Tokens = Callable[[str, str], Access | None]
"""The access of a token at a service (``incidents`` or ``crm``); None for a plain token.

Raises `TokenRefused` if it looks minted and opens nothing at this service, and `TokenExpired` if it did open it.
"""


_Made = TypeVar("_Made")
_BELOW = "callboard.below"
_THREADS = ThreadPoolExecutor(40, "sandbox")  # as many as Starlette would use


async def in_thread(make: Callable[..., _Made], *arguments: object) -> _Made:
    """What a function returns, called in a thread."""
    return await asyncio.get_running_loop().run_in_executor(_THREADS, make, *arguments)


def endpoint(handler: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint whose responses are made in threads."""

    async def threaded(request: Request) -> Response:
        return await in_thread(handler, request)

    return threaded


def placed(scope: Scope, below: str) -> Scope:
    """A request to a service's own port, changed to a request to that service's path on the joint port."""
    raw = scope.get("raw_path")
    moved = {**scope, "path": below + scope["path"], _BELOW: below}
    return moved if raw is None else {**moved, "raw_path": below.encode() + raw}


def address(request: Request) -> str:
    """The base URL by which the service was reached, without a slash at its end.

    On a service's own port it has no path, as that of the real service has none.
    """
    below = request.scope.get("root_path", "").removeprefix(request.scope.get(_BELOW, ""))
    return f"{request.url.scheme}://{request.url.netloc}{below}"


class NotJson(ValueError):
    """Bytes that are not JSON; the message says why."""


def loads(content: bytes) -> Any:
    """The values of a JSON text.

    Raises:
        NotJson: it is none, or cannot be read.
    """
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise NotJson(f"an error in line {error.lineno}, column {error.colno}") from error
    except UnicodeDecodeError as error:
        raise NotJson("it is not UTF-8") from error
    except RecursionError:
        raise NotJson("it is nested too deeply") from None
    except ValueError:
        raise NotJson("a number has too many digits") from None
