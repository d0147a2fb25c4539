"""A span that waits to be sent."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal

Attribute = str | int


@dataclass(slots=True)
class SpanRecord:
    """A span. Times are in nanoseconds since 1970.

    Attributes:
        name: of low cardinality: the tool, or the method and the path's template.
        kind: a call of this program, or a request to a service.
        trace, id, parent: 128, 64 and 64 bits; the parent is 0 without one.
        error: whether it failed; `attributes` has its kind.
    """

    name: str
    kind: Literal["internal", "client"]
    trace: int
    id: int
    parent: int
    attributes: dict[str, Attribute]
    start: int = field(default_factory=time.time_ns)
    end: int = 0
    error: bool = False

    def finish(self, error: str) -> None:
        """Record its end, with the kind of its error; empty for success."""
        self.end = max(time.time_ns(), self.start)
        if error:
            self.error = True
            self.attributes["error.type"] = error
