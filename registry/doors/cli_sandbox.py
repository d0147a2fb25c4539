"""``callboard sandbox``: serves the three services on local ports; ``fault`` makes them fail, ``reset`` deletes kept data."""

import argparse
import asyncio
import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
from platformdirs import user_data_path

from registry.catalog.loader import load
from registry.doors.cli_parser import Options, application_of, number
from registry.doors.listening import listening, server, welcome
from registry.doors.output import ExitCode, complain, confirmed, fail, remark, say
from registry.files.folders import private_folder
from registry.sandbox import keeping
from registry.sandbox.clients import set_up
from registry.sandbox.faults import serving
from registry.sandbox.faults.specification import WrongFault, parse, table
from registry.sandbox.server import DEFAULT_SEED, CheckedPorts, NoCertificate
from registry.sandbox.server import certificate as new_certificate
from registry.sandbox.signin.tokens import PROFILES
from registry.text.shown import visible

_USUAL = ""
"""The value of ``--data`` without a file."""
_PATIENCE = 10.0


OPTIONS: Options = {
    "sandbox": {
        "sandbox --port": {"default": 8210},
        "--seed": {"type": number},
        "--customers": {"type": number},
        "--data": {"const": _USUAL},
        "fault": {"epilog": table(), "formatter_class": argparse.RawDescriptionHelpFormatter},
    }
}


def run(options: argparse.Namespace) -> int:
    """Serve the sandbox, inject faults into a running one, or reset its data; returns the exit code."""
    does = {"fault": _manage_faults, "reset": _reset}
    try:
        return does.get(options.action, _serve)(options)
    except (WrongFault, keeping.NotKept) as error:
        fail(str(error))


def _serve(known: argparse.Namespace) -> int:
    """Serve the sandbox on 127.0.0.1 until interrupted, and print how to reach it."""
    application = application_of(known)
    roots = {
        (service.name, host): about.sandbox
        for service in load().toolkits.values()
        if service.in_sandbox and known.ports
        for host, about in service.hosts.items()
        if about.sandbox is not None
    }
    if known.port > 65_535 - len(roots):
        fail(f"--port must be a number from 0 to {65_535 - len(roots)}; got {known.port}")
    with contextlib.ExitStack() as held:
        certificate = held.enter_context(own_certificate()) if known.tls else (None, None)
        world = held.enter_context(_opened(known))
        wanted = range(known.port, known.port + 1 + len(roots)) if known.port else [0] * (1 + len(roots))
        listeners = [held.enter_context(listening("127.0.0.1", one)) for one in wanted]
        ports = [listener.getsockname()[1] for listener in listeners]
        joint, *own = (f"{'https' if known.tls else 'http'}://127.0.0.1:{port}" for port in ports)
        details = _reached(joint, dict(zip(roots, own, strict=True)), certificate[0])
        served = server(
            CheckedPorts(application(world), dict(zip(ports, ("", *roots.values()), strict=True))),
            "callboard sandbox",
            certificate,
            lifespan="off",
            date_header=False,  # dates follow the sandbox's clock
            **serving.OPTIONS,
        )

        async def work() -> None:
            welcome(json.dumps(details) if known.json else _as_text(details))
            await served.serve(sockets=listeners)

        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(work())
    return ExitCode.OK


def _reached(base: str, own: Mapping[tuple[str, str], str], certificate: Path | None) -> dict[str, Any]:
    """How to reach the sandbox, as JSON values: all of it at `base`, single hosts at their `own` addresses."""
    environment: dict[str, str] = {}
    clients: dict[str, Any] = {}
    for service in (one for one in load().toolkits.values() if one.in_sandbox):
        hosts = {host.variable: f"{base}{host.sandbox}" for host in service.hosts.values() if host.sandbox is not None}
        variable, credential = next(((one.variable, one.sandbox) for one in service.authentication if one.sandbox), ("", ""))
        environment |= {name: value for name, value in (*hosts.items(), (variable, credential)) if name and value}
        if addresses := {host: address for (one, host), address in own.items() if one == service.name}:
            lines = set_up(service.name, addresses, credential or "", str(certificate) if certificate else None)
            clients[service.name] = {**addresses, "set_up": lines}
    sign_in = {one: {"url": f"{base}/identity/{one}", "client": next(iter(about.clients))} for one, about in PROFILES.items()}
    found = {"url": base, "environment": environment, "sign_in": sign_in, "control": f"{base}/sandbox"}
    if clients:
        found["clients"] = clients
    if certificate is not None:
        # Python and its HTTP libraries read the first two, Node the third.
        names = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
        found |= {"certificate": str(certificate), "trust": dict.fromkeys(names, str(certificate))}
    return found


