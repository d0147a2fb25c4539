"""Limits a process's memory during a query: DuckDB's own limit counts its tables, not the values that it computes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_MORE = 1_500_000_000
_FOR_EACH_THREAD = 80_000_000  # its stack, and what the system's allocator reserves for it
_PAGES = "/proc/self/statm"


@contextmanager
def bounded_memory() -> Iterator[None]:
    """In this context, a query that computes values of gigabytes fails at once. Only on Linux: others have no such limit."""
    try:
        import resource

        with open(_PAGES, "rb") as file:
            taken = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    except (ImportError, OSError, ValueError):
        yield
        return
    most = taken + _MORE + _FOR_EACH_THREAD * (os.cpu_count() or 1)
    bounds = [bound for bound in (most, soft, hard) if bound != resource.RLIM_INFINITY]
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (min(bounds), hard))
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
