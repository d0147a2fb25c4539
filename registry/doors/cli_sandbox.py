"""``callboard sandbox``: the three services on a port of this machine."""

from __future__ import annotations

import argparse
import contextlib
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from registry.calling.sandbox_gateway import (
    SIGN_IN,
    fault_problem,
    sandbox_application,
    sandbox_on_port,
    sandbox_protocol,
    scenarios,
)
from registry.doors.cli_sandbox_data import opened
from registry.doors.output import ExitCode, fail, say

if TYPE_CHECKING:
    from starlette.applications import Starlette

_LONGEST_END = 5
"""Seconds after which the server stops although an answer is still under way."""

_MOST_CONNECTIONS = 256


def application_of(known: argparse.Namespace) -> Callable[..., Starlette]:
    """What makes the sandbox that the options ask for; it takes an open world or makes its own."""
    for text in known.fault:
        if problem := fault_problem(text):
            fail(f"--fault: {problem}")
    if known.scenario is not None and known.scenario not in scenarios():
        fail(f"--scenario: there is no scenario {known.scenario!r}; choose {', '.join(scenarios())}")
    return partial(sandbox_application, faults=known.fault, scenario=known.scenario, limits=not known.no_limits)


def serve(known: argparse.Namespace) -> int:
    """Serve the sandbox on 127.0.0.1 until it is interrupted, and print how to reach it."""
    import uvicorn

    port = known.port
    application = application_of(known)
    if not 0 <= port <= 65_535:
        fail(f"--port takes a number from 0 to 65535; got {port}")
    # Only where the protocol is named does asyncio send small answers at once; else each waits for a delayed acknowledgement.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with _usable(port):
            listener.bind(("127.0.0.1", port))
        with opened(known) as world:
            # Whoever reads the address below can connect at once, and nobody before the world is there.
            with _usable(port):
                listener.listen()
            port = listener.getsockname()[1]
            base = f"http://127.0.0.1:{port}"
            with contextlib.suppress(KeyboardInterrupt):
                say(welcome(base))
                sys.stdout.flush()  # a script that reads it from a pipe waits for it
                config = uvicorn.Config(
                    sandbox_on_port(application(world), port),
                    http=sandbox_protocol(),
                    limit_concurrency=_MOST_CONNECTIONS,
                    log_level="warning",
                    lifespan="off",
                    timeout_graceful_shutdown=_LONGEST_END,
                )
                uvicorn.Server(config).run(sockets=[listener])
    return ExitCode.OK


def welcome(base: str) -> str:
    """What is said when the sandbox is served: the variables that lead there, and where one signs in."""
    from registry.catalog.loader import services

    lines = [f"Serving the sandbox on {base} (Ctrl+C ends it)", ""]
    for service in services().values():
        pairs = [(host.variable, f"{base}{host.sandbox}") for host in service.hosts.values() if host.sandbox is not None]
        pairs += [(way.variable, way.sandbox) for way in service.authentication if way.sandbox is not None][:1]
        if service.in_sandbox:
            lines.append("  export " + " ".join(f"{variable}={value}" for variable, value in pairs if variable is not None))
    signing_in = "; ".join(f"{base}/identity/{service}, client {client}" for service, client in SIGN_IN.items())
    return "\n".join([*lines, "", f"Signing in (OAuth 2.0): {signing_in}", ""])


@contextlib.contextmanager
def _usable(port: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        fail(f"port {port} cannot be used: {error.strerror}; choose another one with --port, or 0 for a free one")
