"""The payments service: from a request to its response.

One service holds one world. A request is matched by method and path, its key is checked, and the operation responds or
refuses. Every response has a request id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from registry.sandbox.database import Database
from registry.sandbox.payments.builder import Dataset, Datasets
from registry.sandbox.payments.calls import Call, Operation
from registry.sandbox.payments.connected import behalf
from registry.sandbox.payments.errors import ApiError, needs_secret_key, unrecognised
from registry.sandbox.payments.keys import key_of
from registry.sandbox.payments.listing import Listing
from registry.sandbox.payments.quote_pdf import QuotePdf
from registry.sandbox.payments.reading import GONE, Reader
from registry.sandbox.payments.retrieving import WithSecret
from registry.sandbox.payments.routes.deletions import DELETIONS
from registry.sandbox.payments.routes.lists import LISTS, SEARCHES
from registry.sandbox.payments.routes.objects import OBJECTS
from registry.sandbox.payments.routing import Routes
from registry.sandbox.payments.searching.operation import Search
from registry.sandbox.payments.shapes import kinds_of, shapes
from registry.sandbox.payments.usage import EVENTS
from registry.sandbox.payments.versions import SHAPES, check_version
from registry.sandbox.store import Store
from registry.sandbox.world import World

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
