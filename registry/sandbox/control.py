"""The sandbox itself over HTTP, below ``/sandbox``: its clock and its scenario.

===========================  ==================================================================================
``GET /sandbox/clock``       ``{"now": Unix seconds, "runs": whether it moves by itself}``
``POST /sandbox/clock``      ``{"advance": seconds}`` moves it on; responds like GET
``GET /sandbox/scenario``    ``{"scenario": name, "began": Unix seconds, "scenarios": {name: about}}``
``POST /sandbox/scenario``   ``{"scenario": name}`` starts it now; responds like GET
===========================  ==================================================================================

A POST takes JSON and nothing else, so that no web page can send one by accident. A refusal is 400 or 415 with
``{"error": what is wrong and what would be right}``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from registry.sandbox.clock import Clock
from registry.sandbox.json_text import NotJson, loads
from registry.sandbox.scenario_state import SCENARIOS, ScenarioState, UnknownScenario

_FARTHEST = 366 * 86_400


class Wrong(Exception):
    """An invalid body."""

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


def routes(clock: Clock, scenario_state: ScenarioState) -> list[Route]:
    """Routes over a sandbox's clock and scenario."""

    def the_clock() -> dict[str, Any]:
        return {"now": clock.now(), "runs": clock.runs}

    def the_scenario() -> dict[str, Any]:
        return {**scenario_state.current._asdict(), "scenarios": SCENARIOS}

    def advance(body: dict[str, Any]) -> None:
        seconds = body.get("advance")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= _FARTHEST:
            raise Wrong(f'send {{"advance": seconds}}, a number from 0 to {_FARTHEST}')
        clock.advance(seconds)

    def start(body: dict[str, Any]) -> None:
        try:
            scenario_state.start(str(body.get("scenario")), clock.now())
        except UnknownScenario as error:
            raise Wrong(str(error)) from error

    return [
        Route("/clock", _endpoint(the_clock, advance), methods=["GET", "POST"]),
        Route("/scenario", _endpoint(the_scenario, start), methods=["GET", "POST"]),
    ]


def _endpoint(tell: Callable[[], dict[str, Any]], change: Callable[[dict[str, Any]], None]) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        try:
            if request.method == "POST":
                change(await body_of(request))
        except Wrong as wrong:
            return JSONResponse({"error": str(wrong)}, wrong.status)
        return JSONResponse(tell())

    return answer


async def body_of(request: Request) -> dict[str, Any]:
    """A request's JSON object.

    Raises:
        Wrong: it is not JSON, or its type is not JSON.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Wrong("send JSON, with the header Content-Type: application/json", 415)
    try:
        body = loads(await request.body())
    except NotJson as error:
        raise Wrong(f"the body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise Wrong("the body must be a JSON object")
    return body
