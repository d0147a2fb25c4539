"""The sandbox itself over HTTP, below ``/sandbox``: its clock, its scenario and its faults.

==============================  ===============================================================================
``GET /sandbox/clock``          ``{"now": Unix seconds, "runs": whether it moves by itself}``
``POST /sandbox/clock``         ``{"advance": seconds}`` moves it on; responds like GET
``GET /sandbox/scenario``       ``{"scenario": name, "began": Unix seconds, "scenarios": {name: about}}``
``POST /sandbox/scenario``      ``{"scenario": name}`` starts it now; responds like GET
``GET /sandbox/faults``         ``{"faults": [fault]}``; a fault is ``{"id", "fault": its specification,
                                "applied": to how many requests, "remaining": to how many more, or null}``
``POST /sandbox/faults``        ``{"fault": specification}`` puts one in force; 201 with the fault
``DELETE /sandbox/faults``      removes all; ``{"removed": number}``
``DELETE /sandbox/faults/{id}`` removes one; ``{"removed": 1}``
==============================  ===============================================================================

A POST takes JSON and nothing else, and a DELETE is not among what a page may send elsewhere, so no web page can do either by
accident. A refusal is 400, 404 or 415 with ``{"error": what is wrong and what would be right}``.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from registry.sandbox.clock import Clock
from registry.sandbox.faults.faulty import Active, Faults
from registry.sandbox.faults.specification import WrongFault
from registry.sandbox.requests import NotJson, loads
from registry.sandbox.scenario_state import SCENARIOS, ScenarioState, UnknownScenario

_FARTHEST = 366 * 86_400


def routes(clock: Clock, scenario_state: ScenarioState, faults: Faults) -> list[Route]:
    """Routes over a sandbox's clock, scenario and faults."""

    async def the_clock(request: Request) -> Response:
        if request.method == "POST":
            seconds = (await _body(request)).get("advance")
            if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= _FARTHEST:
                raise HTTPException(400, f'send {{"advance": seconds}}, a number from 0 to {_FARTHEST}')
            clock.advance(seconds)
        return JSONResponse({"now": clock.now(), "runs": clock.runs})

    async def the_scenario(request: Request) -> Response:
        if request.method == "POST":
            scenario_state.start(str((await _body(request)).get("scenario")), clock.now())
        return JSONResponse({**scenario_state.current._asdict(), "scenarios": SCENARIOS})

    async def all_faults(request: Request) -> Response:
        if request.method == "DELETE":
            return JSONResponse({"removed": faults.remove()})
        if request.method != "POST":
            return JSONResponse({"faults": [_as_json(active) for active in faults.listing()]})
        text = (await _body(request)).get("fault")
        if not isinstance(text, str):
            raise HTTPException(400, 'send {"fault": specification}, for example {"fault": "payments 500 x3"}')
        return JSONResponse(_as_json(faults.add(text)), 201)

    async def one_fault(request: Request) -> Response:
        if not faults.remove(request.path_params["id"]):
            raise HTTPException(404, f"unknown fault {request.path_params['id']}; GET /sandbox/faults lists them")
        return JSONResponse({"removed": 1})

    return [
        Route("/clock", _refusing(the_clock), methods=["GET", "POST"]),
        Route("/scenario", _refusing(the_scenario), methods=["GET", "POST"]),
        Route("/faults", _refusing(all_faults), methods=["GET", "POST", "DELETE"]),
        Route("/faults/{id:int}", _refusing(one_fault), methods=["DELETE"]),
    ]


def _refusing(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except (UnknownScenario, WrongFault) as error:
            return JSONResponse({"error": str(error)}, 400)
        except HTTPException as error:
            return JSONResponse({"error": error.detail}, error.status_code)

    return answer


async def _body(request: Request) -> dict[str, Any]:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "send JSON, with the header Content-Type: application/json")
    try:
        body = loads(await request.body())
    except NotJson as error:
        raise HTTPException(400, f"the body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise HTTPException(400, "the body must be a JSON object")
    return body


def _as_json(active: Active) -> dict[str, Any]:
    return {"id": active.id, "fault": active.fault.text, "applied": active.applied, "remaining": active.remaining}
