"""The only place that imports the sandbox: its ASGI application, stored worlds, faults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from registry.sandbox import certificate
from registry.sandbox.checked_ports import CheckedPorts
from registry.sandbox.clients import set_up
from registry.sandbox.faults.specification import WrongFault, parse, table
from registry.sandbox.scenario_state import DEFAULT_SCENARIO, SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.applications import Starlette
    from starlette.types import ASGIApp as ASGIApp

    from registry.sandbox.keeping import Kept


class NoWorld(Exception):
    """A world that cannot be opened, created or removed; the text says why, and what to do instead."""


class OpenWorld:
    """A world that a sandbox reads and changes."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept

    def close(self) -> None:
        """Close it; changes stay in its file."""
        self.kept.database.close()


def sandbox_application(
    world: OpenWorld | None = None,
    *,
    faults: Iterable[str] = (),
    scenario: str | None = None,
    limits: bool = True,
    rough: bool = False,
) -> Starlette:
    """A sandbox.

    Args:
        world: an open world to continue with; by default a fresh one.
        faults: faults that are active from the start; `fault_problem` accepts each.
        scenario: what happens in the incident service, one of `scenarios`; by default the usual one.
        limits: whether requests above the services' rate limits are refused.
        rough: whether a fresh world is the rough one, whose texts are hard to display.
    """
    from registry.sandbox.server import application  # imported only for calls to the sandbox

    kept = world.kept if world else None
    return application(kept=kept, rough=rough, faults=faults, scenario=scenario or DEFAULT_SCENARIO, limits=limits)


def scenarios() -> Mapping[str, str]:
    """The scenarios of the incident service: names, and a line about each."""
    return SCENARIOS


def open_world(
    file: Path | None, seed: int | None, customers: int | None, tell: Callable[[float], None], *, rough: bool | None = None
) -> OpenWorld:
    """Open the chosen world; the caller closes it.

    Args:
        file: where it is kept between runs; None for a temporary world.
        seed: the seed of its data; None for that of a kept world, or the usual one.
        customers: how many customers its payments account has; None for those of a kept world, or of the built-in story.
        tell: called with the finished part, from 0 to 1, while a large world is created.
        rough: whether it is the rough world; None for the kind of a kept world, or the usual one.

    Raises:
        NoWorld: it cannot be opened; says why, and what to do next.
        KeyboardInterrupt: the user interrupted it; nothing is left over.
    """
    from registry.sandbox import keeping
    from registry.sandbox.server import DEFAULT_SEED

    try:
        if file is None:
            return OpenWorld(keeping.in_passing(DEFAULT_SEED if seed is None else seed, customers, tell, rough=bool(rough)))
        return OpenWorld(keeping.in_file(file, seed, customers, DEFAULT_SEED, tell, rough=rough))
    except keeping.NotKept as error:
        raise NoWorld(str(error)) from error


def remove_world(file: Path) -> bool:
    """Remove a kept world; False if there is none.

    Raises:
        NoWorld: the file is not a sandbox's, or is in use.
    """
    from registry.sandbox import keeping

    try:
        return keeping.remove(file)
    except keeping.NotKept as error:
        raise NoWorld(str(error)) from error


SIGN_IN = {"incidents": "callboard-terminal", "crm": "callboard-crm"}
"""Where the sandbox signs users in, below ``/identity``: the OAuth public client of each service."""


def serving_options() -> dict[str, Any]:
    """Options of ``uvicorn.Config`` to serve the sandbox: connections are limited, and faults can break them."""
    from registry.sandbox.faults import serving

    return {
        "http": serving.BreakableProtocol,
        "ws": "none",
        "limit_concurrency": serving.MOST_CONNECTIONS + 1,
        "backlog": serving.ACCEPTED_AT_ONCE,
        "timeout_keep_alive": serving.KEPT_OPEN,
    }


def sandbox_on_ports(application: Starlette, ports: Mapping[int, str]) -> ASGIApp:
    """A sandbox to serve on ports: only programs on this machine and its own pages may use it.

    Args:
        application: the sandbox.
        ports: the sandbox path that each port serves; empty for all of it.
    """
    return CheckedPorts(application, ports)


class NoCertificate(RuntimeError):
    """No certificate can be created; the text says why, and what to do."""


@contextmanager
def sandbox_certificate(host: str = "") -> Iterator[tuple[Path, Path]]:
    """A certificate for this machine and its key: two PEM files that exist until the context ends.

    Args:
        host: another name or address that it is valid for; empty for loopback only.

    Raises:
        NoCertificate: the program that creates it is not installed, or failed.
    """
    try:
        with certificate.certificate(host) as made:
            yield made
    except certificate.NoCertificate as error:
        raise NoCertificate(str(error)) from error


def client_lines(service: str, addresses: Mapping[str, str], credential: str, trusted: Path | None = None) -> dict[str, str]:
    """Lines of code that set up the service's official clients, by language: ``python`` and ``node``.

    Args:
        service: a service's name.
        addresses: its base URLs in the sandbox by the names of its hosts.
        credential: its credential.
        trusted: the file with the certificate to trust, if the sandbox uses TLS.
    """
    return set_up(service, addresses, credential, str(trusted) if trusted else None)


def fault_problem(text: str) -> str | None:
    """The error in a fault's specification: the part, the rule and an example. None if it is valid."""
    try:
        parse(text)
    except WrongFault as error:
        return str(error)
    return None


def fault_table() -> str:
    """The syntax of faults, as a table in plain text."""
    return table()
