"""The settings of an engine."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.types import ASGIApp

    from registry.calling.limits import ResponseLimits

    Sandbox = Callable[[], ASGIApp]
    """Makes the application that answers at the sandbox's address."""


def _ignore(_: str) -> None:
    """Ignore the message."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How an engine is set up. The defaults are those of the explorer.

    Attributes:
        environment: the variables that name accounts, as services declare them, and rules (``CALLBOARD_READ_ONLY`` …).
        read_only: refuse every change, whatever else is said.
        downloads: the folder for results that are files; the user's downloads folder when not given.
        journal: keep the history of calls. ``CALLBOARD_NO_JOURNAL`` in the environment switches it off as well.
        state: the folder for the history and the audit log; the user's state folder when not given.
        sandbox: makes the application behind the sandbox's address; the usual sandbox when not given.
        limits: how long a response may take and how large it may be; the usual ones when not given.
        clock: the present in Unix seconds, from which times in words ("2 hours ago") are counted.
        caller: who makes a change, for the audit log, where that is not the user of this program: the door and its client.
        tell: is called, from any thread, with what the user should know: that the history is not kept any more, and why.
    """

    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    read_only: bool = False
    downloads: Path | None = None
    journal: bool = True
    state: Path | None = None
    sandbox: Sandbox | None = None
    limits: ResponseLimits | None = None
    clock: Callable[[], float] = time.time
    caller: Callable[[], str] = str
    tell: Callable[[str], None] = _ignore
