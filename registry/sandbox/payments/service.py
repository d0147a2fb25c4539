"""The payments service: from a request to its response.

One service holds one world. A request is matched by method and path, its key is checked, and the operation responds or
refuses. Every response has a request id.
"""

import re
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import date

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from registry.sandbox.payments import deleting, retrieving
from registry.sandbox.payments.datasets import DATASETS
from registry.sandbox.payments.errors import ApiError, failing, key_of, masked, refused
from registry.sandbox.payments.operations import DECLARED, DELETIONS, FILES, LISTS, OBJECTS, SEARCHES, Call, Routes, resource_of
from registry.sandbox.payments.quote_pdf import quote_pdf
from registry.sandbox.payments.reading import GONE, Reader
from registry.sandbox.payments.searching import search
from registry.sandbox.payments.shapes import Dataset, Datasets, kinds_of, shapes
from registry.sandbox.requests import KNOWN, METHODS, endpoint
from registry.sandbox.store import Database, Store
from registry.sandbox.world import World

SHAPES = "2025-09-30.clover"
"""The version of the responses' shapes; fields that later versions added are there as well, since they replace nothing."""

SEARCHABLE_SINCE = "2020-08-27"

_VERSION = re.compile(r"(\d{4}-\d{2}-\d{2})(\.[a-z]+)?", re.ASCII)

HANDLERS: Mapping[str, Callable[[Call], Mapping[str, object] | Response]] = {
    "alone": retrieving.alone,
    "capability": retrieving.capability,
    "delete": deleting.delete,
    "discount": retrieving.discount,
    "list": retrieving.members,
    "of_owner": retrieving.owned,
    "one": retrieving.one,
    "quote_pdf": quote_pdf,
    "recent_events": retrieving.recent_events,
    "remove_discount": deleting.remove_discount,
    "search": search,
    "summaries": retrieving.summaries,
}
"""What carries out an operation, by what it does."""

_API = Routes(("GET", OBJECTS), ("GET", LISTS), ("GET", SEARCHES), ("DELETE", DELETIONS))
_FILES = Routes(("GET", FILES))


def services(
    world: World, datasets: Iterable[Dataset] = DATASETS, database: Database | None = None, *, strict_keys: bool = False
) -> tuple[ASGIApp, ASGIApp]:
    """The API (paths from ``/v1`` on) and the files host of one world; its state is in memory when no database is given.

    With `strict_keys` only keys that end with `registry.sandbox.requests.KNOWN` are accepted.

    Making them costs next to nothing: the service behind them and the world's content are made when the first request arrives.
    """
    made: list[Service] = []
    lock = threading.Lock()

    def app(routes: Routes) -> ASGIApp:
        def respond(request: Request) -> Response:
            with lock:
                if not made:
                    made.append(Service(world, datasets, database, strict_keys))
            return made[0].respond(routes, request)

        return Starlette(routes=[Route("/{path:path}", endpoint(respond), methods=METHODS)])

    return app(_API), app(_FILES)


class Service:
    """The payments platform of one world: its API and its files host, each with its routes."""

    def __init__(self, world: World, datasets: Iterable[Dataset], database: Database | None, strict_keys: bool) -> None:
        self._world, self._strict = world, strict_keys
        self._store = store(database)
        self._datasets = Datasets(world, self._store, datasets)

    def respond(self, routes: Routes, request: Request) -> Response:
        """Answer a request to one of the hosts."""
        id_ = "req_" + self._world.token(f"request/{self._store.next('requests')}", 14)
        headers = {"Request-Id": id_, "Stripe-Version": SHAPES}
        if request.headers.get("Stripe-Version", SHAPES) != SHAPES:
            headers["Sandbox-Note"] = f"The sandbox answers in the shapes of {SHAPES}, whatever version is named."
        try:
            result = self._carried_out(routes, request)
            response = result if isinstance(result, Response) else JSONResponse(result)
        except ApiError as error:
            response = JSONResponse(error.body(id_), error.status)
            # None of the refusals below comes from a fault or a limit: the same request would meet it again.
            headers["Stripe-Should-Retry"] = "false"
        response.headers.update(headers)
        return response

    def _carried_out(self, routes: Routes, request: Request) -> Mapping[str, object] | Response:
        method, path, query = request.method, "/" + request.path_params["path"], request.scope["query_string"].decode("latin-1")
        match = routes.match(method, path)
        if match is None:
            hint = "The sandbox has the operations that the tools need; this is none of them."
            message = f"Unrecognized request URL ({method}: {path}). Check the method, the path and the host. {hint}"
            raise ApiError(404, message)
        operation, ids = match
        key = key_of(request.headers.get("Authorization"))
        if self._strict and not key.text.endswith(KNOWN):
            raise failing("wrong key", masked(key.text))
        if key.publishable and "client_secret" not in operation.parameters:
            raise failing("publishable key")
        version = request.headers.get("Stripe-Version", SHAPES)
        found = _VERSION.fullmatch(version)
        try:
            date.fromisoformat(found[1] if found else "")
        except ValueError:
            raise refused(f"Invalid API version: {version}") from None
        if operation.does == "search" and version < SEARCHABLE_SINCE:
            raise refused(f"Searches need API version {SEARCHABLE_SINCE} or later; this request names {version}.")
        reader = Reader(self._world, self._store, self._datasets, live=key.live)
        if account := request.headers.get("Stripe-Account") or request.headers.get("Stripe-Context"):
            reader.act_for(account, key.text)
        rights = ("write",) if method == "DELETE" else ("read", "write")
        if lacking := key.lacking([resource_of(path)], rights, reader.own_account):
            raise lacking
        return HANDLERS[operation.does](Call(operation, reader, key, path, ids, query))


def store(database: Database | None = None) -> Store:
    """The payments store of a database."""
    # For each kind, the fields by which its objects are looked for: their owner, and what selective filters look at.
    needed = [(kind, path) for kind, paths in DECLARED["indexes"].items() for path in paths]
    for operation in (one for one in LISTS.values() if one.does == "list"):
        # Few objects have the same text, so that an index is worth its cost.
        selective = {name: one for name, one in operation.filters.items() if one.type == "text" and not one.choices}
        paths = [one.path or name for name, one in selective.items()]
        needed += [(kind, path) for kind in operation.kinds for path in (operation.by, *paths) if path]
    lists = [field for shape in shapes().values() for field in shape.fields.values() if "by" in field]
    needed += [(kind, field["by"]) for field in lists for kind in kinds_of(field["of"])]
    indexes = {kind: [path for of, path in dict.fromkeys(needed) if of == kind] for kind in dict(needed)}
    found = Store(indexes, database, "payments/")
    found.add(GONE, ())
    return found
