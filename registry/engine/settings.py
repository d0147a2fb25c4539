"""The settings of an engine."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from registry.calling.receiving import ResponseLimits

if TYPE_CHECKING:
    from starlette.types import ASGIApp

Sandbox = Callable[[], "ASGIApp"]
"""Creates the application that responds at the sandbox's address."""


def _ignore(_: str) -> None:
    """Ignore the message."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an engine. The defaults are those of the explorer.

    Attributes:
        environment: the variables that name accounts, as services declare them, and rules (``CALLBOARD_READ_ONLY`` …).
        read_only: refuse every change; overrides everything else.
        downloads: the folder for results that are files; by default the user's downloads folder.
        journal: write the history of calls. ``CALLBOARD_NO_JOURNAL`` in the environment switches it off as well.
        state: the folder for the history and the audit log; by default the user's state folder.
        sandbox: creates the application at the sandbox's address; by default the usual sandbox.
        limits: how long a response may take and how large it may be; by default the usual ones.
        clock: returns the current time in Unix seconds, the base for relative times ("2 hours ago").
        caller: returns who makes a change, for the audit log, if not the user of this program: the front end and its client.
        tell: called, from any thread, with messages for the user: that the history is not written any more, and why.
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
