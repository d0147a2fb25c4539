"""Signing in as ASGI applications: the paths of both services' authorization servers, and how responses are sent.

==================================================================  ==========================================
below the sandbox's own address                                     what it is
==================================================================  ==========================================
``/identity/incidents/oauth/authorize``, ``/oauth/token``           the incident service's
``/identity/incidents/global/oauth/anonymous/jwks``                 the keys of its identity tokens
``…/anonymous/.well-known/openid-configuration``                    what it says about itself
``/identity/crm/oauth/authorize``                                   the CRM's page
``/crm/oauth/v1/token``, ``/crm/oauth/v3/token``                    the CRM's token endpoints
``/crm/oauth/v3/token/introspect``, ``/crm/oauth/v3/token/revoke``  what a token is good for, and its end
==================================================================  ==========================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router

from registry.sandbox.incidents.rendering import SUBDOMAIN
from registry.sandbox.signin import page
from registry.sandbox.signin.authorize import AuthorizePage
from registry.sandbox.signin.endpoint import TokenEndpoint
from registry.sandbox.signin.errors import SignInError, invalid_request
from registry.sandbox.signin.parameters import Parameters
from registry.sandbox.signin.profiles import CRM, INCIDENTS, PROFILES
from registry.sandbox.signin.responses import ISSUER_PATH, CrmResponses, IncidentsResponses, Record
from registry.sandbox.signin.tokens import TokenStore
from registry.sandbox.threads import endpoint as threaded
from registry.sandbox.threads import in_thread
from registry.sandbox.world import World

_FORM = "application/x-www-form-urlencoded"
_LARGEST = 65_536
_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}

_Handler = Callable[[str, Parameters], Record]


class Applications(NamedTuple):
    """What is mounted at ``/identity``, and at ``/crm/oauth``."""

    identity: Router
    crm: Router


def applications(world: World, tokens: TokenStore) -> Applications:
    """Both authorization servers over one store of tokens."""
    incidents_responses, crm_responses = IncidentsResponses(world), CrmResponses(world)
    incidents = TokenEndpoint(PROFILES[INCIDENTS], tokens, incidents_responses)
    crm = TokenEndpoint(PROFILES[CRM], tokens, crm_responses)

    def introspect(_: str, form: Parameters) -> Record:
        client = crm.client(form)
        return crm_responses.about(tokens.valid(form.need("token"), client), tokens.now)

    def revoke(_: str, form: Parameters) -> Record:
        client = crm.client(form)
        tokens.revoke(form.need("token"), client)
        return {}

    configuration = _document(lambda request: incidents_responses.configuration(_base(request)))
    identity = [
        _page("/incidents/oauth/authorize", AuthorizePage(PROFILES[INCIDENTS], tokens, {"subdomain": SUBDOMAIN})),
        _form("/incidents/oauth/token", incidents.give),
        Route(f"/incidents{ISSUER_PATH}/.well-known/openid-configuration", threaded(configuration)),
        Route(f"/incidents{ISSUER_PATH}/jwks", threaded(_document(lambda _: incidents_responses.public_keys()))),
        _page("/crm/oauth/authorize", AuthorizePage(PROFILES[CRM], tokens, {})),
    ]
    endpoints = [
        _form("/v1/token", crm.give),
        _form("/v3/token", crm.give),
        _form("/v3/token/introspect", introspect),
        _form("/v3/token/revoke", revoke),
    ]
    return Applications(Router(identity, redirect_slashes=False), Router(endpoints, redirect_slashes=False))


def _page(path: str, behind: AuthorizePage) -> Route:
    async def endpoint(request: Request) -> Response:
        if request.method != "POST":
            return behind.ask(request.scope["query_string"].decode("ascii", "surrogateescape"))
        content = await _body(request)
        if content is None or not _is_form(request):
            return page.refusal("The answer was not sent by the page's form.")
        return behind.answer(content)

    return Route(path, endpoint, methods=["GET", "POST"])


def _form(path: str, handler: _Handler) -> Route:
    """An endpoint that takes a form as its body and responds with JSON that must not be cached."""

    def respond(request: Request, content: bytes | None) -> Response:
        try:
            if request.scope["query_string"]:
                raise invalid_request("Parameters belong in the body, never in the address.")
            if content is None or not _is_form(request):
                raise invalid_request(f"The body must be {_FORM} and at most {_LARGEST} bytes.")
            return JSONResponse(handler(_base(request), Parameters.of_body(content)), headers=_NO_STORE)
        except SignInError as error:
            return JSONResponse(error.body(), error.status, _NO_STORE)

    async def endpoint(request: Request) -> Response:
        return await in_thread(respond, request, await _body(request))

    return Route(path, endpoint, methods=["POST"])


def _document(write: Callable[[Request], Record]) -> Callable[[Request], Response]:
    return lambda request: JSONResponse(write(request))


async def _body(request: Request) -> bytes | None:
    """A request's body, None when it is larger than any form of ours."""
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > _LARGEST:
            return None
    return bytes(content)


def _is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == _FORM


def _base(request: Request) -> str:
    return str(request.base_url).rstrip("/")
