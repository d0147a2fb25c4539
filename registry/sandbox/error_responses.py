"""The error responses of each service before a request is handled: shape, statuses and headers.

The services' own modules of refusals hold the words and shapes; here they become responses, so that a limit or a fault in front
of a service responds as the service would.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import count

from starlette.responses import JSONResponse, PlainTextResponse, Response

from registry.sandbox.crm import errors as crm
from registry.sandbox.incidents import errors as incidents
from registry.sandbox.payments import errors as payments
from registry.sandbox.world import MINUTE, World

GLOBAL_RATE = {"Stripe-Rate-Limited-Reason": "global-rate"}
"""What the payments service adds to a refusal for the number of requests; without it an object is locked."""


@dataclass(frozen=True, slots=True)
class ErrorResponses:
    """One service's refusals.

    Attributes:
        refusals: by HTTP status, the function that makes the response. Each response serves one request.
        bare: the 429 that comes without the headers that say why, or when to come back.
    """

    refusals: Mapping[int, Callable[[], Response]]
    bare: Callable[[], Response]


def error_responses(world: World) -> dict[str, ErrorResponses]:
    """The error responses of each service, by the service's name."""
    platform = _payments(world)
    return {"payments": platform, "files": platform, "incidents": _incidents(), "crm": _crm(world)}


def _payments(world: World) -> ErrorResponses:
    numbers = count(1)

    def say(error: payments.ApiError) -> Response:
        headers = {"Request-Id": "req_" + world.token(f"refusal/{next(numbers)}", 14)}
        return JSONResponse(error.body(), error.status, headers | (GLOBAL_RATE if error.code == "rate_limit" else {}))

    def fail(status: int) -> Response:
        return say(payments.failing(status))

    return ErrorResponses({status: partial(fail, status) for status in payments.FAILURES}, lambda: say(payments.locked()))


def _incidents() -> ErrorResponses:
    def say(kind: incidents.Kind) -> Callable[[], Response]:
        return lambda: JSONResponse(incidents.Refusal(kind).body(), kind.status)

    kinds = (
        incidents.UNAUTHENTICATED,
        incidents.MISSING_ABILITY,
        incidents.TOO_SLOW,
        incidents.TOO_MANY,
        incidents.BROKEN,
        incidents.UNAVAILABLE,
    )
    return ErrorResponses({kind.status: say(kind) for kind in kinds}, lambda: PlainTextResponse("Too Many Requests", 429))


def _crm(world: World) -> ErrorResponses:
    numbers = count(1)

    def say(refusal: crm.Refusal) -> Response:
        return JSONResponse(refusal.body(world.uuid(f"crm/refusal/{next(numbers)}")), refusal.status)

    def expired() -> Response:
        ended = datetime.fromtimestamp(world.present - MINUTE, UTC)
        return say(crm.expired(MINUTE, ended.strftime("%Y-%m-%dT%H:%M:%S.000Z")))

    return ErrorResponses(
        {
            401: expired,
            409: lambda: say(crm.conflict()),
            429: lambda: say(crm.RateLimited()),
            500: lambda: say(crm.broken(500)),
            503: lambda: say(crm.broken(503)),
        },
        lambda: say(crm.RateLimited()),
    )
