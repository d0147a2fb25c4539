"""The records of a fault: an effect, and the requests that it applies to. `str` of a fault is its specification.

Effects fall in two groups. Those that take the response's place (`Status`, `HtmlPage`, `Large`, `Drop` before) keep the request
from the service, so nothing is carried out; so do `Bomb`, `Drip`, and `Hostile` with a status. Those that harm the service's
own response (`Drop` after, `Cut`, `Trickle`, `Hostile` without a status) act after the service has done its work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

STATUSES: Mapping[str, tuple[int, ...]] = {
    "payments": (401, 402, 409, 429, 500, 503),
    "files": (401, 402, 409, 429, 500, 503),
    "incidents": (401, 402, 408, 429, 500, 503),
    "crm": (401, 409, 429, 500, 503),
}
"""The services, and with which HTTP statuses each can be made to refuse in its own words."""

DEFAULT_PAGE = 502
DEFAULT_SIZE = 200_000_000
DEFAULT_PAUSE = 0.01
DEFAULT_BOMB = 1_000_000_000
DEFAULT_DRIP = 1.0

HOSTILE = ("encoding", "nan", "surrogate", "escapes", "echo-credential", "forge")
"""The kinds of hostile content in a response; `registry.sandbox.faults.effects` makes each."""

ENCODINGS = ("utf-16be", "utf-16le", "utf-16", "utf-32", "latin-1")
"""Character sets for a response that the JSON standard forbids; the first is the default of ``encoding``."""

_UNITS = (("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000))


@dataclass(frozen=True, slots=True)
class Latency:
    """The service is asked only after a time between these two, in seconds."""

    shortest: float
    longest: float

    def __str__(self) -> str:
        shortest, longest = _duration(self.shortest), _duration(self.longest)
        return f"latency {shortest}" if shortest == longest else f"latency {shortest}-{longest}"


@dataclass(frozen=True, slots=True)
class Status:
    """The service refuses in its own words; `bare` leaves out what says why and when to come back."""

    status: int
    bare: bool = False

    def __str__(self) -> str:
        return f"{self.status} bare" if self.bare else str(self.status)


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection breaks: before the service is asked, or after it has done its work and sent `size` bytes of the body."""

    carried_out: bool
    size: int | None = None

    def __str__(self) -> str:
        if not self.carried_out:
            return "drop before"
        return "drop after" if self.size is None else f"drop after {_size(self.size)}"


@dataclass(frozen=True, slots=True)
class Cut:
    """The body ends after `size` bytes, or at half its size; the response is otherwise complete."""

    size: int | None = None

    def __str__(self) -> str:
        return "cut" if self.size is None else f"cut after {_size(self.size)}"


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """A page of HTML, as a proxy in between would send it."""

    status: int = DEFAULT_PAGE

    def __str__(self) -> str:
        return f"html {self.status}"


@dataclass(frozen=True, slots=True)
class Large:
    """A list of exactly this many bytes."""

    size: int = DEFAULT_SIZE

    def __str__(self) -> str:
        return f"large {_size(self.size)}"


@dataclass(frozen=True, slots=True)
class Trickle:
    """The body comes one byte at a time, with a pause in seconds after each."""

    pause: float = DEFAULT_PAUSE

    def __str__(self) -> str:
        return f"trickle {_duration(self.pause)}"


@dataclass(frozen=True, slots=True)
class Bomb:
    """A list of this many bytes, compressed to a thousandth of that."""

    size: int = DEFAULT_BOMB

    def __str__(self) -> str:
        return f"bomb {_size(self.size)}"


@dataclass(frozen=True, slots=True)
class Drip:
    """A body that never ends: a byte, then a pause in seconds, as long as the client stays connected."""

    pause: float = DEFAULT_DRIP

    def __str__(self) -> str:
        return f"drip {_duration(self.pause)}"


@dataclass(frozen=True, slots=True)
class Hostile:
    """A response with hostile content.

    Attributes:
        content: one of `HOSTILE`.
        encoding: the character set that it is written in, one of `ENCODINGS`; None for UTF-8, as the JSON standard has it.
        status: the status of a refusal instead of the service's response; None for the service's own response.
    """

    content: str
    encoding: str | None = None
    status: int | None = None

    def __str__(self) -> str:
        encoding = None if self.content == "encoding" and self.encoding == ENCODINGS[0] else self.encoding
        return " ".join(str(part) for part in (self.content, encoding, self.status) if part is not None)


Harm = Status | Drop | Cut | HtmlPage | Large | Trickle | Bomb | Drip | Hostile
"""Effects on a response; one of them at a time. Latencies are added to them and to each other."""

Effect = Latency | Harm


@dataclass(frozen=True, slots=True)
class Fault:
    """An effect on some requests.

    Attributes:
        effect: what happens.
        service: one of `STATUSES`; None for all services.
        path: the path below the service, with ``*`` for any text and ``?`` for any letter; None for all paths.
        method: the HTTP method in capitals; None for all methods.
        count: how many requests it is applied to; None without an end.
    """

    effect: Effect
    service: str | None = None
    path: str | None = None
    method: str | None = None
    count: int | None = None

    def concerns(self, service: str, method: str, path: str) -> bool:
        """Whether a request is one of those that it is meant for. Its count is not looked at."""
        if self.service not in (None, service) or self.method not in (None, method):
            return False
        return self.path is None or fnmatchcase(path, self.path)

    def __str__(self) -> str:
        target = ":".join(part for part in (self.service, self.path) if part)
        parts = (target, self.method, str(self.effect), None if self.count is None else f"x{self.count}")
        return " ".join(part for part in parts if part)


def _duration(seconds: float) -> str:
    return f"{seconds:.10g}s" if seconds >= 1 else f"{round(seconds * 1000, 3):g}ms"


def _size(size: int) -> str:
    for name, unit in _UNITS:
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} bytes"
