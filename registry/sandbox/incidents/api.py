"""The incident service as an ASGI application: its paths, its tokens, and its refusals.

It is read-only, like the sandbox's tokens: changes are refused. Any plain token in the format of a token is valid and
belongs to Sam Ode, but for those that begin with ``account-``, which belong to the account. A token from signing in
belongs to the person who signed in, and reads what its scopes allow. ``unknown-…`` and ``expired-…`` are refused, and
``restricted-`` may read nothing. With ``basic-`` the account is on a plan that lacks abilities.
"""

import re
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

from msgspec.json import encode
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, Router

from registry.sandbox.clock import ScenarioState
from registry.sandbox.incidents import identifier, operations
from registry.sandbox.incidents.account import Account
from registry.sandbox.incidents.directory import Record
from registry.sandbox.incidents.query import QueryParameters, Refusal
from registry.sandbox.requests import METHODS, RESTRICTED, Access, TokenExpired, TokenRefused, Tokens, address, endpoint
from registry.sandbox.world import World

_READS, _WRITES = ("GET", "HEAD"), ("POST", "PUT", "PATCH", "DELETE")
_TOKEN = re.compile(r"(?:Token token=|Bearer )([\x21-\x7e]+)", re.ASCII)
_LONGEST_ADDRESS = 4096
_BASIC = "basic-"

_PATHS: dict[str, Callable[..., Record]] = {
    "/escalation_policies": operations.list_policies,
    "/escalation_policies/{id}": operations.get_policy,
    "/incidents": operations.list_incidents,
    "/incidents/{id}": operations.get_incident,
    "/incidents/{id}/alerts": operations.list_alerts,
    "/incidents/{id}/alerts/{alert}": operations.get_alert,
    "/incidents/{id}/log_entries": operations.list_incident_log,
    "/incidents/{id}/notes": operations.list_notes,
    "/log_entries": operations.list_log_entries,
    "/log_entries/{id}": operations.get_log_entry,
    "/oncalls": operations.list_oncalls,
    "/priorities": operations.list_priorities,
    "/schedules": operations.list_schedules,
    "/schedules/{id}": operations.get_schedule,
    "/schedules/{id}/users": operations.list_schedule_users,
    "/services": operations.list_services,
    "/services/{id}": operations.get_service,
    "/teams": operations.list_teams,
    "/teams/{id}": operations.get_team,
    "/teams/{id}/members": operations.list_members,
    "/users": operations.list_users,
    "/users/me": operations.get_me,
    "/users/{id}": operations.get_user,
}

# A classic token reads everything, a scoped one what its scopes name. Only a classic token shows whose it is.
_CLASSIC = ("read", "write")
_SCOPED = {
    path: "incidents.read" if path.startswith("/log_entries") else f"{path.split('/')[1]}.read"
    for path in _PATHS
    if path != "/users/me"
}


def application(world: World, scenario_state: ScenarioState, tokens: Tokens) -> Router:
    """The service with its own world, in which a scenario runs."""
    account, numbers = Account(world, scenario_state), count(1)

    def handler(path: str | None) -> Callable[[Request], Awaitable[Response]]:
        """The endpoint of one path; without one, for all paths that do not exist. Every response has a request id."""

        def handle(request: Request) -> Response:
            response = _response(account, tokens, path, request)
            response.headers["X-Request-Id"] = world.uuid(f"incidents/request/{next(numbers)}")
            return response

        return endpoint(handle)

    routes = [Route(path, handler(path), methods=METHODS) for path in _PATHS]
    routes.append(Route("/{rest:path}", handler(None), methods=METHODS))
    return Router(routes, redirect_slashes=False)


class _MsgspecResponse(JSONResponse):
    """JSON written by msgspec: Starlette's own way takes a fifth of the time that a page of log entries takes."""

    def render(self, content: Any) -> bytes:
        return encode(content)


def _response(account: Account, tokens: Tokens, path: str | None, request: Request) -> Response:
    if len(request.scope.get("raw_path") or b"") + len(request.scope["query_string"]) > _LONGEST_ADDRESS:
        return PlainTextResponse("Request-URI Too Large", 414)
    try:
        found = _TOKEN.fullmatch(request.headers.get("authorization", ""))
        if found is None:
            raise Refusal(401)
        token = found[1]
        try:
            access = tokens("incidents", token)
        except (TokenExpired, TokenRefused) as error:
            raise Refusal(401) from error
        with account.at_present():
            return _MsgspecResponse(_carried_out(account, path, request, token, access))
    except Refusal as refusal:
        return JSONResponse(refusal.body, refusal.status)


def _carried_out(account: Account, path: str | None, request: Request, token: str, access: Access | None) -> Record:
    if account.failing is not None:
        raise Refusal(account.failing)
    if path is None:
        raise Refusal(404, "The sandbox has the operations that the tools need; this is none of them.")
    if request.method in _WRITES:
        raise Refusal(403)
    if request.method not in _READS:
        raise Refusal(404)
    lacks_scope = access is not None and not access.holds((*_CLASSIC, _SCOPED.get(path, "")))
    if lacks_scope or token.startswith(RESTRICTED):
        raise Refusal(403, "The token does not have the required scope.")
    query = QueryParameters(request.query_params)
    if token.startswith(_BASIC):
        query.check_plan(path)
    caller = None if token.startswith("account-") else account.signed_in
    if access is not None:
        caller = access.person and identifier(account.world, "user", access.person)
    return _PATHS[path](operations.Call(account, query, address(request), caller), **request.path_params)
