"""The only place that imports the sandbox: its ASGI application, stored worlds, faults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.applications import Starlette
    from starlette.types import ASGIApp as ASGIApp

    from registry.sandbox.keeping import Kept


class NoWorld(Exception):
    """A world that cannot be opened, made or removed; says in words why and what to do instead."""


class OpenWorld:
    """A world whose state a sandbox works on."""

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
        world: an open world to go on with; a fresh one when not given.
        faults: those in force from the beginning, each as `fault_problem` finds nothing wrong with.
        scenario: what the incident service plays, one of `scenarios`; the usual one when not given.
        limits: whether requests beyond the services' rate limits are refused.
        rough: whether a fresh world is the rough one, whose texts are hard to show.
    """
    from registry.sandbox.server import application  # only a call to the sandbox pays for it
    from registry.sandbox.stage import DEFAULT_SCENARIO

    kept = world.kept if world else None
    return application(kept=kept, rough=rough, faults=faults, scenario=scenario or DEFAULT_SCENARIO, limits=limits)


def scenarios() -> Mapping[str, str]:
    """What the incident service can play: names, and a line about each."""
    from registry.sandbox.stage import SCENARIOS

    return SCENARIOS


def open_world(
    file: Path | None, seed: int | None, customers: int | None, tell: Callable[[float], None], *, rough: bool | None = None
) -> OpenWorld:
    """A chosen world; the caller closes it.

    Args:
        file: where it is kept between runs; None for one that is gone when the program ends.
        seed: what it is made from; None for any that is kept, or the usual one.
        customers: how many customers its payments account has; None for any that is kept, or those of the story.
        tell: hears which part, from 0 to 1, of a large world is made.
        rough: whether it is the rough world; None for any that is kept, or the usual one.

    Raises:
        NoWorld: with what is wrong and what to do next.
        KeyboardInterrupt: the user stopped the making, of which nothing is left.
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
    """Remove a kept world; False when there is none.

    Raises:
        NoWorld: it is not a sandbox's file, or in use.
    """
    from registry.sandbox import keeping

    try:
        return keeping.remove(file)
    except keeping.NotKept as error:
        raise NoWorld(str(error)) from error


SIGN_IN = {"incidents": "callboard-terminal", "crm": "callboard-crm"}
"""Where the sandbox signs people in, below ``/identity``, and the public client of each."""


def serving_options() -> dict[str, Any]:
    """What ``uvicorn.Config`` is given to serve the sandbox: connections are bounded, and break off as faults ask for."""
    from registry.sandbox.faults import serving

    return {
        "http": serving.BreakableProtocol,
        "ws": "none",
        "limit_concurrency": serving.MOST_CONNECTIONS + 1,
        "backlog": serving.ACCEPTED_AT_ONCE,
        "timeout_keep_alive": serving.KEPT_OPEN,
    }


def sandbox_on_ports(application: Starlette, ports: Mapping[int, str]) -> ASGIApp:
    """A sandbox as it may be served on ports: only this machine's programs and its own pages are let in.

    Args:
        application: the sandbox.
        ports: the path of the sandbox to which each port leads, empty for everything.
    """
    from registry.sandbox.front_door import FrontDoors

    return FrontDoors(application, ports)


class NoCertificate(RuntimeError):
    """No certificate can be made; the text says why, and what to do."""


@contextmanager
def sandbox_certificate(host: str = "") -> Iterator[tuple[Path, Path]]:
    """A certificate for this machine and its key, two files in PEM that are there as long as it is served.

    Args:
        host: another name or address that it is good for; empty for loopback alone.

    Raises:
        NoCertificate: the program that makes it is not installed, or failed.
    """
    from registry.sandbox import certificate

    try:
        with certificate.certificate(host) as made:
            yield made
    except certificate.NoCertificate as error:
        raise NoCertificate(str(error)) from error


def client_lines(
    service: str, addresses: Mapping[str, str], credential: str, certificate: Path | None = None
) -> dict[str, str]:
    """Lines of code that set the service's official clients up, by language: ``python`` and ``node``.

    Args:
        service: a service's name.
        addresses: its base URLs in the sandbox by the names of its hosts.
        credential: what opens it.
        certificate: the file with the certificate to trust, where the sandbox speaks TLS.
    """
    from registry.sandbox.clients import set_up

    return set_up(service, addresses, credential, str(certificate) if certificate else None)


def fault_problem(text: str) -> str | None:
    """What is wrong with a fault's specification: the part, the rule and an example. None when it is right."""
    from registry.sandbox.faults.specification import WrongFault, parse

    try:
        parse(text)
    except WrongFault as error:
        return str(error)
    return None


def fault_table() -> str:
    """How faults are written, as a table in plain text."""
    from registry.sandbox.faults.specification import table

    return table()
