"""The one place where the rest of the program touches the sandbox: its ASGI application, and the worlds that outlive a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.applications import Starlette

    from registry.sandbox.keeping import Kept


class NoWorld(Exception):
    """A world that cannot be opened, made or removed; says in words why and what to do instead."""


class OpenWorld:
    """A world whose state a sandbox works on."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept

    def close(self) -> None:
        """Let go of it; what was changed stays where it is kept."""
        self.kept.database.close()


def sandbox_application(world: OpenWorld | None = None) -> Starlette:
    """A sandbox: a fresh one with its own world, or one that goes on with an open world."""
    from registry.sandbox.server import application  # only a call to the sandbox pays for it

    return application(kept=world.kept if world else None)


def open_world(file: Path | None, seed: int | None, customers: int | None, tell: Callable[[float], None]) -> OpenWorld:
    """A chosen world; whoever opens it closes it.

    Args:
        file: where it is kept between runs; None for one that is gone when the program ends.
        seed: what it is made from; None for any that is kept, or the usual one.
        customers: how many customers its payments account has; None for any that is kept, or those of the story.
        tell: hears which part, from 0 to 1, of a large world is made.

    Raises:
        NoWorld: with what is wrong and the way out.
        KeyboardInterrupt: the user stopped the making, of which nothing is left.
    """
    from registry.sandbox import keeping
    from registry.sandbox.server import DEFAULT_SEED

    try:
        if file is None:
            return OpenWorld(keeping.in_passing(DEFAULT_SEED if seed is None else seed, customers, tell))
        return OpenWorld(keeping.in_file(file, seed, customers, DEFAULT_SEED, tell))
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
