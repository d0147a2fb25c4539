"""The payments service: from a request to its response.

One service holds one world. A request is matched by method and path, its key is checked, and the operation responds or
refuses. Every response has a request id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from registry.sandbox.database import Database
from registry.sandbox.payments.builder import Dataset, Datasets
from registry.sandbox.payments.calls import Call, Operation
from registry.sandbox.payments.connected import behalf
from registry.sandbox.payments.errors import ApiError, needs_secret_key, refused, unrecognised
from registry.sandbox.payments.keys import key_of
from registry.sandbox.payments.listing import Listing
from registry.sandbox.payments.quote_pdf import QuotePdf
from registry.sandbox.payments.reading import GONE, Reader
from registry.sandbox.payments.retrieving import WithSecret
from registry.sandbox.payments.routes.deletions import DELETIONS
from registry.sandbox.payments.routes.lists import LISTS, SEARCHES
from registry.sandbox.payments.routes.objects import OBJECTS
from registry.sandbox.payments.searching.operation import Search
from registry.sandbox.payments.shapes import kinds_of, shapes
from registry.sandbox.payments.usage import EVENTS
from registry.sandbox.store import Store
from registry.sandbox.world import World

SHAPES = "2025-09-30.clover"
"""The version of the responses' shapes; fields that later versions added are there as well, since they replace nothing."""

SEARCHABLE_SINCE = "2020-08-27"

_DATES = (
    "2011-01-01 2011-06-21 2011-06-28 2011-08-01 2011-09-15 2011-11-17 2012-02-23 2012-03-25 2012-06-18 2012-06-28 "
    "2012-07-09 2012-09-24 2012-10-26 2012-11-07 2013-02-11 2013-02-13 2013-07-05 2013-08-12 2013-08-13 2013-10-29 "
    "2013-12-03 2014-01-31 2014-03-13 2014-03-28 2014-05-19 2014-06-13 2014-06-17 2014-07-22 2014-07-26 2014-08-04 "
    "2014-08-20 2014-09-08 2014-10-07 2014-11-05 2014-11-20 2014-12-08 2014-12-17 2014-12-22 2015-01-11 2015-01-26 "
    "2015-02-10 2015-02-16 2015-02-18 2015-03-24 2015-04-07 2015-06-15 2015-07-07 2015-07-13 2015-07-28 2015-08-07 "
    "2015-08-19 2015-09-03 2015-09-08 2015-09-23 2015-10-01 2015-10-12 2015-10-16 2016-02-03 2016-02-19 2016-02-22 "
    "2016-02-23 2016-02-29 2016-03-07 2016-06-15 2016-07-06 2016-10-19 2017-01-27 2017-02-14 2017-04-06 2017-05-25 "
    "2017-06-05 2017-08-15 2017-12-14 2018-01-23 2018-02-05 2018-02-06 2018-02-28 2018-05-21 2018-07-27 2018-08-23 "
    "2018-09-06 2018-09-24 2018-10-31 2018-11-08 2019-02-11 2019-02-19 2019-03-14 2019-05-16 2019-08-14 2019-09-09 "
    "2019-10-08 2019-10-17 2019-11-05 2019-12-03 2020-03-02 2020-08-27 2022-08-01 2022-11-15 2023-08-16 2023-10-16 "
    "2024-04-10 2024-06-20"
)
"""The versions without a name."""

_RELEASES = (
    ("acacia", "2024-09-30"),
    ("basil", "2025-03-31"),
    ("clover", "2025-09-30"),
    ("dahlia", "2026-03-25"),
    ("endive", "2026-09-30"),
)
"""The named releases and the day of each one's first version; a release has a version every month until the next one."""

_NAMED = re.compile(r"(\d{4}-\d{2}-\d{2})\.([a-z]+)", re.ASCII)


def check_version(named: str | None, *, searches: bool) -> None:
    """Check the version that a request names, if it names one.

    Args:
        named: the header's value.
        searches: whether the request is a search, which older versions do not have.

    Raises:
        ApiError: 400.
    """
    if named is None:
        return
    if named not in _DATES.split() and not _is_named(named):
        raise _unknown(named)
    if searches and named < SEARCHABLE_SINCE:
        raise refused(f"Searches need API version {SEARCHABLE_SINCE} or later; this request names {named}.")


def _is_named(version: str) -> bool:
    found = _NAMED.fullmatch(version)
    if not found or not _is_date(found[1]):
        return False
    begun = [name for name, first in _RELEASES if first <= found[1]]
    return begun[-1:] == [found[2]] or (bool(begun) and found[2] == "preview")


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _unknown(version: str) -> ApiError:
    return refused(f"Invalid API version: {version}")


_T = TypeVar("_T")


class Match(NamedTuple, Generic[_T]):
    """What a path leads to, with its placeholders' names and values from left to right."""

    target: _T
    names: tuple[str, ...]
    values: tuple[str, ...]


class _Node(Generic[_T]):
    __slots__ = ("child", "children", "names", "targets")

    def __init__(self) -> None:
        self.children: dict[str, _Node[_T]] = {}
        self.child: _Node[_T] | None = None
        self.targets: dict[str, _T] = {}
        self.names: tuple[str, ...] = ()


