"""``--timeout``, ``--deadline`` and ``--max-size``: how long a call may take, and how large a response may be."""

from __future__ import annotations

import argparse
import math
import re

from msgspec.structs import replace

from registry.calling.limits import ResponseLimits
from registry.doors.ending import Ending

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)")
_USUAL = ResponseLimits()
_LONGEST = 86_400.0


def add_limits(command: argparse.ArgumentParser) -> None:
    """The three options."""
    command.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help=f"longest wait for data from a service, in seconds (default {_USUAL.silence:g}; {_USUAL.connecting:g} to connect; "
        f"{_USUAL.whole:g} for one whole response)",
    )
    command.add_argument(
        "--deadline",
        type=seconds,
        metavar="SECONDS",
        help="time limit of the whole command, retries included (default none); an unfinished change is then checked",
    )
    command.add_argument(
        "--max-size",
        type=_size,
        metavar="SIZE",
        help=f"size limit of a response: bytes, or with KB, MB or GB (default {_USUAL.size // 10**6} MB)",
    )


def limits_of(options: argparse.Namespace) -> tuple[ResponseLimits, Ending]:
    """The limits from the options, and the `Ending` for the deadline."""
    limits = _USUAL
    if options.timeout is not None:
        silence: float = options.timeout
        limits = replace(limits, silence=silence, connecting=min(silence, limits.connecting), whole=max(silence, limits.whole))
    if options.max_size is not None:
        limits = replace(limits, size=options.max_size)
    return limits, Ending(options.deadline)


def seconds(text: str) -> float:
    """A number of seconds, for argparse."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= _LONGEST:  # NaN fails this, too
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0, at most {_LONGEST:g}; got {text!r}")
    return number


def _size(text: str) -> int:
    found = _SIZE.fullmatch(text.strip())
    unit = _UNITS.get(found.group(2).upper()) if found is not None else None
    size = int(float(found.group(1)) * unit) if found is not None and unit is not None and len(text) < 30 else 0
    if not 1 <= size <= 2**40:
        raise argparse.ArgumentTypeError(f"must be a size such as 500000, 20 MB or 1 GB; got {text!r}")
    return size
