"""Faults as text: one line, read from left to right.

``[SERVICE][:PATH] [METHOD] KIND [HOW] [xN]``: which requests, the effect, and for how many requests. `table` lists every
part and is what the command line's help prints.
"""

import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, NoReturn

from msgspec import Struct

from registry.sandbox.world import data_file

STATUSES: Mapping[str, tuple[int, ...]] = {
    "payments": (401, 402, 409, 429, 500, 503),
    "files": (401, 402, 409, 429, 500, 503),
    "incidents": (401, 402, 408, 429, 500, 503),
    "crm": (401, 409, 429, 500, 503),
}
"""The services, and with which HTTP statuses each can be made to refuse in its own words."""

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
HOSTILE = ("encoding", "nan", "surrogate", "escapes", "echo-credential", "forge")
"""The kinds of hostile content in a response; `registry.sandbox.faults.bodies` makes each."""

ENCODINGS = ("utf-16be", "utf-16le", "utf-16", "utf-32", "latin-1")
"""Character sets for a response that the JSON standard forbids; the first is the default of ``encoding``."""

_LONGEST_TEXT = 500
_LONGEST_WAIT = 600.0
_LARGEST = 10_000_000_000
_MOST = 1_000_000

_COUNT = re.compile(r"[x×]([0-9]+)", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_BYTES = {"bytes": 1, "byte": 1, "b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000}
_TIME = rf"\d{{1,7}}(?:\.\d{{1,6}})?(?:{'|'.join(_SECONDS)})"
_SIZE = rf"\d{{1,11}}(?:{'|'.join(_BYTES)})"
_CONTENT = rf"(?P<encoding>{'|'.join(sorted(ENCODINGS, key=len, reverse=True))})?(?P<status>\d{{3}})?"
_HOW: Mapping[str, str] = {
    "latency": rf"(?P<pause>{_TIME})(?:-(?P<longest>{_TIME}))?",
    "429": r"(?P<which>bare|daily)?",
    "drop": rf"(?P<before>before)|after(?P<size>{_SIZE})?",
    "cut": rf"(?:after(?P<size>{_SIZE}))?",
    "html": r"(?P<status>200|502)?",
    "large": rf"(?P<size>{_SIZE})?",
    "bomb": rf"(?P<size>{_SIZE})?",
    "trickle": rf"(?P<pause>{_TIME})?",
    "drip": rf"(?P<pause>{_TIME})?",
    **dict.fromkeys(HOSTILE, _CONTENT),
}
"""How each kind's own words are written, in lower case and without blanks; what they name is an attribute of the fault."""

_USUAL: Mapping[str, Mapping[str, Any]] = {
    "html": {"status": 502},
    "large": {"size": 200_000_000},
    "bomb": {"size": 1_000_000_000},
    "trickle": {"pause": 0.01},
    "drip": {"pause": 1.0},
    "encoding": {"encoding": ENCODINGS[0]},
}


class WrongFault(ValueError):
    """A text that is not a fault; the message names the part, the rule and an example."""


class Fault(Struct, frozen=True):
    """An effect on some requests.

    Attributes:
        text: how it is written.
        kind: a key of `KINDS`.
        service: one of `STATUSES`; None for all services.
        path: the path below the service, with ``*`` for any text and ``?`` for any letter; None for all paths.
        method: the HTTP method in capitals; None for all methods.
        count: how many requests it is applied to; None without an end.
        status: that of a refusal or page in place of the service's response; None for the service's own response.
        which: of a refusal for too many requests: ``daily``, or ``bare``, which leaves out what says why and when to come back.
        before: the connection drops before the service is asked.
        size: bytes after which a body ends or the connection drops (None: at half, or before the body), or of a large body.
        pause: seconds between bytes, or of the shortest latency.
        longest: seconds of the longest latency.
        encoding: the character set of hostile content; None for UTF-8, as the JSON standard has it.
    """

    text: str
    kind: str
    service: str | None = None
    path: str | None = None
    method: str | None = None
    count: int | None = None
    status: int | None = None
    which: str = ""
    before: bool = False
    size: int | None = None
    pause: float = 0.0
    longest: float = 0.0
    encoding: str | None = None

    def concerns(self, service: str, method: str, path: str) -> bool:
        """Whether a request is one of those that it is meant for. Its count is not looked at."""
        if self.service not in (None, service) or self.method not in (None, method):
            return False
        return self.path is None or fnmatchcase(path, self.path)


class FaultKind(NamedTuple):
    """A row of the table: how a kind is written, what it does, an example, and whether the service does its work."""

    form: str
    about: str
    example: str
    carried_out: bool = False


_HELD = data_file(__file__, "kinds")
_PARTS: dict[str, str] = _HELD["parts"]
KINDS = {kind.form.split()[0]: kind for kind in (FaultKind(**one) for one in _HELD["kinds"])}
"""Every kind of fault by its first word. Where the service does its work, a deletion is done; but not by `drop before`, and
not where a status is named."""
_KINDS = f"choose from {', '.join(KINDS)}"


def parse(text: str) -> Fault:
    """Read a fault.

    Raises:
        WrongFault: it is not a fault.
    """
    words = text.split()
    if not words:
        _wrong("a fault is missing", "write [SERVICE][:PATH] [METHOD] KIND [HOW] [xN]", "payments latency 200ms-2s")
    if len(text) > _LONGEST_TEXT:
        _wrong("the text is too long", f"at most {_LONGEST_TEXT} characters", "payments:/v1/charges* 500 x3")
    whole = " ".join(words)
    service, path = _target(words)
    method = words.pop(0).upper() if words and words[0].upper() in METHODS else None
    count = None
    if words and (found := _COUNT.fullmatch(words[-1])):
        if len(found[1]) > len(str(_MOST)) or not 1 <= int(found[1]) <= _MOST:
            _wrong(f"invalid number of requests {words[-1]!r}", f"must be from x1 to x{_MOST}", "crm 500 x3")
        count = int(found[1])
        words.pop()
    if not words:
        _wrong(f"{text!r} has no fault kind", _KINDS, "payments latency 200ms-2s")
    kind = words.pop(0).lower()
    if kind not in KINDS:
        _wrong(f"unknown fault kind {kind!r}", _KINDS, "incidents:/incidents* 500 x3")
    return Fault(whole, kind, service, path, method, count, **_how(kind, [word.lower() for word in words], service))


def table() -> str:
    """How faults are written, as a table in plain text."""
    width = max(len(kind.form) for kind in KINDS.values()) + 2
    done = ", ".join(name for name, kind in KINDS.items() if kind.carried_out)
    lines = [
        "Format:  [SERVICE][:PATH] [METHOD] KIND [HOW] [xN]",
        "",
        *(f"  {name:{width}}{rule}" for name, rule in _PARTS.items()),
        "",
        f"  {'KIND [HOW]':{width}}what happens",
        *(f"  {one.form:{width}}{one.about}\n  {'':{width}}  {one.example}" for one in KINDS.values()),
        "",
        "The service carries out what it is asked with",
        f"{done}",
        "(not drop before, nor where a status is named); with all others nothing is done.",
        "latency combines with any other fault. Of the rest, the first that matches a request applies.",
    ]
    return "\n".join(lines)


def _target(words: list[str]) -> tuple[str | None, str | None]:
    """Remove the service and path from the words, if given."""
    first = words[0]
    service, colon, path = first.partition(":")
    if first.startswith("/"):
        service, path = "", first
    elif not colon and service.lower() not in STATUSES:
        return None, None
    words.pop(0)
    if service and service.lower() not in STATUSES:
        _wrong(f"unknown service {service!r}", f"choose from {', '.join(STATUSES)}", "incidents:/incidents* 500 x3")
    if (colon or path) and not path.startswith("/"):
        _wrong(f"invalid path {path!r}", "it must start with / and is relative to the service", "payments:/v1/customers* 500")
    return service.lower() or None, path or None


def _how(kind: str, words: list[str], service: str | None) -> dict[str, Any]:
    """What a kind's own words say, as attributes of the fault."""
    found = re.fullmatch(_HOW.get(kind, ""), "".join(words), re.ASCII)
    said = {name: text for name, text in (found.groupdict() if found else {}).items() if text is not None}
    read: dict[str, Any] = {**_USUAL.get(kind, {}), **{name: _READERS[name](text) for name, text in said.items()}}
    if kind == "latency":
        read.setdefault("longest", read.get("pause", 0.0))
    pause, size, least = read.get("pause", 1.0), read.get("size", _LARGEST), 1_000 if kind in ("large", "bomb") else 1
    if found is None or not 0 < pause <= read.get("longest", pause) <= _LONGEST_WAIT or not least <= size <= _LARGEST:
        given = " ".join(words)
        rules = "".join(f"; {name}: {rule}" for name, rule in _PARTS.items() if name in KINDS[kind].form)
        _wrong(
            f"invalid {kind} {given!r}" if given else f"{kind} stands alone",
            f"write {KINDS[kind].form}{rules}",
            KINDS[kind].example,
        )
    if kind.isdecimal():
        read["status"] = int(kind)
    if kind != "html" and "status" in read:
        status = read["status"]
        having = [name for name, statuses in STATUSES.items() if status in statuses]
        if (service is None and len(having) < len(STATUSES)) or (service is not None and service not in having):
            who = f"{service} never returns {status}" if service else f"{status} needs a service"
            known = sorted({status for statuses in STATUSES.values() for status in statuses})
            rule = f"choose from {', '.join(having)}" if having else f"choose from {', '.join(map(str, known))}"
            _wrong(who, rule, KINDS[kind].example)
    if read.get("which") == "daily" and service != "crm":
        _wrong("only crm has a limit per day", "write crm 429 daily", "crm 429 daily x3")
    return read


def _seconds(text: str) -> float:
    number = text.rstrip("ms")
    return round(float(number) * _SECONDS[text.removeprefix(number)], 6)


def _bytes(text: str) -> int:
    number = text.rstrip("byteskmg")
    return int(number) * _BYTES[text.removeprefix(number)]


_READERS: Mapping[str, Callable[[str], Any]] = {
    "pause": _seconds,
    "longest": _seconds,
    "size": _bytes,
    "status": int,
    "encoding": str,
    "before": bool,
    "which": str,
}


def _wrong(part: str, rule: str, example: str) -> NoReturn:
    raise WrongFault(f"{part}: {rule}; for example: {example}")
