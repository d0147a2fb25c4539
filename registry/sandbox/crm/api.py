"""The CRM's user administration as an ASGI application: its paths, its tokens, and how responses are written.

All operations are at ``/settings/v3/users`` and, as the newer documents have it, at ``/settings/users/v3``. Any plain Bearer
token is valid, but for those that begin with ``expired-`` or ``unknown-``; those that begin with ``readonly-`` may not change
anything, and those that begin with ``restricted-`` do nothing. A token from signing in may do what its scopes allow.
"""

import base64
import binascii
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router

from registry.sandbox.crm.administration import (
    BY_EMAIL,
    BY_ID,
    READ_SCOPES,
    SEAT_SCOPES,
    TEAM_SCOPES,
    UNAUTHENTICATED,
    WRITE_SCOPES,
    Administration,
    Refusal,
    expired,
    invalid,
    missing_scopes,
)
from registry.sandbox.requests import (
    CONDITIONS,
    METHODS,
    RESTRICTED,
    Access,
    NotJson,
    TokenExpired,
    TokenRefused,
    Tokens,
    address,
    in_thread,
    loads,
)
from registry.sandbox.store import Body, Database
from registry.sandbox.world import World

BASES = ("/settings/v3/users", "/settings/users/v3")
DETAILS = "/account-info/v3/details"
"""A separate path, outside the bases; every token may read it.

HubSpot documents it as "Retrieve account details" of its account information API (scope ``oauth``), at this path and, for
dated versions, at ``/account-info/2026-03/details``. It names the account, not a person.
"""

MOST_PER_PAGE = 100

_TOKEN = re.compile(r"Bearer ([\x21-\x7e]+)", re.ASCII)
_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)
_READS = ("GET", "HEAD")


class Call(NamedTuple):
    """One request, with its target, its content, and the URL of the operations' base as the caller wrote it.

    `access` is what the token opens, None for a plain one.
    """

    account: Administration
    request: Request
    content: bytes
    base: str
    access: Access | None

    def body(self) -> Body:
        """What the request's body says about a user.

        Raises:
            Refusal: 400, it is not a JSON object; 403, it assigns a paid seat and the token may not do that.
        """
        try:
            body = loads(self.content)
        except NotJson as error:
            raise Refusal(400, "VALIDATION_ERROR", f"Invalid input JSON: {error}") from error
        if not isinstance(body, dict):
            raise Refusal(400, "VALIDATION_ERROR", "Invalid input JSON: an object is expected")
        role = body.get("roleId")
        if isinstance(role, str) and self.account.seats(role):
            _require(self.access, SEAT_SCOPES)
        return body

    @property
    def identifier(self) -> tuple[str, str]:
        """The property that the path identifies a user by, and its value.

        Raises:
            Refusal: 400, a property that identifies nobody.
        """
        property_ = self.request.query_params.get("idProperty", BY_ID)
        if property_ not in (BY_ID, BY_EMAIL):
            raise invalid(f"idProperty must be one of {BY_ID}, {BY_EMAIL}", "idProperty", "INVALID_ENUM_VALUE")
        return property_, self.request.path_params["user_id"]


def list_users(call: Call) -> Response:
    """A page of users, with where the next one starts when there is one."""
    text = call.request.query_params.get("limit", str(MOST_PER_PAGE))
    if not _WHOLE.fullmatch(text) or not 1 <= int(text) <= MOST_PER_PAGE:
        raise invalid(f"limit must be a whole number from 1 to {MOST_PER_PAGE}", "limit", "INVALID_LIMIT")
    limit = int(text)
    after = call.request.query_params.get("after")
    last_seen = 0
    if after is not None:
        try:
            padded = after + "=" * (-len(after) % 4)
            kind, _, id_ = base64.b64decode(padded, altchars=b"-_", validate=True).decode().partition(":")
        except (binascii.Error, ValueError):
            kind = id_ = ""
        if kind != "user" or not id_.isdecimal():
            raise invalid(f"The paging cursor {after} is not valid", "after", "INVALID_CURSOR")
        last_seen = int(id_)
    rows = [row for row in call.account.users() if int(row.id) > last_seen]
    body: Body = {"results": [_user(call.account, row.id, row.body) for row in rows[:limit]]}
    if len(rows) > limit:
        cursor = base64.urlsafe_b64encode(f"user:{rows[limit - 1].id}".encode()).decode().rstrip("=")
        body["paging"] = {"next": {"after": cursor, "link": f"{call.base}/?limit={limit}&after={cursor}"}}
    return JSONResponse(body)