def _as_text(details: Mapping[str, Any]) -> str:
    """The same as lines for users; those that begin with export are for a shell."""
    trusts = " ".join(f"{name}={value}" for name, value in details.get("trust", {}).items())
    signing_in = "; ".join(f"{one['url']}, client {one['client']}" for one in details["sign_in"].values())
    lines = [
        f"Serving the sandbox on {details['url']} (Ctrl+C stops it)",
        "",
        *(f"  export {name}={value}" for name, value in details["environment"].items()),
        *(["", "To make programs trust its certificate:", "", f"  export {trusts}"] if trusts else ()),
        "",
        f"Signing in (OAuth 2.0): {signing_in}",
        "",
    ]
    for name, client in details.get("clients", {}).items():
        lines += [f"{name} alone: {', '.join(one for host, one in client.items() if host != 'set_up')}", ""]
        for language, code in client["set_up"].items():
            lines += [f"  {language}", *(f"    {line}" for line in code.splitlines()), ""]
    return "\n".join(lines)


@contextlib.contextmanager
def own_certificate(host: str = "") -> Iterator[tuple[Path, Path]]:
    """A new certificate and its key; ends the command if they cannot be created."""
    try:
        with new_certificate(host) as made:
            yield made
    except NoCertificate as error:
        fail(f"--tls: {error}")


# Kept data


@contextlib.contextmanager
def _opened(known: argparse.Namespace) -> Iterator[keeping.Kept | None]:
    """The world that the options name, closed at the end; None for the usual one in memory."""
    if known.data is None and known.customers is None and known.seed is None:
        yield None
        return
    rough = None if known.world is None else known.world == "rough"
    told = -1

    def tell(part: float) -> None:
        nonlocal told
        if (tenths := min(10, int(part * 10))) > told:
            told = tenths
            remark(f"Generating {known.customers or 0} customers: {tenths * 10} %")

    if known.data is None:
        seed = DEFAULT_SEED if known.seed is None else known.seed
        world = keeping.in_passing(seed, known.customers, tell, rough=bool(rough))
    else:
        if known.data == _USUAL:
            private_folder(_file(_USUAL).parent)
        world = keeping.in_file(_file(known.data), known.seed, known.customers, DEFAULT_SEED, tell, rough=rough)
    with contextlib.closing(world.database):
        yield world


def _reset(known: argparse.Namespace) -> int:
    """Delete a kept world; asks first in a terminal, unless ``--yes`` is given."""
    file = _file(known.data or _USUAL)
    if file.exists() and not confirmed(f"Delete {file} and all changes in it?", yes=known.yes):
        return remark("Nothing was deleted.")
    if not keeping.remove(file):
        return say(f"No such file: {file}. Nothing to delete.")
    return say(f"Deleted {file}. The next sandbox with --data starts from fresh data.")


def _file(given: str) -> Path:
    return Path(os.path.expanduser(given)).absolute() if given else user_data_path("callboard") / "sandbox.db"


# The faults of a sandbox that runs on this machine, over HTTP


def _manage_faults(options: argparse.Namespace) -> int:
    """Remove all faults, add one, and list the active ones."""
    if options.fault:
        fail("--fault only works when starting a sandbox; for a running one: callboard sandbox fault SPEC")
    fault = " ".join(options.spec)
    if fault:
        parse(fault)
    try:
        if options.clear:
            _ask(options.port, "DELETE")
        if fault:
            _ask(options.port, "POST", {"fault": fault})
        lines = [_fault_line(fault) for fault in _ask(options.port, "GET")["faults"]]
    except (httpx.HTTPError, ValueError, RecursionError, KeyError, TypeError):  # nothing, or another program
        code = complain(f"cannot reach a sandbox on 127.0.0.1:{options.port}", code=ExitCode.CONNECTION)
        remark("→ Start one with callboard sandbox, or name its port with --port.")
        return code
    return say("\n".join(lines)) if lines else remark("no active faults")


def _fault_line(fault: Mapping[str, Any]) -> str:
    left = fault["remaining"]
    more = "until removed" if left is None else f"{left} left"
    return visible(f"{fault['id']:>3}  {fault['fault']}  ({fault['applied']} applied, {more})")


def _ask(port: int, method: str, body: Mapping[str, str] | None = None) -> Any:
    """The sandbox's response; a refusal ends the command."""
    response = httpx.request(method, f"http://127.0.0.1:{port}/sandbox/faults", json=body, timeout=_PATIENCE, trust_env=False)
    decoded = response.json()
    if response.status_code == 400 and isinstance(decoded, dict) and isinstance(decoded.get("error"), str):
        fail(decoded["error"])
    return response.raise_for_status() and decoded
