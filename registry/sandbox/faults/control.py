"""The faults in force over HTTP, below ``/sandbox``.

==============================  ===============================================================================
``GET /sandbox/faults``         ``{"faults": [fault]}``; a fault is ``{"id", "fault": its specification,
                                "applied": to how many requests, "remaining": to how many more, or null}``
``POST /sandbox/faults``        ``{"fault": specification}`` puts one in force; 201 with the fault
``DELETE /sandbox/faults``      removes all; ``{"removed": number}``
``DELETE /sandbox/faults/{id}`` removes one; ``{"removed": 1}``
==============================  ===============================================================================

A POST takes JSON and nothing else, and a DELETE is not among what a page may send elsewhere, so no web page can do either by
accident. A refusal is 400, 404 or 415 with ``{"error": what is wrong and what would be right}``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from registry.sandbox.control import Wrong, body_of
from registry.sandbox.faults.active import Active, Faults
from registry.sandbox.faults.specification import WrongFault


def routes(faults: Faults) -> list[Route]:
    """Routes over a sandbox's faults."""

    async def every(request: Request) -> Response:
        if request.method == "POST":
            return await add(request)
        if request.method == "DELETE":
            return JSONResponse({"removed": faults.clear()})
        return JSONResponse({"faults": [_as_json(active) for active in faults.listing()]})

    async def add(request: Request) -> Response:
        text = (await body_of(request)).get("fault")
        if not isinstance(text, str):
            raise Wrong('send {"fault": specification}, for example {"fault": "payments 500 x3"}')
        try:
            return JSONResponse(_as_json(faults.add(text)), 201)
        except WrongFault as error:
            raise Wrong(str(error)) from error

    async def one(request: Request) -> Response:
        if not faults.remove(request.path_params["id"]):
            raise Wrong(f"unknown fault {request.path_params['id']}; GET /sandbox/faults lists them", 404)
        return JSONResponse({"removed": 1})

    return [
        Route("/faults", _refusing(every), methods=["GET", "POST", "DELETE"]),
        Route("/faults/{id:int}", _refusing(one), methods=["DELETE"]),
    ]


def _refusing(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Wrong as wrong:
            return JSONResponse({"error": str(wrong)}, wrong.status)

    return answer


def _as_json(active: Active) -> dict[str, Any]:
    return {"id": active.id, "fault": str(active.fault), "applied": active.applied, "remaining": active.remaining}