def create_user(call: Call) -> Response:
    """A new user."""
    body = call.body()
    id_, properties = call.account.add(body)
    record = _user(call.account, id_, properties) | {"sendWelcomeEmail": body["sendWelcomeEmail"]}
    return JSONResponse(record, 201, {"Location": f"{call.base}/{id_}"})


def get_user(call: Call) -> Response:
    """One user."""
    row = call.account.user(*call.identifier)
    return JSONResponse(_user(call.account, row.id, row.body))


def update_user(call: Call) -> Response:
    """A user, changed in what the body names."""
    return JSONResponse(_user(call.account, *call.account.change(*call.identifier, call.body())))


def remove_user(call: Call) -> Response:
    """Nothing: the user is gone."""
    call.account.remove(*call.identifier)
    return Response(status_code=204)


# Below a base; the first path that fits counts.
_PATHS: dict[str, dict[str, Callable[[Call], Response]]] = {
    "": {"GET": list_users, "POST": create_user},
    "/": {"GET": list_users, "POST": create_user},
    "/roles": {"GET": lambda call: JSONResponse({"results": call.account.roles()})},
    "/teams": {"GET": lambda call: JSONResponse({"results": call.account.teams()})},
    DETAILS: {"GET": lambda call: JSONResponse(call.account.details())},
    "/{user_id:path}": {"GET": get_user, "PUT": update_user, "DELETE": remove_user},
}


def application(world: World, tokens: Tokens, database: Database | None = None) -> Router:
    """The service with its own world."""
    account = Administration(world, database)
    places = [(base, path) for base in BASES for path in _PATHS if path != DETAILS]
    routes = [
        Route(base + path, _endpoint(account, tokens, path, base), methods=METHODS) for base, path in [*places, ("", DETAILS)]
    ]
    routes.append(Route("/{rest:path}", _endpoint(account, tokens, None, ""), methods=METHODS))
    return Router(routes, redirect_slashes=False)


def _endpoint(account: Administration, tokens: Tokens, path: str | None, base: str) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of one path below a base; without one, for all paths that do not exist."""

    def handle(request: Request, content: bytes) -> Response:
        id_ = account.correlation_id()
        response = respond(request, content, id_)
        response.headers["X-HubSpot-Correlation-Id"] = id_
        return response

    def respond(request: Request, content: bytes, id_: str) -> Response:
        try:
            found = _TOKEN.fullmatch(request.headers.get("authorization", ""))
            if found is None:
                raise Refusal(*UNAUTHENTICATED)
            try:
                access = tokens("crm", found[1])
            except TokenRefused as error:
                raise Refusal(*UNAUTHENTICATED) from error
            except TokenExpired as error:
                raise expired(error.ago, error.ended) from error
            if path is None:
                # The service may have something there.
                words = "The sandbox has the operations that the tools need; this is none of them"
                raise Refusal(404, "OBJECT_NOT_FOUND", f"No resource was found at this path. {words}")
            operation = _PATHS[path].get("GET" if request.method == "HEAD" else request.method)
            if operation is None:
                raise Refusal(405, "METHOD_NOT_ALLOWED", f"{request.method} is not supported by this resource")
            if path != DETAILS:
                reading = TEAM_SCOPES if path == "/teams" else READ_SCOPES
                if found[1].startswith(RESTRICTED):
                    raise missing_scopes(reading)
                changes = request.method not in _READS
                if changes and found[1].startswith("readonly-"):
                    raise missing_scopes(WRITE_SCOPES)
                _require(access, WRITE_SCOPES if changes else reading)
            return operation(Call(account, request, content, address(request) + base, access))
        except Refusal as refusal:
            return JSONResponse(refusal.body(id_), refusal.status)

    async def endpoint(request: Request) -> Response:
        return await in_thread(handle, request, await request.body())

    return endpoint


def _require(access: Access | None, one_of: Sequence[str]) -> None:
    """That a token has one of these scopes; plain tokens have all of them."""
    if access is not None and not access.holds(one_of):
        raise missing_scopes(one_of)


def _user(account: Administration, id_: str, properties: Body) -> Body:
    """A user as the service shows it; what has no value is not there, but for lists."""
    role = properties.get("roleId")
    return {
        "id": id_,
        "email": properties["email"],
        **{name: properties[name] for name in CONDITIONS["crm"]["user"] if name in properties},
        "roleIds": [] if role is None else [role],
        "secondaryTeamIds": properties["secondaryTeamIds"],
        "superAdmin": properties["superAdmin"],
        "sendWelcomeEmail": False,
        "seatNames": account.seats(role),
    }
