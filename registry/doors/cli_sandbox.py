"""``callboard sandbox``: the three services on a port of this machine."""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from registry.calling.sandbox_gateway import (
    SIGN_IN,
    fault_problem,
    sandbox_application,
    sandbox_on_port,
    scenarios,
    serving_options,
)
from registry.doors.cli_sandbox_data import opened
from registry.doors.output import ExitCode, fail, say

if TYPE_CHECKING:
    from starlette.applications import Starlette

_LONGEST_END = 5
"""Seconds after which the server stops although an answer is still under way."""


def application_of(known: argparse.Namespace) -> Callable[..., Starlette]:
    """What makes the sandbox that the options ask for; it takes an open world or makes its own."""
    for text in known.fault:
        if problem := fault_problem(text):
            fail(f"--fault: {problem}")
    if known.scenario is not None and known.scenario not in scenarios():
        fail(f"--scenario: there is no scenario {known.scenario!r}; choose {', '.join(scenarios())}")
    return partial(
        sandbox_application,
        faults=known.fault,
        scenario=known.scenario,
        limits=not known.no_limits,
        rough=known.world == "rough",
    )


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
                say(reached(base).as_json() if known.json else reached(base).as_text())
                sys.stdout.flush()  # a script that reads it from a pipe waits for it
                config = uvicorn.Config(
                    sandbox_on_port(application(world), port),
                    log_level="error",  # what a client does wrong is told to the client
                    lifespan="off",
                    date_header=False,  # the front door dates by the sandbox's clock
                    timeout_graceful_shutdown=_LONGEST_END,
                    **serving_options(),
                )
                uvicorn.Server(config).run(sockets=[listener])
    return ExitCode.OK


class Reached(NamedTuple):
    """How a sandbox on a port is reached: its address, the variables that lead there by service, and where people sign in."""

    base: str
    variables: dict[str, dict[str, str]]
    sign_in: dict[str, dict[str, str]]

    def as_json(self) -> str:
        """One line for scripts."""
        environment = {name: value for pairs in self.variables.values() for name, value in pairs.items()}
        control = f"{self.base}/sandbox"
        return json.dumps({"url": self.base, "environment": environment, "sign_in": self.sign_in, "control": control})

    def as_text(self) -> str:
        """Lines for people; those that begin with export are for a shell."""
        lines = [f"Serving the sandbox on {self.base} (Ctrl+C ends it)", ""]
        for pairs in self.variables.values():
            lines.append("  export " + " ".join(f"{name}={value}" for name, value in pairs.items()))
        signing_in = "; ".join(f"{one['url']}, client {one['client']}" for one in self.sign_in.values())
        return "\n".join([*lines, "", f"Signing in (OAuth 2.0): {signing_in}", ""])


def reached(base: str) -> Reached:
    """How the sandbox at this address is reached."""
    from registry.catalog.loader import services

    variables = {}
    for name, service in services().items():
        if service.in_sandbox:
            hosts = {host.variable: f"{base}{host.sandbox}" for host in service.hosts.values() if host.sandbox is not None}
            ways = [(way.variable, way.sandbox) for way in service.authentication if way.sandbox is not None][:1]
            variables[name] = {variable: value for variable, value in (*hosts.items(), *ways) if variable and value}
    sign_in = {service: {"url": f"{base}/identity/{service}", "client": client} for service, client in SIGN_IN.items()}
    return Reached(base, variables, sign_in)


@contextlib.contextmanager
def _usable(port: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        fail(f"port {port} cannot be used: {error.strerror}; choose another one with --port, or 0 for a free one")
