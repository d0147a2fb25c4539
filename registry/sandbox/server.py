"""The three services as one ASGI application, with the sandbox's own paths; on a port, only this machine may call it.

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

The standard library can use certificates and not make them: the `openssl` program makes this one. The key is in a folder that
only the user can read, and is taken away as soon as it is in use; the certificate stays for clients to trust, until the end.

Any web page that is open in a browser can send requests to this machine, and can read the responses under a host name that it
resolves to this machine (DNS rebinding). So a request must name this machine as its host, and one that a browser sends for a
page must come from the sandbox's own pages. A refusal is JSON with ``{"error": what is wrong and what would be right}``.

==========  ====================================================================
status      when
==========  ====================================================================
403         ``Origin`` names a page of another site
413         the body is too large
421         ``Host`` names another machine or port
==========  ====================================================================

Every response has a ``Date`` from the sandbox's clock, because clients may use it as the time.

======================  =====================================  ================================================
below                   stands for                             its own base URL outside
======================  =====================================  ================================================
``/payments``           the payments API                       ``https://api.stripe.com``
``/files``              the payments platform's files host     ``https://files.stripe.com``
``/incidents``          the incident service's API             ``https://api.pagerduty.com``
``/crm``                the CRM's API                          ``https://api.hubapi.com``
``/identity/incidents`` where people sign in to incidents      ``https://identity.pagerduty.com``
``/identity/crm``       where people sign in to the CRM        ``https://app.hubspot.com``
``/sandbox``            the sandbox itself                     nothing: its clock, scenario and faults
======================  =====================================  ================================================

The CRM gives tokens at ``/crm/oauth``, next to its API, as it does outside. Each service builds its part of the world when it
is first asked for something. State is in memory, or where a kept world has it: that of payments and of the CRM. Incidents are
generated again, around the present, whenever the sandbox starts.
"""

import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.sandbox.clock import DEFAULT_SCENARIO, SCENARIOS, Clock, ScenarioState, UnknownScenario
from registry.sandbox.crm.api import application as crm
from registry.sandbox.faults.faulty import Active, Faults, Faulty
from registry.sandbox.faults.specification import WrongFault
from registry.sandbox.incidents.api import application as incidents
from registry.sandbox.keeping import Kept
from registry.sandbox.limits import Ticks, error_responses
from registry.sandbox.limits import limits as limits_of
from registry.sandbox.payments.service import services as payments
from registry.sandbox.requests import NotJson, loads, placed
from registry.sandbox.signin.api import applications as signing_in
from registry.sandbox.signin.tokens import TokenStore
from registry.sandbox.world import World

_FARTHEST = 366 * 86_400


def routes(clock: Clock, scenario_state: ScenarioState, faults: Faults) -> list[Route]:
    """Routes over a sandbox's clock, scenario and faults."""

    async def the_clock(request: Request) -> Response:
        if request.method == "POST":
            seconds = (await _json_of(request)).get("advance")
            if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= _FARTHEST:
                raise HTTPException(400, f'send {{"advance": seconds}}, a number from 0 to {_FARTHEST}')
            clock.advance(seconds)
        return JSONResponse({"now": clock.now(), "runs": clock.runs})

    async def the_scenario(request: Request) -> Response:
        if request.method == "POST":
            scenario_state.start(str((await _json_of(request)).get("scenario")), clock.now())
        return JSONResponse({**scenario_state.current._asdict(), "scenarios": SCENARIOS})

    async def all_faults(request: Request) -> Response:
        if request.method == "DELETE":
            return JSONResponse({"removed": faults.remove()})
        if request.method != "POST":
            return JSONResponse({"faults": [_as_json(active) for active in faults.listing()]})
        text = (await _json_of(request)).get("fault")
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


async def _json_of(request: Request) -> dict[str, Any]:
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


_LONGEST = 20
"""Seconds that making it may take."""


class NoCertificate(RuntimeError):
    """None can be made; the text says why, and what to do."""


