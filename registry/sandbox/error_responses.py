"""The error responses of each service before a request is handled: shape, statuses and headers.

The services' own modules of refusals hold the words and shapes; here they become responses, so that a limit or a fault in front
of a service responds as the service would. Each takes an HTTP status, one of
`registry.sandbox.faults.specification.STATUSES`; `bare` asks for the 429 without the headers that say why, or when to come
back.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from starlette.responses import JSONResponse, PlainTextResponse, Response

from registry.sandbox.crm import errors as crm
from registry.sandbox.incidents import errors as incidents
from registry.sandbox.payments import errors as payments
from registry.sandbox.world import MINUTE, World

GLOBAL_RATE = {"Stripe-Rate-Limited-Reason": "global-rate"}
"""What the payments service adds to a refusal for the number of requests; without it an object is locked."""

Refuse = Callable[[int, bool], Response]


def error_responses(world: World) -> dict[str, Refuse]:
    """The error responses of each service, by the service's name."""
    of_payments, of_crm = _payments(world), _crm(world)
    return {"payments": of_payments, "files": of_payments, "incidents": _incidents, "crm": of_crm}


def _payments(world: World) -> Refuse:
    numbers = count(1)

    def refuse(status: int, bare: bool) -> Response:
        error = payments.locked() if bare else payments.failing(status)
        headers = {"Request-Id": "req_" + world.token(f"refusal/{next(numbers)}", 14)}
        return JSONResponse(error.body(), error.status, headers | (GLOBAL_RATE if error.code == "rate_limit" else {}))

    return refuse


def _incidents(status: int, bare: bool) -> Response:
    if bare:
        return PlainTextResponse("Too Many Requests", 429)
    kinds = {
        401: incidents.UNAUTHENTICATED,
        402: incidents.MISSING_ABILITY,
        408: incidents.TOO_SLOW,
        429: incidents.TOO_MANY,
        500: incidents.BROKEN,
        503: incidents.UNAVAILABLE,
    }
    return JSONResponse(incidents.Refusal(kinds[status]).body(), status)


def _crm(world: World) -> Refuse:
    numbers = count(1)

    def refuse(status: int, _bare: bool) -> Response:
        match status:
            case 401:
                refusal = crm.expired(MINUTE, world.present - MINUTE)
            case 409:
                refusal = crm.conflict()
            case 429:
                refusal = crm.RateLimited()
            case _:
                refusal = crm.broken(status)
        return JSONResponse(refusal.body(world.uuid(f"crm/refusal/{next(numbers)}")), status)

    return refuse
