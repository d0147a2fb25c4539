"""Time that stands still, for pictures that are the same on every machine. `freeze` comes before the program is imported.

The present is `NOW` until somebody moves `moment`. What a request takes is counted in looks at the clock, so it is some
hundredths of a second, and the same each time. Waiting goes on by the machine's own clock.
"""

import asyncio
import os
import sys
import time
from datetime import datetime, tzinfo
from typing import Self
from weakref import WeakKeyDictionary

NOW = 1_764_555_240.0
"""Monday, 1 December 2025, 02:14 UTC."""

_LOOK = 0.013
_looks: WeakKeyDictionary[asyncio.Task[object], int] = WeakKeyDictionary()


class _Moment:
    """The present in Unix seconds."""

    now = NOW


moment = _Moment()


def _present() -> float:
    return moment.now


def _looked() -> float:
    """Seconds that a task has taken: so much for each time that it has looked."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        task = None
    if task is None:
        return 0.0
    _looks[task] = _looks.get(task, 0) + 1
    return _looks[task] * _LOOK


class PageTime:
    """What a page counts by while it loads: nothing when it begins, and half a second whenever it looks again."""

    @staticmethod
    def monotonic() -> float:
        """Seconds."""
        return 0.0 if sys._getframe(1).f_code.co_name == "load" else 0.5


class LocalTime(datetime):
    """Times whose present stands still."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """The present."""
        return cls.fromtimestamp(moment.now, tz)


def freeze() -> None:
    """From now on, every clock of the program but that for waiting stands still."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    time.time = _present
    time.perf_counter = _looked
