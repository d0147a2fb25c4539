"""A call that is under way: since when, and how far it is."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.worker import Worker

    from registry.calling.sending import Progress
    from registry.catalog.model import Tool


@dataclass(slots=True, eq=False)
class Flight:
    """One call. `worker` runs it and can be cancelled; `started` counts on the monotonic clock, in seconds."""

    tool: Tool
    started: float = field(default_factory=time.monotonic)
    progress: Progress | None = None
    worker: Worker[None] | None = None

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.started

    def report(self, progress: Progress) -> None:
        """Take note of how far it is."""
        self.progress = progress
