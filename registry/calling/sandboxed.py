"""The one place where the rest of the program touches the sandbox: its ASGI application, and how faults are written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from starlette.applications import Starlette


def sandbox_application(faults: Iterable[str] = ()) -> Starlette:
    """A fresh sandbox: its world, its state. It keeps the services' rate limits.

    Args:
        faults: those in force from the beginning, each as `fault_problem` finds nothing wrong with.
    """
    from registry.sandbox.server import application  # only a call to the sandbox pays for it

    return application(faults=faults, limits=True)


def sandbox_protocol() -> type[asyncio.Protocol]:
    """What uvicorn takes as ``http`` to serve the sandbox: connections can be broken off as faults ask for."""
    from registry.sandbox.faults.serving import BreakableProtocol

    return BreakableProtocol


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