class Routes(Generic[_T]):
    """A tree of paths such as ``/v1/customers/{customer}``."""

    def __init__(self, tables: Iterable[tuple[str, Mapping[str, _T]]]) -> None:
        self._root: _Node[_T] = _Node()
        for method, table in tables:
            for path, target in table.items():
                self._add(method, path, target)

    def match(self, method: str, path: str) -> Match[_T] | None:
        """What a method and path lead to, or None."""
        return _match(self._root, method, path.split("/"), ())

    def _add(self, method: str, path: str, target: _T) -> None:
        node, names = self._root, []
        for segment in path.split("/"):
            if segment.startswith("{"):
                names.append(segment[1:-1])
                node.child = node.child or _Node()
                node = node.child
            else:
                node = node.children.setdefault(segment, _Node())
        node.targets[method] = target
        node.names = tuple(names)


def _match(node: _Node[_T], method: str, segments: list[str], values: tuple[str, ...]) -> Match[_T] | None:
    if not segments:
        target = node.targets.get(method)
        return None if target is None else Match(target, node.names, values)
    first, *rest = segments
    if first in node.children:
        found = _match(node.children[first], method, rest, values)
        if found:
            return found
    return _match(node.child, method, rest, (*values, first)) if node.child and first else None


_API: Routes[Operation] = Routes([("GET", OBJECTS), ("GET", LISTS), ("GET", SEARCHES), ("DELETE", DELETIONS)])
_FILES: Routes[Operation] = Routes([("GET", {"/v1/quotes/{quote}/pdf": QuotePdf()})])

_FURTHER_INDEXES = {
    EVENTS: ["customer"],
    "customer": ["test_clock"],
    "dispute": ["charge"],
    "financial_connections.account": ["ownership"],
    "invoiceitem": ["invoice"],
    "payment_method": ["type"],
    "person": ["account"],
    "price": ["product"],
    "promotion_code": ["promotion.coupon"],
    "subscription_schedule": ["customer"],
}
"""Fields with an index for deletions, single objects and the one long list, besides the selective filters of lists."""


class Service:
    """The payments platform of one world: its API and its files host.

    Args:
        world: what the objects are derived from.
        datasets: what the world holds.
        database: where its state is kept; in memory when not given.
    """

    def __init__(self, world: World, datasets: Iterable[Dataset], database: Database | None = None) -> None:
        self._world = world
        self._store = store(database)
        self._datasets = Datasets(world, self._store, datasets)

    def api(self, request: Request) -> Response:
        """Answer a request to the API."""
        return self._respond(_API, request)

    def files(self, request: Request) -> Response:
        """Answer a request to the files host."""
        return self._respond(_FILES, request)

    def _respond(self, routes: Routes[Operation], request: Request) -> Response:
        id_ = "req_" + self._world.token(f"request/{self._store.next('requests')}", 14)
        headers = {"Request-Id": id_, **_shared_headers(request)}
        try:
            result = self._carried_out(routes, request)
            response = result if isinstance(result, Response) else JSONResponse(result)
        except ApiError as error:
            response = JSONResponse(error.body(id_), error.status)
            # None of the refusals below comes from a fault or a limit: the same request would meet it again.
            headers["Stripe-Should-Retry"] = "false"
        response.headers.update(headers)
        return response

    def _carried_out(self, routes: Routes[Operation], request: Request) -> Mapping[str, object] | Response:
        path = "/" + request.path_params["path"]
        match = routes.match(request.method, path)
        if match is None:
            raise unrecognised(request.method, path)
        key = key_of(request.headers.get("Authorization"))
        if key.publishable and not isinstance(match.target, WithSecret):
            raise needs_secret_key()
        check_version(request.headers.get("Stripe-Version"), searches=isinstance(match.target, Search))
        reader = Reader(self._world, self._store, self._datasets, live=key.live)
        account = request.headers.get("Stripe-Account") or request.headers.get("Stripe-Context")
        if account:
            reader = behalf(reader, key, account)
        lacking = key.lacking(request.method, path, reader.own_account)
        if lacking:
            raise lacking
        return match.target.answer(
            Call(reader, key, path, match.names, match.values, request.scope["query_string"].decode("latin-1"))
        )


def _shared_headers(request: Request) -> dict[str, str]:
    """The headers of every response about its request: the API version, and the idempotency key."""
    headers = {"Stripe-Version": SHAPES}
    if request.headers.get("Stripe-Version", SHAPES) != SHAPES:
        headers["Sandbox-Note"] = f"The sandbox answers in the shapes of {SHAPES}, whatever version is named."
    if key := request.headers.get("Idempotency-Key"):
        headers["Idempotency-Key"] = key
    return headers


def store(database: Database | None = None) -> Store:
    """The payments store of a database."""
    found = Store(indexes(), database, "payments/")
    found.add(GONE, ())
    return found


def indexes() -> dict[str, list[str]]:
    """For each kind, the fields by which its objects are looked for: their owner, and what selective filters look at."""
    fields: dict[str, dict[str, None]] = {kind: dict.fromkeys(paths) for kind, paths in _FURTHER_INDEXES.items()}

    def needed(kinds: Iterable[str], path: str) -> None:
        for kind in kinds:
            fields.setdefault(kind, {})[path] = None

    for operation in LISTS.values():
        if isinstance(operation, Listing):
            selective = [one.path for one in operation.filters if one.selective]
            for path in chain([operation.by] if operation.by else [], selective):
                needed(operation.kinds, path)
    for shape in shapes().values():
        for field in shape.fields.values():
            if "by" in field:
                needed(kinds_of(field["of"]), field["by"])
    return {kind: list(paths) for kind, paths in fields.items()}
