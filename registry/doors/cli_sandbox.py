"""``callboard sandbox``: serves the three services on one local port, and optionally each on its own."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from registry.calling.sandbox_gateway import (
    SIGN_IN,
    NoCertificate,
    client_lines,
    fault_problem,
    fault_table,
    sandbox_application,
    sandbox_certificate,
    sandbox_on_ports,
    scenarios,
    serving_options,
)
from registry.catalog.loader import services
from registry.doors.cli_sandbox_data import add_behaviour, add_options, add_reset, opened, reset
from registry.doors.cli_sandbox_faults import manage_faults
from registry.doors.common_options import Commands, number
from registry.doors.output import ExitCode, fail, say
from registry.doors.server_log import tell_errors

if TYPE_CHECKING:
    from starlette.applications import Starlette

_LONGEST_END = 5
"""Seconds after which the server stops although a response is still being sent."""


def add(commands: Commands) -> None:
    """The command, its actions and their options."""
    sandbox = commands.add_parser("sandbox", help="serve the sandbox", description="Serve the sandbox on localhost.")
    sandbox.add_argument("--port", type=number, default=8210, help="port on 127.0.0.1 (default 8210; 0 picks a free one)")
    sandbox.add_argument(
        "--ports",
        action="store_true",
        help="also serve each service on its own port, starting at the next one, and print code for its official clients",
    )
    sandbox.add_argument(
        "--tls",
        action="store_true",
        help="use https, with a certificate that openssl makes at the start; prints how to trust it",
    )
    sandbox.add_argument("--json", action="store_true", help="print the connection details as one line of JSON, for scripts")
    add_options(sandbox)
    add_behaviour(sandbox)
    actions = sandbox.add_subparsers(dest="action", metavar="[ACTION]")
    add_reset(actions)
    fault = actions.add_parser(
        "fault",
        help="inject faults into a running sandbox",
        description="Inject a fault into the sandbox running on this machine. Without SPEC, list active faults.",
    )
    fault.appendix = fault_table
    fault.add_argument("spec", metavar="SPEC", nargs="*", help="the fault; see the table below")
    # The command's own default still counts if the port is given before the action.
    fault.add_argument("--port", type=number, default=argparse.SUPPRESS, help="the sandbox's port (default 8210)")
    fault.add_argument("--clear", action="store_true", help="remove all active faults first")


def run(options: argparse.Namespace) -> int:
    """Serve the sandbox, inject faults into a running one, or reset its data; returns the exit code."""
    if options.action == "fault":
        if options.fault:
            fail("--fault only works when starting a sandbox; for a running one: callboard sandbox fault SPEC")
        return manage_faults(" ".join(options.spec), options.port, clear=options.clear)
    return reset(options) if options.action == "reset" else serve(options)


def application_of(known: argparse.Namespace) -> Callable[..., Starlette]:
    """A function that creates the sandbox for the options; it takes an open world or creates its own."""
    for text in known.fault:
        if problem := fault_problem(text):
            fail(f"--fault: {problem}")
    if known.scenario is not None and known.scenario not in scenarios():
        fail(f"--scenario: unknown scenario {known.scenario!r}; available: {', '.join(scenarios())}")
    return partial(
        sandbox_application,
        faults=known.fault,
        scenario=known.scenario,
        limits=not known.no_limits,
        rough=known.world == "rough",
    )


def serve(known: argparse.Namespace) -> int:
    """Serve the sandbox on 127.0.0.1 until interrupted, and print how to reach it."""
    import uvicorn

    application = application_of(known)
    roots = _roots() if known.ports else {}
    if not 0 <= known.port <= 65_535 - len(roots):
        fail(f"--port must be a number from 0 to {65_535 - len(roots)}; got {known.port}")
    with contextlib.ExitStack() as held:
        listeners = [held.enter_context(_bound(known.port and known.port + more)) for more in range(1 + len(roots))]
        certificate, key = held.enter_context(own_certificate()) if known.tls else (None, None)
        with opened(known) as world:
            # Listen only once the world is open, and before the addresses are printed: then clients can connect at once.
            ports = [listener.getsockname()[1] for listener in listeners]
            for port, listener in zip(ports, listeners, strict=True):
                with _usable(port):
                    listener.listen()
            joint, *own = (f"{'https' if certificate else 'http'}://127.0.0.1:{port}" for port in ports)
            details = reached(joint, dict(zip(roots, own, strict=True)), certificate)
            with contextlib.suppress(KeyboardInterrupt):
                tell_errors("callboard sandbox")
                config = uvicorn.Config(
                    sandbox_on_ports(application(world), dict(zip(ports, ("", *roots.values()), strict=True))),
                    log_config=None,
                    log_level="error",  # a client's errors are in its responses
                    lifespan="off",
                    date_header=False,  # `CheckedPort` sets dates by the sandbox's clock
                    timeout_graceful_shutdown=_LONGEST_END,
                    ssl_certfile=certificate,
                    ssl_keyfile=key,
                    **serving_options(),
                )
                if key is not None:
                    config.load()
                    key.unlink()  # loaded, and not needed any more

                async def work() -> None:
                    # Printed inside the loop: a reader that interrupts at once then stops a server that has started.
                    say(details.as_json() if known.json else details.as_text())
                    sys.stdout.flush()  # a script may wait for it on a pipe
                    await uvicorn.Server(config).serve(sockets=listeners)

                with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
                    runner.run(work())
    return ExitCode.OK


class ServicePorts(NamedTuple):
    """A service on its own ports: the base URLs of its hosts by name, and code that sets up its official clients."""

    addresses: dict[str, str]
    lines: dict[str, str]


class Reached(NamedTuple):
    """How to reach a sandbox: its address, the environment variables for each service, and where users sign in.

    `clients` are the services with their own ports, by name; `certificate` is the file to trust if the sandbox uses TLS.
    """

    base: str
    variables: dict[str, dict[str, str]]
    sign_in: dict[str, dict[str, str]]
    clients: dict[str, ServicePorts]
    certificate: Path | None = None

    @property
    def trust(self) -> dict[str, str]:
        """Variables that make programs trust the certificate: those of Python and its HTTP libraries, and of Node."""
        names = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
        return dict.fromkeys(names, str(self.certificate)) if self.certificate else {}

    def as_json(self) -> str:
        """One line for scripts."""
        environment = {name: value for pairs in self.variables.values() for name, value in pairs.items()}
        control = f"{self.base}/sandbox"
        properties = {"url": self.base, "environment": environment, "sign_in": self.sign_in, "control": control}
        clients = {name: ports.addresses | {"set_up": ports.lines} for name, ports in self.clients.items()}
        trusted = {"certificate": str(self.certificate), "trust": self.trust} if self.certificate else {}
        return json.dumps(properties | ({"clients": clients} if clients else {}) | trusted)

    def as_text(self) -> str:
        """Lines for users; those that begin with export are for a shell."""
        lines = [f"Serving the sandbox on {self.base} (Ctrl+C stops it)", ""]
        for pairs in self.variables.values():
            lines.append("  export " + " ".join(f"{name}={value}" for name, value in pairs.items()))
        if self.trust:
            lines += ["", "To make programs trust its certificate:", ""]
            lines.append("  export " + " ".join(f"{name}={value}" for name, value in self.trust.items()))
        signing_in = "; ".join(f"{one['url']}, client {one['client']}" for one in self.sign_in.values())
        lines += ["", f"Signing in (OAuth 2.0): {signing_in}", ""]
        for name, ports in self.clients.items():
            lines += [f"{name} alone: {', '.join(ports.addresses.values())}", ""]
            for language, code in ports.lines.items():
                lines += [f"  {language}", *(f"    {line}" for line in code.splitlines()), ""]
        return "\n".join(lines)


def reached(base: str, own: Mapping[tuple[str, str], str] | None = None, certificate: Path | None = None) -> Reached:
    """How to reach the sandbox at this address.

    Args:
        base: the address of the whole sandbox.
        own: the addresses of single hosts, by names of service and host.
        certificate: the file to trust if it uses TLS.
    """
    variables, clients = {}, {}
    for name, service in services().items():
        if service.in_sandbox:
            hosts = {host.variable: f"{base}{host.sandbox}" for host in service.hosts.values() if host.sandbox is not None}
            ways = [(way.variable, way.sandbox) for way in service.authentication if way.sandbox is not None][:1]
            variables[name] = {variable: value for variable, value in (*hosts.items(), *ways) if variable and value}
            addresses = {host: address for (one, host), address in (own or {}).items() if one == service.name}
            if addresses:
                lines = client_lines(service.name, addresses, ways[0][1] if ways else "", certificate)
                clients[service.name] = ServicePorts(addresses, lines)
    sign_in = {service: {"url": f"{base}/identity/{service}", "client": client} for service, client in SIGN_IN.items()}
    return Reached(base, variables, sign_in, clients, certificate)


def _roots() -> dict[tuple[str, str], str]:
    """The sandbox's path for each host of each service, by their names."""
    return {
        (service.name, host): about.sandbox
        for service in services().values()
        if service.in_sandbox
        for host, about in service.hosts.items()
        if about.sandbox is not None
    }


@contextlib.contextmanager
def own_certificate(host: str = "") -> Iterator[tuple[Path, Path]]:
    """A new certificate and its key; ends the command if they cannot be created."""
    try:
        with sandbox_certificate(host) as made:
            yield made
    except NoCertificate as error:
        fail(f"--tls: {error}")


@contextlib.contextmanager
def _bound(port: int) -> Iterator[socket.socket]:
    """A socket bound to a local port; 0 picks a free one."""
    # asyncio sends small responses at once only if the protocol is given; otherwise each waits for a delayed acknowledgement.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with _usable(port):
            listener.bind(("127.0.0.1", port))
        yield listener


@contextlib.contextmanager
def _usable(port: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        fail(f"port {port} cannot be used: {error.strerror}; choose another one with --port, or 0 for a free one")