@contextmanager
def certificate(host: str = "") -> Iterator[tuple[Path, Path]]:
    """A certificate that is its own authority, and its key: two files in PEM.

    It is for ``127.0.0.1`` and ``localhost``, and for a host of that name or address.

    Raises:
        NoCertificate: there is no `openssl`, or it did not make one.
    """
    program = shutil.which("openssl")
    if program is None:
        raise NoCertificate(
            "the openssl program makes the certificate and is not installed; install it, or serve without --tls"
        )
    with TemporaryDirectory(prefix="callboard-", ignore_cleanup_errors=True) as folder:
        made = Path(folder) / "certificate.pem", Path(folder) / "key.pem"
        try:
            also = f",IP:{ip_address(host)}"
        except ValueError:
            also = f",DNS:{host}" if host else ""
        extensions = (
            f"subjectAltName=IP:127.0.0.1,DNS:localhost{also}",
            "keyUsage=critical,digitalSignature,keyCertSign",
            "extendedKeyUsage=serverAuth",
        )
        command = [
            program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "7",
            "-subj", "/CN=Callboard sandbox", "-keyout", str(made[1]), "-out", str(made[0]),
            *(part for one in extensions for part in ("-addext", one)),
        ]  # fmt: skip
        try:
            ended = subprocess.run(  # noqa: S603  # a program of this machine, with words of this module
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LONGEST, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NoCertificate(f"openssl did not make a certificate: {error}; serve without --tls") from error
        if ended.returncode:
            said = ended.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
            raise NoCertificate(f"openssl did not make a certificate: {said[0]}; serve without --tls")
        yield made


LARGEST_BODY = 1_000_000
"""Bytes of a request's body; the services' largest here are a few kilobytes."""

_NAMES = ("127.0.0.1", "localhost", "[::1]")
_IDENTITY = "/identity/"


class CheckedPorts:
    """An application on one or several ports, with the checks of this module.

    Args:
        application: the sandbox.
        ports: for each port the sandbox's path to which it maps, empty for the whole sandbox.
    """

    def __init__(self, application: Starlette, ports: Mapping[int, str]) -> None:
        self._application = application
        self._clock: Clock = application.state.clock
        self._ports = ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return

        async def dated(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = formatdate(self._clock.now(), usegmt=True).encode()
                message = {**message, "headers": [*message.get("headers", []), (b"date", date)]}
            await send(message)

        try:
            _check(scope)
            body = await _body(receive)
        except HTTPException as refused:
            await JSONResponse({"error": refused.detail}, refused.status_code, {"Connection": "close"})(scope, receive, dated)
        else:
            if body is not None:
                await self._application(placed(scope, self._ports[scope["server"][1]]), _replayed(body, receive), dated)


def _check(scope: Scope) -> None:
    port = scope["server"][1]
    hosts = {f"{name}:{port}" for name in _NAMES} | (set(_NAMES) if port == 80 else set())

    def all_of(wanted: bytes) -> list[str]:
        return [value.decode("latin-1").lower() for name, value in scope["headers"] if name == wanted]

    def is_own(origin: str) -> bool:
        if origin == "null":  # sign-in pages send no referrer, and so their forms have no origin
            return bool(scope["path"].startswith(_IDENTITY))
        scheme, _, host = origin.partition("://")
        return scheme == scope["scheme"] and host in hosts

    named = all_of(b"host")
    if len(named) != 1 or named[0] not in hosts:
        raise HTTPException(421, f"the sandbox answers only as {', '.join(sorted(hosts))}")
    if not all(is_own(origin) for origin in all_of(b"origin")):
        raise HTTPException(403, "the sandbox takes no requests from web pages of other sites")


async def _body(receive: Receive) -> Message | None:
    """The whole body, as one message; None when the client has gone."""
    body = bytearray()
    while (message := await receive())["type"] == "http.request":
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            raise HTTPException(413, f"a request's body may have at most {LARGEST_BODY} bytes")
        if not message.get("more_body", False):
            return {"type": "http.request", "body": bytes(body), "more_body": False}
    return None


def _replayed(first: Message, receive: Receive) -> Receive:
    """Gives a message that was read already, and then what comes."""
    waiting = [first]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed


DEFAULT_SEED = 1


def application(
    seed: int = DEFAULT_SEED,
    now: float | Clock | None = None,
    *,
    kept: Kept | None = None,
    rough: bool = False,
    scenario: str = DEFAULT_SCENARIO,
    faults: Iterable[str] = (),
    limits: bool = False,
    strict_keys: bool = False,
    ticks: Ticks = time.monotonic,
) -> Starlette:
    """A sandbox: a fresh one, or one that goes on with a kept world.

    Args:
        seed: the same seed gives the same world, ids included.
        now: the moment at which the world is made and its clock is stopped, in Unix seconds, or a clock for the world;
            when not given, the world is made at the present and lives on by the machine's clock.
        kept: a world with its state, instead of a seed; its clock goes on from the present.
        rough: whether a fresh world is the rough one, whose texts are hard to show; a kept one is as it was made.
        scenario: what the incident service runs, one of `registry.sandbox.clock.SCENARIOS`.
        faults: the faults in force from the beginning, as `registry.sandbox.faults.specification` reads them.
        limits: whether requests beyond a service's rate limit are refused; they are counted in any case.
        strict_keys: whether only credentials that end with `registry.sandbox.requests.KNOWN` are accepted.
        ticks: the clock that rate limits go by, in seconds; it never goes back.

    Raises:
        UnknownScenario: there is no such scenario.
        WrongFault: one of the faults is invalid.
    """
    clock = now if isinstance(now, Clock) else Clock(now)
    world = World(kept.seed if kept else seed, clock.now(), clock, rough=kept.rough if kept else rough)
    lasting = World(kept.seed, kept.moment, clock, kept.customers, kept.rough) if kept else world
    database = kept.database if kept else None
    scenario_state = ScenarioState(scenario, world.now)
    in_force = Faults(world)
    for text in faults:
        in_force.add(text)
    api, files = payments(lasting, database=database, strict_keys=strict_keys)
    tokens = TokenStore(world, strict_keys=strict_keys)
    services: dict[str, ASGIApp] = {
        "payments": api,
        "files": files,
        "incidents": incidents(world, scenario_state, tokens.access),
        "crm": crm(lasting, tokens.access, database),
    }
    counted, refusals = limits_of(ticks), error_responses(world)

    identity, oauth = signing_in(world, tokens)
    signing = [Mount("/crm/oauth", app=oauth), Mount("/identity", app=identity)]
    mounts = [
        Mount(f"/{name}", app=Faulty(name, app, counted[name], limited=limits, refuse=refusals[name], faults=in_force))
        for name, app in services.items()
    ]
    control = Mount("/sandbox", routes=routes(clock, scenario_state, in_force))
    sandbox = Starlette(routes=[*signing, *mounts, control])
    sandbox.state.clock = clock  # for who serves it
    return sandbox
