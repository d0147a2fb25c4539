"""The one place where the rest of the program touches the sandbox: its ASGI application."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.applications import Starlette


def sandbox_application() -> Starlette:
    """A fresh sandbox: its world, its state."""
    from registry.sandbox.server import application  # only a call to the sandbox pays for it

    return application()
